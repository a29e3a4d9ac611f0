// Function calls: f(...) with its suffixes, and the functions whose arguments are written with keywords.

#include <algorithm>

#include "frazil/sql/parser_internal.h"

namespace frazil::sql {

namespace {

bool IsTimestampUnit(Keyword keyword) {
  switch (keyword) {
    case Keyword::kYear:
    case Keyword::kQuarter:
    case Keyword::kMonth:
    case Keyword::kWeek:
    case Keyword::kDay:
    case Keyword::kDayofyear:
    case Keyword::kHour:
    case Keyword::kMinute:
    case Keyword::kSecond:
    case Keyword::kMillisecond:
    case Keyword::kMicrosecond:
      return true;
    default:
      return false;
  }
}

/// Whether an offset of a frame is made of literals alone.
bool IsFrameConstant(const plan::Expr& expression) {
  switch (expression.kind) {
    case plan::ExprKind::kLiteral:
    case plan::ExprKind::kParameter:
      return true;
    case plan::ExprKind::kCast:
      return IsFrameConstant(*expression.As<plan::CastExpr>().child);
    case plan::ExprKind::kFunction: {
      const auto& function = expression.As<plan::FunctionExpr>();
      return function.is_operator &&
             std::all_of(function.arguments.begin(), function.arguments.end(),
                         [](const plan::ExprPtr& argument) { return IsFrameConstant(*argument); });
    }
    default:
      return false;
  }
}

}  // namespace

Result<plan::ExprPtr> Parser::FunctionArgument() {
  const size_t first = pos_;
  if (IsIdentifier() && At(TokenType::kFatArrow, 1)) {
    FRAZIL_ASSIGN_OR_RETURN(std::string name, TakeIdentifier());
    Skip();
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr value, Expression());
    auto node = Make<plan::NamedArgumentExpr>(first);
    node->name = std::move(name);
    node->value = std::move(value);
    return plan::ExprPtr(std::move(node));
  }
  return Expression();
}

Result<plan::ExprPtr> Parser::FunctionCall(size_t first, Names name) {
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  bool is_distinct = false;
  Expressions arguments;
  if (!At(TokenType::kRightParen)) {
    if (AtAny({Keyword::kDistinct, Keyword::kAll}) && !AtListEnd(1) && !At(TokenType::kDot, 1)) {
      is_distinct = At(Keyword::kDistinct);
      Skip();
    }
    do {
      FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr argument, FunctionArgument());
      arguments.push_back(std::move(argument));
    } while (Accept(TokenType::kComma));
  }
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  auto function = Make<plan::FunctionExpr>(first);
  function->name = std::move(name);
  function->arguments = std::move(arguments);
  function->is_distinct = is_distinct;
  return FunctionSuffixes(first, std::move(function));
}

Result<plan::ExprPtr> Parser::FunctionSuffixes(size_t first, std::shared_ptr<plan::FunctionExpr> function) {
  if (AtWords({Keyword::kWithin, Keyword::kGroup}) && At(TokenType::kLeftParen, 2)) {
    Skip(3);
    FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kOrder, Keyword::kBy}));
    FRAZIL_ASSIGN_OR_RETURN(function->within_group, SortItems());
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  }
  if (At(Keyword::kFilter) && At(TokenType::kLeftParen, 1) && At(Keyword::kWhere, 2)) {
    Skip(3);
    FRAZIL_ASSIGN_OR_RETURN(function->filter, Expression());
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  }
  if (AtAny({Keyword::kIgnore, Keyword::kRespect}) && At(Keyword::kNulls, 1)) {
    function->ignore_nulls = At(Keyword::kIgnore);
    Skip(2);
  }
  function->origin = OriginFrom(first);
  const bool over = At(Keyword::kOver) &&
                    (At(TokenType::kLeftParen, 1) || (IsIdentifier(1) && !AtClauseStart(1) && !At(Keyword::kAs, 1)));
  if (!over) return plan::ExprPtr(std::move(function));
  Skip();
  FRAZIL_ASSIGN_OR_RETURN(plan::WindowSpecification window, Window());
  auto node = Make<plan::WindowExpr>(first);
  node->function = std::move(function);
  node->window = std::move(window);
  return plan::ExprPtr(std::move(node));
}

Result<plan::ExprPtr> Parser::CastCall() {
  const size_t first = pos_;
  const bool is_try = At(Keyword::kTryCast);
  Skip(2);
  FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr child, Expression());
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kAs));
  FRAZIL_ASSIGN_OR_RETURN(DataTypePtr type, Type());
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  auto node = Make<plan::CastExpr>(first);
  node->child = std::move(child);
  node->type = std::move(type);
  if (is_try) node->mode = EvalMode::kTry;
  return plan::ExprPtr(std::move(node));
}

Result<plan::ExprPtr> Parser::StructCall() {
  const size_t first = pos_;
  Skip(2);
  Expressions arguments;
  if (!At(TokenType::kRightParen)) {
    FRAZIL_ASSIGN_OR_RETURN(arguments, NamedExpressionList());
  }
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  return Operator(first, "struct", std::move(arguments));
}

Result<plan::ExprPtr> Parser::IgnoreNullsCall() {
  const size_t first = pos_;
  const std::string name = At(Keyword::kFirst) ? "first" : At(Keyword::kLast) ? "last" : "any_value";
  Skip(2);
  FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr argument, Expression());
  FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kIgnore, Keyword::kNulls}));
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  auto function = Make<plan::FunctionExpr>(first);
  function->name = {name};
  function->arguments = {std::move(argument)};
  function->ignore_nulls = true;
  return FunctionSuffixes(first, std::move(function));
}

Result<plan::ExprPtr> Parser::PositionCall() {
  const size_t first = pos_;
  Skip(2);
  FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr part, ValueExpression());
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kIn));
  FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr whole, ValueExpression());
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  return Operator(first, "position", {std::move(part), std::move(whole)});
}

Result<plan::ExprPtr> Parser::ExtractCall() {
  const size_t first = pos_;
  Skip(2);
  const size_t field_first = pos_;
  if (!IsIdentifier()) return SyntaxError();
  FRAZIL_ASSIGN_OR_RETURN(std::string field, TakeIdentifier());
  plan::ExprPtr field_text = StringExpr(field_first, std::move(field));
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kFrom));
  FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr source, ValueExpression());
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  return Operator(first, "extract", {std::move(field_text), std::move(source)});
}

Result<plan::ExprPtr> Parser::SubstringCall() {
  const size_t first = pos_;
  Skip(2);
  Expressions arguments(1);
  FRAZIL_ASSIGN_OR_RETURN(arguments[0], ValueExpression());
  if (!Accept(Keyword::kFrom)) FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kComma));
  FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr position, ValueExpression());
  arguments.push_back(std::move(position));
  if (Accept(Keyword::kFor) || Accept(TokenType::kComma)) {
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr length, ValueExpression());
    arguments.push_back(std::move(length));
  }
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  return Operator(first, "substring", std::move(arguments));
}

Result<plan::ExprPtr> Parser::TrimCall() {
  const size_t first = pos_;
  Skip(2);
  const char* name = "trim";
  if (AtAny({Keyword::kBoth, Keyword::kLeading, Keyword::kTrailing})) {
    if (At(Keyword::kLeading)) name = "ltrim";
    if (At(Keyword::kTrailing)) name = "rtrim";
    Skip();
  }
  Expressions arguments;
  if (!At(Keyword::kFrom)) {
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr trimmed, ValueExpression());
    arguments.push_back(std::move(trimmed));
  }
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kFrom));
  FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr source, ValueExpression());
  arguments.push_back(std::move(source));
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  return Operator(first, name, std::move(arguments));
}

Result<plan::ExprPtr> Parser::OverlayCall() {
  const size_t first = pos_;
  Skip(2);
  Expressions arguments(3);
  FRAZIL_ASSIGN_OR_RETURN(arguments[0], ValueExpression());
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kPlacing));
  FRAZIL_ASSIGN_OR_RETURN(arguments[1], ValueExpression());
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kFrom));
  FRAZIL_ASSIGN_OR_RETURN(arguments[2], ValueExpression());
  if (Accept(Keyword::kFor)) {
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr length, ValueExpression());
    arguments.push_back(std::move(length));
  }
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  return Operator(first, "overlay", std::move(arguments));
}

bool Parser::AtTimestampUnitCall() const {
  const bool unit = IsTimestampUnit(Peek(2).keyword) || IsStringToken(2);
  return unit && At(TokenType::kComma, 3) && CountTopLevelCommas(1) == 2;
}

Result<plan::ExprPtr> Parser::TimestampUnitCall(const char* name) {
  const size_t first = pos_;
  const std::string written(Peek().text);
  Skip(2);
  const size_t unit_first = pos_;
  const std::string unit(Peek().text);
  const bool is_text = IsStringToken();
  Skip();
  plan::ExprPtr unit_text = StringExpr(unit_first, unit);
  Expressions arguments = {std::move(unit_text)};
  while (Accept(TokenType::kComma)) {
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr argument, ValueExpression());
    arguments.push_back(std::move(argument));
  }
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  if (is_text) {
    return ErrorFrom(first, "INVALID_PARAMETER_VALUE.DATETIME_UNIT",
                     {{"functionName", QuoteIdentifier(written)}, {"parameter", "`unit`"}, {"invalidValue", unit}});
  }
  return Operator(first, name, std::move(arguments));
}

Result<plan::WindowSpecification> Parser::Window() {
  plan::WindowSpecification window;
  if (!At(TokenType::kLeftParen)) {
    FRAZIL_ASSIGN_OR_RETURN(window.reference, Identifier());
    return window;
  }
  Skip();
  if (IsIdentifier() && At(TokenType::kRightParen, 1)) {
    FRAZIL_ASSIGN_OR_RETURN(window.reference, TakeIdentifier());
    Skip();
    return window;
  }
  if (AcceptWords({Keyword::kCluster, Keyword::kBy})) {
    FRAZIL_ASSIGN_OR_RETURN(window.partition_by, ExpressionList());
  } else {
    if (AcceptWords({Keyword::kPartition, Keyword::kBy}) || AcceptWords({Keyword::kDistribute, Keyword::kBy})) {
      FRAZIL_ASSIGN_OR_RETURN(window.partition_by, ExpressionList());
    }
    if (AcceptWords({Keyword::kOrder, Keyword::kBy}) || AcceptWords({Keyword::kSort, Keyword::kBy})) {
      FRAZIL_ASSIGN_OR_RETURN(window.order_by, SortItems());
    }
  }
  if (AtAny({Keyword::kRange, Keyword::kRows})) {
    FRAZIL_ASSIGN_OR_RETURN(window.frame, WindowFrameClause());
  }
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  return window;
}

Result<plan::UnresolvedFrame> Parser::WindowFrameClause() {
  plan::UnresolvedFrame frame;
  frame.type = At(Keyword::kRows) ? FrameType::kRows : FrameType::kRange;
  Skip();
  if (Accept(Keyword::kBetween)) {
    FRAZIL_ASSIGN_OR_RETURN(frame.start, FrameBound());
    FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kAnd));
    FRAZIL_ASSIGN_OR_RETURN(frame.end, FrameBound());
  } else {
    FRAZIL_ASSIGN_OR_RETURN(frame.start, FrameBound());
  }
  return frame;
}

Result<plan::UnresolvedFrameBound> Parser::FrameBound() {
  plan::UnresolvedFrameBound bound;
  if (At(Keyword::kUnbounded) && AtAny({Keyword::kPreceding, Keyword::kFollowing}, 1)) {
    bound.type = At(Keyword::kPreceding, 1) ? FrameBoundType::kUnboundedPreceding : FrameBoundType::kUnboundedFollowing;
    Skip(2);
    return bound;
  }
  if (AcceptWords({Keyword::kCurrent, Keyword::kRow})) return bound;
  const size_t first = pos_;
  FRAZIL_ASSIGN_OR_RETURN(bound.offset, ValueExpression());
  if (!IsFrameConstant(*bound.offset)) {
    Defer(ErrorFrom(first, "_LEGACY_ERROR_TEMP_0064", {{"msg", "Frame bound value must be a literal."}}));
  }
  bound.type = At(Keyword::kPreceding) ? FrameBoundType::kPreceding : FrameBoundType::kFollowing;
  if (!AtAny({Keyword::kPreceding, Keyword::kFollowing})) return SyntaxError();
  Skip();
  return bound;
}

}  // namespace frazil::sql
