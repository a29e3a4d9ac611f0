#include "frazil/types/type_coercion.h"

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/types/cast_rules.h"
#include "frazil/types/decimal.h"

namespace frazil {
namespace {

using CommonType = DataTypePtr (*)(const DataTypePtr&, const DataTypePtr&, const CoercionSettings&);

bool IsNull(const DataTypePtr& type) { return type->id() == TypeId::kNull; }

DataTypePtr CommonDatetime(const DataTypePtr& left, const DataTypePtr& right) {
  if (left->id() == TypeId::kTime || right->id() == TypeId::kTime) return nullptr;
  const auto either = [&](TypeId id) { return left->id() == id || right->id() == id; };
  if (either(TypeId::kTimestamp)) return DataType::Timestamp();
  return DataType::TimestampNtz();
}

// Texts of one collation; their lengths are forgotten.
DataTypePtr CommonString(const DataTypePtr& left, const DataTypePtr& right) {
  if (!EqualsIgnoreCase(left->collation(), right->collation())) return nullptr;
  return DataType::StringWithCollation(left->collation());
}

DataTypePtr CommonNumber(const DataTypePtr& left, const DataTypePtr& right, bool ansi) {
  const bool left_decimal = left->id() == TypeId::kDecimal;
  const bool right_decimal = right->id() == TypeId::kDecimal;
  if (left_decimal && right_decimal) return nullptr;
  if (right_decimal) return left->IsIntegral() && IsWiderThan(ShapeOf(*right), *left) ? right : nullptr;
  if (left_decimal) return right->IsIntegral() && IsWiderThan(ShapeOf(*left), *right) ? left : nullptr;
  // Type ids of the other numbers stand in the order of precedence.
  const DataTypePtr& wider = left->id() > right->id() ? left : right;
  // With ANSI an integral number beside a float loses no digits.
  if (ansi && wider->id() == TypeId::kFloat && left->id() != right->id()) return DataType::Double();
  return wider;
}

DataTypePtr CommonComplex(const DataTypePtr& left, const DataTypePtr& right, const CoercionSettings& settings,
                          CommonType common) {
  if (left->id() != right->id() || !left->IsComplex() || left->fields().size() != right->fields().size()) {
    return nullptr;
  }
  std::vector<StructField> fields;
  for (size_t i = 0; i < left->fields().size(); ++i) {
    const StructField& a = left->fields()[i];
    const StructField& b = right->fields()[i];
    if (settings.case_sensitive ? a.name != b.name : !EqualsIgnoreCase(a.name, b.name)) return nullptr;
    DataTypePtr type = common(a.type, b.type, settings);
    if (type == nullptr) return nullptr;
    const bool makes_null = ForceNullable(*a.type, *type) || ForceNullable(*b.type, *type);
    const bool is_key = left->id() == TypeId::kMap && i == 0;
    if (is_key && makes_null) return nullptr;
    fields.emplace_back(a.name, std::move(type), !is_key && (a.nullable || b.nullable || makes_null));
  }
  if (left->id() == TypeId::kArray) return DataType::Array(fields[0].type, fields[0].nullable);
  if (left->id() == TypeId::kMap) return DataType::Map(fields[0].type, fields[1].type, fields[1].nullable);
  return DataType::Struct(std::move(fields));
}

DataTypePtr WiderWithoutString(const DataTypePtr& left, const DataTypePtr& right, const CoercionSettings& settings) {
  if (auto type = FindTightestCommonType(left, right, settings)) return type;
  if (auto type = FindWiderTypeForDecimal(left, right, settings)) return type;
  return CommonComplex(left, right, settings, WiderWithoutString);
}

// Without ANSI the other type becomes text, unless it is binary or boolean.
DataTypePtr PromoteToString(const DataTypePtr& left, const DataTypePtr& right) {
  if (left->IsString() == right->IsString()) return nullptr;
  const DataTypePtr& text = left->IsString() ? left : right;
  const DataTypePtr& other = left->IsString() ? right : left;
  if (!IsAtomicType(*other) || other->id() == TypeId::kBinary || other->id() == TypeId::kBoolean) return nullptr;
  return text;
}

bool HasString(const DataType& type) {
  return type.IsString() || (type.id() == TypeId::kArray && HasString(*type.element_type()));
}

DataTypePtr FoldTypes(const std::vector<DataTypePtr>& types, const CoercionSettings& settings, CommonType common) {
  DataTypePtr result = DataType::Null();
  for (const auto& type : types) {
    result = common(result, type, settings);
    if (result == nullptr) return nullptr;
  }
  return result;
}

DataTypePtr FirstOf(const DataTypePtr& from, const AbstractType& expected, const CoercionSettings& settings) {
  for (const auto& choice : expected.children()) {
    if (auto type = ImplicitCast(from, choice, settings)) return type;
  }
  return nullptr;
}

DataTypePtr AnsiImplicitCast(const DataTypePtr& from, const AbstractType& expected, const CoercionSettings& settings) {
  using enum AbstractType::Kind;
  if (from->IsNumeric() && expected.kind() == kDecimal) return DecimalOf(DecimalForType(*from));
  if (from->IsString()) {
    switch (expected.kind()) {
      case kConcrete:
        if (expected.type()->IsString()) {
          return EqualsIgnoreCase(from->collation(), expected.type()->collation()) && CanUpCast(*from, *expected.type())
                     ? expected.type()
                     : nullptr;
        }
        if (IsAtomicType(*expected.type())) return expected.type();
        break;
      case kAnyString:
        return nullptr;
      case kNumeric:
      case kDecimal:
      case kAnyTimestamp:
        return expected.DefaultConcreteType();
      case kAny:
      case kIntegral:
      case kAnyTime:
      case kAnsiInterval:
      case kYearMonthInterval:
      case kDayTimeInterval:
      case kArray:
      case kMap:
      case kStruct:
      case kOneOf:
        break;
    }
  }
  if (from->IsFractional() && expected.kind() == kIntegral) return nullptr;
  if (from->id() == TypeId::kArray && expected.kind() == kArray && !expected.children().empty()) {
    DataTypePtr element = ImplicitCast(from->element_type(), expected.children()[0], settings);
    return element == nullptr ? nullptr : DataType::Array(std::move(element), true);
  }
  if (expected.kind() == kOneOf) return FirstOf(from, expected, settings);
  DataTypePtr target = expected.DefaultConcreteType();
  if (target == nullptr) return nullptr;
  return CanAnsiStoreAssign(*from, *target) ? target : nullptr;
}

// Element by element into a concrete array or map, whose nullability must allow it.
DataTypePtr LegacyNestedCast(const DataTypePtr& from, const DataTypePtr& to, const CoercionSettings& settings) {
  if (from->id() == TypeId::kArray && to->id() == TypeId::kArray) {
    if (!to->contains_null() && (from->contains_null() || ForceNullable(*from->element_type(), *to->element_type()))) {
      return nullptr;
    }
    DataTypePtr element = ImplicitCast(from->element_type(), to->element_type(), settings);
    return element == nullptr ? nullptr : DataType::Array(std::move(element), to->contains_null());
  }
  if (from->id() == TypeId::kMap && to->id() == TypeId::kMap) {
    const bool may_be_null = from->value_contains_null() || ForceNullable(*from->value_type(), *to->value_type());
    if (ForceNullable(*from->key_type(), *to->key_type()) || (may_be_null && !to->value_contains_null())) {
      return nullptr;
    }
    DataTypePtr key = ImplicitCast(from->key_type(), to->key_type(), settings);
    DataTypePtr value = ImplicitCast(from->value_type(), to->value_type(), settings);
    if (key == nullptr || value == nullptr) return nullptr;
    return DataType::Map(std::move(key), std::move(value), to->value_contains_null());
  }
  return nullptr;
}

DataTypePtr LegacyConcreteCast(const DataTypePtr& from, const DataTypePtr& to, const CoercionSettings& settings) {
  if (from->IsString() && to->IsString()) {
    return EqualsIgnoreCase(from->collation(), to->collation()) && CanUpCast(*from, *to) ? to : nullptr;
  }
  if (to->IsNumeric() && (from->IsNumeric() || from->IsString())) return to;
  if (IsDatetimeType(*to) && (IsDatetimeType(*from) || from->IsString())) return to;
  if (to->id() == TypeId::kBinary && from->IsString()) return to;
  if (to->IsString() && IsAtomicType(*from)) return to;
  return LegacyNestedCast(from, to, settings);
}

DataTypePtr LegacyImplicitCast(const DataTypePtr& from, const AbstractType& expected,
                               const CoercionSettings& settings) {
  using enum AbstractType::Kind;
  if (IsNull(from)) return expected.DefaultConcreteType();
  switch (expected.kind()) {
    case kConcrete:
      return LegacyConcreteCast(from, expected.type(), settings);
    case kNumeric:
      return from->IsString() ? DataType::Double() : nullptr;
    case kDecimal:
      if (from->IsNumeric()) return DecimalOf(DecimalForType(*from));
      return from->IsString() ? expected.DefaultConcreteType() : nullptr;
    case kAnyTimestamp:
      return IsDatetimeType(*from) || from->IsString() ? expected.DefaultConcreteType() : nullptr;
    case kAnyString:
      return IsAtomicType(*from) && !from->IsString() ? expected.DefaultConcreteType() : nullptr;
    case kOneOf:
      return FirstOf(from, expected, settings);
    case kArray: {
      if (from->id() != TypeId::kArray || expected.children().empty()) return nullptr;
      DataTypePtr element = ImplicitCast(from->element_type(), expected.children()[0], settings);
      return element == nullptr ? nullptr : DataType::Array(std::move(element), true);
    }
    case kMap: {
      if (from->id() != TypeId::kMap || expected.children().empty()) return nullptr;
      DataTypePtr key = ImplicitCast(from->key_type(), expected.children()[0], settings);
      DataTypePtr value = ImplicitCast(from->value_type(), expected.children()[1], settings);
      if (key == nullptr || value == nullptr) return nullptr;
      return DataType::Map(std::move(key), std::move(value), from->value_contains_null());
    }
    case kAny:
    case kIntegral:
    case kAnyTime:
    case kAnsiInterval:
    case kYearMonthInterval:
    case kDayTimeInterval:
    case kStruct:
      return nullptr;
  }
  return nullptr;
}

}  // namespace

DataTypePtr FindTightestCommonType(const DataTypePtr& left, const DataTypePtr& right,
                                   const CoercionSettings& settings) {
  if (left->Equals(*right)) return left;
  if (IsNull(left)) return right;
  if (IsNull(right)) return left;
  if (left->IsString() && right->IsString()) return CommonString(left, right);
  if (left->IsNumeric() && right->IsNumeric()) return CommonNumber(left, right, settings.ansi);
  if (IsDatetimeType(*left) && IsDatetimeType(*right)) return CommonDatetime(left, right);
  if (left->id() == right->id() && left->IsAnsiInterval()) {
    const auto start = std::min(left->start_field(), right->start_field());
    const auto end = std::max(left->end_field(), right->end_field());
    return left->id() == TypeId::kDayTimeInterval ? DataType::DayTimeInterval(start, end)
                                                  : DataType::YearMonthInterval(start, end);
  }
  if (left->id() == right->id() && left->id() == TypeId::kGeometry) return DataType::Geometry(-1);
  if (left->id() == right->id() && left->id() == TypeId::kGeography) return DataType::Geography(-1);
  return CommonComplex(left, right, settings, FindTightestCommonType);
}

DataTypePtr FindWiderTypeForDecimal(const DataTypePtr& left, const DataTypePtr& right,
                                    const CoercionSettings& settings) {
  if (left->id() != TypeId::kDecimal && right->id() != TypeId::kDecimal) return nullptr;
  if (!left->IsNumeric() || !right->IsNumeric()) return nullptr;
  const auto is_floating = [](const DataType& type) {
    return type.id() == TypeId::kFloat || type.id() == TypeId::kDouble;
  };
  if (is_floating(*left) || is_floating(*right)) return DataType::Double();
  return DecimalOf(WiderDecimal(DecimalForType(*left), DecimalForType(*right), settings.retain_fraction_first));
}

DataTypePtr FindWiderTypeForString(const DataTypePtr& left, const DataTypePtr& right) {
  if (left->IsString() && right->IsString()) return CommonString(left, right);
  if (!left->IsString() && !right->IsString()) return nullptr;
  const DataTypePtr& text = left->IsString() ? left : right;
  const DataTypePtr& other = left->IsString() ? right : left;
  if (other->IsIntegral()) return DataType::Long();
  if (other->IsFractional()) return DataType::Double();
  if (IsNull(other)) return text;
  // A text could be an interval of many kinds.
  if (other->IsAnsiInterval() || !IsAtomicType(*other)) return nullptr;
  return other;
}

DataTypePtr FindCommonTypeForBinaryComparison(const DataTypePtr& left, const DataTypePtr& right,
                                              bool cast_datetime_to_string) {
  if (left->IsString() && right->IsString()) return CommonString(left, right);
  if (left->IsString() || right->IsString()) {
    const DataTypePtr& text = left->IsString() ? left : right;
    const DataTypePtr& other = left->IsString() ? right : left;
    if (other->id() == TypeId::kDate || other->id() == TypeId::kTimestamp) {
      return cast_datetime_to_string ? text : other;
    }
    if (IsNull(other)) return text;
    // No decimal type would do for all texts.
    if (other->id() == TypeId::kDecimal && other->scale() > 0) return DataType::Double();
    if (other->IsAnsiInterval() || !IsAtomicType(*other)) return nullptr;
    return other;
  }
  const auto are = [&](TypeId a, TypeId b) { return left->id() == a && right->id() == b; };
  if (are(TypeId::kTimestamp, TypeId::kDate) || are(TypeId::kDate, TypeId::kTimestamp)) return DataType::Timestamp();
  return nullptr;
}

DataTypePtr FindWiderTypeForTwo(const DataTypePtr& left, const DataTypePtr& right, const CoercionSettings& settings) {
  if (auto type = FindTightestCommonType(left, right, settings)) return type;
  if (auto type = FindWiderTypeForDecimal(left, right, settings)) return type;
  if (auto type = settings.ansi ? FindWiderTypeForString(left, right) : PromoteToString(left, right)) return type;
  return CommonComplex(left, right, settings, FindWiderTypeForTwo);
}

DataTypePtr FindWiderTypeWithoutStringPromotion(const std::vector<DataTypePtr>& types,
                                                const CoercionSettings& settings) {
  return FoldTypes(types, settings, WiderWithoutString);
}

DataTypePtr FindWiderCommonType(const std::vector<DataTypePtr>& types, const CoercionSettings& settings) {
  if (settings.ansi) return FoldTypes(types, settings, FindWiderTypeForTwo);
  // Texts first: without ANSI they absorb the others, whatever the order in which they are written.
  std::vector<DataTypePtr> ordered = types;
  std::stable_partition(ordered.begin(), ordered.end(), [](const DataTypePtr& type) { return HasString(*type); });
  return FoldTypes(ordered, settings, FindWiderTypeForTwo);
}

DataTypePtr ImplicitCast(const DataTypePtr& from, const AbstractType& expected, const CoercionSettings& settings) {
  if (expected.Accepts(*from)) return from;
  return settings.ansi ? AnsiImplicitCast(from, expected, settings) : LegacyImplicitCast(from, expected, settings);
}

}  // namespace frazil
