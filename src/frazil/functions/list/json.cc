// JSON and CSV.
// https://spark.apache.org/docs/latest/api/sql/#json-functions

#include "frazil/base/json.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "frazil/base/text.h"
#include "frazil/functions/constant.h"
#include "frazil/functions/list/record_arguments.h"
#include "frazil/functions/list/topics.h"
#include "frazil/functions/text_options.h"
#include "frazil/types/nullable_type.h"

namespace frazil::functions {
namespace {

FunctionDefinition Described(FunctionDefinition definition, std::string group, std::string since, std::string usage) {
  definition.group = std::move(group);
  definition.since = std::move(since);
  definition.usage = std::move(usage);
  return definition;
}

Result<ExpressionPtr> BindFromText(const FunctionCall& call) {
  std::string sql = CallSql(call.name, {call.arguments[0]});
  FRAZIL_ASSIGN_OR_RETURN(auto schema, SchemaArgument(call.arguments[1]));
  bool is_csv = call.name == "from_csv";
  bool fits =
      schema->id() == TypeId::kStruct ||
      (!is_csv && (schema->id() == TypeId::kArray || schema->id() == TypeId::kMap || schema->id() == TypeId::kVariant));
  if (!fits) {
    if (is_csv)
      return Error::Of("INVALID_SCHEMA.NON_STRUCT_TYPE",
                       {{"inputSchema", QuotedSql(call.arguments[1]->sql)}, {"dataType", QuotedType(*schema)}});
    return Mismatch("INVALID_JSON_SCHEMA", sql, {{"schema", QuotedType(*schema)}});
  }
  if (schema->id() == TypeId::kVariant) return Error::Unsupported("from_json to VARIANT");
  FRAZIL_ASSIGN_OR_RETURN(auto options, OptionsArgument(call, 2));
  auto values = OptionsOf(call, 2);
  FRAZIL_RETURN_IF_ERROR(is_csv ? CheckCsvOptions(values) : CheckJsonOptions(values));
  if (auto found = values.find("mode"); found != values.end()) {
    std::string upper = AsciiUpper(found->second);
    if (upper != "PERMISSIVE" && upper != "FAILFAST") {
      return Error::Of("PARSE_MODE_UNSUPPORTED", {{"funcName", QuoteIdentifier(call.name)}, {"mode", found->second}});
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(auto text, CoerceArgument(call, sql, call.arguments[0], 0, Text()));
  DataTypePtr type = AsNullable(schema);
  if (schema->id() == TypeId::kMap) sql = "entries";  // Spark names it so.
  return MakeCall(call.name, {text, options}, type, true, ModeOf(call), sql);
}

// Types that have no JSON.
bool HasJson(const DataType& type) {
  switch (type.id()) {
    case TypeId::kArray:
      return HasJson(*type.element_type());
    case TypeId::kMap:
      return HasJson(*type.value_type());
    case TypeId::kStruct:
      return std::all_of(type.fields().begin(), type.fields().end(),
                         [](const StructField& field) { return HasJson(*field.type); });
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return false;
    default:
      return true;
  }
}

Result<ExpressionPtr> BindToJson(const FunctionCall& call) {
  std::string sql = CallSql("to_json", {call.arguments[0]});
  const auto& value = call.arguments[0];
  if (value->type->id() == TypeId::kVariant)
    return MakeCall("variant_to_json", {value}, DataType::String(), value->nullable, ModeOf(call), sql);
  if (!value->type->IsComplex())
    return UnexpectedInput(sql, 0, "\"STRUCT\", \"ARRAY\", \"MAP\" or \"VARIANT\"", *value);
  if (!HasJson(*value->type))
    return Mismatch("CANNOT_CONVERT_TO_JSON", sql,
                    {{"name", QuoteIdentifier(value->sql)}, {"type", QuotedType(*value->type)}});
  FRAZIL_ASSIGN_OR_RETURN(auto options, OptionsArgument(call, 1));
  FRAZIL_RETURN_IF_ERROR(CheckJsonOptions(OptionsOf(call, 1)));
  return MakeCall("to_json", {value, options}, DataType::String(), true, ModeOf(call), sql);
}

// A struct with the texts of its arrays, maps and structs, as casts write them.
ExpressionPtr WithNestedAsText(const ExpressionPtr& value, const FunctionCall& call) {
  const auto& fields = value->type->fields();
  const auto is_nested = [](const StructField& field) { return field.type->IsComplex(); };
  if (std::none_of(fields.begin(), fields.end(), is_nested)) return value;
  Arguments parts;
  std::vector<StructField> texts;
  for (const auto& field : fields) {
    auto part = MakeCall("get_field", {value, TextLiteral(field.name)}, field.type, true);
    if (is_nested(field)) part = CastTo(part, DataType::String(), call);
    texts.emplace_back(field.name, part->type);
    parts.push_back(TextLiteral(field.name));
    parts.push_back(std::move(part));
  }
  const auto type = DataType::Struct(std::move(texts));
  const auto row = MakeCall("named_struct", std::move(parts), type, false);
  if (!value->nullable) return row;
  return MakeCall("if", {MakeCall("is_null", {value}, DataType::Boolean(), false), MakeNull(type), row}, type, true);
}

Result<ExpressionPtr> BindToCsv(const FunctionCall& call) {
  std::string sql = CallSql("to_csv", {call.arguments[0]});
  const auto& value = call.arguments[0];
  if (value->type->id() != TypeId::kStruct) return UnexpectedInput(sql, 0, "\"STRUCT\"", *value);
  for (const auto& field : value->type->fields()) {
    if (field.type->id() == TypeId::kVariant) return Error::Unsupported("to_csv of variants");
  }
  FRAZIL_ASSIGN_OR_RETURN(auto options, OptionsArgument(call, 1));
  FRAZIL_RETURN_IF_ERROR(CheckCsvOptions(OptionsOf(call, 1)));
  return MakeCall("to_csv", {WithNestedAsText(value, call), options}, DataType::String(), value->nullable, ModeOf(call),
                  sql);
}

// --- schemas of examples
// ------------------------------------------------------------------------------------------------------------------------------------------

DataTypePtr MergeTypes(const DataTypePtr& left, const DataTypePtr& right) {
  if (left->id() == TypeId::kNull) return right;
  if (right->id() == TypeId::kNull) return left;
  if (left->id() == TypeId::kStruct && right->id() == TypeId::kStruct) {
    std::vector<StructField> fields = left->fields();
    for (const auto& field : right->fields()) {
      auto found = std::find_if(fields.begin(), fields.end(),
                                [&](const StructField& other) { return other.name == field.name; });
      if (found == fields.end()) {
        fields.push_back(field);
      } else {
        found->type = MergeTypes(found->type, field.type);
      }
    }
    std::sort(fields.begin(), fields.end(), [](const StructField& a, const StructField& b) { return a.name < b.name; });
    return DataType::Struct(std::move(fields));
  }
  if (left->id() == TypeId::kArray && right->id() == TypeId::kArray)
    return DataType::Array(MergeTypes(left->element_type(), right->element_type()), true);
  auto wider = WiderTypeWithoutText(left, right, false);
  return wider != nullptr && wider->IsNumeric()  ? wider
         : left->EqualsIgnoreNullability(*right) ? left
                                                 : DataType::String();
}

DataTypePtr TypeOfJson(const JsonValue& json, const std::map<std::string, std::string>& options) {
  auto is_true = [&](const char* key) {
    auto found = options.find(key);
    return found != options.end() && AsciiLower(found->second) == "true";
  };
  switch (json.kind) {
    case JsonValue::Kind::kNull:
      return DataType::Null();
    case JsonValue::Kind::kBoolean:
      return is_true("primitivesasstring") ? DataType::String() : DataType::Boolean();
    case JsonValue::Kind::kString:
      return DataType::String();
    case JsonValue::Kind::kNumber: {
      if (is_true("primitivesasstring")) return DataType::String();
      if (json.text.find_first_of(".eE") != std::string::npos) {
        if (is_true("prefersdecimal")) {
          size_t point = json.text.find('.');
          size_t digits = static_cast<size_t>(
              std::count_if(json.text.begin(), json.text.end(), [](char c) { return c >= '0' && c <= '9'; }));
          if (point != std::string::npos && digits <= 38)
            return DataType::Decimal(static_cast<int>(digits), static_cast<int>(json.text.size() - point - 1));
        }
        return DataType::Double();
      }
      errno = 0;
      std::strtoll(json.text.c_str(), nullptr, 10);
      if (errno != ERANGE) return DataType::Long();
      size_t digits = json.text.size() - (json.text[0] == '-' ? 1 : 0);
      return digits <= 38 ? DataType::Decimal(static_cast<int>(digits), 0) : DataType::Double();
    }
    case JsonValue::Kind::kArray: {
      DataTypePtr element = DataType::Null();
      for (const auto& item : json.items) element = MergeTypes(element, TypeOfJson(item, options));
      return DataType::Array(element, true);
    }
    case JsonValue::Kind::kObject: {
      std::vector<StructField> fields;
      for (const auto& [name, value] : json.members) fields.emplace_back(name, TypeOfJson(value, options), true);
      std::sort(fields.begin(), fields.end(),
                [](const StructField& a, const StructField& b) { return a.name < b.name; });
      return DataType::Struct(std::move(fields));
    }
  }
  return DataType::Null();
}

// What stayed unknown becomes text; structs without fields vanish from what is around them.
DataTypePtr Settle(const DataTypePtr& type) {
  switch (type->id()) {
    case TypeId::kNull:
      return DataType::String();
    case TypeId::kArray: {
      auto element = Settle(type->element_type());
      return element == nullptr ? nullptr : DataType::Array(element, true);
    }
    case TypeId::kStruct: {
      std::vector<StructField> fields;
      for (const auto& field : type->fields()) {
        auto settled = Settle(field.type);
        if (settled != nullptr && !field.name.empty()) fields.emplace_back(field.name, settled, true);
      }
      if (fields.empty()) return nullptr;
      return DataType::Struct(std::move(fields));
    }
    default:
      return type;
  }
}

// 'a':01 -> "a":1, where the options allow it, so that the strict reader takes it.
std::string WithoutLeadingZeros(const std::string& text) {
  std::string result;
  bool in_text = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"' && (i == 0 || text[i - 1] != '\\')) in_text = !in_text;
    bool number_begins =
        !in_text && c == '0' &&
        (result.empty() || (std::isdigit(static_cast<unsigned char>(result.back())) == 0 && result.back() != '.'));
    if (number_begins) {
      while (i + 1 < text.size() && text[i] == '0' && std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0) ++i;
      c = text[i];
    }
    result += c;
  }
  return result;
}

// {a: 1} -> {"a": 1}, where the options allow it.
std::string WithQuotedNames(const std::string& text) {
  std::string result;
  char quote = '\0';
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    result += c;
    if (quote != '\0') {
      if (c == '\\' && i + 1 < text.size()) {
        result += text[++i];
      } else if (c == quote) {
        quote = '\0';
      }
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    if (c != '{' && c != ',') continue;
    size_t begin = i + 1;
    while (begin < text.size() && std::isspace(static_cast<unsigned char>(text[begin])) != 0) ++begin;
    size_t end = begin;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
    size_t colon = end;
    while (colon < text.size() && std::isspace(static_cast<unsigned char>(text[colon])) != 0) ++colon;
    // A name is what a colon follows; the elements of an array have none.
    if (end == begin || colon >= text.size() || text[colon] != ':') continue;
    result += '"' + text.substr(begin, end - begin) + '"';
    i = end - 1;
  }
  return result;
}

// The cells of a line; those in double quotes without them.
std::vector<std::string> CsvCells(const std::string& line, const std::string& separator) {
  std::vector<std::string> cells;
  for (size_t begin = 0;;) {
    std::string cell;
    size_t at = begin;
    if (at < line.size() && line[at] == '"') {
      for (++at; at < line.size() && line[at] != '"'; ++at) cell += line[at];
      if (at < line.size()) ++at;
    }
    const size_t end = std::min(line.find(separator, at), line.size());
    cells.push_back(cell + line.substr(at, end - at));
    if (end >= line.size()) return cells;
    begin = end + separator.size();
  }
}

Result<ExpressionPtr> BindSchemaOf(const FunctionCall& call) {
  std::string sql = CallSql(call.name, {call.arguments[0]});
  const auto& example = call.arguments[0];
  if (!IsFoldable(*example)) return NonFoldable(sql, call.name == "schema_of_csv" ? "csv" : "json", "STRING", *example);
  auto text = ConstantText(*example);
  if (!text.has_value()) {
    if (!example->type->IsString() && example->type->id() != TypeId::kNull)
      return UnexpectedInput(sql, 0, "\"STRING\"", *example);
    return Mismatch("UNEXPECTED_NULL", sql, {{"exprName", call.name == "schema_of_csv" ? "csv" : "json"}});
  }
  FRAZIL_RETURN_IF_ERROR(OptionsArgument(call, 1).status());
  auto options = OptionsOf(call, 1);
  if (call.name == "schema_of_json") {
    FRAZIL_RETURN_IF_ERROR(CheckJsonOptions(options));
    std::string document = *text;
    if (auto found = options.find("allownumericleadingzeros");
        found != options.end() && AsciiLower(found->second) == "true")
      document = WithoutLeadingZeros(document);
    if (auto found = options.find("allowunquotedfieldnames");
        found != options.end() && AsciiLower(found->second) == "true")
      document = WithQuotedNames(document);
    auto json = ParseJson(document);
    if (!json.ok()) {
      // Names and texts in single quotes are read too.
      json = ParseJson(ReplaceAll(document, "'", "\""));
      if (!json.ok()) return std::move(json).error();
    }
    auto type = Settle(TypeOfJson(*json, options));
    return WithSql(TextLiteral(type == nullptr ? "STRUCT<>" : type->Sql()), sql);
  }
  FRAZIL_RETURN_IF_ERROR(CheckCsvOptions(options));
  FRAZIL_ASSIGN_OR_RETURN(const std::string separator, CsvSeparator(options));
  std::vector<StructField> fields;
  for (const std::string& cell : CsvCells(*text, separator)) {
    DataTypePtr type = DataType::String();
    char* stop = nullptr;
    errno = 0;
    long long whole = std::strtoll(cell.c_str(), &stop, 10);
    if (!cell.empty() && *stop == '\0' && errno == 0) {
      type = whole >= INT32_MIN && whole <= INT32_MAX ? DataType::Integer() : DataType::Long();
    } else if (!cell.empty() && cell.find_first_not_of("0123456789+-.eE") == std::string::npos) {
      std::strtod(cell.c_str(), &stop);
      if (*stop == '\0') type = DataType::Double();
    } else if (AsciiLower(cell) == "true" || AsciiLower(cell) == "false") {
      type = DataType::Boolean();
    }
    fields.emplace_back("_c" + std::to_string(fields.size()), type, true);
  }
  return WithSql(TextLiteral(DataType::Struct(std::move(fields))->Sql()), sql);
}

}  // namespace

void AddJsonFunctions(FunctionList& list) {
  const char* const json = "json_funcs";
  const char* const csv = "csv_funcs";
  list.Add(Scalar("get_json_object", {Text(), Text()}, DataType::String())
               .Nulls(NullRule::kAlways)
               .Group(json, "1.5.0", "The part of a JSON text at a path."));
  list.Add(Scalar("json_array_length", {Text()}, DataType::Integer())
               .Nulls(NullRule::kAlways)
               .Group(json, "3.1.0", "Number of elements of a JSON array."));
  list.Add(Scalar("json_object_keys", {Text()}, DataType::Array(DataType::String(), true))
               .Nulls(NullRule::kAlways)
               .Group(json, "3.1.0", "Names in a JSON object."));
  list.Add(Described(Custom("from_json", 2, 3, BindFromText), json, "2.2.0", "JSON text as a struct, array or map."));
  list.Add(Described(Custom("to_json", 1, 2, BindToJson), json, "2.2.0", "A struct, array or map as JSON text."));
  list.Add(Described(Custom("schema_of_json", 1, 2, BindSchemaOf), json, "2.4.0", "The type of an example in JSON."));
  list.Add(Described(Custom("from_csv", 2, 3, BindFromText), csv, "3.0.0", "A line of CSV as a struct."));
  list.Add(Described(Custom("to_csv", 1, 2, BindToCsv), csv, "3.0.0", "A struct as a line of CSV."));
  list.Add(Described(Custom("schema_of_csv", 1, 2, BindSchemaOf), csv, "3.0.0", "The type of an example in CSV."));
}

}  // namespace frazil::functions
