#pragma once

// Partition transforms of a write and the folders they lead to. Internal to engine/.

#include <string>
#include <string_view>
#include <vector>

#include <duckdb.hpp>

#include "frazil/engine/functions/function_lowering.h"
#include "frazil/tables/write.h"

namespace frazil::engine {

/// The value of a partition field (or of a sort term), from the lowered columns of the write by name.
Result<LoweredExpression> LowerTransform(const tables::PartitionField& field,
                                         const std::vector<tables::ScanColumn>& columns,
                                         const std::vector<std::string>& column_names);
/// The Spark type of that value.
Result<DataTypePtr> TransformType(const tables::PartitionField& field, const std::vector<tables::ScanColumn>& columns);

/// "name=value/name=value". Iceberg: names and values as in URLs, "null"; plain folders (`hive`): Hive's escapes and
/// __HIVE_DEFAULT_PARTITION__.
std::string PartitionFolder(const std::vector<tables::PartitionField>& fields, const std::vector<DataTypePtr>& types,
                            const std::vector<Value>& values, bool hive, const std::string& time_zone);

/// The 32-bit hash of Iceberg's appendix B: Murmur3 without a seed.
uint32_t HashOfBytes(std::string_view bytes);

/// spark_partition_bucket, _truncate, _year, _month, _day, _hour; spark_curve_position.
void RegisterTransformKernels(duckdb::ExtensionLoader& loader);

}  // namespace frazil::engine
