#pragma once

// One SELECT: input -> aggregate -> having -> generators -> windows -> qualify -> projection. Expressions come in over
// the input's columns and are split over the steps; further ones (ORDER BY, filters) can be added later.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frazil/analysis/analysis_context.h"
#include "frazil/analysis/relation_internal.h"
#include "frazil/base/result.h"

namespace frazil::analysis {

/// A generator of the SELECT list.
struct GenerateStep {
  std::string generator;
  std::vector<ExpressionPtr> arguments;
  std::vector<Attribute> columns;
  bool outer = false;
};

class SelectStage {
 public:
  SelectStage(Relation input, AnalysisContext* context) : input_(std::move(input)), context_(context) {}

  const Relation& input() const { return input_; }
  bool is_aggregate() const { return is_aggregate_; }
  const std::vector<ExpressionPtr>& grouping() const { return grouping_; }
  bool has_grouping_sets() const { return grouping_id_.has_value(); }

  /// Makes it an aggregation. `sets` holds indexes of `grouping`; empty: plain GROUP BY (or none).
  void SetGrouping(std::vector<ExpressionPtr> grouping, std::vector<std::vector<size_t>> sets);
  /// Condition over the input's columns, with aggregates. Output columns in it have been replaced by what they stand
  /// for.
  Status AddHaving(const ExpressionPtr& condition);
  Status AddQualify(const ExpressionPtr& condition);
  Status AddGenerator(GenerateStep step);

  /// Adds a visible column. Returns its attribute: that of the input for plain columns, else one with a new id.
  Result<Attribute> AddColumn(const ExpressionPtr& expression, Attribute attribute);
  /// Adds a column for an expression that may use input columns, aggregates, windows and (by id) columns of the output.
  /// An equal column that is there already is taken. `may_add` false (DISTINCT): nullopt where there is none.
  Result<std::optional<Attribute>> AddHidden(const ExpressionPtr& expression, bool may_add);

  /// Expressions of the output columns by id, before they were split.
  ExpressionPtr InlineOutput(const ExpressionPtr& expression) const;

  plan::LogicalPlanPtr Build() const;

 private:
  Result<ExpressionPtr> Lower(const ExpressionPtr& expression);
  Result<ExpressionPtr> LowerAggregates(const ExpressionPtr& expression);
  Result<ExpressionPtr> LowerWindows(const ExpressionPtr& expression);
  Result<ExpressionPtr> LowerGroupingFunction(const CallExpression& call);
  Status CheckSubqueryReferences(const SubqueryExpression& subquery);
  bool in_having_ = false;
  Result<ExpressionPtr> AggregateColumn(const ExpressionPtr& aggregate);

  struct Step {
    ExpressionPtr expression;
    Attribute attribute;
    std::string meaning;
  };

  struct WindowStep : Step {
    size_t level;  ///< 0: over the input's columns; n: over columns of windows of level n - 1, too.
  };
  size_t WindowLevelOf(const Expression& expression) const;

  Relation input_;
  AnalysisContext* context_;
  bool is_aggregate_ = false;
  std::vector<ExpressionPtr> grouping_;
  std::vector<Step> grouping_steps_;
  std::vector<std::vector<size_t>> grouping_sets_;
  std::optional<Attribute> grouping_id_;
  std::vector<Step> aggregates_;
  std::vector<ExpressionPtr> having_;
  std::vector<GenerateStep> generators_;
  std::vector<WindowStep> windows_;
  std::vector<ExpressionPtr> qualify_;
  std::vector<Step> projection_;
  std::vector<std::pair<AttributeId, ExpressionPtr>> raw_;
};

}  // namespace frazil::analysis
