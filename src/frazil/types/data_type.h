#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/types/type_fwd.h"

namespace frazil {

/// Spark's types. https://spark.apache.org/docs/latest/sql-ref-datatypes.html
enum class TypeId {
  kNull,  ///< void
  kBoolean,
  kByte,
  kShort,
  kInteger,
  kLong,
  kFloat,
  kDouble,
  kDecimal,
  kString,  ///< STRING, CHAR(n) and VARCHAR(n): see DataType::length_kind.
  kBinary,
  kDate,               ///< Days since 1970-01-01.
  kTimestamp,          ///< An instant: microseconds since 1970-01-01T00:00:00Z.
  kTimestampNtz,       ///< Wall-clock microseconds.
  kTime,               ///< Time of day; precision 0..6 digits of a second.
  kYearMonthInterval,  ///< Months.
  kDayTimeInterval,    ///< Microseconds.
  kCalendarInterval,   ///< Months, days and microseconds (legacy "interval").
  kArray,
  kMap,
  kStruct,
  kVariant,
  kGeometry,
  kGeography,
};

/// Fields of the ANSI intervals, in order.
enum class IntervalField : uint8_t { kYear, kMonth, kDay, kHour, kMinute, kSecond };

enum class StringLength : uint8_t { kUnbounded, kChar, kVarchar };

/// A member of a struct, or a column of a table.
struct StructField {
  std::string name;
  DataTypePtr type;
  bool nullable = true;
  /// Column metadata as Spark keeps it: key to JSON text of the value ("comment" -> "\"text\"", "CURRENT_DEFAULT",
  /// ...).
  std::map<std::string, std::string> metadata;

  StructField() = default;
  StructField(std::string field_name, DataTypePtr field_type, bool is_nullable = true)
      : name(std::move(field_name)), type(std::move(field_type)), nullable(is_nullable) {}

  /// The comment, or an empty string.
  std::string Comment() const;
  void SetComment(std::string_view comment);
};

/// An immutable Spark type. Made by the factories only.
class DataType {
 public:
  TypeId id() const { return id_; }

  /// kDecimal.
  int precision() const { return precision_; }
  int scale() const { return scale_; }
  /// kString: CHAR(n)/VARCHAR(n) length in characters.
  StringLength length_kind() const { return length_kind_; }
  int length() const { return precision_; }
  /// kString: name of the collation; empty for UTF8_BINARY.
  const std::string& collation() const { return collation_; }
  /// kTime: digits of the second, 0..6.
  int time_precision() const { return precision_; }
  /// kYearMonthInterval, kDayTimeInterval.
  IntervalField start_field() const { return start_field_; }
  IntervalField end_field() const { return end_field_; }
  /// kArray.
  const DataTypePtr& element_type() const { return children_[0].type; }
  bool contains_null() const { return children_[0].nullable; }
  /// kMap.
  const DataTypePtr& key_type() const { return children_[0].type; }
  const DataTypePtr& value_type() const { return children_[1].type; }
  bool value_contains_null() const { return children_[1].nullable; }
  /// kStruct.
  const std::vector<StructField>& fields() const { return children_; }
  /// Index of a field by name, or -1.
  int FieldIndex(std::string_view name, bool case_sensitive = false) const;
  /// kGeometry, kGeography: the spatial reference identifier.
  int srid() const { return precision_; }

  static const DataTypePtr& Null();
  static const DataTypePtr& Boolean();
  static const DataTypePtr& Byte();
  static const DataTypePtr& Short();
  static const DataTypePtr& Integer();
  static const DataTypePtr& Long();
  static const DataTypePtr& Float();
  static const DataTypePtr& Double();
  static const DataTypePtr& String();
  static const DataTypePtr& Binary();
  static const DataTypePtr& Date();
  static const DataTypePtr& Timestamp();
  static const DataTypePtr& TimestampNtz();
  static const DataTypePtr& CalendarInterval();
  static const DataTypePtr& Variant();
  static DataTypePtr Decimal(int precision, int scale);
  static DataTypePtr Char(int length);
  static DataTypePtr Varchar(int length);
  static DataTypePtr StringWithCollation(std::string collation);
  static DataTypePtr Time(int precision = 6);
  static DataTypePtr YearMonthInterval(IntervalField start = IntervalField::kYear,
                                       IntervalField end = IntervalField::kMonth);
  static DataTypePtr DayTimeInterval(IntervalField start = IntervalField::kDay,
                                     IntervalField end = IntervalField::kSecond);
  static DataTypePtr Array(DataTypePtr element, bool contains_null = true);
  static DataTypePtr Map(DataTypePtr key, DataTypePtr value, bool value_contains_null = true);
  static DataTypePtr Struct(std::vector<StructField> fields);
  static DataTypePtr Geometry(int srid);
  static DataTypePtr Geography(int srid);

  bool IsIntegral() const { return id_ >= TypeId::kByte && id_ <= TypeId::kLong; }
  bool IsFractional() const { return id_ == TypeId::kFloat || id_ == TypeId::kDouble || id_ == TypeId::kDecimal; }
  bool IsNumeric() const { return IsIntegral() || IsFractional(); }
  bool IsString() const { return id_ == TypeId::kString; }
  bool IsDatetime() const { return id_ == TypeId::kDate || id_ == TypeId::kTimestamp || id_ == TypeId::kTimestampNtz; }
  bool IsAnsiInterval() const { return id_ == TypeId::kYearMonthInterval || id_ == TypeId::kDayTimeInterval; }
  bool IsComplex() const { return id_ == TypeId::kArray || id_ == TypeId::kMap || id_ == TypeId::kStruct; }

  /// Spark's simpleString / catalogString: "array<int>", "struct<a:int,b:string>", "decimal(10,2)", "interval day to
  /// second".
  std::string SimpleString() const;
  /// Spark's `sql`: "ARRAY<INT>", "STRUCT<a: INT, b: STRING>", "DECIMAL(10,2)".
  std::string Sql() const;
  /// Spark's typeName: "integer", "long", "array", ... as in JSON and printTreeString.
  std::string TypeName() const;
  /// Spark's schema JSON: "\"integer\"" or an object.
  std::string Json() const;
  static Result<DataTypePtr> FromJson(std::string_view json);

  /// Same type, field names and nullability, metadata left aside.
  bool Equals(const DataType& other) const;
  /// As Equals, nullability at every level left aside.
  bool EqualsIgnoreNullability(const DataType& other) const;

 private:
  friend struct DataTypeFactory;
  DataType() = default;

  TypeId id_ = TypeId::kNull;
  int precision_ = 0;
  int scale_ = 0;
  StringLength length_kind_ = StringLength::kUnbounded;
  IntervalField start_field_ = IntervalField::kYear;
  IntervalField end_field_ = IntervalField::kYear;
  std::string collation_;
  std::vector<StructField> children_;
};

/// Text of Spark's `df.printSchema()` / treeString for a struct type; `level` < 0 prints all levels.
std::string SchemaTreeString(const DataType& schema, int level = -1);

}  // namespace frazil
