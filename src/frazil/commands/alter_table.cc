#include <algorithm>
#include <set>

#include "frazil/analysis/analyzer.h"
#include "frazil/analysis/dml/row_level.h"
#include "frazil/base/origin.h"
#include "frazil/base/text.h"
#include "frazil/commands/partition_commands.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/commands/table_definition.h"
#include "frazil/commands/table_writer.h"
#include "frazil/commands/view_names.h"
#include "frazil/sql/parser.h"
#include "frazil/types/cast_rules.h"

namespace frazil::commands {

namespace {

using Change = tables::TableChange;

Error NotSupported(const std::vector<std::string>& table, const std::string& operation) {
  return Error::Of("UNSUPPORTED_FEATURE.TABLE_OPERATION",
                   {{"tableName", QuoteIdentifier(table)}, {"operation", operation}});
}

/// The field at a path of names (array elements by "element", map values by "key" and "value"), or nullptr.
const StructField* FindField(const DataType& schema, const std::vector<std::string>& path) {
  const DataType* type = &schema;
  const StructField* field = nullptr;
  static thread_local StructField inner;
  for (const auto& part : path) {
    switch (type->id()) {
      case TypeId::kStruct: {
        int index = type->FieldIndex(part);
        if (index < 0) return nullptr;
        field = &type->fields()[index];
        break;
      }
      case TypeId::kArray:
        if (!EqualsIgnoreCase(part, "element")) return nullptr;
        inner = StructField("element", type->element_type(), type->contains_null());
        field = &inner;
        break;
      case TypeId::kMap:
        if (EqualsIgnoreCase(part, "key")) {
          inner = StructField("key", type->key_type(), false);
        } else if (EqualsIgnoreCase(part, "value")) {
          inner = StructField("value", type->value_type(), type->value_contains_null());
        } else {
          return nullptr;
        }
        field = &inner;
        break;
      default:
        return nullptr;
    }
    type = field->type.get();
  }
  return field;
}

Error NoSuchColumn(const std::vector<std::string>& column, const DataType& schema) {
  std::vector<std::string> names;
  for (const auto& field : schema.fields()) names.push_back(QuoteIdentifier(field.name));
  return Error::Of("UNRESOLVED_COLUMN.WITH_SUGGESTION",
                   {{"objectName", QuoteIdentifier(column)}, {"proposal", Join(names, ", ")}});
}

/// What the statement says to a view. MSCK REPAIR TABLE has its own text.
ViewRefusal RefusalOf(const plan::AlterTableCommand& command) {
  using Type = plan::AlterAction::Type;
  if (command.actions.empty()) return {"ALTER TABLE"};
  const auto& action = command.actions[0];
  switch (action.type) {
    case Type::kAddColumns:
      return {action.columns.size() == 1 ? "ALTER TABLE ... ADD COLUMN" : "ALTER TABLE ... ADD COLUMNS"};
    case Type::kDropColumns:
      return {"ALTER TABLE ... DROP COLUMNS"};
    case Type::kRenameColumn:
      return {"ALTER TABLE ... RENAME COLUMN"};
    case Type::kAlterColumn:
      return {"ALTER TABLE ... ALTER COLUMN"};
    case Type::kReplaceColumns:
      return {"ALTER TABLE ... REPLACE COLUMNS"};
    case Type::kSetProperties:
      return {"ALTER TABLE ... SET TBLPROPERTIES", "EXPECT_TABLE_NOT_VIEW.USE_ALTER_VIEW"};
    case Type::kUnsetProperties:
      return {"ALTER TABLE ... UNSET TBLPROPERTIES", "EXPECT_TABLE_NOT_VIEW.USE_ALTER_VIEW"};
    case Type::kSetLocation:
      return {"ALTER TABLE ... SET LOCATION ..."};
    case Type::kAddPartition:
      return {"ALTER TABLE ... ADD PARTITION ..."};
    case Type::kDropPartition:
      return {"ALTER TABLE ... DROP PARTITION ..."};
    case Type::kRenamePartition:
      return {"ALTER TABLE ... RENAME TO PARTITION"};
    case Type::kRecoverPartitions:
      return {action.text.empty() ? "ALTER TABLE ... RECOVER PARTITIONS" : "MSCK REPAIR TABLE"};
    case Type::kAddConstraint:
      return {"ALTER TABLE ... ADD CONSTRAINT"};
    case Type::kDropConstraint:
      return {"ALTER TABLE ... DROP CONSTRAINT"};
    case Type::kClusterBy:
      return {"ALTER TABLE ... CLUSTER BY"};
    case Type::kSetSerde:
      return {"ALTER TABLE ... SET [SERDE|SERDEPROPERTIES]"};
    case Type::kSetCollation:
      return {"ALTER TABLE ... DEFAULT COLLATION"};
    case Type::kAddPartitionField:
    case Type::kDropPartitionField:
    case Type::kReplacePartitionField:
    case Type::kWriteOrder:
    case Type::kSetIdentifierFields:
    case Type::kDropIdentifierFields:
    case Type::kCreateReference:
    case Type::kDropReference:
      return {"ALTER TABLE"};
  }
  return {"ALTER TABLE"};
}

bool IsOfSpark(plan::AlterAction::Type type) {
  using Type = plan::AlterAction::Type;
  return type == Type::kAddColumns || type == Type::kDropColumns || type == Type::kRenameColumn ||
         type == Type::kAlterColumn || type == Type::kReplaceColumns || type == Type::kSetProperties ||
         type == Type::kUnsetProperties || type == Type::kSetLocation;
}

class Translator {
 public:
  Translator(const analysis::ResolvedTable& table, CommandContext& context) : table_(table), context_(context) {}

  Result<std::vector<Change>> Translate(const std::vector<plan::AlterAction>& actions) {
    for (const auto& action : actions) FRAZIL_RETURN_IF_ERROR(Add(action));
    return std::move(changes_);
  }

 private:
  const DataType& schema() const { return *table_.table->schema(); }
  Change& New(Change::Type type) {
    changes_.emplace_back();
    changes_.back().type = type;
    return changes_.back();
  }
  Status RequireColumn(const std::vector<std::string>& column) {
    if (FindField(schema(), column) == nullptr) return NoSuchColumn(column, schema());
    return Status::Ok();
  }

  Error AlreadyThere(const char* operation, const std::vector<std::string>& column) {
    return Error::Of(
        "FIELD_ALREADY_EXISTS",
        {{"op", operation}, {"fieldNames", QuoteIdentifier(column)}, {"struct", "\"" + schema().Sql() + "\""}});
  }

  Status AddColumns(const plan::AlterAction& action) {
    std::set<std::string> added;
    for (const auto& column : action.columns) {
      FRAZIL_RETURN_IF_ERROR(CheckPlace(column));
      if (!added.insert(AsciiLower(Join(column.name, "."))).second)
        return Error::Of("COLUMN_ALREADY_EXISTS",
                         {{"columnName", QuoteIdentifier(AsciiLower(Join(column.name, ".")))}});
      names_added_.push_back(column.name);
      if (FindField(schema(), column.name) != nullptr) {
        if (action.if_not_exists) continue;
        return AlreadyThere("add", column.name);
      }
      if (column.generation_text || column.is_identity)
        return NotSupported(table_.full_name, column.is_identity ? "identity column" : "generated columns");
      Change& change = New(Change::Type::kAddColumn);
      change.column = column.name;
      change.data_type = column.type;
      change.nullable = column.nullable;
      change.value = column.comment.value_or("");
      change.first = column.first;
      change.after = column.after;
      if (column.default_text.has_value())
        FRAZIL_RETURN_IF_ERROR(SetDefault(*column.default_text, column.type, &change));
    }
    return Status::Ok();
  }

  /// Whether a new column has its parent, and its neighbour: a column of the table or a new one before it.
  Status CheckPlace(const plan::ColumnDefinition& column) {
    const std::vector<std::string> parent(column.name.begin(), column.name.end() - 1);
    const DataType* siblings = &schema();
    if (!parent.empty()) {
      const StructField* field = FindField(schema(), parent);
      if (field == nullptr) return NoSuchColumn(parent, schema());
      siblings = field->type.get();
      if (siblings->id() == TypeId::kArray) siblings = siblings->element_type().get();
      if (siblings->id() == TypeId::kMap) siblings = siblings->value_type().get();
      if (siblings->id() != TypeId::kStruct) {
        return Error::Of("INVALID_FIELD_NAME",
                         {{"fieldName", QuoteIdentifier(column.name)}, {"path", QuoteIdentifier(parent)}});
      }
    }
    if (column.after.empty() || siblings->FieldIndex(column.after) >= 0) return Status::Ok();
    auto neighbour = parent;
    neighbour.push_back(column.after);
    const auto is_neighbour = [&](const std::vector<std::string>& name) {
      return EqualsIgnoreCase(Join(name, "."), Join(neighbour, "."));
    };
    if (std::any_of(names_added_.begin(), names_added_.end(), is_neighbour)) return Status::Ok();
    std::vector<std::string> names;
    for (const auto& field : siblings->fields()) names.push_back(field.name);
    return Error::Of("FIELD_NOT_FOUND",
                     {{"fieldName", QuoteIdentifier(column.name.back())}, {"fields", Join(names, ", ")}});
  }

  Status SetDefault(const std::string& text, const DataTypePtr& type, Change* change) {
    FRAZIL_ASSIGN_OR_RETURN(auto expression, sql::ParseExpression(text, context_.parser_options()));
    change->default_text = text;
    FRAZIL_ASSIGN_OR_RETURN(change->default_value, analysis::AnalyzeConstant(expression, type, context_));
    return Status::Ok();
  }

  Status AlterColumn(const plan::AlterAction& action) {
    const auto& column = action.column_names[0];
    FRAZIL_RETURN_IF_ERROR(RequireColumn(column));
    const StructField field = *FindField(schema(), column);
    if (action.new_type != nullptr && !action.new_type->Equals(*field.type)) {
      if (action.new_type->IsComplex()) {
        const char* kind = action.new_type->id() == TypeId::kStruct  ? "STRUCT_TYPE"
                           : action.new_type->id() == TypeId::kArray ? "ARRAY_TYPE"
                                                                     : "MAP_TYPE";
        return Error::Of(std::string("CANNOT_UPDATE_FIELD.") + kind,
                         {{"table", QuoteIdentifier(table_.full_name)}, {"fieldName", QuoteIdentifier(column)}});
      }
      if (!CanUpCast(*field.type, *action.new_type)) {
        return Error::Of("NOT_SUPPORTED_CHANGE_COLUMN", {{"table", QuoteIdentifier(table_.full_name)},
                                                         {"originName", QuoteIdentifier(column)},
                                                         {"originType", "\"" + field.type->Sql() + "\""},
                                                         {"newName", QuoteIdentifier(column)},
                                                         {"newType", "\"" + action.new_type->Sql() + "\""}});
      }
      Change& change = New(Change::Type::kUpdateColumnType);
      change.column = column;
      change.data_type = action.new_type;
    }
    if (action.new_comment.has_value()) {
      Change& change = New(Change::Type::kUpdateColumnComment);
      change.column = column;
      change.value = *action.new_comment;
    }
    if (action.new_nullable.has_value()) {
      if (!*action.new_nullable && field.nullable) {
        return Error::Of("_LEGACY_ERROR_TEMP_2330", {{"fieldName", Join(column, ".")}});
      }
      Change& change = New(Change::Type::kUpdateColumnNullability);
      change.column = column;
      change.nullable = *action.new_nullable;
    }
    if (action.new_default.has_value() || action.drop_default) {
      Change& change = New(Change::Type::kUpdateColumnDefault);
      change.column = column;
      if (action.new_default.has_value()) FRAZIL_RETURN_IF_ERROR(SetDefault(*action.new_default, field.type, &change));
    }
    if (!action.move_after.empty()) {
      auto neighbour = column;
      neighbour.back() = action.move_after;
      FRAZIL_RETURN_IF_ERROR(RequireColumn(neighbour));
    }
    if (action.move_first || !action.move_after.empty()) {
      Change& change = New(Change::Type::kMoveColumn);
      change.column = column;
      change.first = action.move_first;
      change.after = action.move_after;
    }
    return Status::Ok();
  }

  Status SetReference(const plan::AlterAction& action) {
    Change& change = New(Change::Type::kSetReference);
    change.new_name = action.reference;
    change.is_branch = action.is_branch;
    change.create = !action.replace || action.create_or_replace;
    change.replace = action.replace || action.create_or_replace;
    change.if_not_exists = action.if_not_exists;
    change.snapshot_id = action.snapshot_id;
    change.reference_retain_ms = action.reference_retain_ms;
    change.snapshot_retain_ms = action.snapshot_retain_ms;
    change.snapshots_to_keep = action.snapshots_to_keep;
    return Status::Ok();
  }

  Status WriteOrder(const plan::AlterAction& action) {
    Change& change = New(Change::Type::kSetSortOrder);
    FRAZIL_ASSIGN_OR_RETURN(change.sort, ToSortFields(action.order));
    if (action.distributed_by_partition) {
      change.distribution_mode = "hash";
    } else if (action.unordered || action.locally_ordered) {
      change.distribution_mode = "none";
    } else {
      change.distribution_mode = "range";
    }
    return Status::Ok();
  }

  /// A CHECK that all rows pass already.
  Status AddConstraint(const plan::AlterAction& action) {
    if (table_.table->provider() != "delta" || action.constraint.type != "CHECK") {
      return NotSupported(table_.full_name, "constraints");
    }
    FRAZIL_ASSIGN_OR_RETURN(auto parsed, sql::ParseExpression(action.constraint.text, context_.parser_options()));
    FRAZIL_ASSIGN_OR_RETURN(auto scan, table_.table->Scan({}));
    auto rows = analysis::MakeTableScan(scan, Join(table_.full_name, "."), table_.full_name, context_);
    FRAZIL_ASSIGN_OR_RETURN(auto condition, analysis::AnalyzeCondition(parsed, rows->output, context_));
    FRAZIL_ASSIGN_OR_RETURN(
        auto found, context_.engine().Collect(analysis::CountFailing(rows, condition, context_), context_.execution()));
    int64_t violations = found.rows.empty() ? 0 : found.rows[0][0].integer();
    if (violations > 0) {
      return Error::Of("DELTA_NEW_CHECK_CONSTRAINT_VIOLATION", {{"numRows", std::to_string(violations)},
                                                                {"tableName", Join(table_.full_name, ".")},
                                                                {"checkConstraint", action.constraint.text}});
    }
    Change& change = New(Change::Type::kAddConstraint);
    change.new_name = action.constraint.name;
    change.value = action.constraint.text;
    return Status::Ok();
  }

  Status Add(const plan::AlterAction& action) {
    using Type = plan::AlterAction::Type;
    switch (action.type) {
      case Type::kAddColumns:
        return AddColumns(action);
      case Type::kDropColumns:
        for (const auto& column : action.column_names) {
          if (action.if_exists && FindField(schema(), column) == nullptr) continue;
          FRAZIL_RETURN_IF_ERROR(RequireColumn(column));
          // A column that goes with its struct, or was named before, is gone already.
          const auto is_gone = [&](const Change& change) {
            const auto& gone = change.column;
            return gone.size() <= column.size() &&
                   std::equal(gone.begin(), gone.end(), column.begin(),
                              [](const std::string& a, const std::string& b) { return EqualsIgnoreCase(a, b); });
          };
          if (std::any_of(changes_.begin(), changes_.end(), is_gone)) continue;
          New(Change::Type::kDropColumn).column = column;
        }
        return Status::Ok();
      case Type::kRenameColumn: {
        FRAZIL_RETURN_IF_ERROR(RequireColumn(action.column_names[0]));
        auto renamed = action.column_names[0];
        renamed.back() = action.new_name;
        const std::vector<std::string> parent(renamed.begin(), renamed.end() - 1);
        if (!parent.empty() && FindField(schema(), parent)->type->id() != TypeId::kStruct) {
          return Error::Of("INVALID_FIELD_NAME",
                           {{"fieldName", QuoteIdentifier(renamed)}, {"path", QuoteIdentifier(parent)}});
        }
        // Other case of the same name is no other column.
        bool is_same = EqualsIgnoreCase(action.new_name, action.column_names[0].back());
        if (!is_same && FindField(schema(), renamed) != nullptr) return AlreadyThere("rename", renamed);
        Change& change = New(Change::Type::kRenameColumn);
        change.column = action.column_names[0];
        change.new_name = action.new_name;
        return Status::Ok();
      }
      case Type::kAlterColumn:
        return AlterColumn(action);
      case Type::kSetProperties:
        for (const auto& [key, value] : action.properties) {
          FRAZIL_RETURN_IF_ERROR(CheckProperties({key}, context_));
          Change& change = New(Change::Type::kSetProperty);
          change.new_name = key;
          change.value = value;
        }
        return Status::Ok();
      case Type::kUnsetProperties:
        FRAZIL_RETURN_IF_ERROR(CheckProperties(action.keys, context_));
        // Those that a table has not are no error, with or without IF EXISTS.
        for (const auto& key : action.keys) New(Change::Type::kRemoveProperty).new_name = key;
        return Status::Ok();
      case Type::kSetLocation:
        if (!action.partitions.empty())
          return NotSupported(table_.full_name, "ALTER TABLE ... PARTITION ... SET LOCATION");
        New(Change::Type::kSetLocation).value = action.location;
        return Status::Ok();
      case Type::kAddPartitionField:
      case Type::kDropPartitionField:
      case Type::kReplacePartitionField: {
        Change change;
        change.type = action.type == Type::kAddPartitionField    ? Change::Type::kAddPartitionField
                      : action.type == Type::kDropPartitionField ? Change::Type::kDropPartitionField
                                                                 : Change::Type::kReplacePartitionField;
        FRAZIL_ASSIGN_OR_RETURN(change.field, ToPartitionField(action.field));
        if (action.type == Type::kReplacePartitionField) {
          FRAZIL_ASSIGN_OR_RETURN(change.new_field, ToPartitionField(action.new_field));
          change.has_field_name = !action.new_field.alias.empty();
        } else {
          change.has_field_name = !action.field.alias.empty();
        }
        changes_.push_back(std::move(change));
        return Status::Ok();
      }
      case Type::kWriteOrder:
        return WriteOrder(action);
      case Type::kSetIdentifierFields:
      case Type::kDropIdentifierFields:
        New(action.type == Type::kSetIdentifierFields ? Change::Type::kSetIdentifierFields
                                                      : Change::Type::kDropIdentifierFields)
            .columns = action.column_names;
        return Status::Ok();
      case Type::kCreateReference:
        return SetReference(action);
      case Type::kDropReference: {
        Change& change = New(Change::Type::kDropReference);
        change.new_name = action.reference;
        change.is_branch = action.is_branch;
        change.if_exists = action.if_exists;
        return Status::Ok();
      }
      case Type::kReplaceColumns:
        return NotSupported(table_.full_name, "REPLACE COLUMNS");
      case Type::kAddPartition:
      case Type::kDropPartition:
      case Type::kRenamePartition:
      case Type::kRecoverPartitions:
        return Error::Internal("partitions are no change of the table");
      case Type::kAddConstraint:
        return AddConstraint(action);
      case Type::kDropConstraint: {
        if (table_.table->provider() != "delta") return NotSupported(table_.full_name, "constraints");
        Change& change = New(Change::Type::kDropConstraint);
        change.new_name = action.constraint.name;
        change.if_exists = action.if_exists;
        return Status::Ok();
      }
      case Type::kClusterBy: {
        if (table_.table->provider() != "delta") return NotSupported(table_.full_name, "CLUSTER BY");
        New(Change::Type::kSetClustering).columns = action.column_names;
        return Status::Ok();
      }
      case Type::kSetSerde:
        return NotSupported(table_.full_name, "SET SERDE");
      case Type::kSetCollation:
        return NotSupported(table_.full_name, "DEFAULT COLLATION");
    }
    return Error::Internal("unknown ALTER TABLE action");
  }

  const analysis::ResolvedTable& table_;
  CommandContext& context_;
  std::vector<Change> changes_;
  std::vector<std::vector<std::string>> names_added_;
};

}  // namespace

Result<RowSet> RunAlterTable(const plan::AlterTableCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto table, ResolveTableName(command.name, RefusalOf(command), context));
  if (IsMetadataTable(table)) return NotSupported(table.full_name, "ALTER TABLE");
  // Spark's own statements find the table in its catalog, which knows none of such a name; Iceberg's change the table
  // that has the state.
  if (ChoosesState(table) && !command.actions.empty() && IsOfSpark(command.actions[0].type)) {
    FRAZIL_ASSIGN_OR_RETURN(const auto parts, NameParts(command.name, context));
    return AtOrigin(Error::Of("TABLE_OR_VIEW_NOT_FOUND", {{"relationName", QuoteIdentifier(parts)}}),
                    command.name.origin);
  }
  if (!command.actions.empty() && IsPartitionAction(command.actions[0])) {
    FRAZIL_RETURN_IF_ERROR(RunPartitionAction(table, command.actions[0], context));
    return NoRows();
  }
  FRAZIL_ASSIGN_OR_RETURN(auto changes, Translator(table, context).Translate(command.actions));
  if (changes.empty()) return NoRows();
  // A table that is named by its path has no catalog.
  Status altered =
      table.catalog != nullptr ? table.catalog->AlterTable(table.identifier, changes) : table.table->Alter(changes);
  if (altered.ok()) return NoRows();
  // Spark's own statements say so of what the table's format refuses; those of Iceberg's extensions do not.
  const Error& error = altered.error();
  if (error.exception_class == ExceptionClass::kIllegalArgument && error.condition.empty() &&
      IsOfSpark(command.actions[0].type)) {
    return Error::Of("_LEGACY_ERROR_TEMP_2045", {{"message", error.message}});
  }
  return error;
}

}  // namespace frazil::commands
