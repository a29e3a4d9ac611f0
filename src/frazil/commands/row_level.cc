// DELETE, UPDATE and MERGE: copy-on-write. One snapshot of the table is read from begin to end of the statement; the
// commit checks that nothing it read has changed.

#include "frazil/analysis/dml/row_level.h"

#include "frazil/base/text.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/commands/table_writer.h"
#include "frazil/plan/determinism.h"
#include "frazil/plan/make_logical.h"

namespace frazil::commands {

namespace {

struct OpenTarget {
  analysis::ResolvedTable table;
  analysis::RowLevelTarget target;
};

Result<OpenTarget> Open(const plan::NameClause& name, const std::string& alias, const char* operation,
                        CommandContext& context) {
  OpenTarget open;
  FRAZIL_ASSIGN_OR_RETURN(open.table, ResolveTableName(name, context));
  std::string quoted = QuoteIdentifier(open.table.full_name);
  if (!open.table.table->capabilities().row_level_changes) {
    return Error::Of("UNSUPPORTED_FEATURE.TABLE_OPERATION", {{"tableName", quoted}, {"operation", operation}});
  }
  FRAZIL_ASSIGN_OR_RETURN(open.target.scan, open.table.table->Scan(open.table.scan_options));
  open.target.table_name = quoted;
  open.target.scan_name = Join(open.table.full_name, ".");
  open.target.qualifier = alias.empty() ? open.table.full_name : std::vector<std::string>{alias};
  open.target.schema = open.table.table->schema();
  return open;
}

tables::WriteOptions RewriteOptions(const OpenTarget& open, const char* operation, PredicatePtr filter) {
  tables::WriteOptions options;
  options.mode = tables::WriteMode::kRewriteFiles;
  options.operation = operation;
  options.filter = std::move(filter);
  options.branch = open.table.scan_options.reference;
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

/// Rows that are new have no lineage yet: the commit gives it.
plan::LogicalPlanPtr WithNullLineage(const plan::LogicalPlanPtr& rows, const tables::WriteTask& task, CommandContext& context) {
  if (rows->output.size() >= task.columns.size()) return rows;
  std::vector<ExpressionPtr> expressions;
  auto output = rows->output;
  for (auto& attribute : output) {
    expressions.push_back(MakeColumn(attribute));
    attribute.id = context.NextId();
  }
  for (size_t i = output.size(); i < task.columns.size(); ++i) {
    expressions.push_back(MakeNull(task.columns[i].type));
    Attribute attribute;
    attribute.id = context.NextId();
    attribute.name = task.columns[i].name;
    attribute.type = task.columns[i].type;
    output.push_back(std::move(attribute));
  }
  return plan::MakeProject(rows, std::move(expressions), std::move(output));
}

/// Writes the rows and commits them in place of the files.
Status ReplaceFiles(const OpenTarget& open, const tables::WriteOptions& options, const std::vector<std::string>& files,
                    std::vector<plan::LogicalPlanPtr> plans, const tables::RowCounts& counts, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto write, open.table.table->StartWrite(options));
  write->SetRowCounts(counts);
  for (auto& plan : plans) plan = WithNullLineage(plan, write->task(), context);
  plan::LogicalPlanPtr rows;
  if (!plans.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(
        rows, CheckConstraints(*open.table.table, open.target.schema, UnionRows(plans, context), context));
  }
  if (rows != nullptr) {
    auto written = context.engine().Write(rows, write->task(), context.execution());
    if (!written.ok()) {
      write->Abort();
      return std::move(written).error();
    }
    write->AddFiles(*std::move(written));
  }
  write->RemoveFiles(files);
  return CommitWrite(*write);
}

/// The condition of a statement, with the target called as the statement calls it, as text for the history.
std::string ConditionText(const plan::ExprPtr& condition, const OpenTarget& open, CommandContext& context) {
  analysis::ResolvedTable named = open.table;
  named.full_name = open.target.qualifier;
  return ConditionText(condition, named, context);
}

/// How many rows of the touched files a MERGE updates and deletes. Only what its clauses leave open is counted by a
/// query of its own.
Result<tables::RowCounts> CountMergedRows(const plan::MergeCommand& command, const analysis::NamedRelation& source, const analysis::RowLevelTarget& target,
                                          const analysis::TargetRows& touched, int64_t matched_rows,
                                          CommandContext& context) {
  tables::RowCounts counts;
  counts.updated = counts.deleted = 0;
  const auto add = [&](plan::MergeActionType type, int64_t rows) {
    *(type == plan::MergeActionType::kDelete ? counts.deleted : counts.updated) += rows;
  };
  if (command.not_matched_by_source.empty() && command.matched[0]->condition == nullptr) {
    add(command.matched[0]->type, matched_rows);
    return counts;
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
  }
  return counts;
}

}  // namespace

Result<RowSet> RunDelete(const plan::DeleteCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto open, Open(command.table, command.alias, "DELETE", context));
  FRAZIL_ASSIGN_OR_RETURN(auto rows, analysis::ScanTarget(open.target, context));
  FRAZIL_ASSIGN_OR_RETURN(auto extracted, analysis::TargetPredicate(command.condition, rows, context));
  auto options = RewriteOptions(open, "delete", extracted.predicate);
  options.filter_text = ConditionText(command.condition, open, context);
  if (extracted.exact) {
    FRAZIL_ASSIGN_OR_RETURN(bool by_metadata, open.table.table->CanDeleteByMetadata(extracted.predicate, options));
    if (by_metadata) {
      FRAZIL_ASSIGN_OR_RETURN(auto outcome, open.table.table->DeleteByMetadata(extracted.predicate, options));
      if (outcome.state == tables::CommitState::kConflict) {
        Error error = Error::Plain(ExceptionClass::kSpark,
                                   "The commit lost to a concurrent one and nothing was changed: " + outcome.conflict);
        error.kind = ErrorKind::kConflict;
        return error;
      }
      return NoRows();
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(auto touched, analysis::FilesWithMatches(command.condition, rows, context));
  FRAZIL_ASSIGN_OR_RETURN(auto found, CollectFiles(touched, context));
  const auto& files = found.paths;
  std::vector<plan::LogicalPlanPtr> plans;
  if (!files.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(auto kept, analysis::ScanTargetFiles(open.target, files, context));
    FRAZIL_ASSIGN_OR_RETURN(auto plan, analysis::RowsAfterDelete(command.condition, kept, context));
    plans.push_back(std::move(plan));
  }
  tables::RowCounts counts;
  counts.deleted = found.rows;
  FRAZIL_RETURN_IF_ERROR(ReplaceFiles(open, options, files, plans, counts, context));
  return NoRows();
}

Result<RowSet> RunUpdate(const plan::UpdateCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto open, Open(command.table, command.alias, "UPDATE", context));
  FRAZIL_ASSIGN_OR_RETURN(auto rows, analysis::ScanTarget(open.target, context));
  FRAZIL_ASSIGN_OR_RETURN(auto extracted, analysis::TargetPredicate(command.condition, rows, context));
  // The assignments are checked even where no row matches.
  FRAZIL_RETURN_IF_ERROR(analysis::RowsAfterUpdate(command, open.target, rows, context));
  FRAZIL_ASSIGN_OR_RETURN(auto touched, analysis::FilesWithMatches(command.condition, rows, context));
  FRAZIL_ASSIGN_OR_RETURN(auto found, CollectFiles(touched, context));
  const auto& files = found.paths;
  std::vector<plan::LogicalPlanPtr> plans;
  if (!files.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(auto changed, analysis::ScanTargetFiles(open.target, files, context));
    FRAZIL_ASSIGN_OR_RETURN(auto plan, analysis::RowsAfterUpdate(command, open.target, changed, context));
    plans.push_back(std::move(plan));
  }
  auto options = RewriteOptions(open, "update", extracted.predicate);
  options.filter_text = ConditionText(command.condition, open, context);
  tables::RowCounts counts;
  counts.updated = found.rows;
  FRAZIL_RETURN_IF_ERROR(ReplaceFiles(open, options, files, plans, counts, context));
  return NoRows();
}

/// The source of a MERGE, which several plans read: in memory where it may give other rows each time.
Result<analysis::NamedRelation> MergeSource(const plan::MergeCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto source, analysis::AnalyzeNamedRelation(command.source, context));
  if (!plan::IsDeterministic(*source.plan)) {
    FRAZIL_ASSIGN_OR_RETURN(source.plan, engine::Materialize(context.engine(), source.plan, context.execution()));
  }
  return source;
}

Result<RowSet> RunMerge(const plan::MergeCommand& command, CommandContext& context) {
  if (command.with_schema_evolution) return Error::Unsupported("MERGE WITH SCHEMA EVOLUTION");
  FRAZIL_ASSIGN_OR_RETURN(auto open, Open(command.target, command.target_alias, "MERGE", context));
  FRAZIL_ASSIGN_OR_RETURN(auto rows, analysis::ScanTarget(open.target, context));
  FRAZIL_ASSIGN_OR_RETURN(auto source, MergeSource(command, context));
  // Both plans are made before anything runs: a statement with a mistake in any clause fails without writing.
  plan::LogicalPlanPtr inserted;
  if (!command.not_matched.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(inserted, analysis::RowsInsertedByMerge(command, source, open.target, rows, context));
  }
  bool changes_rows = !command.matched.empty() || !command.not_matched_by_source.empty();
  if (changes_rows) FRAZIL_RETURN_IF_ERROR(analysis::RowsAfterMerge(command, source, open.target, rows, context));
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
  std::vector<plan::LogicalPlanPtr> plans;
  tables::RowCounts counts;
  if (changes_rows && !files.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(auto touched, analysis::ScanTargetFiles(open.target, files, context));
    if (open.table.table->provider() == "delta") {
      FRAZIL_ASSIGN_OR_RETURN(counts, CountMergedRows(command, source, open.target, touched, matched_rows, context));
    }
    FRAZIL_ASSIGN_OR_RETURN(auto plan, analysis::RowsAfterMerge(command, source, open.target, touched, context));
    plans.push_back(std::move(plan));
  }
  if (inserted != nullptr) plans.push_back(std::move(inserted));
  auto options = RewriteOptions(open, "merge", Predicate::True());
  if (!changes_rows) options.mode = tables::WriteMode::kAppend;
  FRAZIL_RETURN_IF_ERROR(ReplaceFiles(open, options, files, plans, counts, context));
  return NoRows();
}

}  // namespace frazil::commands
