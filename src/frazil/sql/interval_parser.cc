// INTERVAL literals: INTERVAL 3 DAYS 2 HOURS, INTERVAL '1-2' YEAR TO MONTH, INTERVAL '1 day 2 hours'.
// One kind of fields makes an ANSI interval whose type spans the fields written; spark.sql.legacy.interval.enabled asks
// for calendar intervals instead.

#include <algorithm>
#include <cctype>
#include <limits>
#include <sstream>

#include "frazil/base/origin.h"
#include "frazil/base/text.h"
#include "frazil/sql/parse_error.h"
#include "frazil/sql/parser_internal.h"
#include "frazil/types/calendar.h"
#include "frazil/types/interval.h"

namespace frazil::sql {
namespace {

/// "days" -> "day"; other words as they are, in lower case.
std::string SingularUnit(std::string_view word) {
  std::string unit = AsciiLower(word);
  if (!unit.empty() && unit.back() == 's') unit.pop_back();
  return unit;
}

/// The field that a unit belongs to; nothing if the word is no unit.
std::optional<IntervalField> FieldOfUnit(std::string_view word) {
  const std::string unit = SingularUnit(word);
  if (unit == "year") return IntervalField::kYear;
  if (unit == "month") return IntervalField::kMonth;
  if (unit == "week" || unit == "day") return IntervalField::kDay;
  if (unit == "hour") return IntervalField::kHour;
  if (unit == "minute") return IntervalField::kMinute;
  if (unit == "second" || unit == "millisecond" || unit == "microsecond" || unit == "nanosecond")
    return IntervalField::kSecond;
  return std::nullopt;
}

/// Fields that may stand before or after TO.
std::optional<IntervalField> FieldOfRange(Keyword keyword) {
  switch (keyword) {
    case Keyword::kYear:
      return IntervalField::kYear;
    case Keyword::kMonth:
      return IntervalField::kMonth;
    case Keyword::kDay:
      return IntervalField::kDay;
    case Keyword::kHour:
      return IntervalField::kHour;
    case Keyword::kMinute:
      return IntervalField::kMinute;
    case Keyword::kSecond:
      return IntervalField::kSecond;
    default:
      return std::nullopt;
  }
}

bool HasLetter(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
}

struct TypedInterval {
  DataTypePtr type;
  Value value;
};

/// The ANSI interval over the fields of `units`.
Result<TypedInterval> ToAnsi(const CalendarIntervalValue& interval, const std::vector<std::string>& units,
                             const std::string& text) {
  std::optional<IntervalField> low;
  std::optional<IntervalField> high;
  bool year_month = false;
  bool day_time = false;
  for (const std::string& unit : units) {
    const std::optional<IntervalField> field = FieldOfUnit(unit);
    if (!field) continue;
    (*field <= IntervalField::kMonth ? year_month : day_time) = true;
    low = low ? std::min(*low, *field) : *field;
    high = high ? std::max(*high, *field) : *field;
  }
  if (year_month && day_time) return Error::Parse("_LEGACY_ERROR_TEMP_0029", {{"literal", text}});
  if (year_month)
    return TypedInterval{DataType::YearMonthInterval(*low, *high), Value(static_cast<int64_t>(interval.months))};
  int64_t micros = 0;
  if (__builtin_mul_overflow(static_cast<int64_t>(interval.days), kMicrosPerDay, &micros) ||
      __builtin_add_overflow(micros, interval.micros, &micros)) {
    return Error::Parse("INVALID_INTERVAL_FORMAT.ARITHMETIC_EXCEPTION", {{"input", text}});
  }
  return TypedInterval{
      DataType::DayTimeInterval(low.value_or(IntervalField::kDay), high.value_or(IntervalField::kSecond)),
      Value(micros)};
}

}  // namespace

bool Parser::AtInterval() const {
  if (!At(Keyword::kInterval)) return false;
  size_t at = 1;
  if (At(TokenType::kPlus, at) || At(TokenType::kMinus, at)) ++at;
  if (At(TokenType::kInteger, at) || At(TokenType::kDecimal, at) || IsStringToken(at) || At(TokenType::kQuestion, at)) {
    return At(TokenType::kWord, at + 1) && FieldOfUnit(Peek(at + 1).text).has_value();
  }
  return At(TokenType::kColon, at) && At(TokenType::kWord, at + 2) && FieldOfUnit(Peek(at + 2).text).has_value();
}

Result<plan::ExprPtr> Parser::UnitToUnitInterval(size_t first) {
  const bool negative = At(TokenType::kMinus);
  if (negative || At(TokenType::kPlus)) Skip();
  if (!AtStringLiteral()) return ErrorFrom(first, "_LEGACY_ERROR_TEMP_0027");
  FRAZIL_ASSIGN_OR_RETURN(std::string text, StringLiteral(false));
  if (negative && text.starts_with('-')) {
    text.erase(0, 1);
  } else if (negative) {
    text.insert(0, 1, '-');
  }
  const std::optional<IntervalField> from = FieldOfRange(Peek().keyword);
  const std::string from_text = AsciiLower(Peek().text);
  Skip();
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kTo));
  const std::optional<IntervalField> to = FieldOfRange(Peek().keyword);
  const std::string to_text = AsciiLower(Peek().text);
  if (!from || !to) return SyntaxError();
  Skip();
  const bool another = IsStringToken() || At(TokenType::kInteger) || (At(TokenType::kMinus) && IsStringToken(1));
  if (another && At(TokenType::kWord, 1) && FieldOfUnit(Peek(1).text))
    return ErrorFrom(first, "_LEGACY_ERROR_TEMP_0024");
  const bool year_month = *from == IntervalField::kYear && *to == IntervalField::kMonth;
  const bool day_time = *from >= IntervalField::kDay && *from < *to;
  if (!year_month && !day_time) {
    return ErrorFrom(first, "INVALID_INTERVAL_FORMAT.UNSUPPORTED_FROM_TO_EXPRESSION",
                     {{"input", text}, {"from", from_text}, {"to", to_text}});
  }
  const auto wrapped = [&](Error error) {
    error.exception_class = ExceptionClass::kParse;
    return AtOrigin(std::move(error), OriginFrom(first));
  };
  if (year_month) {
    auto months = ParseYearMonthInterval(text, *from, *to);
    if (!months.ok()) return wrapped(std::move(months).error());
    if (options_.legacy_interval) {
      return plan::MakeLiteralExpr(DataType::CalendarInterval(), Value(CalendarIntervalValue{*months, 0, 0}),
                                   OriginFrom(first));
    }
    return plan::MakeLiteralExpr(DataType::YearMonthInterval(*from, *to), Value(static_cast<int64_t>(*months)),
                                 OriginFrom(first));
  }
  auto micros = ParseDayTimeInterval(text, *from, *to);
  if (!micros.ok()) return wrapped(std::move(micros).error());
  if (options_.legacy_interval) {
    const CalendarIntervalValue value{0, static_cast<int32_t>(*micros / kMicrosPerDay), *micros % kMicrosPerDay};
    return plan::MakeLiteralExpr(DataType::CalendarInterval(), Value(value), OriginFrom(first));
  }
  return plan::MakeLiteralExpr(DataType::DayTimeInterval(*from, *to), Value(*micros), OriginFrom(first));
}

Result<plan::ExprPtr> Parser::Interval() {
  const size_t first = pos_;
  Skip();
  const auto at_value = [&](size_t* length) {
    size_t at = At(TokenType::kPlus) || At(TokenType::kMinus) ? 1 : 0;
    if (At(TokenType::kInteger, at) || At(TokenType::kDecimal, at) || IsStringToken(at) ||
        At(TokenType::kQuestion, at)) {
      *length = at + 1;
    } else if (At(TokenType::kColon, at)) {
      *length = at + 2;
    } else {
      return false;
    }
    return At(TokenType::kWord, *length) && FieldOfUnit(Peek(*length).text).has_value();
  };
  size_t length = 0;
  at_value(&length);
  if (At(Keyword::kTo, length + 1) && FieldOfRange(Peek(length + 2).keyword)) return UnitToUnitInterval(first);
  std::string text;
  std::vector<std::string> units;
  while (at_value(&length)) {
    if (!units.empty() && At(Keyword::kTo, length + 1) && FieldOfRange(Peek(length + 2).keyword)) {
      return ErrorFrom(first, "_LEGACY_ERROR_TEMP_0024");
    }
    const bool negative = At(TokenType::kMinus);
    if (negative || At(TokenType::kPlus)) Skip();
    std::string value;
    if (At(TokenType::kInteger) || At(TokenType::kDecimal)) {
      value = std::string(Peek().text);
      Skip();
    } else {
      FRAZIL_ASSIGN_OR_RETURN(value, StringLiteral(false));
      if (HasLetter(value)) return ErrorFrom(first, "_LEGACY_ERROR_TEMP_0026", {{"value", value}});
    }
    if (negative) value = value.starts_with('-') ? value.substr(1) : "-" + value;
    text += " " + value + " " + std::string(Peek().text);
    units.emplace_back(Peek().text);
    Skip();
  }
  auto interval = ParseCalendarInterval(text);
  if (!interval.ok()) {
    Error error = std::move(interval).error();
    error.exception_class = ExceptionClass::kParse;
    return AtOrigin(std::move(error), OriginFrom(first));
  }
  if (options_.legacy_interval)
    return plan::MakeLiteralExpr(DataType::CalendarInterval(), Value(*interval), OriginFrom(first));
  auto typed = ToAnsi(*interval, units, SourceFrom(first));
  if (!typed.ok()) return AtOrigin(std::move(typed).error(), OriginFrom(first));
  return plan::MakeLiteralExpr(typed->type, std::move(typed->value), OriginFrom(first));
}

Result<plan::ExprPtr> Parser::IntervalFromText(size_t first, const std::string& text) {
  auto interval = ParseCalendarInterval(text);
  if (!interval.ok()) {
    return ErrorFrom(first, "INVALID_TYPED_LITERAL", {{"valueType", "\"INTERVAL\""}, {"value", "'" + text + "'"}});
  }
  if (options_.legacy_interval)
    return plan::MakeLiteralExpr(DataType::CalendarInterval(), Value(*interval), OriginFrom(first));
  std::vector<std::string> units;
  std::istringstream words(AsciiLower(text));
  for (std::string word; words >> word;) {
    const bool letters = std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    if (letters && word != "interval") units.push_back(word);
  }
  auto typed = ToAnsi(*interval, units, SourceFrom(first));
  if (!typed.ok()) return AtOrigin(std::move(typed).error(), OriginFrom(first));
  return plan::MakeLiteralExpr(typed->type, std::move(typed->value), OriginFrom(first));
}

}  // namespace frazil::sql
