// df.summary, describe and df.stat. Source: Spark's StatFunctions and DataFrameStatFunctions.

#include <algorithm>
#include <charconv>
#include <cmath>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/analysis/typed_expr_internal.h"
#include "frazil/base/text.h"
#include "frazil/plan/make_logical.h"

namespace frazil::analysis {

using plan::ExprPtr;

namespace {

ExprPtr Call(std::string name, std::vector<ExprPtr> arguments) {
  return plan::MakeFunctionExpr(std::move(name), std::move(arguments));
}

ExprPtr CastTo(ExprPtr child, const DataTypePtr& type, EvalMode mode) {
  auto cast = std::make_shared<plan::CastExpr>();
  cast->child = std::move(child);
  cast->type = type;
  cast->mode = mode;
  return cast;
}

ExprPtr DoubleLiteral(double value) { return plan::MakeLiteralExpr(DataType::Double(), Value(value)); }

// A statistic over one column as an expression; null where there is none of that name.
ExprPtr StatisticOf(const std::string& statistic, const Attribute& column) {
  const ExprPtr whole = MakeTypedExpr(column);
  const ExprPtr number = column.type->IsString() ? CastTo(whole, DataType::Double(), EvalMode::kTry) : whole;
  const std::string name = AsciiLower(statistic);
  if (name == "count") return Call("count", {whole});
  if (name == "mean") return Call("avg", {number});
  if (name == "stddev") return Call("stddev", {number});
  if (name == "min") return Call("min", {whole});
  if (name == "max") return Call("max", {whole});
  if (name == "approx_count_distinct") return Call("approx_count_distinct", {whole});
  if (name == "count_distinct") {
    auto call = std::make_shared<plan::FunctionExpr>();
    call->name = {"count"};
    call->arguments = {whole};
    call->is_distinct = true;
    return call;
  }
  if (!name.empty() && name.back() == '%') {
    double percent = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size() - 1, percent);
    if (parsed.ec == std::errc() && parsed.ptr == name.data() + name.size() - 1) {
      return Call("percentile_approx", {number, DoubleLiteral(percent / 100)});
    }
  }
  return nullptr;
}

}  // namespace

Result<Relation> Analyzer::AnalyzeSummary(const plan::PlanPtr& child_plan, std::vector<std::string> statistics,
                                          const std::vector<std::string>& names) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(child_plan));
  if (statistics.empty()) statistics = {"count", "mean", "stddev", "min", "25%", "50%", "75%", "max"};
  std::vector<Attribute> columns;
  if (names.empty()) {
    for (const auto& column : child.output) {
      if (column.type->IsNumeric() || column.type->IsString()) columns.push_back(column);
    }
  } else {
    FRAZIL_ASSIGN_OR_RETURN(auto found, FindColumns(child, names));
    for (auto& column : found) {
      if (column.type->IsNumeric() || column.type->IsString()) columns.push_back(std::move(column));
    }
  }
  std::vector<ExprPtr> items;
  for (const auto& statistic : statistics) {
    for (const auto& column : columns) {
      auto value = StatisticOf(statistic, column);
      if (value == nullptr)
        return Error::Plain(ExceptionClass::kIllegalArgument, statistic + " is not a recognised statistic");
      items.push_back(plan::MakeAliasExpr(CastTo(value, DataType::String(), EvalMode::kAnsi), column.name));
    }
  }
  if (columns.empty()) {
    auto rows = std::make_shared<RowSet>();
    rows->schema = DataType::Struct({StructField("summary", DataType::String(), false)});
    for (const auto& statistic : statistics) rows->rows.push_back({Value(statistic)});
    return RowsRelation(std::move(rows));
  }
  SelectStage stage(child, &context_);
  stage.SetGrouping({}, {});
  FRAZIL_ASSIGN_OR_RETURN(auto totals, AnalyzeSelect(child, std::move(stage), items, false, nullptr, nullptr));
  // One row of all figures becomes one row a statistic.
  auto node = std::make_shared<plan::UnpivotNode>();
  node->child = totals.plan;
  node->include_nulls = true;
  node->output.push_back(NewAttribute("summary", DataType::String(), true));
  for (const auto& column : columns) node->output.push_back(NewAttribute(column.name, DataType::String(), true));
  for (size_t s = 0; s < statistics.size(); ++s) {
    plan::UnpivotNode::Group group;
    group.name = statistics[s];
    for (size_t c = 0; c < columns.size(); ++c)
      group.values.push_back(MakeColumn(totals.output[s * columns.size() + c]));
    node->groups.push_back(std::move(group));
  }
  return RelationOf(node);
}

Result<Relation> Analyzer::AnalyzeCrosstab(const plan::CrosstabPlan& crosstab) {
  const auto text_of = [](const std::string& column) {
    ExprPtr name = plan::MakeAttributeExpr({column});
    ExprPtr text = CastTo(name, DataType::String(), EvalMode::kAnsi);
    return Call("coalesce", {text, plan::MakeLiteralExpr(DataType::String(), Value("null"))});
  };
  auto aggregate = std::make_shared<plan::AggregatePlan>();
  aggregate->child = crosstab.child;
  plan::GroupingElement element;
  element.sets = {{plan::MakeAliasExpr(text_of(crosstab.column1), crosstab.column1 + "_" + crosstab.column2)}};
  aggregate->grouping.push_back(std::move(element));
  aggregate->prepend_grouping = true;
  aggregate->pivot_column = text_of(crosstab.column2);
  aggregate->aggregates = {
      plan::MakeAliasExpr(Call("count", {plan::MakeLiteralExpr(DataType::Integer(), Value(1))}), "count")};
  auto fill = std::make_shared<plan::NaFillPlan>();
  fill->child = aggregate;
  fill->values = {plan::MakeLiteralExpr(DataType::Long(), Value(int64_t{0}))};
  return AnalyzeNaFill(*fill);
}

Result<Relation> Analyzer::AnalyzeCovariance(const plan::PlanPtr& child_plan, const std::string& column1,
                                             const std::string& column2, bool correlation) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(child_plan));
  FRAZIL_ASSIGN_OR_RETURN(auto columns, FindColumns(child, {column1, column2}));
  std::vector<ExprPtr> arguments;
  for (const auto& column : columns) {
    if (!column.type->IsNumeric()) {
      return Error::Plain(ExceptionClass::kIllegalArgument, std::string("requirement failed: Currently ") +
                                                                (correlation ? "correlation" : "covariance") +
                                                                " calculation for columns with dataType " +
                                                                column.type->SimpleString() + " not supported.");
    }
    // A missing value counts as 0.
    arguments.push_back(
        Call("coalesce", {CastTo(MakeTypedExpr(column), DataType::Double(), EvalMode::kAnsi), DoubleLiteral(0)}));
  }
  SelectStage stage(child, &context_);
  stage.SetGrouping({}, {});
  const std::string name = correlation ? "corr" : "cov";
  const ExprPtr item = plan::MakeAliasExpr(Call(correlation ? "corr" : "covar_samp", std::move(arguments)), name);
  return AnalyzeSelect(child, std::move(stage), {item}, false, nullptr, nullptr);
}

Result<Relation> Analyzer::AnalyzeApproxQuantile(const plan::ApproxQuantilePlan& quantile) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(quantile.child));
  FRAZIL_ASSIGN_OR_RETURN(auto columns, FindColumns(child, quantile.columns));
  std::vector<ExprPtr> probabilities;
  for (const double probability : quantile.probabilities) {
    if (!(probability >= 0 && probability <= 1)) {
      return Error::Plain(ExceptionClass::kIllegalArgument,
                          "requirement failed: percentile should be in the range [0.0, 1.0]");
    }
    probabilities.push_back(DoubleLiteral(probability));
  }
  if (!(quantile.relative_error >= 0)) {
    return Error::Plain(
        ExceptionClass::kIllegalArgument,
        "requirement failed: Relative Error must be non-negative but got " + std::to_string(quantile.relative_error));
  }
  const double accuracy =
      quantile.relative_error > 0 ? std::min(1.0 / quantile.relative_error, 2147483647.0) : 2147483647.0;
  std::vector<ExprPtr> arrays;
  for (const auto& column : columns) {
    auto call = std::make_shared<plan::FunctionExpr>();
    call->name = {"percentile_approx"};
    const ExprPtr value = CastTo(MakeTypedExpr(column), DataType::Double(), EvalMode::kAnsi);
    call->arguments = {
        value, Call("array", probabilities),
        plan::MakeLiteralExpr(DataType::Integer(), Value(static_cast<int64_t>(std::max(1.0, accuracy))))};
    call->filter = Call("not", {Call("isnan", {value})});
    arrays.push_back(
        Call("coalesce", {call, CastTo(Call("array", {}), DataType::Array(DataType::Double()), EvalMode::kAnsi)}));
  }
  SelectStage stage(child, &context_);
  stage.SetGrouping({}, {});
  return AnalyzeSelect(child, std::move(stage),
                       {plan::MakeAliasExpr(Call("array", std::move(arrays)), "approx_quantile")}, false, nullptr,
                       nullptr);
}

Result<Relation> Analyzer::AnalyzeFreqItems(const plan::FreqItemsPlan& freq_items) {
  if (!(freq_items.support >= 1e-4 && freq_items.support <= 1)) {
    return Error::Plain(ExceptionClass::kIllegalArgument, "requirement failed: Support must be in [1e-4, 1], but got " +
                                                              std::to_string(freq_items.support) + ".");
  }
  FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(freq_items.child));
  FRAZIL_ASSIGN_OR_RETURN(auto columns, FindColumns(child, freq_items.columns));
  auto result = std::make_shared<RowSet>();
  std::vector<StructField> fields;
  std::vector<Value> row;
  // Spark keeps 1/support candidates: all values where there are no more of them, else those that are frequent enough.
  const auto capacity = static_cast<size_t>(1.0 / freq_items.support);
  for (const auto& column : columns) {
    SelectStage stage(child, &context_);
    stage.SetGrouping({MakeColumn(column)}, {});
    const std::vector<ExprPtr> items{
        MakeTypedExpr(column),
        plan::MakeAliasExpr(Call("count", {plan::MakeLiteralExpr(DataType::Integer(), Value(1))}), "count")};
    FRAZIL_ASSIGN_OR_RETURN(auto counted, AnalyzeSelect(child, std::move(stage), items, false, nullptr, nullptr));
    FRAZIL_ASSIGN_OR_RETURN(auto rows, context_.CollectRows(Exact(counted)));
    int64_t total = 0;
    for (const auto& counts : rows.rows) total += counts[1].integer();
    Value::List frequent;
    for (auto& counts : rows.rows) {
      const bool kept = rows.rows.size() <= capacity ||
                        static_cast<double>(counts[1].integer()) >= freq_items.support * static_cast<double>(total);
      if (kept) frequent.push_back(std::move(counts[0]));
    }
    fields.emplace_back(column.name + "_freqItems", DataType::Array(column.type, column.nullable));
    row.push_back(Value(std::move(frequent)));
  }
  result->schema = DataType::Struct(std::move(fields));
  result->rows.push_back(std::move(row));
  return RowsRelation(std::move(result));
}

Result<Relation> Analyzer::AnalyzeSampleBy(const plan::SampleByPlan& sample_by) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(sample_by.child));
  std::vector<ExprPtr> branches;
  for (const auto& [stratum, fraction] : sample_by.fractions) {
    if (!(fraction >= 0 && fraction <= 1)) {
      return Error::Plain(ExceptionClass::kIllegalArgument,
                          "requirement failed: Fractions must be in [0, 1], but got " + std::to_string(fraction) + ".");
    }
    branches.push_back(plan::MakeFunctionExpr("==", {sample_by.column, stratum}, {}, true));
    branches.push_back(DoubleLiteral(fraction));
  }
  branches.push_back(DoubleLiteral(0));
  std::vector<ExprPtr> seed;
  if (sample_by.seed) seed.push_back(plan::MakeLiteralExpr(DataType::Long(), Value(*sample_by.seed)));
  const ExprPtr fraction = branches.size() == 1 ? branches[0] : plan::MakeFunctionExpr("when", branches, {}, true);
  Scope scope;
  scope.input = &child;
  FRAZIL_ASSIGN_OR_RETURN(auto condition,
                          AnalyzeScalar(plan::MakeFunctionExpr("<", {Call("rand", seed), fraction}, {}, true), scope));
  return OnTop(child, plan::MakeFilter(child.plan, std::move(condition)));
}

}  // namespace frazil::analysis
