#pragma once

// The state of an operator that keeps one row a key: a batch reads all of it, but writes and holds anew what it
// changes.

#include <cstdint>
#include <string>
#include <vector>

#include "frazil/commands/command_context.h"
#include "frazil/plan/logical_plan.h"
#include "frazil/streaming/state_store.h"
#include "frazil/streaming/statements.h"

namespace frazil::streaming {

/// A version of the state in one batch: rows, and what has changed in them since their snapshot. The keys are the first
/// columns k0, k1, ...
class KeyedState {
 public:
  KeyedState(StateStore& store, size_t keys, Statements& statements, commands::CommandContext& context)
      : store_(store), keys_(keys), statements_(statements), context_(context) {}

  /// Opens a version. `schema`: keys, then what is kept of each.
  Status Load(int64_t version, const DataTypePtr& schema);
  /// Its rows: a relation.
  const plan::PlanPtr& rows() const { return rows_; }
  int64_t count() const { return store_.kept.count; }

  /// Saves the next version. `changed`: rows that are new or have a new value. `removed`: rows whose keys are
  /// forgotten, which may be among the changed ones; null: none. Both relations have the columns of the state. `count`:
  /// of the rows that there are then.
  Status Save(int64_t version, const plan::PlanPtr& changed, const plan::PlanPtr& removed, int64_t count);

 private:
  std::shared_ptr<plan::ArrowRowsNode> Node(const ArrowTablePtr& rows) const;
  /// `changes` with `later` in the place of those of the same keys.
  Result<plan::LogicalPlanPtr> Merge(const ArrowTablePtr& changes, const plan::PlanPtr& later);
  Status SetRows();
  std::vector<std::string> Columns() const;

  StateStore& store_;
  const size_t keys_;
  Statements& statements_;
  commands::CommandContext& context_;
  DataTypePtr schema_, delta_schema_;
  plan::PlanPtr rows_;
};

}  // namespace frazil::streaming
