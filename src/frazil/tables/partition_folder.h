#pragma once

#include <string>
#include <string_view>

namespace frazil::tables {

/// What stands for null in the name of a partition folder.
inline constexpr const char* kHiveDefaultPartition = "__HIVE_DEFAULT_PARTITION__";

/// The name or value of a partition folder with what Hive escapes as %XX (Spark's ExternalCatalogUtils.escapePathName);
/// PercentDecode is the reverse.
std::string EscapePathName(std::string_view text);

}  // namespace frazil::tables
