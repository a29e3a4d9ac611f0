#include "frazil/tables/iceberg/type.h"

#include <charconv>
#include <map>

#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/json_access.h"

namespace frazil::tables::iceberg {
namespace {

const std::map<std::string_view, TypeKind>& PrimitiveNames() {
  static const std::map<std::string_view, TypeKind> names = {
      {"boolean", TypeKind::kBoolean},
      {"int", TypeKind::kInt},
      {"long", TypeKind::kLong},
      {"float", TypeKind::kFloat},
      {"double", TypeKind::kDouble},
      {"date", TypeKind::kDate},
      {"time", TypeKind::kTime},
      {"timestamp", TypeKind::kTimestamp},
      {"timestamptz", TypeKind::kTimestampTz},
      {"timestamp_ns", TypeKind::kTimestampNs},
      {"timestamptz_ns", TypeKind::kTimestampTzNs},
      {"string", TypeKind::kString},
      {"uuid", TypeKind::kUuid},
      {"binary", TypeKind::kBinary},
      {"unknown", TypeKind::kUnknown},
      {"variant", TypeKind::kVariant},
  };
  return names;
}

/// The whole numbers in "decimal(10, 2)" or "fixed[16]".
std::vector<int32_t> NumbersIn(std::string_view text) {
  std::vector<int32_t> result;
  for (size_t i = 0; i < text.size();) {
    if (text[i] < '0' || text[i] > '9') {
      ++i;
      continue;
    }
    int32_t number = 0;
    auto [stopped, problem] = std::from_chars(text.data() + i, text.data() + text.size(), number);
    if (problem != std::errc()) return {};
    result.push_back(number);
    i = static_cast<size_t>(stopped - text.data());
  }
  return result;
}

Result<TypePtr> ParsePrimitive(const std::string& text) {
  auto known = PrimitiveNames().find(text);
  if (known != PrimitiveNames().end()) return Type::Primitive(known->second);
  std::vector<int32_t> numbers = NumbersIn(text);
  if (text.starts_with("decimal(") && text.back() == ')' && numbers.size() == 2) {
    if (numbers[0] > 38) return IllegalArgument("Decimals with precision larger than 38 are not supported: " + text);
    return Type::Decimal(numbers[0], numbers[1]);
  }
  if (text.starts_with("fixed[") && text.back() == ']' && numbers.size() == 1) return Type::Fixed(numbers[0]);
  bool geometry = text == "geometry" || text.starts_with("geometry(");
  bool geography = text == "geography" || text.starts_with("geography(");
  if (geometry || geography) {
    auto type = std::make_shared<Type>();
    type->kind = geometry ? TypeKind::kGeometry : TypeKind::kGeography;
    type->text = text;
    return TypePtr(type);
  }
  return IllegalArgument("Cannot parse type string to primitive: " + text);
}

Result<NestedField> ParseField(const JsonValue& json) {
  NestedField field;
  FRAZIL_ASSIGN_OR_RETURN(field.id, GetInt(json, "id"));
  FRAZIL_ASSIGN_OR_RETURN(field.name, GetText(json, "name"));
  FRAZIL_ASSIGN_OR_RETURN(field.required, GetBoolean(json, "required"));
  const JsonValue* type = json.Find("type");
  if (type == nullptr) return IllegalArgument("Cannot parse type from json: " + json.Write());
  FRAZIL_ASSIGN_OR_RETURN(field.type, ParseType(*type));
  FRAZIL_ASSIGN_OR_RETURN(field.doc, GetOptionalText(json, "doc"));
  auto default_of = [&](std::string_view name) -> std::shared_ptr<const JsonValue> {
    const JsonValue* found = json.Find(name);
    if (found == nullptr || found->kind == JsonValue::Kind::kNull) return nullptr;
    return std::make_shared<const JsonValue>(*found);
  };
  field.initial_default = default_of("initial-default");
  field.write_default = default_of("write-default");
  return field;
}

std::string FieldText(const NestedField& field) {
  return std::to_string(field.id) + ": " + field.name + ": " + (field.required ? "required " : "optional ") +
         TypeText(*field.type);
}

bool SameDefault(const std::shared_ptr<const JsonValue>& left, const std::shared_ptr<const JsonValue>& right) {
  if (left == nullptr || right == nullptr) return left == right;
  return left->Write() == right->Write();
}

}  // namespace

TypePtr Type::Primitive(TypeKind kind) {
  auto type = std::make_shared<Type>();
  type->kind = kind;
  return type;
}

TypePtr Type::Decimal(int32_t precision, int32_t scale) {
  auto type = std::make_shared<Type>();
  type->kind = TypeKind::kDecimal;
  type->precision = precision;
  type->scale = scale;
  return type;
}

TypePtr Type::Fixed(int32_t length) {
  auto type = std::make_shared<Type>();
  type->kind = TypeKind::kFixed;
  type->length = length;
  return type;
}

TypePtr Type::Struct(std::vector<NestedField> fields) {
  auto type = std::make_shared<Type>();
  type->kind = TypeKind::kStruct;
  type->fields = std::move(fields);
  return type;
}

TypePtr Type::List(int32_t element_id, bool element_required, TypePtr element) {
  auto type = std::make_shared<Type>();
  type->kind = TypeKind::kList;
  type->fields.push_back(
      NestedField{element_id, "element", element_required, std::move(element), {}, nullptr, nullptr});
  return type;
}

TypePtr Type::Map(int32_t key_id, TypePtr key, int32_t value_id, bool value_required, TypePtr value) {
  auto type = std::make_shared<Type>();
  type->kind = TypeKind::kMap;
  type->fields.push_back(NestedField{key_id, "key", true, std::move(key), {}, nullptr, nullptr});
  type->fields.push_back(NestedField{value_id, "value", value_required, std::move(value), {}, nullptr, nullptr});
  return type;
}

std::string TypeText(const Type& type) {
  switch (type.kind) {
    case TypeKind::kDecimal:
      return "decimal(" + std::to_string(type.precision) + ", " + std::to_string(type.scale) + ")";
    case TypeKind::kFixed:
      return "fixed[" + std::to_string(type.length) + "]";
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
      return type.text;
    case TypeKind::kStruct: {
      std::string text = "struct<";
      for (size_t i = 0; i < type.fields.size(); ++i) text += (i > 0 ? ", " : "") + FieldText(type.fields[i]);
      return text + ">";
    }
    case TypeKind::kList:
      return "list<" + TypeText(*type.fields[0].type) + ">";
    case TypeKind::kMap:
      return "map<" + TypeText(*type.fields[0].type) + ", " + TypeText(*type.fields[1].type) + ">";
    default:
      break;
  }
  for (const auto& [name, kind] : PrimitiveNames()) {
    if (kind == type.kind) return std::string(name);
  }
  return {};
}

bool SameField(const NestedField& left, const NestedField& right) {
  return left.id == right.id && left.name == right.name && left.required == right.required && left.doc == right.doc &&
         SameDefault(left.initial_default, right.initial_default) &&
         SameDefault(left.write_default, right.write_default) && SameType(*left.type, *right.type);
}

bool SameType(const Type& left, const Type& right) {
  if (left.kind != right.kind || left.precision != right.precision || left.scale != right.scale ||
      left.length != right.length || left.text != right.text || left.fields.size() != right.fields.size()) {
    return false;
  }
  for (size_t i = 0; i < left.fields.size(); ++i) {
    if (!SameField(left.fields[i], right.fields[i])) return false;
  }
  return true;
}

Result<std::vector<NestedField>> ParseFields(const JsonValue& struct_json) {
  FRAZIL_ASSIGN_OR_RETURN(const auto* items, GetArray(struct_json, "fields"));
  std::vector<NestedField> fields;
  fields.reserve(items->size());
  for (const auto& item : *items) {
    FRAZIL_ASSIGN_OR_RETURN(NestedField field, ParseField(item));
    fields.push_back(std::move(field));
  }
  return fields;
}

Result<TypePtr> ParseType(const JsonValue& json) {
  if (json.kind == JsonValue::Kind::kString) return ParsePrimitive(json.text);
  if (json.kind != JsonValue::Kind::kObject) return IllegalArgument("Cannot parse type from json: " + json.Write());
  FRAZIL_ASSIGN_OR_RETURN(std::string kind, GetText(json, "type"));
  auto child = [&](std::string_view name) -> Result<TypePtr> {
    const JsonValue* found = json.Find(name);
    if (found == nullptr) return IllegalArgument("Cannot parse type from json: " + json.Write());
    return ParseType(*found);
  };
  if (kind == "struct") {
    FRAZIL_ASSIGN_OR_RETURN(auto fields, ParseFields(json));
    return Type::Struct(std::move(fields));
  }
  if (kind == "list") {
    FRAZIL_ASSIGN_OR_RETURN(int32_t id, GetInt(json, "element-id"));
    FRAZIL_ASSIGN_OR_RETURN(bool required, GetBoolean(json, "element-required"));
    FRAZIL_ASSIGN_OR_RETURN(TypePtr element, child("element"));
    return Type::List(id, required, std::move(element));
  }
  if (kind == "map") {
    FRAZIL_ASSIGN_OR_RETURN(int32_t key_id, GetInt(json, "key-id"));
    FRAZIL_ASSIGN_OR_RETURN(TypePtr key, child("key"));
    FRAZIL_ASSIGN_OR_RETURN(int32_t value_id, GetInt(json, "value-id"));
    FRAZIL_ASSIGN_OR_RETURN(bool required, GetBoolean(json, "value-required"));
    FRAZIL_ASSIGN_OR_RETURN(TypePtr value, child("value"));
    return Type::Map(key_id, std::move(key), value_id, required, std::move(value));
  }
  return IllegalArgument("Cannot parse type from json: " + json.Write());
}

JsonValue TypeToJson(const Type& type) {
  switch (type.kind) {
    case TypeKind::kStruct: {
      std::vector<JsonValue> fields;
      for (const auto& field : type.fields) {
        JsonObject object;
        object.AddLong("id", field.id).AddText("name", field.name).AddBoolean("required", field.required);
        object.Add("type", TypeToJson(*field.type));
        if (field.doc) object.AddText("doc", *field.doc);
        if (field.initial_default != nullptr) object.Add("initial-default", *field.initial_default);
        if (field.write_default != nullptr) object.Add("write-default", *field.write_default);
        fields.push_back(object.Take());
      }
      return JsonObject().AddText("type", "struct").Add("fields", JsonArray(std::move(fields))).Take();
    }
    case TypeKind::kList:
      return JsonObject()
          .AddText("type", "list")
          .AddLong("element-id", type.fields[0].id)
          .Add("element", TypeToJson(*type.fields[0].type))
          .AddBoolean("element-required", type.fields[0].required)
          .Take();
    case TypeKind::kMap:
      return JsonObject()
          .AddText("type", "map")
          .AddLong("key-id", type.fields[0].id)
          .Add("key", TypeToJson(*type.fields[0].type))
          .AddLong("value-id", type.fields[1].id)
          .Add("value", TypeToJson(*type.fields[1].type))
          .AddBoolean("value-required", type.fields[1].required)
          .Take();
    default:
      return JsonValue::OfString(TypeText(type));
  }
}

}  // namespace frazil::tables::iceberg
