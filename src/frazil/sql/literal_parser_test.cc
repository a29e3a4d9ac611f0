// Literals: the types and values that they stand for.

#include <gtest/gtest.h>

#include "frazil/sql/parser_testing.h"

namespace frazil::sql {
namespace {

using testing::Expression;

TEST(LiteralParser, ReadsNumbers) {
  EXPECT_EQ(Expression("2147483648"), "bigint(2147483648)");
  EXPECT_EQ(Expression("9223372036854775808"), "decimal(19,0)(9223372036854775808)");
  EXPECT_EQ(Expression("-2147483648"), "int(-2147483648)");
  EXPECT_EQ(Expression("1.5"), "decimal(2,1)(1.5)");
  EXPECT_EQ(Expression("0.05"), "decimal(2,2)(0.05)");
  EXPECT_EQ(Expression("1e3"), "double(1000.0)");
  EXPECT_EQ(Expression("1.5BD"), "decimal(2,1)(1.5)");
  EXPECT_EQ(Expression("1e3BD"), "decimal(4,0)(1000)");
  EXPECT_EQ(Expression("1L"), "bigint(1)");
  EXPECT_EQ(Expression("12Y"), "tinyint(12)");
  EXPECT_EQ(Expression("1.0F"), "float(1.0)");
  EXPECT_EQ(Expression("1S"), "smallint(1)");
  EXPECT_EQ(Expression("40000S"), "error INVALID_NUMERIC_LITERAL_RANGE");
  EXPECT_EQ(Expression("300Y"), "error INVALID_NUMERIC_LITERAL_RANGE");
  EXPECT_EQ(Expression("1e400"), "error INVALID_NUMERIC_LITERAL_RANGE");
  EXPECT_EQ(Expression("1.5e2"), "double(150.0)");
  EXPECT_EQ(Expression("1.5e-2BD"), "decimal(3,3)(0.015)");
  EXPECT_EQ(Expression("9223372036854775808L"), "error INVALID_NUMERIC_LITERAL_RANGE");
  EXPECT_EQ(Expression("12345678901234567890123456789012345678"),
            "decimal(38,0)(12345678901234567890123456789012345678)");
  EXPECT_EQ(Expression("123456789012345678901234567890123456789"), "error DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION");
  EXPECT_EQ(Expression(".5"), "decimal(1,1)(0.5)");
  EXPECT_EQ(Expression("1."), "decimal(1,0)(1)");
  EXPECT_EQ(Expression("00.50"), "decimal(2,2)(0.50)");
  EXPECT_EQ(Expression("1.2E3D"), "double(1200.0)");
  EXPECT_EQ(Expression("1BD"), "decimal(1,0)(1)");
  EXPECT_EQ(Expression("3.5F"), "float(3.5)");
  EXPECT_EQ(Expression("1e39F"), "error INVALID_NUMERIC_LITERAL_RANGE");
  EXPECT_EQ(Expression("1_000"), "1_000");
  EXPECT_EQ(Expression("-5L"), "bigint(-5)");
  EXPECT_EQ(Expression("- 5"), "int(-5)");
  EXPECT_EQ(Expression("-(5)"), "negative(int(5))");
}

TEST(LiteralParser, ReadsStrings) {
  EXPECT_EQ(Expression("'a' 'b'"), "string(ab)");
  EXPECT_EQ(Expression("'it''s'"), "string(it's)");
  EXPECT_EQ(Expression("r'a\\nb'"), "string(a\\nb)");
  EXPECT_EQ(Expression("'a\\nb\\u0041\\x\\%'"), "string(a\nbAx\\%)");
  EXPECT_EQ(Expression("\"dq\""), "string(dq)");
  EXPECT_EQ(Expression("'a\\\\b'"), "string(a\\b)");
  EXPECT_EQ(Expression("'\\u00e9\\U0001F600'"), "string(é😀)");
  EXPECT_EQ(Expression("'\\101\\1'"), "string(A1)");
  EXPECT_EQ(Expression("'\\'x\\''"), "string('x')");
  EXPECT_EQ(Expression("R\"a\\n\""), "string(a\\n)");
  EXPECT_EQ(Expression("\"say \"\"hi\"\"\""), "string(say \"hi\")");
  EXPECT_EQ(Expression("''"), "string()");
  EXPECT_EQ(Expression("'é'"), "string(é)");
}

TEST(LiteralParser, ReadsTypedLiterals) {
  EXPECT_EQ(Expression("date '2024-01-31'"), "date(2024-01-31)");
  EXPECT_EQ(Expression("timestamp '2024-01-31 10:00:00'"), "timestamp(2024-01-31 10:00:00)");
  EXPECT_EQ(Expression("TIMESTAMP_NTZ'2024-01-31 10:00:00'"), "timestamp_ntz(2024-01-31 10:00:00)");
  EXPECT_EQ(Expression("time '12:30:00.5'"), "time(6)(12:30:00.5)");
  EXPECT_EQ(Expression("date 'x'"), "error INVALID_TYPED_LITERAL");
  EXPECT_EQ(Expression("date '2024'"), "date(2024-01-01)");
  EXPECT_EQ(Expression("timestamp '2024-01-01T00:00:00+01:00'"), "timestamp(2023-12-31 23:00:00)");
  EXPECT_EQ(Expression("timestamp_ltz '2024-01-01'"), "timestamp(2024-01-01 00:00:00)");
  EXPECT_EQ(Expression("foo 'x'"), "error UNSUPPORTED_TYPED_LITERAL");
  EXPECT_EQ(Expression("null"), "null");
  EXPECT_EQ(Expression("true"), "boolean(true)");
  EXPECT_EQ(Expression("FALSE"), "boolean(false)");
  EXPECT_EQ(Expression("x'0g'"), "error INVALID_TYPED_LITERAL");
}

TEST(LiteralParser, ReadsIntervals) {
  EXPECT_EQ(Expression("interval 1 day"), "interval day(INTERVAL '1' DAY)");
  EXPECT_EQ(Expression("interval '1-2' year to month"), "interval year to month(INTERVAL '1-2' YEAR TO MONTH)");
  EXPECT_EQ(Expression("interval '1' day '2' hour"), "interval day to hour(INTERVAL '1 02' DAY TO HOUR)");
  EXPECT_EQ(Expression("interval -'3 04:05:06' day to second"),
            "interval day to second(INTERVAL '-3 04:05:06' DAY TO SECOND)");
  EXPECT_EQ(Expression("interval '1 day 2 hours'"), "interval day to hour(INTERVAL '1 02' DAY TO HOUR)");
  EXPECT_EQ(Expression("interval 2 weeks 3 minutes"), "interval day to minute(INTERVAL '14 00:03' DAY TO MINUTE)");
  EXPECT_EQ(Expression("interval 1 year 2 days"), "error _LEGACY_ERROR_TEMP_0029");
  EXPECT_EQ(Expression("INTERVAL - 2 DAY"), "interval day(INTERVAL '-2' DAY)");
  EXPECT_EQ(Expression("interval 1 year 3 months"), "interval year to month(INTERVAL '1-3' YEAR TO MONTH)");
  EXPECT_EQ(Expression("interval '1' year"), "interval year(INTERVAL '1' YEAR)");
  EXPECT_EQ(Expression("interval 1.5 seconds"), "interval second(INTERVAL '01.5' SECOND)");
  EXPECT_EQ(Expression("interval 1.5 days"), "error INVALID_INTERVAL_FORMAT.INVALID_FRACTION");
  EXPECT_EQ(Expression("interval '10:20' hour to minute"), "interval hour to minute(INTERVAL '10:20' HOUR TO MINUTE)");
  EXPECT_EQ(Expression("interval '1' month to day"), "error INVALID_INTERVAL_FORMAT.UNSUPPORTED_FROM_TO_EXPRESSION");
  EXPECT_EQ(Expression("interval 1 day to hour"), "error _LEGACY_ERROR_TEMP_0027");
  EXPECT_EQ(Expression("interval '1 x' day"), "error _LEGACY_ERROR_TEMP_0026");
  EXPECT_EQ(Expression("interval 1 foo"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Expression("interval 'x'"), "error INVALID_TYPED_LITERAL");
  EXPECT_EQ(Expression("interval -1 day +2 hours"), "interval day to hour(INTERVAL '-0 22' DAY TO HOUR)");
  EXPECT_EQ(Expression("interval '-1' day"), "interval day(INTERVAL '-1' DAY)");
}

}  // namespace
}  // namespace frazil::sql
