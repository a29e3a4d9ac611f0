#include "frazil/base/clock.h"
#include "frazil/base/text.h"
#include "frazil/types/datetime.h"

namespace frazil {
namespace {

// White space and control characters, which Spark takes off both ends.
std::string_view TrimEnds(std::string_view text) {
  const auto is_trimmed = [](char character) {
    return static_cast<unsigned char>(character) <= 0x20 || character == 0x7F;
  };
  while (!text.empty() && is_trimmed(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_trimmed(text.back())) text.remove_suffix(1);
  return text;
}

// Reads a text from the left.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool Done() const { return at_ == text_.size(); }
  char Peek() const { return Done() ? '\0' : text_[at_]; }
  std::string_view Rest() const { return text_.substr(at_); }
  bool Take(char expected) {
    if (Done() || text_[at_] != expected) return false;
    ++at_;
    return true;
  }

  // A number of `least` to `most` digits; all digits that follow belong to it.
  template <typename T>
  bool Number(int least, int most, T* value) {
    int digits = 0;
    int64_t number = 0;
    for (; !Done() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (++digits > most) return false;
      number = number * 10 + (text_[at_] - '0');
    }
    *value = static_cast<T>(number);
    return digits >= least;
  }

  // Any number of digits behind the point, as millionths.
  int Fraction() {
    int micros = 0;
    int digits = 0;
    for (; !Done() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (digits < 6) {
        micros = micros * 10 + (text_[at_] - '0');
        ++digits;
      }
    }
    for (; digits < 6; ++digits) micros *= 10;
    return micros;
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

bool ParseZone(std::string_view name, std::shared_ptr<const TimeZone>* zone) {
  auto found = TimeZone::Find(TrimControls(name));
  if (!found.ok()) return false;
  *zone = *std::move(found);
  return true;
}

// What may follow the hour.
bool ParseAfterHour(Scanner* scanner, TimestampParts* parts) {
  if (scanner->Done()) return true;
  if (!scanner->Take(':') || !scanner->Number(1, 2, &parts->minute)) return false;
  if (scanner->Done()) return true;
  if (!scanner->Take(':') || !scanner->Number(1, 2, &parts->second)) return false;
  if (scanner->Take('.')) parts->microsecond = scanner->Fraction();
  return scanner->Done() || ParseZone(scanner->Rest(), &parts->zone);
}

bool IsValidTime(const TimestampParts& parts) { return parts.hour < 24 && parts.minute < 60 && parts.second < 60; }

int64_t MicrosOfDay(const TimestampParts& parts) {
  return parts.hour * kMicrosPerHour + parts.minute * kMicrosPerMinute + parts.second * kMicrosPerSecond +
         parts.microsecond;
}

std::optional<int64_t> LocalMicros(int64_t days, const TimestampParts& parts) {
  const __int128 micros = static_cast<__int128>(days) * kMicrosPerDay + MicrosOfDay(parts);
  if (micros > INT64_MAX || micros < INT64_MIN) return std::nullopt;
  return static_cast<int64_t>(micros);
}

// The word in lower case where the text is a word and perhaps a known zone behind it. "now" takes no zone.
std::optional<std::string> SpecialWord(std::string_view text) {
  text = TrimControls(text);
  size_t end = 0;
  const auto is_letter = [](char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
  };
  while (end < text.size() && is_letter(text[end])) ++end;
  if (text.size() < 3 || end == 0) return std::nullopt;
  const std::string word = AsciiLower(text.substr(0, end));
  std::string_view zone = text.substr(end);
  while (!zone.empty() && (zone.front() == ' ' || zone.front() == '\t')) zone.remove_prefix(1);
  if (!zone.empty() && (word == "now" || !TimeZone::Find(zone).ok())) return std::nullopt;
  return word;
}

// Days from today that the word means.
std::optional<int> SpecialDayOffset(std::string_view word) {
  if (word == "today") return 0;
  if (word == "tomorrow") return 1;
  if (word == "yesterday") return -1;
  return std::nullopt;
}

}  // namespace

std::optional<TimestampParts> ParseTimestampParts(std::string_view text) {
  // "T12:30" is a time only where the T is the very first character.
  const bool begins_with_t = text.starts_with('T');
  Scanner scanner(TrimEnds(text));
  if (scanner.Done()) return std::nullopt;
  TimestampParts parts;
  if (begins_with_t) {
    scanner.Take('T');
    parts.only_time = true;
    if (!scanner.Number(1, 2, &parts.hour) || !ParseAfterHour(&scanner, &parts)) return std::nullopt;
    return parts;
  }
  {
    Scanner time = scanner;
    if (time.Number(1, 2, &parts.hour) && time.Peek() == ':') {
      parts.only_time = true;
      if (!ParseAfterHour(&time, &parts)) return std::nullopt;
      return parts;
    }
    parts.hour = 0;
  }
  const bool negative = scanner.Take('-');
  if (!negative) scanner.Take('+');
  if (!scanner.Number(4, 6, &parts.year)) return std::nullopt;
  if (negative) parts.year = -parts.year;
  if (scanner.Done()) return parts;
  if (!scanner.Take('-') || !scanner.Number(1, 2, &parts.month)) return std::nullopt;
  if (scanner.Done()) return parts;
  if (!scanner.Take('-') || !scanner.Number(1, 2, &parts.day)) return std::nullopt;
  if (scanner.Done()) return parts;
  if (!scanner.Take(' ') && !scanner.Take('T')) return std::nullopt;
  if (!scanner.Number(1, 2, &parts.hour) || !ParseAfterHour(&scanner, &parts)) return std::nullopt;
  return parts;
}

std::optional<int32_t> ParseDate(std::string_view text) {
  Scanner scanner(TrimEnds(text));
  const bool negative = scanner.Take('-');
  if (!negative) scanner.Take('+');
  int64_t year = 0;
  int month = 1;
  int day = 1;
  if (!scanner.Number(4, 7, &year)) return std::nullopt;
  if (negative) year = -year;
  if (!scanner.Done() && (!scanner.Take('-') || !scanner.Number(1, 2, &month))) return std::nullopt;
  if (!scanner.Done() && (!scanner.Take('-') || !scanner.Number(1, 2, &day))) return std::nullopt;
  if (!scanner.Done() && scanner.Peek() != ' ' && scanner.Peek() != 'T') return std::nullopt;
  if (!IsValidDate(year, month, day)) return std::nullopt;
  const int64_t days = DaysFromCivil(year, month, day);
  if (days != static_cast<int32_t>(days)) return std::nullopt;
  return static_cast<int32_t>(days);
}

std::optional<int64_t> ParseTimestamp(std::string_view text, const TimeZone& zone) {
  const auto parts = ParseTimestampParts(text);
  if (!parts || !IsValidTime(*parts)) return std::nullopt;
  const TimeZone& named = parts->zone != nullptr ? *parts->zone : zone;
  int64_t days = 0;
  if (parts->only_time) {
    days = CurrentDate(named);
  } else {
    if (!IsValidDate(parts->year, parts->month, parts->day)) return std::nullopt;
    days = DaysFromCivil(parts->year, parts->month, parts->day);
  }
  // The instant may be in range where the wall clock is not, and the other way round.
  const __int128 local = static_cast<__int128>(days) * kMicrosPerDay + MicrosOfDay(*parts);
  const int32_t offset = named.OffsetAtLocal(days * kSecondsPerDay + MicrosOfDay(*parts) / kMicrosPerSecond);
  const __int128 utc = local - static_cast<__int128>(offset) * kMicrosPerSecond;
  if (utc > INT64_MAX || utc < INT64_MIN) return std::nullopt;
  return static_cast<int64_t>(utc);
}

std::optional<int64_t> ParseTimestampNtz(std::string_view text, bool allow_zone) {
  const auto parts = ParseTimestampParts(text);
  if (!parts || parts->only_time || (!allow_zone && parts->zone != nullptr)) return std::nullopt;
  if (!IsValidTime(*parts) || !IsValidDate(parts->year, parts->month, parts->day)) return std::nullopt;
  return LocalMicros(DaysFromCivil(parts->year, parts->month, parts->day), *parts);
}

std::optional<int64_t> ParseTime(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  bool is_am = false;
  bool is_pm = false;
  if (text.size() > 2 && (text.back() == 'M' || text.back() == 'm')) {
    const char before = text[text.size() - 2];
    is_am = before == 'A' || before == 'a';
    is_pm = before == 'P' || before == 'p';
    if (is_am || is_pm) text.remove_suffix(2);
  }
  auto parts = ParseTimestampParts(text);
  if (!parts || !parts->only_time || parts->zone != nullptr) return std::nullopt;
  if (is_am || is_pm) {
    if (parts->hour < 1 || parts->hour > 12) return std::nullopt;
    parts->hour = parts->hour % 12 + (is_pm ? 12 : 0);
  }
  if (!IsValidTime(*parts)) return std::nullopt;
  return MicrosOfDay(*parts);
}

std::optional<int32_t> ParseSpecialDate(std::string_view text, const TimeZone& zone) {
  const auto word = SpecialWord(text);
  if (!word) return std::nullopt;
  if (*word == "epoch") return 0;
  if (*word == "now") return CurrentDate(zone);
  const auto offset = SpecialDayOffset(*word);
  if (!offset) return std::nullopt;
  return CurrentDate(zone) + *offset;
}

std::optional<int64_t> ParseSpecialTimestamp(std::string_view text, const TimeZone& zone) {
  const auto word = SpecialWord(text);
  if (!word) return std::nullopt;
  if (*word == "epoch") return 0;
  if (*word == "now") return NowMicros();
  const auto offset = SpecialDayOffset(*word);
  if (!offset) return std::nullopt;
  return TimestampOfDate(CurrentDate(zone) + *offset, zone);
}

std::optional<int64_t> ParseSpecialTimestampNtz(std::string_view text, const TimeZone& zone) {
  const auto word = SpecialWord(text);
  if (!word) return std::nullopt;
  if (*word == "epoch") return 0;
  if (*word == "now") return zone.ToLocalMicros(NowMicros());
  const auto offset = SpecialDayOffset(*word);
  if (!offset) return std::nullopt;
  return (CurrentDate(zone) + *offset) * kMicrosPerDay;
}

}  // namespace frazil
