// Aggregates on DuckDB's, with Spark's result types and overflow rules, and window functions.

#include <cmath>

#include <duckdb/parser/expression/conjunction_expression.hpp>
#include <duckdb/parser/expression/function_expression.hpp>
#include <duckdb/parser/expression/operator_expression.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>

#include "frazil/engine/error_origins.h"
#include "frazil/engine/functions/core_functions.h"
#include "frazil/engine/functions/decimal_aggregate.h"
#include "frazil/engine/functions/group_key.h"
#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/engine/functions/order_key.h"
#include "frazil/engine/functions/pandas_aggregate.h"
#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/spark_functions.h"
#include "frazil/engine/type_mapping.h"
#include "frazil/functions/constant.h"

namespace frazil::engine {
namespace {

using duckdb::LogicalType;

enum class Overflow : int32_t { kWrap = 0, kError = 1, kNull = 2, kIntervalError = 3 };

Overflow OverflowOf(EvalMode mode) {
  return mode == EvalMode::kLegacy ? Overflow::kWrap : mode == EvalMode::kAnsi ? Overflow::kError : Overflow::kNull;
}

LoweredExpression OverflowArgument(Overflow overflow) {
  return ConstantOf(duckdb::Value::INTEGER(static_cast<int32_t>(overflow)));
}

// Intervals overflow with an error in every mode but try.
Overflow IntervalOverflowOf(EvalMode mode) {
  return mode == EvalMode::kTry ? Overflow::kNull : Overflow::kIntervalError;
}

template <typename T>
std::optional<T> SumAs(duckdb::hugeint_t sum, int32_t overflow) {
  const __int128 wide = WideOf(sum);
  if (wide >= std::numeric_limits<T>::min() && wide <= std::numeric_limits<T>::max()) return static_cast<T>(wide);
  switch (static_cast<Overflow>(overflow)) {
    case Overflow::kWrap:
      return static_cast<T>(wide);
    case Overflow::kError:
      ThrowArithmeticOverflow(sizeof(T) == 8 ? "long overflow" : "integer overflow", "try_add");
    case Overflow::kIntervalError:
      ThrowSparkError("INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION", {{"functionName", "`try_add`"}});
    case Overflow::kNull:
      break;
  }
  return std::nullopt;
}

template <typename T>
std::optional<T> AverageAs(duckdb::hugeint_t sum, int64_t count, int32_t overflow) {
  if (count == 0) return std::nullopt;
  const auto checked = SumAs<T>(sum, overflow);
  if (!checked.has_value()) return std::nullopt;
  return static_cast<T>(DivideHalfUp(*checked, count));
}

Result<LoweredExpression> LowerSum(LoweringContext&, const AggregateExpression& call, LoweredArguments arguments) {
  const DataType& type = *call.arguments[0]->type;
  if (type.id() == TypeId::kDecimal) return LowerDecimalSum(call, std::move(arguments[0]));
  LoweredExpression sum = CallOf("sum", std::move(arguments));
  if (type.IsIntegral()) {
    auto checked = CallOf("spark_sum_long", std::move(sum), OverflowArgument(OverflowOf(call.mode)));
    ErrorOrigins::MarkAsUnknown(*checked);
    return checked;
  }
  if (type.IsAnsiInterval())
    return CallOf(type.id() == TypeId::kDayTimeInterval ? "spark_sum_long" : "spark_sum_int", std::move(sum),
                  OverflowArgument(IntervalOverflowOf(call.mode)));
  return sum;
}

Result<LoweredExpression> LowerAverage(LoweringContext&, const AggregateExpression& call, LoweredArguments arguments) {
  const DataType& type = *call.arguments[0]->type;
  if (type.id() == TypeId::kDecimal) return LowerDecimalAverage(call, std::move(arguments[0]));
  LoweredExpression copy = arguments[0]->Copy();
  if (type.IsAnsiInterval()) {
    return CallOf(type.id() == TypeId::kYearMonthInterval ? "spark_avg_int" : "spark_avg_long",
                  CallOf("sum", std::move(arguments)), CallOf("count", std::move(copy)),
                  OverflowArgument(IntervalOverflowOf(call.mode)));
  }
  return CallOf("avg", std::move(arguments));
}

LoweredExpression IsNotNull(LoweredExpression child) {
  return duckdb::make_uniq<duckdb::OperatorExpression>(duckdb::ExpressionType::OPERATOR_IS_NOT_NULL, std::move(child));
}

Result<LoweredExpression> LowerCount(LoweringContext&, const AggregateExpression& call, LoweredArguments arguments) {
  if (arguments.empty()) return CallOf("count_star", std::move(arguments));
  if (arguments.size() == 1) {
    const auto& argument = *call.arguments[0];
    if (argument.kind == ExpressionKind::kLiteral && !argument.As<LiteralExpression>().value.is_null() &&
        !call.distinct)
      return CallOf("count_star", LoweredArguments());
    return CallOf("count", std::move(arguments));
  }
  // Rows in which no argument is NULL.
  LoweredExpression filter;
  for (const auto& argument : arguments) {
    auto test = IsNotNull(argument->Copy());
    if (filter == nullptr) {
      filter = std::move(test);
    } else {
      filter = duckdb::make_uniq<duckdb::ConjunctionExpression>(duckdb::ExpressionType::CONJUNCTION_AND,
                                                                std::move(filter), std::move(test));
    }
  }
  LoweredArguments row;
  row.push_back(CallOf("row", std::move(arguments)));
  auto count = duckdb::make_uniq<duckdb::FunctionExpression>("count", std::move(row), std::move(filter));
  return LoweredExpression(std::move(count));
}

Implementation ByNulls(const char* respect, const char* ignore) {
  return BuildAggregate(
      [respect = std::string(respect), ignore = std::string(ignore)](
          LoweringContext&, const AggregateExpression& call, LoweredArguments arguments) -> Result<LoweredExpression> {
        const bool ignores = call.ignore_nulls;
        const std::string& name = ignores ? ignore : respect;
        LoweredExpression filter = ignores && name == "last" ? IsNotNull(arguments[0]->Copy()) : nullptr;
        return LoweredExpression(
            duckdb::make_uniq<duckdb::FunctionExpression>(name, std::move(arguments), std::move(filter)));
      });
}

// collect_list and collect_set: an empty array where there is nothing.
Implementation Collect(bool is_set) {
  return BuildAggregate([is_set](LoweringContext&, const AggregateExpression& call,
                                 LoweredArguments arguments) -> Result<LoweredExpression> {
    LoweredExpression filter = call.ignore_nulls || is_set ? IsNotNull(arguments[0]->Copy()) : nullptr;
    duckdb::unique_ptr<duckdb::OrderModifier> order;
    if (is_set) {
      // Any order is right; a steady one is better.
      order = duckdb::make_uniq<duckdb::OrderModifier>();
      order->orders.emplace_back(duckdb::OrderType::ASCENDING, duckdb::OrderByNullType::NULLS_FIRST,
                                 arguments[0]->Copy());
    }
    auto list = duckdb::make_uniq<duckdb::FunctionExpression>("list", std::move(arguments), std::move(filter),
                                                              std::move(order), is_set);
    FRAZIL_ASSIGN_OR_RETURN(auto type, ToDuckDbType(*call.type));
    duckdb::vector<LoweredExpression> either;
    either.push_back(std::move(list));
    either.push_back(CastOf(ConstantOf(duckdb::Value::LIST(duckdb::ListType::GetChildType(type), {})), type));
    return LoweredExpression(
        duckdb::make_uniq<duckdb::OperatorExpression>(duckdb::ExpressionType::OPERATOR_COALESCE, std::move(either)));
  });
}

// quantile_cont or quantile_disc of the values; the percentages are constants.
Implementation Quantile(bool continuous, bool descending) {
  return BuildAggregate([continuous, descending](LoweringContext&, const AggregateExpression& call,
                                                 LoweredArguments arguments) -> Result<LoweredExpression> {
    if (arguments.size() > 2) return Error::Unsupported("percentile with frequencies");
    const bool is_array = call.type->id() == TypeId::kArray;
    const DataType& result = is_array ? *call.type->element_type() : *call.type;
    std::vector<double> percentages;
    const auto add = [&](const Expression& literal) {
      percentages.push_back(literal.As<LiteralExpression>().value.float64());
    };
    if (is_array) {
      for (const auto& one : call.arguments[1]->As<CallExpression>().arguments) add(*one);
    } else {
      add(*call.arguments[1]);
    }
    duckdb::vector<duckdb::Value> values;
    for (double percentage : percentages) {
      // DuckDB counts negative ones from the greatest value down.
      double shown = percentage;
      if (descending) shown = continuous || percentage == 0 ? 1 - percentage : -percentage;
      values.push_back(duckdb::Value::DOUBLE(shown));
    }
    LoweredExpression parameter =
        is_array ? ConstantOf(duckdb::Value::LIST(LogicalType::DOUBLE, std::move(values))) : ConstantOf(values[0]);
    LoweredExpression value =
        continuous ? CastOf(std::move(arguments[0]), LogicalType::DOUBLE) : std::move(arguments[0]);
    LoweredExpression quantile =
        CallOf(continuous ? "quantile_cont" : "quantile_disc", std::move(value), std::move(parameter));
    if (result.IsAnsiInterval() && continuous) {
      // Fractions are cut off.
      return CallOf("spark_truncate", std::move(quantile));
    }
    return quantile;
  });
}

Result<LoweredExpression> LowerListAgg(LoweringContext&, const AggregateExpression& call, LoweredArguments arguments) {
  duckdb::unique_ptr<duckdb::OrderModifier> order;
  if (call.distinct && call.order_by.empty()) {
    // Any order is right; a steady one is better.
    order = duckdb::make_uniq<duckdb::OrderModifier>();
    order->orders.emplace_back(duckdb::OrderType::ASCENDING, duckdb::OrderByNullType::NULLS_FIRST,
                               arguments[0]->Copy());
  }
  if (call.arguments[0]->type->id() == TypeId::kBinary) {
    auto delimiter = std::move(arguments[1]);
    arguments.pop_back();
    auto filter = IsNotNull(arguments[0]->Copy());
    auto list = duckdb::make_uniq<duckdb::FunctionExpression>("list", std::move(arguments), std::move(filter),
                                                              std::move(order));
    return CallOf("spark_join_bytes", LoweredExpression(std::move(list)), std::move(delimiter));
  }
  // No delimiter is an empty one.
  const auto delimiter = functions::ConstantText(*call.arguments[1]);
  arguments[1] = ConstantOf(duckdb::Value(delimiter.value_or("")));
  return LoweredExpression(
      duckdb::make_uniq<duckdb::FunctionExpression>("string_agg", std::move(arguments), nullptr, std::move(order)));
}

// spark_join_bytes(BLOB[], delimiter): the values joined; no delimiter is an empty one.
void JoinBytes(duckdb::DataChunk& arguments, duckdb::ExpressionState&, duckdb::Vector& result) {
  const auto count = arguments.size();
  duckdb::UnifiedVectorFormat lists, children;
  arguments.data[0].ToUnifiedFormat(count, lists);
  duckdb::ListVector::GetEntry(arguments.data[0])
      .ToUnifiedFormat(duckdb::ListVector::GetListSize(arguments.data[0]), children);
  row_kernel::Reader<std::optional<std::string_view>> delimiters;
  delimiters.Prepare(arguments.data[1], count);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (duckdb::idx_t row = 0; row < count; ++row) {
    const auto index = lists.sel->get_index(row);
    if (!lists.validity.RowIsValid(index)) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    const auto entry = reinterpret_cast<const duckdb::list_entry_t*>(lists.data)[index];
    const auto delimiter = delimiters.Get(row).value_or(std::string_view());
    std::string joined;
    for (auto i = entry.offset; i < entry.offset + entry.length; ++i) {
      const auto& value = reinterpret_cast<const duckdb::string_t*>(children.data)[children.sel->get_index(i)];
      if (i > entry.offset) joined += delimiter;
      joined.append(value.GetData(), value.GetSize());
    }
    row_kernel::Write(result, row, joined);
  }
  if (arguments.AllConstant()) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

// A histogram as Spark (and Hive) builds it: bars that are nearest are merged when there are too many.
struct Bar {
  double x, y;
};
void AddToHistogram(std::vector<Bar>* bars, double value, size_t limit) {
  size_t left = 0, right = bars->size();
  while (left < right) {
    const size_t middle = (left + right) / 2;
    if ((*bars)[middle].x < value) {
      left = middle + 1;
    } else {
      right = middle;
    }
  }
  if (left < bars->size() && (*bars)[left].x == value) {
    (*bars)[left].y += 1;
    return;
  }
  bars->insert(bars->begin() + static_cast<ptrdiff_t>(left), Bar{value, 1});
  if (bars->size() <= limit) return;
  size_t nearest = 0;
  double smallest = (*bars)[1].x - (*bars)[0].x;
  for (size_t i = 1; i + 1 < bars->size(); ++i) {
    const double difference = (*bars)[i + 1].x - (*bars)[i].x;
    if (difference < smallest) {
      smallest = difference;
      nearest = i;
    }
  }
  Bar& a = (*bars)[nearest];
  const Bar& b = (*bars)[nearest + 1];
  const double weight = a.y + b.y;
  a.x = a.x * (a.y / weight) + b.x * (b.y / weight);
  a.y = weight;
  bars->erase(bars->begin() + static_cast<ptrdiff_t>(nearest) + 1);
}

// spark_histogram(DOUBLE[], INTEGER, whether x is a whole number) -> STRUCT(x DOUBLE, y DOUBLE)[].
void Histogram(duckdb::DataChunk& arguments, duckdb::ExpressionState&, duckdb::Vector& result) {
  const auto count = arguments.size();
  duckdb::UnifiedVectorFormat lists, children;
  row_kernel::Reader<int32_t> limits;
  arguments.data[0].ToUnifiedFormat(count, lists);
  auto& child = duckdb::ListVector::GetEntry(arguments.data[0]);
  child.ToUnifiedFormat(duckdb::ListVector::GetListSize(arguments.data[0]), children);
  limits.Prepare(arguments.data[1], count);
  row_kernel::Reader<bool> whole;
  whole.Prepare(arguments.data[2], count);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (duckdb::idx_t row = 0; row < count; ++row) {
    const auto index = lists.sel->get_index(row);
    if (!lists.validity.RowIsValid(index)) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    const auto entry = reinterpret_cast<const duckdb::list_entry_t*>(lists.data)[index];
    std::vector<Bar> bars;
    for (auto i = entry.offset; i < entry.offset + entry.length; ++i) {
      const auto at = children.sel->get_index(i);
      if (children.validity.RowIsValid(at))
        AddToHistogram(&bars, reinterpret_cast<const double*>(children.data)[at], static_cast<size_t>(limits.Get(row)));
    }
    const auto offset = duckdb::ListVector::GetListSize(result);
    duckdb::ListVector::Reserve(result, offset + bars.size());
    auto& members = duckdb::StructVector::GetEntries(duckdb::ListVector::GetEntry(result));
    for (size_t i = 0; i < bars.size(); ++i) {
      duckdb::FlatVector::GetData<double>(*members[0])[offset + i] = whole.Get(row) ? std::trunc(bars[i].x) : bars[i].x;
      duckdb::FlatVector::GetData<double>(*members[1])[offset + i] = bars[i].y;
    }
    duckdb::ListVector::SetListSize(result, offset + bars.size());
    duckdb::FlatVector::GetData<duckdb::list_entry_t>(result)[row] = {offset, bars.size()};
  }
  if (arguments.AllConstant()) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  const auto H = LogicalType::HUGEINT, I = LogicalType::INTEGER, L = LogicalType::BIGINT;
  AddRowKernel(loader, "spark_sum_long", {H, I}, L, &SumAs<int64_t>, kFallible);
  AddRowKernel(loader, "spark_sum_int", {H, I}, I, &SumAs<int32_t>, kFallible);
  AddRowKernel(loader, "spark_avg_long", {H, L, I}, L, &AverageAs<int64_t>, kFallible);
  AddRowKernel(loader, "spark_avg_int", {H, L, I}, I, &AverageAs<int32_t>, kFallible);
  AddRowKernel(loader, "spark_truncate", {LogicalType::DOUBLE}, L,
               [](double value) -> int64_t { return static_cast<int64_t>(value); });
  duckdb::ScalarFunction truncate_list(
      "spark_truncate", {LogicalType::LIST(LogicalType::DOUBLE)}, LogicalType::LIST(L),
      [](duckdb::DataChunk& arguments, duckdb::ExpressionState&, duckdb::Vector& result) {
        const auto count = arguments.size();
        duckdb::UnifiedVectorFormat lists, children;
        arguments.data[0].ToUnifiedFormat(count, lists);
        duckdb::ListVector::GetEntry(arguments.data[0])
            .ToUnifiedFormat(duckdb::ListVector::GetListSize(arguments.data[0]), children);
        result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
        for (duckdb::idx_t row = 0; row < count; ++row) {
          const auto index = lists.sel->get_index(row);
          if (!lists.validity.RowIsValid(index)) {
            duckdb::FlatVector::SetNull(result, row, true);
            continue;
          }
          const auto entry = reinterpret_cast<const duckdb::list_entry_t*>(lists.data)[index];
          std::vector<int64_t> values;
          for (auto i = entry.offset; i < entry.offset + entry.length; ++i) {
            values.push_back(
                static_cast<int64_t>(reinterpret_cast<const double*>(children.data)[children.sel->get_index(i)]));
          }
          row_kernel::Write(result, row, values);
        }
        if (arguments.AllConstant()) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
      });
  truncate_list.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  loader.RegisterFunction(truncate_list);
  duckdb::child_list_t<LogicalType> bar = {{"x", LogicalType::DOUBLE}, {"y", LogicalType::DOUBLE}};
  duckdb::ScalarFunction histogram("spark_histogram", {LogicalType::LIST(LogicalType::DOUBLE), I, LogicalType::BOOLEAN},
                                   LogicalType::LIST(LogicalType::STRUCT(std::move(bar))), Histogram);
  histogram.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  loader.RegisterFunction(histogram);
  duckdb::ScalarFunction join("spark_join_bytes", {LogicalType::LIST(LogicalType::BLOB), LogicalType::BLOB},
                              LogicalType::BLOB, JoinBytes);
  join.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  loader.RegisterFunction(join);
}

// The least or greatest value, by its order key where it has one.
AggregateBuilder Extreme(std::string plain, std::string by_key) {
  return
      [plain = std::move(plain), by_key = std::move(by_key)](LoweringContext&, const AggregateExpression& aggregate,
                                                             LoweredArguments arguments) -> Result<LoweredExpression> {
        const DataType& type = *aggregate.arguments[0]->type;
        if (!NeedsOrderKey(type)) return CallOf(plain, std::move(arguments));
        auto key = OrderKeyOf(type, arguments[0]->Copy());
        return CallOf(by_key, std::move(arguments[0]), std::move(key));
      };
}

AggregateBuilder ExtremeBy(std::string name) {
  return [name = std::move(name)](LoweringContext&, const AggregateExpression& aggregate,
                                  LoweredArguments arguments) -> Result<LoweredExpression> {
    arguments[1] = OrderKeyOf(*aggregate.arguments[1]->type, std::move(arguments[1]));
    return CallOf(name, std::move(arguments));
  };
}

}  // namespace

void RegisterAggregateFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  RegisterMomentAggregates(registry);
  RegisterPandasAggregates(registry);
  registry.AddKernels(AddDecimalAggregateKernels);
  registry.AddKernels(AddGroupKeyKernel);
  registry.AddKernels(AddOrderKeyKernel);
  registry.AddAggregate("sum", BuildAggregate(LowerSum));
  registry.AddAggregate("avg", BuildAggregate(LowerAverage));
  registry.AddAggregate("count", BuildAggregate(LowerCount));
  registry.AddAggregate("product", Direct("product"));
  registry.AddAggregate("min", BuildAggregate(Extreme("min", "arg_min")));
  registry.AddAggregate("max", BuildAggregate(Extreme("max", "arg_max")));
  registry.AddAggregate("max_by", BuildAggregate(ExtremeBy("arg_max_null")));
  registry.AddAggregate("min_by", BuildAggregate(ExtremeBy("arg_min_null")));
  registry.AddAggregate("first", ByNulls("first", "any_value"));
  registry.AddAggregate("last", ByNulls("last", "last"));
  registry.AddAggregate("collect_list", Collect(false));
  registry.AddAggregate("collect_set", Collect(true));
  registry.AddAggregate("count_if", Template("count(CASE WHEN $1 THEN true END)"));
  for (const char* name : {"bool_and", "bool_or", "bit_and", "bit_or", "bit_xor"})
    registry.AddAggregate(name, Direct(name));
  registry.AddAggregate("approx_count_distinct", Template("count(DISTINCT $1)"));
  registry.AddAggregate("percentile", Quantile(true, false));
  registry.AddAggregate("percentile_descending", Quantile(true, true));
  registry.AddAggregate("percentile_disc", Quantile(false, false));
  registry.AddAggregate("percentile_disc_descending", Quantile(false, true));
  registry.AddAggregate("approx_percentile", Quantile(false, false));
  registry.AddAggregate("mode", Template("mode($1)"));
  registry.AddAggregate("mode_least", Template("mode($1 ORDER BY $1 ASC)"));
  registry.AddAggregate("mode_greatest", Template("mode($1 ORDER BY $1 DESC)"));
  registry.AddAggregate("listagg", BuildAggregate(LowerListAgg));
  registry.AddAggregate(
      "histogram_numeric", BuildAggregate([](LoweringContext&, const AggregateExpression& call,
                                             LoweredArguments arguments) -> Result<LoweredExpression> {
        const DataType& type = *call.arguments[0]->type;
        if (type.IsDatetime()) return Error::Unsupported("histogram_numeric of " + type.SimpleString());
        auto filter = IsNotNull(arguments[0]->Copy());
        LoweredArguments values;
        values.push_back(CastOf(std::move(arguments[0]), LogicalType::DOUBLE));
        LoweredExpression list =
            duckdb::make_uniq<duckdb::FunctionExpression>("list", std::move(values), std::move(filter));
        const bool whole = type.IsIntegral() || type.IsAnsiInterval();
        return CallOf("spark_histogram", std::move(list), std::move(arguments[1]),
                      ConstantOf(duckdb::Value::BOOLEAN(whole)));
      }));
}

void RegisterWindowFunctions(FunctionLoweringRegistry& registry) {
  for (const char* name :
       {"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead", "nth_value"})
    registry.AddWindow(name, Direct(name));
  registry.AddWindow("first", Direct("first_value"));
  registry.AddWindow("last", Direct("last_value"));
}

}  // namespace frazil::engine
