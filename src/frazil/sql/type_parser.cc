// Data types and lists of typed columns.

#include "frazil/base/text.h"
#include "frazil/sql/parse_error.h"
#include "frazil/sql/parser_internal.h"
#include "frazil/types/collation.h"
#include "frazil/types/decimal.h"

namespace frazil::sql {
namespace {

constexpr int64_t kMaximumLength = 2147483647;
constexpr int64_t kMaximumTimePrecision = 6;
/// SRID of GEOGRAPHY(ANY) and GEOMETRY(ANY).
constexpr int kMixedSrid = -1;

}  // namespace

/// ">" of a nested type may be the first half of ">>".
Status Parser::ExpectTypeClose() {
  if (Accept(TokenType::kGreater)) return Status::Ok();
  if (!At(TokenType::kShiftRight) && !At(TokenType::kShiftRightUnsigned)) return SyntaxError();
  Token& token = tokens_[pos_];
  token.type = token.type == TokenType::kShiftRight ? TokenType::kGreater : TokenType::kShiftRight;
  token.text.remove_prefix(1);
  ++token.start;
  ++token.position;
  return Status::Ok();
}

Result<DataTypePtr> Parser::Type() {
  FRAZIL_RETURN_IF_ERROR(CheckDepth());
  const size_t first = pos_;
  switch (Peek().keyword) {
    case Keyword::kArray: {
      Skip();
      if (!Accept(TokenType::kLess))
        return ErrorFrom(first, "INCOMPLETE_TYPE_DEFINITION.ARRAY", {{"elementType", "<INT>"}});
      FRAZIL_ASSIGN_OR_RETURN(DataTypePtr element, Type());
      FRAZIL_RETURN_IF_ERROR(ExpectTypeClose());
      return DataType::Array(std::move(element));
    }
    case Keyword::kMap: {
      Skip();
      if (!Accept(TokenType::kLess)) return ErrorFrom(first, "INCOMPLETE_TYPE_DEFINITION.MAP");
      FRAZIL_ASSIGN_OR_RETURN(DataTypePtr key, Type());
      FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kComma));
      FRAZIL_ASSIGN_OR_RETURN(DataTypePtr value, Type());
      FRAZIL_RETURN_IF_ERROR(ExpectTypeClose());
      return DataType::Map(std::move(key), std::move(value));
    }
    case Keyword::kStruct: {
      Skip();
      if (Accept(TokenType::kNotEqual)) return DataType::Struct({});
      if (!Accept(TokenType::kLess)) return ErrorFrom(first, "INCOMPLETE_TYPE_DEFINITION.STRUCT");
      std::vector<StructField> fields;
      if (!At(TokenType::kGreater) && !At(TokenType::kShiftRight) && !At(TokenType::kShiftRightUnsigned)) {
        FRAZIL_ASSIGN_OR_RETURN(fields, TypedColumns(true));
      }
      FRAZIL_RETURN_IF_ERROR(ExpectTypeClose());
      return DataType::Struct(std::move(fields));
    }
    default:
      return PrimitiveType();
  }
}

Result<std::string> Parser::Collation() {
  FRAZIL_ASSIGN_OR_RETURN(const Names parts, MultipartIdentifier());
  return frazil::Join(parts, ".");
}

Result<DataTypePtr> Parser::PrimitiveType() {
  const size_t first = pos_;
  if (!At(TokenType::kWord) && !IsIdentifier()) return SyntaxError();
  const Token type = Peek();
  Skip();
  std::vector<int64_t> sizes;
  const auto parse_sizes = [&](size_t most) -> Status {
    if (!At(TokenType::kLeftParen)) return Status::Ok();
    Skip();
    do {
      FRAZIL_ASSIGN_OR_RETURN(const int64_t size, IntegerValue());
      sizes.push_back(size);
    } while (sizes.size() < most && Accept(TokenType::kComma));
    return Expect(TokenType::kRightParen);
  };
  const auto skip_without_time_zone = [&]() {
    return AcceptWords({Keyword::kWithout, Keyword::kTime, Keyword::kZone});
  };
  switch (type.keyword) {
    case Keyword::kBoolean:
      return DataType::Boolean();
    case Keyword::kTinyint:
    case Keyword::kByte:
      return DataType::Byte();
    case Keyword::kSmallint:
    case Keyword::kShort:
      return DataType::Short();
    case Keyword::kInt:
    case Keyword::kInteger:
      return DataType::Integer();
    case Keyword::kBigint:
    case Keyword::kLong:
      return DataType::Long();
    case Keyword::kFloat:
    case Keyword::kReal:
      return DataType::Float();
    case Keyword::kDouble:
      return DataType::Double();
    case Keyword::kDate:
      return DataType::Date();
    case Keyword::kTimestamp:
      if (skip_without_time_zone()) return DataType::TimestampNtz();
      return options_.timestamp_ntz_default ? DataType::TimestampNtz() : DataType::Timestamp();
    case Keyword::kTimestampLtz:
      return DataType::Timestamp();
    case Keyword::kTimestampNtz:
      return DataType::TimestampNtz();
    case Keyword::kTime: {
      FRAZIL_RETURN_IF_ERROR(parse_sizes(1));
      skip_without_time_zone();
      const int64_t precision = sizes.empty() ? kMaximumTimePrecision : sizes[0];
      if (precision < 0 || precision > kMaximumTimePrecision) {
        return ErrorFrom(first, "UNSUPPORTED_TIME_PRECISION", {{"precision", std::to_string(precision)}});
      }
      return DataType::Time(static_cast<int>(precision));
    }
    case Keyword::kBinary:
      return DataType::Binary();
    case Keyword::kVoid:
      return DataType::Null();
    case Keyword::kVariant:
      return DataType::Variant();
    case Keyword::kString: {
      if (!At(Keyword::kCollate)) return DataType::String();
      Skip();
      FRAZIL_ASSIGN_OR_RETURN(std::string collation, Collation());
      FRAZIL_RETURN_IF_ERROR(CheckCollationName(std::string_view(collation).substr(collation.rfind('.') + 1)));
      return EqualsIgnoreCase(collation, "UTF8_BINARY") ? DataType::String()
                                                        : DataType::StringWithCollation(std::move(collation));
    }
    case Keyword::kChar:
    case Keyword::kCharacter:
    case Keyword::kVarchar: {
      FRAZIL_RETURN_IF_ERROR(parse_sizes(1));
      const bool is_char = type.keyword != Keyword::kVarchar;
      if (sizes.empty()) {
        return ErrorFrom(first, "DATATYPE_MISSING_SIZE",
                         {{"type", is_char && type.keyword == Keyword::kChar ? "\"CHAR\""
                                   : is_char                                 ? "\"CHARACTER\""
                                                                             : "\"VARCHAR\""}});
      }
      if (sizes[0] < 1 || sizes[0] > kMaximumLength) return SyntaxErrorAt(first + 2);
      const int length = static_cast<int>(sizes[0]);
      return is_char ? DataType::Char(length) : DataType::Varchar(length);
    }
    case Keyword::kDecimal:
    case Keyword::kDec:
    case Keyword::kNumeric: {
      constexpr int64_t kDefaultPrecision = 10;
      FRAZIL_RETURN_IF_ERROR(parse_sizes(2));
      const int64_t precision = sizes.empty() ? kDefaultPrecision : sizes[0];
      const int64_t scale = sizes.size() > 1 ? sizes[1] : 0;
      if (scale > precision) {
        return ErrorFrom(first, "_LEGACY_ERROR_TEMP_1228",
                         {{"scale", std::to_string(scale)}, {"precision", std::to_string(precision)}});
      }
      if (precision > kMaxDecimalPrecision) {
        // The type itself refuses, and knows nothing of the text.
        return Error::Of(
            ExceptionClass::kArithmetic, "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
            {{"precision", std::to_string(precision)}, {"maxPrecision", std::to_string(kMaxDecimalPrecision)}});
      }
      return DataType::Decimal(static_cast<int>(precision), static_cast<int>(scale));
    }
    case Keyword::kInterval:
      return IntervalType(first);
    case Keyword::kGeography:
    case Keyword::kGeometry: {
      int srid = kMixedSrid;
      FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
      if (!Accept(Keyword::kAny)) {
        FRAZIL_ASSIGN_OR_RETURN(const int64_t value, IntegerValue());
        if (value > kMaximumLength) return ErrorFrom(first, "ST_INVALID_SRID_VALUE", {{"srid", std::to_string(value)}});
        srid = static_cast<int>(value);
      }
      FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
      return type.keyword == Keyword::kGeography ? DataType::Geography(srid) : DataType::Geometry(srid);
    }
    default: {
      constexpr size_t kAnySizes = 16;
      FRAZIL_RETURN_IF_ERROR(parse_sizes(kAnySizes));
      const std::string name = type.type == TokenType::kWord ? std::string(type.text) : UnquoteIdentifier(type.text);
      Defer(ErrorFrom(first, "UNSUPPORTED_DATATYPE", {{"typeName", "\"" + AsciiUpper(name) + "\""}}));
      return DataType::Null();
    }
  }
}

Result<DataTypePtr> Parser::IntervalType(size_t first) {
  const auto field = [&](size_t offset) -> std::optional<IntervalField> {
    switch (Peek(offset).keyword) {
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
  };
  const std::optional<IntervalField> start = field(0);
  if (!start) return DataType::CalendarInterval();
  const std::string start_text = AsciiLower(Peek().text);
  Skip();
  IntervalField end = *start;
  if (At(Keyword::kTo) && field(1)) {
    end = *field(1);
    const std::string end_text = AsciiLower(Peek(1).text);
    Skip(2);
    const bool is_year_month = *start <= IntervalField::kMonth;
    if (end <= *start || is_year_month != (end <= IntervalField::kMonth)) {
      return ErrorFrom(first, "INVALID_INTERVAL_FORMAT.UNSUPPORTED_FROM_TO_EXPRESSION",
                       {{"input", ""}, {"from", start_text}, {"to", end_text}});
    }
  }
  return *start <= IntervalField::kMonth ? DataType::YearMonthInterval(*start, end)
                                         : DataType::DayTimeInterval(*start, end);
}

Result<StructField> Parser::TypedColumn(bool colon_allowed) {
  StructField column;
  FRAZIL_ASSIGN_OR_RETURN(column.name, Identifier());
  if (colon_allowed) Accept(TokenType::kColon);
  FRAZIL_ASSIGN_OR_RETURN(column.type, Type());
  if ((At(Keyword::kNot) || At(TokenType::kBang)) && At(Keyword::kNull, 1)) {
    column.nullable = false;
    Skip(2);
  }
  if (Accept(Keyword::kComment)) {
    FRAZIL_ASSIGN_OR_RETURN(const std::string comment, StringLiteral());
    column.SetComment(comment);
  }
  return column;
}

Result<std::vector<StructField>> Parser::TypedColumns(bool colon_allowed) {
  std::vector<StructField> columns;
  do {
    FRAZIL_ASSIGN_OR_RETURN(StructField column, TypedColumn(colon_allowed));
    columns.push_back(std::move(column));
  } while (Accept(TokenType::kComma));
  return columns;
}

}  // namespace frazil::sql
