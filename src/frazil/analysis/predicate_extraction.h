#pragma once

#include <map>
#include <string>
#include <vector>

#include "frazil/expressions/expression.h"
#include "frazil/expressions/predicate.h"

namespace frazil::analysis {

/// A filter in the language of tables, made of a typed condition.
struct ExtractedPredicate {
  PredicatePtr predicate;
  /// Whether the predicate is true for exactly the rows for which the condition is. Otherwise it is true for more.
  bool exact = false;
};

/// `columns` gives the name path of the table's columns by id; other columns make their part of the condition unknown
/// (always true).
ExtractedPredicate ExtractPredicate(const ExpressionPtr& condition,
                                    const std::map<AttributeId, std::vector<std::string>>& columns);

}  // namespace frazil::analysis
