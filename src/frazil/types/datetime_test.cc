#include "frazil/types/datetime.h"

#include <gtest/gtest.h>

#include "frazil/base/clock.h"

namespace frazil {
namespace {

std::string DateText(std::string_view text) {
  const auto days = ParseDate(text);
  return days ? FormatDate(*days) : "none";
}

std::string NtzText(std::string_view text, bool allow_zone = true) {
  const auto micros = ParseTimestampNtz(text, allow_zone);
  return micros ? FormatTimestampNtz(*micros) : "none";
}

std::string UtcText(std::string_view text, std::string_view zone = "UTC") {
  const auto micros = ParseTimestamp(text, **TimeZone::Find(zone));
  return micros ? FormatTimestampNtz(*micros) : "none";
}

TEST(DatetimeTest, Dates) {
  EXPECT_EQ(DateText("2024-01-31"), "2024-01-31");
  EXPECT_EQ(DateText(" 2024-1-1 "), "2024-01-01");
  EXPECT_EQ(DateText("2024"), "2024-01-01");
  EXPECT_EQ(DateText("2024-03"), "2024-03-01");
  EXPECT_EQ(DateText("2024-03-01T12:00:00"), "2024-03-01");
  EXPECT_EQ(DateText("2024-03-01 anything"), "2024-03-01");
  EXPECT_EQ(DateText("+12024-03-01"), "+12024-03-01");
  EXPECT_EQ(DateText("-0044-03-15"), "-0044-03-15");
  EXPECT_EQ(DateText("0000-01-01"), "0000-01-01");
  EXPECT_EQ(DateText("5881580-07-11"), "+5881580-07-11");
  EXPECT_EQ(DateText("-5877641-06-23"), "-5877641-06-23");
  for (const std::string_view bad : {"", " ", "24-01-01", "2024-13-01", "2024-02-30", "2024-01-001", "2024-01-01x",
                                     "2024/01/01", "20240101", "2024-", "2024--1", "2024-01-", "5881580-07-12",
                                     "12345678-01-01", "T", "abc", "2024-01 x", "2023-02-29", "-"}) {
    EXPECT_EQ(DateText(bad), "none") << bad;
  }
}

TEST(DatetimeTest, TimestampsWithoutZone) {
  EXPECT_EQ(NtzText("2024-01-31 12:34:56.789"), "2024-01-31 12:34:56.789");
  EXPECT_EQ(NtzText("2024-01-31T1:2:3"), "2024-01-31 01:02:03");
  EXPECT_EQ(NtzText("2024-01-31 12"), "2024-01-31 12:00:00");
  EXPECT_EQ(NtzText("2024-01-31 12:34"), "2024-01-31 12:34:00");
  EXPECT_EQ(NtzText("2024"), "2024-01-01 00:00:00");
  EXPECT_EQ(NtzText("2024-5"), "2024-05-01 00:00:00");
  EXPECT_EQ(NtzText("2024-01-31 00:00:00.1234567899"), "2024-01-31 00:00:00.123456");
  EXPECT_EQ(NtzText("2024-01-31 00:00:00."), "2024-01-31 00:00:00");
  EXPECT_EQ(NtzText("\t2024-01-31 00:00:00\n"), "2024-01-31 00:00:00");
  EXPECT_EQ(NtzText("-290308-12-21 19:59:05.224192"), "-290308-12-21 19:59:05.224192");
  EXPECT_EQ(NtzText("294247-01-10 04:00:54.775807"), "+294247-01-10 04:00:54.775807");
  EXPECT_EQ(NtzText("294247-01-10 04:00:54.775808"), "none");
  EXPECT_EQ(NtzText("2024-01-31 12:34:56+01:00"), "2024-01-31 12:34:56");
  EXPECT_EQ(NtzText("2024-01-31 12:34:56+01:00", false), "none");
  for (const std::string_view bad :
       {"", "12:34:56", "T12", "2024-01-31 24:00:00", "2024-01-31 12:60:00", "2024-01-31 12:00:60", "2024-01-31T",
        "2024-01-31 12:", "2024-01-31 12:34+01:00", "2024-01-31 12:34:56 Nowhere/Zone", "2024-01-31x12:00:00",
        "2024-01-31 123:00:00", "1234567-01-01", "2024-02-30 00:00:00", "2024-01-31 12:34:56.1.2"}) {
    EXPECT_EQ(NtzText(bad), "none") << bad;
  }
}

TEST(DatetimeTest, TimestampsWithZone) {
  EXPECT_EQ(UtcText("2024-01-31 12:00:00"), "2024-01-31 12:00:00");
  EXPECT_EQ(UtcText("2024-01-31 12:00:00", "America/Los_Angeles"), "2024-01-31 20:00:00");
  EXPECT_EQ(UtcText("2024-01-31 12:00:00Z", "America/Los_Angeles"), "2024-01-31 12:00:00");
  EXPECT_EQ(UtcText("2024-01-31 12:00:00.5 Europe/Berlin"), "2024-01-31 11:00:00.5");
  EXPECT_EQ(UtcText("2024-01-31T12:00:00-08:00"), "2024-01-31 20:00:00");
  EXPECT_EQ(UtcText("2024-01-31T12:00:00.123+8"), "2024-01-31 04:00:00.123");
  EXPECT_EQ(UtcText("2024-01-31T12:00:00.123 +7:30"), "2024-01-31 04:30:00.123");
  EXPECT_EQ(UtcText("2024-01-31 12:00:00UTC+1"), "2024-01-31 11:00:00");
  EXPECT_EQ(UtcText("2024-03-10 02:30:00", "America/Los_Angeles"), "2024-03-10 10:30:00");
  EXPECT_EQ(UtcText("2024-11-03 01:30:00", "America/Los_Angeles"), "2024-11-03 08:30:00");
  EXPECT_EQ(UtcText("2024-01-31", "America/Los_Angeles"), "2024-01-31 08:00:00");
  // In range only in that zone.
  EXPECT_EQ(UtcText("294247-01-10 05:00:54.775807+01:00"), "+294247-01-10 04:00:54.775807");
  EXPECT_EQ(UtcText("294247-01-10 04:00:54.775807-01:00"), "none");
}

TEST(DatetimeTest, TimeAloneIsToday) {
  const auto& utc = *TimeZone::Utc();
  const auto parsed = ParseTimestamp("T23:59:59.5", utc);
  ASSERT_TRUE(parsed.has_value());
  const int64_t day = FloorDivide(*parsed, kMicrosPerDay);
  EXPECT_LE(std::abs(day - FloorDivide(NowMicros(), kMicrosPerDay)), 1);
  EXPECT_EQ(*parsed - day * kMicrosPerDay, kMicrosPerDay - 500'000);
  EXPECT_TRUE(ParseTimestamp("1:2", utc).has_value());
  EXPECT_FALSE(ParseTimestamp(" T12", utc).has_value());
  EXPECT_FALSE(ParseTimestamp("+12:30", utc).has_value());
}

TEST(DatetimeTest, Times) {
  const auto text = [](std::string_view time) {
    const auto micros = ParseTime(time);
    return micros ? FormatTime(*micros) : "none";
  };
  EXPECT_EQ(text("12:34:56.789"), "12:34:56.789");
  EXPECT_EQ(text("1:2"), "01:02:00");
  EXPECT_EQ(text("T5"), "05:00:00");
  EXPECT_EQ(text("12:00:00 AM"), "00:00:00");
  EXPECT_EQ(text("12:30 pm"), "12:30:00");
  EXPECT_EQ(text("11:59:59.999999PM"), "23:59:59.999999");
  EXPECT_EQ(text("0:30 AM"), "none");
  EXPECT_EQ(text("13:00 PM"), "none");
  EXPECT_EQ(text("24:00:00"), "none");
  EXPECT_EQ(text("12:00:00+01:00"), "none");
  EXPECT_EQ(text("2024-01-01 12:00:00"), "none");
}

TEST(DatetimeTest, SpecialWords) {
  const auto zone = *TimeZone::Find("Pacific/Kiritimati");
  EXPECT_EQ(ParseSpecialDate(" Epoch ", *zone), 0);
  const auto today = ParseSpecialDate("today", *zone);
  ASSERT_TRUE(today.has_value());
  EXPECT_EQ(*ParseSpecialDate("TOMORROW", *zone) - *ParseSpecialDate("yesterday", *zone), 2);
  EXPECT_TRUE(ParseSpecialDate("today UTC", *zone).has_value());
  EXPECT_FALSE(ParseSpecialDate("today Nowhere/Zone", *zone).has_value());
  EXPECT_FALSE(ParseSpecialDate("now UTC", *zone).has_value());
  EXPECT_FALSE(ParseSpecialDate("2024-01-01", *zone).has_value());
  EXPECT_FALSE(ParseSpecialDate("someday", *zone).has_value());
  EXPECT_EQ(ParseSpecialTimestamp("epoch", *zone), 0);
  EXPECT_LE(std::abs(*ParseSpecialTimestamp("now", *zone) - NowMicros()), 60 * kMicrosPerSecond);
  EXPECT_EQ(FloorModulo(*ParseSpecialTimestamp("today", *zone), kMicrosPerDay), 10 * kMicrosPerHour);
  EXPECT_EQ(FloorModulo(*ParseSpecialTimestampNtz("tomorrow", *zone), kMicrosPerDay), 0);
}

TEST(DatetimeTest, DatesOfTimestamps) {
  const auto zone = *TimeZone::Find("America/Los_Angeles");
  EXPECT_EQ(DateOfTimestamp(0, *zone), -1);
  EXPECT_EQ(TimestampOfDate(0, *zone), 8 * kMicrosPerHour);
  // Midnight is left out on that day.
  EXPECT_EQ(TimestampOfDate(static_cast<int32_t>(DaysFromCivil(2018, 11, 4)), **TimeZone::Find("America/Sao_Paulo")),
            DaysFromCivil(2018, 11, 4) * kMicrosPerDay + 3 * kMicrosPerHour);
}

}  // namespace
}  // namespace frazil
