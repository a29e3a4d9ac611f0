#include "frazil/functions/common_type.h"

#include <algorithm>
#include <functional>

namespace frazil::functions {
namespace {

constexpr int kMinimumAdjustedScale = 6;

using PairRule = std::function<DataTypePtr(const DataTypePtr&, const DataTypePtr&)>;

// Arrays, maps and structs (same field names) by the rule for their parts.
DataTypePtr CommonComplexType(const DataTypePtr& left, const DataTypePtr& right, const PairRule& rule) {
  if (left->id() != right->id()) return nullptr;
  switch (left->id()) {
    case TypeId::kArray: {
      auto element = rule(left->element_type(), right->element_type());
      if (element == nullptr) return nullptr;
      return DataType::Array(std::move(element), left->contains_null() || right->contains_null());
    }
    case TypeId::kMap: {
      auto key = rule(left->key_type(), right->key_type());
      auto value = rule(left->value_type(), right->value_type());
      if (key == nullptr || value == nullptr) return nullptr;
      return DataType::Map(std::move(key), std::move(value),
                           left->value_contains_null() || right->value_contains_null());
    }
    case TypeId::kStruct: {
      const auto& left_fields = left->fields();
      const auto& right_fields = right->fields();
      if (left_fields.size() != right_fields.size()) return nullptr;
      std::vector<StructField> fields;
      for (size_t i = 0; i < left_fields.size(); ++i) {
        auto lower = [](const std::string& text) {
          std::string result = text;
          for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
          return result;
        };
        if (lower(left_fields[i].name) != lower(right_fields[i].name)) return nullptr;
        auto type = rule(left_fields[i].type, right_fields[i].type);
        if (type == nullptr) return nullptr;
        StructField field = left_fields[i];
        field.type = std::move(type);
        field.nullable = left_fields[i].nullable || right_fields[i].nullable;
        fields.push_back(std::move(field));
      }
      return DataType::Struct(std::move(fields));
    }
    default:
      return nullptr;
  }
}

bool IsAtomic(const DataType& type) {
  return !type.IsComplex() && type.id() != TypeId::kNull && type.id() != TypeId::kCalendarInterval &&
         type.id() != TypeId::kVariant;
}

DataTypePtr CommonDatetimeType(const DataType& left, const DataType& right) {
  auto is = [&](TypeId id) { return left.id() == id || right.id() == id; };
  if (is(TypeId::kTimestamp)) return DataType::Timestamp();
  if (is(TypeId::kTimestampNtz)) return DataType::TimestampNtz();
  return DataType::Date();
}

bool HasText(const DataType& type) {
  return type.IsString() || (type.id() == TypeId::kArray && HasText(*type.element_type()));
}

// decimal and integral, decimal and float, decimal and decimal.
DataTypePtr WiderTypeForDecimal(const DataTypePtr& left, const DataTypePtr& right) {
  if (left->id() != TypeId::kDecimal && right->id() != TypeId::kDecimal) return nullptr;
  if (!left->IsNumeric() || !right->IsNumeric()) return nullptr;
  auto is_float = [](const DataType& type) { return type.id() == TypeId::kFloat || type.id() == TypeId::kDouble; };
  if (is_float(*left) || is_float(*right)) return DataType::Double();
  auto as_decimal = [](const DataTypePtr& type) {
    return type->id() == TypeId::kDecimal ? type : DecimalForType(*type);
  };
  return WiderDecimal(*as_decimal(left), *as_decimal(right));
}

DataTypePtr AdjustPrecisionScale(int precision, int scale) {
  if (precision <= kMaxDecimalPrecision) return DataType::Decimal(precision, scale);
  int integral_digits = precision - scale;
  int minimum_scale = std::min(scale, kMinimumAdjustedScale);
  return DataType::Decimal(kMaxDecimalPrecision, std::max(kMaxDecimalPrecision - integral_digits, minimum_scale));
}

}  // namespace

DataTypePtr WithNamesOf(const DataTypePtr& type, const DataType& named) {
  if (type->id() != named.id()) return type;
  if (type->id() == TypeId::kArray) {
    return DataType::Array(WithNamesOf(type->element_type(), *named.element_type()), type->contains_null());
  }
  if (type->id() != TypeId::kStruct || type->fields().size() != named.fields().size()) return type;
  std::vector<StructField> fields = type->fields();
  for (size_t i = 0; i < fields.size(); ++i) {
    fields[i].name = named.fields()[i].name;
    fields[i].type = WithNamesOf(fields[i].type, *named.fields()[i].type);
  }
  return DataType::Struct(std::move(fields));
}

DataTypePtr WithoutLength(const DataTypePtr& type) {
  if (type->IsString() && type->length_kind() != StringLength::kUnbounded) {
    return type->collation().empty() ? DataType::String() : DataType::StringWithCollation(type->collation());
  }
  return type;
}

DataTypePtr TightestCommonType(const DataTypePtr& left, const DataTypePtr& right, bool ansi) {
  if (left->EqualsIgnoreNullability(*right) && !left->IsComplex()) return left;
  if (left->id() == TypeId::kNull) return right;
  if (right->id() == TypeId::kNull) return left;
  if (left->IsString() && right->IsString()) {
    if (left->collation() == right->collation())
      return WithoutLength(left->length_kind() != StringLength::kUnbounded ? left : right);
    return WithoutLength(left->collation().empty() ? right : left);
  }
  if (left->IsNumeric() && right->IsNumeric()) {
    if (left->id() == TypeId::kDecimal || right->id() == TypeId::kDecimal) {
      const auto& decimal = left->id() == TypeId::kDecimal ? left : right;
      const auto& other = left->id() == TypeId::kDecimal ? right : left;
      if (!other->IsIntegral()) return nullptr;
      auto as_decimal = DecimalForType(*other);
      bool is_wider = decimal->precision() - decimal->scale() >= as_decimal->precision() && decimal->scale() >= 0;
      return is_wider ? decimal : nullptr;
    }
    const auto& wider = static_cast<int>(left->id()) >= static_cast<int>(right->id()) ? left : right;
    if (ansi && wider->id() == TypeId::kFloat) return DataType::Double();
    return wider;
  }
  if (left->IsDatetime() && right->IsDatetime()) return CommonDatetimeType(*left, *right);
  if (left->id() == right->id()) {
    switch (left->id()) {
      case TypeId::kYearMonthInterval:
        return DataType::YearMonthInterval(std::min(left->start_field(), right->start_field()),
                                           std::max(left->end_field(), right->end_field()));
      case TypeId::kDayTimeInterval:
        return DataType::DayTimeInterval(std::min(left->start_field(), right->start_field()),
                                         std::max(left->end_field(), right->end_field()));
      case TypeId::kTime:
        return left->time_precision() >= right->time_precision() ? left : right;
      // Of two reference systems: of any.
      case TypeId::kGeometry:
        return DataType::Geometry(-1);
      case TypeId::kGeography:
        return DataType::Geography(-1);
      default:
        break;
    }
  }
  return CommonComplexType(
      left, right, [ansi](const DataTypePtr& a, const DataTypePtr& b) { return TightestCommonType(a, b, ansi); });
}

DataTypePtr PromoteText(const DataTypePtr& left, const DataTypePtr& right) {
  auto promote = [](const DataTypePtr& text, const DataTypePtr& other) -> DataTypePtr {
    if (!text->IsString()) return nullptr;
    if (other->IsString()) return nullptr;
    if (other->IsIntegral()) return DataType::Long();
    if (other->IsFractional()) return DataType::Double();
    if (other->id() == TypeId::kNull) return text;
    if (other->IsAnsiInterval()) return nullptr;
    if (IsAtomic(*other)) return other;
    return nullptr;
  };
  if (left->id() == TypeId::kArray && right->id() == TypeId::kArray) {
    auto element = PromoteText(left->element_type(), right->element_type());
    return element == nullptr ? nullptr
                              : DataType::Array(std::move(element), left->contains_null() || right->contains_null());
  }
  auto result = promote(left, right);
  return result != nullptr ? result : promote(right, left);
}

DataTypePtr LegacyComparisonType(const DataTypePtr& left, const DataTypePtr& right) {
  auto promote = [](const DataTypePtr& text, const DataTypePtr& other) -> DataTypePtr {
    if (!text->IsString() || other->IsString() || other->IsAnsiInterval() || !IsAtomic(*other)) return nullptr;
    if (other->id() == TypeId::kDecimal) return DataType::Double();
    return other;
  };
  auto result = promote(left, right);
  return result != nullptr ? result : promote(right, left);
}

DataTypePtr WiderTypeWithoutText(const DataTypePtr& left, const DataTypePtr& right, bool ansi) {
  if (auto type = TightestCommonType(left, right, ansi)) return type;
  if (auto type = WiderTypeForDecimal(left, right)) return type;
  return CommonComplexType(
      left, right, [ansi](const DataTypePtr& a, const DataTypePtr& b) { return WiderTypeWithoutText(a, b, ansi); });
}

DataTypePtr WiderType(const DataTypePtr& left, const DataTypePtr& right, bool ansi) {
  if (auto type = TightestCommonType(left, right, ansi)) return type;
  if (auto type = WiderTypeForDecimal(left, right)) return type;
  if (ansi) {
    if (auto type = PromoteText(left, right)) return type;
  } else {
    auto promote = [](const DataTypePtr& text, const DataTypePtr& other) -> DataTypePtr {
      if (!text->IsString() || !IsAtomic(*other) || other->id() == TypeId::kBinary || other->id() == TypeId::kBoolean)
        return nullptr;
      return WithoutLength(text);
    };
    if (auto type = promote(left, right)) return type;
    if (auto type = promote(right, left)) return type;
  }
  return CommonComplexType(left, right,
                           [ansi](const DataTypePtr& a, const DataTypePtr& b) { return WiderType(a, b, ansi); });
}

DataTypePtr WiderCommonType(const std::vector<DataTypePtr>& types, bool ansi) {
  DataTypePtr result = DataType::Null();
  auto widen = [&](const DataTypePtr& type) {
    if (result != nullptr) result = WiderType(result, type, ansi);
  };
  if (ansi) {
    for (const auto& type : types) widen(type);
    return result;
  }
  // Text first, or its promotion would depend on the order.
  for (const auto& type : types) {
    if (HasText(*type)) widen(type);
  }
  for (const auto& type : types) {
    if (!HasText(*type)) widen(type);
  }
  return result;
}

DataTypePtr WiderCommonTypeWithoutText(const std::vector<DataTypePtr>& types, bool ansi) {
  DataTypePtr result = DataType::Null();
  for (const auto& type : types) {
    if (result != nullptr) result = WiderTypeWithoutText(result, type, ansi);
  }
  return result;
}

DataTypePtr DecimalForType(const DataType& type) {
  switch (type.id()) {
    case TypeId::kByte:
      return DataType::Decimal(3, 0);
    case TypeId::kShort:
      return DataType::Decimal(5, 0);
    case TypeId::kInteger:
      return DataType::Decimal(10, 0);
    case TypeId::kLong:
      return DataType::Decimal(20, 0);
    case TypeId::kFloat:
      return DataType::Decimal(14, 7);
    case TypeId::kDouble:
      return DataType::Decimal(30, 15);
    case TypeId::kDecimal:
      return DataType::Decimal(type.precision(), type.scale());
    default:
      return DataType::Decimal(38, 18);
  }
}

DataTypePtr BoundedDecimal(int precision, int scale) {
  return DataType::Decimal(std::min(precision, kMaxDecimalPrecision), std::min(scale, kMaxDecimalPrecision));
}

DataTypePtr WiderDecimal(const DataType& left, const DataType& right) {
  int scale = std::max(left.scale(), right.scale());
  int integral = std::max(left.precision() - left.scale(), right.precision() - right.scale());
  if (integral + scale <= kMaxDecimalPrecision) return DataType::Decimal(integral + scale, scale);
  integral = std::min(integral, kMaxDecimalPrecision);
  return DataType::Decimal(kMaxDecimalPrecision, std::max(0, kMaxDecimalPrecision - integral));
}

DataTypePtr DecimalAdd(const DataType& left, const DataType& right, bool allow_precision_loss) {
  int scale = std::max(left.scale(), right.scale());
  int precision = std::max(left.precision() - left.scale(), right.precision() - right.scale()) + scale + 1;
  return allow_precision_loss ? AdjustPrecisionScale(precision, scale) : BoundedDecimal(precision, scale);
}

DataTypePtr DecimalMultiply(const DataType& left, const DataType& right, bool allow_precision_loss) {
  int scale = left.scale() + right.scale();
  int precision = left.precision() + right.precision() + 1;
  return allow_precision_loss ? AdjustPrecisionScale(precision, scale) : BoundedDecimal(precision, scale);
}

DataTypePtr DecimalDivide(const DataType& left, const DataType& right, bool allow_precision_loss) {
  int integral = left.precision() - left.scale() + right.scale();
  int scale = std::max(kMinimumAdjustedScale, left.scale() + right.precision() + 1);
  if (allow_precision_loss) return AdjustPrecisionScale(integral + scale, scale);
  integral = std::min(kMaxDecimalPrecision, integral);
  scale = std::min(kMaxDecimalPrecision, scale);
  int excess = integral + scale - kMaxDecimalPrecision;
  if (excess > 0) {
    scale -= excess / 2 + 1;
    integral = kMaxDecimalPrecision - scale;
  }
  return BoundedDecimal(integral + scale, scale);
}

DataTypePtr DecimalRemainder(const DataType& left, const DataType& right, bool allow_precision_loss) {
  int scale = std::max(left.scale(), right.scale());
  int precision = std::min(left.precision() - left.scale(), right.precision() - right.scale()) + scale;
  return allow_precision_loss ? AdjustPrecisionScale(precision, scale) : BoundedDecimal(precision, scale);
}

bool IsOrderable(const DataType& type) {
  switch (type.id()) {
    case TypeId::kMap:
    case TypeId::kVariant:
    case TypeId::kCalendarInterval:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return false;
    case TypeId::kArray:
      return IsOrderable(*type.element_type());
    case TypeId::kStruct:
      return std::all_of(type.fields().begin(), type.fields().end(),
                         [](const StructField& field) { return IsOrderable(*field.type); });
    default:
      return true;
  }
}

bool ContainsMap(const DataType& type) {
  switch (type.id()) {
    case TypeId::kMap:
    case TypeId::kVariant:
      return true;
    case TypeId::kArray:
      return ContainsMap(*type.element_type());
    case TypeId::kStruct:
      return std::any_of(type.fields().begin(), type.fields().end(),
                         [](const StructField& field) { return ContainsMap(*field.type); });
    default:
      return false;
  }
}

}  // namespace frazil::functions
