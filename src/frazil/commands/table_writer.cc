#include "frazil/commands/table_writer.h"

#include <algorithm>

#include "frazil/analysis/dml/row_level.h"
#include "frazil/analysis/predicate_extraction.h"
#include "frazil/base/text.h"
#include "frazil/plan/determinism.h"
#include "frazil/plan/make_logical.h"
#include "frazil/sql/parser.h"
#include "frazil/storage/folder.h"
#include "frazil/storage/located_stores.h"
#include "frazil/tables/files/file_table.h"
#include "frazil/tables/located_scan.h"
#include "frazil/tables/named_states.h"
#include "frazil/tables/not_null_constraint.h"
#include "frazil/tables/row_changes.h"
#include "frazil/tables/stored_files.h"

namespace frazil::commands {

Status CommitWrite(tables::TableWrite& write) {
  FRAZIL_ASSIGN_OR_RETURN(auto outcome, write.Commit());
  if (outcome.state == tables::CommitState::kCommitted) return Status::Ok();
  Error error = Error::Plain(ExceptionClass::kSpark, "The commit lost to a concurrent one and nothing was changed: " +
                                                         outcome.conflict + ". Run the statement again.");
  error.kind = ErrorKind::kConflict;
  return error;
}

Result<std::vector<tables::WrittenFile>> WriteFiles(const plan::LogicalPlanPtr& rows, const tables::TableWrite& write,
                                                    const tables::WriteTask& task, CommandContext& context) {
  const auto* stored = dynamic_cast<const tables::StoredFiles*>(&write);
  if (stored == nullptr) return context.engine().Write(rows, task, context.execution());
  const auto stores = storage::WithLocation(context.stores(), task.location, stored->file_store());
  auto execution = context.execution();
  execution.stores = &stores;
  return context.engine().Write(rows, task, execution);
}

namespace {

/// The rows with columns more, all NULL.
plan::LogicalPlanPtr WithNulls(const plan::LogicalPlanPtr& rows, const std::vector<StructField>& columns,
                               CommandContext& context) {
  if (columns.empty()) return rows;
  std::vector<ExpressionPtr> expressions;
  auto output = rows->output;
  for (auto& attribute : output) {
    expressions.push_back(MakeColumn(attribute));
    attribute.id = context.NextId();
  }
  for (const auto& column : columns) {
    expressions.push_back(MakeNull(column.type));
    Attribute attribute;
    attribute.id = context.NextId();
    attribute.name = column.name;
    attribute.type = column.type;
    output.push_back(std::move(attribute));
  }
  return plan::MakeProject(rows, std::move(expressions), std::move(output));
}

}  // namespace

plan::LogicalPlanPtr WithNullLineage(const plan::LogicalPlanPtr& rows, const tables::WriteTask& task,
                                     CommandContext& context) {
  std::vector<StructField> lacking;
  for (size_t i = rows->output.size(); i < task.columns.size(); ++i)
    lacking.emplace_back(task.columns[i].name, task.columns[i].type);
  return WithNulls(rows, lacking, context);
}

bool ReadsTable(const plan::LogicalPlan& plan, const tables::Table& table, ReadPlace place) {
  if (place != ReadPlace::kInSubquery && plan.kind == plan::LogicalKind::kScan) {
    const auto* scan = dynamic_cast<const tables::LocatedScan*>(plan.As<plan::ScanNode>().scan.get());
    if (scan != nullptr && storage::FolderOf(scan->table_location()) == storage::FolderOf(table.location()))
      return true;
  }
  bool reads = false;
  if (place != ReadPlace::kAsInput) {
    for (const auto& expression : plan::NodeExpressions(plan)) {
      VisitExpression(*expression, [&](const Expression& part) {
        if (part.kind == ExpressionKind::kSubquery) {
          const auto& subquery = *part.As<SubqueryExpression>().plan;
          reads = reads || ReadsTable(static_cast<const plan::LogicalPlan&>(subquery), table, ReadPlace::kAnywhere);
        }
        return !reads;
      });
    }
  }
  const auto inputs = plan::Inputs(plan);
  return reads || std::any_of(inputs.begin(), inputs.end(),
                              [&](const plan::LogicalPlanPtr& input) { return ReadsTable(*input, table, place); });
}

Status CheckOverwrite(const tables::Table& table, const std::vector<std::string>& full_name,
                      const plan::LogicalPlan& query) {
  if (dynamic_cast<const tables::FileTable*>(&table) == nullptr) return Status::Ok();
  if (!ReadsTable(query, table, ReadPlace::kAsInput)) return Status::Ok();
  return Error::Of("UNSUPPORTED_OVERWRITE.TABLE", {{"table", QuoteIdentifier(full_name)}});
}

Result<std::string> BranchToWrite(const analysis::ResolvedTable& table, const char* action) {
  const auto& chosen = table.scan_options;
  const auto* states = dynamic_cast<const tables::NamesStates*>(table.table.get());
  // What a path chooses is the table's own matter.
  if (states == nullptr) return chosen.reference;
  const auto tag = chosen.options.find("tag");
  const bool is_of_tag = tag != chosen.options.end();
  const std::string& name = is_of_tag ? tag->second : chosen.reference;
  bool is_branch = !chosen.snapshot_id && !chosen.timestamp_micros;
  if (is_branch && !name.empty()) {
    // A tag's selector may name a branch, which is then what is written.
    FRAZIL_ASSIGN_OR_RETURN(is_branch, states->IsBranch(name));
    if (!is_branch && !is_of_tag) {
      return Error::Plain(ExceptionClass::kIllegalArgument,
                          name + " is a tag, not a branch. Tags cannot be targets for producing snapshots");
    }
  }
  if (is_branch) return name;
  return Error::Plain(ExceptionClass::kIllegalArgument, std::string("Cannot ") + action + " table with time travel");
}

bool ChoosesState(const analysis::ResolvedTable& table) {
  const auto& chosen = table.scan_options;
  if (dynamic_cast<const tables::NamesStates*>(table.table.get()) == nullptr) return false;
  return chosen.snapshot_id || chosen.timestamp_micros || !chosen.reference.empty() || chosen.options.contains("tag");
}

void TellRead(tables::TableWrite& write) {
  if (auto* changes = dynamic_cast<tables::RowChanges*>(&write); changes != nullptr) changes->SetReadsTable();
}

namespace {

/// Files of tables without snapshots.
bool ReadsChangingFiles(const plan::LogicalPlan& plan) {
  if (plan.kind == plan::LogicalKind::kScan) {
    const auto& scan = *static_cast<const plan::ScanNode&>(plan).scan;
    // Scans of Delta and of Iceberg are of one snapshot.
    const bool of_snapshot = dynamic_cast<const tables::LocatedScan*>(&scan) != nullptr ||
                             dynamic_cast<const tables::StoredFiles*>(&scan) != nullptr;
    if (!scan.has_rows() && !of_snapshot) return true;
  }
  bool reads = false;
  for (const auto& expression : plan::NodeExpressions(plan)) {
    VisitExpression(*expression, [&](const Expression& part) {
      if (part.kind == ExpressionKind::kSubquery)
        reads = reads || ReadsChangingFiles(static_cast<const plan::LogicalPlan&>(*part.As<SubqueryExpression>().plan));
      return !reads;
    });
  }
  const auto inputs = plan::Inputs(plan);
  return reads ||
         std::any_of(inputs.begin(), inputs.end(), [](const auto& input) { return ReadsChangingFiles(*input); });
}

}  // namespace

bool MayChange(const plan::LogicalPlan& plan) { return !plan::IsDeterministic(plan) || ReadsChangingFiles(plan); }

Result<plan::LogicalPlanPtr> KeptInMemory(const plan::LogicalPlanPtr& rows, CommandContext& context) {
  engine::ExecutionContext execution = context.execution();
  execution.metrics = nullptr;
  return engine::Materialize(context.engine(), rows, execution);
}

Status WriteRows(const tables::Table& table, const tables::WriteOptions& options, const plan::LogicalPlanPtr& rows,
                 CommandContext& context, Replaced replaced) {
  FRAZIL_ASSIGN_OR_RETURN(
      auto checked,
      CheckConstraints(table, options.schema != nullptr ? options.schema : table.schema(), rows, context));
  std::unique_ptr<tables::TableWrite> write;
  tables::RowChanges* changes = nullptr;
  if (options.mode == tables::WriteMode::kRewriteFiles && table.capabilities().change_feed) {
    FRAZIL_ASSIGN_OR_RETURN(auto started, table.StartRowChanges(options));
    changes = started.get();
    write = std::move(started);
  } else {
    FRAZIL_ASSIGN_OR_RETURN(write, table.StartWrite(options));
  }
  // Beside the rows of files that are replaced, of which the write knows.
  if (ReadsTable(*rows, table, replaced.files.empty() ? ReadPlace::kAnywhere : ReadPlace::kInSubquery))
    TellRead(*write);
  if (options.mode == tables::WriteMode::kRewriteFiles) checked = WithNullLineage(checked, write->task(), context);
  auto files = WriteFiles(checked, *write, write->task(), context);
  if (files.ok() && changes != nullptr && changes->change_task() != nullptr && replaced.changes != nullptr) {
    auto change_files = WriteFiles(replaced.changes, *write, *changes->change_task(), context);
    if (change_files.ok()) {
      changes->AddChangeFiles(*std::move(change_files));
    } else {
      files = std::move(change_files).error();
    }
  }
  if (!files.ok()) {
    write->Abort();
    return std::move(files).error();
  }
  write->AddFiles(*std::move(files));
  if (!replaced.files.empty()) write->RemoveFiles(std::move(replaced.files));
  return CommitWrite(*write);
}

std::map<std::string, std::string> LowerKeys(const std::map<std::string, std::string>& options) {
  std::map<std::string, std::string> lower;
  for (const auto& [key, value] : options) lower[AsciiLower(key)] = value;
  return lower;
}

namespace {

struct TypedCondition {
  ExpressionPtr expression;
  std::map<AttributeId, std::vector<std::string>> paths;
};

/// A condition over the columns of a table.
Result<TypedCondition> AnalyzeOverTable(const plan::ExprPtr& condition, const analysis::ResolvedTable& table,
                                        CommandContext& context) {
  std::vector<Attribute> columns;
  TypedCondition typed;
  for (const auto& field : table.table->schema()->fields()) {
    Attribute attribute;
    attribute.id = context.NextId();
    attribute.name = field.name;
    attribute.type = field.type;
    attribute.nullable = field.nullable;
    attribute.qualifier = table.full_name;
    typed.paths[attribute.id] = {field.name};
    columns.push_back(std::move(attribute));
  }
  FRAZIL_ASSIGN_OR_RETURN(typed.expression, analysis::AnalyzeCondition(condition, columns, context));
  return typed;
}

}  // namespace

Result<PredicatePtr> ExactFilter(const plan::ExprPtr& condition, const analysis::ResolvedTable& table,
                                 CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto typed, AnalyzeOverTable(condition, table, context));
  auto extracted = analysis::ExtractPredicate(typed.expression, typed.paths, context);
  if (!extracted.exact) {
    return Error::Plain(
        ExceptionClass::kAnalysis,
        "Cannot convert the filter of the overwrite to one that the table understands: " + typed.expression->sql);
  }
  return extracted.predicate;
}

std::string ConditionText(const plan::ExprPtr& condition, const analysis::ResolvedTable& table,
                          CommandContext& context) {
  if (condition == nullptr) return {};
  auto typed = AnalyzeOverTable(condition, table, context);
  return typed.ok() ? typed->expression->sql : std::string();
}

namespace {

/// Passes a row for which the condition is true; for others `raise` ends the statement.
plan::LogicalPlanPtr Demand(const plan::LogicalPlanPtr& rows, ExpressionPtr condition, ExpressionPtr raise) {
  auto failed = MakeCast(std::move(raise), DataType::Boolean(), EvalMode::kAnsi);
  auto passes =
      MakeCall("case_when", {std::move(condition), MakeLiteral(DataType::Boolean(), Value(true)), std::move(failed)},
               DataType::Boolean(), true, EvalMode::kAnsi);
  return plan::MakeFilter(rows, std::move(passes));
}

/// The plan's columns under the table's names.
std::vector<Attribute> NamedAs(const plan::LogicalPlan& rows, const DataType& schema) {
  std::vector<Attribute> columns = rows.output;
  const auto& fields = schema.fields();
  for (size_t i = 0; i < columns.size() && i < fields.size(); ++i) {
    columns[i].name = fields[i].name;
    columns[i].qualifier.clear();
  }
  return columns;
}

bool RefersTo(const Expression& expression, AttributeId column) {
  bool found = false;
  VisitExpression(expression, [&](const Expression& part) {
    found = found || (part.kind == ExpressionKind::kColumn && part.As<ColumnExpression>().id == column);
    return !found;
  });
  return found;
}

ExpressionPtr TextLiteral(const std::string& text) { return MakeLiteral(DataType::String(), Value(text)); }

}  // namespace

Result<plan::LogicalPlanPtr> CheckConstraints(const tables::Table& table, const DataTypePtr& schema,
                                              const plan::LogicalPlanPtr& rows, CommandContext& context) {
  plan::LogicalPlanPtr checked = rows;
  for (const auto& constraint : table.constraints()) {
    FRAZIL_ASSIGN_OR_RETURN(auto parsed, sql::ParseExpression(constraint.text, context.parser_options()));
    const auto columns = NamedAs(*rows, *schema);
    FRAZIL_ASSIGN_OR_RETURN(auto condition, analysis::AnalyzeCondition(parsed, columns, context));
    // The values of the columns that the condition names: " - fare : -1.0".
    std::vector<ExpressionPtr> pieces;
    for (const auto& column : columns) {
      if (!RefersTo(*condition, column.id)) continue;
      pieces.push_back(TextLiteral((pieces.empty() ? " - " : "\n - ") + column.name + " : "));
      pieces.push_back(MakeCall(
          "coalesce", {MakeCast(MakeColumn(column), DataType::String(), EvalMode::kLegacy), TextLiteral("null")},
          DataType::String(), false));
    }
    if (constraint.name.starts_with(tables::kNotNullConstraint)) {
      auto raise =
          MakeCall("raise_not_null_violation", {TextLiteral(constraint.name.substr(tables::kNotNullConstraint.size()))},
                   DataType::Integer(), true);
      checked = Demand(checked, std::move(condition), std::move(raise));
      continue;
    }
    auto values = pieces.empty() ? TextLiteral("") : MakeCall("concat", std::move(pieces), DataType::String(), false);
    auto raise = MakeCall("raise_check_violation",
                          {TextLiteral(constraint.name), TextLiteral("(" + constraint.text + ")"), std::move(values)},
                          DataType::Integer(), true);
    checked = Demand(checked, std::move(condition), std::move(raise));
  }
  return checked;
}

Status ReplaceWhere(const analysis::ResolvedTable& table, const plan::ExprPtr& condition, const std::string& text,
                    tables::WriteOptions options, const plan::LogicalPlanPtr& rows, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(
      auto demanded,
      analysis::AnalyzeCondition(
          condition, NamedAs(*rows, options.schema != nullptr ? *options.schema : *table.table->schema()), context));
  auto raise = MakeCall("raise_overwrite_mismatch", {TextLiteral(text)}, DataType::Integer(), true);
  auto fitting = Demand(rows, std::move(demanded), std::move(raise));
  options.filter_text = text;
  options.mode = tables::WriteMode::kOverwriteByFilter;

  FRAZIL_ASSIGN_OR_RETURN(auto scan, table.table->Scan(table.scan_options));
  analysis::RowLevelTarget target{scan, QuoteIdentifier(table.full_name), Join(table.full_name, "."), table.full_name,
                                  options.schema != nullptr ? options.schema : table.table->schema()};
  FRAZIL_ASSIGN_OR_RETURN(auto present, analysis::ScanTarget(target, context));
  FRAZIL_ASSIGN_OR_RETURN(auto extracted, analysis::TargetPredicate(condition, present, context));
  options.filter = extracted.predicate;
  if (extracted.exact) {
    FRAZIL_ASSIGN_OR_RETURN(bool whole_files, table.table->CanDeleteByMetadata(extracted.predicate, options));
    if (whole_files) return WriteRows(*table.table, options, fitting, context);
  }
  // Some files hold rows that stay: they are written again with the new ones.
  FRAZIL_ASSIGN_OR_RETURN(auto touched, analysis::FilesWithMatches(condition, present, context));
  FRAZIL_ASSIGN_OR_RETURN(auto found, context.engine().Collect(touched, context.execution()));
  Replaced replaced;
  for (const auto& row : found.rows) replaced.files.push_back(row[0].string());
  // The change feed tells the rows that go and those that come, which are the ones that are written.
  const bool keeps_changes = !replaced.files.empty() && table.table->capabilities().change_feed;
  if (keeps_changes && MayChange(*fitting)) {
    FRAZIL_ASSIGN_OR_RETURN(fitting, KeptInMemory(fitting, context));
  }
  plan::LogicalPlanPtr all = fitting;
  if (!replaced.files.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(auto kept, analysis::ScanTargetFiles(target, replaced.files, context));
    if (keeps_changes) {
      FRAZIL_ASSIGN_OR_RETURN(auto gone, analysis::ChangesOfDelete(condition, target, kept, context));
      auto come = analysis::AsChanges(fitting, "insert", target, context);
      replaced.changes = analysis::UnionAll({std::move(gone), std::move(come)}, context);
    }
    FRAZIL_ASSIGN_OR_RETURN(auto staying, analysis::RowsAfterDelete(condition, kept, context));
    std::vector<StructField> lineage;
    for (const auto& column : kept.lineage) lineage.emplace_back(column.name, column.type);
    all = analysis::UnionAll({WithNulls(fitting, lineage, context), std::move(staying)}, context);
  }
  options.mode = tables::WriteMode::kRewriteFiles;
  if (ReadsTable(*rows, *table.table, ReadPlace::kAnywhere)) options.filter = Predicate::True();
  return WriteRows(*table.table, options, all, context, std::move(replaced));
}

Result<std::map<std::string, int64_t>> CountRowsByFile(const tables::TableScanPtr& scan, const std::string& name,
                                                       CommandContext& context) {
  const analysis::RowLevelTarget target{scan, name, name, {}, scan->schema()};
  FRAZIL_ASSIGN_OR_RETURN(auto rows, analysis::ScanTarget(target, context));
  FRAZIL_ASSIGN_OR_RETURN(auto counting, analysis::FilesWithMatches(nullptr, rows, context));
  FRAZIL_ASSIGN_OR_RETURN(auto counted, context.engine().Collect(counting, context.execution()));
  std::map<std::string, int64_t> counts;
  for (const auto& row : counted.rows) counts[storage::LocalPath(row[0].string())] = row[1].integer();
  return counts;
}

bool IsDynamicOverwrite(const std::map<std::string, std::string>& options, const CommandContext& context) {
  auto option = options.find("overwrite-mode");
  if (option == options.end()) option = options.find("partitionoverwritemode");
  std::string mode = option != options.end()
                         ? option->second
                         : context.GetConfig("spark.sql.sources.partitionOverwriteMode").value_or("static");
  return EqualsIgnoreCase(mode, "dynamic");
}

}  // namespace frazil::commands
