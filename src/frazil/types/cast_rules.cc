#include "frazil/types/cast_rules.h"

#include "frazil/base/text.h"
#include "frazil/types/decimal.h"

namespace frazil {
namespace {

// Whether a position that is nullable or not may be put into one that is nullable or not.
bool ResolvableNullability(bool from, bool to) { return !from || to; }

bool IsSpatial(const DataType& type) { return type.id() == TypeId::kGeometry || type.id() == TypeId::kGeography; }

bool IsPlainString(const DataType& type) { return type.IsString() && type.length_kind() == StringLength::kUnbounded; }

bool IsIntegralOrDecimal(const DataType& type) { return type.IsIntegral() || type.id() == TypeId::kDecimal; }

// Types that a VARIANT can be made of, or turned into.
bool IsVariantType(const DataType& type, bool allow_structs_and_maps) {
  switch (type.id()) {
    case TypeId::kString:
      return type.length_kind() == StringLength::kUnbounded;
    case TypeId::kArray:
      return IsVariantType(*type.element_type(), allow_structs_and_maps);
    case TypeId::kMap:
      return allow_structs_and_maps && type.key_type()->IsString() &&
             IsVariantType(*type.value_type(), allow_structs_and_maps);
    case TypeId::kStruct:
      if (!allow_structs_and_maps) return false;
      for (const auto& field : type.fields()) {
        if (!IsVariantType(*field.type, allow_structs_and_maps)) return false;
      }
      return true;
    case TypeId::kBoolean:
    case TypeId::kByte:
    case TypeId::kShort:
    case TypeId::kInteger:
    case TypeId::kLong:
    case TypeId::kFloat:
    case TypeId::kDouble:
    case TypeId::kDecimal:
    case TypeId::kBinary:
    case TypeId::kDate:
    case TypeId::kTimestamp:
    case TypeId::kTimestampNtz:
    case TypeId::kTime:
    case TypeId::kVariant:
      return true;
    case TypeId::kNull:
    case TypeId::kYearMonthInterval:
    case TypeId::kDayTimeInterval:
    case TypeId::kCalendarInterval:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return false;
  }
  return false;
}

bool CanCastSpatial(const DataType& from, const DataType& to) {
  if (from.id() == to.id()) return from.srid() != -1 && to.srid() == -1;
  return from.id() == TypeId::kGeography && to.id() == TypeId::kGeometry && from.srid() == to.srid();
}

// Pairs of atomic types that both modes allow.
bool CanCastAtomic(const DataType& from, const DataType& to) {
  if (IsSpatial(from) && IsSpatial(to)) return CanCastSpatial(from, to);
  if (from.id() == TypeId::kVariant) return IsVariantType(to, true);
  if (to.id() == TypeId::kVariant) return IsVariantType(from, false);
  switch (to.id()) {
    case TypeId::kBinary:
      return from.IsString();
    case TypeId::kBoolean:
      return from.IsString() || from.IsNumeric();
    case TypeId::kTimestamp:
      return from.IsString() || from.IsNumeric() || from.id() == TypeId::kDate || from.id() == TypeId::kTimestampNtz;
    case TypeId::kTimestampNtz:
      return from.IsString() || from.id() == TypeId::kDate || from.id() == TypeId::kTimestamp;
    case TypeId::kDate:
      return from.IsString() || from.id() == TypeId::kTimestamp || from.id() == TypeId::kTimestampNtz;
    case TypeId::kTime:
      return from.IsString() || from.id() == TypeId::kTime;
    case TypeId::kCalendarInterval:
      return from.IsString();
    case TypeId::kYearMonthInterval:
    case TypeId::kDayTimeInterval:
      return from.IsString() || from.id() == to.id() || IsIntegralOrDecimal(from);
    case TypeId::kByte:
    case TypeId::kShort:
    case TypeId::kInteger:
    case TypeId::kLong:
    case TypeId::kDecimal:
      if (from.IsAnsiInterval() || from.id() == TypeId::kTime) return true;
      [[fallthrough]];
    case TypeId::kFloat:
    case TypeId::kDouble:
      return from.IsNumeric() || from.IsString() || from.id() == TypeId::kBoolean || from.id() == TypeId::kTimestamp;
    case TypeId::kNull:
    case TypeId::kString:
    case TypeId::kArray:
    case TypeId::kMap:
    case TypeId::kStruct:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return false;
  }
  return false;
}

// Pairs that only the legacy mode allows.
bool CanCastLegacyOnly(const DataType& from, const DataType& to) {
  if (to.id() == TypeId::kBinary) return from.IsIntegral();
  if (to.id() == TypeId::kBoolean) return from.id() == TypeId::kDate || from.id() == TypeId::kTimestamp;
  if (to.id() == TypeId::kTimestamp) return from.id() == TypeId::kBoolean;
  return to.IsNumeric() && from.id() == TypeId::kDate;
}

using CastRule = bool (*)(const DataType&, const DataType&);
using NullRule = bool (*)(const DataType&, const DataType&);

// Element by element: `rule` for the types, and `makes_null` says where a failed element becomes NULL, which the target
// must then allow.
bool CanCastNested(const DataType& from, const DataType& to, CastRule rule, NullRule makes_null) {
  if (from.id() != to.id() || !from.IsComplex() || from.fields().size() != to.fields().size()) return false;
  for (size_t i = 0; i < from.fields().size(); ++i) {
    const StructField& source = from.fields()[i];
    const StructField& target = to.fields()[i];
    if (!rule(*source.type, *target.type)) return false;
    const bool nullable = source.nullable || makes_null(*source.type, *target.type);
    if (!ResolvableNullability(nullable, target.nullable)) return false;
  }
  return true;
}

// With ANSI a failed element is an error; only a VARIANT may hold a NULL of its own.
bool VariantMakesNull(const DataType& from, const DataType& /*to*/) { return from.id() == TypeId::kVariant; }
bool NeverMakesNull(const DataType& /*from*/, const DataType& /*to*/) { return false; }

// What all kinds of cast agree on; nullopt-like: 1 yes, 0 no, -1 undecided.
int DecideTrivially(const DataType& from, const DataType& to) {
  if (from.Equals(to) || from.id() == TypeId::kNull) return 1;
  if (IsSpatial(from) != IsSpatial(to)) return 0;
  return to.IsString() ? 1 : -1;
}

int NumericPrecedence(const DataType& type) {
  switch (type.id()) {
    case TypeId::kByte:
      return 0;
    case TypeId::kShort:
      return 1;
    case TypeId::kInteger:
      return 2;
    case TypeId::kLong:
      return 3;
    case TypeId::kFloat:
      return 4;
    case TypeId::kDouble:
      return 5;
    case TypeId::kNull:
    case TypeId::kBoolean:
    case TypeId::kDecimal:
    case TypeId::kString:
    case TypeId::kBinary:
    case TypeId::kDate:
    case TypeId::kTimestamp:
    case TypeId::kTimestampNtz:
    case TypeId::kTime:
    case TypeId::kYearMonthInterval:
    case TypeId::kDayTimeInterval:
    case TypeId::kCalendarInterval:
    case TypeId::kArray:
    case TypeId::kMap:
    case TypeId::kStruct:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return -1;
  }
  return -1;
}

// Whether every text of `from` has the length that `to` asks for, and the other way round: CHAR(3) goes into
// VARCHAR(5).
bool IsMoreConstrained(const DataType& from, const DataType& to) {
  if (to.length_kind() == StringLength::kUnbounded) return true;
  if (from.length_kind() == StringLength::kUnbounded) return false;
  if (to.length_kind() == StringLength::kChar && from.length_kind() == StringLength::kVarchar) return false;
  return from.length() <= to.length();
}

bool CanNullSafeCastToDecimal(const DataType& from, DecimalShape to) {
  if (from.id() == TypeId::kBoolean) return to.precision - to.scale >= 1;
  if (!from.IsNumeric()) return false;
  if (IsWiderThan(to, from)) return true;
  return from.id() == TypeId::kDecimal && to.precision - to.scale > from.precision() - from.scale();
}

}  // namespace

bool IsDatetimeType(const DataType& type) { return type.IsDatetime() || type.id() == TypeId::kTime; }

bool IsAtomicType(const DataType& type) {
  return type.id() != TypeId::kNull && type.id() != TypeId::kCalendarInterval && !type.IsComplex();
}

bool SameType(const DataType& left, const DataType& right, bool case_sensitive) {
  if (left.id() != right.id()) return false;
  if (!left.IsComplex()) return left.Equals(right);
  if (left.fields().size() != right.fields().size()) return false;
  for (size_t i = 0; i < left.fields().size(); ++i) {
    const std::string& a = left.fields()[i].name;
    const std::string& b = right.fields()[i].name;
    if (case_sensitive ? a != b : !EqualsIgnoreCase(a, b)) return false;
    if (!SameType(*left.fields()[i].type, *right.fields()[i].type, case_sensitive)) return false;
  }
  return true;
}

bool CanCast(const DataType& from, const DataType& to) {
  if (const int decided = DecideTrivially(from, to); decided >= 0) return decided == 1;
  return CanCastAtomic(from, to) || CanCastLegacyOnly(from, to) || CanCastNested(from, to, CanCast, ForceNullable);
}

bool CanAnsiCast(const DataType& from, const DataType& to) {
  if (const int decided = DecideTrivially(from, to); decided >= 0) return decided == 1;
  return CanCastAtomic(from, to) || CanCastNested(from, to, CanAnsiCast, VariantMakesNull);
}

bool CanTryCast(const DataType& from, const DataType& to) {
  if (from.IsComplex() && from.id() == to.id()) return CanCastNested(from, to, CanCast, ForceNullable);
  return CanAnsiCast(from, to);
}

bool CanUpCast(const DataType& from, const DataType& to) {
  if (from.Equals(to)) return true;
  if (from.id() == TypeId::kVariant) return false;
  if (from.IsNumeric() && to.id() == TypeId::kDecimal && IsWiderThan(ShapeOf(to), from)) return true;
  if (from.id() == TypeId::kDecimal && to.IsNumeric() && IsTighterThan(ShapeOf(from), to)) return true;
  if (NumericPrecedence(from) >= 0 && NumericPrecedence(from) < NumericPrecedence(to)) return true;
  if (from.IsString() && to.IsString()) return IsMoreConstrained(from, to);
  if (to.IsString()) {
    if (IsAtomicType(from) || from.id() == TypeId::kCalendarInterval) return IsPlainString(to);
    return from.id() == TypeId::kNull;
  }
  if (from.id() == TypeId::kNull) return true;
  if (to.id() == TypeId::kTimestamp) {
    return from.id() == TypeId::kDate || from.id() == TypeId::kTimestampNtz || from.id() == TypeId::kLong;
  }
  if (to.id() == TypeId::kTimestampNtz) return from.id() == TypeId::kDate || from.id() == TypeId::kTimestamp;
  if (from.id() == TypeId::kTimestamp && to.id() == TypeId::kLong) return true;
  if (from.IsAnsiInterval()) return from.id() == to.id();
  return CanCastNested(from, to, CanUpCast, NeverMakesNull);
}

bool ForceNullable(const DataType& from, const DataType& to) {
  if (from.id() == TypeId::kNull || from.Equals(to)) return false;
  if (from.id() == TypeId::kVariant) return true;
  if (from.IsString()) return to.id() != TypeId::kBinary && !to.IsString();
  if (to.IsString()) return false;
  const bool to_narrow = to.id() == TypeId::kByte || to.id() == TypeId::kShort;
  if (from.id() == TypeId::kTimestamp && (to_narrow || to.id() == TypeId::kInteger)) return true;
  if (from.id() == TypeId::kTime && to_narrow) return true;
  if ((from.id() == TypeId::kFloat || from.id() == TypeId::kDouble) && to.id() == TypeId::kTimestamp) return true;
  if (from.id() == TypeId::kTimestamp && to.id() == TypeId::kDate) return false;
  if (to.id() == TypeId::kDate) return true;
  if (from.id() == TypeId::kDate) return to.id() != TypeId::kTimestamp;
  if (to.id() == TypeId::kCalendarInterval) return true;
  if (to.id() == TypeId::kDecimal && !CanNullSafeCastToDecimal(from, ShapeOf(to))) return true;
  return from.IsFractional() && to.IsIntegral();
}

bool CanAnsiStoreAssign(const DataType& from, const DataType& to) {
  if (from.Equals(to) || from.id() == TypeId::kNull) return true;
  if (from.IsNumeric() && to.IsNumeric()) return true;
  if (to.IsString()) return IsAtomicType(from) || from.id() == TypeId::kCalendarInterval;
  if (IsDatetimeType(from) && IsDatetimeType(to)) return true;
  return CanCastNested(from, to, CanAnsiStoreAssign, NeverMakesNull);
}

bool CanStoreAssign(StoreAssignmentPolicy policy, const DataType& from, const DataType& to) {
  switch (policy) {
    case StoreAssignmentPolicy::kAnsi:
      return CanAnsiStoreAssign(from, to);
    case StoreAssignmentPolicy::kStrict:
      return CanUpCast(from, to);
    case StoreAssignmentPolicy::kLegacy:
      return CanCast(from, to);
  }
  return false;
}

}  // namespace frazil
