#pragma once

// Calls of the user's Python functions in typed plans.

#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/expressions/expression.h"

namespace frazil {

/// A function as the client sent it. In a typed plan its call is a CallExpression of kPythonFunction (or the
/// nondeterministic one) with this, encoded, as a binary literal in front of the arguments: whatever treats expressions
/// treats it as any other call.
struct PythonFunction {
  std::string name;
  int eval_type = 0;                        ///< pyspark.util.PythonEvalType.
  std::string command;                      ///< The pickled pair of function and type.
  std::string python_version;               ///< "3.11": that of the client, which must be the worker's.
  std::vector<std::string> argument_names;  ///< One for each argument; empty: by position.

  std::string Encode() const;
  static Result<PythonFunction> Decode(std::string_view bytes);
};

constexpr const char* kPythonFunction = "python_function";
constexpr const char* kNondeterministicPythonFunction = "nondeterministic_python_function";

/// Whether the expression is a call of a Python function.
bool IsPythonCall(const Expression& expression);

}  // namespace frazil
