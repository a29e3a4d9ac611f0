#include <cctype>

#include "frazil/types/calendar.h"
#include "frazil/types/time_zone_rule_internal.h"

namespace frazil {
namespace {

class RuleParser {
 public:
  explicit RuleParser(std::string_view text) : text_(text) {}

  bool Done() const { return at_ == text_.size(); }

  bool Take(char expected) {
    if (at_ < text_.size() && text_[at_] == expected) {
      ++at_;
      return true;
    }
    return false;
  }

  // Letters, or anything within < >.
  bool ReadName(std::string* name) {
    if (Take('<')) {
      const size_t end = text_.find('>', at_);
      if (end == std::string_view::npos) return false;
      *name = std::string(text_.substr(at_, end - at_));
      at_ = end + 1;
      return true;
    }
    const size_t start = at_;
    while (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    *name = std::string(text_.substr(start, at_ - start));
    return at_ - start >= 3;
  }

  bool ReadNumber(int* number) {
    const size_t start = at_;
    int value = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && value < 100'000) {
      value = value * 10 + (text_[at_++] - '0');
    }
    *number = value;
    return at_ > start;
  }

  // [+-]hh[:mm[:ss]]
  bool ReadTime(int32_t* seconds) {
    bool negative = false;
    if (Take('-')) {
      negative = true;
    } else {
      Take('+');
    }
    int hours = 0;
    int minutes = 0;
    int rest = 0;
    if (!ReadNumber(&hours)) return false;
    if (Take(':') && !ReadNumber(&minutes)) return false;
    if (Take(':') && !ReadNumber(&rest)) return false;
    *seconds = hours * 3600 + minutes * 60 + rest;
    if (negative) *seconds = -*seconds;
    return true;
  }

  bool ReadDate(TimeZoneRuleDate* date) {
    if (Take('M')) {
      date->kind = TimeZoneRuleDate::Kind::kMonthWeekDay;
      if (!ReadNumber(&date->month) || !Take('.') || !ReadNumber(&date->week) || !Take('.') ||
          !ReadNumber(&date->day)) {
        return false;
      }
      if (date->month < 1 || date->month > 12 || date->week < 1 || date->week > 5 || date->day > 6) return false;
    } else {
      date->kind = Take('J') ? TimeZoneRuleDate::Kind::kJulianNoLeap : TimeZoneRuleDate::Kind::kZeroBasedWithLeap;
      if (!ReadNumber(&date->day) || date->day > 365) return false;
    }
    return !Take('/') || ReadTime(&date->seconds);
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

int64_t TimeZoneRuleDate::LocalSeconds(int64_t year) const {
  int64_t days = DaysFromCivil(year, 1, 1);
  switch (kind) {
    case Kind::kMonthWeekDay: {
      const int64_t first = DaysFromCivil(year, month, 1);
      const int first_weekday = IsoDayOfWeek(first) % 7;  // Sunday is 0
      int offset = (day - first_weekday + 7) % 7 + (week - 1) * 7;
      while (offset >= DaysInMonth(year, month)) offset -= 7;
      days = first + offset;
      break;
    }
    case Kind::kJulianNoLeap:
      days += day - 1 + (IsLeapYear(year) && day >= 60 ? 1 : 0);
      break;
    case Kind::kZeroBasedWithLeap:
      days += day;
      break;
  }
  return days * kSecondsPerDay + seconds;
}

std::optional<TimeZoneRule> TimeZoneRule::Parse(std::string_view text) {
  RuleParser parser(text);
  TimeZoneRule rule;
  int32_t west = 0;
  if (!parser.ReadName(&rule.standard_name) || !parser.ReadTime(&west)) return std::nullopt;
  rule.standard_offset = -west;
  if (parser.Done()) return rule;
  rule.has_daylight = true;
  rule.daylight_offset = rule.standard_offset + 3600;
  if (!parser.ReadName(&rule.daylight_name)) return std::nullopt;
  if (!parser.Take(',')) {
    if (!parser.ReadTime(&west) || !parser.Take(',')) return std::nullopt;
    rule.daylight_offset = -west;
  }
  if (!parser.ReadDate(&rule.daylight_start) || !parser.Take(',') || !parser.ReadDate(&rule.daylight_end) ||
      !parser.Done()) {
    return std::nullopt;
  }
  return rule;
}

}  // namespace frazil
