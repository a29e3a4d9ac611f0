#include "frazil/streaming/aggregate_parts.h"

#include "frazil/functions/constant.h"

namespace frazil::streaming {
namespace {

/// The variance of two sets of rows from their numbers, means and sums of squared distances (Chan, Golub, LeVeque). The
/// product of two numbers is half of what the square of their sum has beyond their squares.
AggregateParts VarianceParts(const std::string& function, const std::string& argument, const std::string& n,
                             const std::string& mean, const std::string& squares) {
  const std::string value = "CAST(" + argument + " AS DOUBLE)";
  const std::string number = "CAST(" + n + " AS DOUBLE)";
  const std::string present = "CASE WHEN " + n + " > 0L THEN " + mean + " END";
  AggregateParts parts;
  parts.of_two = true;
  parts.parts = {
      {"count(" + argument + ")", "sum(" + n + ")"},
      {"avg(" + value + ")", "sum(" + number + " * " + mean + ") / nullif(sum(" + number + "), 0D)"},
      {"coalesce(var_pop(" + value + ") * count(" + argument + "), 0D)",
       "sum(" + squares + ") + coalesce(pow(max(" + present + ") - min(" + present + "), 2D) * (pow(sum(" + number +
           "), 2D) - sum(" + number + " * " + number + ")) / 2D / nullif(sum(" + number + "), 0D), 0D)"}};
  const bool of_sample = function.ends_with("_samp");
  const std::string variance = "CASE WHEN " + n + (of_sample ? " > 1L" : " > 0L") + " THEN " + squares + " / " +
                               (of_sample ? "(" + number + " - 1D)" : number) + " END";
  parts.result = function.starts_with("stddev") ? "sqrt(" + variance + ")" : variance;
  return parts;
}

/// Of the first (or last) batch that has one.
AggregateParts PositionParts(const AggregateExpression& aggregate, const std::string& argument,
                             const std::string& value, const std::string& at, int64_t batch) {
  const std::string& function = aggregate.function;
  const std::string found = function + "(" + argument + (aggregate.ignore_nulls ? ", true)" : ")");
  const std::string none = aggregate.ignore_nulls ? found + " IS NULL" : "count(1) = 0L";
  const std::string by = function == "first" ? "min" : "max";
  return {{{"CASE WHEN " + none + " THEN NULL ELSE named_struct('v', " + found + ") END",
            by + "_by(" + value + ", " + at + ")"},
           {"CASE WHEN " + none + " THEN NULL ELSE " + std::to_string(batch) + "L END", by + "(" + at + ")"}},
          value + ".v"};
}

/// log2 of the buckets of a sketch whose error is at most the one asked for (1.04 / sqrt(buckets)).
int SketchSize(const AggregateExpression& aggregate) {
  constexpr int kLeast = 12, kMost = 21;
  if (aggregate.arguments.size() < 2) return kLeast;
  const auto error = functions::ConstantValue(*aggregate.arguments[1]);
  if (!error || error->is_null() || aggregate.arguments[1]->type->id() != TypeId::kDouble) return kMost;
  int size = kLeast;
  while (size < kMost && error->float64() * error->float64() * static_cast<double>(int64_t{1} << size) < 1.04 * 1.04)
    ++size;
  return size;
}

}  // namespace

Result<AggregateParts> PartsOf(const AggregateExpression& aggregate, const std::vector<std::string>& arguments,
                               const std::string& name, int64_t batch) {
  const std::string& function = aggregate.function;
  const std::string& argument = arguments[0];
  const auto part = [&](int i) { return name + "_" + std::to_string(i); };
  const std::string type = aggregate.type->Sql();
  if (function == "approx_count_distinct") {
    return AggregateParts{
        {{"hll_sketch_agg(CAST(" + argument + " AS STRING), " + std::to_string(SketchSize(aggregate)) + ")",
          "hll_union_agg(" + part(0) + ")"}},
        "coalesce(hll_sketch_estimate(" + part(0) + "), 0L)"};
  }
  if (function == "max_by" || function == "min_by") {
    const std::string extreme = function.substr(0, 3);
    return AggregateParts{
        {{function + "(" + argument + ", " + arguments[1] + ")", function + "(" + part(0) + ", " + part(1) + ")"},
         {extreme + "(" + arguments[1] + ")", extreme + "(" + part(1) + ")"}},
        part(0)};
  }
  if (function == "first" || function == "last") {
    // A filter makes NULLs of the rows that it leaves out.
    if (aggregate.filter != nullptr && !aggregate.ignore_nulls)
      return Error::Unsupported("The aggregate function " + function + " with FILTER over streams");
    return PositionParts(aggregate, argument, part(0), part(1), batch);
  }
  if (aggregate.arguments.size() > 1) return Error::Unsupported("The aggregate function " + function + " over streams");
  if (function == "var_samp" || function == "var_pop" || function == "stddev_samp" || function == "stddev_pop")
    return VarianceParts(function, argument, part(0), part(1), part(2));
  if (function == "count" || function == "count_if") {
    return AggregateParts{{{function + "(" + argument + ")", "sum(" + part(0) + ")"}}, "coalesce(" + part(0) + ", 0L)"};
  }
  if (function == "sum") {
    return AggregateParts{
        {{"CAST(sum(" + argument + ") AS " + type + ")", "CAST(sum(" + part(0) + ") AS " + type + ")"}}, part(0)};
  }
  if (function == "min" || function == "max")
    return AggregateParts{{{function + "(" + argument + ")", function + "(" + part(0) + ")"}}, part(0)};
  if (function == "bool_and" || function == "bool_or" || function == "bit_and" || function == "bit_or" ||
      function == "bit_xor")
    return AggregateParts{{{function + "(" + argument + ")", function + "(" + part(0) + ")"}}, part(0)};
  if (function == "avg") {
    const bool is_decimal = aggregate.type->id() == TypeId::kDecimal;
    const std::string sum = is_decimal ? "sum(" + argument + ")" : "sum(CAST(" + argument + " AS DOUBLE))";
    const std::string sum_type =
        is_decimal ? "DECIMAL(38, " + std::to_string(aggregate.arguments[0]->type->scale()) + ")" : "DOUBLE";
    return AggregateParts{{{"CAST(" + sum + " AS " + sum_type + ")", "CAST(sum(" + part(0) + ") AS " + sum_type + ")"},
                           {"count(" + argument + ")", "sum(" + part(1) + ")"}},
                          "CAST(" + part(0) + " / nullif(CAST(" + part(1) + " AS " +
                              (is_decimal ? "DECIMAL(20, 0)" : "DOUBLE") + "), 0) AS " + type + ")"};
  }
  if (function == "collect_list" || function == "collect_set") {
    const bool is_set = function == "collect_set";
    const std::string merged = "flatten(collect_list(" + part(0) + "))";
    return AggregateParts{{{function + "(" + argument + ")", is_set ? "array_distinct(" + merged + ")" : merged}},
                          part(0)};
  }
  return Error::Unsupported("The aggregate function " + function + " over streams");
}

}  // namespace frazil::streaming
