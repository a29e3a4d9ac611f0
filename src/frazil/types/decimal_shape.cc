// Precision and scale of the results of decimal operations.

#include <algorithm>

#include "frazil/types/decimal.h"

namespace frazil {

DecimalShape BoundedDecimal(int precision, int scale) {
  return {std::min(precision, kMaxDecimalPrecision), std::min(scale, kMaxDecimalScale)};
}

DecimalShape BoundedPreferIntegralDigits(int precision, int scale) {
  if (precision <= kMaxDecimalPrecision) return {precision, scale};
  return {kMaxDecimalPrecision, std::max(0, scale - (precision - kMaxDecimalPrecision))};
}

DecimalShape AdjustPrecisionScale(int precision, int scale) {
  if (precision <= kMaxDecimalPrecision) return {precision, scale};
  if (scale < 0) return {kMaxDecimalPrecision, scale};
  const int integral_digits = precision - scale;
  const int least_scale = std::min(scale, kMinimumAdjustedScale);
  return {kMaxDecimalPrecision, std::max(kMaxDecimalPrecision - integral_digits, least_scale)};
}

DecimalShape DecimalResult(DecimalOperation operation, DecimalShape left, DecimalShape right,
                           bool allow_precision_loss) {
  const auto finish = [&](int precision, int scale) {
    return allow_precision_loss ? AdjustPrecisionScale(precision, scale) : BoundedDecimal(precision, scale);
  };
  const int left_integral = left.precision - left.scale;
  const int right_integral = right.precision - right.scale;
  switch (operation) {
    case DecimalOperation::kAdd:
    case DecimalOperation::kSubtract: {
      const int scale = std::max(left.scale, right.scale);
      return finish(std::max(left_integral, right_integral) + scale + 1, scale);
    }
    case DecimalOperation::kMultiply:
      return finish(left.precision + right.precision + 1, left.scale + right.scale);
    case DecimalOperation::kDivide: {
      if (allow_precision_loss) {
        const int scale = std::max(kMinimumAdjustedScale, left.scale + right.precision + 1);
        return AdjustPrecisionScale(left_integral + right.scale + scale, scale);
      }
      int integral_digits = std::min(kMaxDecimalScale, left_integral + right.scale);
      int scale = std::min(kMaxDecimalScale, std::max(kMinimumAdjustedScale, left.scale + right.precision + 1));
      const int excess = integral_digits + scale - kMaxDecimalScale;
      if (excess > 0) {
        scale -= excess / 2 + 1;
        integral_digits = kMaxDecimalScale - scale;
      }
      return BoundedDecimal(integral_digits + scale, scale);
    }
    case DecimalOperation::kIntegralDivide: {
      const int digits = left_integral + right.scale;
      return BoundedDecimal(digits == 0 ? 1 : digits, 0);
    }
    case DecimalOperation::kRemainder: {
      const int scale = std::max(left.scale, right.scale);
      return finish(std::min(left_integral, right_integral) + scale, scale);
    }
  }
  return {};
}

DecimalShape WiderDecimal(DecimalShape left, DecimalShape right, bool retain_fraction_first) {
  const int scale = std::max(left.scale, right.scale);
  const int integral_digits = std::max(left.precision - left.scale, right.precision - right.scale);
  return retain_fraction_first ? BoundedDecimal(scale + integral_digits, scale)
                               : BoundedPreferIntegralDigits(scale + integral_digits, scale);
}

DecimalShape DecimalForType(const DataType& numeric) {
  switch (numeric.id()) {
    case TypeId::kByte:
      return {3, 0};
    case TypeId::kShort:
      return {5, 0};
    case TypeId::kInteger:
      return {10, 0};
    case TypeId::kLong:
      return {20, 0};
    case TypeId::kFloat:
      return {14, 7};
    case TypeId::kDouble:
      return {30, 15};
    case TypeId::kDecimal:
      return ShapeOf(numeric);
    case TypeId::kBoolean:
      return {1, 0};
    case TypeId::kNull:
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
      break;
  }
  return {kMaxDecimalPrecision, 18};
}

DecimalShape DecimalForInteger(int64_t value) { return {DigitCount(value), 0}; }

bool IsWiderThan(DecimalShape shape, const DataType& other) {
  if (other.id() != TypeId::kDecimal && !other.IsIntegral()) return false;
  const DecimalShape narrow = DecimalForType(other);
  return shape.precision - shape.scale >= narrow.precision - narrow.scale && shape.scale >= narrow.scale;
}

bool IsTighterThan(DecimalShape shape, const DataType& other) {
  switch (other.id()) {
    case TypeId::kDecimal:
      return shape.precision - shape.scale <= other.precision() - other.scale() && shape.scale <= other.scale();
    // One digit less than the type's own decimal: a number of as many digits may be too large for the type.
    case TypeId::kByte:
      return shape.precision <= 2 && shape.scale == 0;
    case TypeId::kShort:
      return shape.precision <= 4 && shape.scale == 0;
    case TypeId::kInteger:
      return shape.precision <= 9 && shape.scale == 0;
    case TypeId::kLong:
      return shape.precision <= 19 && shape.scale == 0;
    case TypeId::kFloat:
    case TypeId::kDouble:
    case TypeId::kNull:
    case TypeId::kBoolean:
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
      return false;
  }
  return false;
}

}  // namespace frazil
