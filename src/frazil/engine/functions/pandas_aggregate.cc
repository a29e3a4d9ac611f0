#include "frazil/engine/functions/pandas_aggregate.h"

#include <duckdb/execution/expression_executor.hpp>
#include <duckdb/function/aggregate_function.hpp>

#include "frazil/engine/functions/kernel_error.h"

namespace frazil::engine {
namespace {

using duckdb::LogicalType;

// Product of whole numbers as a BIGINT. kStrict: an overflow is an error; else it wraps.
template <bool kStrict>
struct ProductOperation {
  template <class STATE>
  static void Initialize(STATE& state) {
    state = 1;
  }
  static void Multiply(int64_t* product, int64_t value) {
    if (__builtin_mul_overflow(*product, value, product) && kStrict) ThrowArithmeticOverflow("long overflow");
  }
  template <class INPUT, class STATE, class OP>
  static void Operation(STATE& state, const INPUT& input, duckdb::AggregateUnaryInput&) {
    Multiply(&state, input);
  }
  template <class INPUT, class STATE, class OP>
  static void ConstantOperation(STATE& state, const INPUT& input, duckdb::AggregateUnaryInput&, duckdb::idx_t count) {
    for (duckdb::idx_t i = 0; i < count; ++i) Multiply(&state, input);
  }
  template <class STATE, class OP>
  static void Combine(const STATE& source, STATE& target, duckdb::AggregateInputData&) {
    Multiply(&target, source);
  }
  template <class T, class STATE>
  static void Finalize(STATE& state, T& target, duckdb::AggregateFinalizeData&) {
    target = state;
  }
  static bool IgnoreNull() { return true; }
};

template <bool kStrict>
void AddProduct(duckdb::ExtensionLoader& loader, const char* name) {
  auto function = duckdb::AggregateFunction::UnaryAggregate<int64_t, int64_t, int64_t, ProductOperation<kStrict>>(
      LogicalType::BIGINT, LogicalType::BIGINT);
  function.name = name;
  loader.RegisterFunction(function);
}

// How many NULLs in a row the rows end with.
struct NullRun {
  int64_t length;
  bool is_whole;  ///< All rows so far are NULL.
};

struct NullRunOperation {
  template <class STATE>
  static void Initialize(STATE& state) {
    state = {0, true};
  }
  template <class INPUT, class STATE, class OP>
  static void Operation(STATE& state, const INPUT&, duckdb::AggregateUnaryInput& input) {
    if (input.RowIsValid()) {
      state = {0, false};
    } else {
      ++state.length;
    }
  }
  template <class INPUT, class STATE, class OP>
  static void ConstantOperation(STATE& state, const INPUT& value, duckdb::AggregateUnaryInput& input,
                                duckdb::idx_t count) {
    for (duckdb::idx_t i = 0; i < count; ++i) Operation<INPUT, STATE, OP>(state, value, input);
  }
  // The rows of `source` come behind those of `target`.
  template <class STATE, class OP>
  static void Combine(const STATE& source, STATE& target, duckdb::AggregateInputData&) {
    if (source.is_whole) {
      target.length += source.length;
    } else {
      target = source;
    }
  }
  template <class T, class STATE>
  static void Finalize(STATE& state, T& target, duckdb::AggregateFinalizeData&) {
    target = state.length;
  }
  static bool IgnoreNull() { return false; }
};

// A mean whose weights fade by the same factor from row to row.
struct FadingMean {
  double numerator, denominator;
  double fading;  ///< The factor over all rows so far.
};

struct FadingMeanParameters : duckdb::FunctionData {
  double factor = 1;
  bool ignores_nulls = false;  ///< Else weights fade over rows that are NULL, too.
  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override {
    return duckdb::make_uniq<FadingMeanParameters>(*this);
  }
  bool Equals(const duckdb::FunctionData& other) const override {
    const auto& parameters = other.Cast<FadingMeanParameters>();
    return factor == parameters.factor && ignores_nulls == parameters.ignores_nulls;
  }
};

struct FadingMeanOperation {
  template <class STATE>
  static void Initialize(STATE& state) {
    state = {0, 0, 1};
  }
  template <class INPUT, class STATE, class OP>
  static void Operation(STATE& state, const INPUT& value, duckdb::AggregateUnaryInput& input) {
    const auto& parameters = input.input.bind_data->Cast<FadingMeanParameters>();
    const bool has_value = input.RowIsValid();
    if (!has_value && parameters.ignores_nulls) return;
    state.numerator = state.numerator * parameters.factor + (has_value ? value : 0);
    state.denominator = state.denominator * parameters.factor + (has_value ? 1 : 0);
    state.fading *= parameters.factor;
  }
  template <class INPUT, class STATE, class OP>
  static void ConstantOperation(STATE& state, const INPUT& value, duckdb::AggregateUnaryInput& input,
                                duckdb::idx_t count) {
    for (duckdb::idx_t i = 0; i < count; ++i) Operation<INPUT, STATE, OP>(state, value, input);
  }
  // The rows of `source` come behind those of `target`.
  template <class STATE, class OP>
  static void Combine(const STATE& source, STATE& target, duckdb::AggregateInputData&) {
    target.numerator = target.numerator * source.fading + source.numerator;
    target.denominator = target.denominator * source.fading + source.denominator;
    target.fading *= source.fading;
  }
  template <class T, class STATE>
  static void Finalize(STATE& state, T& target, duckdb::AggregateFinalizeData& data) {
    if (state.denominator == 0) {
      data.ReturnNull();
    } else {
      target = state.numerator / state.denominator;
    }
  }
  static bool IgnoreNull() { return false; }
};

// spark_ewm(value, alpha, ignores_nulls), the last two constant.
duckdb::unique_ptr<duckdb::FunctionData> BindFadingMean(
    duckdb::ClientContext& context, duckdb::AggregateFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  auto parameters = duckdb::make_uniq<FadingMeanParameters>();
  parameters->factor = 1 - duckdb::ExpressionExecutor::EvaluateScalar(context, *arguments[1])
                               .DefaultCastAs(LogicalType::DOUBLE)
                               .GetValue<double>();
  parameters->ignores_nulls = duckdb::ExpressionExecutor::EvaluateScalar(context, *arguments[2]).GetValue<bool>();
  duckdb::Function::EraseArgument(function, arguments, 2);
  duckdb::Function::EraseArgument(function, arguments, 1);
  return parameters;
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  AddProduct<true>(loader, "spark_product_long_strict");
  AddProduct<false>(loader, "spark_product_long");
  auto run = duckdb::AggregateFunction::UnaryAggregate<NullRun, bool, int64_t, NullRunOperation>(LogicalType::BOOLEAN,
                                                                                                 LogicalType::BIGINT);
  run.name = "spark_null_index";
  auto mean = duckdb::AggregateFunction::UnaryAggregate<FadingMean, double, double, FadingMeanOperation>(
      LogicalType::DOUBLE, LogicalType::DOUBLE);
  mean.name = "spark_ewm";
  mean.arguments = {LogicalType::DOUBLE, LogicalType::DOUBLE, LogicalType::BOOLEAN};
  mean.SetBindCallback(BindFadingMean);
  for (auto* function : {&run, &mean}) {
    function->SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
    function->SetOrderDependent(duckdb::AggregateOrderDependent::ORDER_DEPENDENT);
    loader.RegisterFunction(*function);
  }
}

// $2: whether NULLs are ignored; else one makes the result NULL.
std::string UnlessNull(const std::string& product) {
  return "CASE WHEN $2 OR count($1) = count(*) THEN " + product + " END";
}

}  // namespace

void RegisterPandasAggregates(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  const auto wraps = Template(UnlessNull("coalesce(spark_product_long($1), 1)"));
  registry.AddAggregate("pandas_product_long",
                        ByMode(wraps, Template(UnlessNull("coalesce(spark_product_long_strict($1), 1)")), wraps));
  // By logarithms, as Spark does: the digits are the same, and no factor overflows on the way.
  registry.AddAggregate(
      "pandas_product",
      Template(UnlessNull("CASE WHEN bool_or($1 = 0) THEN 0.0::DOUBLE "
                          "ELSE (CASE WHEN count(CASE WHEN $1 < 0 THEN true END) % 2 = 1 THEN -1 ELSE 1 END) * "
                          "exp(coalesce(sum(ln(nullif(abs($1), 0))), 0.0::DOUBLE)) END")));
  const std::string nulls = "(CASE WHEN $2 THEN 0 ELSE count(*) - count($1) END)";
  const std::string most = "greatest(coalesce(list_max(map_values(histogram($1))), 0), " + nulls + ")";
  registry.AddAggregate(
      "pandas_mode",
      Template("list_concat(coalesce(list_transform(list_filter(map_entries(histogram($1)), lambda one: one.value = " +
               most + "), lambda one: one.key), []), CASE WHEN " + nulls + " > 0 AND " + nulls + " = " + most +
               " THEN [NULL] ELSE [] END)"));
  registry.AddAggregate("least_values", Template("coalesce(min($1, $2), [])"));
  registry.AddAggregate("greatest_values", Template("coalesce(max($1, $2), [])"));
  registry.AddWindow("null_index", Template("spark_null_index(CASE WHEN $1 IS NOT NULL THEN true END)"));
  registry.AddWindow("ewm", Direct("spark_ewm"));
  registry.AddScalar("timestamp_ntz_to_long", Template("(epoch_us($1) - (epoch_us($1) % 1000000 + 1000000) % 1000000) "
                                                       "// 1000000"));
  registry.AddScalar("array_binary_search",
                     Template("coalesce(list_position($1, $2) - 1, -1 - len(list_filter($1, lambda one: one < $2)))"));
}

}  // namespace frazil::engine
