#pragma once

// Unresolved plans to typed plans: names, types, coercion, Spark's error conditions.

#include <vector>

#include "frazil/analysis/analysis_context.h"
#include "frazil/base/result.h"
#include "frazil/expressions/expression.h"
#include "frazil/plan/logical_plan.h"
#include "frazil/plan/unresolved_plan.h"

namespace frazil::analysis {

/// The typed plan of a relation (a query, not a command). Its output has exactly the columns that the client sees.
Result<plan::LogicalPlanPtr> AnalyzeRelation(const plan::PlanPtr& plan, AnalysisContext& context);

/// The same, with the columns as an enclosing statement names them: `columns` are the plan's output with qualifiers.
struct NamedRelation {
  plan::LogicalPlanPtr plan;
  std::vector<Attribute> columns;
};
Result<NamedRelation> AnalyzeNamedRelation(const plan::PlanPtr& plan, AnalysisContext& context);

/// A scalar expression over columns. Aggregates, windows and generators are refused.
Result<ExpressionPtr> AnalyzeExpression(const plan::ExprPtr& expression, const std::vector<Attribute>& columns,
                                        AnalysisContext& context);

/// A condition over columns: as AnalyzeExpression, and its type is BOOLEAN (error
/// DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN).
Result<ExpressionPtr> AnalyzeCondition(const plan::ExprPtr& expression, const std::vector<Attribute>& columns,
                                       AnalysisContext& context);

/// Value of an expression that must be constant; `type` null: its own.
Result<Value> AnalyzeConstant(const plan::ExprPtr& expression, const DataTypePtr& type, AnalysisContext& context);

/// Name that an IDENTIFIER(...) clause gives. Errors NOT_A_CONSTANT_STRING.*.
Result<std::vector<std::string>> AnalyzeIdentifier(const plan::ExprPtr& text, AnalysisContext& context);

/// A table by name in the current (or a named) catalog.
struct ResolvedTable {
  catalogs::CatalogPtr catalog;
  catalogs::Identifier identifier;
  tables::TablePtr table;
  /// Branch, tag or snapshot picked by a name such as t.branch_x.
  tables::ScanOptions scan_options;
  /// catalog, namespace..., table: the qualifier of the table's columns.
  std::vector<std::string> full_name;
};

/// Splits a name into catalog and identifier by Spark's rules (first part a catalog's name, else the current catalog
/// and namespace).
struct ResolvedIdentifier {
  catalogs::CatalogPtr catalog;
  catalogs::Identifier identifier;
};
Result<ResolvedIdentifier> ResolveIdentifier(const std::vector<std::string>& name, AnalysisContext& context);

/// Errors TABLE_OR_VIEW_NOT_FOUND (views and temporary views are no tables: EXPECT_TABLE_NOT_VIEW.*).
Result<ResolvedTable> ResolveTable(const std::vector<std::string>& name, AnalysisContext& context);

/// A scan of a table with the columns' ids new and the qualifier given; metadata columns (_file, _pos, then
/// those of the scan) behind the table's.
plan::LogicalPlanPtr MakeTableScan(const tables::TableScanPtr& scan, const std::string& name,
                                   const std::vector<std::string>& qualifier, AnalysisContext& context,
                                   bool with_metadata_columns = false);

}  // namespace frazil::analysis
