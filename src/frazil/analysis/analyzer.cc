#include "frazil/analysis/analyzer.h"

#include <algorithm>
#include <utility>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/base/text.h"
#include "frazil/plan/make_logical.h"

namespace frazil::analysis {

using plan::PlanKind;
using plan::PlanPtr;

namespace {
// Deeper plans would exhaust the stack.
constexpr int kMaxPlanDepth = 2000;
}  // namespace

Relation Analyzer::RelationOf(plan::LogicalPlanPtr plan) {
  Relation relation;
  relation.output = plan->output;
  relation.plan = std::move(plan);
  return relation;
}

Attribute Analyzer::NewAttribute(std::string name, DataTypePtr type, bool nullable) {
  Attribute attribute;
  attribute.id = context_.NextId();
  attribute.name = std::move(name);
  attribute.type = std::move(type);
  attribute.nullable = nullable;
  return attribute;
}

std::vector<Attribute> Analyzer::NewAttributes(const DataType& schema, const std::vector<std::string>& qualifier) {
  std::vector<Attribute> attributes;
  for (const auto& field : schema.fields()) {
    auto attribute = NewAttribute(field.name, field.type, field.nullable);
    attribute.metadata = field.metadata;
    attribute.qualifier = qualifier;
    attributes.push_back(std::move(attribute));
  }
  return attributes;
}

plan::LogicalPlanPtr Analyzer::Exact(const Relation& relation) {
  const auto& have = relation.plan->output;
  const auto& want = relation.output;
  const bool same =
      have.size() == want.size() &&
      std::equal(have.begin(), have.end(), want.begin(), [](const Attribute& left, const Attribute& right) {
        return left.id == right.id && left.name == right.name && left.nullable == right.nullable &&
               left.metadata == right.metadata;
      });
  if (same) return relation.plan;
  std::vector<ExpressionPtr> expressions;
  std::vector<Attribute> output;
  std::set<AttributeId> seen;
  for (const auto& attribute : want) {
    expressions.push_back(MakeColumn(attribute));
    output.push_back(attribute);
    if (!seen.insert(attribute.id).second) output.back().id = context_.NextId();
  }
  return plan::MakeProject(relation.plan, std::move(expressions), std::move(output));
}

Relation Analyzer::ExactRelation(const Relation& relation) {
  Relation exact = RelationOf(Exact(relation));
  exact.output = exact.plan->output;
  exact.dataframes = relation.dataframes;
  return exact;
}

Relation Analyzer::OnTop(const Relation& child, plan::LogicalPlanPtr plan) {
  Relation relation = child;
  relation.plan = std::move(plan);
  return relation;
}

void Analyzer::Renumber(const std::vector<Attribute>& from, const std::vector<Attribute>& to,
                        std::vector<DataFrameColumns>* dataframes) {
  std::map<AttributeId, const Attribute*> renamed;
  for (size_t i = 0; i < from.size() && i < to.size(); ++i) renamed.emplace(from[i].id, &to[i]);
  for (auto& dataframe : *dataframes) {
    auto columns = *dataframe.columns;
    for (auto& column : columns) {
      if (const auto found = renamed.find(column.id); found != renamed.end()) column = *found->second;
    }
    dataframe.columns = std::make_shared<const std::vector<Attribute>>(std::move(columns));
  }
}

Result<plan::LogicalPlanPtr> Analyzer::AnalyzeRoot(const PlanPtr& plan) {
  FRAZIL_ASSIGN_OR_RETURN(auto relation, AnalyzePlan(plan));
  return Exact(relation);
}

Result<NamedRelation> Analyzer::AnalyzeNamed(const PlanPtr& plan) {
  FRAZIL_ASSIGN_OR_RETURN(auto relation, AnalyzePlan(plan));
  NamedRelation named{Exact(relation), {}};
  named.columns = named.plan->output;
  for (size_t i = 0; i < named.columns.size(); ++i) named.columns[i].qualifier = relation.output[i].qualifier;
  return named;
}

Result<Relation> Analyzer::AnalyzePlan(const PlanPtr& plan) {
  if (plan == nullptr) return Error::Internal("A relation has no input.");
  if (++depth_ > kMaxPlanDepth) {
    depth_ = 0;
    return Error::Plain(ExceptionClass::kAnalysis, "The plan is nested too deeply.");
  }
  auto result = Dispatch(plan);
  --depth_;
  if (!result.ok()) return At(std::move(result).error(), plan->origin);
  for (auto& dataframe : result->dataframes) ++dataframe.depth;
  if (plan->plan_id) {
    DataFrameColumns columns;
    columns.plan_id = *plan->plan_id;
    auto attributes = result->output;
    for (const auto& hidden : result->hidden) {
      if (!hidden.qualified_only) attributes.push_back(hidden.attribute);
    }
    columns.columns = std::make_shared<const std::vector<Attribute>>(std::move(attributes));
    result->dataframes.push_back(std::move(columns));
  }
  return result;
}

Result<Relation> Analyzer::Dispatch(const PlanPtr& plan) {
  switch (plan->kind) {
    case PlanKind::kNamedTable:
      return AnalyzeNamedTable(plan->As<plan::NamedTablePlan>());
    case PlanKind::kDataSource:
      return AnalyzeDataSource(plan->As<plan::DataSourcePlan>());
    case PlanKind::kTableFunction:
      return AnalyzeTableFunction(plan->As<plan::TableFunctionPlan>());
    case PlanKind::kLocalRelation:
      return AnalyzeLocalRelation(plan->As<plan::LocalRelationPlan>());
    case PlanKind::kInlineTable:
      return AnalyzeInlineTable(plan->As<plan::InlineTablePlan>());
    case PlanKind::kRange: {
      const auto& range = plan->As<plan::RangePlan>();
      if (range.step == 0) {
        return Error::Plain(ExceptionClass::kIllegalArgument, "requirement failed: step (0) cannot be 0");
      }
      return MakeRange(range.start, range.end, range.step);
    }
    case PlanKind::kOneRow:
      return RelationOf(plan::MakeOneRow());
    case PlanKind::kProject:
      return AnalyzeProject(plan->As<plan::ProjectPlan>(), nullptr);
    case PlanKind::kFilter:
      return AnalyzeFilter(plan->As<plan::FilterPlan>());
    case PlanKind::kJoin:
      return AnalyzeJoin(plan->As<plan::JoinPlan>());
    case PlanKind::kSetOperation:
      return AnalyzeSetOperation(plan->As<plan::SetOperationPlan>());
    case PlanKind::kSort:
      return AnalyzeSort(plan->As<plan::SortPlan>());
    case PlanKind::kLimit:
      return AnalyzeLimit(plan->As<plan::LimitPlan>().child, plan->As<plan::LimitPlan>().limit, "limit");
    case PlanKind::kOffset:
      return AnalyzeLimit(plan->As<plan::OffsetPlan>().child, plan->As<plan::OffsetPlan>().offset, "offset");
    case PlanKind::kTail:
      return AnalyzeLimit(plan->As<plan::TailPlan>().child, plan->As<plan::TailPlan>().limit, "tail");
    case PlanKind::kAggregate:
      return AnalyzeAggregate(plan->As<plan::AggregatePlan>(), nullptr);
    case PlanKind::kHaving:
      return AnalyzeHaving(plan->As<plan::HavingPlan>());
    case PlanKind::kQualify:
      return Error::Unsupported("QUALIFY");
    case PlanKind::kWith:
      return AnalyzeWith(plan->As<plan::WithPlan>());
    case PlanKind::kSubqueryAlias:
      return AnalyzeSubqueryAlias(plan->As<plan::SubqueryAliasPlan>());
    case PlanKind::kLateralView:
      return AnalyzeLateralView(plan->As<plan::LateralViewPlan>());
    case PlanKind::kNamedWindows: {
      const auto& windows = plan->As<plan::NamedWindowsPlan>();
      std::map<std::string, plan::WindowSpecification> names;
      for (const auto& [name, window] : windows.windows) names[AsciiLower(name)] = window;
      named_windows_.push_back(std::move(names));
      auto result = AnalyzePlan(windows.child);
      named_windows_.pop_back();
      return result;
    }
    case PlanKind::kSample:
      return AnalyzeSample(plan->As<plan::SamplePlan>());
    case PlanKind::kDeduplicate:
      return AnalyzeDeduplicate(plan->As<plan::DeduplicatePlan>());
    case PlanKind::kRepartition:
      return AnalyzeRepartition(plan->As<plan::RepartitionPlan>());
    case PlanKind::kToDf:
      return AnalyzeToDf(plan->As<plan::ToDfPlan>());
    case PlanKind::kWithColumns:
      return AnalyzeWithColumns(plan->As<plan::WithColumnsPlan>());
    case PlanKind::kWithColumnsRenamed:
      return AnalyzeWithColumnsRenamed(plan->As<plan::WithColumnsRenamedPlan>());
    case PlanKind::kDropColumns:
      return AnalyzeDropColumns(plan->As<plan::DropColumnsPlan>());
    case PlanKind::kHint:
      return AnalyzeHint(plan->As<plan::HintPlan>());
    case PlanKind::kUnpivot:
      return AnalyzeUnpivot(plan->As<plan::UnpivotPlan>());
    case PlanKind::kPivot:
      return AnalyzePivot(plan->As<plan::PivotPlan>());
    case PlanKind::kToSchema:
      return AnalyzeToSchema(plan->As<plan::ToSchemaPlan>());
    case PlanKind::kTranspose:
      return AnalyzeTranspose(plan->As<plan::TransposePlan>());
    case PlanKind::kShowString: {
      const auto& show = plan->As<plan::ShowStringPlan>();
      return AnalyzeShow(show.child, show.num_rows);
    }
    case PlanKind::kHtmlString: {
      const auto& show = plan->As<plan::HtmlStringPlan>();
      return AnalyzeShow(show.child, show.num_rows);
    }
    case PlanKind::kNaFill:
      return AnalyzeNaFill(plan->As<plan::NaFillPlan>());
    case PlanKind::kNaDrop:
      return AnalyzeNaDrop(plan->As<plan::NaDropPlan>());
    case PlanKind::kNaReplace:
      return AnalyzeNaReplace(plan->As<plan::NaReplacePlan>());
    case PlanKind::kSummary:
      return AnalyzeSummary(plan->As<plan::SummaryPlan>().child, plan->As<plan::SummaryPlan>().statistics, {});
    case PlanKind::kDescribeColumns:
      return AnalyzeSummary(plan->As<plan::DescribeColumnsPlan>().child, {"count", "mean", "stddev", "min", "max"},
                            plan->As<plan::DescribeColumnsPlan>().columns);
    case PlanKind::kCrosstab:
      return AnalyzeCrosstab(plan->As<plan::CrosstabPlan>());
    case PlanKind::kCov: {
      const auto& cov = plan->As<plan::CovPlan>();
      return AnalyzeCovariance(cov.child, cov.column1, cov.column2, false);
    }
    case PlanKind::kCorr: {
      const auto& corr = plan->As<plan::CorrPlan>();
      return AnalyzeCovariance(corr.child, corr.column1, corr.column2, true);
    }
    case PlanKind::kApproxQuantile:
      return AnalyzeApproxQuantile(plan->As<plan::ApproxQuantilePlan>());
    case PlanKind::kFreqItems:
      return AnalyzeFreqItems(plan->As<plan::FreqItemsPlan>());
    case PlanKind::kSampleBy:
      return AnalyzeSampleBy(plan->As<plan::SampleByPlan>());
    case PlanKind::kCollectMetrics:
      return AnalyzeCollectMetrics(plan->As<plan::CollectMetricsPlan>(), plan->plan_id);
    case PlanKind::kWithRelations:
      return AnalyzeWithRelations(plan->As<plan::WithRelationsPlan>());
    case PlanKind::kSqlQuery:
      return AnalyzeSqlQuery(plan->As<plan::SqlQueryPlan>());
    case PlanKind::kParseText: {
      const auto& parse = plan->As<plan::ParseTextPlan>();
      FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzeRoot(parse.child));
      FRAZIL_ASSIGN_OR_RETURN(auto parsed, context_.ParseText(parse, child));
      return RelationOf(std::move(parsed));
    }
    case PlanKind::kCachedRelation: {
      FRAZIL_ASSIGN_OR_RETURN(auto cached,
                              context_.FindCachedRelation(plan->As<plan::CachedRelationPlan>().relation_id));
      // New ids: the same relation may stand several times in one query.
      std::vector<ExpressionPtr> columns;
      for (const auto& attribute : cached.plan->output) columns.push_back(MakeColumn(attribute));
      auto output = NewAttributes(*plan::OutputSchema(*cached.plan));
      return RelationOf(plan::MakeProject(cached.plan, std::move(columns), std::move(output)));
    }
    case PlanKind::kCatalogCall: {
      FRAZIL_ASSIGN_OR_RETURN(auto rows, context_.CallCatalog(plan->As<plan::CatalogCallPlan>()));
      return RowsRelation(std::move(rows));
    }
    case PlanKind::kUnsupportedRelation:
      return Error::Unsupported(plan->As<plan::UnsupportedRelationPlan>().feature);
    case PlanKind::kCommand: {
      FRAZIL_ASSIGN_OR_RETURN(auto rows, context_.RunCommand(plan));
      return RowsRelation(std::move(rows));
    }
  }
  return Error::Internal("Unknown kind of relation.");
}

// --- the public functions
// ---------------------------------------------------------------------------------------------------------------------------------

Result<plan::LogicalPlanPtr> AnalyzeRelation(const PlanPtr& plan, AnalysisContext& context) {
  Analyzer analyzer(context);
  return analyzer.AnalyzeRoot(plan);
}

Result<NamedRelation> AnalyzeNamedRelation(const PlanPtr& plan, AnalysisContext& context) {
  Analyzer analyzer(context);
  return analyzer.AnalyzeNamed(plan);
}

namespace {

Relation RelationOfColumns(const std::vector<Attribute>& columns) {
  auto rows = std::make_shared<plan::RowsNode>();
  rows->output = columns;
  Relation relation;
  relation.output = columns;
  relation.plan = std::move(rows);
  return relation;
}

}  // namespace

Result<ExpressionPtr> AnalyzeExpression(const plan::ExprPtr& expression, const std::vector<Attribute>& columns,
                                        AnalysisContext& context) {
  Analyzer analyzer(context);
  const Relation input = RelationOfColumns(columns);
  Scope scope;
  scope.input = &input;
  return analyzer.AnalyzeScalar(expression, scope);
}

Result<ExpressionPtr> AnalyzeCondition(const plan::ExprPtr& expression, const std::vector<Attribute>& columns,
                                       AnalysisContext& context) {
  Analyzer analyzer(context);
  const Relation input = RelationOfColumns(columns);
  Scope scope;
  scope.input = &input;
  return analyzer.AnalyzeFilterCondition(expression, scope, "Filter");
}

Result<Value> AnalyzeConstant(const plan::ExprPtr& expression, const DataTypePtr& type, AnalysisContext& context) {
  Analyzer analyzer(context);
  return analyzer.AnalyzeConstantValue(expression, type);
}

Result<std::vector<std::string>> AnalyzeIdentifier(const plan::ExprPtr& text, AnalysisContext& context) {
  Analyzer analyzer(context);
  return analyzer.AnalyzeIdentifierText(text);
}

Result<ResolvedIdentifier> ResolveIdentifier(const std::vector<std::string>& name, AnalysisContext& context) {
  Analyzer analyzer(context);
  return analyzer.SplitName(name);
}

Result<ResolvedTable> ResolveTable(const std::vector<std::string>& name, AnalysisContext& context) {
  Analyzer analyzer(context);
  return analyzer.LoadTableByName(name);
}

plan::LogicalPlanPtr MakeTableScan(const tables::TableScanPtr& scan, const std::string& name,
                                   const std::vector<std::string>& qualifier, AnalysisContext& context,
                                   bool with_metadata_columns) {
  Analyzer analyzer(context);
  return analyzer.ScanOf(scan, name, qualifier, with_metadata_columns);
}

}  // namespace frazil::analysis
