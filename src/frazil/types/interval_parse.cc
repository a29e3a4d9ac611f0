// Texts of CAST(string AS INTERVAL ...): year-month and day-time intervals.

#include <array>

#include "frazil/base/text.h"
#include "frazil/types/calendar.h"
#include "frazil/types/interval.h"

namespace frazil {
namespace {

// A text without the blanks and control characters around it, as a bare value with its sign.
struct IntervalText {
  bool negative = false;
  bool is_literal = false;  ///< INTERVAL '...' FIELD [TO FIELD] with the fields asked for.
  std::string_view value;
};

bool IsBlank(char character) { return character == ' ' || (character >= '\t' && character <= '\r'); }

void SkipBlanks(std::string_view* text) {
  while (!text->empty() && IsBlank(text->front())) text->remove_prefix(1);
}

// Spark's patterns read '|' as a sign too: no minus.
bool TakeSign(std::string_view* text) {
  if (text->empty()) return false;
  const char first = text->front();
  if (first != '-' && first != '+' && first != '|') return false;
  text->remove_prefix(1);
  return first == '-';
}

bool TakeWord(std::string_view* text, std::string_view word) {
  if (!EqualsIgnoreCase(text->substr(0, word.size()), word)) return false;
  text->remove_prefix(word.size());
  return true;
}

bool TakeBlankAndWord(std::string_view* text, std::string_view word) {
  const size_t before = text->size();
  SkipBlanks(text);
  return text->size() < before && TakeWord(text, word);
}

// Nothing where the text begins as a literal but is none of these fields.
std::optional<IntervalText> Unwrap(std::string_view text, IntervalField start, IntervalField end) {
  IntervalText result;
  std::string_view rest = text;
  if (!TakeWord(&rest, "interval")) {
    result.negative = TakeSign(&text);
    result.value = text;
    return result;
  }
  if (rest.empty() || !IsBlank(rest.front())) return std::nullopt;
  SkipBlanks(&rest);
  const bool outer_negative = TakeSign(&rest);
  if (rest.empty() || rest.front() != '\'') return std::nullopt;
  rest.remove_prefix(1);
  const size_t quote = rest.find('\'');
  if (quote == std::string_view::npos) return std::nullopt;
  result.value = rest.substr(0, quote);
  rest.remove_prefix(quote + 1);
  if (!TakeBlankAndWord(&rest, IntervalFieldName(start))) return std::nullopt;
  if (start != end && (!TakeBlankAndWord(&rest, "to") || !TakeBlankAndWord(&rest, IntervalFieldName(end)))) {
    return std::nullopt;
  }
  if (!rest.empty()) return std::nullopt;
  result.negative = TakeSign(&result.value) != outer_negative;
  result.is_literal = true;
  return result;
}

std::string FormatOf(IntervalField start, IntervalField end) {
  static constexpr std::array<std::string_view, 6> kLetters = {"y", "m", "d", "h", "m", "s.n"};
  static constexpr std::array<std::string_view, 6> kSeparators = {"", "-", "", " ", ":", ":"};
  std::string format;
  for (auto i = static_cast<size_t>(start); i <= static_cast<size_t>(end); ++i) {
    if (i > static_cast<size_t>(start)) format += kSeparators[i];
    format += kLetters[i];
  }
  std::string fields = AsciiUpper(IntervalFieldName(start));
  if (start != end) fields += " TO " + AsciiUpper(IntervalFieldName(end));
  return "`[+|-]" + format + "`, `INTERVAL [+|-]'[+|-]" + format + "' " + fields + "`";
}

Error Unmatched(std::string_view input, const DataType& type) {
  const bool year_month = type.id() == TypeId::kYearMonthInterval;
  return Error::Of(year_month ? "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING"
                              : "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING_WITH_NOTICE",
                   {{"intervalStr", year_month ? "year-month" : "day-time"},
                    {"supportedFormat", FormatOf(type.start_field(), type.end_field())},
                    {"typeName", type.TypeName()},
                    {"input", std::string(input)}});
}

Error CannotParse(std::string_view input, std::string_view interval) {
  return Error::Of("INVALID_INTERVAL_FORMAT.INTERVAL_PARSING",
                   {{"input", std::string(input)}, {"interval", std::string(interval)}});
}

Error OutOfRange(std::string_view field, int64_t value, int64_t largest) {
  return Error::Plain(ExceptionClass::kIllegalArgument, "requirement failed: " + std::string(field) + " " +
                                                            std::to_string(value) + " outside range [0, " +
                                                            std::to_string(largest) + "]");
}

// One to `most` digits. Numbers above the range of int64 come back as its largest value.
std::optional<int64_t> TakeNumber(std::string_view* text, size_t most) {
  size_t digits = 0;
  int64_t number = 0;
  while (digits < text->size() && (*text)[digits] >= '0' && (*text)[digits] <= '9') {
    if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, (*text)[digits] - '0', &number)) {
      number = INT64_MAX;
    }
    ++digits;
  }
  if (digits == 0 || digits > most) return std::nullopt;
  text->remove_prefix(digits);
  return number;
}

// ".123456789" as microseconds; the digits beyond are cut off. Nothing stands for no fraction.
std::optional<int64_t> TakeFraction(std::string_view* text) {
  if (text->empty()) return 0;
  if (text->front() != '.') return std::nullopt;
  text->remove_prefix(1);
  if (text->empty() || text->size() > 9) return std::nullopt;
  int64_t micros = 0;
  for (size_t i = 0; i < text->size(); ++i) {
    const char digit = (*text)[i];
    if (digit < '0' || digit > '9') return std::nullopt;
    if (i < 6) micros = micros * 10 + (digit - '0');
  }
  for (size_t i = text->size(); i < 6; ++i) micros *= 10;
  *text = {};
  return micros;
}

Result<int32_t> ToMonths(std::string_view input, bool negative, __int128 magnitude) {
  const __int128 months = negative ? -magnitude : magnitude;
  if (months < INT32_MIN || months > INT32_MAX) return CannotParse(input, "year-month");
  return static_cast<int32_t>(months);
}

// The largest value of the first field, and how many digits Spark's patterns let it have.
struct FieldLimit {
  int64_t largest;
  size_t digits;
};

FieldLimit LimitOf(IntervalField field, bool is_first) {
  switch (field) {
    case IntervalField::kDay:
      return {INT64_MAX / kMicrosPerDay, 9};
    case IntervalField::kHour:
      return is_first ? FieldLimit{INT64_MAX / kMicrosPerHour, 10} : FieldLimit{23, 2};
    case IntervalField::kMinute:
      return is_first ? FieldLimit{INT64_MAX / kMicrosPerMinute, 12} : FieldLimit{59, 2};
    case IntervalField::kSecond:
      return is_first ? FieldLimit{INT64_MAX / kMicrosPerSecond, 13} : FieldLimit{59, 2};
    case IntervalField::kYear:
    case IntervalField::kMonth:
      break;
  }
  return {0, 0};
}

}  // namespace

Result<int32_t> ParseYearMonthInterval(std::string_view text, IntervalField start, IntervalField end) {
  const std::string_view input = TrimControls(text);
  const auto unmatched = [&] { return Unmatched(text, *DataType::YearMonthInterval(start, end)); };
  const auto unwrapped = Unwrap(input, start, end);
  if (!unwrapped) return unmatched();
  std::string_view rest = unwrapped->value;
  const auto first = TakeNumber(&rest, rest.size());
  if (!first) return unmatched();
  if (start == end) {
    if (!rest.empty()) return unmatched();
    return ToMonths(input, unwrapped->negative,
                    static_cast<__int128>(*first) * (start == IntervalField::kYear ? 12 : 1));
  }
  if (!rest.starts_with('-')) return unmatched();
  rest.remove_prefix(1);
  const auto months = TakeNumber(&rest, rest.size());
  if (!months || !rest.empty()) return unmatched();
  if (*first > INT32_MAX / 12 || *months > 11) return CannotParse(input, "year-month");
  return ToMonths(input, unwrapped->negative, static_cast<__int128>(*first) * 12 + *months);
}

Result<int64_t> ParseDayTimeInterval(std::string_view text, IntervalField start, IntervalField end) {
  const std::string_view input = TrimControls(text);
  const auto unmatched = [&] { return Unmatched(text, *DataType::DayTimeInterval(start, end)); };
  const auto unwrapped = Unwrap(input, start, end);
  if (!unwrapped) return unmatched();
  std::string_view rest = unwrapped->value;
  __int128 micros = 0;
  // All fields are read before any is checked: another form is told before a value out of range.
  std::optional<Error> out_of_range;
  for (auto i = static_cast<int>(start); i <= static_cast<int>(end); ++i) {
    const auto field = static_cast<IntervalField>(i);
    if (field != start) {
      if (!rest.starts_with(field == IntervalField::kHour ? ' ' : ':')) return unmatched();
      rest.remove_prefix(1);
    }
    const FieldLimit limit = LimitOf(field, field == start);
    const auto value = TakeNumber(&rest, limit.digits);
    if (!value) return unmatched();
    if (*value > limit.largest && !out_of_range)
      out_of_range = OutOfRange(IntervalFieldName(field), *value, limit.largest);
    micros += static_cast<__int128>(*value) * MicrosPerField(field);
  }
  if (end == IntervalField::kSecond) {
    const auto fraction = TakeFraction(&rest);
    if (!fraction) return unmatched();
    micros += *fraction;
  }
  if (!rest.empty()) return unmatched();
  if (out_of_range && start != end) return *out_of_range;
  if (unwrapped->negative) micros = -micros;
  if (micros > INT64_MAX || micros < INT64_MIN) {
    if (start == end) return CannotParse(input, "day-time");
    return Error::Plain(ExceptionClass::kArithmetic, "long overflow");
  }
  return static_cast<int64_t>(micros);
}

}  // namespace frazil
