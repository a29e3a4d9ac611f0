#include "frazil/types/calendar.h"

#include <gtest/gtest.h>

namespace frazil {
namespace {

TEST(CalendarTest, KnownDays) {
  EXPECT_EQ(DaysFromCivil(1970, 1, 1), 0);
  EXPECT_EQ(DaysFromCivil(2000, 2, 29), 11016);
  EXPECT_EQ(DaysFromCivil(1, 1, 1), -719162);
  EXPECT_EQ(DaysFromCivil(0, 12, 31), -719163);
  EXPECT_EQ(DaysFromCivil(9999, 12, 31), 2932896);
  EXPECT_EQ(DaysFromCivil(-5877641, 6, 23), -2147483648LL);
  EXPECT_EQ(DaysFromCivil(5881580, 7, 11), 2147483647LL);
}

TEST(CalendarTest, EveryDayOfManyYearsComesBack) {
  CivilDate expected{-801, 1, 1};
  for (int64_t days = DaysFromCivil(-801, 1, 1); days < DaysFromCivil(2801, 1, 1); ++days) {
    const CivilDate date = CivilFromDays(days);
    ASSERT_EQ(date, expected) << days;
    ASSERT_EQ(DaysFromCivil(date.year, date.month, date.day), days);
    if (++expected.day > DaysInMonth(expected.year, expected.month)) {
      expected.day = 1;
      if (++expected.month > 12) {
        expected.month = 1;
        ++expected.year;
      }
    }
  }
}

TEST(CalendarTest, Weeks) {
  EXPECT_EQ(IsoDayOfWeek(0), 4);  // a Thursday
  EXPECT_EQ(IsoDayOfWeek(-1), 3);
  const IsoWeek first = IsoWeekOf(DaysFromCivil(2021, 1, 1));
  EXPECT_EQ(first.year, 2020);
  EXPECT_EQ(first.week, 53);
  const IsoWeek last = IsoWeekOf(DaysFromCivil(2018, 12, 31));
  EXPECT_EQ(last.year, 2019);
  EXPECT_EQ(last.week, 1);
  EXPECT_EQ(DayOfYear(DaysFromCivil(2024, 12, 31)), 366);
}

TEST(CalendarTest, Months) {
  const auto add = [](int64_t year, int month, int day, int64_t months) {
    return CivilFromDays(AddMonths(DaysFromCivil(year, month, day), months));
  };
  EXPECT_EQ(add(2024, 1, 31, 1), (CivilDate{2024, 2, 29}));
  EXPECT_EQ(add(2023, 12, 31, 2), (CivilDate{2024, 2, 29}));
  EXPECT_EQ(add(2024, 3, 31, -1), (CivilDate{2024, 2, 29}));
  EXPECT_EQ(add(2024, 2, 29, 12), (CivilDate{2025, 2, 28}));
  EXPECT_EQ(add(1, 1, 1, -1), (CivilDate{0, 12, 1}));
}

TEST(CalendarTest, FloorArithmetic) {
  EXPECT_EQ(FloorDivide(-1, 10), -1);
  EXPECT_EQ(FloorDivide(-10, 10), -1);
  EXPECT_EQ(FloorDivide(9, 10), 0);
  EXPECT_EQ(FloorModulo(-1, 10), 9);
}

}  // namespace
}  // namespace frazil
