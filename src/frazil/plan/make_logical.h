#pragma once

// Makes nodes of the typed plan with the output that follows from their inputs.

#include <string>
#include <vector>

#include "frazil/plan/logical_plan.h"

namespace frazil::plan {

/// `output` has one attribute for each expression.
LogicalPlanPtr MakeProject(LogicalPlanPtr child, std::vector<ExpressionPtr> expressions, std::vector<Attribute> output);
/// Keeps these columns of the child, in this order.
LogicalPlanPtr MakeColumnProject(LogicalPlanPtr child, const std::vector<Attribute>& columns);
LogicalPlanPtr MakeFilter(LogicalPlanPtr child, ExpressionPtr condition);
/// Columns of the side that may be missing (outer joins) become nullable.
LogicalPlanPtr MakeJoin(LogicalPlanPtr left, LogicalPlanPtr right, JoinType type, ExpressionPtr condition,
                        bool is_lateral = false);
LogicalPlanPtr MakeSort(LogicalPlanPtr child, std::vector<SortKey> keys);
LogicalPlanPtr MakeLimit(LogicalPlanPtr child, std::optional<int64_t> limit, int64_t offset = 0);
LogicalPlanPtr MakeDistinct(LogicalPlanPtr child);
LogicalPlanPtr MakeOneRow();
/// `output` has one attribute for each column of the rows.
LogicalPlanPtr MakeRows(std::shared_ptr<const RowSet> rows, std::vector<Attribute> output);
/// `output`: grouping columns, aggregates, and the grouping id where there are grouping sets.
LogicalPlanPtr MakeAggregate(LogicalPlanPtr child, std::vector<ExpressionPtr> grouping,
                             std::vector<ExpressionPtr> aggregates, std::vector<std::vector<size_t>> grouping_sets,
                             std::vector<Attribute> output);
/// `added`: one attribute for each window expression.
LogicalPlanPtr MakeWindow(LogicalPlanPtr child, std::vector<ExpressionPtr> windows, std::vector<Attribute> added);

/// A copy of the node with other inputs, in the order of Inputs(). Nodes that pass their input's columns on get the
/// output of the new input.
LogicalPlanPtr WithInputs(const LogicalPlan& plan, std::vector<LogicalPlanPtr> inputs);

}  // namespace frazil::plan
