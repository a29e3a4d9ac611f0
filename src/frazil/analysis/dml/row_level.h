#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/analysis/analysis_context.h"
#include "frazil/analysis/analyzer.h"
#include "frazil/analysis/predicate_extraction.h"
#include "frazil/plan/logical_plan.h"
#include "frazil/plan/unresolved_command.h"
#include "frazil/tables/scan.h"

namespace frazil::analysis {

/// The table that a DELETE, UPDATE or MERGE changes, as one snapshot of it.
struct RowLevelTarget {
  tables::TableScanPtr scan;
  std::string table_name;              ///< Quoted, for errors.
  std::string scan_name;               ///< For explain output.
  std::vector<std::string> qualifier;  ///< {alias}, or the table's full name.
  /// Of the table, with defaults and nullability. With schema evolution as it will be: columns behind those of the
  /// scan, and fields of structs that the scan lacks, are new, and NULL in the rows that are there.
  DataTypePtr schema;
  /// UPDATE SET * and INSERT * leave columns and fields alone that the source of a MERGE does not have.
  bool evolves = false;
  bool is_delta = false;  ///< Delta casts and names mistakes in its own way.
};

/// A scan of the target (all its files, or some) with the columns that the plans below need.
struct TargetRows {
  plan::LogicalPlanPtr plan;
  std::vector<Attribute> columns;  ///< The table's, in its order.
  Attribute file, position;        ///< _file, _pos.
  /// The columns of tables/row_lineage.h, in its order, where rows have lineage; else empty. The plans of rows that
  /// stand in files already end with them: kept, but for the last update of a row that a statement changes (NULL).
  std::vector<Attribute> lineage;
  bool is_delta = false;  ///< Of the target.
};
Result<TargetRows> ScanTarget(const RowLevelTarget& target, AnalysisContext& context);
Result<TargetRows> ScanTargetFiles(const RowLevelTarget& target, const std::vector<std::string>& files,
                                   AnalysisContext& context);

/// The condition as the tables can use it. `condition` may be null (all rows).
Result<ExtractedPredicate> TargetPredicate(const plan::ExprPtr& condition, const TargetRows& rows,
                                           AnalysisContext& context);

/// (_file, number of rows): the files with rows for which the condition is true, and how many of those they have.
Result<plan::LogicalPlanPtr> FilesWithMatches(const plan::ExprPtr& condition, const TargetRows& rows,
                                              AnalysisContext& context);

/// The rows as they are, with their lineage.
plan::LogicalPlanPtr CopiedRows(const TargetRows& rows);

/// Copy-on-write: the rows of the touched files as they are afterwards.
Result<plan::LogicalPlanPtr> RowsAfterDelete(const plan::ExprPtr& condition, const TargetRows& rows,
                                             AnalysisContext& context);
Result<plan::LogicalPlanPtr> RowsAfterUpdate(const plan::UpdateCommand& command, const RowLevelTarget& target,
                                             const TargetRows& rows, AnalysisContext& context);

/// One row, one column: how many of the rows do not meet a condition (false or NULL).
plan::LogicalPlanPtr CountFailing(const plan::LogicalPlanPtr& rows, const ExpressionPtr& condition,
                                  AnalysisContext& context);

/// The rows of all plans, one after the other; their columns are alike. At least one plan.
plan::LogicalPlanPtr UnionAll(std::vector<plan::LogicalPlanPtr> plans, AnalysisContext& context);

/// (_file, _pos): the rows for which the condition is true.
Result<plan::LogicalPlanPtr> PositionsOfMatches(const plan::ExprPtr& condition, const TargetRows& rows,
                                                AnalysisContext& context);

/// The rows that a statement changes, for tables that mark rows as deleted and add the changed ones: the table's
/// columns as they are afterwards, the lineage that changed rows keep, and where the rows stood.
struct ChangedRows {
  plan::LogicalPlanPtr plan;
  std::vector<Attribute> columns;    ///< The table's, then the lineage.
  Attribute file, position;          ///< Of the row before.
  std::optional<Attribute> written;  ///< BOOLEAN: false for rows that are only deleted; absent: there are none.
};
Result<ChangedRows> RowsChangedByUpdate(const plan::UpdateCommand& command, const RowLevelTarget& target,
                                        const TargetRows& rows, AnalysisContext& context);
/// (_file, _pos) of all of them.
plan::LogicalPlanPtr PositionsOf(const ChangedRows& changed);
/// The rows that are written.
plan::LogicalPlanPtr WrittenRows(const ChangedRows& changed);

/// What a statement changes, as a change feed tells it: the table's columns, then tables::kChangeTypeColumn.
Result<plan::LogicalPlanPtr> ChangesOfDelete(const plan::ExprPtr& condition, const RowLevelTarget& target,
                                             const TargetRows& rows, AnalysisContext& context);
Result<plan::LogicalPlanPtr> ChangesOfUpdate(const plan::UpdateCommand& command, const RowLevelTarget& target,
                                             const TargetRows& rows, AnalysisContext& context);
/// Rows of a plan that has the table's columns, all of one kind.
plan::LogicalPlanPtr AsChanges(const plan::LogicalPlanPtr& rows, const char* kind, const RowLevelTarget& target,
                               AnalysisContext& context);

/// MERGE in plans. The source, a NamedRelation, is analyzed once: all plans read the same state of its tables.
/// (_file, number of source rows that the most often matched row of that file has, number of matched rows): files with
/// matches.
Result<plan::LogicalPlanPtr> MergeMatches(const plan::MergeCommand& command, const NamedRelation& source,
                                          const TargetRows& rows, AnalysisContext& context);
/// Rows of the touched files after the WHEN MATCHED and NOT MATCHED BY SOURCE clauses.
Result<plan::LogicalPlanPtr> RowsAfterMerge(const plan::MergeCommand& command, const NamedRelation& source,
                                            const RowLevelTarget& target, const TargetRows& rows,
                                            AnalysisContext& context);
/// Likewise the rows that those clauses change.
Result<ChangedRows> RowsChangedByMerge(const plan::MergeCommand& command, const NamedRelation& source,
                                       const RowLevelTarget& target, const TargetRows& rows, AnalysisContext& context);
/// What the condition asks of the target's rows alone.
Result<ExtractedPredicate> MergePredicate(const plan::MergeCommand& command, const NamedRelation& source,
                                          const TargetRows& rows, AnalysisContext& context);
/// (clause, number of rows): how many rows of the touched files each clause takes, WHEN MATCHED from 1 on, then NOT
/// MATCHED BY SOURCE; 0: none does.
Result<plan::LogicalPlanPtr> MergeClauseCounts(const plan::MergeCommand& command, const NamedRelation& source,
                                               const RowLevelTarget& target, const TargetRows& rows,
                                               AnalysisContext& context);
/// What the clauses that RowsAfterMerge applies change.
Result<plan::LogicalPlanPtr> ChangesOfMerge(const plan::MergeCommand& command, const NamedRelation& source,
                                            const RowLevelTarget& target, const TargetRows& rows,
                                            AnalysisContext& context);
/// Rows that the WHEN NOT MATCHED clauses add, without lineage. `rows` scans the whole target.
Result<plan::LogicalPlanPtr> RowsInsertedByMerge(const plan::MergeCommand& command, const NamedRelation& source,
                                                 const RowLevelTarget& target, const TargetRows& rows,
                                                 AnalysisContext& context);
/// Whether several source rows may match one row of the target: only a single WHEN MATCHED THEN DELETE without a
/// condition allows it.
bool AllowsSeveralMatches(const plan::MergeCommand& command);

}  // namespace frazil::analysis
