// Queries: WITH, set operations, SELECT with its clauses, ORDER BY and what follows it.

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frazil/base/text.h"
#include "frazil/sql/parser_internal.h"

namespace frazil::sql {
namespace {

constexpr int kUnionPrecedence = 1;
constexpr int kIntersectPrecedence = 2;

/// Set operations in a row nest to the left; as many levels as later stages can walk.
constexpr int kMaximumSetOperations = 1000;
/// UNION ALL in a row nests so in groups, of which a tree is made then: its rows are the same in any order of nesting.
constexpr int kUnionsInRow = 250;
constexpr int kMaximumUnions = 50000;

}  // namespace

Result<plan::PlanPtr> Parser::Query() {
  FRAZIL_RETURN_IF_ERROR(CheckDepth());
  if (!At(Keyword::kWith) || !AtQueryStart()) return QueryAfterWith();
  const size_t first = pos_;
  FRAZIL_ASSIGN_OR_RETURN(std::shared_ptr<plan::WithPlan> with, With());
  FRAZIL_ASSIGN_OR_RETURN(with->child, QueryAfterWith());
  with->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(with));
}

Result<plan::PlanPtr> Parser::SubqueryPlan() {
  const auto with = std::exchange(command_with_, nullptr);
  auto query = Query();
  command_with_ = with;
  if (!query.ok()) return query;
  return UnderCommandWith(*std::move(query));
}

plan::PlanPtr Parser::UnderCommandWith(plan::PlanPtr query) const {
  if (command_with_ == nullptr) return query;
  auto with = std::make_shared<plan::WithPlan>(*command_with_);
  with->origin = query->origin;
  with->child = std::move(query);
  return with;
}

Result<plan::PlanPtr> Parser::QueryAfterWith() {
  const size_t first = pos_;
  FRAZIL_ASSIGN_OR_RETURN(plan::PlanPtr term, QueryTerm(kUnionPrecedence));
  return QueryClauses(std::move(term), first, false);
}

Result<std::shared_ptr<plan::WithPlan>> Parser::With() {
  const size_t first = pos_;
  auto with = std::make_shared<plan::WithPlan>();
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kWith));
  if (At(Keyword::kRecursive) && IsIdentifier(1) && !At(Keyword::kAs, 1)) {
    with->recursive = true;
    Skip();
  }
  std::set<std::string> seen;
  std::string duplicates;
  do {
    plan::CteDefinition definition;
    FRAZIL_ASSIGN_OR_RETURN(definition.name, Identifier());
    // A query in parentheses may follow the name without AS.
    if (At(TokenType::kLeftParen) && !AtParenthesizedQuery()) {
      FRAZIL_ASSIGN_OR_RETURN(definition.column_aliases, IdentifierList());
    }
    if (AcceptWords({Keyword::kMax, Keyword::kRecursion, Keyword::kLevel})) {
      FRAZIL_ASSIGN_OR_RETURN(const int64_t depth, IntegerValue());
      definition.max_depth = depth;
      if (!with->recursive) {
        return NotAllowed(first, "Cannot specify MAX RECURSION LEVEL when the CTE is not marked as RECURSIVE");
      }
    }
    Accept(Keyword::kAs);
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
    FRAZIL_ASSIGN_OR_RETURN(definition.plan, Query());
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
    if (!seen.insert(AsciiLower(definition.name)).second) {
      duplicates += (duplicates.empty() ? "" : ", ") + QuoteIdentifier(definition.name);
    }
    with->definitions.push_back(std::move(definition));
  } while (Accept(TokenType::kComma));
  if (!duplicates.empty()) return ErrorFrom(first, "DUPLICATED_CTE_NAMES", {{"duplicateNames", duplicates}});
  return with;
}

bool Parser::AtSetOperation() const {
  return AtAny({Keyword::kUnion, Keyword::kExcept, Keyword::kMinus, Keyword::kIntersect}) && AtClauseStart();
}

Result<plan::PlanPtr> Parser::QueryTerm(int minimum) {
  FRAZIL_RETURN_IF_ERROR(CheckDepth());
  const size_t first = pos_;
  FRAZIL_ASSIGN_OR_RETURN(plan::PlanPtr left, QueryPrimary());
  int unions = 0, others = 0, in_row = 0;
  std::vector<plan::PlanPtr> groups;
  const auto with_groups = [&](plan::PlanPtr last) -> Result<plan::PlanPtr> {
    groups.push_back(std::move(last));
    while (groups.size() > 1) {
      std::vector<plan::PlanPtr> pairs;
      for (size_t i = 0; i + 1 < groups.size(); i += 2) {
        FRAZIL_ASSIGN_OR_RETURN(
            auto pair, SetOperation(std::move(groups[i]), first, std::move(groups[i + 1]), Keyword::kUnion, true));
        pairs.push_back(std::move(pair));
      }
      if (groups.size() % 2 == 1) pairs.push_back(std::move(groups.back()));
      groups = std::move(pairs);
    }
    plan::PlanPtr whole = std::move(groups[0]);
    groups.clear();
    in_row = 0;
    return whole;
  };
  while (true) {
    // |> binds least, as the last alternative of the grammar.
    if (minimum <= kUnionPrecedence && At(TokenType::kPipeOperator)) {
      FRAZIL_ASSIGN_OR_RETURN(left, with_groups(std::move(left)));
      FRAZIL_ASSIGN_OR_RETURN(left, PipeOperator(std::move(left), first));
      continue;
    }
    if (!AtSetOperation()) return with_groups(std::move(left));
    const Keyword keyword = Peek().keyword;
    const bool binds_tighter = keyword == Keyword::kIntersect && !options_.set_ops_precedence_enforced;
    const int precedence = binds_tighter ? kIntersectPrecedence : kUnionPrecedence;
    if (precedence < minimum) return with_groups(std::move(left));
    Skip();
    const bool all = Accept(Keyword::kAll);
    if (!all) Accept(Keyword::kDistinct);
    const bool is_union_all = keyword == Keyword::kUnion && all;
    const bool is_too_much = is_union_all ? ++unions > kMaximumUnions : ++others > kMaximumSetOperations;
    if (is_too_much) return ErrorFrom(first, "FAILED_TO_PARSE_TOO_COMPLEX");
    FRAZIL_ASSIGN_OR_RETURN(plan::PlanPtr right, QueryTerm(precedence + 1));
    if (is_union_all && in_row == kUnionsInRow) {
      groups.push_back(std::move(left));
      left = std::move(right);
      in_row = 0;
      continue;
    }
    if (is_union_all) {
      ++in_row;
    } else {
      FRAZIL_ASSIGN_OR_RETURN(left, with_groups(std::move(left)));
    }
    FRAZIL_ASSIGN_OR_RETURN(left, SetOperation(std::move(left), first, std::move(right), keyword, all));
  }
}

Result<plan::PlanPtr> Parser::SetOperation(plan::PlanPtr left, size_t first, plan::PlanPtr right, Keyword keyword,
                                           bool all) {
  auto node = Make<plan::SetOperationPlan>(first);
  node->left = std::move(left);
  node->right = std::move(right);
  node->type = keyword == Keyword::kUnion       ? plan::SetOperationType::kUnion
               : keyword == Keyword::kIntersect ? plan::SetOperationType::kIntersect
                                                : plan::SetOperationType::kExcept;
  node->all = all;
  return plan::PlanPtr(std::move(node));
}

Result<plan::PlanPtr> Parser::QueryPrimary() {
  const size_t first = pos_;
  if (At(TokenType::kLeftParen)) {
    Skip();
    FRAZIL_ASSIGN_OR_RETURN(plan::PlanPtr query, Query());
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
    return query;
  }
  switch (Peek().keyword) {
    case Keyword::kSelect:
      if (At(Keyword::kTransform, 1) && At(TokenType::kLeftParen, 2)) {
        const int match = Peek(2).match;
        const size_t after = match < 0 ? tokens_.size() : static_cast<size_t>(match) + 1 - pos_;
        if (AtAny({Keyword::kUsing, Keyword::kRow, Keyword::kRecordwriter}, after))
          return Error::Unsupported("SELECT TRANSFORM (scripts)");
      }
      return Select(nullptr);
    case Keyword::kFrom:
      return FromFirst();
    case Keyword::kTable: {
      Skip();
      FRAZIL_ASSIGN_OR_RETURN(plan::NameClause name, NameReference());
      auto table = Make<plan::NamedTablePlan>(first);
      table->name = std::move(name.parts);
      table->identifier = std::move(name.identifier);
      return plan::PlanPtr(std::move(table));
    }
    case Keyword::kValues:
      return InlineTable();
    case Keyword::kMap:
    case Keyword::kReduce:
      if (AtTransform()) return Error::Unsupported("MAP and REDUCE (scripts)");
      return SyntaxError();
    default:
      return SyntaxError();
  }
}

Result<plan::PlanPtr> Parser::FromFirst() {
  const size_t first = pos_;
  FRAZIL_ASSIGN_OR_RETURN(plan::PlanPtr from, FromClause());
  if (AtTransform()) return Error::Unsupported("MAP and REDUCE (scripts)");
  if (!At(Keyword::kSelect)) {
    // FROM t, as the start of a pipe or alone: all columns.
    return from;
  }
  // Several SELECTs over it are one after the other.
  plan::PlanPtr query;
  while (At(Keyword::kSelect)) {
    FRAZIL_ASSIGN_OR_RETURN(plan::PlanPtr select, Select(from));
    FRAZIL_ASSIGN_OR_RETURN(select, QueryClauses(std::move(select), first, false));
    if (query == nullptr) {
      query = std::move(select);
      continue;
    }
    auto both = Make<plan::SetOperationPlan>(first);
    both->type = plan::SetOperationType::kUnion;
    both->all = true;
    both->left = std::move(query);
    both->right = std::move(select);
    query = std::move(both);
  }
  return query;
}

Result<std::vector<Parser::Hint>> Parser::Hints() {
  std::vector<Hint> hints;
  while (At(TokenType::kHintStart)) {
    const size_t first = pos_;
    const size_t first_hint = hints.size();
    Skip();
    while (!At(TokenType::kHintEnd)) {
      Hint hint;
      if (!IsIdentifier()) return SyntaxError();
      FRAZIL_ASSIGN_OR_RETURN(hint.name, TakeIdentifier());
      if (Accept(TokenType::kLeftParen)) {
        do {
          FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr parameter, Primary());
          hint.parameters.push_back(std::move(parameter));
        } while (Accept(TokenType::kComma));
        FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
      }
      hints.push_back(std::move(hint));
      Accept(TokenType::kComma);
    }
    Skip();
    if (hints.empty()) return SyntaxErrorAt(pos_ - 1);
    for (size_t i = first_hint; i < hints.size(); ++i) hints[i].origin = OriginFrom(first);
  }
  return hints;
}

Result<plan::PlanPtr> Parser::Select(plan::PlanPtr from) {
  const size_t first = pos_;
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kSelect));
  FRAZIL_ASSIGN_OR_RETURN(std::vector<Hint> hints, Hints());
  bool distinct = false;
  if (AtAny({Keyword::kDistinct, Keyword::kAll}) && !AtListEnd(1) && !At(TokenType::kDot, 1)) {
    distinct = At(Keyword::kDistinct);
    Skip();
  }
  FRAZIL_ASSIGN_OR_RETURN(Expressions items, NamedExpressionList());
  plan::PlanPtr child = std::move(from);
  if (child == nullptr) {
    if (At(Keyword::kFrom)) {
      FRAZIL_ASSIGN_OR_RETURN(child, FromClause());
    } else {
      child = std::make_shared<plan::OneRowPlan>();
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(child, LateralViews(std::move(child), first));
  std::shared_ptr<plan::FilterPlan> where_clause;
  if (At(Keyword::kWhere)) {
    const size_t where = pos_;
    Skip();
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr condition, Expression());
    where_clause = Make<plan::FilterPlan>(where);
    where_clause->child = std::move(child);
    where_clause->condition = std::move(condition);
    child = where_clause;
  }
  plan::PlanPtr result;
  if (AcceptWords({Keyword::kGroup, Keyword::kBy})) {
    auto aggregate = std::make_shared<plan::AggregatePlan>();
    FRAZIL_ASSIGN_OR_RETURN(aggregate->grouping, GroupBy(&aggregate->group_by_all));
    aggregate->child = std::move(child);
    aggregate->aggregates = std::move(items);
    aggregate->distinct = distinct;
    aggregate->origin = OriginFrom(first);
    result = std::move(aggregate);
  } else {
    auto project = Make<plan::ProjectPlan>(first);
    project->child = std::move(child);
    project->expressions = std::move(items);
    project->distinct = distinct;
    result = std::move(project);
  }
  if (At(Keyword::kHaving)) {
    Skip();
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr condition, Expression());
    auto having = Make<plan::HavingPlan>(first);
    having->child = std::move(result);
    having->condition = std::move(condition);
    result = std::move(having);
  }
  if (At(Keyword::kWindow) && AtClauseStart()) {
    FRAZIL_ASSIGN_OR_RETURN(auto windows, NamedWindows());
    auto node = Make<plan::NamedWindowsPlan>(first);
    node->child = std::move(result);
    node->windows = std::move(windows);
    result = std::move(node);
  }
  // What is wrong with WHERE as a whole is shown at the whole SELECT.
  if (where_clause != nullptr) where_clause->origin = OriginFrom(first);
  for (auto hint = hints.rbegin(); hint != hints.rend(); ++hint) {
    auto node = std::make_shared<plan::HintPlan>();
    node->child = std::move(result);
    node->name = hint->name;
    node->parameters = std::move(hint->parameters);
    node->origin = hint->origin;
    result = std::move(node);
  }
  return result;
}

bool Parser::AtGroupingAnalytics() const {
  if (AtAny({Keyword::kRollup, Keyword::kCube})) return At(TokenType::kLeftParen, 1);
  return AtWords({Keyword::kGrouping, Keyword::kSets}) && At(TokenType::kLeftParen, 2);
}

Result<Parser::Expressions> Parser::GroupingSet() {
  Expressions set;
  if (At(TokenType::kLeftParen) && !AtParenthesizedQuery()) {
    // "(a, b)" is a set of two; "(a + b) * c" one expression.
    const int match = Peek().match;
    const bool alone = match >= 0 && AtListEnd(static_cast<size_t>(match) + 1 - pos_);
    if (alone) {
      Skip();
      if (Accept(TokenType::kRightParen)) return set;
      FRAZIL_ASSIGN_OR_RETURN(set, ExpressionList());
      FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
      return set;
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr expression, Expression());
  set.push_back(std::move(expression));
  return set;
}

Result<plan::GroupingElement> Parser::GroupingAnalytics() {
  FRAZIL_RETURN_IF_ERROR(CheckDepth());
  const size_t first = pos_;
  plan::GroupingElement element;
  const bool is_sets = At(Keyword::kGrouping);
  element.type = is_sets                ? plan::GroupingElement::Type::kGroupingSets
                 : At(Keyword::kRollup) ? plan::GroupingElement::Type::kRollup
                                        : plan::GroupingElement::Type::kCube;
  const std::string shown = At(Keyword::kRollup) ? "ROLLUP" : "CUBE";
  Skip(is_sets ? 2 : 1);
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  bool has_nested = false;
  std::vector<plan::GroupingElement> items;
  do {
    plan::GroupingElement item;
    if (is_sets && AtGroupingAnalytics()) {
      has_nested = true;
      FRAZIL_ASSIGN_OR_RETURN(item, GroupingAnalytics());
    } else {
      FRAZIL_ASSIGN_OR_RETURN(Expressions set, GroupingSet());
      if (!is_sets && set.empty()) return ErrorFrom(first, "_LEGACY_ERROR_TEMP_0051", {{"element", shown}});
      item.type = plan::GroupingElement::Type::kGroupingSets;
      item.sets.push_back(std::move(set));
    }
    items.push_back(std::move(item));
  } while (Accept(TokenType::kComma));
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  if (has_nested) {
    element.nested = std::move(items);
  } else {
    for (plan::GroupingElement& item : items) element.sets.push_back(std::move(item.sets.front()));
  }
  return element;
}

Result<plan::GroupingElement> Parser::GroupingItem() {
  if (AtGroupingAnalytics()) return GroupingAnalytics();
  plan::GroupingElement element;
  // The older form (GROUP BY a AS b ... WITH ROLLUP) allows aliases; they have no use.
  FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr expression, Expression());
  if (At(Keyword::kAs)) {
    Skip();
    FRAZIL_ASSIGN_OR_RETURN(std::string name, Identifier());
    expression = plan::MakeAliasExpr(expression, std::move(name), expression->origin);
  }
  element.sets.push_back({std::move(expression)});
  return element;
}

Result<std::vector<plan::GroupingElement>> Parser::GroupBy(bool* all) {
  const size_t first = pos_;
  std::vector<plan::GroupingElement> elements;
  if (At(Keyword::kAll) && (AtListEnd(1) || AtClauseStart(1) || At(TokenType::kPipeOperator, 1)) &&
      !At(TokenType::kComma, 1)) {
    Skip();
    *all = true;
    return elements;
  }
  bool plain = true;
  do {
    plain = plain && !AtGroupingAnalytics();
    FRAZIL_ASSIGN_OR_RETURN(plan::GroupingElement element, GroupingItem());
    elements.push_back(std::move(element));
  } while (Accept(TokenType::kComma));
  if (!plain) return elements;
  // GROUP BY a, b WITH ROLLUP; GROUP BY a, b GROUPING SETS (...).
  const bool rollup = AtWords({Keyword::kWith, Keyword::kRollup});
  if (rollup || AtWords({Keyword::kWith, Keyword::kCube})) {
    Skip(2);
    plan::GroupingElement whole;
    whole.type = rollup ? plan::GroupingElement::Type::kRollup : plan::GroupingElement::Type::kCube;
    for (plan::GroupingElement& element : elements) whole.sets.push_back(std::move(element.sets.front()));
    return std::vector<plan::GroupingElement>{std::move(whole)};
  }
  if (AtWords({Keyword::kGrouping, Keyword::kSets}) && At(TokenType::kLeftParen, 2)) {
    Skip(3);
    plan::GroupingElement whole;
    whole.type = plan::GroupingElement::Type::kGroupingSets;
    do {
      FRAZIL_ASSIGN_OR_RETURN(Expressions set, GroupingSet());
      whole.sets.push_back(std::move(set));
    } while (Accept(TokenType::kComma));
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
    for (const plan::GroupingElement& element : elements) {
      if (element.sets.front().front() == nullptr) return SyntaxErrorAt(first);
    }
    whole.grouping_columns = [&] {
      Expressions columns;
      for (plan::GroupingElement& element : elements) columns.push_back(std::move(element.sets.front().front()));
      return columns;
    }();
    return std::vector<plan::GroupingElement>{std::move(whole)};
  }
  return elements;
}

Result<std::vector<std::pair<std::string, plan::WindowSpecification>>> Parser::NamedWindows() {
  const size_t first = pos_;
  Skip();
  std::vector<std::pair<std::string, plan::WindowSpecification>> windows;
  std::set<std::string> seen;
  do {
    FRAZIL_ASSIGN_OR_RETURN(std::string name, Identifier());
    FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kAs));
    FRAZIL_ASSIGN_OR_RETURN(plan::WindowSpecification window, Window());
    if (!seen.insert(name).second) {
      return ErrorFrom(first, "INVALID_SQL_SYNTAX.REPETITIVE_WINDOW_DEFINITION",
                       {{"windowName", QuoteIdentifier(name)}});
    }
    windows.emplace_back(std::move(name), std::move(window));
  } while (Accept(TokenType::kComma));
  // A window that only names another one takes its definition.
  for (auto& [name, window] : windows) {
    if (window.reference.empty()) continue;
    const std::string reference = window.reference;
    const auto target =
        std::find_if(windows.begin(), windows.end(), [&](const auto& other) { return other.first == reference; });
    if (target == windows.end()) {
      return ErrorFrom(first, "INVALID_SQL_SYNTAX.UNRESOLVED_WINDOW_REFERENCE",
                       {{"windowName", QuoteIdentifier(reference)}});
    }
    if (!target->second.reference.empty()) {
      return ErrorFrom(first, "INVALID_SQL_SYNTAX.INVALID_WINDOW_REFERENCE",
                       {{"windowName", QuoteIdentifier(reference)}});
    }
  }
  return windows;
}

Result<plan::PlanPtr> Parser::QueryClauses(plan::PlanPtr child, size_t first, bool pipe) {
  const size_t clauses = pos_;
  int organized = 0;
  if (AtWords({Keyword::kOrder, Keyword::kBy})) {
    Skip(2);
    ++organized;
    auto sort = std::make_shared<plan::SortPlan>();
    FRAZIL_ASSIGN_OR_RETURN(sort->order_by, SortItems());
    // ORDER BY ALL: the word alone, not a column in back quotes.
    const auto& item = sort->order_by.front()->As<plan::SortOrderExpr>();
    if (sort->order_by.size() == 1 && item.child->kind == plan::ExprKind::kAttribute &&
        tokens_[clauses + 2].keyword == Keyword::kAll && item.child->As<plan::AttributeExpr>().name.size() == 1) {
      sort->order_by_all = true;
      sort->all_ascending = item.ascending;
      sort->all_nulls_first = item.nulls_first;
      sort->order_by.clear();
    }
    sort->child = std::move(child);
    sort->origin = OriginFrom(first);
    child = std::move(sort);
  }
  const auto repartition = [&](Expressions expressions) {
    auto node = Make<plan::RepartitionPlan>(first);
    node->child = std::move(child);
    node->expressions = std::move(expressions);
    child = std::move(node);
  };
  const auto sort_within = [&](Expressions items) {
    auto node = Make<plan::SortPlan>(first);
    node->child = std::move(child);
    node->order_by = std::move(items);
    node->is_global = false;
    child = std::move(node);
  };
  if (AtWords({Keyword::kCluster, Keyword::kBy})) {
    Skip(2);
    ++organized;
    FRAZIL_ASSIGN_OR_RETURN(Expressions expressions, ExpressionList());
    Expressions items;
    for (const plan::ExprPtr& expression : expressions) {
      auto item = std::make_shared<plan::SortOrderExpr>();
      item->child = expression;
      item->origin = expression->origin;
      items.push_back(std::move(item));
    }
    repartition(std::move(expressions));
    sort_within(std::move(items));
  }
  bool has_distribute = false;
  if (AtWords({Keyword::kDistribute, Keyword::kBy})) {
    Skip(2);
    ++organized;
    has_distribute = true;
    FRAZIL_ASSIGN_OR_RETURN(Expressions expressions, ExpressionList());
    repartition(std::move(expressions));
  }
  if (AtWords({Keyword::kSort, Keyword::kBy})) {
    Skip(2);
    if (!has_distribute) ++organized;
    FRAZIL_ASSIGN_OR_RETURN(Expressions items, SortItems());
    sort_within(std::move(items));
  }
  if (organized > 1) {
    return ErrorFrom(clauses, "UNSUPPORTED_FEATURE.COMBINATION_QUERY_RESULT_CLAUSES");
  }
  if (At(Keyword::kWindow) && AtClauseStart()) {
    FRAZIL_ASSIGN_OR_RETURN(auto windows, NamedWindows());
    auto node = Make<plan::NamedWindowsPlan>(first);
    node->child = std::move(child);
    node->windows = std::move(windows);
    child = std::move(node);
  }
  plan::ExprPtr limit;
  if (Accept(Keyword::kLimit)) {
    if (At(Keyword::kAll) && (AtListEnd(1) || At(Keyword::kOffset, 1) || At(TokenType::kPipeOperator, 1))) {
      Skip();
    } else {
      FRAZIL_ASSIGN_OR_RETURN(limit, Expression());
    }
  }
  if (Accept(Keyword::kOffset)) {
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr offset, Expression());
    auto node = Make<plan::OffsetPlan>(first);
    node->child = std::move(child);
    node->offset = std::move(offset);
    child = std::move(node);
    if (pipe && organized > 0) {
      return ErrorFrom(clauses, "MULTIPLE_QUERY_RESULT_CLAUSES_WITH_PIPE_OPERATORS",
                       {{"clause1", "ORDER BY"}, {"clause2", "OFFSET"}});
    }
  }
  if (limit != nullptr) {
    if (pipe && organized > 0) {
      return ErrorFrom(clauses, "MULTIPLE_QUERY_RESULT_CLAUSES_WITH_PIPE_OPERATORS",
                       {{"clause1", "ORDER BY"}, {"clause2", "LIMIT"}});
    }
    auto node = Make<plan::LimitPlan>(first);
    node->child = std::move(child);
    node->limit = std::move(limit);
    child = std::move(node);
  }
  return child;
}

}  // namespace frazil::sql
