#include <limits>

#include <gtest/gtest.h>

#include "frazil/engine/testing/plan_builder.h"

namespace frazil::engine {
namespace {

using namespace testing;  // NOLINT: the builders

// The value goes through a row, so that nothing is folded before it reaches the kernel.
std::string Cast(const DataTypePtr& from, Value value, const DataTypePtr& to, EvalMode mode = EvalMode::kAnsi,
                 const std::string& zone = "UTC") {
  auto rows = Rows({{"v", from}}, {{std::move(value)}});
  ExecutionContext context;
  context.settings.time_zone = zone;
  auto result = SharedEngine().Collect(Project(rows, {MakeCast(Col(rows, 0), to, mode)}), context);
  if (!result.ok()) return "error: " + result.error().condition;
  const Value& cast = result->rows[0][0];
  return cast.is_null() ? "NULL" : ValueToString(*to, cast, zone);
}

TEST(Cast, IntegersThatDoNotFit) {
  EXPECT_EQ(Cast(DataType::Integer(), Value(300), DataType::Byte()), "error: CAST_OVERFLOW");
  EXPECT_EQ(Cast(DataType::Integer(), Value(300), DataType::Byte(), EvalMode::kLegacy), "44");
  EXPECT_EQ(Cast(DataType::Integer(), Value(300), DataType::Byte(), EvalMode::kTry), "NULL");
  EXPECT_EQ(Cast(DataType::Double(), Value(1e20), DataType::Long()), "error: CAST_OVERFLOW");
  EXPECT_EQ(Cast(DataType::Double(), Value(1e20), DataType::Long(), EvalMode::kLegacy), "9223372036854775807");
  EXPECT_EQ(Cast(DataType::Double(), Value(-1.9), DataType::Integer()), "-1");
  EXPECT_EQ(
      Cast(DataType::Double(), Value(std::numeric_limits<double>::quiet_NaN()), DataType::Integer(), EvalMode::kLegacy),
      "0");
}

TEST(Cast, StringsToNumbers) {
  EXPECT_EQ(Cast(DataType::String(), Value(" 12 "), DataType::Integer()), "12");
  EXPECT_EQ(Cast(DataType::String(), Value("1.5"), DataType::Integer()), "error: CAST_INVALID_INPUT");
  EXPECT_EQ(Cast(DataType::String(), Value("1.5"), DataType::Integer(), EvalMode::kLegacy), "1");
  EXPECT_EQ(Cast(DataType::String(), Value("x"), DataType::Integer(), EvalMode::kTry), "NULL");
  EXPECT_EQ(Cast(DataType::String(), Value("1e3"), DataType::Double()), "1000.0");
  EXPECT_EQ(Cast(DataType::String(), Value("-Infinity"), DataType::Double()), "-Infinity");
  EXPECT_EQ(Cast(DataType::String(), Value("12.345"), DataType::Decimal(10, 2)), "12.35");
  EXPECT_EQ(Cast(DataType::String(), Value("12345"), DataType::Decimal(4, 2)),
            "error: NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION");
  EXPECT_EQ(Cast(DataType::String(), Value("yes"), DataType::Boolean()), "true");
}

TEST(Cast, NumbersToStrings) {
  EXPECT_EQ(Cast(DataType::Double(), Value(1e10), DataType::String()), "1.0E10");
  EXPECT_EQ(Cast(DataType::Float(), Value(0.1f), DataType::String()), "0.1");
  EXPECT_EQ(Cast(DataType::Decimal(10, 2), Value(Decimal128{150}), DataType::String()), "1.50");
  EXPECT_EQ(Cast(DataType::Boolean(), Value(true), DataType::String()), "true");
}

TEST(Cast, Datetimes) {
  EXPECT_EQ(Cast(DataType::String(), Value("2024-02-29"), DataType::Date()), "2024-02-29");
  EXPECT_EQ(Cast(DataType::String(), Value("2024-02-30"), DataType::Date()), "error: CAST_INVALID_INPUT");
  EXPECT_EQ(
      Cast(DataType::String(), Value("2024-01-01 12:00:00"), DataType::Timestamp(), EvalMode::kAnsi, "Europe/Berlin"),
      "2024-01-01 12:00:00");
  EXPECT_EQ(Cast(DataType::Timestamp(), Value(int64_t{0}), DataType::String(), EvalMode::kAnsi, "America/New_York"),
            "1969-12-31 19:00:00");
  EXPECT_EQ(Cast(DataType::Timestamp(), Value(int64_t{0}), DataType::Date(), EvalMode::kAnsi, "America/New_York"),
            "1969-12-31");
  EXPECT_EQ(Cast(DataType::Timestamp(), Value(int64_t{1500000}), DataType::Double()), "1.5");
  EXPECT_EQ(Cast(DataType::Long(), Value(int64_t{1}), DataType::Timestamp()), "1970-01-01 00:00:01");
}

TEST(Cast, NestedTypesByPosition) {
  auto from = DataType::Array(DataType::Struct({{"a", DataType::Integer()}, {"b", DataType::String()}}));
  auto to = DataType::Array(DataType::Struct({{"x", DataType::String()}, {"y", DataType::Integer()}}));
  const Value value(Value::List{Value(Value::List{Value(1), Value("2")}), Value()});
  EXPECT_EQ(Cast(from, value, to), "[{1, 2}, null]");
  EXPECT_EQ(Cast(from, value, DataType::String()), "[{1, 2}, null]");
  EXPECT_EQ(Cast(DataType::Map(DataType::Integer(), DataType::Integer()), Value(Value::List{Value(1), Value(2)}),
                 DataType::Map(DataType::String(), DataType::Long())),
            "{1 -> 2}");
  EXPECT_EQ(Cast(DataType::Array(DataType::String()), Value(Value::List{Value("q")}),
                 DataType::Array(DataType::Integer()), EvalMode::kTry),
            "[null]");
}

TEST(Operators, OverflowByMode) {
  auto rows = Rows({{"a", DataType::Integer()}}, {{Value(int64_t{2147483647})}});
  const auto add = [&](EvalMode mode) {
    auto result =
        SharedEngine().Collect(Project(rows, {Call("add", {Col(rows, 0), Int(1)}, DataType::Integer(), mode)}), {});
    if (!result.ok()) return "error: " + result.error().condition;
    return result->rows[0][0].is_null() ? std::string("NULL") : std::to_string(result->rows[0][0].integer());
  };
  EXPECT_EQ(add(EvalMode::kAnsi), "error: ARITHMETIC_OVERFLOW");
  EXPECT_EQ(add(EvalMode::kLegacy), "-2147483648");
  EXPECT_EQ(add(EvalMode::kTry), "NULL");
}

TEST(Operators, DivisionByZero) {
  const auto zero = MakeLiteral(DataType::Double(), Value(0.0)), one = MakeLiteral(DataType::Double(), Value(1.0));
  EXPECT_EQ(Eval(Call("divide", {one, zero}, DataType::Double())), "error: DIVIDE_BY_ZERO");
  EXPECT_EQ(Eval(Call("divide", {one, zero}, DataType::Double(), EvalMode::kLegacy)), "NULL");
  EXPECT_EQ(Eval(Call("remainder", {Int(7), Int(0)}, DataType::Integer())), "error: REMAINDER_BY_ZERO");
  EXPECT_EQ(Eval(Call("remainder", {Int(-7), Int(3)}, DataType::Integer())), "-1");
  EXPECT_EQ(Eval(Call("pmod", {Int(-7), Int(3)}, DataType::Integer())), "2");
  EXPECT_EQ(Eval(Call("div", {Long(7), Long(2)}, DataType::Long())), "3");
}

TEST(Operators, Decimals) {
  const auto left = MakeLiteral(DataType::Decimal(10, 2), Value(Decimal128{1050})),
             right = MakeLiteral(DataType::Decimal(5, 3), Value(Decimal128{2500}));
  EXPECT_EQ(Eval(Call("add", {left, right}, DataType::Decimal(12, 3))), "13.000");
  EXPECT_EQ(Eval(Call("multiply", {left, right}, DataType::Decimal(16, 5))), "26.25000");
  EXPECT_EQ(Eval(Call("divide", {left, right}, DataType::Decimal(19, 8))), "4.20000000");
  EXPECT_EQ(Eval(Call("negative", {left}, DataType::Decimal(10, 2))), "-10.50");
}

TEST(Operators, NanIsEqualToItselfAndGreatest) {
  const auto nan = MakeLiteral(DataType::Double(), Value(std::numeric_limits<double>::quiet_NaN()));
  const auto infinity = MakeLiteral(DataType::Double(), Value(std::numeric_limits<double>::infinity()));
  EXPECT_EQ(Eval(Call("equal", {nan, nan}, DataType::Boolean())), "true");
  EXPECT_EQ(Eval(Call("greater", {nan, infinity}, DataType::Boolean())), "true");
  EXPECT_EQ(Eval(Call("null_safe_equal", {MakeNull(DataType::Integer()), MakeNull(DataType::Integer())},
                      DataType::Boolean())),
            "true");
}

TEST(Access, ArraysMapsStructs) {
  const auto array = Call("array", {Int(1), Int(2)}, DataType::Array(DataType::Integer()));
  EXPECT_EQ(Eval(Call("get_item", {array, Int(1)}, DataType::Integer())), "2");
  EXPECT_EQ(Eval(Call("get_item", {array, Int(2)}, DataType::Integer())), "error: INVALID_ARRAY_INDEX");
  EXPECT_EQ(Eval(Call("get_item", {array, Int(2)}, DataType::Integer(), EvalMode::kLegacy)), "NULL");
  EXPECT_EQ(Eval(Call("element_at", {array, Int(-1)}, DataType::Integer())), "2");
  const auto map = Call("map", {Text("a"), Int(1)}, DataType::Map(DataType::String(), DataType::Integer()));
  EXPECT_EQ(Eval(Call("get_item", {map, Text("a")}, DataType::Integer())), "1");
  EXPECT_EQ(Eval(Call("get_item", {map, Text("b")}, DataType::Integer())), "NULL");
  const auto type = DataType::Struct({{"A", DataType::Integer()}, {"a", DataType::String()}});
  const auto made = Call("named_struct", {Text("A"), Int(1), Text("a"), Text("q")}, type);
  EXPECT_EQ(Eval(Call("get_field", {made, Text("a")}, DataType::String())), "q");
  EXPECT_EQ(Eval(made), "{1, q}");
  EXPECT_EQ(Eval(Call("array", {}, DataType::Array(DataType::Integer()))), "[]");
}

std::shared_ptr<const LambdaVariableExpression> Variable(DataTypePtr type) {
  auto variable = std::make_shared<LambdaVariableExpression>();
  variable->id = NextId();
  variable->name = "x";
  variable->type = std::move(type);
  return variable;
}

ExpressionPtr Lambda(std::vector<std::shared_ptr<const LambdaVariableExpression>> parameters, ExpressionPtr body) {
  auto lambda = std::make_shared<LambdaExpression>();
  lambda->type = body->type;
  lambda->parameters = std::move(parameters);
  lambda->body = std::move(body);
  return lambda;
}

TEST(HigherOrder, OverArraysAndMaps) {
  const auto array =
      Call("array", {Int(1), Int(2), MakeNull(DataType::Integer())}, DataType::Array(DataType::Integer()));
  auto x = Variable(DataType::Integer()), i = Variable(DataType::Integer());
  EXPECT_EQ(Eval(Call("transform", {array, Lambda({x, i}, Call("add", {x, i}, DataType::Integer()))},
                      DataType::Array(DataType::Integer()))),
            "[1, 3, null]");
  EXPECT_EQ(Eval(Call("filter", {array, Lambda({x}, Call("greater", {x, Int(1)}, DataType::Boolean()))},
                      DataType::Array(DataType::Integer()))),
            "[2]");
  EXPECT_EQ(Eval(Call("exists", {array, Lambda({x}, Call("greater", {x, Int(5)}, DataType::Boolean()))},
                      DataType::Boolean())),
            "NULL");
  EXPECT_EQ(Eval(Call("forall", {array, Lambda({x}, Call("greater", {x, Int(1)}, DataType::Boolean()))},
                      DataType::Boolean())),
            "false");
  auto acc = Variable(DataType::Long());
  const auto plain = Call("array", {Int(1), Int(2), Int(4)}, DataType::Array(DataType::Integer()));
  const auto merge =
      Lambda({acc, x}, Call("add", {acc, MakeCast(x, DataType::Long(), EvalMode::kAnsi)}, DataType::Long()));
  EXPECT_EQ(Eval(Call("aggregate", {plain, Long(10), merge}, DataType::Long())), "17");
  const auto finish =
      Lambda({acc}, MakeCast(Call("multiply", {acc, Long(2)}, DataType::Long()), DataType::String(), EvalMode::kAnsi));
  EXPECT_EQ(Eval(Call("aggregate", {plain, Long(10), merge, finish}, DataType::String())), "34");
  const auto map_type = DataType::Map(DataType::String(), DataType::Integer());
  const auto map = Call("map", {Text("a"), Int(1), Text("b"), Int(2)}, map_type);
  auto k = Variable(DataType::String());
  EXPECT_EQ(
      Eval(Call("transform_values", {map, Lambda({k, x}, Call("add", {x, Int(1)}, DataType::Integer()))}, map_type)),
      "{a -> 2, b -> 3}");
  EXPECT_EQ(
      Eval(Call("map_filter", {map, Lambda({k, x}, Call("greater", {x, Int(1)}, DataType::Boolean()))}, map_type)),
      "{b -> 2}");
  auto y = Variable(DataType::Integer());
  EXPECT_EQ(Eval(Call("zip_with", {plain, array, Lambda({x, y}, Call("add", {x, y}, DataType::Integer()))},
                      DataType::Array(DataType::Integer()))),
            "[2, 4, null]");
}

}  // namespace
}  // namespace frazil::engine
