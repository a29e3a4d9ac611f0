#include "frazil/types/interval.h"

#include <gtest/gtest.h>

namespace frazil {
namespace {

using enum IntervalField;

std::string YearMonth(int64_t months, IntervalField start = kYear, IntervalField end = kMonth) {
  return YearMonthIntervalToString(months, start, end);
}
std::string DayTime(int64_t micros, IntervalField start = kDay, IntervalField end = kSecond) {
  return DayTimeIntervalToString(micros, start, end);
}

TEST(IntervalTest, YearMonthTexts) {
  EXPECT_EQ(YearMonth(0), "INTERVAL '0-0' YEAR TO MONTH");
  EXPECT_EQ(YearMonth(-13), "INTERVAL '-1-1' YEAR TO MONTH");
  EXPECT_EQ(YearMonth(-1), "INTERVAL '-0-1' YEAR TO MONTH");
  EXPECT_EQ(YearMonth(24, kYear, kYear), "INTERVAL '2' YEAR");
  EXPECT_EQ(YearMonth(-14, kMonth, kMonth), "INTERVAL '-14' MONTH");
  EXPECT_EQ(YearMonth(INT32_MIN), "INTERVAL '-178956970-8' YEAR TO MONTH");
  EXPECT_EQ(YearMonthIntervalToString(-13, kYear, kMonth, IntervalStyle::kHive), "-1-1");
}

TEST(IntervalTest, DayTimeTexts) {
  EXPECT_EQ(DayTime(0), "INTERVAL '0 00:00:00' DAY TO SECOND");
  EXPECT_EQ(DayTime(-1), "INTERVAL '-0 00:00:00.000001' DAY TO SECOND");
  EXPECT_EQ(DayTime(93'784'005'060), "INTERVAL '1 02:03:04.00506' DAY TO SECOND");
  EXPECT_EQ(DayTime(93'784'005'060, kDay, kDay), "INTERVAL '1' DAY");
  EXPECT_EQ(DayTime(93'784'005'060, kDay, kHour), "INTERVAL '1 02' DAY TO HOUR");
  EXPECT_EQ(DayTime(93'784'005'060, kHour, kMinute), "INTERVAL '26:03' HOUR TO MINUTE");
  EXPECT_EQ(DayTime(93'784'005'060, kMinute, kSecond), "INTERVAL '1563:04.00506' MINUTE TO SECOND");
  EXPECT_EQ(DayTime(93'784'005'060, kSecond, kSecond), "INTERVAL '93784.00506' SECOND");
  EXPECT_EQ(DayTime(5'000'000, kSecond, kSecond), "INTERVAL '05' SECOND");
  EXPECT_EQ(DayTime(3'600'000'000, kHour, kHour), "INTERVAL '01' HOUR");
  EXPECT_EQ(DayTime(INT64_MIN), "INTERVAL '-106751991 04:00:54.775808' DAY TO SECOND");
  EXPECT_EQ(DayTime(INT64_MIN, kSecond, kSecond), "INTERVAL '-9223372036854.775808' SECOND");
  EXPECT_EQ(DayTime(INT64_MIN, kHour, kMinute), "INTERVAL '-2562047788:00' HOUR TO MINUTE");
  EXPECT_EQ(DayTimeIntervalToString(INT64_MIN, kDay, kSecond, IntervalStyle::kHive), "-106751991 04:00:54.775808000");
  EXPECT_EQ(DayTimeIntervalToString(1'500'000, kDay, kSecond, IntervalStyle::kHive), "0 00:00:01.500000000");
}

TEST(IntervalTest, CalendarTexts) {
  EXPECT_EQ(CalendarIntervalToString({0, 0, 0}), "0 seconds");
  EXPECT_EQ(CalendarIntervalToString({-14, 3, 3'661'000'001}),
            "-1 years -2 months 3 days 1 hours 1 minutes 1.000001 seconds");
  EXPECT_EQ(CalendarIntervalToString({0, 0, -500'000}), "-0.5 seconds");
  EXPECT_EQ(CalendarIntervalToString({0, 0, INT64_MIN}), "-2562047788 hours -54.775808 seconds");
  EXPECT_EQ(CalendarIntervalToString({12, 0, 0}), "1 years");
}

TEST(IntervalTest, ParseYearMonth) {
  const auto parse = [](std::string_view text, IntervalField start = kYear, IntervalField end = kMonth) {
    return ParseYearMonthInterval(text, start, end);
  };
  EXPECT_EQ(*parse(" 1-2 "), 14);
  EXPECT_EQ(*parse("-1-2"), -14);
  EXPECT_EQ(*parse("+0-11"), 11);
  EXPECT_EQ(*parse("INTERVAL '1-2' YEAR TO MONTH"), 14);
  EXPECT_EQ(*parse("interval  -'-1-2' year  to month"), 14);
  EXPECT_EQ(*parse("3", kYear, kYear), 36);
  EXPECT_EQ(*parse("-3", kMonth, kMonth), -3);
  EXPECT_EQ(*parse("INTERVAL '3' YEAR", kYear, kYear), 36);
  EXPECT_EQ(*parse("-178956970-8"), INT32_MIN);
  EXPECT_EQ(parse("178956970-8").error().condition, "INVALID_INTERVAL_FORMAT.INTERVAL_PARSING");
  EXPECT_EQ(parse("1-12").error().condition, "INVALID_INTERVAL_FORMAT.INTERVAL_PARSING");
  EXPECT_EQ(parse("178956971", kYear, kYear).error().condition, "INVALID_INTERVAL_FORMAT.INTERVAL_PARSING");
  for (const std::string_view bad : {"", "1", "1-", "-", "1-2-3", "1-x", "INTERVAL '1-2' YEAR", "INTERVAL '1-2'",
                                     "INTERVAL 1-2 YEAR TO MONTH", "INTERVAL '1-2' YEAR TO MONTH x", "1 2"}) {
    ASSERT_FALSE(parse(bad).ok()) << bad;
    EXPECT_EQ(parse(bad).error().condition, "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING") << bad;
  }
  EXPECT_NE(parse("x").error().message.find("`[+|-]y-m`, `INTERVAL [+|-]'[+|-]y-m' YEAR TO MONTH`"), std::string::npos)
      << parse("x").error().message;
}

TEST(IntervalTest, ParseDayTime) {
  const auto parse = [](std::string_view text, IntervalField start = kDay, IntervalField end = kSecond) {
    return ParseDayTimeInterval(text, start, end);
  };
  EXPECT_EQ(*parse("1 02:03:04.00506"), 93'784'005'060);
  EXPECT_EQ(*parse("-1 02:03:04"), -93'784'000'000);
  EXPECT_EQ(*parse("INTERVAL -'1 02:03:04' DAY TO SECOND"), -93'784'000'000);
  EXPECT_EQ(*parse("0 0:0:0.123456789"), 123'456);
  EXPECT_EQ(*parse("-0.5", kSecond, kSecond), -500'000);
  EXPECT_EQ(*parse("26:03", kHour, kMinute), 93'780'000'000);
  EXPECT_EQ(*parse("1 2", kDay, kHour), 93'600'000'000);
  EXPECT_EQ(*parse("100:5", kMinute, kSecond), 6'005'000'000);
  EXPECT_EQ(*parse("7", kDay, kDay), 604'800'000'000);
  EXPECT_EQ(*parse("interval '90' minute", kMinute, kMinute), 5'400'000'000);
  EXPECT_EQ(*parse("-106751991 04:00:54.775808"), INT64_MIN);
  EXPECT_FALSE(parse("106751991 04:00:54.775808").ok());
  EXPECT_EQ(parse("1 24:00:00").error().message, "requirement failed: hour 24 outside range [0, 23]");
  EXPECT_EQ(parse("106751992 04", kDay, kHour).error().message,
            "requirement failed: day 106751992 outside range [0, 106751991]");
  EXPECT_EQ(parse("999999999", kDay, kDay).error().condition, "INVALID_INTERVAL_FORMAT.INTERVAL_PARSING");
  for (const std::string_view bad :
       {"", "1", "1 02", "1 02:03", "1 02:03:04.", "1 02:03:04.1234567890", "1 002:03:04", "1  02:03:04", "1 02:03:04x",
        "INTERVAL '1 02:03' DAY TO MINUTE", "1234567890 00:00:00", "a"}) {
    ASSERT_FALSE(parse(bad).ok()) << bad;
    EXPECT_EQ(parse(bad).error().condition, "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING_WITH_NOTICE") << bad;
  }
  EXPECT_FALSE(parse("1.5", kDay, kDay).ok());
}

TEST(IntervalTest, ParseCalendar) {
  const auto parse = [](std::string_view text) { return ParseCalendarInterval(text); };
  EXPECT_EQ(*parse("interval 1 year 2 months -3 days 4 hours 5 minutes 6.789 seconds"),
            (CalendarIntervalValue{14, -3, 14'706'789'000}));
  EXPECT_EQ(*parse("  INTERVAL 1 Week "), (CalendarIntervalValue{0, 7, 0}));
  EXPECT_EQ(*parse("- 1 day + 2 days"), (CalendarIntervalValue{0, 1, 0}));
  EXPECT_EQ(*parse(".5 second"), (CalendarIntervalValue{0, 0, 500'000}));
  EXPECT_EQ(*parse("-.5 seconds"), (CalendarIntervalValue{0, 0, -500'000}));
  EXPECT_EQ(*parse("1. second"), (CalendarIntervalValue{0, 0, 1'000'000}));
  EXPECT_EQ(*parse("3 milliseconds 4 microsecond"), (CalendarIntervalValue{0, 0, 3'004}));
  EXPECT_EQ(*parse("0.999999999 seconds"), (CalendarIntervalValue{0, 0, 999'999}));
  const std::pair<std::string_view, std::string_view> errors[] = {
      {"", "INPUT_IS_EMPTY"},
      {"interval", "INPUT_IS_EMPTY"},
      {"intervalx 1 day", "INVALID_PREFIX"},
      {"one day", "UNRECOGNIZED_NUMBER"},
      {"1x day", "INVALID_VALUE"},
      {"1 foo", "INVALID_UNIT"},
      {"1 dayx", "INVALID_UNIT"},
      {"1 dayss", "INVALID_UNIT"},
      {"1.5 days", "INVALID_FRACTION"},
      {"1.0123456789 seconds", "INVALID_PRECISION"},
      {"1", "MISSING_UNIT"},
      {"-", "MISSING_NUMBER"},
      {"3000000000 months", "ARITHMETIC_EXCEPTION"},
      {"99999999999999999999 days", "ARITHMETIC_EXCEPTION"},
      {"9223372036854775807 hours", "ARITHMETIC_EXCEPTION"},
  };
  for (const auto& [text, kind] : errors) {
    const auto interval = parse(text);
    ASSERT_FALSE(interval.ok()) << text;
    EXPECT_EQ(interval.error().condition, "INVALID_INTERVAL_FORMAT." + std::string(kind)) << text;
  }
}

TEST(IntervalTest, FieldNames) {
  EXPECT_EQ(IntervalFieldByName("DAYS"), kDay);
  EXPECT_EQ(IntervalFieldByName("second"), kSecond);
  EXPECT_FALSE(IntervalFieldByName("week").has_value());
  EXPECT_FALSE(IntervalFieldByName("s").has_value());
}

}  // namespace
}  // namespace frazil
