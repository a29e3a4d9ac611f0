// Functions of the DataFrame API alone, most of them for the pandas API on Spark: pandas' statistics, whose numbers of
// degrees of freedom and treatment of NULL are arguments.

#include "frazil/functions/constant.h"
#include "frazil/functions/internal_functions.h"
#include "frazil/functions/list/window_call.h"

namespace frazil::functions {
namespace {

const char* const kGroup = "internal_funcs";

FunctionDefinition Internal(std::string name, int arguments, FunctionClass function_class, BindRule bind,
                            std::string usage) {
  auto definition = Custom(std::move(name), arguments, arguments, std::move(bind));
  definition.function_class = function_class;
  definition.group = kGroup;
  definition.usage = std::move(usage);
  return definition;
}

// Calls show the columns alone, without the parameters behind them.
std::string Shown(const std::string& name, const FunctionCall& call, size_t columns) {
  return CallSql(name, Arguments(call.arguments.begin(), call.arguments.begin() + static_cast<ptrdiff_t>(columns)));
}

// The columns as DOUBLE, then a constant parameter of type INT behind them.
Result<Arguments> WithDegrees(const FunctionCall& call, size_t columns, const std::string& sql) {
  std::vector<TypePattern> patterns(columns, Double());
  patterns.push_back(Int());
  FRAZIL_ASSIGN_OR_RETURN(auto arguments, CoerceArguments(call, sql, call.arguments, patterns));
  if (!ConstantInteger(*arguments[columns])) return NonFoldable(sql, "ddof", "INT", *arguments[columns]);
  return arguments;
}

FunctionDefinition Degrees(const char* name, size_t columns, std::string usage) {
  return Internal(
      name, static_cast<int>(columns) + 1, FunctionClass::kAggregate,
      [name, columns](const FunctionCall& call) -> Result<ExpressionPtr> {
        const std::string sql = Shown(name, call, columns);
        FRAZIL_ASSIGN_OR_RETURN(auto arguments, WithDegrees(call, columns, sql));
        return MakeAggregate(name, std::move(arguments), DataType::Double(), true, call, sql);
      },
      std::move(usage));
}

FunctionDefinition Moment(const char* name, const char* shown, std::string usage) {
  return Internal(
      name, 1, FunctionClass::kAggregate,
      [name, shown](const FunctionCall& call) -> Result<ExpressionPtr> {
        const std::string sql = CallSql(shown, call.arguments);
        FRAZIL_ASSIGN_OR_RETURN(auto arguments, CoerceArguments(call, sql, call.arguments, {Double()}));
        return MakeAggregate(name, std::move(arguments), DataType::Double(), true, call, sql);
      },
      std::move(usage));
}

Result<bool> Flag(const FunctionCall& call, size_t index, const std::string& sql, const char* name) {
  const auto flag = ConstantBoolean(*call.arguments[index]);
  if (!flag) return NonFoldable(sql, name, "BOOLEAN", *call.arguments[index]);
  return *flag;
}

Result<ExpressionPtr> BindProduct(const FunctionCall& call) {
  const std::string sql = Shown("pandas_product", call, 1);
  FRAZIL_ASSIGN_OR_RETURN(const bool ignores_nulls, Flag(call, 1, sql, "dropna"));
  FRAZIL_ASSIGN_OR_RETURN(auto value, CoerceArgument(call, sql, call.arguments[0], 0, Numeric()));
  const bool is_integral = value->type->IsIntegral();
  const auto type = is_integral ? DataType::Long() : DataType::Double();
  return MakeAggregate(is_integral ? "pandas_product_long" : "pandas_product",
                       {CastTo(value, type, call), BoolLiteral(ignores_nulls)}, type, !ignores_nulls, call, sql);
}

Result<ExpressionPtr> BindMode(const FunctionCall& call) {
  const std::string sql = Shown("pandas_mode", call, 1);
  FRAZIL_ASSIGN_OR_RETURN(const bool ignores_nulls, Flag(call, 1, sql, "dropna"));
  const auto& value = call.arguments[0];
  return MakeAggregate("pandas_mode", {value, BoolLiteral(ignores_nulls)}, DataType::Array(value->type, !ignores_nulls),
                       false, call, sql);
}

Result<ExpressionPtr> BindTopValues(const FunctionCall& call) {
  const std::string sql = Shown("collect_top_k", call, 1);
  FRAZIL_ASSIGN_OR_RETURN(const bool reverse, Flag(call, 2, sql, "reverse"));
  const auto count = ConstantInteger(*call.arguments[1]);
  if (!count) return NonFoldable(sql, "num", "INT", *call.arguments[1]);
  const auto& value = call.arguments[0];
  return MakeAggregate(reverse ? "least_values" : "greatest_values", {value, LongLiteral(*count)},
                       DataType::Array(value->type, false), false, call, sql);
}

Result<ExpressionPtr> BindNullIndex(const FunctionCall& call) {
  return MakeWindow(call, "null_index", call.arguments, DataType::Integer(), false,
                    CallSql("null_index", call.arguments));
}

Result<ExpressionPtr> BindExponentialMean(const FunctionCall& call) {
  const std::string sql = CallSql("ewm", call.arguments);
  FRAZIL_RETURN_IF_ERROR(Flag(call, 2, sql, "ignore_na").status());
  FRAZIL_ASSIGN_OR_RETURN(auto arguments, CoerceArguments(call, sql, call.arguments, {Double(), Double(), Bool()}));
  if (!IsFoldable(*arguments[1])) return NonFoldable(sql, "alpha", "DOUBLE", *arguments[1]);
  return MakeWindow(call, "ewm", std::move(arguments), DataType::Double(), true, sql);
}

Result<ExpressionPtr> BindSeconds(const FunctionCall& call) {
  const std::string sql = CallSql("timestamp_ntz_to_long", call.arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto arguments, CoerceArguments(call, sql, call.arguments, {DataType::TimestampNtz()}));
  return MakeCall("timestamp_ntz_to_long", std::move(arguments), DataType::Long(), call.arguments[0]->nullable,
                  ModeOf(call), sql);
}

Result<ExpressionPtr> BindBinarySearch(const FunctionCall& call) {
  const std::string sql = CallSql("array_binary_search", call.arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto array, CoerceArgument(call, sql, call.arguments[0], 0, AnyArray()));
  FRAZIL_ASSIGN_OR_RETURN(auto value, CoerceArgument(call, sql, call.arguments[1], 1, array->type->element_type()));
  const bool nullable = array->nullable || value->nullable;
  return MakeCall("array_binary_search", {array, value}, DataType::Integer(), nullable, ModeOf(call), sql);
}

}  // namespace

void AddInternalFunctions(FunctionList& list) {
  list.Group(kGroup);
  list.Add(Moment("product", "product", "Product of the values."));
  list.Add(Moment("pandas_skew", "pandas_skewness", "Skewness, free of bias."));
  list.Add(Moment("pandas_kurt", "pandas_kurtosis", "Excess kurtosis, free of bias."));
  list.Add(Degrees("pandas_stddev", 1, "Standard deviation with the given degrees of freedom taken off."));
  list.Add(Degrees("pandas_var", 1, "Variance with the given degrees of freedom taken off."));
  list.Add(Degrees("pandas_covar", 2, "Covariance with the given degrees of freedom taken off."));
  list.Add(Internal("pandas_product", 2, FunctionClass::kAggregate, BindProduct,
                    "Product; NULL where there is one and these are not to be ignored."));
  list.Add(Internal("pandas_mode", 2, FunctionClass::kAggregate, BindMode, "All of the most frequent values."));
  list.Add(Internal("collect_top_k", 3, FunctionClass::kAggregate, BindTopValues, "The greatest or least values."));
  list.Add(Internal("null_index", 1, FunctionClass::kWindow, BindNullIndex, "How many NULLs in a row end here."));
  list.Add(Internal("ewm", 3, FunctionClass::kWindow, BindExponentialMean, "Mean with weights that fade."));
  list.Add(Internal("timestamp_ntz_to_long", 1, FunctionClass::kScalar, BindSeconds, "Seconds since 1970."));
  list.Add(Internal("array_binary_search", 2, FunctionClass::kScalar, BindBinarySearch,
                    "Where a value stands in a sorted array, from 0; -(place where it would stand) - 1 if it is not."));
  list.Add(Internal(
      "distributed_id", 0, FunctionClass::kScalar,
      [](const FunctionCall& call) -> Result<ExpressionPtr> {
        FRAZIL_ASSIGN_OR_RETURN(auto id, CallFunction(call, "monotonically_increasing_id", {}));
        return WithSql(id, "distributed_id()");
      },
      "A number that grows from row to row."));
  // Values of user-defined types are kept as the types that these stand for.
  list.Add(Internal(
      "unwrap_udt", 1, FunctionClass::kScalar,
      [](const FunctionCall& call) -> Result<ExpressionPtr> {
        return WithSql(call.arguments[0], CallSql("unwrap_udt", call.arguments));
      },
      "A value of a user-defined type as the type that this stands for."));
}

}  // namespace frazil::functions
