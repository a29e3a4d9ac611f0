#include "frazil/tables/files/partition_types.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/types/datetime.h"
#include "frazil/types/decimal.h"

namespace frazil::tables {
namespace {

constexpr int kIntegerDigits = 10, kLongDigits = 20;  // As decimals.

/// Whether each character of the text is one of the class that the form names at its place: 0 a digit, else itself.
bool HasForm(std::string_view text, std::string_view form) {
  return text.size() == form.size() && std::equal(text.begin(), text.end(), form.begin(), [](char found, char wanted) {
           return wanted == '0' ? std::isdigit(static_cast<unsigned char>(found)) != 0 : found == wanted;
         });
}

/// Integer.parseInt: a sign may stand before the digits.
template <typename Integer>
std::optional<Integer> ParseSigned(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  return ParseInteger<Integer>(text);
}

/// How many digits there are at the beginning.
size_t Digits(std::string_view text, bool hexadecimal) {
  size_t count = 0;
  while (count < text.size() && (hexadecimal ? std::isxdigit(static_cast<unsigned char>(text[count]))
                                             : std::isdigit(static_cast<unsigned char>(text[count]))) != 0)
    ++count;
  return count;
}

/// Double.parseDouble: blanks around it, d or f behind it, hexadecimal numbers.
std::optional<double> ParseJavaDouble(std::string_view text) {
  text = TrimControls(text);
  std::string_view rest = text;
  if (rest.starts_with('+') || rest.starts_with('-')) rest.remove_prefix(1);
  const bool is_special = rest == "NaN" || rest == "Infinity";
  if (!is_special) {
    const bool hexadecimal = rest.starts_with("0x") || rest.starts_with("0X");
    if (hexadecimal) rest.remove_prefix(2);
    const size_t whole = Digits(rest, hexadecimal);
    rest.remove_prefix(whole);
    size_t fraction = 0;
    if (rest.starts_with('.')) {
      fraction = Digits(rest.substr(1), hexadecimal);
      rest.remove_prefix(1 + fraction);
    }
    if (whole + fraction == 0) return std::nullopt;
    const char mark = hexadecimal ? 'p' : 'e';
    if (!rest.empty() && std::tolower(static_cast<unsigned char>(rest[0])) == mark) {
      rest.remove_prefix(1);
      if (rest.starts_with('+') || rest.starts_with('-')) rest.remove_prefix(1);
      const size_t digits = Digits(rest, false);
      if (digits == 0) return std::nullopt;
      rest.remove_prefix(digits);
    } else if (hexadecimal) {
      return std::nullopt;
    }
    if (rest.size() > 1 || (rest.size() == 1 && std::string_view("dDfF").find(rest[0]) == std::string_view::npos))
      return std::nullopt;
  }
  // Too large is infinite and too small zero, as in Java; what may stand behind the number ends it.
  return std::strtod(std::string(text).c_str(), nullptr);
}

/// A number without digits behind the point, as it is written: "1e5".
std::optional<ParsedDecimal> ParseWhole(std::string_view text) {
  auto parsed = ParseDecimal(text);
  const size_t point = text.find('.');
  if (!parsed || parsed->shape.scale > 0) return std::nullopt;
  // BigDecimal's scale counts the digits behind the point, less the exponent: 1.0 has one.
  const size_t mark = std::min(text.find_first_of("eE"), text.size());
  const int64_t fraction = point == std::string_view::npos ? 0 : static_cast<int64_t>(mark - point - 1);
  const int64_t exponent = mark == text.size() ? 0 : ParseSigned<int64_t>(text.substr(mark + 1)).value_or(0);
  return fraction > exponent ? std::nullopt : parsed;
}

/// The type of decimal that such a number has: as many digits as are written.
DataTypePtr WholeType(std::string_view text, const ParsedDecimal& parsed) {
  const size_t mark = std::min(text.find_first_of("eE"), text.size());
  const bool is_zero = parsed.unscaled == 0;
  const int64_t exponent = mark == text.size() ? 0 : ParseSigned<int64_t>(text.substr(mark + 1)).value_or(0);
  const int precision = is_zero ? static_cast<int>(1 + std::max<int64_t>(0, exponent)) : parsed.shape.precision;
  return precision > 38 ? nullptr : DataType::Decimal(precision, 0);
}

DataTypePtr TypeOf(const std::optional<std::string>& value) {
  if (!value) return DataType::Null();
  const std::string& text = *value;
  if (ParseSigned<int32_t>(text)) return DataType::Integer();
  if (ParseSigned<int64_t>(text)) return DataType::Long();
  if (const auto whole = ParseWhole(text)) {
    if (auto type = WholeType(text, *whole)) return type;
  }
  if (ParseJavaDouble(text)) return DataType::Double();
  const bool is_timestamp = HasForm(text, "0000-00-00 00:00:00") || HasForm(text, "0000-00-00 00:00:00.0");
  if (is_timestamp && ParseTimestamp(text, *TimeZone::Utc())) return DataType::Timestamp();
  if (HasForm(text, "0000-00-00") && ParseDate(text)) return DataType::Date();
  const std::string_view time = "00:00:00.000000";
  const bool is_time =
      text.size() >= 8 && text.size() != 9 && text.size() <= time.size() && HasForm(text, time.substr(0, text.size()));
  if (is_time && ParseTime(text)) return DataType::Time();
  return DataType::String();
}

/// The type that two values have in common.
DataTypePtr Wider(const DataTypePtr& left, const DataTypePtr& right) {
  if (left->Equals(*right)) return left;
  if (left->id() == TypeId::kNull) return right;
  if (right->id() == TypeId::kNull) return left;
  const auto are = [&](TypeId one, TypeId other) {
    return (left->id() == one && right->id() == other) || (left->id() == other && right->id() == one);
  };
  if (are(TypeId::kInteger, TypeId::kLong)) return DataType::Long();
  // A long would lose digits as a double.
  if (are(TypeId::kInteger, TypeId::kDouble)) return DataType::Double();
  if (are(TypeId::kDate, TypeId::kTimestamp)) return DataType::Timestamp();
  const auto digits = [](const DataType& type) {
    return type.id() == TypeId::kInteger ? kIntegerDigits : type.id() == TypeId::kLong ? kLongDigits : type.precision();
  };
  if (are(TypeId::kInteger, TypeId::kDecimal) || are(TypeId::kLong, TypeId::kDecimal) ||
      are(TypeId::kDecimal, TypeId::kDecimal))
    return DataType::Decimal(std::max(digits(*left), digits(*right)), 0);
  return DataType::String();
}

}  // namespace

DataTypePtr InferPartitionType(const std::vector<const std::optional<std::string>*>& texts) {
  DataTypePtr type = DataType::Null();
  for (const auto* text : texts) type = Wider(type, TypeOf(*text));
  return type;
}

Result<Value> PartitionTextToValue(const std::optional<std::string>& text, const DataType& type, const TimeZone& zone) {
  if (!text.has_value()) return Value();
  const auto value_or_error = [&](std::optional<Value> value) -> Result<Value> {
    if (value) return *std::move(value);
    return Error::Of(ExceptionClass::kSparkRuntime, "INVALID_PARTITION_VALUE",
                     {{"value", "'" + *text + "'"}, {"dataType", "\"" + type.Sql() + "\""}, {"columnName", ""}});
  };
  const auto of_number = [](const auto& number) {
    return number ? std::optional<Value>(Value(*number)) : std::nullopt;
  };
  switch (type.id()) {
    case TypeId::kString:
    case TypeId::kBinary:
      return Value(*text);
    case TypeId::kByte:
    case TypeId::kShort:
    case TypeId::kInteger:
    case TypeId::kLong:
      return value_or_error(of_number(ParseSigned<int64_t>(*text)));
    case TypeId::kBoolean:
      if (EqualsIgnoreCase(*text, "true")) return Value(true);
      if (EqualsIgnoreCase(*text, "false")) return Value(false);
      return value_or_error(std::nullopt);
    case TypeId::kFloat: {
      const auto number = ParseJavaDouble(*text);
      return value_or_error(number ? std::optional<Value>(Value(static_cast<float>(*number))) : std::nullopt);
    }
    case TypeId::kDouble:
      return value_or_error(of_number(ParseJavaDouble(*text)));
    case TypeId::kDate: {
      const auto days = ParseDate(*text);
      return value_or_error(days ? std::optional<Value>(Value(int64_t{*days})) : std::nullopt);
    }
    case TypeId::kTimestamp:
      return value_or_error(of_number(ParseTimestamp(*text, zone)));
    case TypeId::kTimestampNtz:
      return value_or_error(of_number(ParseTimestampNtz(*text)));
    case TypeId::kTime: {
      const auto micros = ParseTime(*text);
      return value_or_error(micros ? std::optional<Value>(Value(*micros)) : std::nullopt);
    }
    case TypeId::kDecimal: {
      const auto parsed = ParseDecimal(*text);
      const auto decimal = parsed ? RescaleTo(parsed->unscaled, parsed->shape.scale, {type.precision(), type.scale()})
                                  : std::optional<int128>();
      return value_or_error(decimal ? std::optional<Value>(Value(Decimal128{*decimal})) : std::nullopt);
    }
    default:
      return Error::Unsupported("PARTITION COLUMN OF TYPE " + type.Sql());
  }
}

Result<std::shared_ptr<const TimeZone>> SessionZone(const TableContext& context) {
  const auto name = context.settings ? context.settings("spark.sql.session.timeZone") : std::nullopt;
  return TimeZone::Find(name.value_or("UTC"));
}

}  // namespace frazil::tables
