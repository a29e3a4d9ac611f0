#pragma once

#include <map>
#include <string>
#include <vector>

#include "frazil/analysis/analysis_context.h"
#include "frazil/expressions/expression.h"
#include "frazil/expressions/predicate.h"

namespace frazil::analysis {

/// A filter in the language of tables, made of a typed condition.
struct ExtractedPredicate {
  PredicatePtr predicate;
  /// Whether the predicate is true for exactly the rows for which the condition is. Otherwise it is true for more.
  bool exact = false;
  std::string text = {};  ///< The condition as SQL; empty where there is none.
};

/// `columns` gives the name path of the table's columns by id; other columns make their part of the condition unknown
/// (always true). Constant parts are evaluated: a cast of a literal is as good as a literal.
ExtractedPredicate ExtractPredicate(const ExpressionPtr& condition,
                                    const std::map<AttributeId, std::vector<std::string>>& columns,
                                    AnalysisContext& context);

}  // namespace frazil::analysis
