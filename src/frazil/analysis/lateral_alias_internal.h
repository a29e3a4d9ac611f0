#pragma once

// Names of earlier items of the SELECT list in later ones.

#include <optional>
#include <string>
#include <vector>

#include "frazil/expressions/expression.h"

namespace frazil::analysis {

/// The expression that an earlier item stands for, shown as Spark shows such a reference.
ExpressionPtr MakeLateralReference(const ExpressionPtr& expression, const std::string& alias);

/// The alias of the first such reference in these expressions, or nullopt.
std::optional<std::string> LateralAliasIn(const std::vector<ExpressionPtr>& expressions);

}  // namespace frazil::analysis
