#include "frazil/tables/iceberg/schema_update.h"

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/single_value.h"
#include "frazil/tables/iceberg/spark_schema.h"

namespace frazil::tables::iceberg {
namespace {

size_t IndexOf(const std::vector<NestedField>& fields, const std::string& name) {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) return i;
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    if (EqualsIgnoreCase(fields[i].name, name)) return i;
  }
  return fields.size();
}

/// The field's children, to be changed: its type is copied first, as others may share it.
std::vector<NestedField>* MutableChildren(NestedField* field) {
  auto copy = std::make_shared<Type>(*field->type);
  std::vector<NestedField>* children = &copy->fields;
  field->type = std::move(copy);
  return children;
}

void CollectIds(const NestedField& field, std::vector<int32_t>* ids) {
  ids->push_back(field.id);
  for (const auto& child : field.type->fields) CollectIds(child, ids);
}

}  // namespace

bool IsPromotionAllowed(const Type& from, const Type& to) {
  if (SameType(from, to)) return true;
  if (from.kind == TypeKind::kInt) return to.kind == TypeKind::kLong;
  if (from.kind == TypeKind::kFloat) return to.kind == TypeKind::kDouble;
  return from.kind == TypeKind::kDecimal && to.kind == TypeKind::kDecimal && from.scale == to.scale &&
         from.precision <= to.precision;
}

SchemaUpdate::SchemaUpdate(const Schema& base, int32_t last_column_id)
    : schema_id_(base.schema_id()),
      fields_(base.fields()),
      identifier_ids_(base.identifier_field_ids()),
      last_column_id_(last_column_id) {}

SchemaUpdate::Place SchemaUpdate::Find(const std::vector<std::string>& path) {
  Place place;
  std::vector<NestedField>* fields = &fields_;
  for (size_t i = 0; i < path.size(); ++i) {
    size_t index = IndexOf(*fields, path[i]);
    if (index == fields->size()) return Place{};
    NestedField* field = &(*fields)[index];
    if (place.field != nullptr && place.field->type->kind == TypeKind::kMap && index == 0) place.in_map_key = true;
    place.in_struct = place.field == nullptr || place.field->type->kind == TypeKind::kStruct;
    place.siblings = fields;
    place.index = index;
    place.field = field;
    if (i + 1 < path.size()) {
      if (!field->type->IsNested()) return Place{};
      fields = MutableChildren(field);
    }
  }
  return place;
}

std::vector<NestedField>* SchemaUpdate::FieldsOf(const std::vector<std::string>& path, Error* error) {
  if (path.empty()) return &fields_;
  Place place = Find(path);
  std::string name = Join(path, ".");
  if (place.field == nullptr) {
    *error = IllegalArgument("Cannot find parent struct: " + name);
    return nullptr;
  }
  NestedField* parent = place.field;
  if (parent->type->kind == TypeKind::kList) parent = &(*MutableChildren(parent))[0];
  if (parent->type->kind == TypeKind::kMap) parent = &(*MutableChildren(parent))[1];
  if (parent->type->kind != TypeKind::kStruct) {
    *error = IllegalArgument("Cannot add to non-struct column: " + name + ": " + TypeText(*parent->type));
    return nullptr;
  }
  return MutableChildren(parent);
}

Status SchemaUpdate::AddColumn(const TableChange& change) {
  if (change.column.empty()) return IllegalArgument("Cannot add a column without a name");
  std::vector<std::string> parent(change.column.begin(), change.column.end() - 1);
  const std::string& name = change.column.back();
  std::string full_name = Join(change.column, ".");
  Error error;
  std::vector<NestedField>* siblings = FieldsOf(parent, &error);
  if (siblings == nullptr) return error;
  size_t known = IndexOf(*siblings, name);
  if (known != siblings->size()) {
    if (change.if_not_exists) return {};
    return IllegalArgument("Cannot add column, name already exists: " + full_name);
  }
  bool has_default = change.default_value && !change.default_value->is_null();
  if (!change.nullable && !has_default)
    return IllegalArgument("Incompatible change: cannot add required column: " + name);
  NestedField field;
  field.id = ++last_column_id_;
  field.name = name;
  field.required = !change.nullable;
  FRAZIL_ASSIGN_OR_RETURN(field.type, FromSparkType(*change.data_type, [&] { return ++last_column_id_; }));
  if (!change.value.empty()) field.doc = change.value;
  if (has_default) {
    FRAZIL_ASSIGN_OR_RETURN(JsonValue json, ToJsonValue(*field.type, *change.default_value));
    // Rows that are there already have the default from now on, and so will rows to come.
    field.initial_default = field.write_default = std::make_shared<const JsonValue>(std::move(json));
  }
  siblings->push_back(std::move(field));
  if (!change.first && change.after.empty()) return {};
  return Move(change, siblings, siblings->size() - 1);
}

Status SchemaUpdate::Move(const TableChange& change, std::vector<NestedField>* siblings, size_t index) {
  std::string name = Join(change.column, ".");
  NestedField field = (*siblings)[index];
  if (change.first) {
    siblings->erase(siblings->begin() + static_cast<std::ptrdiff_t>(index));
    siblings->insert(siblings->begin(), std::move(field));
    return {};
  }
  size_t after = IndexOf(*siblings, change.after);
  if (after == siblings->size())
    return IllegalArgument("Cannot move " + name + " after missing column: " + change.after);
  if (after == index) return IllegalArgument("Cannot move " + name + " after itself");
  siblings->erase(siblings->begin() + static_cast<std::ptrdiff_t>(index));
  if (after > index) --after;
  siblings->insert(siblings->begin() + static_cast<std::ptrdiff_t>(after) + 1, std::move(field));
  return {};
}

Status SchemaUpdate::UpdateType(const TableChange& change, NestedField* field) {
  int32_t unused_id = 0;
  FRAZIL_ASSIGN_OR_RETURN(TypePtr type, FromSparkType(*change.data_type, [&] { return ++unused_id; }));
  std::string name = Join(change.column, ".");
  if (!type->IsPrimitive() || !field->type->IsPrimitive()) {
    return IllegalArgument("Cannot update '" + name + "', not a primitive type: " + change.data_type->SimpleString());
  }
  // What Spark shows as string or binary may be finer here (uuid, fixed), and stays so.
  auto shown = ToSparkType(*field->type);
  if (shown.ok() && (*shown)->Equals(*change.data_type)) return {};
  if (!IsPromotionAllowed(*field->type, *type)) {
    return IllegalArgument("Cannot change column type: " + name + ": " + TypeText(*field->type) + " -> " +
                           TypeText(*type));
  }
  field->type = std::move(type);
  return {};
}

Status SchemaUpdate::SetIdentifierFields(const TableChange& change) {
  SchemaPtr schema = Schema::Make(schema_id_, fields_);
  std::vector<int32_t> ids;
  for (const auto& path : change.columns) {
    std::string name = Join(path, ".");
    const Schema::Located* found = schema->Find(path);
    std::string cannot = "Cannot add field " + name + " as an identifier field: ";
    if (found == nullptr) return IllegalArgument(cannot + "not found in current schema or added columns");
    const NestedField& field = *found->field;
    if (!field.type->IsPrimitive()) return IllegalArgument(cannot + "not a primitive type field");
    if (!field.required) return IllegalArgument(cannot + "not a required field");
    if (field.type->kind == TypeKind::kFloat || field.type->kind == TypeKind::kDouble) {
      return IllegalArgument(cannot + "must not be float or double field");
    }
    if (found->in_collection) return IllegalArgument(cannot + "must not be nested in a list or map");
    if (found->optional_above) return IllegalArgument(cannot + "must not be nested in an optional field");
    ids.push_back(field.id);
  }
  identifier_ids_ = std::move(ids);
  return {};
}

Status SchemaUpdate::DropIdentifierFields(const TableChange& change) {
  SchemaPtr schema = Schema::Make(schema_id_, fields_);
  for (const auto& path : change.columns) {
    std::string name = Join(path, ".");
    const Schema::Located* found = schema->Find(path);
    if (found == nullptr)
      return IllegalArgument("Cannot complete drop identifier fields operation: field " + name + " not found");
    auto known = std::find(identifier_ids_.begin(), identifier_ids_.end(), found->field->id);
    if (known == identifier_ids_.end()) {
      return IllegalArgument("Cannot complete drop identifier fields operation: " + name +
                             " is not an identifier field");
    }
    identifier_ids_.erase(known);
  }
  return {};
}

Status SchemaUpdate::Apply(const TableChange& change) {
  switch (change.type) {
    case TableChange::Type::kAddColumn:
      return AddColumn(change);
    case TableChange::Type::kSetIdentifierFields:
      return SetIdentifierFields(change);
    case TableChange::Type::kDropIdentifierFields:
      return DropIdentifierFields(change);
    default:
      break;
  }
  std::string name = Join(change.column, ".");
  Place place = Find(change.column);
  const char* verb = change.type == TableChange::Type::kDropColumn     ? "delete"
                     : change.type == TableChange::Type::kRenameColumn ? "rename"
                     : change.type == TableChange::Type::kMoveColumn   ? "move"
                                                                       : "update";
  if (place.field == nullptr) {
    if (change.if_exists) return {};
    return IllegalArgument(std::string("Cannot ") + verb + " missing column: " + name);
  }
  if (change.type == TableChange::Type::kDropColumn && !place.in_struct) {
    const Place collection = Find({change.column.begin(), change.column.end() - 1});
    const Type& type = *collection.field->type;
    const char* part = type.kind == TypeKind::kList ? "element type from list"
                       : place.index == 0           ? "map keys"
                                                    : "value type from map";
    return IllegalArgument(std::string("Cannot delete ") + part + ": " + TypeText(type));
  }
  if (place.in_map_key) return IllegalArgument("Cannot update map keys: " + name);
  bool is_kept = change.type == TableChange::Type::kUpdateColumnType ||
                 change.type == TableChange::Type::kUpdateColumnComment ||
                 change.type == TableChange::Type::kUpdateColumnNullability;
  if (!place.in_struct && !is_kept)
    return IllegalArgument(std::string("Cannot ") + verb + " the element, key or value of a collection: " + name);
  NestedField* field = place.field;
  switch (change.type) {
    case TableChange::Type::kDropColumn: {
      std::vector<int32_t> ids;
      CollectIds(*field, &ids);
      for (int32_t id : ids) {
        if (std::find(identifier_ids_.begin(), identifier_ids_.end(), id) != identifier_ids_.end()) {
          return IllegalArgument("Cannot delete identifier field " + name +
                                 ". To force deletion, also call setIdentifierFields to update identifier fields.");
        }
      }
      if (place.siblings->size() == 1 && place.siblings == &fields_) {
        return IllegalArgument("Cannot delete the last column of a table: " + name);
      }
      renamed_[name] = "";
      place.siblings->erase(place.siblings->begin() + static_cast<std::ptrdiff_t>(place.index));
      return {};
    }
    case TableChange::Type::kRenameColumn: {
      size_t taken = IndexOf(*place.siblings, change.new_name);
      if (taken != place.siblings->size() && taken != place.index) {
        return IllegalArgument("Cannot rename column " + name + ": name already exists: " + change.new_name);
      }
      std::vector<std::string> new_path = change.column;
      new_path.back() = change.new_name;
      renamed_[name] = Join(new_path, ".");
      field->name = change.new_name;
      return {};
    }
    case TableChange::Type::kUpdateColumnType:
      return UpdateType(change, field);
    case TableChange::Type::kUpdateColumnComment:
      field->doc = change.value;
      return {};
    case TableChange::Type::kUpdateColumnNullability:
      if (!change.nullable && !field->required) {
        return IllegalArgument("Cannot change column nullability: " + name + ": optional -> required");
      }
      if (change.nullable &&
          std::find(identifier_ids_.begin(), identifier_ids_.end(), field->id) != identifier_ids_.end()) {
        return IllegalArgument("Cannot add field " + name + " as an identifier field: not a required field");
      }
      field->required = !change.nullable;
      return {};
    case TableChange::Type::kUpdateColumnDefault: {
      if (!change.default_value || change.default_value->is_null()) {
        field->write_default = nullptr;
        return {};
      }
      FRAZIL_ASSIGN_OR_RETURN(JsonValue json, ToJsonValue(*field->type, *change.default_value));
      field->write_default = std::make_shared<const JsonValue>(std::move(json));
      return {};
    }
    case TableChange::Type::kMoveColumn:
      return Move(change, place.siblings, place.index);
    default:
      return Error::Internal("not a change of columns");
  }
}

Result<SchemaPtr> SchemaUpdate::Build() const { return Schema::Make(schema_id_, fields_, identifier_ids_); }

}  // namespace frazil::tables::iceberg
