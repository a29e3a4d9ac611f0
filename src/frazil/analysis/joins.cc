// Joins. https://spark.apache.org/docs/latest/sql-ref-syntax-qry-select-join.html

#include <algorithm>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/analysis/generator_errors_internal.h"
#include "frazil/base/text.h"
#include "frazil/plan/make_logical.h"

namespace frazil::analysis {

using plan::JoinType;

namespace {

bool KeepsLeftOnly(JoinType type) { return type == JoinType::kLeftSemi || type == JoinType::kLeftAnti; }

// Attributes as `plan` puts them out (outer joins make columns nullable).
void RefreshNullability(const plan::LogicalPlan& plan, Relation* relation) {
  std::map<AttributeId, bool> nullable;
  for (const auto& attribute : plan.output) nullable[attribute.id] = attribute.nullable;
  for (auto& attribute : relation->output) {
    if (const auto found = nullable.find(attribute.id); found != nullable.end()) attribute.nullable = found->second;
  }
  for (auto& hidden : relation->hidden) {
    if (const auto found = nullable.find(hidden.attribute.id); found != nullable.end())
      hidden.attribute.nullable = found->second;
  }
}

Relation Combined(const Relation& left, const Relation& right) {
  Relation both = left;
  both.select = nullptr;
  both.select_root = nullptr;
  both.select_is_distinct = false;
  both.output.insert(both.output.end(), right.output.begin(), right.output.end());
  both.hidden.insert(both.hidden.end(), right.hidden.begin(), right.hidden.end());
  both.dataframes.insert(both.dataframes.end(), right.dataframes.begin(), right.dataframes.end());
  return both;
}

}  // namespace

Result<Relation> Analyzer::AnalyzeJoin(const plan::JoinPlan& join) {
  FRAZIL_ASSIGN_OR_RETURN(auto left, AnalyzePlan(join.left));
  Relation right;
  bool is_lateral = false;
  if (join.is_lateral) {
    Scope scope;
    scope.input = &left;
    scopes_.push_back(&scope);
    subqueries_.push_back({scopes_.size(), false});
    auto analyzed = AnalyzePlan(join.right);
    is_lateral = subqueries_.back().is_correlated;
    subqueries_.pop_back();
    scopes_.pop_back();
    if (!analyzed.ok()) return std::move(analyzed).error();
    right = *std::move(analyzed);
  } else {
    FRAZIL_ASSIGN_OR_RETURN(right, AnalyzePlan(join.right));
  }

  std::vector<std::string> using_columns = join.using_columns;
  if (join.is_natural) {
    // Each column of the right side answers to one name of the left.
    std::set<size_t> taken;
    for (const auto& column : left.output) {
      for (size_t i = 0; i < right.output.size(); ++i) {
        const auto& other = right.output[i].name;
        if (taken.count(i) > 0 ||
            !(settings_.case_sensitive ? column.name == other : EqualsIgnoreCase(column.name, other)))
          continue;
        taken.insert(i);
        using_columns.push_back(column.name);
        break;
      }
    }
  }
  if (!using_columns.empty()) return JoinUsing(join, left, right, using_columns);

  Relation both = Combined(left, right);
  both.plan = plan::MakeJoin(left.plan, right.plan, join.type, nullptr, is_lateral);
  ExpressionPtr condition;
  if (join.condition != nullptr) {
    // For semi and anti joins too the condition sees both sides.
    Relation seen = both;
    seen.plan = plan::MakeJoin(left.plan, right.plan, JoinType::kInner, nullptr);
    Scope scope;
    scope.input = &seen;
    auto analyzed = AnalyzeScalar(join.condition, scope);
    if (!analyzed.ok()) return OutsideOfSelect(std::move(analyzed).error(), "'Join");
    condition = *std::move(analyzed);
    if (condition->type->id() != TypeId::kBoolean) {
      return At(
          Error::Of("JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE", {{"joinCondition", "\"" + condition->sql + "\""},
                                                           {"conditionType", "\"" + condition->type->Sql() + "\""}}),
          join.condition->origin);
    }
    Status correlation = Status::Ok();
    VisitExpression(*condition, [&](const Expression& part) {
      if (part.kind != ExpressionKind::kSubquery) return true;
      const auto& subquery = part.As<SubqueryExpression>();
      if (subquery.subquery_kind == SubqueryKind::kScalar && subquery.is_correlated) {
        correlation = Error::Of("UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.UNSUPPORTED_CORRELATED_SCALAR_SUBQUERY",
                                {{"treeNode", "Join [" + condition->sql + "]"}});
        return false;
      }
      const auto outer = OuterReferences(static_cast<const plan::LogicalPlan&>(*subquery.plan));
      const auto from = [&](const Relation& side) {
        return std::any_of(outer.begin(), outer.end(), [&](AttributeId id) {
          return std::any_of(side.plan->output.begin(), side.plan->output.end(),
                             [&](const Attribute& column) { return column.id == id; });
        });
      };
      if (from(left) && from(right)) {
        correlation =
            Error::Of("UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.UNSUPPORTED_CORRELATED_EXPRESSION_IN_JOIN_CONDITION",
                      {{"subqueryExpression", part.sql}});
      }
      return true;
    });
    if (!correlation.ok()) return At(std::move(correlation).error(), join.condition->origin);
    for (const auto kind : {ExpressionKind::kAggregate, ExpressionKind::kWindow}) {
      if (ContainsKind(*condition, kind)) {
        return At(Error::Of("UNSUPPORTED_EXPR_FOR_OPERATOR", {{"invalidExprSqls", "\"" + condition->sql + "\""}}),
                  join.condition->origin);
      }
    }
  }
  const bool keeps_unmatched = join.type != JoinType::kInner && join.type != JoinType::kCross;
  if (condition == nullptr && keeps_unmatched) condition = MakeLiteral(DataType::Boolean(), Value(true));
  if (condition != nullptr && keeps_unmatched && ContainsKind(*condition, ExpressionKind::kSubquery)) {
    condition = LiftSubqueries(condition, &left.plan, &right.plan);
  }
  both.plan = plan::MakeJoin(left.plan, right.plan, join.type, std::move(condition), is_lateral);
  if (KeepsLeftOnly(join.type)) {
    both.output = left.output;
    both.hidden = left.hidden;
  }
  RefreshNullability(*both.plan, &both);
  return both;
}

// The engine joins on subqueries in inner joins only. In the others each becomes a column of the side that it belongs
// to.
ExpressionPtr Analyzer::LiftSubqueries(const ExpressionPtr& condition, plan::LogicalPlanPtr* left,
                                       plan::LogicalPlanPtr* right) {
  const auto belongs_to = [](const std::vector<AttributeId>& ids, const plan::LogicalPlan& side) {
    return std::any_of(ids.begin(), ids.end(), [&](AttributeId id) {
      return std::any_of(side.output.begin(), side.output.end(),
                         [&](const Attribute& column) { return column.id == id; });
    });
  };
  std::vector<std::pair<Attribute, ExpressionPtr>> on_left, on_right;
  auto lifted = TransformExpression(condition, [&](const ExpressionPtr& part) -> ExpressionPtr {
    if (part->kind != ExpressionKind::kSubquery) return nullptr;
    const auto ids = ReferencedColumns(*part);
    const bool uses_left = belongs_to(ids, **left), uses_right = belongs_to(ids, **right);
    if (uses_left && uses_right) return nullptr;
    auto attribute = NewAttribute("subquery", part->type, part->nullable);
    (uses_right ? on_right : on_left).emplace_back(attribute, part);
    return WithSql(MakeColumn(attribute), part->sql);
  });
  const auto extend = [](plan::LogicalPlanPtr* side, const std::vector<std::pair<Attribute, ExpressionPtr>>& added) {
    if (added.empty()) return;
    auto output = (*side)->output;
    std::vector<ExpressionPtr> expressions;
    for (const auto& column : output) expressions.push_back(MakeColumn(column));
    for (const auto& [attribute, expression] : added) {
      output.push_back(attribute);
      expressions.push_back(expression);
    }
    *side = plan::MakeProject(*side, std::move(expressions), std::move(output));
  };
  extend(left, on_left);
  extend(right, on_right);
  return lifted;
}

Result<Relation> Analyzer::JoinUsing(const plan::JoinPlan& join, const Relation& left, const Relation& right,
                                     const std::vector<std::string>& columns) {
  const auto find = [&](const Relation& side, const std::string& name, const char* side_name) -> Result<Attribute> {
    std::vector<Attribute> found;
    for (const auto& attribute : side.output) {
      if (settings_.case_sensitive ? attribute.name == name : EqualsIgnoreCase(attribute.name, name))
        found.push_back(attribute);
    }
    if (found.empty()) {
      std::vector<std::string> names;
      for (const auto& attribute : side.output) names.push_back(QuoteIdentifier(attribute.name));
      std::sort(names.begin(), names.end());
      return Error::Of(
          "UNRESOLVED_USING_COLUMN_FOR_JOIN",
          {{"colName", QuoteIdentifier(name)}, {"side", side_name}, {"suggestion", "[" + Join(names, ", ") + "]"}});
    }
    return found[0];
  };
  std::vector<Attribute> left_keys, right_keys;
  for (const auto& name : columns) {
    FRAZIL_ASSIGN_OR_RETURN(auto left_key, find(left, name, "left"));
    FRAZIL_ASSIGN_OR_RETURN(auto right_key, find(right, name, "right"));
    left_keys.push_back(std::move(left_key));
    right_keys.push_back(std::move(right_key));
  }
  const auto bind = [&](const char* name, std::vector<ExpressionPtr> arguments) -> Result<ExpressionPtr> {
    const auto* definition = functions::FindFunction(name);
    if (definition == nullptr) return UnresolvedRoutine({name});
    functions::FunctionCall call;
    call.name = name;
    call.arguments = std::move(arguments);
    call.settings = &settings_;
    call.is_operator = true;
    return functions::BindFunction(*definition, call);
  };
  ExpressionPtr condition;
  for (size_t i = 0; i < columns.size(); ++i) {
    FRAZIL_ASSIGN_OR_RETURN(auto equal, bind("=", {MakeColumn(left_keys[i]), MakeColumn(right_keys[i])}));
    if (condition == nullptr) {
      condition = std::move(equal);
    } else {
      FRAZIL_ASSIGN_OR_RETURN(condition, bind("and", {condition, equal}));
    }
  }
  const bool left_only = KeepsLeftOnly(join.type);
  const auto type = join.type == JoinType::kCross ? JoinType::kInner : join.type;
  Relation joined = Combined(left, right);
  joined.plan = plan::MakeJoin(left.plan, right.plan, type, std::move(condition),
                               join.is_lateral && !OuterReferences(*right.plan).empty());
  if (left_only) joined.hidden = left.hidden;

  const auto is_key = [](const std::vector<Attribute>& keys, const Attribute& attribute) {
    return std::any_of(keys.begin(), keys.end(), [&](const Attribute& key) { return key.id == attribute.id; });
  };
  const auto hide = [&](const std::vector<Attribute>& keys) {
    for (const auto& key : keys) joined.hidden.push_back({key, true});
  };
  std::vector<Attribute> output;
  if (type == JoinType::kRightOuter) {
    output = right_keys;
    hide(left_keys);
  } else if (type == JoinType::kFullOuter) {
    // The key of either side that has one.
    std::vector<ExpressionPtr> expressions;
    std::vector<Attribute> columns_out;
    for (const auto& attribute : joined.plan->output) {
      expressions.push_back(MakeColumn(attribute));
      columns_out.push_back(attribute);
    }
    for (size_t i = 0; i < left_keys.size(); ++i) {
      auto nullable_left = left_keys[i], nullable_right = right_keys[i];
      nullable_left.nullable = nullable_right.nullable = true;
      FRAZIL_ASSIGN_OR_RETURN(auto key, bind("coalesce", {MakeColumn(nullable_left), MakeColumn(nullable_right)}));
      auto attribute = NewAttribute(left_keys[i].name, key->type, left_keys[i].nullable || right_keys[i].nullable);
      expressions.push_back(std::move(key));
      columns_out.push_back(attribute);
      output.push_back(std::move(attribute));
    }
    joined.plan = plan::MakeProject(joined.plan, std::move(expressions), std::move(columns_out));
    hide(left_keys);
    hide(right_keys);
  } else {
    output = left_keys;
    if (!left_only) hide(right_keys);
  }
  for (const auto& attribute : left.output) {
    if (!is_key(left_keys, attribute)) output.push_back(attribute);
  }
  if (!left_only) {
    for (const auto& attribute : right.output) {
      if (!is_key(right_keys, attribute)) output.push_back(attribute);
    }
  }
  joined.output = std::move(output);
  RefreshNullability(*joined.plan, &joined);
  return joined;
}

}  // namespace frazil::analysis
