#pragma once

// Spark's types as Spark Connect messages.

#include <functional>
#include <string>

#include <spark/connect/types.pb.h>

#include "frazil/base/result.h"
#include "frazil/types/data_type.h"

namespace frazil::connect {

/// Parses a type that comes as DDL text ("a INT, b STRING", "array<int>").
using DdlParser = std::function<Result<DataTypePtr>(const std::string&)>;

/// User-defined types become the type they are stored as. Error INVALID_PLAN-like (kIllegalArgument) where no kind is
/// set.
Result<DataTypePtr> ReadDataType(const spark::connect::DataType& message, const DdlParser& parse_ddl);

void WriteDataType(const DataType& type, spark::connect::DataType* message);

/// DDL text, or the JSON text of a type or schema.
Result<DataTypePtr> ReadTypeText(const std::string& text, const DdlParser& parse_ddl);

/// Spark's StructType.toDDL: "a INT,b STRING NOT NULL COMMENT 'text'".
std::string StructToDdl(const DataType& schema);

}  // namespace frazil::connect
