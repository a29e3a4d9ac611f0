#include "frazil/types/value.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "frazil/types/float_text.h"

namespace frazil {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(FloatTextTest, DoublesAsJava) {
  const std::pair<double, std::string> cases[] = {
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {1.0, "1.0"},
      {-1.5, "-1.5"},
      {100.0, "100.0"},
      {0.1, "0.1"},
      {0.001, "0.001"},
      {0.00123, "0.00123"},
      {0.0009, "9.0E-4"},
      {9999999.0, "9999999.0"},
      {10000000.0, "1.0E7"},
      {12345678.9, "1.23456789E7"},
      {1.0E10, "1.0E10"},
      {123456789012345680.0, "1.2345678901234568E17"},
      {3.141592653589793, "3.141592653589793"},
      {1.0E-5, "1.0E-5"},
      {4.9E-324, "4.9E-324"},
      {1.7976931348623157E308, "1.7976931348623157E308"},
      {2.2250738585072014E-308, "2.2250738585072014E-308"},
      {9007199254740993.0, "9.007199254740992E15"},
      {kInfinity, "Infinity"},
      {-kInfinity, "-Infinity"},
      {std::nan(""), "NaN"},
  };
  for (const auto& [value, text] : cases) EXPECT_EQ(DoubleToString(value), text);
}

TEST(FloatTextTest, FloatsAsJava) {
  EXPECT_EQ(FloatToString(1.1f), "1.1");
  EXPECT_EQ(FloatToString(16777216.0f), "1.6777216E7");
  EXPECT_EQ(FloatToString(1.4E-45f), "1.4E-45");
  EXPECT_EQ(FloatToString(3.4028235E38f), "3.4028235E38");
  EXPECT_EQ(FloatToString(0.3f), "0.3");
}

TEST(ValueTest, Texts) {
  EXPECT_EQ(ValueToString(*DataType::Integer(), Value()), "null");
  EXPECT_EQ(ValueToString(*DataType::Boolean(), Value(true)), "true");
  EXPECT_EQ(ValueToString(*DataType::Decimal(10, 2), Value(Decimal128{150})), "1.50");
  EXPECT_EQ(ValueToString(*DataType::Decimal(10, 8), Value(Decimal128{1})), "0.00000001");
  EXPECT_EQ(ValueToString(*DataType::Date(), Value(19753)), "2024-01-31");
  EXPECT_EQ(ValueToString(*DataType::Timestamp(), Value(int64_t{1'706'700'000'500'000}), "America/Los_Angeles"),
            "2024-01-31 03:20:00.5");
  EXPECT_EQ(ValueToString(*DataType::TimestampNtz(), Value(int64_t{-1}), "America/Los_Angeles"),
            "1969-12-31 23:59:59.999999");
  EXPECT_EQ(ValueToString(*DataType::Time(), Value(int64_t{3'661'000'100})), "01:01:01.0001");
  EXPECT_EQ(ValueToString(*DataType::YearMonthInterval(), Value(14)), "INTERVAL '1-2' YEAR TO MONTH");
  EXPECT_EQ(ValueToString(*DataType::DayTimeInterval(), Value(int64_t{90'061'000'000})),
            "INTERVAL '1 01:01:01' DAY TO SECOND");
  EXPECT_EQ(ValueToString(*DataType::CalendarInterval(), Value(CalendarIntervalValue{14, -3, 1'500'000})),
            "1 years 2 months -3 days 1.5 seconds");
}

TEST(ValueTest, NestedTexts) {
  const auto type = DataType::Struct({StructField("a", DataType::Array(DataType::Integer())),
                                      StructField("m", DataType::Map(DataType::String(), DataType::Double())),
                                      StructField("n", DataType::Long())});
  const Value value(Value::List{Value(Value::List{Value(1), Value(), Value(3)}),
                                Value(Value::List{Value("k"), Value(1.5), Value("l"), Value()}), Value()});
  EXPECT_EQ(ValueToString(*type, value), "{[1, null, 3], {k -> 1.5, l -> null}, null}");
  EXPECT_EQ(ValueToString(*DataType::Array(DataType::Integer()), Value(Value::List{})), "[]");
}

TEST(ValueTest, LiteralsInColumnNames) {
  EXPECT_EQ(LiteralSql(*DataType::Null(), Value()), "NULL");
  EXPECT_EQ(LiteralSql(*DataType::Integer(), Value()), "NULL");
  EXPECT_EQ(LiteralSql(*DataType::Long(), Value(1)), "1");
  EXPECT_EQ(LiteralSql(*DataType::Double(), Value(1.0)), "1.0");
  EXPECT_EQ(LiteralSql(*DataType::Decimal(10, 2), Value(Decimal128{100})), "1.00");
  EXPECT_EQ(LiteralSql(*DataType::String(), Value("it's")), "it's");
  EXPECT_EQ(LiteralSql(*DataType::Boolean(), Value(false)), "false");
  EXPECT_EQ(LiteralSql(*DataType::Binary(), Value("\x01\xAB")), "X'01AB'");
  EXPECT_EQ(LiteralSql(*DataType::Date(), Value(0)), "DATE '1970-01-01'");
  EXPECT_EQ(LiteralSql(*DataType::Timestamp(), Value(0), "+01:00"), "TIMESTAMP '1970-01-01 01:00:00'");
  EXPECT_EQ(LiteralSql(*DataType::TimestampNtz(), Value(0)), "TIMESTAMP_NTZ '1970-01-01 00:00:00'");
  EXPECT_EQ(
      LiteralSql(*DataType::DayTimeInterval(IntervalField::kDay, IntervalField::kDay), Value(int64_t{86'400'000'000})),
      "INTERVAL '1' DAY");
  EXPECT_EQ(LiteralSql(*DataType::CalendarInterval(), Value(CalendarIntervalValue{0, 1, 0})), "INTERVAL '1 days'");
}

TEST(ValueTest, QuotedLiterals) {
  EXPECT_EQ(QuotedLiteralSql(*DataType::Integer(), Value(1)), "1");
  EXPECT_EQ(QuotedLiteralSql(*DataType::Byte(), Value(1)), "1Y");
  EXPECT_EQ(QuotedLiteralSql(*DataType::Short(), Value(1)), "1S");
  EXPECT_EQ(QuotedLiteralSql(*DataType::Long(), Value(1)), "1L");
  EXPECT_EQ(QuotedLiteralSql(*DataType::Double(), Value(1.5)), "1.5D");
  EXPECT_EQ(QuotedLiteralSql(*DataType::Double(), Value(kInfinity)), "CAST('Infinity' AS DOUBLE)");
  EXPECT_EQ(QuotedLiteralSql(*DataType::Float(), Value(1.5f)), "CAST('1.5' AS FLOAT)");
  EXPECT_EQ(QuotedLiteralSql(*DataType::Decimal(3, 1), Value(Decimal128{15})), "1.5BD");
  EXPECT_EQ(QuotedLiteralSql(*DataType::String(), Value("a\\'b")), "'a\\\\\\'b'");
  EXPECT_EQ(QuotedLiteralSql(*DataType::Integer(), Value()), "CAST(NULL AS INT)");
  EXPECT_EQ(QuotedLiteralSql(*DataType::Array(DataType::Long()), Value(Value::List{Value(1), Value()})),
            "ARRAY(1L, CAST(NULL AS BIGINT))");
  EXPECT_EQ(QuotedLiteralSql(*DataType::Map(DataType::String(), DataType::Integer()),
                             Value(Value::List{Value("a"), Value(1)})),
            "MAP('a', 1)");
  EXPECT_EQ(QuotedLiteralSql(*DataType::Struct({StructField("x", DataType::String())}), Value(Value::List{Value("a")})),
            "NAMED_STRUCT('x', 'a')");
}

TEST(ValueTest, Order) {
  EXPECT_LT(CompareValues(*DataType::Long(), Value(1), Value(2)), 0);
  EXPECT_GT(CompareValues(*DataType::Double(), Value(std::nan("")), Value(kInfinity)), 0);
  EXPECT_EQ(CompareValues(*DataType::Double(), Value(std::nan("")), Value(std::nan(""))), 0);
  EXPECT_EQ(CompareValues(*DataType::Double(), Value(0.0), Value(-0.0)), 0);
  EXPECT_LT(CompareValues(*DataType::Float(), Value(1.0f), Value(std::nanf(""))), 0);
  EXPECT_GT(CompareValues(*DataType::String(), Value("\xC3\xA4"), Value("z")), 0);  // bytes are unsigned
  EXPECT_LT(CompareValues(*DataType::String(), Value("a"), Value("ab")), 0);
  EXPECT_LT(CompareValues(*DataType::Decimal(5, 2), Value(Decimal128{-1}), Value(Decimal128{0})), 0);
  const auto array = DataType::Array(DataType::Integer());
  EXPECT_LT(CompareValues(*array, Value(Value::List{Value()}), Value(Value::List{Value(0)})), 0);
  EXPECT_LT(CompareValues(*array, Value(Value::List{Value(1)}), Value(Value::List{Value(1), Value(0)})), 0);
  const auto row = DataType::Struct({StructField("a", DataType::Integer()), StructField("b", DataType::String())});
  EXPECT_GT(CompareValues(*row, Value(Value::List{Value(1), Value("b")}), Value(Value::List{Value(1), Value("a")})), 0);
}

}  // namespace
}  // namespace frazil
