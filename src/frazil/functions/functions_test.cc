#include <gtest/gtest.h>

#include "frazil/functions/constant.h"
#include "frazil/functions/function.h"
#include "frazil/functions/schema_text.h"
#include "frazil/functions/signature.h"

namespace frazil::functions {
namespace {

class FunctionsTest : public ::testing::Test {
 protected:
  Result<ExpressionPtr> Bind(const std::string& name, Arguments arguments) {
    const FunctionDefinition* function = FindFunction(name);
    if (function == nullptr) return Error::Internal("no function " + name);
    FunctionCall call;
    call.name = name;
    call.arguments = std::move(arguments);
    call.settings = &settings_;
    return BindFunction(*function, call);
  }
  ExpressionPtr BindOk(const std::string& name, Arguments arguments) {
    auto bound = Bind(name, std::move(arguments));
    EXPECT_TRUE(bound.ok()) << name << ": " << (bound.ok() ? "" : bound.error().message);
    return bound.ok() ? *bound : MakeNull(DataType::Null());
  }
  std::string TypeOf(const std::string& name, Arguments arguments) {
    return BindOk(name, std::move(arguments))->type->SimpleString();
  }
  std::string SqlOf(const std::string& name, Arguments arguments) { return BindOk(name, std::move(arguments))->sql; }
  std::string ErrorOf(const std::string& name, Arguments arguments) {
    auto bound = Bind(name, std::move(arguments));
    return bound.ok() ? "" : bound.error().condition;
  }
  static ExpressionPtr Column(const DataTypePtr& type, const std::string& name = "a") {
    Attribute attribute;
    attribute.id = 1;
    attribute.name = name;
    attribute.type = type;
    return MakeColumn(attribute);
  }
  static ExpressionPtr DecimalColumn(int precision, int scale) {
    return Column(DataType::Decimal(precision, scale), "d");
  }

  ExpressionSettings settings_;
};

TEST_F(FunctionsTest, DecimalArithmeticHasSparksTypes) {
  EXPECT_EQ(TypeOf("+", {DecimalColumn(10, 2), DecimalColumn(5, 3)}), "decimal(12,3)");
  EXPECT_EQ(TypeOf("*", {DecimalColumn(10, 2), DecimalColumn(5, 3)}), "decimal(16,5)");
  EXPECT_EQ(TypeOf("/", {DecimalColumn(10, 2), DecimalColumn(5, 3)}), "decimal(19,8)");
  EXPECT_EQ(TypeOf("%", {DecimalColumn(10, 2), DecimalColumn(5, 3)}), "decimal(5,3)");
  EXPECT_EQ(TypeOf("*", {DecimalColumn(38, 10), DecimalColumn(38, 10)}), "decimal(38,6)");
  EXPECT_EQ(TypeOf("+", {DecimalColumn(10, 2), IntLiteral(1)}), "decimal(11,2)");
  EXPECT_EQ(TypeOf("+", {DecimalColumn(10, 2), Column(DataType::Integer())}), "decimal(13,2)");
  EXPECT_EQ(TypeOf("+", {DecimalColumn(10, 2), Column(DataType::Double())}), "double");
  settings_.allow_precision_loss = false;
  EXPECT_EQ(TypeOf("*", {DecimalColumn(38, 10), DecimalColumn(38, 10)}), "decimal(38,20)");
}

TEST_F(FunctionsTest, ArithmeticShowsAsSparkShowsIt) {
  EXPECT_EQ(SqlOf("+", {Column(DataType::Integer()), IntLiteral(1)}), "(a + 1)");
  EXPECT_EQ(SqlOf("mod", {IntLiteral(2), IntLiteral(3)}), "mod(2, 3)");
  EXPECT_EQ(SqlOf("%", {IntLiteral(2), IntLiteral(3)}), "(2 % 3)");
  EXPECT_EQ(SqlOf("-", {Column(DataType::Integer())}), "(- a)");
  EXPECT_EQ(SqlOf("+", {Column(DataType::Date()), IntLiteral(7)}), "date_add(a, 7)");
  EXPECT_EQ(SqlOf("when", {BoolLiteral(true), IntLiteral(1), IntLiteral(2)}), "CASE WHEN true THEN 1 ELSE 2 END");
  EXPECT_EQ(SqlOf("in", {Column(DataType::Integer()), IntLiteral(1), IntLiteral(2)}), "(a IN (1, 2))");
  EXPECT_EQ(SqlOf("!=", {Column(DataType::Integer()), IntLiteral(1)}), "(NOT (a = 1))");
}

TEST_F(FunctionsTest, IntegersDivideToDouble) {
  EXPECT_EQ(TypeOf("/", {IntLiteral(3), IntLiteral(2)}), "double");
  EXPECT_EQ(TypeOf("div", {IntLiteral(3), IntLiteral(2)}), "bigint");
}

TEST_F(FunctionsTest, DatesAndIntervals) {
  auto day = DataType::DayTimeInterval(IntervalField::kDay, IntervalField::kDay);
  EXPECT_EQ(TypeOf("-", {Column(DataType::Date()), Column(DataType::Date())}), "interval day");
  EXPECT_EQ(TypeOf("+", {Column(DataType::Date()), Column(day)}), "date");
  EXPECT_EQ(TypeOf("+", {Column(DataType::Date()), Column(DataType::DayTimeInterval())}), "timestamp");
  EXPECT_EQ(TypeOf("-", {Column(DataType::Timestamp()), Column(DataType::Timestamp())}), "interval day to second");
  EXPECT_EQ(TypeOf("*", {Column(DataType::YearMonthInterval()), IntLiteral(2)}), "interval year to month");
  EXPECT_EQ(ErrorOf("+", {Column(DataType::Date()), Column(DataType::Long())}),
            "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE");
}

TEST_F(FunctionsTest, TextBesideNumbers) {
  EXPECT_EQ(TypeOf("+", {Column(DataType::String()), IntLiteral(1)}), "bigint");
  EXPECT_EQ(ErrorOf("+", {TextLiteral("1"), TextLiteral("2")}), "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE");
  settings_.ansi = false;
  EXPECT_EQ(TypeOf("+", {Column(DataType::String()), IntLiteral(1)}), "double");
  EXPECT_EQ(TypeOf("+", {TextLiteral("1"), TextLiteral("2")}), "double");
}

TEST_F(FunctionsTest, CommonTypes) {
  EXPECT_EQ(TypeOf("coalesce", {Column(DataType::Integer()), Column(DataType::Double())}), "double");
  EXPECT_EQ(TypeOf("coalesce", {Column(DataType::Date()), Column(DataType::Timestamp())}), "timestamp");
  EXPECT_EQ(TypeOf("array", {IntLiteral(1), LongLiteral(2)}), "array<bigint>");
  EXPECT_EQ(TypeOf("greatest", {IntLiteral(1), DecimalColumn(5, 2)}), "decimal(12,2)");
  EXPECT_EQ(ErrorOf("coalesce", {Column(DataType::Boolean()), Column(DataType::Date())}),
            "DATATYPE_MISMATCH.DATA_DIFF_TYPES");
}

TEST_F(FunctionsTest, WholeBoundsOfDecimalLiterals) {
  auto literal = MakeLiteral(DataType::Decimal(2, 1), Value(Decimal128{11}));
  EXPECT_EQ(SqlOf(">", {IntLiteral(2), literal}), "(2 > 1)");
  EXPECT_EQ(SqlOf("<", {IntLiteral(2), literal}), "(2 < 2)");
}

TEST_F(FunctionsTest, Aggregates) {
  EXPECT_EQ(TypeOf("sum", {Column(DataType::Integer())}), "bigint");
  EXPECT_EQ(TypeOf("sum", {DecimalColumn(10, 2)}), "decimal(20,2)");
  EXPECT_EQ(TypeOf("avg", {DecimalColumn(10, 2)}), "decimal(14,6)");
  EXPECT_EQ(TypeOf("avg", {Column(DataType::Long())}), "double");
  EXPECT_EQ(TypeOf("collect_list", {Column(DataType::Integer())}), "array<int>");
  EXPECT_EQ(SqlOf("array_agg", {Column(DataType::Integer())}), "collect_list(a)");
  EXPECT_EQ(
      SqlOf("percentile", {Column(DataType::Integer()), MakeLiteral(DataType::Decimal(1, 1), Value(Decimal128{3}))}),
      "percentile(a, 0.3, 1)");
  EXPECT_EQ(ErrorOf("sum", {Column(DataType::Boolean())}), "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE");
  EXPECT_EQ(ErrorOf("min", {Column(DataType::Map(DataType::String(), DataType::String()))}),
            "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE");
}

TEST_F(FunctionsTest, ArgumentCounts) {
  EXPECT_EQ(ErrorOf("upper", {}), "WRONG_NUM_ARGS.WITHOUT_SUGGESTION");
  EXPECT_EQ(ErrorOf("substring", {TextLiteral("a")}), "WRONG_NUM_ARGS.WITHOUT_SUGGESTION");
  EXPECT_EQ(SqlOf("substr", {TextLiteral("abc"), IntLiteral(2)}), "substr(abc, 2, 2147483647)");
}

TEST_F(FunctionsTest, RoundingOfDecimals) {
  EXPECT_EQ(TypeOf("round", {DecimalColumn(2, 1), IntLiteral(0)}), "decimal(2,0)");
  EXPECT_EQ(TypeOf("ceil", {DecimalColumn(1, 1)}), "decimal(1,0)");
  EXPECT_EQ(TypeOf("floor", {IntLiteral(5)}), "bigint");
  EXPECT_EQ(SqlOf("ceil", {Column(DataType::Double())}), "CEIL(a)");
}

TEST_F(FunctionsTest, SchemasFromText) {
  EXPECT_EQ((*ParseSchemaText("a INT, b DOUBLE"))->SimpleString(), "struct<a:int,b:double>");
  EXPECT_EQ((*ParseSchemaText("ARRAY<STRUCT<x: DECIMAL(5,2), y: MAP<STRING, INT>>>"))->SimpleString(),
            "array<struct<x:decimal(5,2),y:map<string,int>>>");
  EXPECT_EQ((*ParseSchemaText("time TIMESTAMP"))->SimpleString(), "struct<time:timestamp>");
  EXPECT_FALSE(ParseSchemaText("a INTEGERS").ok());
  EXPECT_EQ(ConstantText(*BindOk("schema_of_json", {TextLiteral("[{\"col\":0}]")})).value_or(""),
            "ARRAY<STRUCT<col: BIGINT>>");
}

TEST_F(FunctionsTest, EveryEntryIsDocumentedAndUnique) {
  std::map<std::string, int> names;
  for (const auto* function : AllFunctions()) {
    ++names[function->name];
    for (const auto& alias : function->aliases) ++names[alias];
    EXPECT_TRUE(function->bind != nullptr) << function->name;
  }
  for (const auto& [name, count] : names) EXPECT_EQ(count, 1) << name;
  EXPECT_GT(names.size(), 400u);
}

}  // namespace
}  // namespace frazil::functions
