#pragma once

#include <functional>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/table.h"
#include "frazil/types/row_set.h"

namespace frazil::tables {

/// A parameter of a procedure; arguments have its type, or are NULL where the call leaves out one that is not required.
struct ProcedureParameter {
  std::string name;
  DataTypePtr type;
  bool required = false;
};

/// What CALL catalog.system.name(table => ..., ...) runs on a table of a format: a change of its metadata alone, in one
/// commit.
struct TableProcedure {
  std::string name;
  /// Without the first one, "table", that all have.
  std::vector<ProcedureParameter> parameters;
  std::function<Result<RowSet>(const Table& table, const std::vector<Value>& arguments)> call;
};

}  // namespace frazil::tables
