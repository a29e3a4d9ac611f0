#pragma once

#include "frazil/plan/logical_plan.h"
#include "frazil/streaming/stream_write.h"

namespace frazil::streaming {

/// Whether a query may run as a stream with this output mode: operations that Spark refuses over streaming relations,
/// with Spark's conditions, and those that it has and this server has not (ErrorKind::kUnsupported).
/// Source: UnsupportedOperationChecker.checkForStreaming.
Status CheckOperations(const plan::LogicalPlan& plan, OutputMode mode);

}  // namespace frazil::streaming
