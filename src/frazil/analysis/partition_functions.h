#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frazil/analysis/analysis_context.h"
#include "frazil/base/result.h"
#include "frazil/expressions/expression.h"

namespace frazil::analysis {

/// Whether a name is one of the functions that every catalog of Iceberg tables has beside its tables:
/// [catalog.]system.bucket, truncate, years, months, days, hours. Gives its last part in lower case.
/// Source: https://iceberg.apache.org/docs/latest/spark-queries/ and the classes of org.apache.iceberg.spark.functions.
std::optional<std::string> FindPartitionFunction(const std::vector<std::string>& name, const AnalysisContext& context);

/// The value that a partition transform gives. Errors name types that the transform does not take.
Result<ExpressionPtr> BindPartitionFunction(const std::string& name, std::vector<ExpressionPtr> arguments);

}  // namespace frazil::analysis
