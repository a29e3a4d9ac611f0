// ALTER TABLE: changes of a table's metadata, in one commit.

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/tables/delta/delta_table.h"
#include "frazil/tables/delta/features.h"
#include "frazil/tables/delta/new_metadata.h"
#include "frazil/tables/delta/schema.h"

namespace frazil::tables::delta {
namespace {

using Type = TableChange::Type;

/// The type with the fields of the struct at `path` (without the last name) changed.
template <typename Edit>
Result<DataTypePtr> EditStruct(const DataTypePtr& type, const std::vector<std::string>& path, size_t depth,
                               const Edit& edit) {
  switch (type->id()) {
    case TypeId::kStruct: {
      std::vector<StructField> fields = type->fields();
      if (depth + 1 == path.size()) {
        FRAZIL_RETURN_IF_ERROR(edit(&fields));
        return DataType::Struct(std::move(fields));
      }
      int index = type->FieldIndex(path[depth]);
      if (index < 0) break;
      auto& inner = fields[static_cast<size_t>(index)].type;
      FRAZIL_ASSIGN_OR_RETURN(inner, EditStruct(inner, path, depth + 1, edit));
      return DataType::Struct(std::move(fields));
    }
    case TypeId::kArray: {
      if (!EqualsIgnoreCase(path[depth], "element") || depth + 1 == path.size()) break;
      FRAZIL_ASSIGN_OR_RETURN(auto element, EditStruct(type->element_type(), path, depth + 1, edit));
      return DataType::Array(std::move(element), type->contains_null());
    }
    case TypeId::kMap: {
      bool is_key = EqualsIgnoreCase(path[depth], "key");
      if ((!is_key && !EqualsIgnoreCase(path[depth], "value")) || depth + 1 == path.size()) break;
      FRAZIL_ASSIGN_OR_RETURN(auto inner,
                              EditStruct(is_key ? type->key_type() : type->value_type(), path, depth + 1, edit));
      return DataType::Map(is_key ? inner : type->key_type(), is_key ? type->value_type() : inner,
                           type->value_contains_null());
    }
    default:
      break;
  }
  return Error::Of("DELTA_ADD_COLUMN_STRUCT_NOT_FOUND", {{"position", QuoteIdentifier(path)}});
}

std::vector<StructField>::iterator FindField(std::vector<StructField>* fields, const std::string& name) {
  return std::find_if(fields->begin(), fields->end(),
                      [&](const StructField& field) { return EqualsIgnoreCase(field.name, name); });
}

Error NoSuchColumn(const TableChange& change, const std::vector<StructField>& fields) {
  return Error::Of("FIELD_NOT_FOUND",
                   {{"fieldName", QuoteIdentifier(change.column)}, {"fields", DataType::Struct(fields)->Sql()}});
}

/// Puts a field first or behind another one.
Status Place(const TableChange& change, StructField field, std::vector<StructField>* fields) {
  if (change.first) {
    fields->insert(fields->begin(), std::move(field));
  } else if (!change.after.empty()) {
    auto after = FindField(fields, change.after);
    if (after == fields->end()) return NoSuchColumn(change, *fields);
    fields->insert(after + 1, std::move(field));
  } else {
    fields->push_back(std::move(field));
  }
  return {};
}

Status EditColumn(const TableChange& change, std::vector<StructField>* fields) {
  const std::string& name = change.column.back();
  auto found = FindField(fields, name);
  if (change.type == Type::kAddColumn) {
    if (found != fields->end()) {
      return Error::Of("FIELD_ALREADY_EXISTS", {{"op", "add"},
                                                {"fieldNames", QuoteIdentifier(change.column)},
                                                {"struct", "\"" + DataType::Struct(*fields)->Sql() + "\""}});
    }
    if (!change.nullable) {
      return Error::Of(
          "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
          {{"fieldPath", Join(change.column, ".")}, {"oldField", "none"}, {"newField", name + " NOT NULL"}});
    }
    StructField field(name, change.data_type, true);
    if (!change.value.empty()) field.SetComment(change.value);
    if (change.default_text) return Error::Unsupported("ADD COLUMN with a default of Delta tables");
    return Place(change, std::move(field), fields);
  }
  if (found == fields->end()) return NoSuchColumn(change, *fields);
  switch (change.type) {
    case Type::kUpdateColumnComment:
      found->SetComment(change.value);
      return {};
    case Type::kUpdateColumnNullability:
      found->nullable = change.nullable;
      return {};
    case Type::kUpdateColumnDefault:
      if (change.default_text) {
        found->metadata["CURRENT_DEFAULT"] = JsonString(*change.default_text);
      } else {
        found->metadata.erase("CURRENT_DEFAULT");
      }
      return {};
    case Type::kMoveColumn: {
      StructField field = *found;
      fields->erase(found);
      return Place(change, std::move(field), fields);
    }
    default:
      return Error::Of("DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
                       {{"fieldPath", Join(change.column, ".")},
                        {"oldField", found->type->Sql()},
                        {"newField", change.data_type != nullptr ? change.data_type->Sql() : ""}});
  }
}

/// The operation that the history names, and what it says of it.
struct Described {
  std::string operation;
  std::vector<std::pair<std::string, std::string>> parameters;
};

std::string ColumnJson(const TableChange& change) {
  StructField field(change.column.back(), change.data_type != nullptr ? change.data_type : DataType::Null(),
                    change.nullable);
  std::string json = DataType::Struct({field})->Json();
  size_t from = json.find('[') + 1;
  return "{\"column\":" + json.substr(from, json.rfind(']') - from) + "}";
}

Described Describe(const std::vector<TableChange>& changes) {
  Described described;
  const auto text = [](const std::string& value) { return JsonString(value); };
  const TableChange& first = changes.front();
  std::string properties, keys, columns;
  for (const auto& change : changes) {
    if (change.type == Type::kSetProperty)
      properties += (properties.empty() ? "" : ",") + JsonString(change.new_name) + ":" + JsonString(change.value);
    if (change.type == Type::kRemoveProperty) keys += (keys.empty() ? "" : ",") + JsonString(change.new_name);
    if (change.type == Type::kAddColumn) columns += (columns.empty() ? "" : ",") + ColumnJson(change);
  }
  switch (first.type) {
    case Type::kAddColumn:
      return {"ADD COLUMNS", {{"columns", text("[" + columns + "]")}}};
    case Type::kSetProperty:
      return {"SET TBLPROPERTIES", {{"properties", text("{" + properties + "}")}}};
    case Type::kRemoveProperty:
      return {"UNSET TBLPROPERTIES", {{"properties", text("[" + keys + "]")}, {"ifExists", "\"true\""}}};
    case Type::kAddConstraint:
      return {"ADD CONSTRAINT", {{"name", text(first.new_name)}, {"expr", text(first.value)}}};
    case Type::kDropConstraint:
      return {"DROP CONSTRAINT", {{"name", text(first.new_name)}}};
    default:
      return {"CHANGE COLUMN", {{"column", text(Join(first.column, "."))}}};
  }
}

}  // namespace

Status DeltaTable::Alter(const std::vector<TableChange>& changes) const {
  if (changes.empty()) return {};
  Metadata metadata = *snapshot_->metadata;
  DataTypePtr schema = snapshot_->schema;
  bool changes_schema = false;
  for (const auto& change : changes) {
    switch (change.type) {
      case Type::kAddColumn:
      case Type::kUpdateColumnType:
      case Type::kUpdateColumnComment:
      case Type::kUpdateColumnNullability:
      case Type::kUpdateColumnDefault:
      case Type::kMoveColumn: {
        FRAZIL_ASSIGN_OR_RETURN(schema, EditStruct(schema, change.column, 0, [&](std::vector<StructField>* fields) {
                                  return EditColumn(change, fields);
                                }));
        changes_schema = true;
        break;
      }
      case Type::kDropColumn:
        return Error::Of("DELTA_UNSUPPORTED_DROP_COLUMN", {{"advice", "Column mapping is needed to drop columns."}});
      case Type::kRenameColumn:
        return Error::Of("DELTA_UNSUPPORTED_RENAME_COLUMN",
                         {{"advice", "Column mapping is needed to rename columns."}});
      case Type::kSetProperty:
        if (change.new_name == "comment") {
          metadata.description = change.value;
          break;
        }
        FRAZIL_RETURN_IF_ERROR(CheckProperty(change.new_name));
        if (change.new_name.starts_with("delta.columnMapping.")) {
          return Error::Unsupported("changes of the column mapping of Delta tables");
        }
        // From which version on commits tell their time would have to be noted.
        if (change.new_name == "delta.enableInCommitTimestamps" && EqualsIgnoreCase(change.value, "true") &&
            !metadata.IsTrue(change.new_name)) {
          return Error::Unsupported("turning on delta.enableInCommitTimestamps for a table that exists");
        }
        metadata.configuration[change.new_name] = change.value;
        break;
      case Type::kRemoveProperty:
        if (change.new_name.starts_with("delta.columnMapping.")) {
          return Error::Unsupported("changes of the column mapping of Delta tables");
        }
        metadata.configuration.erase(change.new_name);
        break;
      case Type::kAddConstraint: {
        std::string key = "delta.constraints." + AsciiLower(change.new_name);
        if (const std::string* present = metadata.Property(key)) {
          return Error::Of("DELTA_CONSTRAINT_ALREADY_EXISTS",
                           {{"constraintName", change.new_name}, {"oldConstraint", *present}});
        }
        metadata.configuration[key] = change.value;
        break;
      }
      case Type::kDropConstraint: {
        bool dropped = metadata.configuration.erase("delta.constraints." + AsciiLower(change.new_name)) > 0;
        if (!dropped && !change.if_exists) {
          return Error::Of("DELTA_CONSTRAINT_DOES_NOT_EXIST",
                           {{"constraintName", change.new_name},
                            {"tableName", target_.context.name},
                            {"config", "spark.databricks.delta.constraints.assumesDropIfExists.enabled"},
                            {"confValue", "true"}});
        }
        break;
      }
      default:
        return Error::Unsupported("this ALTER TABLE of Delta tables");
    }
  }
  if (changes_schema) {
    FRAZIL_ASSIGN_OR_RETURN(ColumnMapping mapping, ColumnMappingOf(metadata));
    if (mapping != ColumnMapping::kNone)
      return Error::Unsupported("changes of the columns of Delta tables with column mapping");
    FRAZIL_ASSIGN_OR_RETURN(metadata.schema_string, SchemaString(schema, false));
  }
  Change change;
  change.base = snapshot_;
  FRAZIL_ASSIGN_OR_RETURN(Protocol protocol, RequiredProtocol(snapshot_->protocol, &metadata, *schema));
  if (!(protocol == snapshot_->protocol)) change.protocol = std::move(protocol);
  change.metadata = std::move(metadata);
  Described described = Describe(changes);
  change.operation = std::move(described.operation);
  change.parameters = std::move(described.parameters);
  return CommitChange(target_, std::move(change)).status();
}

}  // namespace frazil::tables::delta
