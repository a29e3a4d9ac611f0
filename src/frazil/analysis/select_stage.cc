#include <algorithm>
#include <map>

#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/analysis/select_stage_internal.h"
#include "frazil/plan/make_logical.h"

namespace frazil::analysis {
namespace {

ExpressionPtr ColumnShownAs(const Attribute& attribute, const Expression& shown) {
  return WithSql(MakeColumn(attribute), shown.sql);
}

bool IsGroupingFunction(const Expression& expression) {
  if (expression.kind != ExpressionKind::kCall) return false;
  const auto& name = expression.As<CallExpression>().function;
  return name == "grouping" || name == "grouping_id";
}

Error NestedAggregate() { return Error::Of("NESTED_AGGREGATE_FUNCTION"); }

}  // namespace

void SelectStage::SetGrouping(std::vector<ExpressionPtr> grouping, std::vector<std::vector<size_t>> sets) {
  is_aggregate_ = true;
  grouping_ = std::move(grouping);
  const bool has_sets = !sets.empty();
  for (const auto& expression : grouping_) {
    Step step{expression, {}, MeaningOf(*expression)};
    const bool repeated = std::any_of(grouping_steps_.begin(), grouping_steps_.end(),
                                      [&](const Step& other) { return other.meaning == step.meaning; });
    if (!repeated && expression->kind == ExpressionKind::kColumn && !expression->As<ColumnExpression>().is_outer) {
      // A plain column keeps its id, so that subqueries around which it is an outer column still find it.
      const auto& column = expression->As<ColumnExpression>();
      step.attribute.id = column.id;
      step.attribute.name = column.name;
      for (const auto& attribute : input_.output) {
        if (attribute.id == column.id) step.attribute.qualifier = attribute.qualifier;
      }
    } else {
      step.attribute.id = context_->NextId();
      step.attribute.name = expression->sql;
    }
    step.attribute.type = expression->type;
    step.attribute.nullable = expression->nullable || has_sets;
    grouping_steps_.push_back(std::move(step));
  }
  grouping_sets_ = std::move(sets);
  if (has_sets) {
    Attribute attribute;
    attribute.id = context_->NextId();
    attribute.name = "spark_grouping_id";
    attribute.type = DataType::Long();
    attribute.nullable = false;
    grouping_id_ = attribute;
  }
}

Result<ExpressionPtr> SelectStage::AggregateColumn(const ExpressionPtr& aggregate) {
  for (const auto& child : Children(*aggregate)) {
    if (ContainsKind(*child, ExpressionKind::kAggregate)) return NestedAggregate();
    for (const AttributeId id : ReferencedColumns(*child)) {
      // What a generator yields comes after the groups.
      const auto yields = [id](const GenerateStep& step) {
        return std::any_of(step.columns.begin(), step.columns.end(),
                           [id](const Attribute& column) { return column.id == id; });
      };
      if (std::any_of(generators_.begin(), generators_.end(), yields)) return Error::Of("MISSING_GROUP_BY");
    }
    if (ContainsKind(*child, ExpressionKind::kWindow)) {
      return Error::Plain(ExceptionClass::kAnalysis,
                          "It is not allowed to use a window function inside an aggregate function. Please use the "
                          "inner window function in a sub-query.");
    }
  }
  auto meaning = MeaningOf(*aggregate);
  for (const auto& step : aggregates_) {
    if (step.meaning == meaning) return ColumnShownAs(step.attribute, *aggregate);
  }
  Attribute attribute;
  attribute.id = context_->NextId();
  attribute.name = aggregate->sql;
  attribute.type = aggregate->type;
  attribute.nullable = aggregate->nullable;
  aggregates_.push_back({aggregate, attribute, std::move(meaning)});
  return ColumnShownAs(attribute, *aggregate);
}

Result<ExpressionPtr> SelectStage::LowerGroupingFunction(const CallExpression& call) {
  if (!grouping_id_) return Error::Of("UNSUPPORTED_GROUPING_EXPRESSION");
  const size_t count = grouping_steps_.size();
  if (call.function == "grouping_id") {
    const auto& arguments = call.arguments;
    bool matches = arguments.empty() || arguments.size() == count;
    for (size_t i = 0; matches && i < arguments.size(); ++i)
      matches = MeaningOf(*arguments[i]) == grouping_steps_[i].meaning;
    if (!matches) {
      std::string given, wanted;
      for (const auto& argument : arguments) given += (given.empty() ? "" : ", ") + argument->sql;
      for (const auto& step : grouping_steps_) wanted += (wanted.empty() ? "" : ", ") + step.expression->sql;
      return Error::Of("GROUPING_ID_COLUMN_MISMATCH", {{"groupingIdColumn", given}, {"groupByColumns", wanted}});
    }
    return WithSql(MakeColumn(*grouping_id_), call.sql);
  }
  const auto meaning = MeaningOf(*call.arguments[0]);
  for (size_t i = 0; i < count; ++i) {
    if (grouping_steps_[i].meaning != meaning) continue;
    // Bit of the column in the grouping id, the first column highest.
    auto position = MakeLiteral(DataType::Integer(), Value(static_cast<int64_t>(count - 1 - i)));
    return MakeCall("bit_get", {MakeColumn(*grouping_id_), position}, DataType::Byte(), false, EvalMode::kAnsi,
                    call.sql);
  }
  std::string columns;
  for (const auto& step : grouping_steps_) columns += (columns.empty() ? "" : ", ") + step.expression->sql;
  return Error::Of("GROUPING_COLUMN_MISMATCH",
                   {{"grouping", "\"" + call.arguments[0]->sql + "\""}, {"groupingColumns", "\"" + columns + "\""}});
}

Status SelectStage::CheckSubqueryReferences(const SubqueryExpression& subquery) {
  for (const AttributeId id : OuterReferences(static_cast<const plan::LogicalPlan&>(*subquery.plan))) {
    const auto is_it = [&](const Attribute& attribute) { return attribute.id == id; };
    const auto found = std::find_if(input_.plan->output.begin(), input_.plan->output.end(), is_it);
    if (found == input_.plan->output.end()) continue;  // From further out.
    if (subquery.subquery_kind == SubqueryKind::kScalar && !in_having_) {
      return Error::Of("SCALAR_SUBQUERY_IS_IN_GROUP_BY_OR_AGGREGATE_FUNCTION",
                       {{"sqlExpr", "\"" + subquery.sql + "\""}});
    }
    const bool grouped = std::any_of(grouping_steps_.begin(), grouping_steps_.end(),
                                     [&](const Step& step) { return step.attribute.id == id; });
    if (!grouped) {
      return Error::Of("MISSING_AGGREGATION", {{"expression", "\"" + found->name + "\""},
                                               {"expressionAnyValue", "\"any_value(" + found->name + ")\""}});
    }
  }
  return Status::Ok();
}

Result<ExpressionPtr> SelectStage::LowerAggregates(const ExpressionPtr& expression) {
  if (!is_aggregate_) {
    bool has_grouping = false;
    VisitExpression(*expression, [&](const Expression& part) {
      has_grouping = has_grouping || IsGroupingFunction(part);
      return !has_grouping;
    });
    if (has_grouping) return Error::Of("UNSUPPORTED_GROUPING_EXPRESSION");
    return expression;
  }
  return TryTransformExpression(expression, [this](const ExpressionPtr& part) -> Result<ExpressionPtr> {
    if (part->kind != ExpressionKind::kLiteral) {
      const auto meaning = MeaningOf(*part);
      for (const auto& step : grouping_steps_) {
        if (step.meaning == meaning) return ColumnShownAs(step.attribute, *part);
      }
    }
    if (IsGroupingFunction(*part)) return LowerGroupingFunction(part->As<CallExpression>());
    switch (part->kind) {
      case ExpressionKind::kAggregate:
        return AggregateColumn(part);
      case ExpressionKind::kSubquery:
        FRAZIL_RETURN_IF_ERROR(CheckSubqueryReferences(part->As<SubqueryExpression>()));
        return ExpressionPtr();
      case ExpressionKind::kColumn: {
        const auto& column = part->As<ColumnExpression>();
        if (column.is_outer) return ExpressionPtr();
        const auto made_here = [&](const Step& step) { return step.attribute.id == column.id; };
        if (std::any_of(aggregates_.begin(), aggregates_.end(), made_here) ||
            (grouping_id_ && grouping_id_->id == column.id))
          return part;
        for (const auto& generator : generators_) {
          for (const auto& generated : generator.columns) {
            if (generated.id == column.id) return part;
          }
        }
        if (grouping_steps_.empty() && !grouping_id_) return Error::Of("MISSING_GROUP_BY");
        return Error::Of("MISSING_AGGREGATION", {{"expression", "\"" + column.name + "\""},
                                                 {"expressionAnyValue", "\"any_value(" + column.name + ")\""}});
      }
      case ExpressionKind::kLiteral:
      case ExpressionKind::kCall:
      case ExpressionKind::kCast:
      case ExpressionKind::kLambda:
      case ExpressionKind::kLambdaVariable:
      case ExpressionKind::kWindow:
        return ExpressionPtr();
    }
    return ExpressionPtr();
  });
}

// How many windows must be computed before an expression over their columns.
size_t SelectStage::WindowLevelOf(const Expression& expression) const {
  size_t level = 0;
  VisitExpression(expression, [&](const Expression& part) {
    if (part.kind != ExpressionKind::kColumn) return true;
    for (const auto& step : windows_) {
      if (step.attribute.id == part.As<ColumnExpression>().id) level = std::max(level, step.level + 1);
    }
    return true;
  });
  return level;
}

Result<ExpressionPtr> SelectStage::LowerWindows(const ExpressionPtr& expression) {
  return TryTransformExpression(expression, [this](const ExpressionPtr& part) -> Result<ExpressionPtr> {
    if (part->kind != ExpressionKind::kWindow) return ExpressionPtr();
    // Windows within its arguments, keys and bounds are computed before it, as columns.
    auto children = Children(*part);
    size_t level = 0;
    ExpressionPtr window = part;
    if (std::any_of(children.begin(), children.end(),
                    [](const auto& child) { return ContainsKind(*child, ExpressionKind::kWindow); })) {
      for (auto& child : children) {
        FRAZIL_ASSIGN_OR_RETURN(child, LowerWindows(child));
        level = std::max(level, WindowLevelOf(*child));
      }
      window = WithSql(WithChildren(*part, std::move(children)), part->sql);
    }
    auto meaning = MeaningOf(*window);
    for (const auto& step : windows_) {
      if (step.meaning == meaning) return ColumnShownAs(step.attribute, *part);
    }
    Attribute attribute;
    attribute.id = context_->NextId();
    attribute.name = part->sql;
    attribute.type = part->type;
    attribute.nullable = part->nullable;
    windows_.push_back({{window, attribute, std::move(meaning)}, level});
    return ColumnShownAs(attribute, *part);
  });
}

Result<ExpressionPtr> SelectStage::Lower(const ExpressionPtr& expression) {
  FRAZIL_ASSIGN_OR_RETURN(auto lowered, LowerAggregates(expression));
  return LowerWindows(lowered);
}

Status SelectStage::AddHaving(const ExpressionPtr& condition) {
  in_having_ = true;
  auto lowered = LowerAggregates(InlineOutput(condition));
  in_having_ = false;
  if (!lowered.ok()) return std::move(lowered).error();
  having_.push_back(*std::move(lowered));
  return Status::Ok();
}

Status SelectStage::AddQualify(const ExpressionPtr& condition) {
  FRAZIL_ASSIGN_OR_RETURN(auto lowered, Lower(InlineOutput(condition)));
  qualify_.push_back(std::move(lowered));
  return Status::Ok();
}

Status SelectStage::AddGenerator(GenerateStep step) {
  for (auto& argument : step.arguments) {
    FRAZIL_ASSIGN_OR_RETURN(argument, LowerAggregates(argument));
  }
  generators_.push_back(std::move(step));
  return Status::Ok();
}

ExpressionPtr SelectStage::InlineOutput(const ExpressionPtr& expression) const {
  std::map<AttributeId, ExpressionPtr> columns;
  for (const auto& [id, raw] : raw_) columns.emplace(id, raw);
  if (columns.empty()) return expression;
  return SubstituteColumns(expression, columns);
}

Result<Attribute> SelectStage::AddColumn(const ExpressionPtr& expression, Attribute attribute) {
  FRAZIL_ASSIGN_OR_RETURN(auto lowered, Lower(expression));
  attribute.type = lowered->type;
  attribute.nullable = lowered->nullable;
  auto meaning = MeaningOf(*lowered);
  if (attribute.id != 0) {
    // A plain column: once in the plan, however often it is named.
    for (const auto& step : projection_) {
      if (step.attribute.id == attribute.id) {
        attribute.nullable = step.attribute.nullable;
        return attribute;
      }
    }
  } else {
    attribute.id = context_->NextId();
    raw_.emplace_back(attribute.id, expression);
  }
  projection_.push_back({std::move(lowered), attribute, std::move(meaning)});
  return attribute;
}

Result<std::optional<Attribute>> SelectStage::AddHidden(const ExpressionPtr& expression, bool may_add) {
  FRAZIL_ASSIGN_OR_RETURN(auto lowered, Lower(InlineOutput(expression)));
  auto meaning = MeaningOf(*lowered);
  for (const auto& step : projection_) {
    if (step.meaning == meaning) return std::optional<Attribute>(step.attribute);
  }
  if (!may_add) return std::optional<Attribute>();
  Attribute attribute;
  if (lowered->kind == ExpressionKind::kColumn && !lowered->As<ColumnExpression>().is_outer) {
    attribute.id = lowered->As<ColumnExpression>().id;
  } else {
    attribute.id = context_->NextId();
  }
  attribute.name = lowered->sql;
  attribute.type = lowered->type;
  attribute.nullable = lowered->nullable;
  projection_.push_back({std::move(lowered), attribute, std::move(meaning)});
  return std::optional<Attribute>(attribute);
}

plan::LogicalPlanPtr SelectStage::Build() const {
  auto built = input_.plan;
  if (is_aggregate_) {
    std::vector<ExpressionPtr> grouping, aggregates;
    std::vector<Attribute> output;
    for (const auto& step : grouping_steps_) {
      grouping.push_back(step.expression);
      output.push_back(step.attribute);
    }
    for (const auto& step : aggregates_) {
      aggregates.push_back(step.expression);
      output.push_back(step.attribute);
    }
    if (grouping_id_) output.push_back(*grouping_id_);
    built = plan::MakeAggregate(built, std::move(grouping), std::move(aggregates), grouping_sets_, std::move(output));
  }
  for (const auto& condition : having_) built = plan::MakeFilter(built, condition);
  for (const auto& step : generators_) {
    auto node = std::make_shared<plan::GenerateNode>();
    node->output = built->output;
    node->output.insert(node->output.end(), step.columns.begin(), step.columns.end());
    node->child = built;
    node->generator = step.generator;
    node->arguments = step.arguments;
    node->generated_columns = step.columns.size();
    node->outer = step.outer;
    built = node;
  }
  size_t placed = 0;
  for (size_t level = 0; placed < windows_.size(); ++level) {
    std::vector<ExpressionPtr> windows;
    std::vector<Attribute> added;
    for (const auto& step : windows_) {
      if (step.level != level) continue;
      windows.push_back(step.expression);
      added.push_back(step.attribute);
    }
    placed += windows.size();
    built = plan::MakeWindow(built, std::move(windows), std::move(added));
  }
  for (const auto& condition : qualify_) built = plan::MakeFilter(built, condition);
  std::vector<ExpressionPtr> expressions;
  std::vector<Attribute> output;
  for (const auto& step : projection_) {
    expressions.push_back(step.expression);
    output.push_back(step.attribute);
  }
  return plan::MakeProject(built, std::move(expressions), std::move(output));
}

}  // namespace frazil::analysis
