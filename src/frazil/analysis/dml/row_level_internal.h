#pragma once

#include "frazil/analysis/analyzer.h"
#include "frazil/analysis/dml/row_level.h"

namespace frazil::analysis {

/// New values of the target's columns, by field index; null where a column keeps its value. Names may be qualified by
/// the target's alias, and may name fields of structs. Errors UNRESOLVED_COLUMN.*, DUPLICATE_ASSIGNMENTS-like; those of
/// SET clauses (`is_insert` false) have the assignment as their context.
Result<std::vector<ExpressionPtr>> BindAssignments(const std::vector<plan::Assignment>& assignments, bool is_insert,
                                                   const RowLevelTarget& target,
                                                   const std::vector<Attribute>& target_columns,
                                                   const std::vector<Attribute>& scope, AnalysisContext& context);
/// when(c1, v1, c2, v2, ..., otherwise).
ExpressionPtr MakeWhen(std::vector<ExpressionPtr> branches, ExpressionPtr otherwise);
/// Whether a boolean is true: NULL counts as false.
ExpressionPtr IsTrue(ExpressionPtr condition);
ExpressionPtr Not(ExpressionPtr condition);
ExpressionPtr And(ExpressionPtr left, ExpressionPtr right);
/// count(1).
ExpressionPtr CountRows();
/// Columns of a table as a projection's output, under new ids.
std::vector<Attribute> OutputFor(const DataType& schema, AnalysisContext& context);
/// The rows with these values of the target's columns, and their lineage; `changed`: whether a row differs from before.
plan::LogicalPlanPtr ProjectChanged(const plan::LogicalPlanPtr& child, std::vector<ExpressionPtr> values,
                                    const ExpressionPtr& changed, const RowLevelTarget& target, const TargetRows& rows,
                                    AnalysisContext& context);

/// Changed rows of `child`, whose values are those of the table's columns. `written` null: all of them are written.
ChangedRows ProjectWithOrigin(const plan::LogicalPlanPtr& child, std::vector<ExpressionPtr> values,
                              const ExpressionPtr& written, const RowLevelTarget& target, const TargetRows& rows,
                              AnalysisContext& context);

}  // namespace frazil::analysis
