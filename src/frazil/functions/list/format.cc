// Numbers, text and binary in other forms: formats, character sets, and the functions named as types.

#include "frazil/base/text.h"
#include "frazil/functions/constant.h"
#include "frazil/functions/list/topics.h"

namespace frazil::functions {
namespace {

const char* const kGroup = "string_funcs";

FunctionDefinition Described(FunctionDefinition definition, std::string since, std::string usage,
                             std::vector<std::string> aliases = {}) {
  definition.since = std::move(since);
  definition.usage = std::move(usage);
  definition.aliases = std::move(aliases);
  return definition;
}

// decode(binary, charset), or decode(value, search, result, ..., [default]).
Result<ExpressionPtr> BindDecode(const FunctionCall& call) {
  std::string sql = CallSql(call.name, call.arguments);
  if (call.arguments.size() == 2) {
    FRAZIL_ASSIGN_OR_RETURN(auto arguments, CoerceArguments(call, sql, call.arguments, {Bytes(), Text()}));
    return MakeCall("decode", arguments, DataType::String(), AnyNullable(arguments), ModeOf(call), sql);
  }
  Arguments cases;
  size_t i = 1;
  for (; i + 1 < call.arguments.size(); i += 2) {
    FRAZIL_ASSIGN_OR_RETURN(auto equal, CallFunction(call, "<=>", {call.arguments[0], call.arguments[i]}));
    cases.push_back(equal);
    cases.push_back(call.arguments[i + 1]);
  }
  if (i < call.arguments.size()) cases.push_back(call.arguments[i]);
  FRAZIL_ASSIGN_OR_RETURN(auto result, CallFunction(call, "when", cases));
  return WithSql(result, sql);
}

// The arguments go as text; the letters of their types tell the implementation what they were.
char TypeLetter(const DataType& type) {
  switch (type.id()) {
    case TypeId::kByte:
    case TypeId::kShort:
    case TypeId::kInteger:
      return 'i';
    case TypeId::kLong:
      return 'l';
    case TypeId::kFloat:
    case TypeId::kDouble:
      return 'f';
    case TypeId::kDecimal:
      return 'd';
    case TypeId::kBoolean:
      return 'b';
    default:
      return 's';
  }
}

Result<ExpressionPtr> BindFormatString(const FunctionCall& call) {
  std::string sql = CallSql(call.name, call.arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto format, CoerceArgument(call, sql, call.arguments[0], 0, Text()));
  bool nullable = format->nullable;
  std::string letters;
  Arguments arguments = {format, nullptr};
  for (size_t i = 1; i < call.arguments.size(); ++i) {
    letters += TypeLetter(*call.arguments[i]->type);
    arguments.push_back(CastTo(call.arguments[i], DataType::String(), call));
  }
  arguments[1] = TextLiteral(letters);
  return MakeCall("format_string", arguments, DataType::String(), nullable, ModeOf(call), sql);
}

/// Digits of a number format before and after the point.
struct FormatDigits {
  int before = 0, after = 0;
};

Result<FormatDigits> CountDigits(const std::string& sql, const std::string& format) {
  (void)sql;
  FormatDigits digits;
  bool after_point = false;
  for (char c : format) {
    switch (c) {
      case '0':
      case '9':
        (after_point ? digits.after : digits.before)++;
        break;
      case '.':
      case 'D':
      case 'd':
        after_point = true;
        break;
      default:
        break;
    }
  }
  return digits;
}

// Checks a format of to_number and to_char: [MI|S] [$] digits with G or , [. or D digits] [$] [PR|MI|S].
Status CheckNumberFormat(const std::string& format) {
  auto fail = [&](const char* kind, Error::Parameters more = {}) -> Status {
    more.insert(more.begin(), {"format", "'" + format + "'"});
    return Error::Of(std::string("INVALID_FORMAT.") + kind, std::move(more));
  };
  std::string text = AsciiUpper(format);
  if (text.empty()) return fail("EMPTY");
  size_t i = 0, digits = 0, points = 0;
  bool sign = false, dollar = false;
  auto take_sign = [&]() {
    if (text.compare(i, 2, "MI") == 0) {
      i += 2;
      return true;
    }
    if (i < text.size() && text[i] == 'S') {
      ++i;
      return true;
    }
    return false;
  };
  sign = take_sign();
  if (i < text.size() && text[i] == '$') dollar = true, ++i;
  if (!sign) sign = take_sign();
  size_t digits_before_comma = 0;
  while (i < text.size()) {
    char c = text[i];
    if (c == '0' || c == '9') {
      ++digits;
      ++digits_before_comma;
    } else if (c == ',' || c == 'G') {
      if (points > 0) return fail("CONT_THOUSANDS_SEPS");
      if (digits_before_comma == 0) return fail("CONT_THOUSANDS_SEPS");
      bool digit_follows = i + 1 < text.size() && (text[i + 1] == '0' || text[i + 1] == '9');
      if (!digit_follows) return fail("CONT_THOUSANDS_SEPS");
      digits_before_comma = 0;
    } else if (c == '.' || c == 'D') {
      if (++points > 1) return fail("UNEXPECTED_TOKEN", {{"token", QuotedSql(std::string(1, c))}});
    } else {
      break;
    }
    ++i;
  }
  if (digits == 0) return fail("WRONG_NUM_DIGIT");
  if (i < text.size() && text[i] == '$') {
    if (dollar) return fail("WRONG_NUM_TOKEN", {{"token", "'$'"}});
    return fail("CUR_MUST_BEFORE_DIGIT");
  }
  if (text.compare(i, 2, "PR") == 0 && !sign) {
    i += 2;
  } else if (!sign) {
    take_sign();
  } else if (i < text.size() && (text[i] == 'S' || text.compare(i, 2, "MI") == 0)) {
    return fail("WRONG_NUM_TOKEN", {{"token", text[i] == 'S' ? "'S'" : "'MI'"}});
  }
  if (i < text.size()) return fail("UNEXPECTED_TOKEN", {{"token", "'" + format.substr(i, 1) + "'"}});
  return Status::Ok();
}

Result<ExpressionPtr> BindToNumber(const FunctionCall& call) {
  std::string sql = CallSql(call.name, call.arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto arguments, CoerceArguments(call, sql, call.arguments, {Text(), Text()}));
  if (!IsFoldable(*arguments[1])) return NonFoldable(sql, "format", "STRING", *arguments[1]);
  auto constant = ConstantValue(*arguments[1]);
  if (constant.has_value() && constant->is_null()) return WithSql(MakeNull(DataType::Decimal(38, 18)), sql);
  auto format = ConstantText(*arguments[1]);
  if (!format.has_value()) return Error::Unsupported("a format of to_number that is not a text literal");
  FRAZIL_RETURN_IF_ERROR(CheckNumberFormat(*format));
  FRAZIL_ASSIGN_OR_RETURN(FormatDigits digits, CountDigits(sql, *format));
  DataTypePtr type = DataType::Decimal(std::min(38, digits.before + digits.after), std::min(38, digits.after));
  bool is_try = call.name == "try_to_number";
  return MakeCall("to_number", {arguments[0], TextLiteral(AsciiUpper(*format))}, type, is_try || AnyNullable(arguments),
                  is_try ? EvalMode::kTry : EvalMode::kAnsi, sql);
}

Result<ExpressionPtr> BindToChar(const FunctionCall& call) {
  const auto& value = call.arguments[0];
  const auto& format = call.arguments[1];
  std::string sql = CallSql(call.name, call.arguments);
  if (value->type->IsDatetime()) return CallFunction(call, "date_format", call.arguments);
  if (value->type->id() == TypeId::kBinary) {
    auto name = ConstantText(*format);
    if (!IsFoldable(*format)) return NonFoldable(sql, "format", "STRING", *format);
    if (!name.has_value()) return WithSql(MakeNull(DataType::String()), sql);
    std::string lower = AsciiLower(std::string(TrimBlanks(*name)));
    // to_varchar keeps its name, to_char shows what it stands for.
    auto named = [&](std::string_view function, Arguments arguments) -> Result<ExpressionPtr> {
      FRAZIL_ASSIGN_OR_RETURN(auto result, CallFunction(call, function, arguments));
      return call.name == "to_varchar" ? WithSql(result, CallSql(call.name, arguments)) : result;
    };
    if (lower == "base64") return named("base64", {value});
    if (lower == "hex") return named("hex", {value});
    if (lower == "utf-8") return named("decode", {value, format});
    return Error::Of("INVALID_PARAMETER_VALUE.BINARY_FORMAT", {{"parameter", "`format`"},
                                                               {"functionName", QuoteIdentifier(call.name)},
                                                               {"invalidFormat", "'" + *name + "'"}});
  }
  sql = CallSql("to_char", call.arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto arguments, CoerceArguments(call, sql, call.arguments, {AnyDecimal(), Text()}));
  if (!IsFoldable(*format)) return NonFoldable(sql, "format", "STRING", *format);
  auto text = ConstantText(*format);
  if (!text.has_value()) return WithSql(MakeNull(DataType::String()), sql);
  FRAZIL_RETURN_IF_ERROR(CheckNumberFormat(*text));
  return MakeCall("to_char", {arguments[0], TextLiteral(AsciiUpper(*text))}, DataType::String(), AnyNullable(arguments),
                  ModeOf(call), sql);
}

Result<ExpressionPtr> BindToBinary(const FunctionCall& call) {
  std::string sql = CallSql(call.name, call.arguments);
  bool is_try = call.name == "try_to_binary";
  std::string format = "hex";
  ExpressionPtr value;
  FRAZIL_ASSIGN_OR_RETURN(value, CoerceArgument(call, sql, call.arguments[0], 0, Text()));
  if (call.arguments.size() == 2) {
    if (!IsFoldable(*call.arguments[1])) return NonFoldable(sql, "fmt", "STRING", *call.arguments[1]);
    auto text = ConstantText(*call.arguments[1]);
    if (!text.has_value() && is_try && call.arguments[1]->type->IsNumeric()) text.emplace();
    if (!text.has_value()) {
      if (call.arguments[1]->type->IsString() || call.arguments[1]->type->id() == TypeId::kNull)
        return WithSql(MakeNull(DataType::Binary()), sql);
      return UnexpectedInput(sql, 1, "\"STRING\"", *call.arguments[1]);
    }
    format = AsciiLower(*text);
  }
  EvalMode mode = is_try ? EvalMode::kTry : EvalMode::kAnsi;
  if (format == "hex")
    return MakeCall("to_binary_hex", {value}, DataType::Binary(), is_try || value->nullable, mode, sql);
  if (format == "utf-8" || format == "utf8")
    return MakeCall("encode", {value, TextLiteral("UTF-8")}, DataType::Binary(), value->nullable, ModeOf(call), sql);
  if (format == "base64")
    return MakeCall("to_binary_base64", {value}, DataType::Binary(), is_try || value->nullable, mode, sql);
  if (is_try) return WithSql(MakeNull(DataType::Binary()), sql);
  return Mismatch("INVALID_ARG_VALUE", sql,
                  {{"inputName", "fmt"},
                   {"requireType", "case-insensitive \"STRING\""},
                   {"validValues", "'hex', 'utf-8', 'utf8', or 'base64'"},
                   {"inputValue", "'" + *ConstantText(*call.arguments[1]) + "'"}});
}

Result<ExpressionPtr> BindFormatNumber(const FunctionCall& call) {
  std::string sql = CallSql(call.name, call.arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto arguments,
                          CoerceArguments(call, sql, call.arguments, {Numeric(), OneOf({Int(), Text()})}));
  return MakeCall("format_number", arguments, DataType::String(), true, ModeOf(call), sql);
}

}  // namespace

void AddFormatFunctions(FunctionList& list) {
  list.Group(kGroup);
  list.Add(Described(Custom("decode", 2, -1, BindDecode), "1.5.0",
                     "Bytes as text of a character set; or the result beside the first equal search value."));
  list.Add(Scalar("encode", {Text(), Text()}, DataType::Binary())
               .Group(kGroup, "1.5.0", "Text as bytes of a character set."));
  list.Add(Described(Custom("format_string", 1, -1, BindFormatString), "1.5.0",
                     "Values put into a format in the manner of printf.", {"printf"}));
  list.Add(Described(Custom("format_number", 2, 2, BindFormatNumber), "1.5.0",
                     "The number with thousands separators, rounded to a number of digits."));
  list.Add(Described(Custom("to_number", 2, 2, BindToNumber), "3.3.0", "Text as a decimal by a format.", {}));
  list.Add(Described(Custom("try_to_number", 2, 2, BindToNumber), "3.3.0",
                     "Text as a decimal by a format; NULL where it does not match."));
  list.Add(Described(Custom("to_char", 2, 2, BindToChar), "3.4.0", "A number, date or binary as text by a format.",
                     {"to_varchar"}));
  list.Add(Described(Custom("to_binary", 1, 2, BindToBinary), "3.3.0", "Text as bytes: hex, utf-8 or base64."));
  list.Add(
      Described(Custom("try_to_binary", 1, 2, BindToBinary), "3.3.0", "Text as bytes; NULL where it is malformed."));
}

void AddConversionFunctions(FunctionList& list) {
  list.Group("conversion_funcs");
  auto add = [&](const char* name, DataTypePtr type) {
    std::string usage = "The value cast to " + type->Sql() + ".";
    list.Add(Described(Custom(name, 1, 1,
                              [type](const FunctionCall& call) -> Result<ExpressionPtr> {
                                // Shows as the argument, like an implicit cast.
                                return WithSql(MakeCast(call.arguments[0], type, ModeOf(call), true),
                                               call.arguments[0]->sql);
                              }),
                       "2.0.1", usage));
  };
  add("boolean", DataType::Boolean());
  add("tinyint", DataType::Byte());
  add("smallint", DataType::Short());
  add("int", DataType::Integer());
  add("bigint", DataType::Long());
  add("float", DataType::Float());
  add("double", DataType::Double());
  add("decimal", DataType::Decimal(10, 0));
  add("date", DataType::Date());
  add("timestamp", DataType::Timestamp());
  add("time", DataType::Time());
  add("binary", DataType::Binary());
  add("string", DataType::String());
}

}  // namespace frazil::functions
