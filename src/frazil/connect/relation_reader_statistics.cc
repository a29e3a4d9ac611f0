// Relations of DataFrame.stat and DataFrame.na.
#include "frazil/connect/plan_reader_internal.h"

namespace frazil::connect {
namespace {

namespace proto = spark::connect;
using NodePtr = std::shared_ptr<plan::Plan>;

template <typename Names>
std::vector<std::string> NamesOf(const Names& names) {
  return {names.begin(), names.end()};
}

}  // namespace

PlanReader::NodeResult PlanReader::ReadNaFill(const proto::NAFill& message) {
  if (message.values_size() == 0) return InvalidPlan("fillna without a value");
  if (message.values_size() > 1 && message.values_size() != message.cols_size()) {
    return InvalidPlan("fillna whose values do not match its columns");
  }
  auto node = std::make_shared<plan::NaFillPlan>();
  FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.input()));
  node->columns = NamesOf(message.cols());
  for (const auto& value : message.values()) {
    FRAZIL_ASSIGN_OR_RETURN(auto literal, ReadLiteralExpression(value, {}));
    node->values.push_back(std::move(literal));
  }
  return NodePtr(node);
}

PlanReader::NodeResult PlanReader::ReadNaDrop(const proto::NADrop& message) {
  auto node = std::make_shared<plan::NaDropPlan>();
  FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.input()));
  node->columns = NamesOf(message.cols());
  if (message.has_min_non_nulls()) node->min_non_nulls = message.min_non_nulls();
  return NodePtr(node);
}

PlanReader::NodeResult PlanReader::ReadNaReplace(const proto::NAReplace& message) {
  auto node = std::make_shared<plan::NaReplacePlan>();
  FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.input()));
  node->columns = NamesOf(message.cols());
  for (const auto& replacement : message.replacements()) {
    FRAZIL_ASSIGN_OR_RETURN(auto old_value, ReadLiteralExpression(replacement.old_value(), {}));
    FRAZIL_ASSIGN_OR_RETURN(auto new_value, ReadLiteralExpression(replacement.new_value(), {}));
    node->replacements.emplace_back(std::move(old_value), std::move(new_value));
  }
  return NodePtr(node);
}

PlanReader::NodeResult PlanReader::ReadSampleBy(const proto::StatSampleBy& message) {
  auto node = std::make_shared<plan::SampleByPlan>();
  FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.input()));
  FRAZIL_ASSIGN_OR_RETURN(node->column, ReadExpression(message.col()));
  for (const auto& fraction : message.fractions()) {
    FRAZIL_ASSIGN_OR_RETURN(auto stratum, ReadLiteralExpression(fraction.stratum(), {}));
    node->fractions.emplace_back(std::move(stratum), fraction.fraction());
  }
  if (message.has_seed()) node->seed = message.seed();
  return NodePtr(node);
}

PlanReader::NodeResult PlanReader::ReadStatistics(const proto::Relation& message) {
  using Kind = proto::Relation::RelTypeCase;
  switch (message.rel_type_case()) {
    case Kind::kFillNa:
      return ReadNaFill(message.fill_na());
    case Kind::kDropNa:
      return ReadNaDrop(message.drop_na());
    case Kind::kReplace:
      return ReadNaReplace(message.replace());
    case Kind::kSampleBy:
      return ReadSampleBy(message.sample_by());
    case Kind::kSummary: {
      auto node = std::make_shared<plan::SummaryPlan>();
      FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.summary().input()));
      node->statistics = NamesOf(message.summary().statistics());
      return NodePtr(node);
    }
    case Kind::kDescribe: {
      auto node = std::make_shared<plan::DescribeColumnsPlan>();
      FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.describe().input()));
      node->columns = NamesOf(message.describe().cols());
      return NodePtr(node);
    }
    case Kind::kCrosstab: {
      auto node = std::make_shared<plan::CrosstabPlan>();
      FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.crosstab().input()));
      node->column1 = message.crosstab().col1();
      node->column2 = message.crosstab().col2();
      return NodePtr(node);
    }
    case Kind::kCov: {
      auto node = std::make_shared<plan::CovPlan>();
      FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.cov().input()));
      node->column1 = message.cov().col1();
      node->column2 = message.cov().col2();
      return NodePtr(node);
    }
    case Kind::kCorr: {
      auto node = std::make_shared<plan::CorrPlan>();
      FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.corr().input()));
      node->column1 = message.corr().col1();
      node->column2 = message.corr().col2();
      node->method = message.corr().has_method() ? message.corr().method() : "pearson";
      return NodePtr(node);
    }
    case Kind::kApproxQuantile: {
      auto node = std::make_shared<plan::ApproxQuantilePlan>();
      FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.approx_quantile().input()));
      node->columns = NamesOf(message.approx_quantile().cols());
      node->probabilities = {message.approx_quantile().probabilities().begin(),
                             message.approx_quantile().probabilities().end()};
      node->relative_error = message.approx_quantile().relative_error();
      return NodePtr(node);
    }
    case Kind::kFreqItems: {
      auto node = std::make_shared<plan::FreqItemsPlan>();
      FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.freq_items().input()));
      node->columns = NamesOf(message.freq_items().cols());
      if (message.freq_items().has_support()) node->support = message.freq_items().support();
      return NodePtr(node);
    }
    default:
      return InvalidPlan("a relation that is no statistic");
  }
}

}  // namespace frazil::connect
