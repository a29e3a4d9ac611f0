#pragma once

// What Delta's Python package adds to Spark Connect for its DeltaTable: relations and commands as plans of what there
// is already. Source: delta-io/delta, spark-connect/common/src/main/protobuf/delta/connect, and what its planner
// plugins make of them. Internal to connect/.

#include <memory>

#include <google/protobuf/any.pb.h>

#include "frazil/connect/plan_reader_internal.h"

namespace frazil::connect {

/// The relation of a delta.connect.DeltaRelation. Statements that change the table (DELETE, MERGE, OPTIMIZE, ...) are
/// commands, whose rows are the relation's. Null where the message is of another type.
Result<std::shared_ptr<plan::Plan>> ReadDeltaRelation(PlanReader& reader, const google::protobuf::Any& message);

/// The command of a delta.connect.DeltaCommand. Null where the message is of another type.
Result<plan::PlanPtr> ReadDeltaCommand(PlanReader& reader, const google::protobuf::Any& message);

}  // namespace frazil::connect
