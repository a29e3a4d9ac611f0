#pragma once

// Where in the user's statement an error of a running query arose. Internal to engine/ (includes DuckDB).
//
// A call in DuckDB's syntax tree carries the number of its origin as its "query location": the binder hands it on to
// the bound call, and it plays no part when expressions are compared or folded. Before the optimizer runs, the bound
// function of each such call is put behind one that adds the number to the errors that come out of it. A row costs
// nothing more for it, a vector of rows one call by pointer.

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <duckdb.hpp>
#include <duckdb/function/scalar_function.hpp>
#include <duckdb/parser/parsed_expression.hpp>
#include <duckdb/planner/logical_operator.hpp>

#include "frazil/base/origin.h"

namespace frazil::engine {

/// The origins of one statement. Filled while it is lowered and bound, then only read; lives as long as its plan.
class ErrorOrigins {
 public:
  ErrorOrigins() = default;
  ErrorOrigins(const ErrorOrigins&) = delete;
  ErrorOrigins& operator=(const ErrorOrigins&) = delete;

  /// Says where an expression comes from. Parts of it that have an origin of their own keep it.
  void Mark(duckdb::ParsedExpression& expression, const std::shared_ptr<const Origin>& origin);

  /// Lets `named`, with the context of `origin` (null: with none), stand for errors of the expression: for overflows,
  /// or for any. Where it does for any, parts of the expression lose the origins of their own.
  enum class Errors : uint8_t { kOverflow, kAny };
  void Replace(duckdb::ParsedExpression& expression, Errors errors, Error named, std::shared_ptr<const Origin> origin);

  /// Marks a call whose errors have an empty context in Spark (-1, -1, no text), wherever it stands: Spark makes it
  /// itself, as the addition within sum().
  static void MarkAsUnknown(duckdb::ParsedExpression& call);

  /// Makes the functions of a bound plan tell their origin.
  void Attach(duckdb::LogicalOperator& plan);

  /// The error that DuckDB's `raised` means, with the context of its origin where Spark gives one to such errors.
  Error Locate(Error error, const duckdb::ErrorData& raised) const;

  /// A bound function and the number that its errors get.
  struct LocatedFunction {
    duckdb::scalar_function_t function;
    std::string number;
  };

 private:
  void AttachTo(duckdb::Expression& expression, duckdb::optional_idx outer);
  /// DuckDB's own check that a subquery has one row: its origin is that of the subquery's column.
  static void LocateSubqueryCheck(duckdb::LogicalOperator& plan);

  /// By number; the first is that of what has no origin.
  std::vector<std::shared_ptr<const Origin>> origins_{std::make_shared<const Origin>()};
  struct Replacement {
    Errors errors = Errors::kAny;
    Error error;
    std::shared_ptr<const Origin> origin;
  };
  std::map<size_t, Replacement> replacements_;  ///< By number.
  std::deque<LocatedFunction> functions_;       ///< By address in the plan.
};

/// Lets the statements of this database attach their origins between binding and optimizing.
void RegisterErrorOrigins(duckdb::DBConfig& config);

}  // namespace frazil::engine
