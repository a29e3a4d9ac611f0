#pragma once

// Which columns of a streaming plan tell event time: the columns that watermarks observe, and those that are made from
// them in ways that keep the meaning.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frazil/plan/logical_plan.h"

namespace frazil::streaming {

/// The event time columns of a plan and of all below it, with the delay of their watermark in milliseconds. Besides the
/// watermark's own column: the windows that it falls in, window_time() of these, and such columns under other ids
/// (projections, grouping keys, unions).
std::map<AttributeId, int64_t> EventTimeColumns(const plan::LogicalPlan& plan);

/// The first of `columns`, expressions over the output of `plan`, that is such a column. Nullopt: there is none.
std::optional<size_t> EventTimeColumn(const plan::LogicalPlan& plan, const std::vector<ExpressionPtr>& columns);

/// struct<start, end>.
bool IsWindow(const DataType& type);

/// SQL of the microseconds of the event time of the column `name`: of a window its end.
std::string EventMicros(const std::string& name, const DataType& type);
/// SQL of so many milliseconds, in microseconds.
std::string MicrosOf(int64_t millis);

/// The names of the watermarks of a plan (CollectMetricsNode::name), from the top down and from left to right.
std::vector<std::string> WatermarkNames(const plan::LogicalPlan& plan);

}  // namespace frazil::streaming
