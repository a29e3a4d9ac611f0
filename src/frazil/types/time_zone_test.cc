#include "frazil/types/time_zone.h"

#include <thread>

#include <gtest/gtest.h>

#include "frazil/types/calendar.h"
#include "frazil/types/local_time_zone.h"
#include "frazil/types/time_zone_rule_internal.h"

namespace frazil {
namespace {

std::shared_ptr<const TimeZone> Zone(std::string_view name) {
  auto zone = TimeZone::Find(name);
  EXPECT_TRUE(zone.ok()) << name;
  return zone.ok() ? *zone : TimeZone::Utc();
}

int64_t Seconds(int64_t year, int month, int day, int hour = 0, int minute = 0) {
  return DaysFromCivil(year, month, day) * kSecondsPerDay + hour * 3600 + minute * 60;
}

TEST(TimeZoneTest, FixedOffsets) {
  const std::pair<std::string_view, int> offsets[] = {
      {"Z", 0},
      {"UTC", 0},
      {"GMT", 0},
      {"UT", 0},
      {"+01:00", 3600},
      {"-08:00", -28800},
      {"+1", 3600},
      {"+18", 64800},
      {"-18:00", -64800},
      {"+0130", 5400},
      {"+01:30:15", 5415},
      {"+013015", 5415},
      {"+1:30", 5400},
      {"+01:3", 3780},
      {"UTC+1", 3600},
      {"GMT-8:00", -28800},
      {"UT+05:30", 19800},
      {"EST", -18000},
      {"MST", -25200},
      {"HST", -36000},
  };
  for (const auto& [name, offset] : offsets) {
    const auto zone = Zone(name);
    EXPECT_TRUE(zone->is_fixed()) << name;
    EXPECT_EQ(zone->OffsetAt(0), offset) << name;
    EXPECT_EQ(zone->OffsetAtLocal(1'000'000'000), offset) << name;
  }
  EXPECT_EQ(Zone("+1")->name(), "+01:00");
  EXPECT_EQ(Zone("+00:00")->name(), "Z");
  EXPECT_EQ(Zone("GMT+2")->name(), "GMT+02:00");
}

TEST(TimeZoneTest, UnknownNames) {
  for (const std::string_view name : {"",
                                      "X",
                                      "Europe/Nowhere",
                                      "+19",
                                      "+18:01",
                                      "+1:60",
                                      "UTC+",
                                      "UTC+25",
                                      "+1:2:3",
                                      "../../etc/passwd",
                                      "Europe",
                                      "europe/berlin",
                                      "posix/Europe/Berlin",
                                      "right/UTC",
                                      "zone.tab",
                                      "tzdata.zi",
                                      "1+",
                                      "+",
                                      "Europe/../Europe/Berlin",
                                      "foo bar"}) {
    const auto zone = TimeZone::Find(name);
    ASSERT_FALSE(zone.ok()) << name;
    EXPECT_EQ(zone.error().condition, "INVALID_TIMEZONE");
  }
}

TEST(TimeZoneTest, Regions) {
  const auto berlin = Zone("Europe/Berlin");
  EXPECT_FALSE(berlin->is_fixed());
  EXPECT_EQ(berlin->name(), "Europe/Berlin");
  EXPECT_EQ(berlin->OffsetAt(Seconds(2024, 1, 1)), 3600);
  EXPECT_EQ(berlin->OffsetAt(Seconds(2024, 7, 1)), 7200);
  EXPECT_EQ(berlin->AbbreviationAt(Seconds(2024, 7, 1)), "CEST");
  EXPECT_TRUE(berlin->IsDaylightAt(Seconds(2024, 7, 1)));
  EXPECT_FALSE(berlin->IsDaylightAt(Seconds(2024, 12, 1)));
  EXPECT_EQ(berlin->OffsetAt(Seconds(1800, 1, 1)), 3208);  // local mean time
  EXPECT_EQ(Zone("Asia/Kolkata")->OffsetAt(Seconds(2024, 1, 1)), 19800);
  EXPECT_EQ(Zone("PST")->OffsetAt(Seconds(2024, 7, 1)), -25200);
  EXPECT_EQ(Zone("America/Los_Angeles")->OffsetAt(Seconds(1883, 11, 18)), -28378);
}

TEST(TimeZoneTest, GapMovesForwardAndOverlapTakesTheEarlierInstant) {
  const auto los_angeles = Zone("America/Los_Angeles");
  // 2024-03-10 02:00 does not exist; 02:30 is 03:30 PDT.
  EXPECT_EQ(los_angeles->OffsetAtLocal(Seconds(2024, 3, 10, 1, 59)), -28800);
  EXPECT_EQ(los_angeles->OffsetAtLocal(Seconds(2024, 3, 10, 2, 0)), -28800);
  EXPECT_EQ(los_angeles->OffsetAtLocal(Seconds(2024, 3, 10, 2, 59)), -28800);
  EXPECT_EQ(los_angeles->OffsetAtLocal(Seconds(2024, 3, 10, 3, 0)), -25200);
  // 2024-11-03 01:30 exists twice.
  EXPECT_EQ(los_angeles->OffsetAtLocal(Seconds(2024, 11, 3, 1, 0)), -25200);
  EXPECT_EQ(los_angeles->OffsetAtLocal(Seconds(2024, 11, 3, 1, 59)), -25200);
  EXPECT_EQ(los_angeles->OffsetAtLocal(Seconds(2024, 11, 3, 2, 0)), -28800);
  // A whole day is left out.
  const auto apia = Zone("Pacific/Apia");
  EXPECT_EQ(apia->OffsetAtLocal(Seconds(2011, 12, 30, 12)), -36000);
  EXPECT_EQ(apia->OffsetAtLocal(Seconds(2011, 12, 31, 0)), 50400);
}

TEST(TimeZoneTest, FarFutureFollowsTheRule) {
  const auto berlin = Zone("Europe/Berlin");
  for (const int64_t year : {2037, 2038, 2100, 2437, 2438, 2900, 9999, 290000}) {
    EXPECT_EQ(berlin->OffsetAt(Seconds(year, 1, 15)), 3600) << year;
    EXPECT_EQ(berlin->OffsetAt(Seconds(year, 7, 15)), 7200) << year;
    EXPECT_EQ(berlin->OffsetAtLocal(Seconds(year, 7, 15)), 7200) << year;
  }
  // Last Sunday of March 2100 is the 28th.
  EXPECT_EQ(berlin->OffsetAt(Seconds(2100, 3, 28, 0, 59)), 3600);
  EXPECT_EQ(berlin->OffsetAt(Seconds(2100, 3, 28, 1, 0)), 7200);
  // The same, 400 years later.
  EXPECT_EQ(berlin->OffsetAt(Seconds(2500, 3, 28, 0, 59)), 3600);
  EXPECT_EQ(berlin->OffsetAt(Seconds(2500, 3, 28, 1, 0)), 7200);
  EXPECT_EQ(Zone("Australia/Sydney")->OffsetAt(Seconds(3000, 1, 1)), 39600);
  EXPECT_EQ(Zone("Australia/Sydney")->OffsetAt(Seconds(3000, 7, 1)), 36000);
}

TEST(TimeZoneTest, LocalAndBack) {
  for (const std::string_view name : {"Europe/Berlin", "America/New_York", "Asia/Tokyo", "+05:45"}) {
    const auto zone = Zone(name);
    for (int64_t day = -40'000; day < 60'000; day += 7) {
      const int64_t utc = day * kMicrosPerDay + 13 * kMicrosPerHour + 123'456;
      EXPECT_EQ(zone->ToUtcMicros(zone->ToLocalMicros(utc)), utc) << name << " " << day;
    }
  }
  EXPECT_EQ(Zone("+01:00")->ToLocalMicros(INT64_MAX), INT64_MAX);
  EXPECT_EQ(Zone("+01:00")->ToUtcMicros(INT64_MIN), INT64_MIN);
}

TEST(TimeZoneTest, LocalNameIsThatOfTheEnvironment) {
  const char* before = std::getenv("TZ");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("TZ", "America/Los_Angeles", 1);
  EXPECT_EQ(LocalTimeZoneName(), "America/Los_Angeles");
  ::setenv("TZ", ":Asia/Tokyo", 1);
  EXPECT_EQ(LocalTimeZoneName(), "Asia/Tokyo");
  ::setenv("TZ", "No/Where", 1);
  EXPECT_TRUE(TimeZone::Find(LocalTimeZoneName()).ok());
  if (before != nullptr) {
    ::setenv("TZ", kept.c_str(), 1);
  } else {
    ::unsetenv("TZ");
  }
}

TEST(TimeZoneTest, FindIsThreadSafe) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (const std::string_view name : {"Asia/Seoul", "Europe/Oslo", "Africa/Cairo", "+02:30"}) {
        EXPECT_TRUE(TimeZone::Find(name).ok());
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(TimeZoneRuleTest, Parses) {
  const auto rule = TimeZoneRule::Parse("<-03>3<-02>,M3.5.0/-2,M10.5.0/-1:30");
  ASSERT_TRUE(rule.has_value());
  EXPECT_EQ(rule->standard_offset, -10800);
  EXPECT_EQ(rule->daylight_offset, -7200);
  EXPECT_EQ(rule->daylight_start.seconds, -7200);
  EXPECT_EQ(rule->daylight_end.seconds, -5400);
  const auto julian = TimeZoneRule::Parse("AAA-1BBB-3,J60/0,365/25");
  ASSERT_TRUE(julian.has_value());
  EXPECT_EQ(julian->daylight_offset, 10800);
  EXPECT_EQ(julian->daylight_start.LocalSeconds(2024), Seconds(2024, 3, 1));
  EXPECT_EQ(julian->daylight_start.LocalSeconds(2023), Seconds(2023, 3, 1));
  EXPECT_EQ(julian->daylight_end.LocalSeconds(2024), Seconds(2025, 1, 1, 1));
  EXPECT_FALSE(TimeZoneRule::Parse("CST6CDT").has_value());  // no dates
  EXPECT_FALSE(TimeZoneRule::Parse("CET").has_value());
  EXPECT_FALSE(TimeZoneRule::Parse("CET-1CEST,M13.5.0,M10.5.0").has_value());
  EXPECT_FALSE(TimeZoneRule::Parse("").has_value());
}

}  // namespace
}  // namespace frazil
