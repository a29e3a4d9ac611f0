// DELETE, UPDATE and MERGE: copy-on-write, or (where the table can) by marking rows as deleted and adding the changed
// ones. One snapshot of
// the table is read from begin to end of the statement; the commit checks that nothing it read has changed.

#include "frazil/analysis/dml/row_level.h"

#include <algorithm>
#include <functional>
#include <map>

#include "frazil/base/clock.h"
#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/commands/generated_columns.h"
#include "frazil/commands/row_level_answer.h"
#include "frazil/commands/schema_evolution.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/commands/table_writer.h"
#include "frazil/commands/view_names.h"
#include "frazil/plan/determinism.h"
#include "frazil/plan/make_logical.h"
#include "frazil/tables/row_changes.h"
#include "frazil/tables/schema_changes.h"

namespace frazil::commands {

namespace {

struct OpenTarget {
  analysis::ResolvedTable table;
  analysis::RowLevelTarget target;
  std::string branch;  ///< That is written; empty: the main one.
};

/// `changes_parts`: the statement has a condition, or changes more than it deletes.
Result<OpenTarget> Open(analysis::ResolvedTable table, const std::string& alias, const char* operation,
                        bool changes_parts = true) {
  OpenTarget open;
  open.table = std::move(table);
  std::string quoted = QuoteIdentifier(open.table.full_name);
  if (!open.table.table->capabilities().row_level_changes) {
    return Error::Of("UNSUPPORTED_FEATURE.TABLE_OPERATION", {{"tableName", quoted}, {"operation", operation}});
  }
  FRAZIL_ASSIGN_OR_RETURN(open.branch, BranchToWrite(open.table, changes_parts ? "modify" : "delete from"));
  FRAZIL_ASSIGN_OR_RETURN(open.target.scan, open.table.table->Scan(open.table.scan_options));
  open.target.table_name = quoted;
  open.target.scan_name = Join(open.table.full_name, ".");
  open.target.qualifier = alias.empty() ? open.table.full_name : std::vector<std::string>{alias};
  open.target.schema = open.table.table->schema();
  open.target.is_delta = open.table.table->provider() == "delta";
  return open;
}

Result<OpenTarget> Open(const plan::NameClause& name, const std::string& alias, const char* operation,
                        CommandContext& context, bool changes_parts = true) {
  // As Spark names them where it refuses views.
  const std::string_view kind = operation;
  const char* of_view = kind == "MERGE" ? "MERGE INTO TABLE" : kind == "UPDATE" ? "UPDATE TABLE" : operation;
  FRAZIL_ASSIGN_OR_RETURN(auto table,
                          ResolveTableName(name, {of_view, "UNSUPPORTED_FEATURE.TABLE_OPERATION"}, context));
  return Open(std::move(table), alias, operation, changes_parts);
}

tables::WriteOptions RewriteOptions(const OpenTarget& open, const char* operation, PredicatePtr filter) {
  tables::WriteOptions options;
  options.mode = tables::WriteMode::kRewriteFiles;
  options.operation = operation;
  options.filter = std::move(filter);
  options.branch = open.branch;
  return options;
}

/// Files that a statement touches, and how many of their rows.
struct TouchedFiles {
  std::vector<std::string> paths;
  int64_t rows = 0;
};

Result<TouchedFiles> CollectFiles(const plan::LogicalPlanPtr& plan, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto found, context.engine().Collect(plan, context.execution()));
  TouchedFiles touched;
  for (const auto& row : found.rows) {
    touched.paths.push_back(row[0].string());
    if (row.size() > 1) touched.rows += row[1].integer();
  }
  return touched;
}

/// What a statement makes of a table's files.
struct Replacement {
  std::vector<std::string> files;                       ///< That go.
  std::vector<plan::LogicalPlanPtr> rows;               ///< That come instead, and new ones.
  std::vector<plan::LogicalPlanPtr> changes;            ///< For the change feed; only where the table keeps one.
  bool marks_rows = false;                              ///< Rows are deleted in files that stay:
  std::map<std::string, std::vector<int64_t>> deleted;  ///< their positions.
  tables::RowCounts counts;
  tables::RowChangeFigures figures;
  bool inserts = false;  ///< Rows that are new to the table are among `rows`, and are counted when they are written.
  /// Whether the statement gives a column its value itself.
  std::function<bool(const std::string&)> is_given = [](const std::string&) { return false; };
  bool reads_table = false;  ///< Beyond the filter of the write: in subqueries, or to see what has no match.
};

/// How many rows stand in files of the target.
Result<int64_t> LiveRows(const OpenTarget& open, const std::vector<std::string>& files, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto scan, open.target.scan->RestrictTo(files));
  FRAZIL_ASSIGN_OR_RETURN(auto plan, scan->Plan(Predicate::True()));
  int64_t rows = 0;
  for (const auto& file : plan.files) {
    if (file.record_count < 0) {
      // Files without statistics.
      FRAZIL_ASSIGN_OR_RETURN(auto counted, CountRowsByFile(scan, open.target.scan_name, context));
      rows = 0;
      for (const auto& [path, count] : counted) rows += count;
      return rows;
    }
    rows += file.record_count - (file.deleted_positions == nullptr ? 0 : std::ssize(*file.deleted_positions));
  }
  return rows;
}

/// What a MERGE that has written so many rows must have inserted: the others were there.
Result<int64_t> InsertedRows(const OpenTarget& open, const Replacement& replacement, int64_t written,
                             CommandContext& context) {
  if (replacement.marks_rows) return written - replacement.counts.updated.value_or(0);
  if (replacement.files.empty()) return written;
  FRAZIL_ASSIGN_OR_RETURN(int64_t before, LiveRows(open, replacement.files, context));
  return written - (before - replacement.counts.deleted.value_or(0));
}

/// Gives what the statement changed.
Result<tables::RowCounts> Fill(const OpenTarget& open, const Replacement& replacement, tables::TableWrite& write,
                               tables::RowChanges* changes, CommandContext& context) {
  int64_t written_rows = 0;
  if (!replacement.rows.empty()) {
    std::vector<plan::LogicalPlanPtr> plans;
    for (const auto& rows : replacement.rows) {
      FRAZIL_ASSIGN_OR_RETURN(auto complete, WithFollowingValues(*open.table.table, open.target.schema, rows,
                                                                 replacement.is_given, context));
      plans.push_back(WithNullLineage(complete, write.task(), context));
    }
    FRAZIL_ASSIGN_OR_RETURN(auto rows, CheckConstraints(*open.table.table, open.target.schema,
                                                        analysis::UnionAll(std::move(plans), context), context));
    FRAZIL_ASSIGN_OR_RETURN(auto written, WriteFiles(rows, write, write.task(), context));
    for (const auto& file : written) written_rows += file.record_count;
    write.AddFiles(std::move(written));
  }
  write.RemoveFiles(replacement.files);
  tables::RowCounts counts = replacement.counts;
  if (replacement.inserts) {
    FRAZIL_ASSIGN_OR_RETURN(counts.inserted, InsertedRows(open, replacement, written_rows, context));
  }
  write.SetRowCounts(counts);
  if (changes == nullptr) return counts;
  for (const auto& [file, positions] : replacement.deleted) changes->DeleteRows(file, positions);
  if (changes->change_task() == nullptr || replacement.changes.empty()) return counts;
  FRAZIL_ASSIGN_OR_RETURN(auto changed, WithFollowingValues(*open.table.table, open.target.schema,
                                                            analysis::UnionAll(replacement.changes, context),
                                                            replacement.is_given, context));
  FRAZIL_ASSIGN_OR_RETURN(auto written, WriteFiles(changed, write, *changes->change_task(), context));
  changes->AddChangeFiles(std::move(written));
  return counts;
}

/// Writes the rows and commits them in place of the files. Gives what the statement changed.
Result<tables::RowCounts> Replace(const OpenTarget& open, const tables::WriteOptions& options,
                                  const Replacement& replacement, CommandContext& context) {
  const int64_t found_micros = NowMicros();
  std::unique_ptr<tables::TableWrite> write;
  tables::RowChanges* changes = nullptr;
  const auto capabilities = open.table.table->capabilities();
  if (capabilities.change_feed || replacement.marks_rows) {
    FRAZIL_ASSIGN_OR_RETURN(auto started, open.table.table->StartRowChanges(options));
    changes = started.get();
    write = std::move(started);
  } else {
    FRAZIL_ASSIGN_OR_RETURN(write, open.table.table->StartWrite(options));
  }
  if (replacement.reads_table) TellRead(*write);
  if (auto* told = dynamic_cast<tables::RowChanges*>(write.get()); told != nullptr) {
    auto figures = replacement.figures;
    figures.found_micros = found_micros;
    told->SetFigures(figures);
  }
  auto filled = Fill(open, replacement, *write, changes, context);
  if (!filled.ok()) {
    write->Abort();
    return filled;
  }
  FRAZIL_RETURN_IF_ERROR(CommitWrite(*write));
  return filled;
}

/// The answer of a statement, as Delta gives it; other formats give none. `counts` null: the columns alone.
RowSet Answer(const tables::Table& table, bool is_merge, const tables::RowCounts* counts) {
  if (table.provider() != "delta") return NoRows();
  std::vector<StructField> fields = {{"num_affected_rows", DataType::Long()}};
  std::vector<Value> row;
  if (counts != nullptr) {
    row.emplace_back(counts->updated.value_or(0) + counts->deleted.value_or(0) + counts->inserted.value_or(0));
  }
  if (is_merge) {
    const std::pair<const char*, std::optional<int64_t> tables::RowCounts::*> parts[] = {
        {"num_updated_rows", &tables::RowCounts::updated},
        {"num_deleted_rows", &tables::RowCounts::deleted},
        {"num_inserted_rows", &tables::RowCounts::inserted}};
    for (const auto& [name, count] : parts) {
      fields.emplace_back(name, DataType::Long());
      if (counts != nullptr) row.emplace_back((counts->*count).value_or(0));
    }
  }
  RowSet answer{DataType::Struct(std::move(fields)), {}};
  if (counts != nullptr) answer.rows.push_back(std::move(row));
  return answer;
}

/// The rows of whole files that a condition covers; -1 where the table does not know.
Result<int64_t> RowsByMetadata(const tables::TableScan& scan, const PredicatePtr& filter) {
  FRAZIL_ASSIGN_OR_RETURN(auto plan, scan.Plan(filter));
  int64_t rows = 0;
  for (const auto& file : plan.files) {
    if (file.record_count < 0) return -1;
    rows += file.record_count - (file.deleted_positions == nullptr ? 0 : std::ssize(*file.deleted_positions));
  }
  return rows;
}

/// Marks the rows of a plan (_file, _pos) as deleted; gives their number.
Result<int64_t> MarkRows(const plan::LogicalPlanPtr& positions_of_rows, CommandContext& context,
                         Replacement* replacement) {
  replacement->marks_rows = true;
  FRAZIL_ASSIGN_OR_RETURN(auto found, context.engine().Collect(positions_of_rows, context.execution()));
  for (const auto& row : found.rows) replacement->deleted[row[0].string()].push_back(row[1].integer());
  for (auto& [file, positions] : replacement->deleted) std::sort(positions.begin(), positions.end());
  return static_cast<int64_t>(found.rows.size());
}

/// Marks changed rows as deleted and adds them as they are afterwards; gives their number. Both must be of one and the
/// same evaluation: what may differ from run to run is kept in memory, and so are rows that are `few`.
Result<int64_t> MoveRows(analysis::ChangedRows changed, bool few, CommandContext& context, Replacement* replacement) {
  if (few || MayChange(*changed.plan)) {
    FRAZIL_ASSIGN_OR_RETURN(changed.plan, KeptInMemory(changed.plan, context));
  }
  FRAZIL_ASSIGN_OR_RETURN(int64_t rows, MarkRows(analysis::PositionsOf(changed), context, replacement));
  if (rows > 0) replacement->rows.push_back(analysis::WrittenRows(changed));
  return rows;
}

/// So many changed rows are kept in memory rather than joined twice.
constexpr int64_t kFewRows = 100'000;

/// How many rows of the touched files a MERGE updates and deletes. Only what its clauses leave open is counted by a
/// query of its own.
Status CountMergedRows(const plan::MergeCommand& command, const analysis::NamedRelation& source,
                       const analysis::RowLevelTarget& target, const analysis::TargetRows& touched,
                       int64_t matched_rows, CommandContext& context, Replacement* replacement) {
  auto& counts = replacement->counts;
  counts.updated = counts.deleted = 0;
  const auto add = [&](plan::MergeActionType type, int64_t rows) {
    *(type == plan::MergeActionType::kDelete ? counts.deleted : counts.updated) += rows;
  };
  if (command.not_matched_by_source.empty() && command.matched[0]->condition == nullptr) {
    add(command.matched[0]->type, matched_rows);
    return Status::Ok();
  }
  FRAZIL_ASSIGN_OR_RETURN(auto plan, analysis::MergeClauseCounts(command, source, target, touched, context));
  FRAZIL_ASSIGN_OR_RETURN(auto found, context.engine().Collect(plan, context.execution()));
  for (const auto& row : found.rows) {
    auto clause = static_cast<size_t>(row[0].integer());
    if (clause == 0) continue;
    const auto& action = clause <= command.matched.size()
                             ? command.matched[clause - 1]
                             : command.not_matched_by_source[clause - 1 - command.matched.size()];
    add(action->type, row[1].integer());
    if (clause <= command.matched.size()) continue;
    auto& figures = replacement->figures;
    (action->type == plan::MergeActionType::kDelete ? figures.deleted_without_source
                                                    : figures.updated_without_source) += row[1].integer();
  }
  return Status::Ok();
}

/// How many rows the source of a MERGE has.
Result<int64_t> CountSourceRows(const analysis::NamedRelation& source, CommandContext& context) {
  auto execution = context.execution();
  execution.metrics = nullptr;
  const auto none = MakeLiteral(DataType::Boolean(), Value(false));
  FRAZIL_ASSIGN_OR_RETURN(auto counted,
                          context.engine().Collect(analysis::CountFailing(source.plan, none, context), execution));
  return counted.rows.at(0)[0].integer();
}

/// UPDATE of an identity column, of which the table alone gives the values.
Status CheckNotIdentity(const tables::Table& table, const std::function<bool(const std::string&)>& is_given) {
  for (const auto& column : table.generated_columns()) {
    if (column.is_identity && is_given(column.name))
      return Error::Of("DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED", {{"colName", column.name}});
  }
  return Status::Ok();
}

/// Whether one of the assignments is to a column of that name; `bare`: by the name alone, without a qualifier.
bool Assigns(const std::vector<plan::Assignment>& assignments, const std::string& column, bool bare = false) {
  return std::any_of(assignments.begin(), assignments.end(), [&](const plan::Assignment& assignment) {
    if (assignment.column->kind != plan::ExprKind::kAttribute) return false;
    const auto& name = assignment.column->As<plan::AttributeExpr>().name;
    return EqualsIgnoreCase(name.back(), column) && (!bare || name.size() == 1);
  });
}

}  // namespace

Result<RowSet> RunDelete(const plan::DeleteCommand& command, CommandContext& context) {
  const int64_t started = NowMicros();
  FRAZIL_ASSIGN_OR_RETURN(auto open,
                          Open(command.table, command.alias, "DELETE", context, command.condition != nullptr));
  FRAZIL_ASSIGN_OR_RETURN(auto rows, analysis::ScanTarget(open.target, context));
  FRAZIL_ASSIGN_OR_RETURN(auto extracted, analysis::TargetPredicate(command.condition, rows, context));
  auto options = RewriteOptions(open, "delete", extracted.predicate);
  options.filter_text = extracted.text;
  if (extracted.exact) {
    FRAZIL_ASSIGN_OR_RETURN(bool by_metadata, open.table.table->CanDeleteByMetadata(extracted.predicate, options));
    if (by_metadata) {
      tables::RowCounts counts;
      FRAZIL_ASSIGN_OR_RETURN(counts.deleted, RowsByMetadata(*open.target.scan, extracted.predicate));
      FRAZIL_ASSIGN_OR_RETURN(auto outcome, open.table.table->DeleteByMetadata(extracted.predicate, options));
      if (outcome.state == tables::CommitState::kConflict) {
        Error error = Error::Plain(ExceptionClass::kSpark,
                                   "The commit lost to a concurrent one and nothing was changed: " + outcome.conflict);
        error.kind = ErrorKind::kConflict;
        return error;
      }
      return Answer(*open.table.table, false, &counts);
    }
  }
  Replacement replacement;
  replacement.figures.started_micros = started;
  FRAZIL_ASSIGN_OR_RETURN(auto touched, analysis::FilesWithMatches(command.condition, rows, context));
  if (tables::MarksRows(*open.table.table, "delete")) {
    FRAZIL_ASSIGN_OR_RETURN(auto plan, analysis::PositionsOfMatches(command.condition, rows, context));
    FRAZIL_ASSIGN_OR_RETURN(replacement.counts.deleted, MarkRows(plan, context, &replacement));
  } else {
    FRAZIL_ASSIGN_OR_RETURN(auto found, CollectFiles(touched, context));
    replacement.files = std::move(found.paths);
    replacement.counts.deleted = found.rows;
    if (!replacement.files.empty()) {
      FRAZIL_ASSIGN_OR_RETURN(auto kept, analysis::ScanTargetFiles(open.target, replacement.files, context));
      FRAZIL_ASSIGN_OR_RETURN(auto plan, analysis::RowsAfterDelete(command.condition, kept, context));
      replacement.rows.push_back(std::move(plan));
    }
  }
  replacement.reads_table = ReadsTable(*touched, *open.table.table, ReadPlace::kInSubquery);
  if (open.table.table->capabilities().change_feed && replacement.counts.deleted.value_or(0) > 0) {
    FRAZIL_ASSIGN_OR_RETURN(auto changes, analysis::ChangesOfDelete(command.condition, open.target, rows, context));
    replacement.changes.push_back(std::move(changes));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto counts, Replace(open, options, replacement, context));
  return Answer(*open.table.table, false, &counts);
}

Result<RowSet> RunUpdate(const plan::UpdateCommand& command, CommandContext& context) {
  const int64_t started = NowMicros();
  FRAZIL_ASSIGN_OR_RETURN(auto open, Open(command.table, command.alias, "UPDATE", context));
  FRAZIL_ASSIGN_OR_RETURN(auto rows, analysis::ScanTarget(open.target, context));
  FRAZIL_ASSIGN_OR_RETURN(auto extracted, analysis::TargetPredicate(command.condition, rows, context));
  FRAZIL_RETURN_IF_ERROR(CheckNotIdentity(
      *open.table.table, [&](const std::string& column) { return Assigns(command.assignments, column); }));
  // The assignments are checked even where no row matches.
  FRAZIL_ASSIGN_OR_RETURN(auto all_updated, analysis::RowsAfterUpdate(command, open.target, rows, context));
  const auto capabilities = open.table.table->capabilities();
  Replacement replacement;
  replacement.figures.started_micros = started;
  auto changed = rows;
  if (tables::MarksRows(*open.table.table, "update")) {
    FRAZIL_ASSIGN_OR_RETURN(auto moved, analysis::RowsChangedByUpdate(command, open.target, rows, context));
    FRAZIL_ASSIGN_OR_RETURN(replacement.counts.updated,
                            MoveRows(std::move(moved), /*few=*/false, context, &replacement));
  } else {
    FRAZIL_ASSIGN_OR_RETURN(auto touched, analysis::FilesWithMatches(command.condition, rows, context));
    FRAZIL_ASSIGN_OR_RETURN(auto found, CollectFiles(touched, context));
    replacement.files = std::move(found.paths);
    replacement.counts.updated = found.rows;
    if (!replacement.files.empty()) {
      FRAZIL_ASSIGN_OR_RETURN(changed, analysis::ScanTargetFiles(open.target, replacement.files, context));
      FRAZIL_ASSIGN_OR_RETURN(auto plan, analysis::RowsAfterUpdate(command, open.target, changed, context));
      replacement.rows.push_back(std::move(plan));
    }
  }
  if (capabilities.change_feed && !replacement.rows.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(auto changes, analysis::ChangesOfUpdate(command, open.target, changed, context));
    replacement.changes.push_back(std::move(changes));
  }
  auto options = RewriteOptions(open, "update", extracted.predicate);
  replacement.reads_table = ReadsTable(*all_updated, *open.table.table, ReadPlace::kInSubquery);
  replacement.is_given = [&](const std::string& column) { return Assigns(command.assignments, column); };
  options.filter_text = extracted.text;
  FRAZIL_ASSIGN_OR_RETURN(auto counts, Replace(open, options, replacement, context));
  return Answer(*open.table.table, false, &counts);
}

/// The source of a MERGE, which several plans read: in memory where it may give other rows each time.
Result<analysis::NamedRelation> MergeSource(const plan::MergeCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto source, analysis::AnalyzeNamedRelation(command.source, context));
  if (!plan::IsDeterministic(*source.plan)) {
    engine::ExecutionContext execution = context.execution();
    execution.metrics = nullptr;
    FRAZIL_ASSIGN_OR_RETURN(source.plan, engine::Materialize(context.engine(), source.plan, execution));
  }
  return source;
}

bool HasStar(const plan::MergeCommand& command) {
  const auto is_star = [](const auto& action) {
    return action->type == plan::MergeActionType::kUpdateStar || action->type == plan::MergeActionType::kInsertStar;
  };
  return std::any_of(command.matched.begin(), command.matched.end(), is_star) ||
         std::any_of(command.not_matched.begin(), command.not_matched.end(), is_star);
}

/// Whether an UPDATE SET or INSERT of a MERGE assigns to a column of that name.
bool Assigns(const plan::MergeCommand& command, const std::string& column, bool bare = false) {
  for (const auto* actions : {&command.matched, &command.not_matched, &command.not_matched_by_source}) {
    for (const auto& action : *actions) {
      if (Assigns(action->assignments, column, bare)) return true;
    }
  }
  return false;
}

/// Whether an UPDATE SET of a MERGE assigns to a column of that name, or to all that the source has.
bool UpdatesColumn(const plan::MergeCommand& command, const std::string& column) {
  for (const auto* actions : {&command.matched, &command.not_matched_by_source}) {
    for (const auto& action : *actions) {
      if (Assigns(action->assignments, column)) return true;
    }
  }
  return false;
}

bool UpdatesAll(const plan::MergeCommand& command) {
  return std::any_of(command.matched.begin(), command.matched.end(),
                     [](const auto& action) { return action->type == plan::MergeActionType::kUpdateStar; });
}

/// WITH SCHEMA EVOLUTION, or the session's setting for all: the target gets the columns of the source that the
/// statement assigns to and that it does not have.
/// https://docs.delta.io/latest/delta-update.html#automatic-schema-evolution
Status EvolveTarget(const plan::MergeCommand& command, const analysis::NamedRelation& source, OpenTarget* open,
                    CommandContext& context) {
  // Whether the columns can come in the commit of the rows; else they come before, as Iceberg's Spark runtime does it.
  const bool with_rows = open->table.table->capabilities().schema_evolution;
  const auto setting = context.GetConfig("spark.databricks.delta.schema.autoMerge.enabled");
  const bool evolves =
      command.with_schema_evolution || (with_rows && EqualsIgnoreCase(setting.value_or("false"), "true"));
  open->target.evolves = evolves;
  if (!evolves) return Status::Ok();
  const bool has_star = HasStar(command);
  std::vector<StructField> fields;
  for (const auto& column : source.columns) {
    // Delta takes a name with the target's alias for one of its columns, which must be there.
    if (has_star || Assigns(command, column.name, /*bare=*/with_rows))
      fields.emplace_back(column.name, column.type, true);
  }
  DataTypePtr evolved = MergeSchemas(open->target.schema, DataType::Struct(std::move(fields)), /*promotes=*/!with_rows);
  if (evolved->Equals(*open->target.schema)) return Status::Ok();
  if (with_rows) {
    open->target.schema = std::move(evolved);
    return Status::Ok();
  }
  const auto changes = tables::ChangesBetween(open->target.schema, evolved);
  if (changes.empty()) return Status::Ok();
  // The statement goes on with the table as it is now: what the session has loaded for it is older.
  auto target = open->table;
  if (target.catalog != nullptr) {
    FRAZIL_RETURN_IF_ERROR(target.catalog->AlterTable(target.identifier, changes));
    FRAZIL_ASSIGN_OR_RETURN(target.table, target.catalog->LoadTable(target.identifier));
  } else {
    FRAZIL_RETURN_IF_ERROR(target.table->Alter(changes));
    const ViewRefusal refusal{"MERGE INTO TABLE", "UNSUPPORTED_FEATURE.TABLE_OPERATION"};
    FRAZIL_ASSIGN_OR_RETURN(target, ResolveTableName(command.target, refusal, context));
  }
  FRAZIL_ASSIGN_OR_RETURN(*open, Open(std::move(target), command.target_alias, "MERGE"));
  open->target.evolves = evolves;
  return Status::Ok();
}

namespace {

/// What the history of a Delta table tells of a MERGE's conditions. Source: Delta's DeltaOperations.Merge.
Status DescribeConditions(const plan::MergeCommand& command, const std::vector<Attribute>& target,
                          const std::vector<Attribute>& source, CommandContext& context,
                          tables::WriteOptions* options) {
  std::vector<Attribute> both = target;
  both.insert(both.end(), source.begin(), source.end());
  FRAZIL_ASSIGN_OR_RETURN(auto joined, analysis::AnalyzeCondition(command.condition, both, context));
  options->filter_text = joined->sql;
  const auto describe = [&](const char* name, const auto& actions, const std::vector<Attribute>& scope) -> Status {
    std::string list;
    for (const auto& action : actions) {
      const bool deletes = action->type == plan::MergeActionType::kDelete;
      const bool inserts =
          action->type == plan::MergeActionType::kInsert || action->type == plan::MergeActionType::kInsertStar;
      list += list.empty() ? "{" : ",{";
      if (action->condition != nullptr) {
        FRAZIL_ASSIGN_OR_RETURN(auto typed, analysis::AnalyzeCondition(action->condition, scope, context));
        list += "\"predicate\":" + JsonString(typed->sql) + ",";
      }
      list += std::string("\"actionType\":\"") + (deletes ? "delete" : inserts ? "insert" : "update") + "\"}";
    }
    options->summary[name] = "[" + list + "]";
    return {};
  };
  FRAZIL_RETURN_IF_ERROR(describe("matchedPredicates", command.matched, both));
  FRAZIL_RETURN_IF_ERROR(describe("notMatchedPredicates", command.not_matched, source));
  return describe("notMatchedBySourcePredicates", command.not_matched_by_source, target);
}

}  // namespace

Result<RowSet> RunMerge(const plan::MergeCommand& command, CommandContext& context) {
  Replacement replacement;
  replacement.figures.started_micros = NowMicros();
  FRAZIL_ASSIGN_OR_RETURN(auto open, Open(command.target, command.target_alias, "MERGE", context));
  const int64_t opened = NowMicros();
  FRAZIL_ASSIGN_OR_RETURN(auto source, MergeSource(command, context));
  replacement.figures.source_micros = NowMicros() - opened;
  FRAZIL_RETURN_IF_ERROR(EvolveTarget(command, source, &open, context));
  FRAZIL_ASSIGN_OR_RETURN(auto rows, analysis::ScanTarget(open.target, context));
  const bool has_star = HasStar(command);
  const auto is_given = [&](const std::string& column) {
    const auto is_it = [&](const Attribute& other) { return EqualsIgnoreCase(other.name, column); };
    return Assigns(command, column) || (has_star && std::any_of(source.columns.begin(), source.columns.end(), is_it));
  };
  tables::WriteOptions options = RewriteOptions(open, "merge", Predicate::True());
  if (!command.matched.empty() || !command.not_matched_by_source.empty())
    FRAZIL_RETURN_IF_ERROR(CheckNotIdentity(*open.table.table, [&](const std::string& column) {
      return UpdatesColumn(command, column) ||
             (UpdatesAll(command) &&
              std::any_of(source.columns.begin(), source.columns.end(),
                          [&](const Attribute& other) { return EqualsIgnoreCase(other.name, column); }));
    }));
  const bool is_delta = open.table.table->provider() == "delta";
  // What concerns no row that the condition may hold for is not what this statement has seen.
  const bool sees_matches_only = !is_delta && command.not_matched_by_source.empty();
  if (sees_matches_only) {
    FRAZIL_ASSIGN_OR_RETURN(auto extracted, analysis::MergePredicate(command, source, rows, context));
    options.filter = extracted.predicate;
  }
  // Both plans are made before anything runs: a statement with a mistake in any clause fails without writing.
  plan::LogicalPlanPtr inserted;
  if (!command.not_matched.empty()) {
    analysis::RowLevelTarget optional = open.target;
    optional.schema = WithOptionalColumns(*open.table.table, open.target.schema);
    FRAZIL_ASSIGN_OR_RETURN(inserted, analysis::RowsInsertedByMerge(command, source, optional, rows, context));
    FRAZIL_ASSIGN_OR_RETURN(
        inserted, WithGeneratedValues(*open.table.table, open.target.schema, inserted, is_given, &options, context));
  }
  bool changes_rows = !command.matched.empty() || !command.not_matched_by_source.empty();
  if (changes_rows) FRAZIL_RETURN_IF_ERROR(analysis::RowsAfterMerge(command, source, open.target, rows, context));
  if (is_delta) FRAZIL_RETURN_IF_ERROR(DescribeConditions(command, rows.columns, source.columns, context, &options));
  std::vector<std::string> files;
  if (!command.not_matched_by_source.empty()) {
    // Any row may be changed: every file is read and written again.
    FRAZIL_ASSIGN_OR_RETURN(auto all,
                            CollectFiles(plan::MakeDistinct(plan::MakeColumnProject(rows.plan, {rows.file})), context));
    files = std::move(all.paths);
  }
  int64_t matched_rows = 0;
  if (!command.matched.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(auto matches, analysis::MergeMatches(command, source, rows, context));
    FRAZIL_ASSIGN_OR_RETURN(auto found, context.engine().Collect(matches, context.execution()));
    for (const auto& row : found.rows) {
      matched_rows += row[2].integer();
      if (row[1].integer() > 1 && !analysis::AllowsSeveralMatches(command)) {
        if (open.table.table->provider() == "delta") {
          return Error::Of("DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE",
                           {{"usageReference", "https://docs.delta.io/latest/delta-update.html"}});
        }
        return Error::Of(ExceptionClass::kSparkRuntime, "MERGE_CARDINALITY_VIOLATION");
      }
      if (command.not_matched_by_source.empty()) files.push_back(row[0].string());
    }
  }
  replacement.marks_rows = changes_rows && tables::MarksRows(*open.table.table, "merge");
  bool keeps_changes = open.table.table->capabilities().change_feed;
  if (changes_rows && !files.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(auto touched, analysis::ScanTargetFiles(open.target, files, context));
    if (is_delta) {
      FRAZIL_RETURN_IF_ERROR(
          CountMergedRows(command, source, open.target, touched, matched_rows, context, &replacement));
    }
    if (replacement.marks_rows) {
      FRAZIL_ASSIGN_OR_RETURN(auto moved, analysis::RowsChangedByMerge(command, source, open.target, touched, context));
      const bool few = command.not_matched_by_source.empty() && matched_rows <= kFewRows;
      FRAZIL_RETURN_IF_ERROR(MoveRows(std::move(moved), few, context, &replacement));
    } else {
      FRAZIL_ASSIGN_OR_RETURN(auto plan, analysis::RowsAfterMerge(command, source, open.target, touched, context));
      replacement.rows.push_back(std::move(plan));
    }
    if (keeps_changes) {
      FRAZIL_ASSIGN_OR_RETURN(auto changes, analysis::ChangesOfMerge(command, source, open.target, touched, context));
      replacement.changes.push_back(std::move(changes));
    }
  }
  if (inserted != nullptr) {
    // Where anything is told of a version, all of it is.
    if (keeps_changes) replacement.changes.push_back(analysis::AsChanges(inserted, "insert", open.target, context));
    replacement.rows.push_back(std::move(inserted));
    replacement.inserts = true;
  }
  if (!replacement.marks_rows) replacement.files = std::move(files);
  if (is_delta) {
    FRAZIL_ASSIGN_OR_RETURN(replacement.counts.source, CountSourceRows(source, context));
  }
  // Rows that are inserted because nothing matches them depend on all that is there and might match.
  replacement.reads_table = !sees_matches_only || ReadsTable(*source.plan, *open.table.table, ReadPlace::kAnywhere);
  replacement.is_given = is_given;
  if (open.target.schema != open.table.table->schema()) options.schema = open.target.schema;
  if (!changes_rows) options.mode = tables::WriteMode::kAppend;
  FRAZIL_ASSIGN_OR_RETURN(auto counts, Replace(open, options, replacement, context));
  return Answer(*open.table.table, true, &counts);
}

Result<RowSet> AnswerColumns(const plan::Command& command, CommandContext& context) {
  const bool is_merge = command.command_kind == plan::CommandKind::kMerge;
  const auto& name = is_merge                                             ? command.As<plan::MergeCommand>().target
                     : command.command_kind == plan::CommandKind::kUpdate ? command.As<plan::UpdateCommand>().table
                                                                          : command.As<plan::DeleteCommand>().table;
  FRAZIL_ASSIGN_OR_RETURN(auto table, ResolveTableName(name, context));
  return Answer(*table.table, is_merge, nullptr);
}

}  // namespace frazil::commands
