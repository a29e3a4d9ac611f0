#include "frazil/codec/avro_schema.h"

#include <cstdio>
#include <map>

#include "frazil/base/integer_text.h"
#include "frazil/base/json.h"

namespace frazil::codec {
namespace {

Error Invalid(const std::string& why) { return Error::Storage("Invalid Avro schema: " + why); }

int64_t Number(const JsonValue& object, std::string_view name, int64_t otherwise) {
  const JsonValue* found = object.Find(name);
  if (found == nullptr || found->kind != JsonValue::Kind::kNumber) return otherwise;
  return ParseInteger<int64_t>(found->text).value_or(otherwise);
}

std::string Text(const JsonValue& object, std::string_view name) {
  const JsonValue* found = object.Find(name);
  return found != nullptr && found->kind == JsonValue::Kind::kString ? found->text : std::string();
}

const AvroType* PrimitiveType(std::string_view name) {
  static const std::map<std::string_view, AvroType> types = {
      {"null", AvroType::kNull},   {"boolean", AvroType::kBoolean}, {"int", AvroType::kInt},
      {"long", AvroType::kLong},   {"float", AvroType::kFloat},     {"double", AvroType::kDouble},
      {"bytes", AvroType::kBytes}, {"string", AvroType::kString}};
  auto found = types.find(name);
  return found == types.end() ? nullptr : &found->second;
}

class SchemaParser {
 public:
  Result<AvroSchemaPtr> Parse(const JsonValue& json) {
    switch (json.kind) {
      case JsonValue::Kind::kString:
        return ByName(json.text);
      case JsonValue::Kind::kArray:
        return Union(json);
      case JsonValue::Kind::kObject:
        return Object(json);
      case JsonValue::Kind::kNull:
      case JsonValue::Kind::kBoolean:
      case JsonValue::Kind::kNumber:
        break;
    }
    return Invalid("not a type: " + json.Write());
  }

 private:
  Result<AvroSchemaPtr> ByName(const std::string& name) {
    if (const AvroType* primitive = PrimitiveType(name)) {
      auto schema = std::make_shared<AvroSchema>();
      schema->type = *primitive;
      return AvroSchemaPtr(schema);
    }
    auto known = named_.find(name);
    if (known == named_.end()) return Invalid("unknown type " + name);
    return known->second;
  }

  Result<AvroSchemaPtr> Union(const JsonValue& json) {
    auto schema = std::make_shared<AvroSchema>();
    schema->type = AvroType::kUnion;
    for (const auto& branch : json.items) {
      FRAZIL_ASSIGN_OR_RETURN(auto parsed, Parse(branch));
      schema->branches.push_back(std::move(parsed));
    }
    if (schema->branches.empty()) return Invalid("empty union");
    return AvroSchemaPtr(schema);
  }

  Result<AvroSchemaPtr> Object(const JsonValue& json) {
    const JsonValue* type = json.Find("type");
    if (type == nullptr) return Invalid("no type in " + json.Write());
    if (type->kind != JsonValue::Kind::kString) return Parse(*type);
    auto schema = std::make_shared<AvroSchema>();
    schema->name = Text(json, "name");
    schema->logical_type = Text(json, "logicalType");
    schema->precision = static_cast<int>(Number(json, "precision", 0));
    schema->scale = static_cast<int>(Number(json, "scale", 0));
    const JsonValue* utc = json.Find("adjust-to-utc");
    if (utc != nullptr && utc->kind == JsonValue::Kind::kBoolean) schema->adjust_to_utc = utc->boolean;
    if (const AvroType* primitive = PrimitiveType(type->text)) {
      schema->type = *primitive;
      return AvroSchemaPtr(schema);
    }
    if (type->text == "record" || type->text == "error") {
      schema->type = AvroType::kRecord;
      FRAZIL_RETURN_IF_ERROR(Fields(json, schema.get()));
    } else if (type->text == "enum") {
      schema->type = AvroType::kEnum;
      if (const JsonValue* symbols = json.Find("symbols")) {
        for (const auto& symbol : symbols->items) schema->symbols.push_back(symbol.text);
      }
    } else if (type->text == "fixed") {
      schema->type = AvroType::kFixed;
      schema->size = Number(json, "size", -1);
      if (schema->size < 0) return Invalid("no size of fixed type " + schema->name);
    } else if (type->text == "array") {
      schema->type = AvroType::kArray;
      schema->element_id = static_cast<int>(Number(json, "element-id", -1));
      FRAZIL_ASSIGN_OR_RETURN(schema->element, Child(json, "items"));
    } else if (type->text == "map") {
      schema->type = AvroType::kMap;
      schema->key_id = static_cast<int>(Number(json, "key-id", -1));
      schema->value_id = static_cast<int>(Number(json, "value-id", -1));
      FRAZIL_ASSIGN_OR_RETURN(schema->element, Child(json, "values"));
    } else {
      return ByName(type->text);
    }
    if (!schema->name.empty()) {
      std::string name_space = Text(json, "namespace");
      named_[schema->name] = schema;
      if (!name_space.empty()) named_[name_space + "." + schema->name] = schema;
    }
    return AvroSchemaPtr(schema);
  }

  Result<AvroSchemaPtr> Child(const JsonValue& json, std::string_view name) {
    const JsonValue* child = json.Find(name);
    if (child == nullptr) return Invalid("no " + std::string(name));
    return Parse(*child);
  }

  Status Fields(const JsonValue& json, AvroSchema* schema) {
    const JsonValue* fields = json.Find("fields");
    if (fields == nullptr || fields->kind != JsonValue::Kind::kArray)
      return Invalid("no fields of record " + schema->name);
    for (const auto& field_json : fields->items) {
      AvroField field;
      field.name = Text(field_json, "iceberg-field-name");
      if (field.name.empty()) field.name = Text(field_json, "name");
      field.field_id = static_cast<int>(Number(field_json, "field-id", -1));
      FRAZIL_ASSIGN_OR_RETURN(field.schema, Child(field_json, "type"));
      schema->fields.push_back(std::move(field));
    }
    return {};
  }

  std::map<std::string, AvroSchemaPtr> named_;
};

}  // namespace

const AvroSchema& AvroSchema::NotNull(int* null_branch) const {
  *null_branch = -1;
  if (type != AvroType::kUnion || branches.size() != 2) return *this;
  for (int i = 0; i < 2; ++i) {
    if (branches[static_cast<size_t>(i)]->type == AvroType::kNull) {
      *null_branch = i;
      return *branches[static_cast<size_t>(1 - i)];
    }
  }
  return *this;
}

Result<AvroSchemaPtr> ParseAvroSchema(std::string_view json) {
  FRAZIL_ASSIGN_OR_RETURN(JsonValue parsed, ParseJson(json));
  return SchemaParser().Parse(parsed);
}

std::string AvroName(const std::string& name) {
  std::string result;
  for (size_t i = 0; i < name.size(); ++i) {
    char c = name[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    bool digit = c >= '0' && c <= '9';
    if (letter || (digit && i > 0)) {
      result += c;
    } else if (digit) {
      result += '_';
      result += c;
    } else {
      char buffer[8];
      std::snprintf(buffer, sizeof(buffer), "_x%X", static_cast<unsigned>(static_cast<unsigned char>(c)));
      result += buffer;
    }
  }
  return result;
}

int DecimalBytes(int precision) {
  // The smallest n with 10^precision - 1 < 2^(8n - 1).
  int bytes = 1;
  long double limit = 127;
  long double largest = 1;
  for (int i = 0; i < precision; ++i) largest *= 10;
  while (limit < largest - 1) {
    ++bytes;
    limit = limit * 256 + 255;
  }
  return bytes;
}

}  // namespace frazil::codec
