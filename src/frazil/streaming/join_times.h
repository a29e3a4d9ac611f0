#pragma once

// When the rows of a join of two streams can be forgotten.

#include <cstdint>
#include <vector>

#include "frazil/plan/logical_plan.h"

namespace frazil::streaming {

/// How one side of a join keeps its rows.
struct JoinSide {
  /// Over the side's columns: a time, or a window. Once the watermark has passed it, less `behind_ms`, the other side
  /// has no more rows for the row. Null: such a time is not known, and the row is kept for ever.
  ExpressionPtr time;
  int64_t behind_ms = 0;  ///< Added to the watermark.
  /// The range condition alone tells such a time for the side, be there a watermark on it or not.
  bool has_range = false;
  std::vector<ExpressionPtr> conditions;  ///< Conjuncts over this side alone: rows that fail have no partner.
};

struct JoinTimes {
  bool has_equality = false;       ///< An equality between the sides.
  bool watermark_in_keys = false;  ///< One of the equal columns is an event time.
  JoinSide left, right;
};

/// Of an INNER, CROSS, outer or semi join of two streams. Source: StreamingJoinHelper and
/// StreamingSymmetricHashJoinHelper of Spark.
JoinTimes TimesOfJoin(const plan::JoinNode& join);

/// The parts of a condition that AND connects; none for null.
std::vector<ExpressionPtr> Conjuncts(const ExpressionPtr& condition);

}  // namespace frazil::streaming
