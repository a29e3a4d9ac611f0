// Moments, correlation and linear regression.

#include "frazil/functions/list/topics.h"

namespace frazil::functions {
namespace {

const char* const kGroup = "agg_funcs";

Entry Moment(std::string name, std::string since, std::string usage) {
  return Aggregate(std::move(name), {Double()}, DataType::Double()).Group(kGroup, std::move(since), std::move(usage));
}

Entry Pair(std::string name, std::string since, std::string usage) {
  return Aggregate(std::move(name), {Double(), Double()}, DataType::Double())
      .Group(kGroup, std::move(since), std::move(usage));
}

}  // namespace

void AddStatisticalAggregates(FunctionList& list) {
  list.Group(kGroup);
  list.Add(Moment("stddev_samp", "1.6.0", "Standard deviation of a sample.").Alias({"stddev", "std"}));
  list.Add(Moment("stddev_pop", "1.6.0", "Standard deviation of a population."));
  list.Add(Moment("var_samp", "1.6.0", "Variance of a sample.").Alias({"variance"}));
  list.Add(Moment("var_pop", "1.6.0", "Variance of a population."));
  list.Add(Moment("skewness", "1.6.0", "Skewness."));
  list.Add(Moment("kurtosis", "1.6.0", "Excess kurtosis."));
  list.Add(Pair("corr", "1.6.0", "Pearson correlation."));
  list.Add(Pair("covar_pop", "2.0.0", "Covariance of a population."));
  list.Add(Pair("covar_samp", "2.0.0", "Covariance of a sample."));
  list.Add(Aggregate("regr_count", {Double(), Double()}, DataType::Long())
               .Nulls(NullRule::kNever)
               .Group(kGroup, "3.3.0", "Number of pairs without NULL."));
  list.Add(Pair("regr_avgx", "3.3.0", "Mean of the second argument over the pairs without NULL."));
  list.Add(Pair("regr_avgy", "3.3.0", "Mean of the first argument over the pairs without NULL."));
  list.Add(Pair("regr_r2", "3.3.0", "Coefficient of determination."));
  list.Add(Pair("regr_slope", "3.4.0", "Slope of the regression line."));
  list.Add(Pair("regr_intercept", "3.4.0", "Where the regression line meets the y axis."));
  list.Add(Pair("regr_sxx", "3.4.0", "Sum of squares of the second argument."));
  list.Add(Pair("regr_sxy", "3.4.0", "Sum of products."));
  list.Add(Pair("regr_syy", "3.4.0", "Sum of squares of the first argument."));
}

}  // namespace frazil::functions
