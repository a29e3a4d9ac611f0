#pragma once

// A relation while it is analyzed: its typed plan, and what names can reach in it.

#include <memory>
#include <string>
#include <vector>

#include "frazil/expressions/expression.h"
#include "frazil/plan/logical_plan.h"

namespace frazil::analysis {

class SelectStage;

/// A column that `*` does not show.
struct HiddenColumn {
  Attribute attribute;
  bool qualified_only =
      false;  ///< The key of one side of a USING join: reached by t.key only. Otherwise a metadata column.
};

/// Columns that a DataFrame (by plan_id) below a relation had: what df["a"] may name.
struct DataFrameColumns {
  int64_t plan_id = 0;
  /// Shared: plans are chains of many DataFrames, and each keeps those below it.
  std::shared_ptr<const std::vector<Attribute>> columns;
  int depth = 0;  ///< Nodes between.
};

struct Relation {
  plan::LogicalPlanPtr plan;
  /// The visible columns, in order, with names and qualifiers. Ids are those of plan->output; one id may stand here
  /// twice (SELECT a, a).
  std::vector<Attribute> output;
  /// Columns of plan->output that are not visible but have names.
  std::vector<HiddenColumn> hidden;
  std::vector<DataFrameColumns> dataframes;
  /// Where the relation is a projection (with filters, sorts, limits above): it can compute more columns. `select_root`
  /// is its ProjectNode in `plan`.
  std::shared_ptr<const SelectStage> select;
  plan::LogicalPlanPtr select_root;
  bool select_is_distinct = false;  ///< DISTINCT stands between: no more columns.
};

/// An earlier item of the same SELECT list, which later items may name.
struct LateralAlias {
  std::string name;
  ExpressionPtr expression;
};

/// Where the names of an expression are looked up, in this order: `input`, `fallback`, `aliases`, then the scopes
/// around (outer columns).
struct Scope {
  const Relation* input = nullptr;
  /// What the input's projection was made from (ORDER BY and HAVING reach below SELECT), or null.
  const Relation* fallback = nullptr;
  const std::vector<LateralAlias>* aliases = nullptr;
  bool first_alias_wins = false;  ///< GROUP BY: of several aliases with a name the first is taken.
  bool allow_aggregates = false;
  bool allow_windows = false;
};

}  // namespace frazil::analysis
