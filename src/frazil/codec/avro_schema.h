#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/result.h"

namespace frazil::codec {

enum class AvroType : uint8_t {
  kNull,
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kBytes,
  kString,
  kRecord,
  kEnum,
  kArray,
  kMap,
  kUnion,
  kFixed,
};

struct AvroSchema;
using AvroSchemaPtr = std::shared_ptr<const AvroSchema>;

struct AvroField {
  std::string name;   ///< Iceberg's name where the Avro name had to be changed ("iceberg-field-name").
  int field_id = -1;  ///< "field-id"; -1 where there is none.
  AvroSchemaPtr schema;
};

/// The schema that a file was written with. Source: Avro specification 1.11, "Schema Declaration".
struct AvroSchema {
  AvroType type = AvroType::kNull;
  std::string name;          ///< Records, enums, fixed.
  std::string logical_type;  ///< "decimal", "date", "timestamp-micros", ... or empty; for arrays "map" (Iceberg's maps
                             ///< with other keys than strings).
  int precision = 0;         ///< Logical type decimal.
  int scale = 0;
  std::optional<bool> adjust_to_utc;  ///< Iceberg's "adjust-to-utc" of timestamps.
  int64_t size = 0;                   ///< kFixed.
  int element_id = -1, key_id = -1, value_id = -1;
  std::vector<AvroField> fields;        ///< kRecord.
  AvroSchemaPtr element;                ///< kArray: items; kMap: values.
  std::vector<AvroSchemaPtr> branches;  ///< kUnion.
  std::vector<std::string> symbols;     ///< kEnum.

  /// For a union of null and one other type: that type, and the index of null. For anything else: itself and -1.
  const AvroSchema& NotNull(int* null_branch) const;
};

/// Parses the JSON of a schema. Types that contain themselves are refused.
Result<AvroSchemaPtr> ParseAvroSchema(std::string_view json);

/// A name as Avro allows it: other characters as "_x2F", a digit in front as "_1".
std::string AvroName(const std::string& name);
/// Bytes of the fixed type that holds decimals of a precision.
int DecimalBytes(int precision);

}  // namespace frazil::codec
