// The pipe syntax: query |> operator |> ...
// Source: https://spark.apache.org/docs/latest/sql-pipe-syntax.html

#include "frazil/base/text.h"
#include "frazil/sql/parser_internal.h"

namespace frazil::sql {

/// Later operators see the columns, not the tables behind them; a table's own name and an alias stay visible.
plan::PlanPtr Parser::HideQualifiers(plan::PlanPtr plan, size_t first) const {
  switch (plan->kind) {
    case plan::PlanKind::kSubqueryAlias:
    case plan::PlanKind::kNamedTable:
    case plan::PlanKind::kTableFunction:
    case plan::PlanKind::kJoin:
      return plan;
    default:
      break;
  }
  auto node = Make<plan::SubqueryAliasPlan>(first);
  node->child = std::move(plan);
  return node;
}

Result<plan::PlanPtr> Parser::PipeOperator(plan::PlanPtr left, size_t first) {
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kPipeOperator));
  const size_t at = pos_;
  switch (Peek().keyword) {
    case Keyword::kSelect: {
      Skip();
      FRAZIL_ASSIGN_OR_RETURN(std::vector<Hint> hints, Hints());
      auto project = std::make_shared<plan::ProjectPlan>();
      if (AtAny({Keyword::kDistinct, Keyword::kAll}) && !AtListEnd(1) && !At(TokenType::kDot, 1)) {
        project->distinct = At(Keyword::kDistinct);
        Skip();
      }
      FRAZIL_ASSIGN_OR_RETURN(project->expressions, NamedExpressionList());
      project->child = HideQualifiers(std::move(left), first);
      project->pipe_clause = "SELECT";
      project->origin = OriginFrom(at);
      plan::PlanPtr result = std::move(project);
      if (At(Keyword::kWindow) && AtClauseStart()) {
        FRAZIL_ASSIGN_OR_RETURN(auto windows, NamedWindows());
        auto node = Make<plan::NamedWindowsPlan>(at);
        node->child = std::move(result);
        node->windows = std::move(windows);
        result = std::move(node);
      }
      return result;
    }
    case Keyword::kExtend: {
      Skip();
      auto project = std::make_shared<plan::ProjectPlan>();
      FRAZIL_ASSIGN_OR_RETURN(project->expressions, NamedExpressionList());
      project->expressions.insert(project->expressions.begin(), Make<plan::StarExpr>(at));
      project->child = HideQualifiers(std::move(left), first);
      project->pipe_clause = "EXTEND";
      project->origin = OriginFrom(at);
      return plan::PlanPtr(std::move(project));
    }
    case Keyword::kSet:
      return PipeSet(std::move(left), first);
    case Keyword::kDrop: {
      Skip();
      FRAZIL_ASSIGN_OR_RETURN(Names names, IdentifierSequence());
      auto star = Make<plan::StarExpr>(at);
      for (std::string& name : names) star->except.push_back({std::move(name)});
      auto project = Make<plan::ProjectPlan>(at);
      project->expressions.push_back(std::move(star));
      project->child = HideQualifiers(std::move(left), first);
      return plan::PlanPtr(std::move(project));
    }
    case Keyword::kAs: {
      Skip();
      TableAlias alias;
      FRAZIL_ASSIGN_OR_RETURN(alias.name, Identifier());
      alias.present = true;
      return WithAlias(std::move(left), std::move(alias), first);
    }
    case Keyword::kWhere: {
      Skip();
      FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr condition, Expression());
      if (At(Keyword::kWindow) && AtClauseStart())
        return ErrorFrom(at, "NOT_ALLOWED_IN_PIPE_OPERATOR_WHERE.WINDOW_CLAUSE");
      auto filter = Make<plan::FilterPlan>(at);
      filter->child = HideQualifiers(std::move(left), first);
      filter->condition = std::move(condition);
      return plan::PlanPtr(std::move(filter));
    }
    case Keyword::kPivot: {
      FRAZIL_ASSIGN_OR_RETURN(plan::PlanPtr pivot, Pivot(std::move(left), first));
      if (AtUnpivot()) return ErrorFrom(at, "NOT_ALLOWED_IN_FROM.UNPIVOT_WITH_PIVOT");
      return pivot;
    }
    case Keyword::kUnpivot: {
      FRAZIL_ASSIGN_OR_RETURN(plan::PlanPtr unpivot, Unpivot(std::move(left), first));
      if (AtPivot()) return ErrorFrom(at, "NOT_ALLOWED_IN_FROM.UNPIVOT_WITH_PIVOT");
      return unpivot;
    }
    case Keyword::kTablesample:
      return Sample(std::move(left), first);
    case Keyword::kUnion:
    case Keyword::kExcept:
    case Keyword::kMinus:
    case Keyword::kIntersect: {
      const Keyword keyword = Peek().keyword;
      Skip();
      const bool all = Accept(Keyword::kAll);
      if (!all) Accept(Keyword::kDistinct);
      FRAZIL_ASSIGN_OR_RETURN(plan::PlanPtr right, QueryPrimary());
      return SetOperation(std::move(left), first, std::move(right), keyword, all);
    }
    case Keyword::kAggregate:
      return PipeAggregate(std::move(left), first);
    case Keyword::kOrder:
    case Keyword::kCluster:
    case Keyword::kDistribute:
    case Keyword::kSort:
    case Keyword::kLimit:
    case Keyword::kOffset:
      return QueryClauses(HideQualifiers(std::move(left), first), first, true);
    case Keyword::kWindow:
      return ErrorFrom(at, "UNSUPPORTED_FEATURE.CLAUSE_WITH_PIPE_OPERATORS", {{"clauses", "the WINDOW clause"}});
    default:
      if (AtJoin()) return Join(std::move(left), first);
      // Nothing after |> is allowed by the grammar: an empty ORDER BY ... LIMIT.
      if (At(TokenType::kEnd) || At(TokenType::kRightParen) || At(TokenType::kPipeOperator)) return left;
      return SyntaxError();
  }
}

Result<plan::PlanPtr> Parser::PipeSet(plan::PlanPtr left, size_t first) {
  const size_t at = pos_;
  Skip();
  plan::PlanPtr result = HideQualifiers(std::move(left), first);
  do {
    const size_t item = pos_;
    FRAZIL_ASSIGN_OR_RETURN(std::string name, Identifier());
    if (At(TokenType::kDot))
      return NotAllowed(
          at, "SQL pipe syntax |> SET operator with multi-part assignment key (only single-part keys are allowed)");
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kEqual));
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr value, Expression());
    // Each assignment sees those before it.
    auto node = std::make_shared<plan::WithColumnsPlan>();
    node->child = std::move(result);
    node->aliases.push_back(plan::MakeAliasExpr(std::move(value), std::move(name), OriginFrom(item)));
    node->is_pipe_set = true;
    node->origin = OriginFrom(item);
    result = std::move(node);
  } while (Accept(TokenType::kComma));
  return result;
}

Result<plan::PlanPtr> Parser::PipeAggregate(plan::PlanPtr left, size_t first) {
  const size_t at = pos_;
  Skip();
  auto aggregate = std::make_shared<plan::AggregatePlan>();
  const auto refused = [&](const char* form) {
    return ErrorFrom(at, "UNSUPPORTED_FEATURE.PIPE_OPERATOR_AGGREGATE_UNSUPPORTED_CASE", {{"case", form}});
  };
  const auto at_group_by = [&]() {
    return AtWords({Keyword::kGroup, Keyword::kBy}) && !AtListEnd(2) && !At(TokenType::kPipeOperator, 2);
  };
  if (AtListEnd() || At(TokenType::kPipeOperator)) {
    return NotAllowed(
        at, "The AGGREGATE clause requires a list of aggregate expressions or a list of grouping expressions, or both");
  }
  if (!at_group_by()) {
    FRAZIL_ASSIGN_OR_RETURN(aggregate->aggregates, NamedExpressionList());
    for (size_t i = at + 1; i + 1 < pos_; ++i) {
      const bool calls = tokens_[i + 1].type == TokenType::kLeftParen;
      if (calls && tokens_[i].keyword == Keyword::kGrouping) return refused("GROUPING");
      if (calls && EqualsIgnoreCase(tokens_[i].text, "grouping_id")) return refused("GROUPING_ID");
      if (tokens_[i].keyword == Keyword::kOver && tokens_[i - 1].type == TokenType::kRightParen) {
        return refused(
            "window functions; please update the query to move the window functions to a subsequent |> SELECT operator "
            "instead");
      }
    }
  }
  if (at_group_by()) {
    Skip(2);
    if (At(Keyword::kAll) && (AtListEnd(1) || At(TokenType::kPipeOperator, 1))) {
      return refused("GROUP BY ALL");
    } else {
      do {
        if (AtGroupingAnalytics()) {
          return refused(At(Keyword::kGrouping) ? "GROUPING SETS"
                         : At(Keyword::kRollup) ? "GROUP BY ROLLUP"
                                                : "GROUP BY CUBE");
        }
        FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr expression, NamedExpression());
        plan::GroupingElement element;
        element.sets.push_back({std::move(expression)});
        aggregate->grouping.push_back(std::move(element));
      } while (Accept(TokenType::kComma));
      if (AtWords({Keyword::kWith, Keyword::kRollup})) return refused("GROUP BY ROLLUP");
      if (AtWords({Keyword::kWith, Keyword::kCube})) return refused("GROUP BY CUBE");
      if (AtWords({Keyword::kGrouping, Keyword::kSets})) return refused("GROUPING SETS");
    }
  }
  aggregate->child = HideQualifiers(std::move(left), first);
  aggregate->prepend_grouping = true;
  aggregate->is_pipe = true;
  aggregate->origin = OriginFrom(at);
  return plan::PlanPtr(std::move(aggregate));
}

}  // namespace frazil::sql
