#pragma once

#include "frazil/analysis/analyzer.h"
#include "frazil/commands/command_context.h"
#include "frazil/plan/logical_plan.h"
#include "frazil/tables/table.h"

namespace frazil::commands {

/// What a write takes out of a table (WriteMode::kRewriteFiles).
struct Replaced {
  std::vector<std::string> files;     ///< Data files that go.
  plan::LogicalPlanPtr changes = {};  ///< For the change feed, of a table that keeps one; null: the files tell it.
};

/// Writes the rows of a plan (columns already those of the table, in its order) and commits. On any failure nothing is
/// left behind. A conflict that rebasing cannot mend becomes Iceberg's ValidationException-like error.
Status WriteRows(const tables::Table& table, const tables::WriteOptions& options, const plan::LogicalPlanPtr& rows,
                 CommandContext& context, Replaced replaced = {});

/// Writes the rows of a query into a table that exists, as its mode says: columns are found by name or by position and
/// stored as the table's, missing ones get the table's defaults, the schema evolves where the options ask for it.
/// `partition_columns`: those of partitionBy.
Status WriteInto(const analysis::ResolvedTable& table, const plan::LogicalPlanPtr& query, tables::WriteOptions options,
                 bool by_name, CommandContext& context, const std::vector<std::string>& partition_columns = {});

/// Writes the rows of a plan as files of `task`, which is a task of `write`; nothing is added to it yet.
Result<std::vector<tables::WrittenFile>> WriteFiles(const plan::LogicalPlanPtr& rows, const tables::TableWrite& write,
                                                    const tables::WriteTask& task, CommandContext& context);

/// Rows that are new have no lineage yet: the commit gives it. NULLs in the columns of the task that the rows lack.
plan::LogicalPlanPtr WithNullLineage(const plan::LogicalPlanPtr& rows, const tables::WriteTask& task,
                                     CommandContext& context);

/// Whether a plan may give other rows when it runs again: by functions without a fixed result, or since it reads files
/// of tables without snapshots.
bool MayChange(const plan::LogicalPlan& plan);

/// The rows of a plan, run once.
Result<plan::LogicalPlanPtr> KeptInMemory(const plan::LogicalPlanPtr& rows, CommandContext& context);

/// Where a plan may read a table.
enum class ReadPlace : uint8_t {
  kAnywhere,
  kAsInput,     ///< Subqueries in expressions do not count.
  kInSubquery,  ///< What it reads as the rows of a statement that changes the table does not count.
};
/// Whether a plan reads the table, in any state.
bool ReadsTable(const plan::LogicalPlan& plan, const tables::Table& table, ReadPlace place);

/// UNSUPPORTED_OVERWRITE.TABLE where a query whose rows take the place of all of a table of plain files, or of its
/// partitions by a filter, reads that table itself; as in Spark, subqueries in expressions do not count.
Status CheckOverwrite(const tables::Table& table, const std::vector<std::string>& full_name,
                      const plan::LogicalPlan& query);

/// The branch that a statement writes: the one that the table's name chooses (t.branch_x), else empty. Error where the
/// name chooses a state of the past (t.snapshot_id_1, t.at_timestamp_1, t.tag_x). `action`, for it: "write to",
/// "modify", "delete from".
Result<std::string> BranchToWrite(const analysis::ResolvedTable& table, const char* action);

/// Whether the name chooses a state of the table: t.branch_x, t.tag_x, t.snapshot_id_1, t.at_timestamp_1.
bool ChoosesState(const analysis::ResolvedTable& table);

/// Tells a write that its statement has read the table, beyond the filter that the write's options name.
void TellRead(tables::TableWrite& write);

/// Commits a started write; turns a lost race into an error.
Status CommitWrite(tables::TableWrite& write);

/// Options with keys in lower case, as tables take them.
std::map<std::string, std::string> LowerKeys(const std::map<std::string, std::string>& options);

/// A condition over a table's columns as a table's filter; it must be exact, since it says which rows go.
Result<PredicatePtr> ExactFilter(const plan::ExprPtr& condition, const analysis::ResolvedTable& table,
                                 CommandContext& context);

/// A condition over a table's columns as SQL text; empty where it cannot be understood (which is told elsewhere).
std::string ConditionText(const plan::ExprPtr& condition, const analysis::ResolvedTable& table,
                          CommandContext& context);

/// Rows (the table's columns, in its order) that replace those for which `condition` holds, into a Delta table: error
/// DELTA_REPLACE_WHERE_MISMATCH for rows for which it does not. `text`: the condition for messages and history. Files
/// of which a part goes are written anew.
Status ReplaceWhere(const analysis::ResolvedTable& table, const plan::ExprPtr& condition, const std::string& text,
                    tables::WriteOptions options, const plan::LogicalPlanPtr& rows, CommandContext& context);

/// The rows, each checked against the table's constraints when it passes. Error DELTA_VIOLATE_CONSTRAINT_WITH_VALUES.
/// `schema`: the columns of the rows.
Result<plan::LogicalPlanPtr> CheckConstraints(const tables::Table& table, const DataTypePtr& schema,
                                              const plan::LogicalPlanPtr& rows, CommandContext& context);

/// Rows of each file of a scan, by the file's local path. `name`: of the table or folder, for errors.
Result<std::map<std::string, int64_t>> CountRowsByFile(const tables::TableScanPtr& scan, const std::string& name,
                                                       CommandContext& context);

/// Whether an overwrite replaces only the partitions that get rows: write option, else
/// spark.sql.sources.partitionOverwriteMode. Options' keys in lower case.
bool IsDynamicOverwrite(const std::map<std::string, std::string>& options, const CommandContext& context);

}  // namespace frazil::commands
