#pragma once

#include <string>

#include "frazil/plan/logical_plan.h"

namespace frazil::plan {

/// EXPLAIN FORMATTED: the tree of numbered operators, then of each its inputs, its output and its arguments.
/// https://spark.apache.org/docs/latest/sql-ref-syntax-qry-explain.html
std::string FormattedExplainString(const LogicalPlan& plan);

}  // namespace frazil::plan
