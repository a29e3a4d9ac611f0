#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/base/json.h"
#include "frazil/base/result.h"

namespace frazil::tables::iceberg {

/// Types of the Iceberg specification ("Schemas and Data Types"): finer than Spark's, so that what was read can be
/// written back.
enum class TypeKind : uint8_t {
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kDecimal,
  kDate,
  kTime,
  kTimestamp,    ///< Wall clock, microseconds.
  kTimestampTz,  ///< Instant, microseconds.
  kTimestampNs,
  kTimestampTzNs,
  kString,
  kUuid,
  kFixed,
  kBinary,
  kUnknown,
  kVariant,
  kGeometry,
  kGeography,
  kStruct,
  kList,
  kMap,
};

struct Type;
using TypePtr = std::shared_ptr<const Type>;

/// A field of a struct; the element of a list; key or value of a map.
struct NestedField {
  int32_t id = -1;
  std::string name;
  bool required = false;
  TypePtr type;
  std::optional<std::string> doc;
  /// Defaults (v3) in the specification's JSON form ("Appendix C: JSON single-value serialization").
  std::shared_ptr<const JsonValue> initial_default;
  std::shared_ptr<const JsonValue> write_default;
};

struct Type {
  TypeKind kind = TypeKind::kBoolean;
  int32_t precision = 0;  ///< kDecimal.
  int32_t scale = 0;
  int32_t length = 0;               ///< kFixed.
  std::string text;                 ///< kGeometry, kGeography: as written, with its parameters.
  std::vector<NestedField> fields;  ///< kStruct; kList: "element"; kMap: "key" and "value".

  bool IsPrimitive() const { return kind < TypeKind::kStruct && kind != TypeKind::kVariant; }
  bool IsNested() const { return kind >= TypeKind::kStruct; }

  static TypePtr Primitive(TypeKind kind);
  static TypePtr Decimal(int32_t precision, int32_t scale);
  static TypePtr Fixed(int32_t length);
  static TypePtr Struct(std::vector<NestedField> fields);
  static TypePtr List(int32_t element_id, bool element_required, TypePtr element);
  static TypePtr Map(int32_t key_id, TypePtr key, int32_t value_id, bool value_required, TypePtr value);
};

/// Text of a primitive type in the table's JSON: "int", "decimal(10, 2)", "fixed[16]". Nested types: "struct<...>" as
/// in messages.
std::string TypeText(const Type& type);
/// Same type, ids, names, nullability, docs and defaults.
bool SameType(const Type& left, const Type& right);
bool SameField(const NestedField& left, const NestedField& right);

/// From and to the JSON of a schema ("Appendix C: Schemas").
Result<TypePtr> ParseType(const JsonValue& json);
JsonValue TypeToJson(const Type& type);
Result<std::vector<NestedField>> ParseFields(const JsonValue& struct_json);

}  // namespace frazil::tables::iceberg
