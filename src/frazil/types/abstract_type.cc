#include "frazil/types/abstract_type.h"

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/types/cast_rules.h"

namespace frazil {

bool AbstractType::Accepts(const DataType& type) const {
  switch (kind_) {
    case Kind::kAny:
      return true;
    case Kind::kConcrete:
      // A spatial type of any reference system takes those of each.
      if (type_->id() == type.id() && type_->srid() == -1 &&
          (type.id() == TypeId::kGeometry || type.id() == TypeId::kGeography)) {
        return true;
      }
      return SameType(type, *type_);
    case Kind::kNumeric:
      return type.IsNumeric();
    case Kind::kIntegral:
      return type.IsIntegral();
    case Kind::kDecimal:
      return type.id() == TypeId::kDecimal;
    case Kind::kAnyString:
      return type.IsString();
    case Kind::kAnyTimestamp:
      return type.id() == TypeId::kTimestamp || type.id() == TypeId::kTimestampNtz;
    case Kind::kAnyTime:
      return type.id() == TypeId::kTime;
    case Kind::kAnsiInterval:
      return type.IsAnsiInterval();
    case Kind::kYearMonthInterval:
      return type.id() == TypeId::kYearMonthInterval;
    case Kind::kDayTimeInterval:
      return type.id() == TypeId::kDayTimeInterval;
    case Kind::kArray:
      return type.id() == TypeId::kArray && (children_.empty() || children_[0].Accepts(*type.element_type()));
    case Kind::kMap:
      return type.id() == TypeId::kMap && (children_.empty() || (children_[0].Accepts(*type.key_type()) &&
                                                                 children_[1].Accepts(*type.value_type())));
    case Kind::kStruct:
      return type.id() == TypeId::kStruct;
    case Kind::kOneOf:
      return std::any_of(children_.begin(), children_.end(), [&](const auto& child) { return child.Accepts(type); });
  }
  return false;
}

DataTypePtr AbstractType::DefaultConcreteType() const {
  switch (kind_) {
    case Kind::kAny:
      return nullptr;
    case Kind::kStruct:
      return DataType::Struct({});
    case Kind::kConcrete:
      return type_;
    case Kind::kNumeric:
      return DataType::Double();
    case Kind::kIntegral:
      return DataType::Integer();
    case Kind::kDecimal:
      return DataType::Decimal(38, 18);
    case Kind::kAnyString:
      return DataType::String();
    case Kind::kAnyTimestamp:
      return DataType::Timestamp();
    case Kind::kAnyTime:
      return DataType::Time();
    case Kind::kAnsiInterval:
    case Kind::kDayTimeInterval:
      return DataType::DayTimeInterval();
    case Kind::kYearMonthInterval:
      return DataType::YearMonthInterval();
    case Kind::kArray: {
      DataTypePtr element = children_.empty() ? DataType::Null() : children_[0].DefaultConcreteType();
      return element == nullptr ? nullptr : DataType::Array(std::move(element));
    }
    case Kind::kMap: {
      DataTypePtr key = children_.empty() ? DataType::Null() : children_[0].DefaultConcreteType();
      DataTypePtr value = children_.empty() ? DataType::Null() : children_[1].DefaultConcreteType();
      return key == nullptr || value == nullptr ? nullptr : DataType::Map(std::move(key), std::move(value));
    }
    case Kind::kOneOf:
      return children_.empty() ? nullptr : children_[0].DefaultConcreteType();
  }
  return nullptr;
}

std::string AbstractType::SimpleString() const {
  switch (kind_) {
    case Kind::kAny:
      return "any";
    case Kind::kConcrete:
      return type_->SimpleString();
    case Kind::kNumeric:
      return "numeric";
    case Kind::kIntegral:
      return "integral";
    case Kind::kDecimal:
      return "decimal";
    case Kind::kAnyString:
      return "string";
    case Kind::kAnyTimestamp:
      return "(timestamp or timestamp without time zone)";
    case Kind::kAnyTime:
      return "time";
    case Kind::kAnsiInterval:
      return "ANSI interval";
    case Kind::kYearMonthInterval:
    case Kind::kDayTimeInterval:
      return DefaultConcreteType()->SimpleString();
    case Kind::kArray:
      return children_.empty() ? "array" : "array<" + children_[0].SimpleString() + ">";
    case Kind::kMap:
      return children_.empty() ? "map"
                               : "map<" + children_[0].SimpleString() + ", " + children_[1].SimpleString() + ">";
    case Kind::kStruct:
      return "struct";
    case Kind::kOneOf: {
      std::vector<std::string> parts;
      for (const auto& child : children_) parts.push_back(child.SimpleString());
      return "(" + Join(parts, " or ") + ")";
    }
  }
  return {};
}

std::string AbstractType::QuotedSql() const {
  if (kind_ == Kind::kOneOf) {
    std::vector<std::string> parts;
    for (const auto& child : children_) parts.push_back(child.QuotedSql());
    return "(" + Join(parts, " or ") + ")";
  }
  return "\"" + (kind_ == Kind::kConcrete ? type_->Sql() : AsciiUpper(SimpleString())) + "\"";
}

}  // namespace frazil
