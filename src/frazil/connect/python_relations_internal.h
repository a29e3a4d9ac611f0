#pragma once

// Python functions over whole relations, as plans of what there is already. Internal to connect/.

#include <spark/connect/relations.pb.h>

#include "frazil/connect/plan_reader_internal.h"
#include "frazil/plan/python_table_function.h"

namespace frazil::connect {

/// mapInPandas, mapInArrow: SELECT inline(f(struct(*))) FROM input. The function sees the rows batch by batch; what it
/// makes of a batch is the array of the batch's first row.
Result<std::shared_ptr<plan::Plan>> ReadMapPartitions(PlanReader& reader, const spark::connect::MapPartitions& message);

/// applyInPandas, applyInArrow: SELECT inline(f(collect_list(struct(*)), keys...)) FROM input GROUP BY keys.
Result<std::shared_ptr<plan::Plan>> ReadGroupMap(PlanReader& reader, const spark::connect::GroupMap& message);

/// cogroup().applyInPandas, cogroup().applyInArrow: the groups of both sides, full outer joined by their keys, NULLs
/// being equal; the function gets the rows of the left side, those of the right one (NULL: none), and the keys.
Result<std::shared_ptr<plan::Plan>> ReadCoGroupMap(PlanReader& reader, const spark::connect::CoGroupMap& message);

/// A table function written in Python with its arguments.
Result<std::shared_ptr<plan::PythonTableFunctionPlan>> ReadPythonTableFunction(
    PlanReader& reader, const spark::connect::CommonInlineUserDefinedTableFunction& message);

/// applyInPandasWithState: as applyInPandas, where the function also gets the names of the time-out and of the output
/// mode, and a NULL of the state's type. streaming/ has the state (streaming/group_state.h).
Result<std::shared_ptr<plan::Plan>> ReadGroupMapWithState(PlanReader& reader,
                                                          const spark::connect::ApplyInPandasWithState& message);

}  // namespace frazil::connect
