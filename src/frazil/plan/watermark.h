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

/// In the typed plan of a stream a watermark is a CollectMetricsNode, whose name is this, the delay in milliseconds, an
/// id and the column's name, with ':' between. Its metrics are the greatest, the least and the mean event time,
/// milliseconds. The id makes it another name for each watermark of a plan.
inline constexpr const char* kWatermarkMetric = "__watermark__";

/// dropDuplicatesWithinWatermark in the typed plan: a DistinctNode or DeduplicateNode over a CollectMetricsNode without
/// metrics, whose name this is.
inline constexpr const char* kWithinWatermark = "__within_watermark__";

/// The column that numbers the windows which a row falls in, where there are many of them.
inline constexpr const char* kWindowNumber = "__window_number__";

/// In the metadata of a column of a stream that is a session window. Each row has there its own window: which of them
/// are one session is known where they are grouped, with those of earlier batches.
inline constexpr const char* kSessionWindowKey = "spark.sessionWindow";

}  // namespace frazil::plan
