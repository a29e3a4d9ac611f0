#pragma once

#include <string>
#include <vector>

#include "frazil/types/data_type.h"

namespace frazil {

/// A type, or a family of types, that a function takes as an argument.
class AbstractType {
 public:
  enum class Kind {
    kAny,
    kConcrete,  ///< Exactly one type (nullability and case of field names left aside).
    kNumeric,
    kIntegral,
    kDecimal,    ///< Any precision and scale.
    kAnyString,  ///< Any collation and length.
    kAnyTimestamp,
    kAnyTime,
    kAnsiInterval,
    kYearMonthInterval,
    kDayTimeInterval,
    kArray,   ///< Of any element, or of the family in children().
    kMap,     ///< Of any key and value, or of the two families in children().
    kStruct,  ///< Any struct.
    kOneOf,   ///< One of children(), in the order of preference.
  };

  /// A concrete type converts: functions write {DataType::Integer(), AbstractType::Numeric()}.
  AbstractType(DataTypePtr type) : kind_(Kind::kConcrete), type_(std::move(type)) {}  // NOLINT: implicit by design

  static AbstractType Any() { return AbstractType(Kind::kAny); }
  static AbstractType Numeric() { return AbstractType(Kind::kNumeric); }
  static AbstractType Integral() { return AbstractType(Kind::kIntegral); }
  static AbstractType Decimal() { return AbstractType(Kind::kDecimal); }
  static AbstractType AnyString() { return AbstractType(Kind::kAnyString); }
  static AbstractType AnyTimestamp() { return AbstractType(Kind::kAnyTimestamp); }
  static AbstractType AnyTime() { return AbstractType(Kind::kAnyTime); }
  static AbstractType AnsiInterval() { return AbstractType(Kind::kAnsiInterval); }
  static AbstractType YearMonthInterval() { return AbstractType(Kind::kYearMonthInterval); }
  static AbstractType DayTimeInterval() { return AbstractType(Kind::kDayTimeInterval); }
  static AbstractType Array() { return AbstractType(Kind::kArray); }
  static AbstractType ArrayOf(AbstractType element) { return AbstractType(Kind::kArray, {std::move(element)}); }
  static AbstractType Map() { return AbstractType(Kind::kMap); }
  static AbstractType MapOf(AbstractType key, AbstractType value) {
    return AbstractType(Kind::kMap, {std::move(key), std::move(value)});
  }
  static AbstractType Struct() { return AbstractType(Kind::kStruct); }
  static AbstractType OneOf(std::vector<AbstractType> types) { return AbstractType(Kind::kOneOf, std::move(types)); }

  Kind kind() const { return kind_; }
  /// kConcrete.
  const DataTypePtr& type() const { return type_; }
  const std::vector<AbstractType>& children() const { return children_; }

  bool Accepts(const DataType& type) const;
  /// The type that NULL and convertible values are cast to; nullptr for kAny.
  DataTypePtr DefaultConcreteType() const;
  /// "numeric", "array", "(int or string)".
  std::string SimpleString() const;
  /// As the requiredType of Spark's DATATYPE_MISMATCH messages: "\"INT\"", "(\"NUMERIC\" or \"INTERVAL DAY TO
  /// SECOND\")".
  std::string QuotedSql() const;

 private:
  explicit AbstractType(Kind kind, std::vector<AbstractType> children = {})
      : kind_(kind), children_(std::move(children)) {}

  Kind kind_;
  DataTypePtr type_;
  std::vector<AbstractType> children_;
};

}  // namespace frazil
