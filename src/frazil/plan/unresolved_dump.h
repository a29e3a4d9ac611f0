#pragma once

// A compact text of unresolved plans, for tests and logs: Project[a, +(b, int(1))](Filter[>(a, int(2))](Table[t])).
// Positions are left out.

#include <string>

#include "frazil/plan/unresolved_command.h"
#include "frazil/plan/unresolved_expression.h"
#include "frazil/plan/unresolved_plan.h"

namespace frazil::plan {

/// Null gives "-".
std::string DumpExpression(const ExprPtr& expression);
std::string DumpExpressions(const std::vector<ExprPtr>& expressions);

/// Relations in full; commands by kind and main fields. Null gives "-".
std::string DumpPlan(const PlanPtr& plan);

/// "a.b", with parts in back quotes where they are no plain words.
std::string DumpName(const std::vector<std::string>& parts);

}  // namespace frazil::plan
