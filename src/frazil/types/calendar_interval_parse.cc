// "interval 1 year -2 days 3.5 seconds".

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/types/calendar.h"
#include "frazil/types/interval.h"

namespace frazil {
namespace {

bool IsBlank(char character) {
  return character == ' ' || (character >= '\t' && character <= '\r') || (character >= 0x1C && character <= 0x1F);
}
bool IsDigit(char character) { return character >= '0' && character <= '9'; }

class CalendarIntervalParser {
 public:
  explicit CalendarIntervalParser(std::string_view input) : input_(input), text_(AsciiLower(TrimEnds(input))) {}

  Result<CalendarIntervalValue> Parse() {
    if (text_.empty()) return Bad("INPUT_IS_EMPTY", {});
    constexpr std::string_view kPrefix = "interval";
    if (text_.starts_with(kPrefix)) {
      if (text_.size() == kPrefix.size()) return Bad("INPUT_IS_EMPTY", {});
      if (!IsBlank(text_[kPrefix.size()])) return Bad("INVALID_PREFIX", {{"prefix", WordAt(0)}});
      at_ = kPrefix.size();
    }
    SkipBlanks();
    while (at_ < text_.size()) {
      FRAZIL_RETURN_IF_ERROR(ParsePart());
      SkipBlanks();
    }
    return interval_;
  }

 private:
  static std::string_view TrimEnds(std::string_view text) {
    const auto is_trimmed = [](char character) {
      return static_cast<unsigned char>(character) <= 0x20 || character == 0x7F;
    };
    while (!text.empty() && is_trimmed(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_trimmed(text.back())) text.remove_suffix(1);
    return text;
  }

  Error Bad(std::string_view kind, Error::Parameters parameters) const {
    parameters.insert(parameters.begin(), {"input", std::string(input_)});
    return Error::Of("INVALID_INTERVAL_FORMAT." + std::string(kind), std::move(parameters));
  }

  // The word that the position lies in (or the last one).
  std::string WordAt(size_t at) const {
    size_t start = std::min(at, text_.size());
    if (start == text_.size() && start > 0) --start;
    while (start > 0 && !IsBlank(text_[start - 1])) --start;
    size_t end = start;
    while (end < text_.size() && !IsBlank(text_[end])) ++end;
    return text_.substr(start, end - start);
  }

  void SkipBlanks() {
    while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
  }

  // Sign, number, unit.
  Status ParsePart() {
    bool negative = false;
    bool began_with_point = false;
    bool has_fraction = false;
    int64_t number = 0;
    int64_t fraction = 0;  // millionths
    const char first = text_[at_];
    if (first == '-' || first == '+') {
      negative = first == '-';
      ++at_;
      SkipBlanks();
      if (at_ == text_.size()) return Bad("MISSING_NUMBER", {{"word", WordAt(at_)}});
      if (!IsDigit(text_[at_]) && text_[at_] != '.') return Bad("INVALID_VALUE", {{"value", WordAt(at_)}});
    } else if (first == '.') {
      began_with_point = true;
    } else if (!IsDigit(first)) {
      return Bad("UNRECOGNIZED_NUMBER", {{"number", WordAt(at_)}});
    }
    for (; at_ < text_.size() && IsDigit(text_[at_]); ++at_) {
      if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, text_[at_] - '0', &number)) {
        return Bad("ARITHMETIC_EXCEPTION", {});
      }
    }
    if (at_ < text_.size() && text_[at_] == '.') {
      has_fraction = true;
      ++at_;
      FRAZIL_RETURN_IF_ERROR(ParseFraction(began_with_point, &fraction));
    }
    if (at_ == text_.size()) return Bad("MISSING_UNIT", {{"word", WordAt(at_)}});
    if (!IsBlank(text_[at_])) return Bad("INVALID_VALUE", {{"value", WordAt(at_)}});
    SkipBlanks();
    if (at_ == text_.size()) return Bad("MISSING_UNIT", {{"word", WordAt(at_)}});
    if (has_fraction && text_[at_] != 's') return Bad("INVALID_FRACTION", {{"unit", WordAt(at_)}});
    return AddUnit(negative ? -number : number, negative ? -fraction : fraction);
  }

  // At most nine digits; a number that began with the point needs one.
  Status ParseFraction(bool needs_digit, int64_t* micros) {
    int digits = 0;
    for (; at_ < text_.size() && IsDigit(text_[at_]); ++at_) {
      if (++digits > 9) return Bad("INVALID_PRECISION", {{"value", WordAt(at_)}});
      if (digits <= 6) *micros = *micros * 10 + (text_[at_] - '0');
    }
    for (int i = digits; i < 6; ++i) *micros *= 10;
    if (needs_digit && digits == 0 && at_ < text_.size()) return Bad("INVALID_VALUE", {{"value", WordAt(at_)}});
    return {};
  }

  template <typename T>
  static bool Accumulate(T* total, int64_t count, int64_t size) {
    __int128 sum = static_cast<__int128>(count) * size + *total;
    *total = static_cast<T>(sum);
    return *total == sum;
  }

  Status AddUnit(int64_t number, int64_t fraction) {
    struct Unit {
      std::string_view name;
      int64_t size;
      enum Part { kMonths, kDays, kMicros } part;
    };
    // "minute" and "millisecond" stand behind "month" in the order in which Spark tries them.
    static constexpr Unit kUnits[] = {
        {"year", 12, Unit::kMonths},
        {"week", 7, Unit::kDays},
        {"day", 1, Unit::kDays},
        {"hour", kMicrosPerHour, Unit::kMicros},
        {"second", kMicrosPerSecond, Unit::kMicros},
        {"month", 1, Unit::kMonths},
        {"minute", kMicrosPerMinute, Unit::kMicros},
        {"millisecond", kMicrosPerMillisecond, Unit::kMicros},
        {"microsecond", 1, Unit::kMicros},
    };
    const std::string_view rest = std::string_view(text_).substr(at_);
    for (const auto& unit : kUnits) {
      if (!rest.starts_with(unit.name)) continue;
      bool fits = true;
      switch (unit.part) {
        case Unit::kMonths:
          fits = Accumulate(&interval_.months, number, unit.size);
          break;
        case Unit::kDays:
          fits = Accumulate(&interval_.days, number, unit.size);
          break;
        case Unit::kMicros:
          fits = Accumulate(&interval_.micros, number, unit.size) && Accumulate(&interval_.micros, fraction, 1);
          break;
      }
      if (!fits) return Bad("ARITHMETIC_EXCEPTION", {});
      at_ += unit.name.size();
      if (at_ < text_.size() && text_[at_] == 's') ++at_;
      if (at_ < text_.size() && !IsBlank(text_[at_])) return Bad("INVALID_UNIT", {{"unit", WordAt(at_)}});
      return {};
    }
    return Bad("INVALID_UNIT", {{"unit", WordAt(at_)}});
  }

  std::string_view input_;
  std::string text_;
  size_t at_ = 0;
  CalendarIntervalValue interval_;
};

}  // namespace

Result<CalendarIntervalValue> ParseCalendarInterval(std::string_view text) {
  return CalendarIntervalParser(text).Parse();
}

}  // namespace frazil
