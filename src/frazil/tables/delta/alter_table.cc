// ALTER TABLE: changes of a table's metadata, in one commit.

#include <algorithm>
#include <cctype>

#include "frazil/base/text.h"
#include "frazil/tables/delta/clustering.h"
#include "frazil/tables/delta/column_mapping.h"
#include "frazil/tables/delta/delta_table.h"
#include "frazil/tables/delta/features.h"
#include "frazil/tables/delta/iceberg_compat.h"
#include "frazil/tables/delta/new_metadata.h"
#include "frazil/tables/delta/row_tracking.h"
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

/// Whether files of the one type can be read as the other. Source: PROTOCOL.md, "Type Widening", "Supported Type
/// Changes".
bool CanWiden(const DataType& from, const DataType& to) {
  const auto rank = [](const DataType& type) {
    switch (type.id()) {
      case TypeId::kByte:
        return 1;
      case TypeId::kShort:
        return 2;
      case TypeId::kInteger:
        return 3;
      case TypeId::kLong:
        return 4;
      default:
        return 0;
    }
  };
  const int narrow = rank(from), wide = rank(to);
  if (narrow > 0 && wide > 0) return wide > narrow;
  if (to.id() == TypeId::kDouble) return from.id() == TypeId::kFloat || (narrow > 0 && narrow < 4);
  if (to.id() == TypeId::kTimestampNtz) return from.id() == TypeId::kDate;
  if (to.id() != TypeId::kDecimal) return false;
  if (narrow > 0) return to.precision() - to.scale() >= (narrow == 4 ? 20 : 10);
  return from.id() == TypeId::kDecimal && to.scale() >= from.scale() &&
         to.precision() - to.scale() >= from.precision() - from.scale();
}

/// Notes a change of a type where readers look for it: at the field, with the path to what is within its lists and
/// maps. Source: PROTOCOL.md, "Type Change Metadata".
void NoteTypeChange(const DataType& from, const DataType& to, const std::string& path, StructField* field) {
  std::string& changes = field->metadata["delta.typeChanges"];
  const std::string place = path.empty() ? "" : ",\"fieldPath\":" + JsonString(path);
  const std::string noted = "{\"toType\":" + to.Json() + ",\"fromType\":" + from.Json() + place + "}";
  changes = changes.size() > 2 ? changes.substr(0, changes.size() - 1) + "," + noted + "]" : "[" + noted + "]";
}

/// How many of the last names of a column lead into lists and maps: a.element.key has two.
size_t NamesWithinCollections(const DataType& schema, const std::vector<std::string>& column) {
  const DataType* type = &schema;
  size_t within = 0;
  for (const auto& name : column) {
    ++within;
    if (type->id() == TypeId::kArray && EqualsIgnoreCase(name, "element")) {
      type = type->element_type().get();
    } else if (type->id() == TypeId::kMap && (EqualsIgnoreCase(name, "key") || EqualsIgnoreCase(name, "value"))) {
      type = EqualsIgnoreCase(name, "key") ? type->key_type().get() : type->value_type().get();
    } else {
      const int index = type->id() == TypeId::kStruct ? type->FieldIndex(name) : -1;
      if (index < 0) return 0;
      type = type->fields()[static_cast<size_t>(index)].type.get();
      within = 0;
    }
  }
  return within;
}

/// The type with what stands at `path` within its lists and maps widened; null where that cannot be.
DataTypePtr WidenedWithin(const DataTypePtr& type, const std::vector<std::string>& path, size_t depth,
                          const DataTypePtr& to, DataTypePtr* from) {
  if (depth == path.size()) {
    *from = type;
    return CanWiden(*type, *to) ? to : nullptr;
  }
  const bool is_key = EqualsIgnoreCase(path[depth], "key");
  const auto& inner = type->id() == TypeId::kArray ? type->element_type()
                      : is_key                     ? type->key_type()
                                                   : type->value_type();
  const DataTypePtr widened = WidenedWithin(inner, path, depth + 1, to, from);
  if (widened == nullptr) return nullptr;
  if (type->id() == TypeId::kArray) return DataType::Array(widened, type->contains_null());
  return DataType::Map(is_key ? widened : type->key_type(), is_key ? type->value_type() : widened,
                       type->value_contains_null());
}

Error UnsupportedTypeChange(const TableChange& change, const DataType& from) {
  return Error::Of(
      "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
      {{"fieldPath", Join(change.column, ".")}, {"oldField", from.Sql()}, {"newField", change.data_type->Sql()}});
}

/// ALTER COLUMN a.element TYPE ...: `within` names lead into lists and maps.
Result<DataTypePtr> WidenWithinCollections(const DataTypePtr& schema, const TableChange& change, size_t within,
                                           bool widens) {
  const auto split = change.column.end() - static_cast<std::ptrdiff_t>(within);
  const std::vector<std::string> column(change.column.begin(), split), path(split, change.column.end());
  return EditStruct(schema, column, 0, [&](std::vector<StructField>* fields) -> Status {
    auto found = FindField(fields, column.back());
    DataTypePtr from = found->type;
    DataTypePtr widened = WidenedWithin(found->type, path, 0, change.data_type, &from);
    if (from->EqualsIgnoreNullability(*change.data_type)) return {};
    if (widened == nullptr || !widens) return UnsupportedTypeChange(change, *from);
    NoteTypeChange(*from, *change.data_type, AsciiLower(Join(path, ".")), &*found);
    found->type = std::move(widened);
    return {};
  });
}

/// `widens`: the table lets types grow (delta.enableTypeWidening).
Status EditColumn(const TableChange& change, bool widens, std::vector<StructField>* fields) {
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
    case Type::kUpdateColumnType:
      if (widens && CanWiden(*found->type, *change.data_type)) {
        NoteTypeChange(*found->type, *change.data_type, "", &*found);
        found->type = change.data_type;
        return {};
      }
      break;
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
    case Type::kRenameColumn:
      if (auto other = FindField(fields, change.new_name); other != fields->end() && other != found) {
        return Error::Of("FIELD_ALREADY_EXISTS", {{"op", "rename"},
                                                  {"fieldNames", QuoteIdentifier(change.new_name)},
                                                  {"struct", "\"" + DataType::Struct(*fields)->Sql() + "\""}});
      }
      found->name = change.new_name;
      return {};
    case Type::kDropColumn:
      if (fields->size() == 1) {
        return Error::Of("DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA",
                         {{"schema", SchemaTreeString(*DataType::Struct(*fields))}});
      }
      fields->erase(found);
      return {};
    case Type::kMoveColumn: {
      StructField field = *found;
      fields->erase(found);
      return Place(change, std::move(field), fields);
    }
    default:
      break;
  }
  return Error::Of("DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
                   {{"fieldPath", Join(change.column, ".")},
                    {"oldField", found->type->Sql()},
                    {"newField", change.data_type != nullptr ? change.data_type->Sql() : ""}});
}

/// Whether an SQL text names a column, as far as its words tell: rather once too often.
bool Names(std::string_view text, std::string_view column) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (size_t at = 0; at + column.size() <= text.size(); ++at) {
    if (!EqualsIgnoreCase(text.substr(at, column.size()), column)) continue;
    const bool begins = at == 0 || !is_word(text[at - 1]);
    const bool ends = at + column.size() == text.size() || !is_word(text[at + column.size()]);
    if (begins && ends) return true;
  }
  return false;
}

/// Renaming and dropping a column changes no file, which takes column mapping; what is said of the column elsewhere
/// would not follow.
Status CheckRenameOrDrop(const TableChange& change, const Metadata& metadata, const DataType& schema) {
  const bool drops = change.type == Type::kDropColumn;
  FRAZIL_ASSIGN_OR_RETURN(ColumnMapping mapping, ColumnMappingOf(metadata));
  if (mapping == ColumnMapping::kNone) {
    return Error::Of(drops ? "DELTA_UNSUPPORTED_DROP_COLUMN" : "DELTA_UNSUPPORTED_RENAME_COLUMN",
                     {{"advice", std::string("Column mapping is needed to ") + (drops ? "drop" : "rename") +
                                     " columns: set the table property 'delta.columnMapping.mode' to 'name'."}});
  }
  const std::string& column = change.column.back();
  if (drops && change.column.size() == 1 &&
      std::any_of(metadata.partition_columns.begin(), metadata.partition_columns.end(),
                  [&](const std::string& name) { return EqualsIgnoreCase(name, column); })) {
    return Error::Of("DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN", {{"columnList", column}});
  }
  std::string constraints, generated;
  for (const auto& [key, value] : metadata.configuration) {
    if (key.starts_with("delta.constraints.") && Names(value, column))
      constraints += (constraints.empty() ? "" : "\n") + key.substr(18) + " -> " + value;
  }
  for (const auto& field : schema.fields()) {
    auto expression = field.metadata.find("delta.generationExpression");
    if (expression != field.metadata.end() && Names(expression->second, column))
      generated += (generated.empty() ? "" : "\n") + field.name + " -> " + expression->second;
  }
  if (!constraints.empty()) {
    return Error::Of("DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE",
                     {{"columnName", Join(change.column, ".")}, {"constraints", constraints}});
  }
  if (!generated.empty()) {
    return Error::Of("DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE",
                     {{"columnName", Join(change.column, ".")}, {"generatedColumns", generated}});
  }
  return {};
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

/// A column's name as Spark tells it: its parts quoted only where they must be.
std::string NameOf(const std::vector<std::string>& column) {
  std::vector<std::string> parts;
  for (const auto& part : column) {
    const bool is_plain = !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    });
    parts.push_back(is_plain ? part : QuoteIdentifier(std::vector<std::string>{part}));
  }
  return Join(parts, ".");
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
    case Type::kSetClustering: {
      std::vector<std::string> clustering;
      for (const auto& column : first.columns) clustering.push_back(Join(column, "."));
      return {"CLUSTER BY", {{"newClusteringColumns", text(Join(clustering, ","))}}};
    }
    case Type::kDropConstraint:
      // The condition, as the caller finds it, follows.
      return {"DROP CONSTRAINT", {{"name", text(first.new_name)}}};
    case Type::kRenameColumn: {
      std::vector<std::string> renamed = first.column;
      renamed.back() = first.new_name;
      return {"RENAME COLUMN",
              {{"oldColumnPath", text(NameOf(first.column))}, {"newColumnPath", text(NameOf(renamed))}}};
    }
    case Type::kDropColumn: {
      std::vector<std::string> dropped;
      for (const auto& change : changes) dropped.push_back(Join(change.column, "."));
      return {"DROP COLUMNS", {{"columns", ListParameter(dropped)}}};
    }
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
  std::vector<DomainMetadata> domains;
  for (const auto& change : changes) {
    switch (change.type) {
      case Type::kAddColumn:
      case Type::kUpdateColumnType:
      case Type::kUpdateColumnComment:
      case Type::kUpdateColumnNullability:
      case Type::kUpdateColumnDefault:
      case Type::kMoveColumn: {
        const size_t within =
            change.type == Type::kUpdateColumnType ? NamesWithinCollections(*schema, change.column) : 0;
        if (within > 0) {
          const bool widens = metadata.IsTrue("delta.enableTypeWidening");
          FRAZIL_ASSIGN_OR_RETURN(schema, WidenWithinCollections(schema, change, within, widens));
          changes_schema = true;
          break;
        }
        FRAZIL_ASSIGN_OR_RETURN(schema, EditStruct(schema, change.column, 0, [&](std::vector<StructField>* fields) {
                                  return EditColumn(change, metadata.IsTrue("delta.enableTypeWidening"), fields);
                                }));
        changes_schema = true;
        break;
      }
      case Type::kDropColumn:
      case Type::kRenameColumn: {
        FRAZIL_RETURN_IF_ERROR(CheckRenameOrDrop(change, metadata, *schema));
        for (const auto& column : clustering_columns()) {
          if (change.type == Type::kDropColumn && EqualsIgnoreCase(Join(column, "."), Join(change.column, ".")))
            return Error::Of("DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN", {{"columnList", Join(column, ".")}});
        }
        FRAZIL_ASSIGN_OR_RETURN(schema, EditStruct(schema, change.column, 0, [&](std::vector<StructField>* fields) {
                                  return EditColumn(change, metadata.IsTrue("delta.enableTypeWidening"), fields);
                                }));
        if (change.type == Type::kRenameColumn && change.column.size() == 1) {
          for (auto& name : metadata.partition_columns) {
            if (EqualsIgnoreCase(name, change.column[0])) name = change.new_name;
          }
        }
        changes_schema = true;
        break;
      }
      case Type::kSetProperty:
        if (change.new_name == "comment") {
          metadata.description = change.value;
          break;
        }
        FRAZIL_RETURN_IF_ERROR(CheckProperty(change.new_name, change.value));
        if (change.new_name == "delta.columnMapping.maxColumnId") {
          return Error::Unsupported("changes of delta.columnMapping.maxColumnId, which Delta counts itself");
        }
        metadata.configuration[change.new_name] = change.value;
        NameRowTrackingColumns(snapshot_->metadata.get(), &metadata);
        break;
      case Type::kRemoveProperty:
        if (change.new_name.starts_with("delta.columnMapping.")) {
          return Error::Unsupported("turning off the column mapping of Delta tables");
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
      case Type::kSetClustering: {
        if (!metadata.partition_columns.empty())
          return Error::Of("DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED");
        FRAZIL_ASSIGN_OR_RETURN(auto domain, ClusteringDomainOf(change.columns, metadata, *schema));
        metadata.configuration["delta.feature.clustering"] = "supported";
        domains.push_back(std::move(domain));
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
  FRAZIL_RETURN_IF_ERROR(CheckModeChange(snapshot_->metadata.get(), metadata));
  FRAZIL_ASSIGN_OR_RETURN(ColumnMapping mapping, ColumnMappingOf(metadata));
  FRAZIL_ASSIGN_OR_RETURN(ColumnMapping former_mapping, ColumnMappingOf(*snapshot_->metadata));
  const bool begins_compat = IcebergCompatVersion(metadata) != IcebergCompatVersion(*snapshot_->metadata);
  if (changes_schema || mapping != former_mapping || begins_compat) {
    FRAZIL_ASSIGN_OR_RETURN(schema, WithColumnMapping(schema, &metadata, former_mapping == ColumnMapping::kNone));
    FRAZIL_ASSIGN_OR_RETURN(metadata.schema_string, SchemaString(schema, mapping != ColumnMapping::kNone));
  }
  Change change;
  change.base = snapshot_;
  FRAZIL_ASSIGN_OR_RETURN(Protocol protocol, RequiredProtocol(snapshot_->protocol, &metadata, *schema));
  if (!(protocol == snapshot_->protocol)) change.protocol = std::move(protocol);
  if (!(metadata == *snapshot_->metadata) || domains.empty()) change.metadata = std::move(metadata);
  change.domains = std::move(domains);
  if (change.metadata && change.metadata->IsTrue("delta.enableRowTracking")) {
    // Files that have no row ids yet get them with this very commit, so that nobody may bring or take files meanwhile.
    for (const auto& file : snapshot_->LiveFiles()) {
      if (file->base_row_id) continue;
      change.files.push_back(*file);
      change.files.back().data_change = false;
    }
    if (!change.files.empty()) change.read_filter = Predicate::True();
  }
  Described described = Describe(changes);
  if (changes.front().type == Type::kDropConstraint) {
    const std::string* present =
        snapshot_->metadata->Property("delta.constraints." + AsciiLower(changes.front().new_name));
    if (present != nullptr) described.parameters.emplace_back("expr", JsonString(*present));
    described.parameters.emplace_back("existed", present != nullptr ? "\"true\"" : "\"false\"");
  }
  change.operation = std::move(described.operation);
  change.parameters = std::move(described.parameters);
  return CommitChange(target_, std::move(change)).status();
}

}  // namespace frazil::tables::delta
