#include "frazil/base/text.h"
#include "frazil/types/calendar.h"
#include "frazil/types/decimal.h"
#include "frazil/types/interval.h"

namespace frazil {
namespace {

// At least two digits.
std::string TwoDigits(uint64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); }

// Seconds with a fraction without trailing zeros, at least two digits before the point.
std::string SecondsText(uint64_t micros) {
  std::string text = TwoDigits(micros / kMicrosPerSecond);
  const uint64_t fraction = micros % kMicrosPerSecond;
  if (fraction == 0) return text;
  std::string digits = std::to_string(fraction);
  digits.insert(0, 6 - digits.size(), '0');
  while (digits.back() == '0') digits.pop_back();
  return text + "." + digits;
}

std::string FieldsText(IntervalField start, IntervalField end) {
  std::string text = AsciiUpper(IntervalFieldName(start));
  if (start != end) text += " TO " + AsciiUpper(IntervalFieldName(end));
  return text;
}

}  // namespace

std::string_view IntervalFieldName(IntervalField field) {
  switch (field) {
    case IntervalField::kYear:
      return "year";
    case IntervalField::kMonth:
      return "month";
    case IntervalField::kDay:
      return "day";
    case IntervalField::kHour:
      return "hour";
    case IntervalField::kMinute:
      return "minute";
    case IntervalField::kSecond:
      return "second";
  }
  return {};
}

std::optional<IntervalField> IntervalFieldByName(std::string_view name) {
  if (name.ends_with('s') || name.ends_with('S')) name.remove_suffix(1);
  using enum IntervalField;
  for (const auto field : {kYear, kMonth, kDay, kHour, kMinute, kSecond}) {
    if (EqualsIgnoreCase(name, IntervalFieldName(field))) return field;
  }
  return std::nullopt;
}

int64_t MicrosPerField(IntervalField field) {
  switch (field) {
    case IntervalField::kDay:
      return kMicrosPerDay;
    case IntervalField::kHour:
      return kMicrosPerHour;
    case IntervalField::kMinute:
      return kMicrosPerMinute;
    case IntervalField::kSecond:
      return kMicrosPerSecond;
    case IntervalField::kYear:
    case IntervalField::kMonth:
      break;
  }
  return 1;
}

std::string YearMonthIntervalToString(int64_t months, IntervalField start, IntervalField end, IntervalStyle style) {
  const int64_t magnitude = months < 0 ? -months : months;
  const std::string year = (months < 0 ? "-" : "") + std::to_string(magnitude / 12);
  const std::string both = year + "-" + std::to_string(magnitude % 12);
  if (style == IntervalStyle::kHive) return both;
  std::string text = "INTERVAL '";
  if (start != end) {
    text += both;
  } else if (start == IntervalField::kYear) {
    text += year;
  } else {
    text += std::to_string(months);
  }
  return text + "' " + FieldsText(start, end);
}

std::string DayTimeIntervalToString(int64_t micros, IntervalField start, IntervalField end, IntervalStyle style) {
  uint64_t rest = micros < 0 ? 0 - static_cast<uint64_t>(micros) : static_cast<uint64_t>(micros);
  const auto take = [&](int64_t unit) {
    const uint64_t count = rest / static_cast<uint64_t>(unit);
    rest %= static_cast<uint64_t>(unit);
    return count;
  };
  std::string text = micros < 0 ? "-" : "";
  if (style == IntervalStyle::kHive) {
    text += std::to_string(take(kMicrosPerDay));
    text += " " + TwoDigits(take(kMicrosPerHour));
    text += ":" + TwoDigits(take(kMicrosPerMinute));
    text += ":" + TwoDigits(take(kMicrosPerSecond));
    std::string nanos = std::to_string(rest * 1000);
    return text + "." + std::string(9 - nanos.size(), '0') + nanos;
  }
  const auto covers = [&](IntervalField field) { return start <= field && field <= end; };
  if (covers(IntervalField::kDay)) text += std::to_string(take(kMicrosPerDay));
  if (covers(IntervalField::kHour)) {
    if (start != IntervalField::kHour) text += " ";
    text += TwoDigits(take(kMicrosPerHour));
  }
  if (covers(IntervalField::kMinute)) {
    if (start != IntervalField::kMinute) text += ":";
    text += TwoDigits(take(kMicrosPerMinute));
  }
  if (covers(IntervalField::kSecond)) {
    if (start != IntervalField::kSecond) text += ":";
    text += SecondsText(rest);
  }
  return "INTERVAL '" + text + "' " + FieldsText(start, end);
}

std::string CalendarIntervalToString(const CalendarIntervalValue& interval) {
  std::string text;
  const auto append = [&](int64_t count, std::string_view unit) {
    if (count == 0) return;
    if (!text.empty()) text += ' ';
    text += std::to_string(count);
    text += ' ';
    text += unit;
  };
  append(interval.months / 12, "years");
  append(interval.months % 12, "months");
  append(interval.days, "days");
  append(interval.micros / kMicrosPerHour, "hours");
  append(interval.micros % kMicrosPerHour / kMicrosPerMinute, "minutes");
  const int64_t seconds = interval.micros % kMicrosPerMinute;
  if (seconds != 0) {
    std::string number = DecimalToString(seconds, 6);
    while (number.back() == '0') number.pop_back();
    if (number.back() == '.') number.pop_back();
    if (!text.empty()) text += ' ';
    text += number + " seconds";
  }
  return text.empty() ? "0 seconds" : text;
}

}  // namespace frazil
