#include "frazil/plan/delta_command.h"
#include "frazil/plan/multi_insert.h"
#include "frazil/plan/script.h"
#include "frazil/plan/unresolved_dump.h"
#include "frazil/plan/unresolved_dump_internal.h"

namespace frazil::plan {
namespace {

std::string Clause(const NameClause& name) {
  return name.identifier != nullptr ? "identifier(" + DumpExpression(name.identifier) + ")" : DumpName(name.parts);
}

std::string Pairs(const Properties& properties) {
  std::string out;
  for (const auto& [key, value] : properties) out += (out.empty() ? "" : ", ") + key + "=" + value;
  return "{" + out + "}";
}

std::string DumpPartition(const std::vector<std::pair<std::string, ExprPtr>>& partition) {
  std::string out;
  for (const auto& [name, value] : partition) out += (out.empty() ? "" : ", ") + name + "=" + DumpExpression(value);
  return out.empty() ? "" : " partition(" + out + ")";
}

std::string DumpTransform(const PartitionTransform& transform) {
  if (transform.transform == "identity") return DumpName(transform.column);
  std::string out = transform.transform + "(";
  for (const Value& argument : transform.arguments) out += std::to_string(argument.integer()) + ", ";
  out += DumpName(transform.column);
  for (const auto& column : transform.more_columns) out += ", " + DumpName(column);
  return out + ")";
}

std::string DumpColumn(const ColumnDefinition& column) {
  std::string out = DumpName(column.name) + " " + (column.type != nullptr ? column.type->SimpleString() : "-");
  if (!column.nullable) out += " not null";
  if (column.default_text) out += " default " + *column.default_text;
  if (column.generation_text) out += " generated(" + *column.generation_text + ")";
  if (column.is_identity)
    out += " identity(" + std::to_string(column.identity_start) + ", " + std::to_string(column.identity_step) + ")";
  if (column.comment) out += " comment '" + *column.comment + "'";
  if (column.first) out += " first";
  if (!column.after.empty()) out += " after " + column.after;
  return out;
}

std::string DumpColumns(const std::vector<ColumnDefinition>& columns) {
  std::string out;
  for (const ColumnDefinition& column : columns) out += (out.empty() ? "" : ", ") + DumpColumn(column);
  return out;
}

std::string DumpCreateTable(const CreateTableCommand& table) {
  std::string out = table.mode == CreateTableCommand::Mode::kCreate    ? "CreateTable["
                    : table.mode == CreateTableCommand::Mode::kReplace ? "ReplaceTable["
                                                                       : "CreateOrReplaceTable[";
  out += Clause(table.name);
  if (table.if_not_exists) out += " if not exists";
  if (table.is_external) out += " external";
  if (table.like) out += " like " + Clause(*table.like);
  if (table.clone_of) out += " clone of " + Clause(*table.clone_of);
  if (table.clone_version) out += " version " + std::to_string(*table.clone_version);
  if (table.clone_timestamp != nullptr) out += " at " + DumpExpression(table.clone_timestamp);
  if (!table.columns.empty()) out += " (" + DumpColumns(table.columns) + ")";
  if (table.provider) out += " using " + *table.provider;
  if (!table.partitioning.empty()) {
    out += " partitioned by";
    for (const PartitionTransform& transform : table.partitioning) out += " " + DumpTransform(transform);
  }
  if (!table.options.empty()) out += " options " + Pairs(Properties(table.options.begin(), table.options.end()));
  if (!table.properties.empty()) out += " properties " + Pairs(table.properties);
  if (table.location) out += " location " + *table.location;
  if (table.comment) out += " comment " + *table.comment;
  for (const TableConstraint& constraint : table.constraints)
    out += " constraint " + constraint.name + " " + constraint.type + " " + constraint.text;
  out += "]";
  return table.query == nullptr ? out : out + "(" + DumpPlan(table.query) + ")";
}

std::string DumpAction(const AlterAction& action) {
  std::string out = "#" + std::to_string(static_cast<int>(action.type));
  for (const auto& name : action.column_names) out += " " + DumpName(name);
  if (!action.columns.empty()) out += " (" + DumpColumns(action.columns) + ")";
  if (!action.new_name.empty()) out += " to " + action.new_name;
  if (action.if_exists) out += " if exists";
  if (action.if_not_exists) out += " if not exists";
  if (action.new_type != nullptr) out += " type " + action.new_type->SimpleString();
  if (action.new_comment) out += " comment '" + *action.new_comment + "'";
  if (action.new_nullable) out += *action.new_nullable ? " nullable" : " not null";
  if (action.new_default) out += " default " + *action.new_default;
  if (action.drop_default) out += " drop default";
  if (action.move_first) out += " first";
  if (!action.move_after.empty()) out += " after " + action.move_after;
  if (!action.properties.empty()) out += " " + Pairs(action.properties);
  for (const std::string& key : action.keys) out += " " + key;
  if (!action.location.empty()) out += " location " + action.location;
  if (!action.field.column.empty()) out += " field " + DumpTransform(action.field);
  if (!action.field.alias.empty()) out += " as " + action.field.alias;
  if (!action.new_field.column.empty()) out += " with " + DumpTransform(action.new_field);
  if (!action.new_field.alias.empty()) out += " as " + action.new_field.alias;
  for (const AlterAction::OrderField& field : action.order) {
    out += " order " + DumpTransform(field.term) + (field.ascending ? " asc" : " desc") +
           (field.nulls_first ? " nulls first" : " nulls last");
  }
  if (action.distributed_by_partition) out += " distributed";
  if (action.locally_ordered) out += " locally";
  if (action.unordered) out += " unordered";
  if (!action.reference.empty()) out += std::string(action.is_branch ? " branch " : " tag ") + action.reference;
  if (action.create_or_replace) out += " create or replace";
  if (action.replace) out += " replace";
  if (action.snapshot_id) out += " snapshot " + std::to_string(*action.snapshot_id);
  if (action.reference_retain_ms) out += " retain " + std::to_string(*action.reference_retain_ms);
  if (action.snapshots_to_keep) out += " keep " + std::to_string(*action.snapshots_to_keep);
  if (action.snapshot_retain_ms) out += " age " + std::to_string(*action.snapshot_retain_ms);
  for (const auto& partition : action.partitions) out += DumpPartition(partition);
  if (!action.constraint.name.empty())
    out += " constraint " + action.constraint.name + " " + action.constraint.type + " " + action.constraint.text;
  if (!action.text.empty()) out += " " + action.text;
  return out;
}

std::string DumpInsert(const InsertCommand& insert) {
  std::string out = insert.overwrite ? "InsertOverwrite[" : "Insert[";
  out += insert.directory ? "directory " + *insert.directory + " " + insert.directory_format : Clause(insert.table);
  out += DumpPartition(insert.partition);
  for (const std::string& column : insert.columns) out += " " + DumpName({column});
  if (insert.by_name) out += " by name";
  if (insert.replace_where != nullptr) out += " replace where " + DumpExpression(insert.replace_where);
  out += "](" + DumpPlan(insert.query) + ")";
  for (const auto& other : OtherInserts(insert)) out += " " + DumpInsert(*other);
  return out;
}

std::string DumpMerge(const MergeCommand& merge) {
  std::string out =
      "Merge[" + Clause(merge.target) + " " + merge.target_alias + " on " + DumpExpression(merge.condition);
  for (const auto& action : merge.matched) out += "; matched " + DumpExpression(action);
  for (const auto& action : merge.not_matched) out += "; not matched " + DumpExpression(action);
  for (const auto& action : merge.not_matched_by_source) out += "; not matched by source " + DumpExpression(action);
  return out + "](" + DumpPlan(merge.source) + ")";
}

std::string DumpShow(const ShowCommand& show) {
  std::string out = "Show#" + std::to_string(static_cast<int>(show.type));
  if (!show.scope.empty()) out += " " + show.scope;
  if (show.name) out += " " + Clause(*show.name);
  if (!show.from.empty()) out += " from " + DumpName(show.from);
  if (show.pattern) out += " like " + *show.pattern;
  if (!show.key.empty()) out += " key " + show.key;
  return out + DumpPartition(show.partition);
}

std::string DumpDescribe(const DescribeCommand& describe) {
  std::string out = "Describe#" + std::to_string(static_cast<int>(describe.type));
  if (describe.query != nullptr) return out + "(" + DumpPlan(describe.query) + ")";
  out += " " + Clause(describe.name);
  if (!describe.column.empty()) out += " column " + DumpName(describe.column);
  out += DumpPartition(describe.partition);
  if (describe.extended) out += " extended";
  if (describe.as_json) out += " json";
  if (describe.limit) out += " limit " + std::to_string(*describe.limit);
  return out;
}

std::string DumpVariable(const VariableCommand& variable) {
  std::string out = "Variable#" + std::to_string(static_cast<int>(variable.type));
  for (size_t i = 0; i < variable.names.size(); ++i) {
    out += " " + DumpName(variable.names[i]);
    if (i < variable.values.size()) out += "=" + DumpExpression(variable.values[i]);
  }
  if (variable.data_type != nullptr) out += " " + variable.data_type->SimpleString();
  if (variable.value != nullptr) out += " default " + DumpExpression(variable.value);
  if (variable.query != nullptr) out += " (" + DumpPlan(variable.query) + ")";
  return out;
}

std::string DumpFunctionDdl(const FunctionDdlCommand& function) {
  std::string out = function.is_drop ? "DropFunction[" : "CreateFunction[";
  out += Clause(function.name) + (function.temporary ? " temporary" : "");
  if (!function.class_name.empty()) out += " class " + function.class_name;
  if (!function.parameters.empty()) out += " (" + DumpColumns(function.parameters) + ")";
  if (function.return_type != nullptr) out += " returns " + function.return_type->SimpleString();
  if (function.returns_table) out += " returns table(" + DumpColumns(function.return_columns) + ")";
  if (!function.body_text.empty()) out += " return " + function.body_text;
  return out + "]";
}

}  // namespace

std::string DumpCommand(const Command& command) {
  switch (command.command_kind) {
    case CommandKind::kCreateTable:
      return DumpCreateTable(command.As<CreateTableCommand>());
    case CommandKind::kDropTable: {
      const auto& drop = command.As<DropTableCommand>();
      return "DropTable[" + Clause(drop.name) + (drop.if_exists ? " if exists" : "") + (drop.purge ? " purge" : "") +
             "]";
    }
    case CommandKind::kRenameTable: {
      const auto& rename = command.As<RenameTableCommand>();
      return std::string(rename.is_view ? "RenameView[" : "RenameTable[") + Clause(rename.name) + " to " +
             DumpName(rename.new_name) + "]";
    }
    case CommandKind::kAlterTable: {
      std::string out = "AlterTable[" + Clause(command.As<AlterTableCommand>().name);
      for (const AlterAction& action : command.As<AlterTableCommand>().actions) out += "; " + DumpAction(action);
      return out + "]";
    }
    case CommandKind::kCreateView: {
      const auto& view = command.As<CreateViewCommand>();
      std::string out = view.or_replace ? "CreateOrReplaceView[" : "CreateView[";
      if (view.scope == ViewScope::kTemporary) out += "temporary ";
      if (view.scope == ViewScope::kGlobalTemporary) out += "global temporary ";
      out += Clause(view.name);
      for (const auto& [name, comment] : view.columns)
        out += " " + DumpName({name}) + (comment ? "'" + *comment + "'" : "");
      if (view.provider) out += " using " + *view.provider;
      if (!view.query_text.empty()) out += " text " + view.query_text;
      return out + "](" + DumpPlan(view.query) + ")";
    }
    case CommandKind::kDropView:
      return "DropView[" + Clause(command.As<DropViewCommand>().name) +
             (command.As<DropViewCommand>().if_exists ? " if exists" : "") + "]";
    case CommandKind::kAlterView: {
      const auto& view = command.As<AlterViewCommand>();
      return "AlterView[" + Clause(view.name) + (view.properties.empty() ? "" : " " + Pairs(view.properties)) + "](" +
             DumpPlan(view.query) + ")";
    }
    case CommandKind::kCreateNamespace: {
      const auto& name_space = command.As<CreateNamespaceCommand>();
      return "CreateNamespace[" + Clause(name_space.name) + (name_space.if_not_exists ? " if not exists" : "") +
             (name_space.comment ? " comment " + *name_space.comment : "") +
             (name_space.location ? " location " + *name_space.location : "") +
             (name_space.properties.empty() ? "" : " " + Pairs(name_space.properties)) + "]";
    }
    case CommandKind::kDropNamespace: {
      const auto& drop = command.As<DropNamespaceCommand>();
      return "DropNamespace[" + Clause(drop.name) + (drop.if_exists ? " if exists" : "") +
             (drop.cascade ? " cascade" : "") + "]";
    }
    case CommandKind::kAlterNamespace: {
      const auto& alter = command.As<AlterNamespaceCommand>();
      return "AlterNamespace[" + Clause(alter.name) + " " + Pairs(alter.properties) +
             (alter.location ? " location " + *alter.location : "") + "]";
    }
    case CommandKind::kInsert:
      return DumpInsert(command.As<InsertCommand>());
    case CommandKind::kDelete: {
      const auto& remove = command.As<DeleteCommand>();
      return "Delete[" + Clause(remove.table) + (remove.alias.empty() ? "" : " " + remove.alias) + " where " +
             DumpExpression(remove.condition) + "]";
    }
    case CommandKind::kUpdate: {
      const auto& update = command.As<UpdateCommand>();
      std::string out = "Update[" + Clause(update.table) + (update.alias.empty() ? "" : " " + update.alias);
      for (const Assignment& assignment : update.assignments) {
        out += " " + DumpExpression(assignment.column) + "=" + DumpExpression(assignment.value);
      }
      return out + " where " + DumpExpression(update.condition) + "]";
    }
    case CommandKind::kMerge:
      return DumpMerge(command.As<MergeCommand>());
    case CommandKind::kTruncate:
      return "Truncate[" + Clause(command.As<TruncateCommand>().table) +
             DumpPartition(command.As<TruncateCommand>().partition) + "]";
    case CommandKind::kCall: {
      std::string out = "Call[" + Clause(command.As<CallCommand>().name);
      for (const auto& [name, value] : command.As<CallCommand>().arguments)
        out += " " + (name.empty() ? "" : name + " => ") + DumpExpression(value);
      return out + "]";
    }
    case CommandKind::kMaintenance: {
      const auto& maintenance = command.As<MaintenanceCommand>();
      if (const auto* drop = dynamic_cast<const DropFeatureCommand*>(&maintenance)) {
        return "DropFeature[" + Clause(drop->table) + "; " + drop->feature +
               (drop->truncate_history ? " truncate history]" : "]");
      }
      const auto* optimize = dynamic_cast<const OptimizeCommand*>(&maintenance);
      std::string out =
          "Maintenance#" + std::to_string(static_cast<int>(maintenance.type)) + "[" + Clause(maintenance.table);
      if (maintenance.condition != nullptr) out += " where " + DumpExpression(maintenance.condition);
      for (const auto& column : maintenance.order_by) out += " order " + DumpName(column);
      if (optimize != nullptr && optimize->full) out += " full";
      if (maintenance.retain_hours) out += " retain " + std::to_string(*maintenance.retain_hours);
      if (maintenance.dry_run) out += " dry";
      if (maintenance.lite) out += " lite";
      for (const auto& column : maintenance.partition_columns) out += " partition " + DumpName(column.name);
      if (maintenance.version) out += " version " + std::to_string(*maintenance.version);
      if (maintenance.timestamp != nullptr) out += " at " + DumpExpression(maintenance.timestamp);
      return out + "]";
    }
    case CommandKind::kShow:
      return DumpShow(command.As<ShowCommand>());
    case CommandKind::kDescribe:
      return DumpDescribe(command.As<DescribeCommand>());
    case CommandKind::kUse: {
      const auto& use = command.As<UseCommand>();
      return std::string("Use[") +
             (use.is_set_catalog ? "catalog "
              : use.is_namespace ? "namespace "
                                 : "") +
             Clause(use.name) + "]";
    }
    case CommandKind::kSet: {
      const auto& set = command.As<SetCommand>();
      return "Set[" + std::string(set.verbose ? "-v" : "") + set.key.value_or("") +
             (set.value ? "=" + *set.value : "") + "]";
    }
    case CommandKind::kReset:
      return "Reset[" + command.As<ResetCommand>().key.value_or("") + "]";
    case CommandKind::kExplain:
      return "Explain#" + std::to_string(static_cast<int>(command.As<ExplainCommand>().mode)) + "(" +
             DumpPlan(command.As<ExplainCommand>().plan) + ")";
    case CommandKind::kCache:
      return "Cache[" + Clause(command.As<CacheCommand>().name) + (command.As<CacheCommand>().lazy ? " lazy" : "") +
             "](" + DumpPlan(command.As<CacheCommand>().query) + ")";
    case CommandKind::kUncache: {
      const auto& uncache = command.As<UncacheCommand>();
      return uncache.all ? "ClearCache"
                         : "Uncache[" + Clause(uncache.name) + (uncache.if_exists ? " if exists" : "") + "]";
    }
    case CommandKind::kRefresh: {
      const auto& refresh = command.As<RefreshCommand>();
      return std::string(refresh.is_function ? "RefreshFunction[" : "Refresh[") +
             (refresh.path ? "path " + *refresh.path : Clause(refresh.name)) + "]";
    }
    case CommandKind::kAnalyze: {
      const auto& analyze = command.As<AnalyzeCommand>();
      std::string out = "Analyze[" + Clause(analyze.name) + DumpPartition(analyze.partition);
      for (const std::string& column : analyze.columns) out += " " + column;
      return out + (analyze.no_scan ? " noscan" : "") + (analyze.all_columns ? " all columns" : "") +
             (analyze.all_tables ? " all tables" : "") + "]";
    }
    case CommandKind::kVariable:
      return DumpVariable(command.As<VariableCommand>());
    case CommandKind::kExecuteImmediate: {
      const auto& execute = command.As<ExecuteImmediateCommand>();
      std::string out = "ExecuteImmediate[" + DumpExpression(execute.query);
      for (const auto& name : execute.into) out += " into " + DumpName(name);
      return out + (execute.arguments.empty() ? "" : " using " + DumpExpressions(execute.arguments)) + "]";
    }
    case CommandKind::kFunctionDdl:
      return DumpFunctionDdl(command.As<FunctionDdlCommand>());
    case CommandKind::kScript:
      return "Script[" + command.As<ScriptCommand>().text + "]";
    case CommandKind::kUnsupported:
      return "Unsupported[" + command.As<UnsupportedCommand>().feature + "]";
    case CommandKind::kWrite:
    case CommandKind::kWriteV2:
    case CommandKind::kCreateDataFrameView:
    case CommandKind::kCheckpoint:
    case CommandKind::kRegisterPython:
      // Commands that only DataFrame requests make.
      return "Command#" + std::to_string(static_cast<int>(command.command_kind));
  }
  return "";
}

}  // namespace frazil::plan
