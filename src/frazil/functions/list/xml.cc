// XML, and XPath over it.
// https://spark.apache.org/docs/latest/api/sql/#xml-functions

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "frazil/base/text.h"
#include "frazil/functions/constant.h"
#include "frazil/functions/list/record_arguments.h"
#include "frazil/functions/list/topics.h"
#include "frazil/types/nullable_type.h"
#include "frazil/xml/xml_document.h"

namespace frazil::functions {
namespace {

const char* const kGroup = "xml_funcs";

FunctionDefinition Described(FunctionDefinition definition, std::string usage) {
  definition.group = kGroup;
  definition.since = "4.0.0";
  definition.usage = std::move(usage);
  return definition;
}

Result<ExpressionPtr> BindFromXml(const FunctionCall& call) {
  const std::string sql = CallSql(call.name, {call.arguments[0]});
  FRAZIL_ASSIGN_OR_RETURN(const auto schema, SchemaArgument(call.arguments[1]));
  if (schema->id() == TypeId::kVariant) return Error::Unsupported("from_xml to VARIANT");
  if (schema->id() != TypeId::kStruct) return Mismatch("INVALID_XML_SCHEMA", sql, {{"schema", QuotedType(*schema)}});
  FRAZIL_ASSIGN_OR_RETURN(auto options, OptionsArgument(call, 2));
  const auto values = OptionsOf(call, 2);
  if (const auto found = values.find("mode"); found != values.end()) {
    const std::string mode = AsciiUpper(found->second);
    if (mode != "PERMISSIVE" && mode != "FAILFAST")
      return Error::Of("PARSE_MODE_UNSUPPORTED", {{"funcName", QuoteIdentifier(call.name)}, {"mode", found->second}});
  }
  if (values.contains("rowvalidationxsdpath")) return Error::Unsupported("from_xml with rowValidationXSDPath");
  FRAZIL_ASSIGN_OR_RETURN(auto text, CoerceArgument(call, sql, call.arguments[0], 0, Text()));
  return MakeCall(call.name, {text, options}, AsNullable(schema), true, ModeOf(call), sql);
}

Result<ExpressionPtr> BindToXml(const FunctionCall& call) {
  const std::string sql = CallSql(call.name, {call.arguments[0]});
  const auto& value = call.arguments[0];
  if (value->type->id() != TypeId::kStruct) return UnexpectedInput(sql, 0, "\"STRUCT\"", *value);
  FRAZIL_ASSIGN_OR_RETURN(auto options, OptionsArgument(call, 1));
  return MakeCall(call.name, {value, options}, DataType::String(), true, ModeOf(call), sql);
}

// --- schemas of examples (Spark's XmlInferSchema)

struct Inference {
  std::string attribute_prefix = "_", value_tag = "_VALUE";
  bool exclude_attributes = false, infers = true, prefers_decimal = false;
};

DataTypePtr TypeOfText(const std::string& raw, const Inference& inference) {
  const std::string text(TrimBlanks(raw));
  if (text.empty()) return DataType::Null();
  if (!inference.infers) return DataType::String();
  char* end = nullptr;
  errno = 0;
  std::strtoll(text.c_str(), &end, 10);
  if (*end == '\0' && errno == 0) return DataType::Long();
  if (text.find_first_not_of("0123456789+-.eE") == std::string::npos) {
    std::strtod(text.c_str(), &end);
    const bool is_plain = text.find_first_of("eE") == std::string::npos;
    if (*end == '\0' && inference.prefers_decimal && is_plain) {
      const size_t point = text.find('.');
      const int scale = point == std::string::npos ? 0 : static_cast<int>(text.size() - point - 1);
      const int digits =
          static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }));
      if (digits <= 38) return DataType::Decimal(digits, scale);
    }
    if (*end == '\0') return DataType::Double();
  }
  if (EqualsIgnoreCase(text, "true") || EqualsIgnoreCase(text, "false")) return DataType::Boolean();
  return DataType::String();
}

DataTypePtr Merge(const DataTypePtr& left, const DataTypePtr& right, const Inference& inference);

// Fields of the same name become one; the fields stand in order of their names.
void AddField(const std::string& name, const DataTypePtr& type, const Inference& inference, bool as_array,
              std::vector<StructField>* fields) {
  const auto found =
      std::find_if(fields->begin(), fields->end(), [&](const StructField& field) { return field.name == name; });
  if (found == fields->end()) {
    fields->emplace_back(name, type);
  } else if (as_array) {
    const auto element = found->type->id() == TypeId::kArray ? found->type->element_type() : found->type;
    found->type = DataType::Array(Merge(element, type, inference));
  } else {
    found->type = Merge(found->type, type, inference);
  }
}

DataTypePtr StructOf(std::vector<StructField> fields) {
  std::sort(fields.begin(), fields.end(),
            [](const StructField& left, const StructField& right) { return left.name < right.name; });
  return DataType::Struct(std::move(fields));
}

DataTypePtr TypeOfElement(const xml::Element& element, const Inference& inference) {
  std::vector<StructField> fields;
  if (!inference.exclude_attributes) {
    for (const auto& [name, value] : element.attributes)
      AddField(inference.attribute_prefix + name, TypeOfText(value, inference), inference, false, &fields);
  }
  for (const auto& child : element.elements)
    AddField(child.name, TypeOfElement(child, inference), inference, true, &fields);
  const auto text = TypeOfText(element.text, inference);
  if (fields.empty()) return text;
  if (text->id() != TypeId::kNull) AddField(inference.value_tag, text, inference, false, &fields);
  return StructOf(std::move(fields));
}

DataTypePtr Merge(const DataTypePtr& left, const DataTypePtr& right, const Inference& inference) {
  const TypeId a = left->id(), b = right->id();
  if (a == TypeId::kNull || left->Equals(*right)) return right;
  if (b == TypeId::kNull) return left;
  if (a == TypeId::kStruct || b == TypeId::kStruct) {
    // A simple value beside a struct is its text.
    std::vector<StructField> fields;
    for (const auto& type : {left, right}) {
      if (type->id() != TypeId::kStruct) {
        AddField(inference.value_tag, type, inference, false, &fields);
        continue;
      }
      for (const auto& field : type->fields()) AddField(field.name, field.type, inference, false, &fields);
    }
    return StructOf(std::move(fields));
  }
  if (a == TypeId::kArray || b == TypeId::kArray) {
    return DataType::Array(Merge(a == TypeId::kArray ? left->element_type() : left,
                                 b == TypeId::kArray ? right->element_type() : right, inference));
  }
  const auto wider = WiderTypeWithoutText(left, right, false);
  return wider != nullptr && wider->IsNumeric() ? wider : DataType::String();
}

// What stayed unknown is text.
DataTypePtr Settled(const DataTypePtr& type) {
  if (type->id() == TypeId::kNull) return DataType::String();
  if (type->id() == TypeId::kArray) return DataType::Array(Settled(type->element_type()));
  if (type->id() != TypeId::kStruct) return type;
  std::vector<StructField> fields = type->fields();
  for (auto& field : fields) field.type = Settled(field.type);
  return DataType::Struct(std::move(fields));
}

Result<ExpressionPtr> BindSchemaOf(const FunctionCall& call) {
  const std::string sql = CallSql(call.name, {call.arguments[0]});
  const auto& example = call.arguments[0];
  if (!example->type->IsString() && example->type->id() != TypeId::kNull)
    return UnexpectedInput(sql, 0, "\"STRING\"", *example);
  if (!IsFoldable(*example)) return NonFoldable(sql, "xml", "STRING", *example);
  const auto text = ConstantText(*example);
  if (!text.has_value()) return Mismatch("UNEXPECTED_NULL", sql, {{"exprName", "xml"}});
  FRAZIL_RETURN_IF_ERROR(OptionsArgument(call, 1).status());
  const auto options = OptionsOf(call, 1);
  const auto option = [&](const char* key, const char* fallback) {
    const auto found = options.find(key);
    return found == options.end() ? std::string(fallback) : found->second;
  };
  Inference inference;
  inference.attribute_prefix = option("attributeprefix", "_");
  inference.value_tag = option("valuetag", "_VALUE");
  inference.exclude_attributes = EqualsIgnoreCase(option("excludeattribute", "false"), "true");
  inference.infers = !EqualsIgnoreCase(option("inferschema", "true"), "false");
  inference.prefers_decimal = EqualsIgnoreCase(option("prefersdecimal", "false"), "true");
  const auto root = xml::Parse(*text);
  std::string schema = "STRUCT<" + option("columnnameofcorruptrecord", "_corrupt_record") + ": STRING>";
  if (root.has_value()) {
    const auto type = Settled(TypeOfElement(*root, inference));
    schema = type->Sql();
  }
  return WithSql(TextLiteral(schema), sql);
}

// xpath and the like: (text, constant path).
FunctionDefinition XPath(std::string name, DataTypePtr type, std::string usage) {
  auto bind = [type](const FunctionCall& call) -> Result<ExpressionPtr> {
    const std::string sql = CallSql(call.name, call.arguments);
    FRAZIL_ASSIGN_OR_RETURN(auto arguments, CoerceArguments(call, sql, call.arguments, {Text(), Text()}));
    if (!IsFoldable(*arguments[1])) return NonFoldable(sql, "path", "STRING", *arguments[1]);
    return MakeCall(call.name == "xpath_number" ? "xpath_double" : call.name, std::move(arguments), type, true,
                    ModeOf(call), sql);
  };
  auto definition = Custom(std::move(name), 2, 2, std::move(bind));
  definition.group = kGroup;
  definition.since = "2.0.0";
  definition.usage = std::move(usage);
  return definition;
}

}  // namespace

void AddXmlFunctions(FunctionList& list) {
  list.Add(Described(Custom("from_xml", 2, 3, BindFromXml), "XML text as a struct."));
  list.Add(Described(Custom("to_xml", 1, 2, BindToXml), "A struct as XML text."));
  list.Add(Described(Custom("schema_of_xml", 1, 2, BindSchemaOf), "The type of an example in XML."));
  list.Add(XPath("xpath", DataType::Array(DataType::String(), true), "The values of the nodes at a path, as texts."));
  list.Add(XPath("xpath_string", DataType::String(), "The text at a path."));
  list.Add(XPath("xpath_boolean", DataType::Boolean(), "Whether a path finds something, or what it says is true."));
  list.Add(XPath("xpath_short", DataType::Short(), "The number at a path."));
  list.Add(XPath("xpath_int", DataType::Integer(), "The number at a path."));
  list.Add(XPath("xpath_long", DataType::Long(), "The number at a path."));
  list.Add(XPath("xpath_float", DataType::Float(), "The number at a path."));
  list.Add(XPath("xpath_double", DataType::Double(), "The number at a path."));
  list.Add(XPath("xpath_number", DataType::Double(), "The number at a path."));
}

}  // namespace frazil::functions
