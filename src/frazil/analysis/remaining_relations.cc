// Relations that are refused by name.

#include "frazil/analysis/analyzer_internal.h"

namespace frazil::analysis {

Result<Relation> Analyzer::AnalyzePivot(const plan::PivotPlan&) { return Error::Unsupported("PIVOT"); }
Result<Relation> Analyzer::AnalyzeDataFramePivot(const plan::AggregatePlan&) { return Error::Unsupported("PIVOT"); }
Result<Relation> Analyzer::AnalyzeUnpivot(const plan::UnpivotPlan&) { return Error::Unsupported("UNPIVOT"); }
Result<Relation> Analyzer::AnalyzeTranspose(const plan::TransposePlan&) { return Error::Unsupported("TRANSPOSE"); }
Result<Relation> Analyzer::AnalyzeNaFill(const plan::NaFillPlan&) { return Error::Unsupported("na.fill"); }
Result<Relation> Analyzer::AnalyzeNaDrop(const plan::NaDropPlan&) { return Error::Unsupported("na.drop"); }
Result<Relation> Analyzer::AnalyzeNaReplace(const plan::NaReplacePlan&) { return Error::Unsupported("na.replace"); }
Result<Relation> Analyzer::AnalyzeSummary(const plan::PlanPtr&, std::vector<std::string>, const std::vector<std::string>&) {
  return Error::Unsupported("summary");
}
Result<Relation> Analyzer::AnalyzeCrosstab(const plan::CrosstabPlan&) { return Error::Unsupported("stat.crosstab"); }
Result<Relation> Analyzer::AnalyzeCovariance(const plan::PlanPtr&, const std::string&, const std::string&, bool) {
  return Error::Unsupported("stat.cov");
}
Result<Relation> Analyzer::AnalyzeApproxQuantile(const plan::ApproxQuantilePlan&) { return Error::Unsupported("stat.approxQuantile"); }
Result<Relation> Analyzer::AnalyzeFreqItems(const plan::FreqItemsPlan&) { return Error::Unsupported("stat.freqItems"); }
Result<Relation> Analyzer::AnalyzeSampleBy(const plan::SampleByPlan&) { return Error::Unsupported("stat.sampleBy"); }

}  // namespace frazil::analysis
