#pragma once

// Constants as Spark Connect messages.

#include <spark/connect/expressions.pb.h>

#include "frazil/connect/type_proto_internal.h"
#include "frazil/types/value.h"

namespace frazil::connect {

struct TypedValue {
  DataTypePtr type;
  Value value;
};

/// Every kind of literal: atomic, array, map, struct, specialized arrays. Decimals get the precision and scale that
/// hold both the digits and what is asked for.
Result<TypedValue> ReadLiteral(const spark::connect::Expression::Literal& message, const DdlParser& parse_ddl);

/// Used for observed metrics.
void WriteLiteral(const DataType& type, const Value& value, spark::connect::Expression::Literal* message);

}  // namespace frazil::connect
