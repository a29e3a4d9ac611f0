#pragma once

#include <memory>

namespace frazil::plan {
struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;
struct Plan;
using PlanPtr = std::shared_ptr<const Plan>;
struct LogicalPlan;
using LogicalPlanPtr = std::shared_ptr<const LogicalPlan>;
}  // namespace frazil::plan
