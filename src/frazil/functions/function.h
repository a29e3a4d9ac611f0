#pragma once

// The list of Spark's functions: names, signatures, coercion, result types. One entry a function; what it computes
// stands in engine/functions/.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/expressions/expression.h"

namespace frazil::functions {

/// Session settings that decide what an expression means.
struct ExpressionSettings {
  bool ansi = true;                              ///< spark.sql.ansi.enabled
  std::string time_zone = "UTC";                 ///< spark.sql.session.timeZone
  bool case_sensitive = false;                   ///< spark.sql.caseSensitive
  bool allow_precision_loss = true;              ///< spark.sql.decimalOperations.allowPrecisionLoss
  bool timestamp_ntz_default = false;            ///< spark.sql.timestampType = TIMESTAMP_NTZ
  bool legacy_size_of_null = false;              ///< spark.sql.legacy.sizeOfNull
  bool concat_binary_as_string = false;          ///< spark.sql.function.concatBinaryAsString
  std::string time_parser_policy = "CORRECTED";  ///< spark.sql.legacy.timeParserPolicy
  std::string current_catalog, current_database, current_user;
  int64_t query_start_micros = 0;  ///< now() of the statement.
  /// Any other setting, by key.
  std::function<std::optional<std::string>(std::string_view)> lookup;

  EvalMode eval_mode() const { return ansi ? EvalMode::kAnsi : EvalMode::kLegacy; }
};

enum class FunctionClass : uint8_t { kScalar, kAggregate, kWindow, kGenerator, kTable };

/// A call as the analysis hands it to a function: arguments are typed (lambdas: see `lambda`), not yet coerced.
struct FunctionCall {
  std::string name;  ///< As the user wrote it, in lower case.
  std::vector<ExpressionPtr> arguments;
  std::vector<std::string> argument_names;  ///< name => value; empty strings for positional ones. Already ordered for
                                            ///< functions that declare parameter names.
  bool distinct = false;
  std::optional<bool> ignore_nulls;
  std::vector<SortKey> within_group;
  const ExpressionSettings* settings = nullptr;
  bool is_operator = false;
};

/// Lambda arguments are bound by the analysis after it knows the parameter types, which the function tells from its
/// other arguments. argument index -> types of the lambda's parameters (as many as could be wanted; the lambda may take
/// fewer).
using LambdaTypes = std::function<Result<std::vector<std::vector<StructField>>>(const FunctionCall& call)>;

struct GeneratorColumn {
  std::string name;
  DataTypePtr type;
  bool nullable = true;
};

/// One function.
struct FunctionDefinition {
  std::string name;  ///< SQL name in lower case.
  std::vector<std::string> aliases;
  FunctionClass function_class = FunctionClass::kScalar;
  int min_arguments = 0;
  int max_arguments = 0;  ///< -1: any number.
  /// Coerces the arguments, checks them (DATATYPE_MISMATCH.*, WRONG_NUM_ARGS.*), and makes the typed expression:
  /// CallExpression, AggregateExpression, WindowExpression (without its window), or any expression that means the same
  /// (Spark's RuntimeReplaceable).
  std::function<Result<ExpressionPtr>(const FunctionCall&)> bind;
  /// kGenerator: the columns it yields, its arguments coerced in `call`.
  std::function<Result<std::vector<GeneratorColumn>>(FunctionCall& call)> generate;
  LambdaTypes lambda_types;
  std::vector<std::string> parameter_names;  ///< Where the function takes named arguments.
  std::string group;                         ///< "string_funcs", ... as in Spark's documentation.
  std::string usage;                         ///< One line of documentation, our own words.
  std::string since;
};

/// The function of that name or alias (lower case), or nullptr.
const FunctionDefinition* FindFunction(std::string_view name);
/// All, by name.
const std::vector<const FunctionDefinition*>& AllFunctions();

/// Checks the number of arguments, then binds. Errors as Spark's.
Result<ExpressionPtr> BindFunction(const FunctionDefinition& function, const FunctionCall& call);

/// Implicit cast as Spark's coercion does for arguments; error DATATYPE_MISMATCH where there is none. See
/// types/type_coercion.h.
ExpressionPtr Coerce(ExpressionPtr expression, const DataTypePtr& type, const ExpressionSettings& settings);

}  // namespace frazil::functions
