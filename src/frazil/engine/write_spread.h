#pragma once

#include <cstddef>
#include <vector>

#include "frazil/plan/logical_plan.h"
#include "frazil/tables/write.h"

namespace frazil::engine {

/// How a write spreads its rows over files, as `repartition` of the query asks.
struct RowSpread {
  size_t files = 1;
  std::vector<size_t> columns;  ///< Positions in the plan's output whose hash chooses the file; none: rows in turn.
};

/// The repartitioning nearest to the top, below nothing but projections, filters and the like, which keep it. Tables
/// whose metadata says how rows lie (Iceberg's partitions and orders) decide themselves.
RowSpread SpreadOf(const plan::LogicalPlan& plan, const tables::WriteTask& task);

}  // namespace frazil::engine
