// GROUP BY: expressions, ordinals, aliases, ALL, ROLLUP, CUBE, GROUPING SETS.
// https://spark.apache.org/docs/latest/sql-ref-syntax-qry-select-groupby.html

#include <algorithm>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/analysis/generator_errors_internal.h"
#include "frazil/analysis/typed_expr_internal.h"
#include "frazil/base/text.h"
#include "frazil/functions/common_type.h"

namespace frazil::analysis {

using plan::ExprKind;
using plan::ExprPtr;
using plan::GroupingElement;

namespace {

using ExprSets = std::vector<std::vector<ExprPtr>>;

std::vector<ExprPtr> Concatenated(const std::vector<ExprPtr>& left, const std::vector<ExprPtr>& right) {
  auto result = left;
  result.insert(result.end(), right.begin(), right.end());
  return result;
}

// All subsets: with the first element, then without it.
ExprSets CubeSets(const ExprSets& elements, size_t from) {
  if (from == elements.size()) return {{}};
  const auto rest = CubeSets(elements, from + 1);
  ExprSets sets;
  for (const auto& set : rest) sets.push_back(Concatenated(elements[from], set));
  sets.insert(sets.end(), rest.begin(), rest.end());
  return sets;
}

ExprSets SetsOf(const GroupingElement& element) {
  switch (element.type) {
    case GroupingElement::Type::kExpression:
      return element.sets;
    case GroupingElement::Type::kRollup: {
      ExprSets sets;
      for (size_t count = element.sets.size() + 1; count-- > 0;) {
        std::vector<ExprPtr> set;
        for (size_t i = 0; i < count; ++i) set = Concatenated(set, element.sets[i]);
        sets.push_back(std::move(set));
      }
      return sets;
    }
    case GroupingElement::Type::kCube:
      return CubeSets(element.sets, 0);
    case GroupingElement::Type::kGroupingSets: {
      if (element.nested.empty()) return element.sets;
      ExprSets sets;
      for (const auto& nested : element.nested) {
        const auto more = SetsOf(nested);
        sets.insert(sets.end(), more.begin(), more.end());
      }
      return sets;
    }
  }
  return {};
}

bool ContainsTypeId(const DataType& type, TypeId id) {
  if (type.id() == id) return true;
  if (type.id() == TypeId::kArray) return ContainsTypeId(*type.element_type(), id);
  if (type.id() == TypeId::kMap) return ContainsTypeId(*type.key_type(), id) || ContainsTypeId(*type.value_type(), id);
  if (type.id() != TypeId::kStruct) return false;
  return std::any_of(type.fields().begin(), type.fields().end(),
                     [&](const StructField& field) { return ContainsTypeId(*field.type, id); });
}

// Whether a column stands outside of every aggregate.
bool HasBareColumn(const Expression& expression) {
  bool found = false;
  VisitExpression(expression, [&](const Expression& part) {
    if (part.kind == ExpressionKind::kAggregate) return false;
    found = found || part.kind == ExpressionKind::kColumn ||
            (part.kind == ExpressionKind::kSubquery && !ReferencedColumns(part).empty());
    return !found;
  });
  return found;
}

void AppendExpressions(const GroupingElement& element, std::vector<ExprPtr>* expressions) {
  expressions->insert(expressions->end(), element.grouping_columns.begin(), element.grouping_columns.end());
  for (const auto& set : element.sets) expressions->insert(expressions->end(), set.begin(), set.end());
  for (const auto& nested : element.nested) AppendExpressions(nested, expressions);
}

}  // namespace

Result<ExpressionPtr> Analyzer::AnalyzeGroupingExpression(const ExprPtr& expression, const Relation& input,
                                                          const std::vector<ExprPtr>& select) {
  Scope scope;
  scope.input = &input;
  scope.allow_aggregates = true;
  scope.allow_windows = true;
  ExprPtr source = expression;
  if (source->kind == ExprKind::kSqlText) {
    FRAZIL_ASSIGN_OR_RETURN(source, ParseText(source->As<plan::SqlTextExpr>().text));
  }
  const auto setting = [&](const char* key) {
    return (settings_.lookup ? settings_.lookup(key) : std::nullopt).value_or("true") == "true";
  };
  if (source->kind == ExprKind::kLiteral && source->As<plan::LiteralExpr>().type->id() == TypeId::kInteger &&
      !select.empty() && !source->As<plan::LiteralExpr>().value.is_null() && setting("spark.sql.groupByOrdinal")) {
    const int64_t position = source->As<plan::LiteralExpr>().value.integer();
    if (position < 1 || position > static_cast<int64_t>(select.size())) {
      return At(Error::Of("GROUP_BY_POS_OUT_OF_RANGE",
                          {{"index", std::to_string(position)}, {"size", std::to_string(select.size())}}),
                source->origin);
    }
    const auto& item = select[static_cast<size_t>(position - 1)];
    FRAZIL_ASSIGN_OR_RETURN(
        auto typed, AnalyzeScalar(item->kind == ExprKind::kAlias ? item->As<plan::AliasExpr>().child : item, scope));
    if (ContainsKind(*typed, ExpressionKind::kAggregate)) {
      const auto text =
          typed->sql + (item->kind == ExprKind::kAlias ? " AS " + item->As<plan::AliasExpr>().names[0] : std::string());
      return At(Error::Of("GROUP_BY_POS_AGGREGATE", {{"index", std::to_string(position)}, {"aggExpr", text}}),
                source->origin);
    }
    if (ContainsKind(*typed, ExpressionKind::kWindow)) {
      return At(Error::Of("UNSUPPORTED_EXPR_FOR_OPERATOR", {{"invalidExprSqls", "\"" + typed->sql + "\""}}),
                source->origin);
    }
    return typed;
  }
  if (source->kind == ExprKind::kAlias) source = source->As<plan::AliasExpr>().child;
  auto typed = AnalyzeScalar(source, scope);
  if (!typed.ok() && typed.error().condition.starts_with("UNRESOLVED_COLUMN") && !select.empty() &&
      setting("spark.sql.groupByAliases")) {
    // No column of that name: an item of the SELECT list.
    std::vector<LateralAlias> aliases;
    for (const auto& item : select) {
      if (FindGenerator(item)) continue;
      auto named = AnalyzeSelectItem(item, scope);
      if (named.ok()) aliases.push_back({named->attribute.name, named->expression});
    }
    scope.aliases = &aliases;
    scope.first_alias_wins = true;
    auto with_aliases = AnalyzeScalar(source, scope);
    if (with_aliases.ok()) typed = std::move(with_aliases);
  }
  if (!typed.ok() && typed.error().condition == kNestedGenerator) {
    return At(
        Error::Of("UNSUPPORTED_EXPR_FOR_OPERATOR", {{"invalidExprSqls", typed.error().parameters.front().second}}),
        source->origin);
  }
  if (!typed.ok()) return typed;
  if (ContainsKind(**typed, ExpressionKind::kAggregate)) {
    return At(Error::Of("GROUP_BY_AGGREGATE", {{"sqlExpr", (*typed)->sql}}), source->origin);
  }
  if (ContainsKind(**typed, ExpressionKind::kWindow)) {
    return At(Error::Of("UNSUPPORTED_EXPR_FOR_OPERATOR", {{"invalidExprSqls", "\"" + (*typed)->sql + "\""}}),
              source->origin);
  }
  if (!functions::IsOrderable(*(*typed)->type) && !ContainsTypeId(*(*typed)->type, TypeId::kMap)) {
    return At(Error::Of("GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE",
                        {{"sqlExpr", "\"" + (*typed)->sql + "\""}, {"dataType", "\"" + (*typed)->type->Sql() + "\""}}),
              source->origin);
  }
  return typed;
}

Result<Analyzer::Grouping> Analyzer::AnalyzeGrouping(const plan::AggregatePlan& aggregate, const Relation& input,
                                                     const std::vector<ExprPtr>& select) {
  Grouping grouping;
  if (aggregate.group_by_all) {
    Scope scope;
    scope.input = &input;
    std::vector<LateralAlias> aliases;
    scope.aliases = &aliases;
    bool mixed = false;
    for (const auto& item : select) {
      if (FindGenerator(item)) continue;
      FRAZIL_ASSIGN_OR_RETURN(
          auto typed, AnalyzeScalar(item->kind == ExprKind::kAlias ? item->As<plan::AliasExpr>().child : item, scope));
      if (item->kind == ExprKind::kAlias && item->As<plan::AliasExpr>().names.size() == 1)
        aliases.push_back({item->As<plan::AliasExpr>().names[0], typed});
      if (ContainsKind(*typed, ExpressionKind::kAggregate)) {
        mixed = mixed || HasBareColumn(*typed);
        continue;
      }
      if (ContainsKind(*typed, ExpressionKind::kWindow)) continue;
      if (typed->kind == ExpressionKind::kLiteral) continue;
      grouping.expressions.push_back(std::move(typed));
    }
    // Nothing to group by, and yet a column beside the aggregates.
    if (mixed && grouping.expressions.empty()) return Error::Of("UNRESOLVED_ALL_IN_GROUP_BY");
    return grouping;
  }
  bool has_sets = false;
  for (const auto& element : aggregate.grouping)
    has_sets = has_sets || element.type != GroupingElement::Type::kExpression;

  // The same expression stands once, however often it is written.
  std::map<const plan::Expr*, size_t> index_of;
  std::vector<std::string> meanings;
  std::vector<ExprPtr> all;
  for (const auto& element : aggregate.grouping) AppendExpressions(element, &all);
  for (const auto& expression : all) {
    if (index_of.count(expression.get()) > 0) continue;
    FRAZIL_ASSIGN_OR_RETURN(
        auto typed,
        AnalyzeGroupingExpression(expression, input, aggregate.prepend_grouping ? std::vector<ExprPtr>() : select));
    auto meaning = MeaningOf(*typed);
    const auto known = std::find(meanings.begin(), meanings.end(), meaning);
    if (!has_sets || known == meanings.end()) grouping.sources.push_back(expression);
    if (known != meanings.end()) {
      index_of[expression.get()] = static_cast<size_t>(known - meanings.begin());
      continue;
    }
    index_of[expression.get()] = meanings.size();
    meanings.push_back(std::move(meaning));
    grouping.expressions.push_back(std::move(typed));
  }
  if (!has_sets) return grouping;

  // GROUP BY a, ROLLUP(b, c): every combination.
  ExprSets combined{{}};
  for (const auto& element : aggregate.grouping) {
    const auto sets = SetsOf(element);
    ExprSets next;
    for (const auto& left : combined) {
      for (const auto& right : sets) next.push_back(Concatenated(left, right));
    }
    combined = std::move(next);
  }
  if (grouping.expressions.size() > 64) return Error::Of("GROUPING_SIZE_LIMIT_EXCEEDED", {{"maxSize", "64"}});
  for (const auto& set : combined) {
    std::set<size_t> indexes;
    for (const auto& expression : set) indexes.insert(index_of[expression.get()]);
    grouping.sets.emplace_back(indexes.begin(), indexes.end());
  }
  return grouping;
}

Result<Relation> Analyzer::AnalyzeAggregate(const plan::AggregatePlan& aggregate, const ExprPtr& having) {
  if (aggregate.pivot_column != nullptr) return AnalyzeDataFramePivot(aggregate);
  FRAZIL_ASSIGN_OR_RETURN(auto input, AnalyzePlan(aggregate.child));
  FRAZIL_ASSIGN_OR_RETURN(auto select, ExpandStars(aggregate.aggregates, input));
  if (aggregate.is_pipe) {
    // |> AGGREGATE ... GROUP BY 1: the input's first column.
    auto replaced = std::make_shared<plan::AggregatePlan>(aggregate);
    for (auto& element : replaced->grouping) {
      for (auto& set : element.sets) {
        for (auto& expression : set) {
          if (expression->kind != ExprKind::kLiteral ||
              expression->As<plan::LiteralExpr>().type->id() != TypeId::kInteger)
            continue;
          const int64_t position = expression->As<plan::LiteralExpr>().value.integer();
          if (position < 1 || position > static_cast<int64_t>(input.output.size())) {
            return At(Error::Of("GROUP_BY_POS_OUT_OF_RANGE",
                                {{"index", std::to_string(position)}, {"size", std::to_string(input.output.size())}}),
                      expression->origin);
          }
          expression = MakeTypedExpr(input.output[static_cast<size_t>(position - 1)]);
        }
      }
    }
    return AnalyzeGrouped(*replaced, input, std::move(select), having);
  }
  const auto keys = [&]() -> Result<std::vector<ExpressionPtr>> {
    std::vector<ExprPtr> sources;
    for (const auto& element : aggregate.grouping) AppendExpressions(element, &sources);
    std::vector<ExpressionPtr> typed;
    for (const auto& source : sources) {
      auto key = AnalyzeGroupingExpression(source, input, aggregate.prepend_grouping ? std::vector<ExprPtr>() : select);
      // Those that fail are the session itself, or they fail again where the error counts.
      if (key.ok()) typed.push_back(*std::move(key));
    }
    return typed;
  };
  return WithTimeWindows(
      &input, [&] { return AnalyzeGrouped(aggregate, input, select, having); }, keys);
}

Result<Relation> Analyzer::AnalyzeGrouped(const plan::AggregatePlan& aggregate, const Relation& input,
                                          std::vector<ExprPtr> select, const ExprPtr& having) {
  FRAZIL_ASSIGN_OR_RETURN(auto grouping, AnalyzeGrouping(aggregate, input, select));
  if (aggregate.is_pipe) {
    Scope scope;
    scope.input = &input;
    for (const auto& item : select) {
      FRAZIL_ASSIGN_OR_RETURN(auto typed, AnalyzeSelectItem(item, scope));
      if (!ContainsKind(*typed.expression, ExpressionKind::kAggregate)) {
        return At(Error::Of("PIPE_OPERATOR_AGGREGATE_EXPRESSION_CONTAINS_NO_AGGREGATE_FUNCTION",
                            {{"expr", typed.expression->sql}}),
                  item->origin);
      }
    }
  }
  if (aggregate.prepend_grouping) {
    // The grouping columns in front, in the order of GROUP BY.
    std::vector<ExprPtr> items = grouping.sources;
    items.insert(items.end(), select.begin(), select.end());
    select = std::move(items);
  }
  SelectStage stage(input, &context_);
  stage.SetGrouping(std::move(grouping.expressions), std::move(grouping.sets));
  return AnalyzeSelect(input, std::move(stage), select, aggregate.distinct, having, nullptr);
}

}  // namespace frazil::analysis
