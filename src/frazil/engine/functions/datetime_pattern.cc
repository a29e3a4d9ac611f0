#include "frazil/engine/functions/datetime_pattern.h"

#include <cstdio>
#include <map>

#include <unicode/locid.h>
#include <unicode/timezone.h>
#include <unicode/unistr.h>

#include "frazil/base/text.h"
#include "frazil/engine/functions/kernel_error.h"
#include "frazil/engine/functions/utf8.h"
#include "frazil/types/calendar.h"

namespace frazil::engine {
namespace {

constexpr const char* kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                   "July",    "August",   "September", "October", "November", "December"};
constexpr const char* kDays[] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
constexpr const char* kQuarters[] = {"1st quarter", "2nd quarter", "3rd quarter", "4th quarter"};

std::string Padded(int64_t value, int width) {
  std::string digits = std::to_string(value);
  const size_t wanted = static_cast<size_t>(width);
  if (digits.size() < wanted) digits.insert(value < 0 ? 1 : 0, wanted - digits.size(), '0');
  return digits;
}

// "+08:00" and its kin: hours, minutes where wanted or needed, seconds where needed.
std::string OffsetText(int32_t seconds, bool colon, bool minutes_always, bool with_seconds) {
  const char sign = seconds < 0 ? '-' : '+';
  const int32_t size = seconds < 0 ? -seconds : seconds;
  std::string text = sign + Padded(size / 3600, 2);
  if (minutes_always || size / 60 % 60 != 0) text += (colon ? ":" : "") + Padded(size / 60 % 60, 2);
  if (with_seconds && size % 60 != 0) text += (colon ? ":" : "") + Padded(size % 60, 2);
  return text;
}

std::string LocalizedOffset(int32_t seconds, bool full) {
  if (seconds == 0) return "GMT";
  const char sign = seconds < 0 ? '-' : '+';
  const int32_t size = seconds < 0 ? -seconds : seconds;
  std::string text = std::string("GMT") + sign + (full ? Padded(size / 3600, 2) : std::to_string(size / 3600));
  if (full || size % 3600 != 0) text += ":" + Padded(size / 60 % 60, 2);
  if (size % 60 != 0) text += ":" + Padded(size % 60, 2);
  return text;
}

std::string ZoneName(const TimeZone& zone, bool daylight, icu::TimeZone::EDisplayType style) {
  if (zone.name() == "Z") return "Z";
  std::unique_ptr<icu::TimeZone> icu_zone(icu::TimeZone::createTimeZone(icu::UnicodeString::fromUTF8(zone.name())));
  icu::UnicodeString name;
  icu_zone->getDisplayName(daylight, style, icu::Locale::getUS(), name);
  std::string text;
  name.toUTF8String(text);
  return text;
}

}  // namespace

// --- compiling
// --------------------------------------------------------------------------------------------------------------------------------------------------

class DatetimePatternCompiler {
 public:
  using Item = DatetimePattern::Item;
  DatetimePatternCompiler(std::string_view pattern, DatetimePattern* result) : pattern_(pattern), result_(result) {}

  Status Run() {
    FRAZIL_RETURN_IF_ERROR(Items(&result_->items_, false));
    if (position_ < pattern_.size()) return Unrecognised();
    return Status::Ok();
  }

 private:
  Error Unrecognised() const {
    return Error::Of("INVALID_DATETIME_PATTERN.WITH_SUGGESTION", {{"pattern", "'" + std::string(pattern_) + "'"},
                                                                  {"docroot", "https://spark.apache.org/docs/latest"}});
  }
  Error TooLong() const {
    return Error::Of("INVALID_DATETIME_PATTERN.LENGTH", {{"pattern", "'" + std::string(pattern_) + "'"}});
  }

  Status Items(std::vector<Item>* items, bool in_optional) {
    while (position_ < pattern_.size()) {
      const char c = pattern_[position_];
      if (c == '\'') {
        FRAZIL_RETURN_IF_ERROR(Quoted(items));
      } else if (c == '[') {
        ++position_;
        Item item;
        item.kind = Item::Kind::kOptional;
        FRAZIL_RETURN_IF_ERROR(Items(&item.optional, true));
        // An open bracket at the end closes by itself.
        if (position_ < pattern_.size()) ++position_;
        items->push_back(std::move(item));
      } else if (c == ']') {
        if (in_optional) return Status::Ok();
        return Unrecognised();
      } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
        FRAZIL_RETURN_IF_ERROR(Field(items));
      } else if (c == '{' || c == '}' || c == '#') {
        return Unrecognised();
      } else {
        const size_t next = NextCharacter(pattern_, position_);
        Literal(items, pattern_.substr(position_, next - position_));
        position_ = next;
      }
    }
    return Status::Ok();
  }

  void Literal(std::vector<Item>* items, std::string_view text) {
    if (!items->empty() && items->back().kind == Item::Kind::kLiteral) {
      items->back().literal += text;
      return;
    }
    Item item;
    item.literal = text;
    items->push_back(std::move(item));
  }

  Status Quoted(std::vector<Item>* items) {
    ++position_;
    if (position_ < pattern_.size() && pattern_[position_] == '\'') {
      Literal(items, "'");
      ++position_;
      return Status::Ok();
    }
    std::string text;
    for (;;) {
      if (position_ >= pattern_.size()) return Unrecognised();
      if (pattern_[position_] != '\'') {
        text += pattern_[position_++];
        continue;
      }
      if (position_ + 1 < pattern_.size() && pattern_[position_ + 1] == '\'') {
        text += '\'';
        position_ += 2;
        continue;
      }
      ++position_;
      break;
    }
    Literal(items, text);
    return Status::Ok();
  }

  Status Field(std::vector<Item>* items) {
    Item item;
    item.kind = Item::Kind::kField;
    item.letter = pattern_[position_];
    while (position_ < pattern_.size() && pattern_[position_] == item.letter) {
      ++item.count;
      ++position_;
    }
    int longest = 0;
    switch (item.letter) {
      case 'G':
        longest = 4;
        result_->has_era_ = true;
        break;
      case 'y':
        longest = 6;
        break;
      case 'M':
      case 'L':
      case 'E':
      case 'Q':
      case 'q':
        longest = 4;
        break;
      case 'D':
        longest = 3;
        break;
      case 'd':
      case 'h':
      case 'H':
      case 'k':
      case 'K':
      case 'm':
      case 's':
        longest = 2;
        break;
      case 'F':
      case 'a':
        longest = 1;
        break;
      case 'S':
        longest = 9;
        break;
      case 'V':
        if (item.count != 2) return Unrecognised();
        longest = 2;
        break;
      case 'z':
        longest = 4;
        break;
      case 'O':
        if (item.count != 1 && item.count != 4) return Unrecognised();
        longest = 4;
        break;
      case 'X':
      case 'x':
      case 'Z':
        longest = 5;
        break;
      case 'Y':
      case 'W':
      case 'w':
      case 'u':
      case 'e':
      case 'c':
        return Error::Of("INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_WEEK_BASED_PATTERN",
                         {{"c", std::string(1, item.letter)}});
      case 'A':
      case 'B':
      case 'n':
      case 'N':
      case 'p':
        return DatetimePattern::IllegalCharacter(item.letter, pattern_);
      default:
        return Unrecognised();
    }
    if (item.count > longest) {
      const bool text = std::string_view("GMLEQqy").find(item.letter) != std::string_view::npos;
      return text ? TooLong() : Unrecognised();
    }
    // These tell nothing about a date that is read.
    if (std::string_view("EFqQ").find(item.letter) != std::string_view::npos && result_->format_only_ == 0) {
      result_->format_only_ = item.letter;
      result_->text_ = pattern_;
    }
    items->push_back(std::move(item));
    return Status::Ok();
  }

  std::string_view pattern_;
  size_t position_ = 0;
  DatetimePattern* result_;
};

namespace {

// Whether java.text.SimpleDateFormat, which Spark 2.4 used, takes the pattern.
bool IsLegacyPattern(std::string_view pattern) {
  bool quoted = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\'') quoted = !quoted;
    if (quoted || !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) continue;
    size_t end = i;
    while (end + 1 < pattern.size() && pattern[end + 1] == c) ++end;
    if (std::string_view("GyYMLwWDdFEuaHkKhmsSzZX").find(c) == std::string_view::npos) return false;
    if (c == 'X' && end - i + 1 > 3) return false;
    i = end;
  }
  return !quoted;
}

}  // namespace

Error DatetimePattern::IllegalCharacter(char letter, std::string_view pattern) {
  return Error::Of("INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER",
                   {{"c", std::string(1, letter)}, {"pattern", std::string(pattern)}});
}

Result<std::shared_ptr<const DatetimePattern>> DatetimePattern::Compile(std::string_view pattern) {
  auto result = std::make_shared<DatetimePattern>();
  Status status = DatetimePatternCompiler(pattern, result.get()).Run();
  if (!status.ok()) {
    if (!IsLegacyPattern(pattern)) return status.error();
    return Error::Of("INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION",
                     {{"pattern", "'" + std::string(pattern) + "'"},
                      {"config", "\"spark.sql.legacy.timeParserPolicy\""},
                      {"docroot", "https://spark.apache.org/docs/latest"}});
  }
  return std::shared_ptr<const DatetimePattern>(std::move(result));
}

const DatetimePattern& DatetimePattern::Of(std::string_view pattern) {
  thread_local std::map<std::string, std::shared_ptr<const DatetimePattern>, std::less<>> compiled;
  thread_local const std::pair<const std::string, std::shared_ptr<const DatetimePattern>>* last = nullptr;
  if (last != nullptr && last->first == pattern) return *last->second;
  last = nullptr;
  auto found = compiled.find(pattern);
  if (found == compiled.end()) {
    if (compiled.size() >= 256) compiled.clear();
    found = compiled.emplace(std::string(pattern), ValueOrThrow(Compile(pattern))).first;
  }
  last = &*found;
  return *found->second;
}

// --- formatting
// -------------------------------------------------------------------------------------------------------------------------------------------------

void DatetimePattern::Append(int64_t local_micros, int64_t utc_micros, const TimeZone& zone, std::string* out) const {
  FormatItems(items_, local_micros, utc_micros, zone, has_era_, out);
}

std::string DatetimePattern::Format(int64_t local_micros, int64_t utc_micros, const TimeZone& zone) const {
  std::string out;
  Append(local_micros, utc_micros, zone, &out);
  return out;
}

void DatetimePattern::FormatItems(const std::vector<Item>& items, int64_t local_micros, int64_t utc_micros,
                                  const TimeZone& zone, bool has_era, std::string* out) {
  const int64_t days = FloorDivide(local_micros, kMicrosPerDay);
  const int64_t time = local_micros - days * kMicrosPerDay;
  const CivilDate date = CivilFromDays(days);
  const auto hour = static_cast<int>(time / kMicrosPerHour);
  const auto offset = [&]() { return zone.OffsetAt(FloorDivide(utc_micros, kMicrosPerSecond)); };
  const auto number = [&](int64_t value, int width) {
    if (width <= 2 && value >= 0 && value < 100) {
      if (width == 2 || value >= 10) *out += static_cast<char>('0' + value / 10);
      *out += static_cast<char>('0' + value % 10);
      return;
    }
    *out += width <= 1 ? std::to_string(value) : Padded(value, width);
  };
  for (const Item& item : items) {
    if (item.kind == Item::Kind::kLiteral) {
      *out += item.literal;
      continue;
    }
    if (item.kind == Item::Kind::kOptional) {
      FormatItems(item.optional, local_micros, utc_micros, zone, has_era, out);
      continue;
    }
    switch (item.letter) {
      case 'G':
        *out += item.count == 4 ? (date.year > 0 ? "Anno Domini" : "Before Christ") : (date.year > 0 ? "AD" : "BC");
        break;
      case 'y': {
        const int64_t year = has_era && date.year <= 0 ? 1 - date.year : date.year;
        if (item.count == 2) {
          *out += Padded(FloorModulo(year, 100), 2);
        } else {
          const std::string digits = Padded(year < 0 ? -year : year, item.count);
          if (year < 0) {
            *out += '-';
          } else if (item.count >= 4 && static_cast<int>(digits.size()) > item.count) {
            *out += '+';
          }
          *out += digits;
        }
        break;
      }
      case 'D':
        number(DayOfYear(days), item.count);
        break;
      case 'M':
      case 'L':
        if (item.count == 3) {
          *out += std::string(kMonths[date.month - 1]).substr(0, 3);
        } else if (item.count == 4) {
          *out += kMonths[date.month - 1];
        } else {
          number(date.month, item.count);
        }
        break;
      case 'd':
        number(date.day, item.count);
        break;
      case 'Q':
      case 'q': {
        const int quarter = (date.month - 1) / 3;
        if (item.count == 3) {
          *out += "Q" + std::to_string(quarter + 1);
        } else if (item.count == 4) {
          *out += kQuarters[quarter];
        } else {
          number(quarter + 1, item.count);
        }
        break;
      }
      case 'E': {
        const std::string name = kDays[IsoDayOfWeek(days) - 1];
        *out += item.count == 4 ? name : name.substr(0, 3);
        break;
      }
      case 'F':
        number((date.day - 1) % 7 + 1, item.count);
        break;
      case 'a':
        *out += hour < 12 ? "AM" : "PM";
        break;
      case 'h':
        number((hour + 11) % 12 + 1, item.count);
        break;
      case 'K':
        number(hour % 12, item.count);
        break;
      case 'k':
        number(hour == 0 ? 24 : hour, item.count);
        break;
      case 'H':
        number(hour, item.count);
        break;
      case 'm':
        number(time / kMicrosPerMinute % 60, item.count);
        break;
      case 's':
        number(time / kMicrosPerSecond % 60, item.count);
        break;
      case 'S':
        *out += (Padded(time % kMicrosPerSecond, 6) + "000").substr(0, static_cast<size_t>(item.count));
        break;
      case 'V':
        *out += zone.name();
        break;
      case 'z': {
        const int64_t seconds = FloorDivide(utc_micros, kMicrosPerSecond);
        if (item.count == 4) {
          *out += ZoneName(zone, zone.IsDaylightAt(seconds), icu::TimeZone::LONG);
        } else if (std::string name = zone.AbbreviationAt(seconds); name != "LMT") {
          *out += name;
        } else {
          // Local mean time has no name of its own: that of the standard time.
          *out += ZoneName(zone, false, icu::TimeZone::SHORT);
        }
        break;
      }
      case 'O':
        *out += LocalizedOffset(offset(), item.count == 4);
        break;
      case 'X':
      case 'x': {
        const int32_t seconds = offset();
        if (item.letter == 'X' && seconds == 0) {
          *out += 'Z';
        } else {
          *out += OffsetText(seconds, item.count == 3 || item.count == 5, item.count != 1, item.count >= 4);
        }
        break;
      }
      case 'Z': {
        const int32_t seconds = offset();
        if (item.count == 4) {
          *out += LocalizedOffset(seconds, true);
        } else if (item.count == 5) {
          *out += seconds == 0 ? "Z" : OffsetText(seconds, true, true, true);
        } else {
          *out += OffsetText(seconds, false, true, false);
        }
        break;
      }
      default:
        break;
    }
  }
}

// --- parsing
// ----------------------------------------------------------------------------------------------------------------------------------------------------

class DatetimePatternParser {
 public:
  using Item = DatetimePattern::Item;
  DatetimePatternParser(std::string_view text, bool has_era) : text_(text), has_era_(has_era) {}

  std::optional<DatetimePattern::Parsed> Run(const std::vector<Item>& items) {
    if (!Items(items) || position_ != text_.size()) return std::nullopt;
    return Resolve();
  }
  bool overflows() const { return overflows_; }

 private:
  struct Fields {
    std::optional<int64_t> year, month, day, day_of_year, quarter, day_of_week, hour, hour_12, hour_k, hour_1_12,
        minute, second, micros, pm, era;
    std::optional<int32_t> offset;
    std::shared_ptr<const TimeZone> zone;
  };

  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }

  // Width of a field that has a fixed one, else 0.
  static int FixedWidth(const Item& item) {
    if (item.kind != Item::Kind::kField) return 0;
    switch (item.letter) {
      case 'y':
        return item.count == 2 ? 2 : 0;
      case 'M':
      case 'L':
      case 'Q':
      case 'q':
        return item.count == 2 ? 2 : 0;
      case 'd':
      case 'h':
      case 'H':
      case 'k':
      case 'K':
      case 'm':
      case 's':
        return item.count == 2 ? 2 : 0;
      case 'D':
        return item.count >= 2 ? item.count : 0;
      default:
        return 0;
    }
  }

  bool Items(const std::vector<Item>& items) {
    for (size_t i = 0; i < items.size(); ++i) {
      const Item& item = items[i];
      if (item.kind == Item::Kind::kOptional) {
        const size_t position = position_;
        const Fields fields = fields_;
        if (!Items(item.optional)) {
          position_ = position;
          fields_ = fields;
        }
        continue;
      }
      if (item.kind == Item::Kind::kLiteral) {
        if (!Literal(item.literal)) return false;
        continue;
      }
      // Numbers of fixed width that follow at once keep their digits.
      int reserved = 0;
      for (size_t j = i + 1; j < items.size() && FixedWidth(items[j]) > 0; ++j) reserved += FixedWidth(items[j]);
      if (!Field(item, reserved)) return false;
    }
    return true;
  }

  bool Literal(const std::string& literal) {
    if (!EqualsIgnoreCase(text_.substr(position_, literal.size()), literal)) return false;
    position_ += literal.size();
    return true;
  }

  std::optional<int64_t> Number(int least, int most, int reserved, bool sign) {
    size_t begin = position_;
    bool negative = false;
    if (sign && begin < text_.size() && (text_[begin] == '-' || text_[begin] == '+')) {
      negative = text_[begin] == '-';
      ++begin;
    }
    size_t end = begin;
    while (end < text_.size() && static_cast<int>(end - begin) < most && IsDigit(text_[end])) ++end;
    int digits = static_cast<int>(end - begin);
    if (reserved > 0 && most > 2) {
      // All digits in a row, without those of the fields behind.
      digits = std::min(digits, std::max(least, digits - reserved));
    }
    if (digits < least) return std::nullopt;
    int64_t value = 0;
    for (int i = 0; i < digits; ++i) {
      if (value > 99999999999LL) return std::nullopt;
      value = value * 10 + (text_[begin + static_cast<size_t>(i)] - '0');
    }
    position_ = begin + static_cast<size_t>(digits);
    return negative ? -value : value;
  }

  template <size_t kCount>
  std::optional<int64_t> Name(const char* const (&names)[kCount], bool full) {
    for (size_t i = 0; i < kCount; ++i) {
      const std::string name = full ? names[i] : std::string(names[i]).substr(0, 3);
      if (EqualsIgnoreCase(text_.substr(position_, name.size()), name)) {
        position_ += name.size();
        return static_cast<int64_t>(i) + 1;
      }
    }
    return std::nullopt;
  }

  // A second value for a field must be the same.
  static bool Set(std::optional<int64_t>& field, std::optional<int64_t> value) {
    if (!value.has_value()) return false;
    if (field.has_value() && *field != *value) return false;
    field = value;
    return true;
  }

  bool Field(const Item& item, int reserved) {
    const bool two = item.count == 2;
    switch (item.letter) {
      case 'G':
        for (const auto& [name, era] : {std::pair{"Anno Domini", 1}, {"Before Christ", 0}, {"AD", 1}, {"BC", 0}}) {
          if (Literal(name)) return Set(fields_.era, era);
        }
        return false;
      case 'y': {
        if (two) {
          const auto value = Number(2, 2, 0, false);
          return value.has_value() && Set(fields_.year, 2000 + *value);
        }
        const size_t begin = position_;
        const auto value = Number(item.count, 10, reserved, true);
        if (!value.has_value()) return false;
        // A sign is due where the year has more digits than the pattern, and only there.
        const bool has_plus = text_[begin] == '+';
        const size_t digits = position_ - begin - (has_plus || text_[begin] == '-' ? 1 : 0);
        if (item.count >= 4 && static_cast<int>(digits) > item.count && text_[begin] != '-' && !has_plus) return false;
        if (has_plus && (item.count < 4 || static_cast<int>(digits) <= item.count)) return false;
        return Set(fields_.year, value);
      }
      case 'M':
      case 'L':
        if (item.count >= 3) return Set(fields_.month, Name(kMonths, item.count == 4));
        return Set(fields_.month, Number(item.count, two ? 2 : 19, reserved, false));
      case 'Q':
      case 'q':
        if (item.count == 3) return Literal("Q") && Set(fields_.quarter, Number(1, 1, 0, false));
        if (item.count == 4) return Set(fields_.quarter, Name(kQuarters, true));
        return Set(fields_.quarter, Number(item.count, two ? 2 : 19, reserved, false));
      case 'D':
        return Set(fields_.day_of_year, Number(item.count, item.count == 1 ? 19 : 3, reserved, false));
      case 'd':
        return Set(fields_.day, Number(item.count, two ? 2 : 19, reserved, false));
      case 'E':
        return Set(fields_.day_of_week, Name(kDays, item.count == 4));
      case 'F':
        return Number(1, 1, 0, false).has_value();
      case 'a':
        if (Literal("AM")) return Set(fields_.pm, 0);
        return Literal("PM") && Set(fields_.pm, 1);
      case 'h':
        return Set(fields_.hour_1_12, Number(item.count, two ? 2 : 19, reserved, false));
      case 'K':
        return Set(fields_.hour_12, Number(item.count, two ? 2 : 19, reserved, false));
      case 'k':
        return Set(fields_.hour_k, Number(item.count, two ? 2 : 19, reserved, false));
      case 'H':
        return Set(fields_.hour, Number(item.count, two ? 2 : 19, reserved, false));
      case 'm':
        return Set(fields_.minute, Number(item.count, two ? 2 : 19, reserved, false));
      case 's':
        return Set(fields_.second, Number(item.count, two ? 2 : 19, reserved, false));
      case 'S': {
        const size_t begin = position_;
        const auto value = Number(1, item.count, 0, false);
        if (!value.has_value()) return false;
        std::string digits(text_.substr(begin, position_ - begin));
        digits.resize(6, '0');
        return Set(fields_.micros, std::atoll(digits.c_str()));
      }
      case 'V':
      case 'z':
        return Zone();
      case 'O':
        if (!Literal("GMT")) return false;
        return Offset(true, false) || (fields_.offset = 0, true);
      case 'X':
        if (Literal("Z")) {
          fields_.offset = 0;
          return true;
        }
        return Offset(item.count == 3 || item.count == 5, item.count == 1);
      case 'x':
        return Offset(item.count == 3 || item.count == 5, item.count == 1);
      case 'Z':
        if (item.count == 4) {
          if (!Literal("GMT")) return false;
          return Offset(true, false) || (fields_.offset = 0, true);
        }
        if (item.count == 5 && Literal("Z")) {
          fields_.offset = 0;
          return true;
        }
        return Offset(item.count == 5, false);
      default:
        return false;
    }
  }

  bool Offset(bool colon, bool hours_only_possible) {
    if (position_ >= text_.size() || (text_[position_] != '+' && text_[position_] != '-')) return false;
    const int sign = text_[position_] == '-' ? -1 : 1;
    size_t next = position_ + 1;
    const auto two_digits = [&]() -> int {
      if (next + 2 > text_.size() || !IsDigit(text_[next]) || !IsDigit(text_[next + 1])) return -1;
      const int value = (text_[next] - '0') * 10 + (text_[next + 1] - '0');
      next += 2;
      return value;
    };
    int hours = two_digits();
    if (hours < 0) {
      // Localized offsets have one digit too.
      if (!colon || next >= text_.size() || !IsDigit(text_[next])) return false;
      hours = text_[next++] - '0';
    }
    int minutes = 0, seconds = 0;
    const size_t after_hours = next;
    if (colon && next < text_.size() && text_[next] == ':') ++next;
    minutes = two_digits();
    if (minutes < 0) {
      if (!hours_only_possible && !colon) return false;
      next = after_hours;
      minutes = 0;
    } else {
      const size_t after_minutes = next;
      if (colon && next < text_.size() && text_[next] == ':') ++next;
      seconds = two_digits();
      if (seconds < 0) {
        next = after_minutes;
        seconds = 0;
      }
    }
    if (hours > 18 || minutes > 59 || seconds > 59) return false;
    fields_.offset = sign * (hours * 3600 + minutes * 60 + seconds);
    position_ = next;
    return true;
  }

  bool Zone() {
    size_t end = position_;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 ||
                                  std::string_view("/_+-:").find(text_[end]) != std::string_view::npos))
      ++end;
    // The longest name that is one.
    for (; end > position_; --end) {
      auto zone = TimeZone::Find(text_.substr(position_, end - position_));
      if (!zone.ok()) continue;
      fields_.zone = *zone;
      position_ = end;
      return true;
    }
    return false;
  }

  std::optional<DatetimePattern::Parsed> Resolve() {
    const Fields& f = fields_;
    const auto in = [](const std::optional<int64_t>& value, int64_t low, int64_t high) {
      return !value.has_value() || (*value >= low && *value <= high);
    };
    if (!in(f.month, 1, 12) || !in(f.day, 1, 31) || !in(f.day_of_year, 1, 366) || !in(f.quarter, 1, 4) ||
        !in(f.hour, 0, 23) || !in(f.hour_12, 0, 11) || !in(f.hour_k, 1, 24) || !in(f.hour_1_12, 1, 12) ||
        !in(f.minute, 0, 59) || !in(f.second, 0, 59)) {
      return std::nullopt;
    }
    int64_t year = f.year.value_or(1970);
    if (has_era_ && f.era == 0) year = 1 - year;
    if (year < -999999 || year > 999999) return std::nullopt;
    int64_t days = 0;
    if (f.day_of_year.has_value()) {
      if (*f.day_of_year > (IsLeapYear(year) ? 366 : 365)) return std::nullopt;
      days = DaysFromCivil(year, 1, 1) + *f.day_of_year - 1;
      const CivilDate date = CivilFromDays(days);
      if (!in(f.month, date.month, date.month) || !in(f.day, date.day, date.day)) return std::nullopt;
    } else {
      int64_t month = f.month.value_or(f.quarter.has_value() ? (*f.quarter - 1) * 3 + 1 : 1);
      const int64_t day = f.day.value_or(1);
      if (!IsValidDate(year, static_cast<int>(month), static_cast<int>(day))) return std::nullopt;
      days = DaysFromCivil(year, static_cast<int>(month), static_cast<int>(day));
      if (f.quarter.has_value() && (month - 1) / 3 + 1 != *f.quarter) return std::nullopt;
    }
    if (f.day_of_week.has_value() && IsoDayOfWeek(days) != *f.day_of_week) return std::nullopt;
    int64_t hour = 0;
    if (f.hour.has_value()) {
      hour = *f.hour;
    } else if (f.hour_k.has_value()) {
      hour = *f.hour_k % 24;
    } else if (f.hour_12.has_value() || f.hour_1_12.has_value()) {
      hour = f.hour_12.has_value() ? *f.hour_12 : *f.hour_1_12 % 12;
      if (f.pm == 1) hour += 12;
    } else if (f.pm == 1) {
      hour = 12;
    }
    if (f.hour.has_value() && f.pm.has_value() && (hour >= 12) != (*f.pm == 1)) return std::nullopt;
    DatetimePattern::Parsed parsed;
    const int64_t time = hour * kMicrosPerHour + f.minute.value_or(0) * kMicrosPerMinute +
                         f.second.value_or(0) * kMicrosPerSecond + f.micros.value_or(0);
    int64_t midnight = 0;
    if (__builtin_mul_overflow(days, kMicrosPerDay, &midnight) ||
        __builtin_add_overflow(midnight, time, &parsed.local_micros)) {
      overflows_ = true;
      return std::nullopt;
    }
    if (f.offset.has_value()) {
      parsed.utc_micros = parsed.local_micros - *f.offset * kMicrosPerSecond;
    } else if (f.zone != nullptr) {
      parsed.utc_micros = f.zone->ToUtcMicros(parsed.local_micros);
    }
    return parsed;
  }

  std::string_view text_;
  bool has_era_;
  bool overflows_ = false;
  size_t position_ = 0;
  Fields fields_;
};

std::optional<DatetimePattern::Parsed> DatetimePattern::Parse(std::string_view text, bool* overflows) const {
  if (format_only_ != 0) ThrowSparkError(IllegalCharacter(format_only_, text_));
  DatetimePatternParser parser(text, has_era_);
  auto parsed = parser.Run(items_);
  if (overflows != nullptr) *overflows = parser.overflows();
  return parsed;
}

}  // namespace frazil::engine
