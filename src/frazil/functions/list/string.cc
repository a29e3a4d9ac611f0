// Functions of text and binary.

#include "frazil/functions/constant.h"
#include "frazil/functions/list/topics.h"
#include "frazil/types/collation.h"

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

Entry OfText(std::string name, TypeRule result, std::string since, std::string usage) {
  return Scalar(std::move(name), {Text()}, std::move(result)).Group(kGroup, std::move(since), std::move(usage));
}

// Text, or arrays of one type, or binaries.
Result<ExpressionPtr> BindConcat(const FunctionCall& call) {
  std::string sql = CallSql("concat", call.arguments);
  if (call.arguments.empty()) return WithSql(TextLiteral(""), sql);
  bool all_binary = true, any_array = false;
  for (const auto& argument : call.arguments) {
    all_binary = all_binary && argument->type->id() == TypeId::kBinary;
    any_array = any_array || argument->type->id() == TypeId::kArray;
  }
  Arguments arguments = call.arguments;
  if (any_array) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i]->type->id() != TypeId::kArray && arguments[i]->type->id() != TypeId::kNull) {
        return UnexpectedInput(sql, i, "(\"STRING\" or \"BINARY\" or \"ARRAY\")", *arguments[i]);
      }
    }
    FRAZIL_ASSIGN_OR_RETURN(arguments, CoerceToCommonType(call, sql, std::move(arguments)));
    DataTypePtr type = arguments[0]->type;
    return MakeCall("array_concat", arguments, type, AnyNullable(arguments), ModeOf(call), sql);
  }
  if (!all_binary || call.settings->concat_binary_as_string) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      DataTypePtr target = Text().ImplicitTarget(arguments[i]->type, IsAnsi(call));
      if (target == nullptr) return UnexpectedInput(sql, i, "(\"STRING\" or \"BINARY\" or \"ARRAY\")", *arguments[i]);
      arguments[i] = CastTo(arguments[i], target, call);
    }
  }
  DataTypePtr type = WithoutLength(arguments[0]->type);
  for (const auto& argument : arguments) {
    if (argument->type->IsString() && !argument->type->collation().empty()) type = WithoutLength(argument->type);
  }
  return MakeCall("concat", arguments, type, AnyNullable(arguments), ModeOf(call), sql);
}

Result<ExpressionPtr> BindConcatWs(const FunctionCall& call) {
  std::string sql = CallSql(call.name, call.arguments);
  TypePattern part = OneOf({ArrayOf(Text()), Text()});
  Arguments arguments = call.arguments;
  for (size_t i = 0; i < arguments.size(); ++i) {
    FRAZIL_ASSIGN_OR_RETURN(
        arguments[i], CoerceArgument(call, sql, arguments[i], i,
                                     i == 0 ? Text() : (arguments[i]->type->id() == TypeId::kArray ? part : Text())));
  }
  bool nullable = arguments[0]->nullable;
  return MakeCall("concat_ws", arguments, DataType::String(), nullable, ModeOf(call), sql);
}

Result<ExpressionPtr> BindElt(const FunctionCall& call) {
  std::string sql = CallSql(call.name, call.arguments);
  Arguments arguments = call.arguments;
  bool all_binary = true;
  for (size_t i = 1; i < arguments.size(); ++i) all_binary = all_binary && arguments[i]->type->id() == TypeId::kBinary;
  FRAZIL_ASSIGN_OR_RETURN(arguments[0], CoerceArgument(call, sql, arguments[0], 0, Int()));
  for (size_t i = 1; i < arguments.size() && !all_binary; ++i) {
    FRAZIL_ASSIGN_OR_RETURN(arguments[i], CoerceArgument(call, sql, arguments[i], i, Text()));
  }
  auto as_text = call.settings->lookup ? call.settings->lookup("spark.sql.function.eltOutputAsString") : std::nullopt;
  if (all_binary && as_text.value_or("false") == "true") {
    for (size_t i = 1; i < arguments.size(); ++i) arguments[i] = CastTo(arguments[i], DataType::String(), call);
  }
  return MakeCall("elt", arguments, WithoutLength(arguments[1]->type), true, ModeOf(call), sql);
}

// Both text or both binary.
FunctionDefinition TextPair(std::string name, std::string since, std::string usage) {
  return Described(
      Custom(name, 2, 2,
             [name](const FunctionCall& call) -> Result<ExpressionPtr> {
               std::string sql = CallSql(call.name, call.arguments);
               bool binary =
                   call.arguments[0]->type->id() == TypeId::kBinary && call.arguments[1]->type->id() == TypeId::kBinary;
               FRAZIL_ASSIGN_OR_RETURN(auto arguments,
                                       CoerceArguments(call, sql, call.arguments, {binary ? Bytes() : Text()}));
               return MakeCall(name, arguments, DataType::Boolean(), AnyNullable(arguments), ModeOf(call), sql);
             }),
      std::move(since), std::move(usage));
}

// lpad, rpad: text is filled with blanks, binary with zeros.
FunctionDefinition Pad(std::string name, std::string usage) {
  return Described(
      Custom(
          name, 2, 3,
          [name](const FunctionCall& call) -> Result<ExpressionPtr> {
            Arguments arguments = call.arguments;
            bool binary = arguments[0]->type->id() == TypeId::kBinary;
            if (arguments.size() == 2) {
              arguments.push_back(binary ? MakeLiteral(DataType::Binary(), Value(std::string(1, '\0')))
                                         : TextLiteral(" "));
            }
            std::string sql = CallSql(call.name, arguments);
            TypePattern value = binary && arguments[2]->type->id() == TypeId::kBinary ? Bytes() : Text();
            FRAZIL_ASSIGN_OR_RETURN(arguments, CoerceArguments(call, sql, std::move(arguments), {value, Int(), value}));
            DataTypePtr type = WithoutLength(arguments[0]->type);
            return MakeCall(name, arguments, type, AnyNullable(arguments), ModeOf(call), sql);
          }),
      "1.5.0", std::move(usage));
}

// trim(text), trim(characters, text) as SQL's TRIM(characters FROM text).
FunctionDefinition Trim(std::string name, const char* side, std::string usage) {
  return Described(
      Custom(name, 1, 2,
             [name, side](const FunctionCall& call) -> Result<ExpressionPtr> {
               Arguments arguments = call.arguments;
               std::string sql = CallSql(call.name, arguments);
               if (arguments.size() == 2) {
                 sql = std::string("TRIM(") + side + " " + arguments[0]->sql + " FROM " + arguments[1]->sql + ")";
                 std::swap(arguments[0], arguments[1]);
               }
               FRAZIL_ASSIGN_OR_RETURN(arguments, CoerceArguments(call, sql, std::move(arguments), {Text()}));
               DataTypePtr type = WithoutLength(arguments[0]->type);
               return MakeCall(name, arguments, type, AnyNullable(arguments), ModeOf(call), sql);
             }),
      "1.5.0", std::move(usage));
}

// Binary is trimmed as the text that it is.
Result<ExpressionPtr> BindBothTrim(const FunctionCall& call) {
  std::string sql = CallSql(call.name, call.arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto arguments, CoerceArguments(call, sql, call.arguments, {Text()}));
  DataTypePtr type = WithoutLength(arguments[0]->type);
  return MakeCall("trim", arguments, type, AnyNullable(arguments), ModeOf(call), sql);
}

Result<ExpressionPtr> BindReverse(const FunctionCall& call) {
  std::string sql = CallSql(call.name, call.arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto argument, CoerceArgument(call, sql, call.arguments[0], 0, OneOf({Text(), AnyArray()})));
  bool is_array = argument->type->id() == TypeId::kArray;
  return MakeCall(is_array ? "array_reverse" : "reverse", {argument}, WithoutLength(argument->type), argument->nullable,
                  ModeOf(call), sql);
}

Result<ExpressionPtr> BindReplace(const FunctionCall& call) {
  Arguments arguments = call.arguments;
  if (arguments.size() == 2) arguments.push_back(TextLiteral(""));
  std::string sql = CallSql(call.name, arguments);
  FRAZIL_ASSIGN_OR_RETURN(arguments, CoerceArguments(call, sql, std::move(arguments), {Text()}));
  DataTypePtr type = WithoutLength(arguments[0]->type);
  return MakeCall("replace", arguments, type, AnyNullable(arguments), ModeOf(call), sql);
}

Result<ExpressionPtr> BindMask(const FunctionCall& call) {
  static const char* const kDefaults[] = {"X", "x", "n"};
  Arguments arguments = call.arguments;
  arguments.resize(5);
  for (size_t i = 1; i < 4; ++i) {
    if (arguments[i] == nullptr) arguments[i] = TextLiteral(kDefaults[i - 1]);
  }
  if (arguments[4] == nullptr) arguments[4] = MakeNull(DataType::String());
  std::string sql = CallSql(call.name, arguments);
  for (size_t i = 1; i < 5; ++i) {
    bool fits = arguments[i]->type->IsString() || arguments[i]->type->id() == TypeId::kNull;
    if (!fits) return UnexpectedInput(sql, i, "\"STRING\"", *arguments[i]);
    if (!IsFoldable(*arguments[i]))
      return NonFoldable(sql,
                         i == 1   ? "upperChar"
                         : i == 2 ? "lowerChar"
                         : i == 3 ? "digitChar"
                                  : "otherChar",
                         "STRING", *arguments[i]);
    auto text = ConstantText(*arguments[i]);
    if (text.has_value()) {
      size_t characters = 0;
      for (char c : *text) characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
      if (characters != 1) {
        return Mismatch("INPUT_SIZE_NOT_ONE", sql,
                        {{"exprName", QuoteIdentifier(i == 1   ? "upperChar"
                                                      : i == 2 ? "lowerChar"
                                                      : i == 3 ? "digitChar"
                                                               : "otherChar")}});
      }
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(arguments, CoerceArguments(call, sql, std::move(arguments), {Text()}));
  DataTypePtr type = WithoutLength(arguments[0]->type);
  bool nullable = arguments[0]->nullable;
  return MakeCall("mask", arguments, type, nullable, ModeOf(call), sql);
}

Result<ExpressionPtr> BindLevenshtein(const FunctionCall& call) {
  std::string sql = CallSql(call.name, call.arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto arguments, CoerceArguments(call, sql, call.arguments, {Text(), Text(), Int()}));
  return MakeCall("levenshtein", arguments, DataType::Integer(), AnyNullable(arguments), ModeOf(call), sql);
}

Result<ExpressionPtr> BindOverlay(const FunctionCall& call) {
  Arguments arguments = call.arguments;
  if (arguments.size() == 3) arguments.push_back(IntLiteral(-1));
  std::string sql = CallSql(call.name, arguments);
  bool binary = arguments[0]->type->id() == TypeId::kBinary;
  TypePattern value = binary ? Bytes() : Text();
  FRAZIL_ASSIGN_OR_RETURN(arguments, CoerceArguments(call, sql, std::move(arguments), {value, value, Int(), Int()}));
  DataTypePtr type = WithoutLength(arguments[0]->type);
  return MakeCall(binary ? "overlay_binary" : "overlay", arguments, type, AnyNullable(arguments), ModeOf(call), sql);
}

// Different kernels for text (characters) and binary (bytes).
FunctionDefinition Slice(std::string name, std::vector<std::string> aliases, int min_arguments, int max_arguments,
                         std::string since, std::string usage) {
  return Described(Custom(name, min_arguments, max_arguments,
                          [name, max_arguments](const FunctionCall& call) -> Result<ExpressionPtr> {
                            Arguments arguments = call.arguments;
                            if (max_arguments == 3 && arguments.size() == 2) arguments.push_back(IntLiteral(INT32_MAX));
                            std::string sql = CallSql(call.name, arguments);
                            FRAZIL_ASSIGN_OR_RETURN(arguments, CoerceArguments(call, sql, std::move(arguments),
                                                                               {TextOrBytes(), Int(), Int()}));
                            DataTypePtr type = WithoutLength(arguments[0]->type);
                            bool binary = type->id() == TypeId::kBinary;
                            return MakeCall(binary ? name + "_binary" : name, arguments, type, AnyNullable(arguments),
                                            ModeOf(call), sql);
                          }),
                   std::move(since), std::move(usage), std::move(aliases));
}

Result<ExpressionPtr> BindCollate(const FunctionCall& call) {
  std::string sql = CallSql(call.name, call.arguments);
  if (!call.arguments[0]->type->IsString() && call.arguments[0]->type->id() != TypeId::kNull)
    return UnexpectedInput(sql, 0, "\"STRING\"", *call.arguments[0]);
  FRAZIL_ASSIGN_OR_RETURN(auto value, CoerceArgument(call, sql, call.arguments[0], 0, Text()));
  if (call.arguments[1]->type->id() == TypeId::kNull) {
    return Error::Of("UNEXPECTED_INPUT_TYPE", {{"functionName", "`collate`"},
                                               {"paramIndex", Ordinal(0)},
                                               {"inputSql", QuotedSql(call.arguments[1]->sql)},
                                               {"inputType", "\"VOID\""},
                                               {"requiredType", "\"STRING\""}});
  }
  auto name = ConstantText(*call.arguments[1]);
  if (!name.has_value())
    return Mismatch("NON_FOLDABLE_INPUT", sql,
                    {{"inputName", "`collationName`"},
                     {"inputType", "\"STRING\""},
                     {"inputExpr", QuotedSql(call.arguments[1]->sql)}});
  std::string upper = *name;
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  if (upper != "UTF8_BINARY" && upper != "UTF8_LCASE") {
    // `system`.`builtin` may stand before it.
    FRAZIL_RETURN_IF_ERROR(CheckCollationName(std::string_view(*name).substr(name->rfind('.') + 1)));
    return Error::Unsupported("collation " + *name);
  }
  DataTypePtr type = upper == "UTF8_BINARY" ? DataType::String() : DataType::StringWithCollation(upper);
  sql = "collate(" + call.arguments[0]->sql + ", " + upper + ")";
  return MakeCall("collate", {value}, type, value->nullable, ModeOf(call), sql);
}

}  // namespace

void AddStringFunctions(FunctionList& list) {
  list.Group(kGroup);
  list.Add(OfText("ascii", Fixed(DataType::Integer()), "1.5.0", "Code of the first character; 0 for empty text."));
  list.Add(OfText("upper", SameAs(0), "1.0.1", "The text in capitals.").Alias({"ucase"}));
  list.Add(OfText("lower", SameAs(0), "1.0.1", "The text in small letters.").Alias({"lcase"}));
  list.Add(OfText("initcap", SameAs(0), "1.5.0", "Each word with a capital first, the rest small."));
  list.Add(OfText("soundex", Fixed(DataType::String()), "1.5.0", "Soundex code."));
  list.Add(OfText("luhn_check", Fixed(DataType::Boolean()), "3.5.0", "Whether the digits pass the Luhn check."));
  list.Add(OfText("quote", SameAs(0), "4.1.0", "The text in single quotes, quotes in it escaped."));
  list.Add(Scalar("base64", {Bytes()}, DataType::String()).Group(kGroup, "1.5.0", "Bytes as base 64."));
  list.Add(Scalar("unbase64", {Text()}, DataType::Binary())
               .Group(kGroup, "1.5.0", "The bytes that base 64 text stands for."));
  list.Add(Scalar("bit_length", {TextOrBytes()}, DataType::Integer()).Group(kGroup, "2.3.0", "Length in bits."));
  list.Add(Scalar("octet_length", {TextOrBytes()}, DataType::Integer()).Group(kGroup, "2.3.0", "Length in bytes."));
  list.Add(
      Scalar("length", {TextOrBytes()}, DataType::Integer())
          .Alias({"len", "char_length", "character_length"})
          .Group(kGroup, "1.5.0", "Length in characters, of binary in bytes.")
          .Makes([](const FunctionCall& call, Arguments arguments, const std::string& sql) -> Result<ExpressionPtr> {
            bool binary = arguments[0]->type->id() == TypeId::kBinary;
            bool nullable = arguments[0]->nullable;
            return MakeCall(binary ? "octet_length" : "length", std::move(arguments), DataType::Integer(), nullable,
                            ModeOf(call), sql);
          }));
  list.Add(Scalar("char", {Long()}, DataType::String())
               .Alias({"chr"})
               .Group(kGroup, "2.3.0", "The character of a code (modulo 256)."));
  list.Add(Described(Custom("concat", 0, -1, BindConcat), "1.5.0", "Texts, binaries or arrays one after the other.",
                     {"||"}));
  list.Add(
      Described(Custom("concat_ws", 1, -1, BindConcatWs), "1.5.0", "Texts joined by a separator; NULLs are left out."));
  list.Add(TextPair("contains", "3.3.0", "Whether the second text occurs in the first."));
  list.Add(TextPair("startswith", "3.3.0", "Whether the first text begins with the second."));
  list.Add(TextPair("endswith", "3.3.0", "Whether the first text ends with the second."));
  list.Add(Described(Custom("elt", 2, -1, BindElt), "2.0.0", "The n-th of the further arguments."));
  list.Add(Scalar("find_in_set", {Text(), Text()}, DataType::Integer())
               .Group(kGroup, "1.5.0", "Position of a text in a list with commas; 0 where it is not in it."));
  list.Add(Scalar("instr", {Text(), Text()}, DataType::Integer())
               .Group(kGroup, "1.5.0", "Position of the second text in the first, from 1; 0 where it is not in it."));
  list.Add(Described(
      Custom("locate", 2, 3,
             [](const FunctionCall& call) -> Result<ExpressionPtr> {
               Arguments arguments = call.arguments;
               if (arguments.size() == 2) arguments.push_back(IntLiteral(1));
               // POSITION(part IN text) shows as locate.
               std::string sql = CallSql(call.is_operator ? "locate" : call.name, arguments);
               FRAZIL_ASSIGN_OR_RETURN(arguments,
                                       CoerceArguments(call, sql, std::move(arguments), {Text(), Text(), Int()}));
               return MakeCall("locate", arguments, DataType::Integer(), AnyNullable(arguments), ModeOf(call), sql);
             }),
      "1.5.0", "Position of the first text in the second, from a position on; 0 where it is not in it.", {"position"}));
  list.Add(Slice("left", {}, 2, 2, "2.3.0", "The first characters."));
  list.Add(Slice("right", {}, 2, 2, "2.3.0", "The last characters."));
  list.Add(Slice("substring", {"substr"}, 2, 3, "1.5.0",
                 "The characters from a position (from 1; negative: from the end) on."));
  list.Add(Described(Custom("levenshtein", 2, 3, BindLevenshtein), "1.5.0",
                     "Edit distance; -1 where it is above the threshold."));
  list.Add(Pad("lpad", "The text filled up on the left to a length."));
  list.Add(Pad("rpad", "The text filled up on the right to a length."));
  list.Add(Trim("trim", "BOTH", "The text without blanks, or the given characters, at both ends."));
  list.Add(Trim("ltrim", "LEADING", "The text without blanks, or the given characters, at its beginning."));
  list.Add(Trim("rtrim", "TRAILING", "The text without blanks, or the given characters, at its end."));
  list.Add(Described(Custom("btrim", 1, 2, BindBothTrim), "3.2.0",
                     "The text without blanks, or the given characters, at both ends."));
  auto mask = Described(Custom("mask", 1, 5, BindMask), "3.4.0", "Letters and digits replaced by signs.");
  mask.parameter_names = {"str", "upperChar", "lowerChar", "digitChar", "otherChar"};
  list.Add(mask);
  auto overlay =
      Described(Custom("overlay", 3, 4, BindOverlay), "3.0.0", "A part of the text replaced, by position and length.");
  list.Add(overlay);
  list.Add(Scalar("repeat", {Text(), Int()}, SameAs(0)).Group(kGroup, "1.5.0", "The text n times."));
  list.Add(Described(Custom("replace", 2, 3, BindReplace), "2.3.0", "Every occurrence of a text replaced by another."));
  list.Add(Described(Custom("reverse", 1, 1, BindReverse), "1.5.0", "Text or array backwards."));
  list.Add(
      Scalar("sentences", {Text(), Text(), Text()}, DataType::Array(DataType::Array(DataType::String(), false), false))
          .Defaults({TextLiteral(""), TextLiteral("")})
          .Nulls(NullRule::kAlways)
          .Group(kGroup, "2.0.0", "Words of each sentence."));
  list.Add(Scalar("space", {Int()}, DataType::String()).Group(kGroup, "1.5.0", "n blanks."));
  list.Add(Scalar("split_part", {Text(), Text(), Int()}, SameAs(0))
               .Group(kGroup, "3.3.0", "The n-th part of a text cut at a delimiter."));
  list.Add(Scalar("substring_index", {Text(), Text(), Int()}, SameAs(0))
               .Group(kGroup, "1.5.0", "The text before the n-th delimiter (negative: after, counted from the end)."));
  list.Add(Scalar("translate", {Text(), Text(), Text()}, SameAs(0))
               .Group(kGroup, "1.5.0", "Characters replaced one by one."));
  list.Add(Scalar("is_valid_utf8", {TextOrBytes()}, DataType::Boolean())
               .Group(kGroup, "4.0.0", "Whether the bytes are well-formed UTF-8."));
  list.Add(Scalar("make_valid_utf8", {TextOrBytes()}, DataType::String())
               .Group(kGroup, "4.0.0", "Malformed bytes replaced by U+FFFD."));
  list.Add(Scalar("validate_utf8", {TextOrBytes()}, DataType::String())
               .Group(kGroup, "4.0.0", "The text; an error where it is not well-formed UTF-8."));
  list.Add(Scalar("try_validate_utf8", {TextOrBytes()}, DataType::String())
               .Nulls(NullRule::kAlways)
               .Group(kGroup, "4.0.0", "The text; NULL where it is not well-formed UTF-8."));
  list.Add(Described(Custom("collate", 2, 2, BindCollate), "4.0.0", "The text under a collation."));
  list.Add(Described(
      Custom("collation", 1, 1,
             [](const FunctionCall& call) -> Result<ExpressionPtr> {
               std::string sql = CallSql(call.name, call.arguments);
               FRAZIL_ASSIGN_OR_RETURN(auto value, CoerceArgument(call, sql, call.arguments[0], 0, Text()));
               const std::string& name = value->type->collation();
               return WithSql(TextLiteral("SYSTEM.BUILTIN." + (name.empty() ? std::string("UTF8_BINARY") : name)), sql);
             }),
      "4.0.0", "Name of the text's collation."));
}

}  // namespace frazil::functions
