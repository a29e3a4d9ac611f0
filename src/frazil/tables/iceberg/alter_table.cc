#include <algorithm>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/iceberg_table.h"
#include "frazil/tables/iceberg/json_access.h"
#include "frazil/tables/iceberg/metadata_update.h"
#include "frazil/tables/iceberg/path_commit_point.h"
#include "frazil/tables/iceberg/reference_update.h"
#include "frazil/tables/iceberg/schema_update.h"
#include "frazil/tables/iceberg/spec_update.h"

namespace frazil::tables::iceberg {
namespace {

bool IsColumnChange(TableChange::Type type) {
  switch (type) {
    case TableChange::Type::kAddColumn:
    case TableChange::Type::kDropColumn:
    case TableChange::Type::kRenameColumn:
    case TableChange::Type::kUpdateColumnType:
    case TableChange::Type::kUpdateColumnComment:
    case TableChange::Type::kUpdateColumnNullability:
    case TableChange::Type::kUpdateColumnDefault:
    case TableChange::Type::kMoveColumn:
    case TableChange::Type::kSetIdentifierFields:
    case TableChange::Type::kDropIdentifierFields:
      return true;
    default:
      return false;
  }
}

bool IsSpecChange(TableChange::Type type) {
  return type == TableChange::Type::kAddPartitionField || type == TableChange::Type::kDropPartitionField ||
         type == TableChange::Type::kReplacePartitionField;
}

/// Properties that speak of a column by its name follow it.
void FollowColumns(const std::map<std::string, std::string>& renamed, std::map<std::string, std::string>* properties) {
  for (const char* prefix : {"write.metadata.metrics.column.", "write.parquet.bloom-filter-enabled.column.",
                             "write.parquet.stats-enabled.column."}) {
    for (const auto& [old_name, new_name] : renamed) {
      std::string old_key = prefix + old_name;
      std::map<std::string, std::string> moved;
      for (auto it = properties->lower_bound(old_key); it != properties->end() && it->first.starts_with(old_key);) {
        bool concerned = it->first.size() == old_key.size() || it->first[old_key.size()] == '.';
        if (!concerned) {
          ++it;
          continue;
        }
        if (!new_name.empty()) moved[prefix + new_name + it->first.substr(old_key.size())] = it->second;
        it = properties->erase(it);
      }
      properties->merge(moved);
    }
  }
}

/// Each name of a level of a name mapping is one field's: that of the field which has it now.
void TakeReassignedNames(const std::vector<NestedField>& fields, JsonValue* mapping) {
  std::map<std::string, int64_t> owners;
  for (const auto& field : fields) owners[field.name] = field.id;
  for (auto& item : mapping->items) {
    auto id = GetOptionalLong(item, "field-id");
    for (auto& [key, value] : item.members) {
      if (key != "names") continue;
      std::erase_if(value.items, [&](const JsonValue& name) {
        auto owner = owners.find(name.text);
        return owner != owners.end() && !(id.ok() && *id && **id == owner->second);
      });
    }
  }
}

/// Adds the present names of all fields to a name mapping: files without ids are read by the old names and the new,
/// unless another field has got the old name since.
JsonValue UpdatedMapping(const JsonValue& mapping, const std::vector<NestedField>& fields) {
  JsonValue result = mapping;
  if (result.kind != JsonValue::Kind::kArray) return result;
  for (const auto& field : fields) {
    JsonValue* entry = nullptr;
    for (auto& item : result.items) {
      auto id = GetOptionalLong(item, "field-id");
      if (id.ok() && *id && **id == field.id) entry = &item;
    }
    if (entry == nullptr) {
      result.items.push_back(
          JsonObject().AddLong("field-id", field.id).Add("names", JsonArray({JsonValue::OfString(field.name)})).Take());
      entry = &result.items.back();
    }
    bool has_fields = false;
    for (auto& [key, value] : entry->members) {
      if (key == "names") {
        bool known = std::any_of(value.items.begin(), value.items.end(),
                                 [&](const JsonValue& n) { return n.text == field.name; });
        if (!known) value.items.push_back(JsonValue::OfString(field.name));
      }
      if (key == "fields") {
        has_fields = true;
        value = UpdatedMapping(value, field.type->fields);
      }
    }
    if (!has_fields && field.type->IsNested())
      entry->members.emplace_back("fields", UpdatedMapping(JsonArray(), field.type->fields));
  }
  TakeReassignedNames(fields, &result);
  return result;
}

Status ChangeColumns(const std::vector<TableChange>& changes, TableMetadata* metadata) {
  SchemaUpdate update(*metadata->schema(), metadata->last_column_id);
  for (const auto& change : changes) {
    if (!IsColumnChange(change.type)) continue;
    // Spec, "Default values": tables of v1 and v2 must not have them.
    if (change.default_value && !change.default_value->is_null() && metadata->format_version < 3) {
      return UnsupportedOperation("Cannot set a default value of column " + Join(change.column, ".") +
                                  ": default values are not supported until v3");
    }
    FRAZIL_RETURN_IF_ERROR(update.Apply(change));
  }
  FRAZIL_ASSIGN_OR_RETURN(SchemaPtr schema, update.Build());
  FRAZIL_RETURN_IF_ERROR(SetCurrentSchema(metadata, schema, update.last_column_id()));
  // The spec and order in use must still find their columns; those of the past need not.
  for (const auto& field : metadata->spec().fields) {
    if (field.transform == TransformKind::kVoid && field.unknown_transform.empty()) continue;
    if (schema->Find(field.source_id) == nullptr) {
      return Validation("Cannot find source column for partition field: " + std::to_string(field.field_id) + ": " +
                        field.name + ": " + TransformText(field) + "(" + std::to_string(field.source_id) + ")");
    }
  }
  FRAZIL_RETURN_IF_ERROR(CheckSortOrder(metadata->sort_order(), *schema));
  FollowColumns(update.renamed(), &metadata->properties);
  auto mapping = metadata->properties.find("schema.name-mapping.default");
  if (mapping != metadata->properties.end()) {
    auto parsed = ParseJson(mapping->second);
    // A mapping that cannot be read is left as it is; reading a file that needs it says so.
    if (parsed.ok()) mapping->second = UpdatedMapping(*parsed, schema->fields()).Write();
  }
  return {};
}

Status ChangeProperty(const TableChange& change, TableMetadata* metadata) {
  const std::string& key = change.new_name;
  if (change.type == TableChange::Type::kRemoveProperty) {
    metadata->properties.erase(key);
    return {};
  }
  if (key == "sort-order") {
    return UnsupportedOperation(
        "Cannot specify the 'sort-order' because it's a reserved table property. Please use the command 'ALTER TABLE "
        "... WRITE ORDERED BY' to "
        "specify write sort-orders.");
  }
  if (key == "current-snapshot-id") {
    auto snapshot_id = ParseInteger<int64_t>(change.value);
    if (!snapshot_id || metadata->FindSnapshot(*snapshot_id) == nullptr) {
      return Validation("Cannot roll back to unknown snapshot id: " + change.value);
    }
    return SetBranchSnapshot(metadata, *snapshot_id, kMainBranch);
  }
  if (key == "cherry-pick-snapshot-id")
    return Error::Unsupported("the table property cherry-pick-snapshot-id (CALL system.cherrypick_snapshot does it)");
  if (key == "identifier-fields") {
    return UnsupportedOperation(
        "Cannot specify the 'identifier-fields' because it's a reserved table property. Please use the command 'ALTER "
        "TABLE ... SET IDENTIFIER "
        "FIELDS' to specify identifier fields.");
  }
  return SetProperties(metadata, {{key, change.value}});
}

/// Metrics of columns are set for columns that are there.
Status CheckMetricsColumns(const TableMetadata& metadata) {
  constexpr std::string_view kPrefix = "write.metadata.metrics.column.";
  for (const auto& [key, value] : metadata.properties) {
    if (!key.starts_with(kPrefix)) continue;
    const std::string column = key.substr(kPrefix.size());
    if (metadata.schema()->Find({column}, /*case_sensitive=*/true) != nullptr) continue;
    std::string fields;
    for (const auto& field : metadata.schema()->fields()) {
      fields += "  " + std::to_string(field.id) + ": " + field.name + ": " +
                (field.required ? "required " : "optional ") + TypeText(*field.type) + "\n";
    }
    return Validation("Invalid metrics config, could not find column " + column + " from table prop " + key +
                      " in schema table {\n" + fields + "}");
  }
  return {};
}

Status ChangeSortOrder(const TableChange& change, TableMetadata* metadata) {
  FRAZIL_ASSIGN_OR_RETURN(SortOrder order, BuildSortOrder(*metadata->schema(), change.sort));
  FRAZIL_RETURN_IF_ERROR(SetDefaultSortOrder(metadata, std::move(order)));
  if (change.distribution_mode) metadata->properties["write.distribution-mode"] = *change.distribution_mode;
  return {};
}

namespace {

/// A table that is found by its folder would be two tables after a move: its metadata stay where they are looked for.
Status ChangeLocation(const TableChange& change, TableMetadata* metadata) {
  if (change.value != metadata->location && VersionOfPath(metadata->metadata_location) >= 0) {
    return IllegalArgument("Hadoop path-based tables cannot be relocated");
  }
  metadata->location = change.value;
  return {};
}

}  // namespace

Status ApplyChanges(const std::vector<TableChange>& changes, const std::string& table_name, TableMetadata* metadata) {
  // Properties first: they may raise the format version that a new column needs.
  for (const auto& change : changes) {
    if (change.type == TableChange::Type::kSetProperty || change.type == TableChange::Type::kRemoveProperty) {
      FRAZIL_RETURN_IF_ERROR(ChangeProperty(change, metadata));
    }
    if (change.type == TableChange::Type::kSetLocation) FRAZIL_RETURN_IF_ERROR(ChangeLocation(change, metadata));
  }
  const auto sets_property = [](const TableChange& change) { return change.type == TableChange::Type::kSetProperty; };
  if (std::any_of(changes.begin(), changes.end(), sets_property))
    FRAZIL_RETURN_IF_ERROR(CheckMetricsColumns(*metadata));
  if (std::any_of(changes.begin(), changes.end(), [](const auto& c) { return IsColumnChange(c.type); })) {
    FRAZIL_RETURN_IF_ERROR(ChangeColumns(changes, metadata));
  }
  if (std::any_of(changes.begin(), changes.end(), [](const auto& c) { return IsSpecChange(c.type); })) {
    SpecUpdate update(*metadata);
    for (const auto& change : changes) {
      if (IsSpecChange(change.type)) FRAZIL_RETURN_IF_ERROR(update.Apply(change));
    }
    FRAZIL_RETURN_IF_ERROR(SetDefaultSpec(metadata, update.Build()));
  }
  for (const auto& change : changes) {
    if (change.type == TableChange::Type::kSetSortOrder) FRAZIL_RETURN_IF_ERROR(ChangeSortOrder(change, metadata));
    if (change.type == TableChange::Type::kSetReference || change.type == TableChange::Type::kDropReference) {
      FRAZIL_RETURN_IF_ERROR(ApplyReferenceChange(change, table_name, metadata));
    }
  }
  return {};
}

}  // namespace

Status IcebergTable::Alter(const std::vector<TableChange>& changes) const {
  auto committed = operations_->CommitChange([&](const TableMetadataPtr& base) -> Result<std::optional<TableMetadata>> {
    if (base == nullptr || !metadata_->IsSameTable(*base)) {
      return ConflictingCommit("Cannot commit to " + operations_->name() + ": the table was dropped");
    }
    TableMetadata next = *base;
    FRAZIL_RETURN_IF_ERROR(ApplyChanges(changes, operations_->name(), &next));
    if (WriteTableMetadata(next) == WriteTableMetadata(*base)) return std::optional<TableMetadata>();
    return std::optional<TableMetadata>(std::move(next));
  });
  return committed.status();
}

}  // namespace frazil::tables::iceberg
