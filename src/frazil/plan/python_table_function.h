#pragma once

#include <string>

#include "frazil/plan/unresolved_plan.h"

namespace frazil::plan {

/// A table function of Python that comes with its code (pyspark.sql.functions.udtf), not by a registered name.
struct PythonTableFunctionPlan : TableFunctionPlan {
  std::string code;  ///< The pickled class.
  std::string python_version;
  int eval_type = 0;        ///< pyspark.util.PythonEvalType.
  DataTypePtr return_type;  ///< A struct type, or null: analyze() of the class says it.
  bool deterministic = false;
};

}  // namespace frazil::plan
