// Literals: NULL, booleans, numbers, strings, typed literals (DATE '...'), parameter markers.

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "frazil/base/text.h"
#include "frazil/sql/parser_internal.h"
#include "frazil/types/datetime.h"
#include "frazil/types/decimal.h"

namespace frazil::sql {
namespace {

struct ParsedDecimal {
  int128 unscaled = 0;
  int precision = 0;
  int scale = 0;
};

/// Sign, digits, point and exponent to an exact decimal. If it needs more than 38 digits, only the precision is of use.
ParsedDecimal ParseDecimal(std::string_view text) {
  bool negative = false;
  size_t i = 0;
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) negative = text[i++] == '-';
  ParsedDecimal parsed;
  int digits = 0;
  bool in_fraction = false;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.') {
      in_fraction = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    if (in_fraction) ++parsed.scale;
    if (digits == 0 && c == '0') continue;
    if (++digits <= kMaxDecimalPrecision) parsed.unscaled = parsed.unscaled * 10 + (c - '0');
  }
  if (i < text.size()) {
    constexpr long kFarAway = 1'000'000;
    const long exponent = std::strtol(std::string(text.substr(i + 1)).c_str(), nullptr, 10);
    parsed.scale -= static_cast<int>(std::clamp(exponent, -kFarAway, kFarAway));
  }
  parsed.precision = std::max(digits, 1);
  for (; parsed.scale < 0; ++parsed.scale) {
    if (parsed.unscaled == 0) continue;
    if (++parsed.precision <= kMaxDecimalPrecision) parsed.unscaled *= 10;
  }
  parsed.precision = std::max(parsed.precision, parsed.scale);
  if (negative) parsed.unscaled = -parsed.unscaled;
  return parsed;
}

struct IntegralRange {
  const char* type_name;
  int64_t minimum;
  int64_t maximum;
};

}  // namespace

plan::ExprPtr Parser::StringExpr(size_t first, std::string value) const {
  return plan::MakeLiteralExpr(DataType::String(), Value(std::move(value)), OriginFrom(first));
}

bool Parser::AtNumber(size_t offset) const {
  const TokenType type = Peek(offset).type;
  return type >= TokenType::kInteger && type <= TokenType::kBigDecimal;
}

bool Parser::AtConstant() const {
  if (AtNumber() || AtStringLiteral() || (At(TokenType::kMinus) && AtNumber(1))) return true;
  if (AtAny({Keyword::kNull, Keyword::kTrue, Keyword::kFalse}))
    return !At(TokenType::kLeftParen, 1) && !At(TokenType::kDot, 1) && !At(TokenType::kArrow, 1);
  // CASE 'a' WHEN ... is no literal of a type "CASE".
  if (At(TokenType::kWord) || At(TokenType::kBackquoted))
    return (IsStringToken(1) && !At(Keyword::kCase)) || AtInterval();
  return false;
}

Result<plan::ExprPtr> Parser::Constant() {
  const size_t first = pos_;
  if ((AtParameter() || IsStringToken()) && AtMixedString()) return MixedString();
  if (AtParameter()) return Parameter();
  if (IsStringToken()) {
    std::string value;
    while (IsStringToken()) {
      value += UnquoteString(Peek().text, options_.escaped_string_literals);
      Skip();
    }
    return StringExpr(first, std::move(value));
  }
  if (AtNumber() || At(TokenType::kMinus)) return Number();
  if (AtInterval()) return Interval();
  if (IsStringToken(1)) return TypedLiteral();
  if (Accept(Keyword::kNull)) return plan::MakeLiteralExpr(DataType::Null(), Value(), OriginFrom(first));
  const bool value = At(Keyword::kTrue);
  Skip();
  return plan::MakeLiteralExpr(DataType::Boolean(), Value(value), OriginFrom(first));
}

/// 'a' :p 'b': strings and parameter markers side by side, at least one of the latter.
bool Parser::AtMixedString() const {
  size_t at = 0;
  int parts = 0;
  bool has_parameter = false;
  while (IsStringToken(at) || AtParameter(at)) {
    has_parameter = has_parameter || AtParameter(at);
    at += At(TokenType::kColon, at) ? 2 : 1;
    ++parts;
  }
  return parts > 1 && has_parameter;
}

/// They make one string: their concatenation.
Result<plan::ExprPtr> Parser::MixedString() {
  const size_t first = pos_;
  plan::ExprPtr whole;
  while (IsStringToken() || AtParameter()) {
    const size_t part_first = pos_;
    plan::ExprPtr part;
    if (IsStringToken()) {
      Skip();
      part = StringExpr(part_first, UnquoteString(tokens_[part_first].text, options_.escaped_string_literals));
    } else {
      FRAZIL_ASSIGN_OR_RETURN(part, Parameter());
    }
    whole = whole == nullptr ? std::move(part) : Operator(first, "||", {std::move(whole), std::move(part)});
  }
  return whole;
}

Result<plan::ExprPtr> Parser::Parameter() {
  const size_t first = pos_;
  auto node = std::make_shared<plan::ParameterExpr>();
  if (Accept(TokenType::kQuestion)) {
    node->position = tokens_[first].start;
  } else {
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kColon));
    FRAZIL_ASSIGN_OR_RETURN(node->name, TakeIdentifier());
  }
  node->origin = OriginFrom(first);
  return plan::ExprPtr(std::move(node));
}

Result<plan::ExprPtr> Parser::Number() {
  const size_t first = pos_;
  const bool negative = Accept(TokenType::kMinus);
  const Token token = Peek();
  Skip();
  std::string text = (negative ? "-" : "") + std::string(token.text);
  const auto out_of_range = [&](const std::string& shown, const std::string& minimum, const std::string& maximum,
                                const char* type_name) {
    return ErrorFrom(
        first, "INVALID_NUMERIC_LITERAL_RANGE",
        {{"rawStrippedQualifier", shown}, {"minValue", minimum}, {"maxValue", maximum}, {"typeName", type_name}});
  };
  const auto decimal = [&](const std::string& digits) -> Result<plan::ExprPtr> {
    const ParsedDecimal parsed = ParseDecimal(digits);
    if (parsed.precision > kMaxDecimalPrecision) {
      return ErrorFrom(
          first, "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
          {{"precision", std::to_string(parsed.precision)}, {"maxPrecision", std::to_string(kMaxDecimalPrecision)}});
    }
    return plan::MakeLiteralExpr(DataType::Decimal(parsed.precision, parsed.scale), Value(Decimal128{parsed.unscaled}),
                                 OriginFrom(first));
  };
  const auto integral = [&](const DataTypePtr& type, IntegralRange range) -> Result<plan::ExprPtr> {
    text.pop_back();
    errno = 0;
    const long long value = std::strtoll(text.c_str(), nullptr, 10);
    if (errno == ERANGE || value < range.minimum || value > range.maximum) {
      return out_of_range(text, std::to_string(range.minimum), std::to_string(range.maximum), range.type_name);
    }
    return plan::MakeLiteralExpr(type, Value(static_cast<int64_t>(value)), OriginFrom(first));
  };
  const auto floating = [&](bool is_float) -> Result<plan::ExprPtr> {
    if (token.type != TokenType::kExponent) text.pop_back();
    const double value = std::strtod(text.c_str(), nullptr);
    if (is_float) {
      const float narrow = std::strtof(text.c_str(), nullptr);
      if (std::isinf(narrow)) return out_of_range(text, "-3.4028234663852886E+38", "3.4028234663852886E+38", "float");
      return plan::MakeLiteralExpr(DataType::Float(), Value(narrow), OriginFrom(first));
    }
    if (std::isinf(value)) return out_of_range(text, "-1.7976931348623157E+308", "1.7976931348623157E+308", "double");
    return plan::MakeLiteralExpr(DataType::Double(), Value(value), OriginFrom(first));
  };
  switch (token.type) {
    case TokenType::kInteger: {
      errno = 0;
      const long long value = std::strtoll(text.c_str(), nullptr, 10);
      if (errno == ERANGE) return decimal(text);
      const bool is_int = value >= std::numeric_limits<int32_t>::min() && value <= std::numeric_limits<int32_t>::max();
      return plan::MakeLiteralExpr(is_int ? DataType::Integer() : DataType::Long(), Value(static_cast<int64_t>(value)),
                                   OriginFrom(first));
    }
    case TokenType::kBigint:
      return integral(DataType::Long(),
                      {"bigint", std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()});
    case TokenType::kSmallint:
      return integral(DataType::Short(),
                      {"smallint", std::numeric_limits<int16_t>::min(), std::numeric_limits<int16_t>::max()});
    case TokenType::kTinyint:
      return integral(DataType::Byte(),
                      {"tinyint", std::numeric_limits<int8_t>::min(), std::numeric_limits<int8_t>::max()});
    case TokenType::kExponent:
      return options_.exponent_literal_as_decimal ? decimal(text) : floating(false);
    case TokenType::kDecimal:
      return decimal(text);
    case TokenType::kFloat:
      return floating(true);
    case TokenType::kDouble:
      return floating(false);
    default:
      text.resize(text.size() - 2);
      return decimal(text);
  }
}

Result<plan::ExprPtr> Parser::TypedLiteral() {
  const size_t first = pos_;
  const Keyword type = Peek().keyword;
  FRAZIL_ASSIGN_OR_RETURN(const std::string type_name, TakeIdentifier());
  const std::string value = UnquoteString(Peek().text, options_.escaped_string_literals);
  Skip();
  const auto invalid = [&](const char* shown) {
    return ErrorFrom(first, "INVALID_TYPED_LITERAL",
                     {{"valueType", "\"" + std::string(shown) + "\""}, {"value", "'" + value + "'"}});
  };
  const auto literal = [&](const DataTypePtr& data_type, Value stored) -> Result<plan::ExprPtr> {
    return plan::MakeLiteralExpr(data_type, std::move(stored), OriginFrom(first));
  };
  std::shared_ptr<const TimeZone> zone = TimeZone::Utc();
  if (type == Keyword::kDate || type == Keyword::kTimestamp || type == Keyword::kTimestampLtz ||
      type == Keyword::kTimestampNtz) {
    FRAZIL_ASSIGN_OR_RETURN(zone, TimeZone::Find(options_.time_zone));
  }
  switch (type) {
    case Keyword::kDate: {
      std::optional<int32_t> days = ParseSpecialDate(value, *zone);
      if (!days) days = ParseDate(value);
      if (!days) return invalid("DATE");
      return literal(DataType::Date(), Value(*days));
    }
    case Keyword::kTime: {
      const std::optional<int64_t> micros = ParseTime(value);
      if (!micros) return invalid("TIME");
      return literal(DataType::Time(), Value(*micros));
    }
    case Keyword::kTimestampNtz: {
      std::optional<int64_t> micros = ParseSpecialTimestampNtz(value, *zone);
      if (!micros) micros = ParseTimestampNtz(value, true);
      if (!micros) return invalid("TIMESTAMP_NTZ");
      return literal(DataType::TimestampNtz(), Value(*micros));
    }
    case Keyword::kTimestampLtz:
    case Keyword::kTimestamp: {
      // With TIMESTAMP_NTZ as the default, a written zone still makes an instant.
      if (type == Keyword::kTimestamp && options_.timestamp_ntz_default) {
        std::optional<int64_t> wall = ParseSpecialTimestampNtz(value, *zone);
        const std::optional<TimestampParts> parts = ParseTimestampParts(value);
        if (!wall && (!parts || parts->zone == nullptr)) {
          wall = ParseTimestampNtz(value, true);
          if (!wall) return invalid("TIMESTAMP");
        }
        if (wall) return literal(DataType::TimestampNtz(), Value(*wall));
      }
      std::optional<int64_t> micros = ParseSpecialTimestamp(value, *zone);
      if (!micros) micros = ParseTimestamp(value, *zone);
      if (!micros) return invalid("TIMESTAMP");
      return literal(DataType::Timestamp(), Value(*micros));
    }
    case Keyword::kInterval:
      return IntervalFromText(first, value);
    case Keyword::kX: {
      std::string digits = value.size() % 2 == 1 ? "0" + value : value;
      std::string bytes;
      for (size_t i = 0; i < digits.size(); i += 2) {
        const std::string pair = digits.substr(i, 2);
        if (pair.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) return invalid("X");
        bytes.push_back(static_cast<char>(std::strtol(pair.c_str(), nullptr, 16)));
      }
      return literal(DataType::Binary(), Value(std::move(bytes)));
    }
    default:
      Defer(ErrorFrom(
          first, "UNSUPPORTED_TYPED_LITERAL",
          {{"unsupportedType", "\"" + AsciiUpper(type_name) + "\""},
           {"supportedTypes",
            "\"DATE\", \"TIMESTAMP_NTZ\", \"TIMESTAMP_LTZ\", \"TIMESTAMP\", \"INTERVAL\", \"X\", \"TIME\""}}));
      return literal(DataType::Null(), Value());
  }
}

}  // namespace frazil::sql
