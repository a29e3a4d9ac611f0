#pragma once

// The text of df.show() and df._repr_html_: formatting only. AnalyzeRelation of a ShowStringPlan or HtmlStringPlan
// gives the plan of the cells' texts.

#include <string>
#include <vector>

#include "frazil/plan/unresolved_plan.h"
#include "frazil/types/row_set.h"

namespace frazil::analysis {

struct ShowOptions {
  int num_rows = 20;
  int truncate = 20;  ///< Longest text of a cell; 0: whole.
  bool vertical = false;
};

/// `rows`: texts, at most num_rows + 1 of them (one more says that there are more). Source: Spark's Dataset.showString.
std::string ShowString(const RowSet& rows, const ShowOptions& options);
std::string HtmlString(const RowSet& rows, const ShowOptions& options);

/// The answer to a ShowStringPlan or HtmlStringPlan, one row with one text, made from the rows of its typed plan.
RowSet ShownRows(const plan::Plan& plan, const RowSet& cells);

}  // namespace frazil::analysis
