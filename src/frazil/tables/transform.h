#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/tables/write.h"
#include "frazil/types/data_type.h"
#include "frazil/types/value.h"

namespace frazil::tables {

/// Partition transforms on single values. Source: Iceberg spec, "Partition Transforms" and Appendix B.
/// Values are held as Spark's types hold them (types/value.h).

/// "identity", "bucket[16]", "truncate[4]", "year", ..., "void".
std::string TransformName(TransformKind kind, int32_t parameter);
/// Whether the transform takes values of this type.
bool TransformAccepts(TransformKind kind, const DataType& source);
/// bucket, year, month, hour: int; day: date; the others: as the source.
DataTypePtr TransformResultType(TransformKind kind, const DataTypePtr& source);

/// 32-bit Murmur3 (x86, seed 0) of a value; null has none. Types as TransformAccepts(kBucket).
int32_t BucketHash(const DataType& type, const Value& value);
/// Murmur3 x86 32, seed 0.
int32_t Murmur3(std::string_view data);

/// The partition value of a source value. Null gives null.
Value ApplyTransform(TransformKind kind, int32_t parameter, const DataType& source, const Value& value);

/// A partition value for people, as in folder names: "2026-09", "2026-09-17-18", "nyc"; "null" for null.
std::string PartitionValueText(TransformKind kind, const DataType& result_type, const Value& value);
/// "city_id=nyc/started_at_day=2026-09-15", names and values escaped as Java's URLEncoder does. Empty for no fields.
std::string PartitionPath(const std::vector<PartitionField>& fields, const std::vector<Value>& values);

}  // namespace frazil::tables
