#pragma once

#include <cstdint>
#include <string>

#include "frazil/plan/unresolved_plan.h"

namespace frazil::plan {

/// df.withWatermark(column, delay): how late rows of a stream may come. It changes no rows, and so is a hint; a batch
/// passes it over.
struct WatermarkPlan : HintPlan {
  std::string event_time;
  std::string delay;
};

/// In the typed plan of a stream a watermark is a CollectMetricsNode, whose name is this, the delay in milliseconds and
/// the column's name, with ':' between. Its metrics are the greatest, the least and the mean event time, milliseconds.
inline constexpr const char* kWatermarkMetric = "__watermark__";

}  // namespace frazil::plan
