#include "frazil/tables/iceberg/schema.h"

#include <algorithm>
#include <map>

#include "frazil/base/text.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/json_access.h"

namespace frazil::tables::iceberg {
namespace {

TypePtr WithFreshIds(const TypePtr& type, const std::function<int32_t()>& next_id) {
  if (!type->IsNested()) return type;
  auto copy = std::make_shared<Type>(*type);
  copy->fields = AssignFreshIds(type->fields, next_id);
  return copy;
}

int MinimumVersion(TypeKind kind) {
  switch (kind) {
    case TypeKind::kTimestampNs:
    case TypeKind::kTimestampTzNs:
    case TypeKind::kUnknown:
    case TypeKind::kVariant:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
      return 3;
    default:
      return 1;
  }
}

void CollectProblems(const NestedField& field, const std::string& path, int format_version,
                     std::vector<std::string>* problems) {
  if (MinimumVersion(field.type->kind) > format_version) {
    problems->push_back("Invalid type for " + path + ": " + TypeText(*field.type) + " is not supported until v" +
                        std::to_string(MinimumVersion(field.type->kind)));
  }
  if (field.initial_default != nullptr && format_version < 3) {
    problems->push_back("Invalid initial default for " + path + ": non-null default (" +
                        field.initial_default->Write() + ") is not supported until v3");
  }
  for (const auto& child : field.type->fields)
    CollectProblems(child, path + "." + child.name, format_version, problems);
}

/// Ids are a field's alone in the whole schema, names in their struct.
Status CheckUnique(const Type& type, const std::string& prefix, std::map<int32_t, std::string>* ids) {
  std::map<std::string, int32_t> names;
  for (const auto& field : type.fields) {
    const std::string path = prefix + field.name;
    auto [known, is_new] = ids->emplace(field.id, path);
    if (!is_new) {
      return IllegalArgument("Multiple entries with same key: " + std::to_string(field.id) + "=" + path + " and " +
                             std::to_string(field.id) + "=" + known->second);
    }
    auto [same, is_first] = names.emplace(field.name, field.id);
    if (!is_first) {
      return Validation("Invalid schema: multiple fields for name " + path + ": " + std::to_string(same->second) +
                        " and " + std::to_string(field.id));
    }
    FRAZIL_RETURN_IF_ERROR(CheckUnique(*field.type, path + ".", ids));
  }
  return {};
}

}  // namespace

SchemaPtr Schema::Make(int32_t schema_id, std::vector<NestedField> fields, std::vector<int32_t> identifier_field_ids) {
  auto schema = std::make_shared<Schema>();
  schema->schema_id_ = schema_id;
  schema->root_ = Type::Struct(std::move(fields));
  schema->identifier_field_ids_ = std::move(identifier_field_ids);
  std::sort(schema->identifier_field_ids_.begin(), schema->identifier_field_ids_.end());
  schema->Index(*schema->root_, Located{}, -1);
  return schema;
}

void Schema::Index(const Type& type, const Located& parent, int32_t parent_id) {
  bool collection = type.kind == TypeKind::kList || type.kind == TypeKind::kMap;
  for (const auto& field : type.fields) {
    Located located;
    located.field = &field;
    located.path = parent.path;
    located.path.push_back(field.name);
    located.parent_id = parent_id;
    located.in_collection = parent.in_collection || collection;
    located.optional_above = parent.field != nullptr && (parent.optional_above || !parent.field->required);
    std::string name = Join(located.path, ".");
    by_name_.emplace(name, field.id);
    by_lower_name_.emplace(AsciiLower(name), field.id);
    Index(*field.type, located, field.id);
    by_id_[field.id] = std::move(located);
  }
}

const Schema::Located* Schema::Find(int32_t field_id) const {
  auto found = by_id_.find(field_id);
  return found == by_id_.end() ? nullptr : &found->second;
}

const Schema::Located* Schema::Find(const std::vector<std::string>& path, bool case_sensitive) const {
  std::string name = Join(path, ".");
  auto found = by_name_.find(name);
  if (found != by_name_.end()) return Find(found->second);
  if (case_sensitive) return nullptr;
  found = by_lower_name_.find(AsciiLower(name));
  return found == by_lower_name_.end() ? nullptr : Find(found->second);
}

std::string Schema::NameOf(int32_t field_id) const {
  const Located* located = Find(field_id);
  return located == nullptr ? std::string() : Join(located->path, ".");
}

bool Schema::SameAs(const Schema& other) const {
  return SameType(*root_, *other.root_) && identifier_field_ids_ == other.identifier_field_ids_;
}

SchemaPtr Schema::WithId(int32_t schema_id) const { return Make(schema_id, root_->fields, identifier_field_ids_); }

Result<SchemaPtr> Schema::FromJson(const JsonValue& json) {
  const JsonValue* type = json.Find("type");
  if (type == nullptr || type->text != "struct") return IllegalArgument("Cannot parse type from json: " + json.Write());
  FRAZIL_ASSIGN_OR_RETURN(auto fields, ParseFields(json));
  std::map<int32_t, std::string> ids_in_use;
  FRAZIL_RETURN_IF_ERROR(CheckUnique(*Type::Struct(fields), "", &ids_in_use));
  FRAZIL_ASSIGN_OR_RETURN(auto id, GetOptionalLong(json, "schema-id"));
  std::vector<int32_t> identifiers;
  const JsonValue* ids = json.Find("identifier-field-ids");
  if (ids != nullptr && ids->kind == JsonValue::Kind::kArray) {
    for (const auto& item : ids->items) {
      FRAZIL_ASSIGN_OR_RETURN(int64_t identifier, ToLong(item));
      identifiers.push_back(static_cast<int32_t>(identifier));
    }
  }
  return Make(static_cast<int32_t>(id.value_or(0)), std::move(fields), std::move(identifiers));
}

JsonValue Schema::ToJson() const {
  JsonValue fields = TypeToJson(*root_);
  JsonObject object;
  object.AddText("type", "struct").AddLong("schema-id", schema_id_);
  if (!identifier_field_ids_.empty()) {
    std::vector<JsonValue> ids;
    for (int32_t id : identifier_field_ids_) ids.push_back(JsonValue::OfNumber(std::to_string(id)));
    object.Add("identifier-field-ids", JsonArray(std::move(ids)));
  }
  object.Add("fields", fields.members[1].second);
  return object.Take();
}

std::vector<NestedField> AssignFreshIds(const std::vector<NestedField>& fields,
                                        const std::function<int32_t()>& next_id) {
  std::vector<NestedField> result = fields;
  for (auto& field : result) field.id = next_id();
  for (auto& field : result) field.type = WithFreshIds(field.type, next_id);
  return result;
}

Status CheckCompatibility(const Schema& schema, int format_version) {
  std::vector<std::string> problems;
  for (const auto& field : schema.fields()) CollectProblems(field, field.name, format_version, &problems);
  if (problems.empty()) return {};
  return Error::Plain(ExceptionClass::kSpark, "java.lang.IllegalStateException: Invalid schema for v" +
                                                  std::to_string(format_version) + ":\n- " + Join(problems, "\n- "));
}

}  // namespace frazil::tables::iceberg
