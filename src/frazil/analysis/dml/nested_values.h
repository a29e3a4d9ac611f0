#pragma once

// Values with structs, arrays and maps, made anew at every level for the column that they go to.

#include <memory>
#include <string>
#include <vector>

#include "frazil/analysis/analysis_context.h"
#include "frazil/expressions/expression.h"

namespace frazil::analysis {

/// A parameter of a lambda, with a new id.
std::shared_ptr<LambdaVariableExpression> VariableOf(const char* name, const DataTypePtr& type, bool nullable,
                                                     AnalysisContext& context);
ExpressionPtr LambdaOf(std::vector<std::shared_ptr<const LambdaVariableExpression>> parameters, ExpressionPtr body);
/// value.field
ExpressionPtr FieldOf(const ExpressionPtr& value, const StructField& field);
ExpressionPtr IsNull(const ExpressionPtr& value);

/// `value`, of the type StringsWithoutLength(type), with the lengths of `type` kept at every level: CHAR(n) is filled
/// up, blanks beyond n go, and other characters beyond n end the statement with EXCEED_LIMIT_LENGTH; with
/// DELTA_EXCEED_CHAR_VARCHAR_LIMIT where `delta_column` is the name of a column of a Delta table (else empty).
/// https://spark.apache.org/docs/latest/sql-ref-datatypes.html
ExpressionPtr WithTextLengths(ExpressionPtr value, const DataTypePtr& type, const std::string& delta_column,
                              AnalysisContext& context);

}  // namespace frazil::analysis
