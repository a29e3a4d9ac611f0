#include "frazil/functions/constant.h"

#include <cmath>
#include <cstdlib>

#include "frazil/base/text.h"

namespace frazil::functions {
namespace {

int128 PowerOfTen(int exponent) {
  int128 result = 1;
  for (int i = 0; i < exponent; ++i) result *= 10;
  return result;
}

bool FitsInto(int64_t value, const DataType& type) {
  switch (type.id()) {
    case TypeId::kByte:
      return value == static_cast<int8_t>(value);
    case TypeId::kShort:
      return value == static_cast<int16_t>(value);
    case TypeId::kInteger:
      return value == static_cast<int32_t>(value);
    default:
      return true;
  }
}

// Casts between numbers, and of anything to STRING: what the constant arguments of functions need.
std::optional<Value> CastConstant(const Value& value, const DataType& from, const DataType& to) {
  if (value.is_null()) return Value();
  if (from.EqualsIgnoreNullability(to)) return value;
  if (from.IsString() && to.IsString()) return value;
  if (from.id() == TypeId::kArray && to.id() == TypeId::kArray) {
    Value::List items;
    for (const auto& item : value.list()) {
      auto cast = CastConstant(item, *from.element_type(), *to.element_type());
      if (!cast) return std::nullopt;
      items.push_back(std::move(*cast));
    }
    return Value(std::move(items));
  }
  if (to.IsString() && !from.IsComplex()) return Value(ValueToString(from, value));
  if (!from.IsNumeric() || !to.IsNumeric()) return std::nullopt;
  if (from.IsIntegral() && to.IsIntegral())
    return FitsInto(value.integer(), to) ? std::optional<Value>(value) : std::nullopt;
  if (to.id() == TypeId::kDecimal) {
    if (from.IsIntegral()) return Value(Decimal128{static_cast<int128>(value.integer()) * PowerOfTen(to.scale())});
    if (from.id() == TypeId::kDecimal && to.scale() >= from.scale())
      return Value(Decimal128{value.decimal() * PowerOfTen(to.scale() - from.scale())});
    return std::nullopt;
  }
  double number = 0;
  if (from.IsIntegral()) {
    number = static_cast<double>(value.integer());
  } else if (from.id() == TypeId::kDecimal) {
    number = std::strtod(ValueToString(from, value).c_str(), nullptr);
  } else {
    number = from.id() == TypeId::kFloat ? static_cast<double>(value.float32()) : value.float64();
  }
  if (to.id() == TypeId::kDouble) return Value(number);
  if (to.id() == TypeId::kFloat) return Value(static_cast<float>(number));
  if (std::isnan(number) || std::fabs(number) > 9e18) return std::nullopt;
  return Value(static_cast<int64_t>(number));
}

}  // namespace

bool IsFoldable(const Expression& expression) {
  switch (expression.kind) {
    case ExpressionKind::kLiteral:
      return true;
    case ExpressionKind::kCall: {
      const auto& function = expression.As<CallExpression>().function;
      if (function == "rand" || function == "randn" || function == "uuid" ||
          function == "monotonically_increasing_id" || function == "spark_partition_id" || function == "raise_error" ||
          function == "randstr" || function == "uniform" || function == "shuffle") {
        return false;
      }
      break;
    }
    case ExpressionKind::kCast:
    case ExpressionKind::kLambda:
      break;
    case ExpressionKind::kLambdaVariable:
      return false;
    case ExpressionKind::kColumn:
    case ExpressionKind::kSubquery:
    case ExpressionKind::kAggregate:
    case ExpressionKind::kWindow:
      return false;
  }
  for (const auto& child : Children(expression)) {
    if (!IsFoldable(*child)) return false;
  }
  return true;
}

std::optional<Value> ConstantValue(const Expression& expression) {
  switch (expression.kind) {
    case ExpressionKind::kLiteral:
      return expression.As<LiteralExpression>().value;
    case ExpressionKind::kCast: {
      const auto& cast = expression.As<CastExpression>();
      auto value = ConstantValue(*cast.child);
      if (!value) return std::nullopt;
      return CastConstant(*value, *cast.child->type, *cast.type);
    }
    case ExpressionKind::kCall: {
      const auto& call = expression.As<CallExpression>();
      if (call.function == "array" || call.function == "map" || call.function == "named_struct") {
        Value::List items;
        for (size_t i = 0; i < call.arguments.size(); ++i) {
          if (call.function == "named_struct" && i % 2 == 0) continue;
          auto value = ConstantValue(*call.arguments[i]);
          if (!value) return std::nullopt;
          items.push_back(std::move(*value));
        }
        return Value(std::move(items));
      }
      if (call.function == "concat" && call.type->IsString()) {
        std::string text;
        for (const auto& argument : call.arguments) {
          auto value = ConstantValue(*argument);
          if (!value) return std::nullopt;
          if (value->is_null()) return Value();
          if (!std::holds_alternative<std::string>(value->storage())) return std::nullopt;
          text += value->string();
        }
        return Value(std::move(text));
      }
      if (call.function == "negative" && call.arguments.size() == 1) {
        auto value = ConstantValue(*call.arguments[0]);
        if (!value || value->is_null()) return value;
        if (std::holds_alternative<int64_t>(value->storage())) {
          int64_t negated = 0;
          if (__builtin_sub_overflow(int64_t{0}, value->integer(), &negated) || !FitsInto(negated, *call.type))
            return std::nullopt;
          return Value(negated);
        }
        if (std::holds_alternative<double>(value->storage())) return Value(-value->float64());
        if (std::holds_alternative<Decimal128>(value->storage())) return Value(Decimal128{-value->decimal()});
      }
      if ((call.function == "add" || call.function == "subtract" || call.function == "multiply") &&
          call.type->IsIntegral()) {
        auto left = ConstantValue(*call.arguments[0]);
        auto right = ConstantValue(*call.arguments[1]);
        if (!left || !right) return std::nullopt;
        if (left->is_null() || right->is_null()) return Value();
        int64_t result = 0;
        bool overflow = call.function == "add" ? __builtin_add_overflow(left->integer(), right->integer(), &result)
                        : call.function == "subtract"
                            ? __builtin_sub_overflow(left->integer(), right->integer(), &result)
                            : __builtin_mul_overflow(left->integer(), right->integer(), &result);
        // What does not fit is the engine's to refuse.
        if (overflow || !FitsInto(result, *call.type)) return std::nullopt;
        return Value(result);
      }
      return std::nullopt;
    }
    case ExpressionKind::kColumn:
    case ExpressionKind::kLambda:
    case ExpressionKind::kLambdaVariable:
    case ExpressionKind::kSubquery:
    case ExpressionKind::kAggregate:
    case ExpressionKind::kWindow:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::string> ConstantText(const Expression& expression) {
  auto value = ConstantValue(expression);
  if (!value || !std::holds_alternative<std::string>(value->storage())) return std::nullopt;
  return value->string();
}

std::optional<int64_t> ConstantInteger(const Expression& expression) {
  auto value = ConstantValue(expression);
  if (!value || !std::holds_alternative<int64_t>(value->storage())) return std::nullopt;
  return value->integer();
}

std::optional<bool> ConstantBoolean(const Expression& expression) {
  auto value = ConstantValue(expression);
  if (!value || !std::holds_alternative<bool>(value->storage())) return std::nullopt;
  return value->boolean();
}

std::optional<std::map<std::string, std::string>> ConstantOptions(const Expression& expression) {
  auto value = ConstantValue(expression);
  if (!value || !std::holds_alternative<Value::List>(value->storage())) return std::nullopt;
  std::map<std::string, std::string> options;
  const auto& items = value->list();
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (!std::holds_alternative<std::string>(items[i].storage()) ||
        !std::holds_alternative<std::string>(items[i + 1].storage()))
      return std::nullopt;
    options[AsciiLower(items[i].string())] = items[i + 1].string();
  }
  return options;
}

}  // namespace frazil::functions
