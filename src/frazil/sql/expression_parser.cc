// Operators and predicates, by precedence (lowest first):
// OR; AND; NOT; predicates (BETWEEN, IN, LIKE, IS ...); comparisons; |; ^; &; shifts; + - ||; * / % DIV; unary.

#include "frazil/sql/parser_internal.h"

namespace frazil::sql {
namespace {

constexpr int kOr = 1;
constexpr int kAnd = 2;
constexpr int kNot = 3;
constexpr int kPredicate = 4;
constexpr int kComparison = 5;
constexpr int kBitOr = 6;
constexpr int kBitXor = 7;
constexpr int kBitAnd = 8;
constexpr int kShift = 9;
constexpr int kSum = 10;
constexpr int kProduct = 11;

/// Operators in a row that nest to the left; as many levels as later stages can walk.
constexpr int kMaximumChain = 4000;

struct BinaryOperator {
  int precedence = 0;  ///< 0: not an operator.
  const char* name = "";
};

BinaryOperator OperatorOf(const Token& token) {
  switch (token.type) {
    case TokenType::kEqual:
      return {kComparison, "=="};
    case TokenType::kNullSafeEqual:
      return {kComparison, "<=>"};
    case TokenType::kNotEqual:
    case TokenType::kBangEqual:
      return {kComparison, "!="};
    case TokenType::kLess:
      return {kComparison, "<"};
    case TokenType::kLessOrEqual:
      return {kComparison, "<="};
    case TokenType::kGreater:
      return {kComparison, ">"};
    case TokenType::kGreaterOrEqual:
      return {kComparison, ">="};
    case TokenType::kPipe:
      return {kBitOr, "|"};
    case TokenType::kHat:
      return {kBitXor, "^"};
    case TokenType::kAmpersand:
      return {kBitAnd, "&"};
    case TokenType::kShiftLeft:
      return {kShift, "shiftleft"};
    case TokenType::kShiftRight:
      return {kShift, "shiftright"};
    case TokenType::kShiftRightUnsigned:
      return {kShift, "shiftrightunsigned"};
    case TokenType::kPlus:
      return {kSum, "+"};
    case TokenType::kMinus:
      return {kSum, "-"};
    case TokenType::kConcat:
      return {kSum, "||"};
    case TokenType::kAsterisk:
      return {kProduct, "*"};
    case TokenType::kSlash:
      return {kProduct, "/"};
    case TokenType::kPercent:
      return {kProduct, "%"};
    default:
      return {};
  }
}

}  // namespace

plan::ExprPtr Parser::Operator(size_t first, std::string name, Expressions arguments) const {
  auto node = Make<plan::FunctionExpr>(first);
  node->name = {std::move(name)};
  node->arguments = std::move(arguments);
  node->is_operator = true;
  return node;
}

plan::ExprPtr Parser::Not(size_t first, plan::ExprPtr child) const {
  return Operator(first, "not", {std::move(child)});
}

Result<plan::ExprPtr> Parser::Expression() { return Binary(kOr); }

Result<plan::ExprPtr> Parser::ValueExpression() { return Binary(kComparison); }

Result<plan::ExprPtr> Parser::Prefix(int minimum) {
  const size_t first = pos_;
  const bool is_not = At(TokenType::kBang) || (At(Keyword::kNot) && !AtListEnd(1) && !At(TokenType::kDot, 1));
  if (is_not && minimum <= kNot) {
    Skip();
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr child, Binary(kNot));
    return Not(first, std::move(child));
  }
  const char* name = At(TokenType::kMinus)   ? "negative"
                     : At(TokenType::kPlus)  ? "positive"
                     : At(TokenType::kTilde) ? "~"
                                             : nullptr;
  if (name == nullptr || (At(TokenType::kMinus) && AtNumber(1))) return Primary();
  Skip();
  FRAZIL_RETURN_IF_ERROR(CheckDepth());
  FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr child, Prefix(kProduct + 1));
  return Operator(first, name, {std::move(child)});
}

Result<plan::ExprPtr> Parser::Binary(int minimum) {
  FRAZIL_RETURN_IF_ERROR(CheckDepth());
  const size_t first = pos_;
  FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr left, Prefix(minimum));
  int chain = 0;
  bool has_predicate = false;
  while (true) {
    if (minimum <= kOr && At(Keyword::kOr)) {
      FRAZIL_ASSIGN_OR_RETURN(left, LogicalChain(std::move(left), first, Keyword::kOr, kOr));
      continue;
    }
    if (minimum <= kAnd && At(Keyword::kAnd)) {
      FRAZIL_ASSIGN_OR_RETURN(left, LogicalChain(std::move(left), first, Keyword::kAnd, kAnd));
      continue;
    }
    if (minimum <= kPredicate && !has_predicate && AtPredicate()) {
      // The value in front is no part of what Spark calls the predicate.
      FRAZIL_ASSIGN_OR_RETURN(left, Predicate(std::move(left), pos_));
      has_predicate = true;
      continue;
    }
    BinaryOperator found = OperatorOf(Peek());
    if (At(Keyword::kDiv) && !AtListEnd(1)) found = {kProduct, "div"};
    // A predicate ends the value it stands on: (a IS NULL) = b needs parentheses.
    if (found.precedence == 0 || found.precedence < minimum || has_predicate) return left;
    if (++chain > kMaximumChain) return ErrorFrom(first, "FAILED_TO_PARSE_TOO_COMPLEX");
    Skip();
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr right, Binary(found.precedence + 1));
    left = Operator(first, found.name, {std::move(left), std::move(right)});
  }
}

Result<plan::ExprPtr> Parser::LogicalChain(plan::ExprPtr left, size_t first, Keyword keyword, int precedence) {
  struct Operand {
    plan::ExprPtr expression;
    size_t first = 0;
    size_t end = 0;
  };
  std::vector<Operand> operands;
  operands.push_back({std::move(left), first, pos_});
  while (Accept(keyword)) {
    const size_t start = pos_;
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr next, Binary(precedence + 1));
    operands.push_back({std::move(next), start, pos_});
  }
  // A balanced tree: long chains of AND stay shallow.
  const std::string name = keyword == Keyword::kOr ? "or" : "and";
  while (operands.size() > 1) {
    std::vector<Operand> halved;
    for (size_t i = 0; i + 1 < operands.size(); i += 2) {
      const size_t end_of_chain = pos_;
      pos_ = operands[i + 1].end;
      plan::ExprPtr both =
          Operator(operands[i].first, name, {std::move(operands[i].expression), std::move(operands[i + 1].expression)});
      pos_ = end_of_chain;
      halved.push_back({std::move(both), operands[i].first, operands[i + 1].end});
    }
    if (operands.size() % 2 == 1) halved.push_back(std::move(operands.back()));
    operands = std::move(halved);
  }
  return std::move(operands.front().expression);
}

bool Parser::AtPredicate() const {
  const bool is_not = (At(Keyword::kNot) || At(TokenType::kBang));
  const size_t at = is_not ? 1 : 0;
  switch (Peek(at).keyword) {
    case Keyword::kBetween:
    case Keyword::kRlike:
    case Keyword::kLike:
    case Keyword::kIlike:
      return !AtListEnd(at + 1);
    case Keyword::kIn:
      return At(TokenType::kLeftParen, at + 1) || AtParameter(at + 1);
    case Keyword::kIs:
      return !is_not && !AtListEnd(1);
    default:
      return false;
  }
}

Result<plan::ExprPtr> Parser::Predicate(plan::ExprPtr value, size_t first) {
  if (At(Keyword::kIs)) return IsPredicate(std::move(value), first);
  const bool is_not = Accept(Keyword::kNot) || Accept(TokenType::kBang);
  plan::ExprPtr result;
  if (At(Keyword::kIn)) {
    FRAZIL_ASSIGN_OR_RETURN(result, InPredicate(std::move(value), first));
  } else if (Accept(Keyword::kBetween)) {
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr lower, ValueExpression());
    FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kAnd));
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr upper, ValueExpression());
    result = Operator(first, "between", {std::move(value), std::move(lower), std::move(upper)});
  } else if (Accept(Keyword::kRlike)) {
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr pattern, ValueExpression());
    result = Operator(first, "rlike", {std::move(value), std::move(pattern)});
  } else {
    return LikePredicate(std::move(value), first, is_not);
  }
  return is_not ? Not(first, std::move(result)) : result;
}

Result<plan::ExprPtr> Parser::InPredicate(plan::ExprPtr value, size_t first) {
  Skip();
  if (AtParenthesizedQuery()) {
    Skip();
    FRAZIL_ASSIGN_OR_RETURN(plan::PlanPtr query, SubqueryPlan());
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
    auto node = Make<plan::SubqueryExpr>(first);
    node->subquery_kind = SubqueryKind::kIn;
    node->plan = std::move(query);
    if (value->kind == plan::ExprKind::kFunction && value->As<plan::FunctionExpr>().is_operator &&
        value->As<plan::FunctionExpr>().name == Names{"struct"}) {
      node->values = value->As<plan::FunctionExpr>().arguments;
    } else {
      node->values = {std::move(value)};
    }
    return plan::ExprPtr(std::move(node));
  }
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  FRAZIL_ASSIGN_OR_RETURN(Expressions arguments, ExpressionList());
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  arguments.insert(arguments.begin(), std::move(value));
  return Operator(first, "in", std::move(arguments));
}

Result<plan::ExprPtr> Parser::LikePredicate(plan::ExprPtr value, size_t first, bool is_not) {
  const size_t operator_first = pos_;
  const std::string like = At(Keyword::kIlike) ? "ilike" : "like";
  Skip();
  if (AtAny({Keyword::kAny, Keyword::kSome, Keyword::kAll}) && At(TokenType::kLeftParen, 1)) {
    const bool all = At(Keyword::kAll);
    Skip(2);
    if (At(TokenType::kRightParen)) {
      Skip();
      return ErrorFrom(operator_first, "_LEGACY_ERROR_TEMP_0064", {{"msg", "Expected something between '(' and ')'."}});
    }
    FRAZIL_ASSIGN_OR_RETURN(Expressions arguments, ExpressionList());
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
    arguments.insert(arguments.begin(), std::move(value));
    return Operator(first, (is_not ? "not_" : "") + like + (all ? "_all" : "_any"), std::move(arguments));
  }
  FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr pattern, ValueExpression());
  Expressions arguments = {std::move(value), std::move(pattern)};
  if (At(Keyword::kEscape) && AtStringLiteral(1)) {
    Skip();
    const size_t escape = pos_;
    FRAZIL_ASSIGN_OR_RETURN(std::string text, StringLiteral());
    size_t characters = 0;
    for (const char c : text) characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
    if (characters != 1) return ErrorFrom(first, "INVALID_ESC", {{"invalidEscape", "'" + text + "'"}});
    arguments.push_back(StringExpr(escape, std::move(text)));
  }
  plan::ExprPtr result = Operator(first, like, std::move(arguments));
  return is_not ? Not(first, std::move(result)) : result;
}

Result<plan::ExprPtr> Parser::IsPredicate(plan::ExprPtr value, size_t first) {
  Skip();
  const bool is_not = Accept(Keyword::kNot) || Accept(TokenType::kBang);
  if (Accept(Keyword::kNull)) return Operator(first, is_not ? "isnotnull" : "isnull", {std::move(value)});
  if (Accept(Keyword::kUnknown)) return Operator(first, is_not ? "is_not_unknown" : "is_unknown", {std::move(value)});
  const char* test = At(Keyword::kTrue) ? "is_true" : At(Keyword::kFalse) ? "is_false" : nullptr;
  plan::ExprPtr result;
  if (test != nullptr) {
    Skip();
    result = Operator(first, test, {std::move(value)});
  } else {
    FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kDistinct, Keyword::kFrom}));
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr right, ValueExpression());
    result = Operator(first, "is_distinct_from", {std::move(value), std::move(right)});
  }
  return is_not ? Not(first, std::move(result)) : result;
}

Result<plan::ExprPtr> Parser::NamedExpression() {
  const size_t first = pos_;
  FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr expression, Expression());
  Names names;
  if (At(Keyword::kAs) && !AtListEnd(1)) {
    Skip();
    if (At(TokenType::kLeftParen)) {
      FRAZIL_ASSIGN_OR_RETURN(names, IdentifierList());
    } else {
      FRAZIL_ASSIGN_OR_RETURN(std::string name, Identifier());
      names.push_back(std::move(name));
    }
  } else if (At(TokenType::kLeftParen) && IsIdentifier(1)) {
    FRAZIL_ASSIGN_OR_RETURN(names, IdentifierList());
  } else if (IsIdentifier() && !AtClauseStart()) {
    FRAZIL_ASSIGN_OR_RETURN(std::string name, Identifier());
    names.push_back(std::move(name));
  } else {
    return expression;
  }
  auto alias = Make<plan::AliasExpr>(first);
  alias->child = std::move(expression);
  alias->names = std::move(names);
  return plan::ExprPtr(std::move(alias));
}

Result<Parser::Expressions> Parser::NamedExpressionList() {
  Expressions expressions;
  do {
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr expression, NamedExpression());
    expressions.push_back(std::move(expression));
  } while (Accept(TokenType::kComma));
  return expressions;
}

Result<Parser::Expressions> Parser::ExpressionList() {
  Expressions expressions;
  do {
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr expression, Expression());
    expressions.push_back(std::move(expression));
  } while (Accept(TokenType::kComma));
  return expressions;
}

Result<plan::ExprPtr> Parser::SortItem() {
  const size_t first = pos_;
  FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr child, Expression());
  bool ascending = true;
  std::optional<bool> nulls_first;
  if (Accept(Keyword::kDesc)) {
    ascending = false;
  } else {
    Accept(Keyword::kAsc);
  }
  if (At(Keyword::kNulls) && AtAny({Keyword::kFirst, Keyword::kLast}, 1)) {
    nulls_first = At(Keyword::kFirst, 1);
    Skip(2);
  }
  auto item = Make<plan::SortOrderExpr>(first);
  item->child = std::move(child);
  item->ascending = ascending;
  item->nulls_first = nulls_first;
  return plan::ExprPtr(std::move(item));
}

Result<Parser::Expressions> Parser::SortItems() {
  Expressions items;
  do {
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr item, SortItem());
    items.push_back(std::move(item));
  } while (Accept(TokenType::kComma));
  return items;
}

}  // namespace frazil::sql
