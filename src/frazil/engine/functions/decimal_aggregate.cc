#include "frazil/engine/functions/decimal_aggregate.h"

#include <duckdb/function/aggregate_function.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>

#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/type_mapping.h"
#include "frazil/types/decimal.h"

namespace frazil::engine {
namespace {

using duckdb::LogicalType;

// Up to this precision 10^10 rows stay below 38 digits: DuckDB's own sum is exact there, and faster.
constexpr int kDuckDbSumPrecision = 28;

// DuckDB aligns the states of aggregates to 8 bytes; compilers read an __int128 as one that lies at 16.
using StateInt128 = __int128 __attribute__((aligned(8)));

// A sum of 128-bit numbers as the sums of their halves: value = high * 2^64 + low.
struct WideSum {
  StateInt128 high, low;
  bool has_value;
};
static_assert(alignof(WideSum) == 8);

struct WideSumOperation {
  template <class STATE>
  static void Initialize(STATE& state) {
    state = {0, 0, false};
  }
  template <class INPUT, class STATE, class OP>
  static void Operation(STATE& state, const INPUT& input, duckdb::AggregateUnaryInput&) {
    state.high += input.upper;
    state.low += input.lower;
    state.has_value = true;
  }
  template <class INPUT, class STATE, class OP>
  static void ConstantOperation(STATE& state, const INPUT& input, duckdb::AggregateUnaryInput&, duckdb::idx_t count) {
    state.high += static_cast<__int128>(input.upper) * static_cast<__int128>(count);
    state.low += static_cast<__int128>(input.lower) * static_cast<__int128>(count);
    state.has_value = true;
  }
  template <class STATE, class OP>
  static void Combine(const STATE& source, STATE& target, duckdb::AggregateInputData&) {
    target.high += source.high;
    target.low += source.low;
    target.has_value = target.has_value || source.has_value;
  }
  template <class T, class STATE>
  static void Finalize(STATE& state, T& target, duckdb::AggregateFinalizeData& data) {
    if (!state.has_value) {
      data.ReturnNull();
      return;
    }
    const __int128 high = state.high + (state.low >> 64);
    // What 128 bits do not hold becomes their greatest number: no decimal of 38 digits either.
    if (high > INT64_MAX || high < INT64_MIN) {
      target = duckdb::hugeint_t(INT64_MAX, UINT64_MAX);
    } else {
      target = duckdb::hugeint_t(static_cast<int64_t>(high), static_cast<uint64_t>(state.low));
    }
  }
  static bool IgnoreNull() { return true; }
};

duckdb::AggregateFunction WideSumFunction(const LogicalType& argument, const LogicalType& result) {
  auto function =
      duckdb::AggregateFunction::UnaryAggregate<WideSum, duckdb::hugeint_t, duckdb::hugeint_t, WideSumOperation>(
          argument, result);
  function.name = "spark_sum_decimal";
  function.SetOrderDependent(duckdb::AggregateOrderDependent::NOT_ORDER_DEPENDENT);
  return function;
}

duckdb::unique_ptr<duckdb::FunctionData> BindWideSum(
    duckdb::ClientContext&, duckdb::AggregateFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  const auto& type = arguments[0]->return_type;
  function = WideSumFunction(type, LogicalType::DECIMAL(38, duckdb::DecimalType::GetScale(type)));
  return nullptr;
}

// What the kernels after the aggregates know: whether an overflow is an error.
struct FitData : duckdb::FunctionData {
  bool strict = false;
  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override { return duckdb::make_uniq<FitData>(*this); }
  bool Equals(const duckdb::FunctionData& other) const override { return other.Cast<FitData>().strict == strict; }
};

// The last arguments: strict, NULL of the result's type.
duckdb::unique_ptr<duckdb::FunctionData> BindFit(duckdb::ClientContext& context, duckdb::ScalarFunction& function,
                                                 duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  auto values = ConstantArguments(context, function, arguments, 2);
  auto data = duckdb::make_uniq<FitData>();
  data->strict = values[0].GetValue<bool>();
  function.SetReturnType(values[1].type());
  function.arguments[0] = arguments[0]->return_type;
  return data;
}

bool IsStrict(const duckdb::ExpressionState& state) {
  return state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<FitData>().strict;
}

// Calls compute(row, sum) -> the result's unscaled value or nothing for each row with a sum.
template <typename Compute>
void FitRows(duckdb::DataChunk& arguments, duckdb::Vector& result, Compute&& compute) {
  const bool constant = arguments.AllConstant();
  const auto size = constant ? 1 : arguments.size();
  WithDecimalStorage(arguments.data[0].GetType(), [&](auto in) {
    WithDecimalStorage(result.GetType(), [&](auto out) {
      row_kernel::Reader<decltype(in)> sums;
      sums.Prepare(arguments.data[0], size);
      result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
      for (duckdb::idx_t row = 0; row < size; ++row) {
        const std::optional<__int128> value =
            sums.IsValid(row) ? compute(row, WideOf(sums.Get(row))) : std::optional<__int128>();
        if (value.has_value()) {
          row_kernel::Write(result, row, NarrowTo<decltype(out)>(*value));
        } else {
          duckdb::FlatVector::SetNull(result, row, true);
        }
      }
    });
  });
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

// spark_fit_sum(sum, strict, NULL of the result's type).
void FitSum(duckdb::DataChunk& arguments, duckdb::ExpressionState& state, duckdb::Vector& result) {
  const bool strict = IsStrict(state);
  const int precision = duckdb::DecimalType::GetWidth(result.GetType());
  FitRows(arguments, result, [&](duckdb::idx_t, __int128 sum) -> std::optional<__int128> {
    if (FitsPrecision(sum, precision)) return sum;
    if (strict) ThrowArithmeticOverflow("Overflow in sum of decimals", "try_sum");
    return std::nullopt;
  });
}

// spark_avg_decimal(sum, count, strict, NULL of the result's type).
void Average(duckdb::DataChunk& arguments, duckdb::ExpressionState& state, duckdb::Vector& result) {
  const bool strict = IsStrict(state);
  const int precision = duckdb::DecimalType::GetWidth(result.GetType());
  const int scale = duckdb::DecimalType::GetScale(result.GetType());
  const int sum_scale = duckdb::DecimalType::GetScale(arguments.data[0].GetType());
  __int128 factor = 1, limit = 1;
  for (int i = sum_scale; i < scale; ++i) factor *= 10;
  for (int i = scale - sum_scale; i < precision; ++i) limit *= 10;
  row_kernel::Reader<int64_t> counts;
  counts.Prepare(arguments.data[1], arguments.AllConstant() ? 1 : arguments.size());
  FitRows(arguments, result, [&](duckdb::idx_t row, __int128 sum) -> std::optional<__int128> {
    if (!counts.IsValid(row) || counts.Get(row) == 0) return std::nullopt;
    if (!FitsPrecision(sum, 38)) {
      if (strict) ThrowArithmeticOverflow("Overflow in sum of decimals", "try_avg");
      return std::nullopt;
    }
    // The quotient and the rest apart, so that nothing overflows.
    const __int128 count = counts.Get(row), quotient = sum / count;
    if (quotient < limit && quotient > -limit) {
      const __int128 average = quotient * factor + DivideHalfUp((sum % count) * factor, count);
      if (FitsPrecision(average, precision)) return average;
    }
    if (strict) ThrowNumericValueOutOfRange(DecimalToString(quotient, sum_scale), precision, scale);
    return std::nullopt;
  });
}

LoweredExpression SumOf(const DataType& type, LoweredExpression value) {
  return CallOf(type.precision() > kDuckDbSumPrecision ? "spark_sum_decimal" : "sum", std::move(value));
}

LoweredExpression IsStrict(const AggregateExpression& call) {
  return ConstantOf(duckdb::Value::BOOLEAN(call.mode == EvalMode::kAnsi));
}

LoweredExpression NullOf(const DataType& type) { return CastOf(ConstantOf(duckdb::Value()), MappedType(type)); }

}  // namespace

__int128 DivideHalfUp(__int128 dividend, __int128 divisor) {
  const __int128 quotient = dividend / divisor;
  const __int128 rest = dividend % divisor;
  const __int128 magnitude = rest < 0 ? -rest : rest;
  if (magnitude * 2 >= divisor) return quotient + (dividend < 0 ? -1 : 1);
  return quotient;
}

LoweredExpression LowerDecimalSum(const AggregateExpression& call, LoweredExpression value) {
  return CallOf("spark_fit_sum", SumOf(*call.arguments[0]->type, std::move(value)), IsStrict(call), NullOf(*call.type));
}

LoweredExpression LowerDecimalAverage(const AggregateExpression& call, LoweredExpression value) {
  LoweredExpression copy = value->Copy();
  LoweredArguments parts;
  parts.push_back(SumOf(*call.arguments[0]->type, std::move(value)));
  parts.push_back(CallOf("count", std::move(copy)));
  parts.push_back(IsStrict(call));
  parts.push_back(NullOf(*call.type));
  return CallOf("spark_avg_decimal", std::move(parts));
}

void AddDecimalAggregateKernels(duckdb::ExtensionLoader& loader) {
  auto sum = WideSumFunction(LogicalType::ANY, LogicalType::ANY);
  sum.SetBindCallback(BindWideSum);
  loader.RegisterFunction(sum);
  duckdb::ScalarFunction fit("spark_fit_sum", {LogicalType::ANY, LogicalType::BOOLEAN, LogicalType::ANY},
                             LogicalType::ANY, FitSum, BindFit);
  duckdb::ScalarFunction average("spark_avg_decimal",
                                 {LogicalType::ANY, LogicalType::BIGINT, LogicalType::BOOLEAN, LogicalType::ANY},
                                 LogicalType::ANY, Average, BindFit);
  for (auto* function : {&fit, &average}) {
    function->SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
    function->SetFallible();
    loader.RegisterFunction(*function);
  }
}

}  // namespace frazil::engine
