#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace frazil::tables {

/// What stands for null in the name of a partition folder.
inline constexpr const char* kHiveDefaultPartition = "__HIVE_DEFAULT_PARTITION__";

/// An option of a write task's format: partition columns stand in the files too, behind all others, and folders are
/// called as Hive calls them.
inline constexpr const char* kPartitionColumnsLast = "partition-columns-last";

/// The name or value of a partition folder with what Hive escapes as %XX (Spark's ExternalCatalogUtils.escapePathName);
/// PercentDecode is the reverse.
std::string EscapePathName(std::string_view text);

/// The folder of one partition column's value: "name=value", both escaped. Null and an empty text, which Hive cannot
/// tell from each other, are kHiveDefaultPartition (Spark's ExternalCatalogUtils.getPartitionPathString).
std::string PartitionFolder(std::string_view column, const std::optional<std::string>& value);

}  // namespace frazil::tables
