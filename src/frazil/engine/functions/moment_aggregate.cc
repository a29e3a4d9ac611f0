// Variance, skewness, kurtosis, covariance, correlation and regression as Spark merges them: central moments, so that
// the result does not lose digits.

#include <cmath>

#include <duckdb/function/aggregate_function.hpp>

#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/spark_functions.h"

namespace frazil::engine {
namespace {

using duckdb::LogicalType;

// Count, mean and sums of powers of the differences from the mean.
struct Moments {
  double count, mean, m2, m3, m4;
};

void AddValue(Moments* state, double value) {
  const double n = state->count, next = n + 1;
  const double delta = value - state->mean;
  const double delta_n = delta / next;
  const double term = delta * delta_n * n;
  const double m2 = state->m2, m3 = state->m3;
  state->count = next;
  state->mean += delta_n;
  state->m4 += term * delta_n * delta_n * (next * next - 3 * next + 3) + 6 * delta_n * delta_n * m2 - 4 * delta_n * m3;
  state->m3 += term * delta_n * (next - 2) - 3 * delta_n * m2;
  state->m2 += term;
}

void Merge(const Moments& source, Moments* target) {
  if (source.count == 0) return;
  if (target->count == 0) {
    *target = source;
    return;
  }
  const double n1 = target->count, n2 = source.count, n = n1 + n2;
  const double delta = source.mean - target->mean;
  const double delta_n = delta / n;
  const double m2 = target->m2 + source.m2 + delta * delta_n * n1 * n2;
  const double m3 = target->m3 + source.m3 + delta_n * delta_n * delta * n1 * n2 * (n1 - n2) +
                    3 * delta_n * (n1 * source.m2 - n2 * target->m2);
  const double m4 = target->m4 + source.m4 +
                    delta_n * delta_n * delta_n * delta * n1 * n2 * (n1 * n1 - n1 * n2 + n2 * n2) +
                    6 * delta_n * delta_n * (n1 * n1 * source.m2 + n2 * n2 * target->m2) +
                    4 * delta_n * (n1 * source.m3 - n2 * target->m3);
  *target = {n, target->mean + delta_n * n2, m2, m3, m4};
}

using MomentResult = std::optional<double> (*)(const Moments&);

template <MomentResult kResult>
struct MomentOperation {
  template <class STATE>
  static void Initialize(STATE& state) {
    state = {0, 0, 0, 0, 0};
  }
  template <class INPUT, class STATE, class OP>
  static void Operation(STATE& state, const INPUT& input, duckdb::AggregateUnaryInput&) {
    AddValue(&state, input);
  }
  template <class INPUT, class STATE, class OP>
  static void ConstantOperation(STATE& state, const INPUT& input, duckdb::AggregateUnaryInput&, duckdb::idx_t count) {
    for (duckdb::idx_t i = 0; i < count; ++i) AddValue(&state, input);
  }
  template <class STATE, class OP>
  static void Combine(const STATE& source, STATE& target, duckdb::AggregateInputData&) {
    Merge(source, &target);
  }
  template <class T, class STATE>
  static void Finalize(STATE& state, T& target, duckdb::AggregateFinalizeData& data) {
    const auto result = kResult(state);
    if (result.has_value()) {
      target = *result;
    } else {
      data.ReturnNull();
    }
  }
  static bool IgnoreNull() { return true; }
};

std::optional<double> VariancePopulation(const Moments& m) {
  return m.count == 0 ? std::nullopt : std::optional(m.m2 / m.count);
}
std::optional<double> VarianceSample(const Moments& m) {
  return m.count < 2 ? std::nullopt : std::optional(m.m2 / (m.count - 1));
}
std::optional<double> DeviationPopulation(const Moments& m) {
  return m.count == 0 ? std::nullopt : std::optional(std::sqrt(m.m2 / m.count));
}
std::optional<double> DeviationSample(const Moments& m) {
  return m.count < 2 ? std::nullopt : std::optional(std::sqrt(m.m2 / (m.count - 1)));
}
std::optional<double> Skewness(const Moments& m) {
  if (m.count == 0 || m.m2 == 0) return std::nullopt;
  return std::sqrt(m.count) * m.m3 / std::sqrt(m.m2 * m.m2 * m.m2);
}
std::optional<double> Kurtosis(const Moments& m) {
  if (m.count == 0 || m.m2 == 0) return std::nullopt;
  return m.count * m.m4 / (m.m2 * m.m2) - 3.0;
}
std::optional<double> SumOfSquares(const Moments& m) { return m.count == 0 ? std::nullopt : std::optional(m.m2); }
// Free of bias, as pandas has them. So small a sum counts as none.
double WithoutNoise(double moment) { return std::abs(moment) < 1e-14 ? 0 : moment; }
std::optional<double> UnbiasedSkewness(const Moments& m) {
  if (m.count < 3) return std::nullopt;
  const double n = m.count, m2 = WithoutNoise(m.m2), m3 = WithoutNoise(m.m3);
  if (m2 == 0) return 0.0;
  return n * std::sqrt(n - 1) / (n - 2) * m3 / std::sqrt(m2 * m2 * m2);
}
std::optional<double> UnbiasedKurtosis(const Moments& m) {
  if (m.count < 4) return std::nullopt;
  const double n = m.count;
  const double numerator = WithoutNoise(n * (n + 1) * (n - 1) * m.m4);
  const double denominator = WithoutNoise((n - 2) * (n - 3) * m.m2 * m.m2);
  if (denominator == 0) return 0.0;
  return numerator / denominator - (n - 1) / (n - 2) * ((n - 1) / (n - 3)) * 3;
}

// Pairs (x, y): counts, means, and sums of squares and products of the differences.
struct CoMoments {
  double count, mean_x, mean_y, xy, xx, yy;
};

void AddPair(CoMoments* state, double x, double y) {
  const double next = state->count + 1;
  const double dx = x - state->mean_x, dy = y - state->mean_y;
  state->mean_x += dx / next;
  state->mean_y += dy / next;
  state->xy += dx * (y - state->mean_y);
  state->xx += dx * (x - state->mean_x);
  state->yy += dy * (y - state->mean_y);
  state->count = next;
}

void Merge(const CoMoments& source, CoMoments* target) {
  if (source.count == 0) return;
  if (target->count == 0) {
    *target = source;
    return;
  }
  const double n1 = target->count, n2 = source.count, n = n1 + n2;
  const double dx = source.mean_x - target->mean_x, dy = source.mean_y - target->mean_y;
  target->xy += source.xy + dx * dy * n1 * n2 / n;
  target->xx += source.xx + dx * dx * n1 * n2 / n;
  target->yy += source.yy + dy * dy * n1 * n2 / n;
  target->mean_x += dx * n2 / n;
  target->mean_y += dy * n2 / n;
  target->count = n;
}

using PairResult = std::optional<double> (*)(const CoMoments&);

// The first argument is y, the second x, as in regr_slope(y, x).
template <PairResult kResult>
struct PairOperation {
  template <class STATE>
  static void Initialize(STATE& state) {
    state = {0, 0, 0, 0, 0, 0};
  }
  template <class A, class B, class STATE, class OP>
  static void Operation(STATE& state, const A& y, const B& x, duckdb::AggregateBinaryInput&) {
    AddPair(&state, x, y);
  }
  template <class STATE, class OP>
  static void Combine(const STATE& source, STATE& target, duckdb::AggregateInputData&) {
    Merge(source, &target);
  }
  template <class T, class STATE>
  static void Finalize(STATE& state, T& target, duckdb::AggregateFinalizeData& data) {
    const auto result = kResult(state);
    if (result.has_value()) {
      target = *result;
    } else {
      data.ReturnNull();
    }
  }
  static bool IgnoreNull() { return true; }
};

std::optional<double> OrNull(bool has_value, double value) { return has_value ? std::optional(value) : std::nullopt; }

std::optional<double> SumOfProducts(const CoMoments& m) { return OrNull(m.count > 0, m.xy); }
std::optional<double> CovariancePopulation(const CoMoments& m) { return OrNull(m.count > 0, m.xy / m.count); }
std::optional<double> CovarianceSample(const CoMoments& m) { return OrNull(m.count > 1, m.xy / (m.count - 1)); }
std::optional<double> Correlation(const CoMoments& m) {
  if (m.count < 2) return std::nullopt;
  return m.xy / std::sqrt(m.xx * m.yy);
}
std::optional<double> AverageX(const CoMoments& m) { return OrNull(m.count > 0, m.mean_x); }
std::optional<double> AverageY(const CoMoments& m) { return OrNull(m.count > 0, m.mean_y); }
std::optional<double> SumXX(const CoMoments& m) { return OrNull(m.count > 0, m.xx); }
std::optional<double> SumYY(const CoMoments& m) { return OrNull(m.count > 0, m.yy); }
std::optional<double> SumXY(const CoMoments& m) { return OrNull(m.count > 0, m.xy); }
std::optional<double> Slope(const CoMoments& m) { return OrNull(m.count > 1 && m.xx != 0, m.xy / m.xx); }
std::optional<double> Intercept(const CoMoments& m) {
  return OrNull(m.count > 1 && m.xx != 0, m.mean_y - m.xy / m.xx * m.mean_x);
}
std::optional<double> Determination(const CoMoments& m) {
  if (m.count < 2 || m.xx == 0) return std::nullopt;
  if (m.yy == 0) return 1.0;
  const double correlation = m.xy / std::sqrt(m.xx * m.yy);
  return correlation * correlation;
}

template <MomentResult kResult>
void AddMoment(duckdb::ExtensionLoader& loader, const char* name) {
  auto function = duckdb::AggregateFunction::UnaryAggregate<Moments, double, double, MomentOperation<kResult>>(
      LogicalType::DOUBLE, LogicalType::DOUBLE);
  function.name = std::string("spark_") + name;
  function.SetOrderDependent(duckdb::AggregateOrderDependent::NOT_ORDER_DEPENDENT);
  loader.RegisterFunction(function);
}

template <PairResult kResult>
void AddPairAggregate(duckdb::ExtensionLoader& loader, const char* name) {
  auto function = duckdb::AggregateFunction::BinaryAggregate<CoMoments, double, double, double, PairOperation<kResult>>(
      LogicalType::DOUBLE, LogicalType::DOUBLE, LogicalType::DOUBLE);
  function.name = std::string("spark_") + name;
  function.SetOrderDependent(duckdb::AggregateOrderDependent::NOT_ORDER_DEPENDENT);
  loader.RegisterFunction(function);
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  AddMoment<VariancePopulation>(loader, "var_pop");
  AddMoment<VarianceSample>(loader, "var_samp");
  AddMoment<DeviationPopulation>(loader, "stddev_pop");
  AddMoment<DeviationSample>(loader, "stddev_samp");
  AddMoment<Skewness>(loader, "skewness");
  AddMoment<Kurtosis>(loader, "kurtosis");
  AddMoment<SumOfSquares>(loader, "sum_of_squares");
  AddMoment<UnbiasedSkewness>(loader, "pandas_skew");
  AddMoment<UnbiasedKurtosis>(loader, "pandas_kurt");
  AddPairAggregate<SumOfProducts>(loader, "sum_of_products");
  AddPairAggregate<CovariancePopulation>(loader, "covar_pop");
  AddPairAggregate<CovarianceSample>(loader, "covar_samp");
  AddPairAggregate<Correlation>(loader, "corr");
  AddPairAggregate<AverageX>(loader, "regr_avgx");
  AddPairAggregate<AverageY>(loader, "regr_avgy");
  AddPairAggregate<SumXX>(loader, "regr_sxx");
  AddPairAggregate<SumYY>(loader, "regr_syy");
  AddPairAggregate<SumXY>(loader, "regr_sxy");
  AddPairAggregate<Slope>(loader, "regr_slope");
  AddPairAggregate<Intercept>(loader, "regr_intercept");
  AddPairAggregate<Determination>(loader, "regr_r2");
}

}  // namespace

void RegisterMomentAggregates(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  for (const char* name : {"var_pop", "var_samp", "stddev_pop", "stddev_samp", "skewness", "kurtosis", "pandas_skew",
                           "pandas_kurt", "covar_pop", "covar_samp", "corr", "regr_avgx", "regr_avgy", "regr_sxx",
                           "regr_syy", "regr_sxy", "regr_slope", "regr_intercept", "regr_r2"}) {
    registry.AddAggregate(name, Direct(std::string("spark_") + name));
  }
  const std::string pairs = "count(CASE WHEN $1 IS NOT NULL AND $2 IS NOT NULL THEN true END)";
  registry.AddAggregate("regr_count", Template(pairs));
  // Sums over the number of rows less the degrees of freedom.
  const auto mean = [](const std::string& sum, const std::string& count, const std::string& degrees) {
    return sum + " / nullif(" + count + " - " + degrees + ", 0)";
  };
  const std::string variance = mean("spark_sum_of_squares($1)", "count($1)", "$2");
  registry.AddAggregate("pandas_var", Template(variance));
  registry.AddAggregate("pandas_stddev",
                        Template("CASE WHEN count($1) < $2 THEN 'NaN'::DOUBLE ELSE sqrt(" + variance + ") END"));
  registry.AddAggregate("pandas_covar", Template(mean("spark_sum_of_products($1, $2)", pairs, "$3")));
}

}  // namespace frazil::engine
