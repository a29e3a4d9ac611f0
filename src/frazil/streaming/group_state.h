#pragma once

// applyInPandasWithState: a Python function that gets the rows of a group and what it kept of the group's earlier rows.

#include <optional>
#include <string>

#include "frazil/plan/logical_plan.h"

namespace frazil::streaming {

/// Calls of such a function, which a ProjectNode over an AggregateNode is: f(collect_list(struct(*)), keys...,
/// time-out, output mode, NULL of the state's type).
struct GroupStateCall {
  const plan::AggregateNode* groups = nullptr;
  const CallExpression* call = nullptr;
  std::string timeout;      ///< "NoTimeout", "ProcessingTimeTimeout", "EventTimeTimeout".
  std::string output_mode;  ///< "append", "update".
  DataTypePtr state;        ///< A struct.
};

/// Nullopt: the node is something else.
std::optional<GroupStateCall> GroupStateCallOf(const plan::LogicalPlan& node);

}  // namespace frazil::streaming
