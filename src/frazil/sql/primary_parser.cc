// What operators stand between: literals, names, parentheses, CASE, and the forms written behind them ([i], .field,
// ::type, :path, COLLATE).

#include <utility>

#include "frazil/base/text.h"
#include "frazil/sql/parser_internal.h"

namespace frazil::sql {

Result<plan::ExprPtr> Parser::Primary() {
  const size_t first = pos_;
  FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr base, PrimaryBase());
  return Postfix(std::move(base), first);
}

Result<plan::ExprPtr> Parser::PrimaryBase() {
  if (At(TokenType::kLeftParen)) return Parenthesized();
  if (At(TokenType::kAsterisk)) return Star(pos_, {});
  if (AtConstant()) return Constant();
  if (!IsIdentifier() && !At(TokenType::kWord)) return SyntaxError();
  if (At(TokenType::kArrow, 1)) return Lambda();
  bool handled = false;
  FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr special, KeywordPrimary(&handled));
  if (handled) return special;
  return NameOrCall();
}

Result<plan::ExprPtr> Parser::Postfix(plan::ExprPtr base, size_t first) {
  int chain = 0;
  while (true) {
    constexpr int kMaximumPostfix = 1000;
    if (++chain > kMaximumPostfix) return ErrorFrom(first, "FAILED_TO_PARSE_TOO_COMPLEX");
    if (Accept(TokenType::kLeftBracket)) {
      FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr index, ValueExpression());
      FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightBracket));
      auto node = Make<plan::ExtractValueExpr>(first);
      node->child = std::move(base);
      node->extraction = std::move(index);
      base = std::move(node);
    } else if (At(TokenType::kDot) && IsIdentifier(1)) {
      Skip();
      const size_t field = pos_;
      Names parts;
      std::string name;
      if (AtIdentifierLiteral()) {
        FRAZIL_ASSIGN_OR_RETURN(const Names literal, IdentifierLiteralParts());
        if (literal.size() != 1) {
          return ErrorFrom(field, "IDENTIFIER_TOO_MANY_NAME_PARTS",
                           {{"identifier", QuoteIdentifier(literal)}, {"limit", "1"}});
        }
        name = literal.front();
      } else {
        FRAZIL_ASSIGN_OR_RETURN(name, TakeIdentifier());
      }
      if (base->kind == plan::ExprKind::kAttribute) {
        parts = base->As<plan::AttributeExpr>().name;
        parts.push_back(std::move(name));
        base = plan::MakeAttributeExpr(std::move(parts), OriginFrom(first));
        continue;
      }
      auto node = Make<plan::ExtractValueExpr>(first);
      node->child = std::move(base);
      node->extraction = StringExpr(field, std::move(name));
      base = std::move(node);
    } else if (Accept(TokenType::kDoubleColon)) {
      FRAZIL_ASSIGN_OR_RETURN(DataTypePtr type, Type());
      auto node = Make<plan::CastExpr>(first);
      node->child = std::move(base);
      node->type = std::move(type);
      base = std::move(node);
    } else if (At(Keyword::kCollate) && IsIdentifier(1) && !AtClauseStart(1)) {
      Skip();
      const size_t name = pos_;
      FRAZIL_ASSIGN_OR_RETURN(Names parts, MultipartIdentifier());
      std::string collation;
      for (const std::string& part : parts) collation += (collation.empty() ? "" : ".") + part;
      base = Operator(first, "collate", {std::move(base), StringExpr(name, std::move(collation))});
    } else if (At(TokenType::kColon)) {
      Skip();
      const size_t path = pos_;
      FRAZIL_ASSIGN_OR_RETURN(std::string text, SemiStructuredPath());
      auto node = Make<plan::ExtractValueExpr>(first);
      node->child = std::move(base);
      node->extraction = StringExpr(path, std::move(text));
      node->is_variant_path = true;
      base = std::move(node);
    } else {
      return base;
    }
  }
}

Result<std::string> Parser::SemiStructuredPath() {
  const size_t first = pos_;
  bool at_first = true;
  while (true) {
    if (Accept(TokenType::kLeftBracket)) {
      if (!IsStringToken() && !At(TokenType::kInteger) && !AtParameter() && (at_first || !IsIdentifier()))
        return SyntaxError();
      Skip();
      FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightBracket));
    } else if (at_first && IsIdentifier()) {
      Skip();
    } else if (!at_first && At(TokenType::kDot) && (IsIdentifier(1))) {
      Skip(2);
    } else {
      break;
    }
    at_first = false;
  }
  if (at_first) return SyntaxError();
  // Names in back quotes go in without them: the path has quotes of its own only in brackets.
  std::string path;
  const size_t end = std::exchange(pos_, first);
  while (pos_ < end) {
    if (IsIdentifier() && Peek().type != TokenType::kWord && !IsStringToken()) {
      FRAZIL_ASSIGN_OR_RETURN(const std::string name, TakeIdentifier());
      path += name;
    } else {
      path += Peek().text;
      Skip();
    }
  }
  return path;
}

Result<plan::ExprPtr> Parser::Subquery(size_t first, SubqueryKind kind) {
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  FRAZIL_ASSIGN_OR_RETURN(plan::PlanPtr query, SubqueryPlan());
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  auto node = Make<plan::SubqueryExpr>(first);
  node->subquery_kind = kind;
  node->plan = std::move(query);
  return plan::ExprPtr(std::move(node));
}

Result<plan::ExprPtr> Parser::Parenthesized() {
  const size_t first = pos_;
  if (AtParenthesizedQuery()) return Subquery(first, SubqueryKind::kScalar);
  const int match = Peek().match;
  if (match >= 0 && static_cast<size_t>(match) + 1 < tokens_.size() && tokens_[match + 1].type == TokenType::kArrow)
    return Lambda();
  const bool is_row = CountTopLevelCommas(0) > 0;
  Skip();
  if (!is_row) {
    // ((x)): parentheses that enclose nothing but parentheses are taken without going deeper.
    int closing = 1;
    while (match >= 0 && At(TokenType::kLeftParen) && Peek().match == match - closing && CountTopLevelCommas(0) == 0 &&
           !AtParenthesizedQuery()) {
      Skip();
      ++closing;
    }
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr inner, Expression());
    for (; closing > 0; --closing) FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
    return inner;
  }
  FRAZIL_ASSIGN_OR_RETURN(Expressions items, NamedExpressionList());
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  return Operator(first, "struct", std::move(items));
}

Result<plan::ExprPtr> Parser::Lambda() {
  const size_t first = pos_;
  Names parameters;
  if (At(TokenType::kLeftParen)) {
    FRAZIL_ASSIGN_OR_RETURN(parameters, IdentifierList());
    if (parameters.size() < 2) return SyntaxErrorAt(first);
  } else {
    FRAZIL_ASSIGN_OR_RETURN(std::string name, TakeIdentifier());
    parameters.push_back(std::move(name));
  }
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kArrow));
  FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr body, Expression());
  auto node = Make<plan::LambdaExpr>(first);
  node->parameters = std::move(parameters);
  node->body = std::move(body);
  return plan::ExprPtr(std::move(node));
}

Result<plan::ExprPtr> Parser::KeywordPrimary(bool* handled) {
  *handled = true;
  const size_t first = pos_;
  const bool call = At(TokenType::kLeftParen, 1);
  switch (Peek().keyword) {
    case Keyword::kCase:
      // A name unless a WHEN follows at some point.
      if (!AtListEnd(1) && !At(TokenType::kDot, 1) && !At(Keyword::kFrom, 1)) return Case();
      break;
    case Keyword::kExists:
      if (call && AtParenthesizedQuery(1)) {
        Skip();
        return Subquery(first, SubqueryKind::kExists);
      }
      break;
    case Keyword::kCast:
    case Keyword::kTryCast:
      if (call) return CastCall();
      break;
    case Keyword::kStruct:
      if (call) return StructCall();
      break;
    case Keyword::kFirst:
    case Keyword::kLast:
    case Keyword::kAnyValue:
      if (call && HasTopLevel(1, Keyword::kIgnore)) return IgnoreNullsCall();
      break;
    case Keyword::kPosition:
      if (call && HasTopLevel(1, Keyword::kIn)) return PositionCall();
      break;
    case Keyword::kExtract:
      if (call && HasTopLevel(1, Keyword::kFrom)) return ExtractCall();
      break;
    case Keyword::kSubstr:
    case Keyword::kSubstring:
      if (call && (HasTopLevel(1, Keyword::kFrom) || HasTopLevel(1, Keyword::kFor))) return SubstringCall();
      break;
    case Keyword::kTrim:
      if (call && HasTopLevel(1, Keyword::kFrom)) return TrimCall();
      break;
    case Keyword::kOverlay:
      if (call && HasTopLevel(1, Keyword::kPlacing)) return OverlayCall();
      break;
    case Keyword::kTimestampadd:
    case Keyword::kDateadd:
    case Keyword::kDateAdd:
      if (call && AtTimestampUnitCall()) return TimestampUnitCall("timestampadd");
      break;
    case Keyword::kTimestampdiff:
    case Keyword::kDatediff:
    case Keyword::kDateDiff:
    case Keyword::kTimediff:
      if (call && AtTimestampUnitCall()) return TimestampUnitCall("timestampdiff");
      break;
    case Keyword::kIdentifier:
      // With several arguments it is an ordinary function name. Of one string it is a part of a name; what a marker
      // adds is a name as a whole here.
      if (call && !(AtIdentifierLiteral() && IsStringToken(2) && At(TokenType::kRightParen, 3)) &&
          !At(TokenType::kRightParen, 2) && CountTopLevelCommas(1) == 0)
        return IdentifierClause();
      break;
    case Keyword::kCurrentDate:
    case Keyword::kCurrentTime:
    case Keyword::kCurrentTimestamp:
    case Keyword::kCurrentUser:
    case Keyword::kUser:
    case Keyword::kSessionUser:
      // Elsewhere a name that the analysis takes for the function when no column has it.
      if (enforce_reserved_ && !call) {
        std::string name = AsciiLower(Peek().text);
        Skip();
        return Operator(first, std::move(name), {});
      }
      break;
    default:
      break;
  }
  *handled = false;
  return plan::ExprPtr();
}

Result<plan::ExprPtr> Parser::IdentifierClause() {
  const size_t first = pos_;
  Skip(2);
  FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr text, Expression());
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  plan::ExprPtr call;
  if (At(TokenType::kLeftParen)) {
    FRAZIL_ASSIGN_OR_RETURN(call, FunctionCall(first, {}));
  }
  const plan::ExprPtr inner =
      call != nullptr && call->kind == plan::ExprKind::kWindow ? call->As<plan::WindowExpr>().function : call;
  auto node = Make<plan::IdentifierClauseExpr>(first);
  node->text = std::move(text);
  node->function = std::static_pointer_cast<const plan::FunctionExpr>(inner);
  if (call == nullptr || call->kind != plan::ExprKind::kWindow) return plan::ExprPtr(std::move(node));
  auto window = std::make_shared<plan::WindowExpr>(call->As<plan::WindowExpr>());
  window->function = std::move(node);
  return plan::ExprPtr(std::move(window));
}

Result<plan::ExprPtr> Parser::NameOrCall() {
  const size_t first = pos_;
  if (!IsIdentifier() &&
      !(At(TokenType::kLeftParen, 1) && AtAny({Keyword::kFilter, Keyword::kLeft, Keyword::kRight}))) {
    // Reserved words are function names only where the grammar says so.
    return SyntaxError();
  }
  if (default_allowed_ && At(Keyword::kDefault) && (AtListEnd(1) || AtClauseStart(1))) {
    Skip();
    return plan::ExprPtr(Make<plan::DefaultExpr>(first));
  }
  const bool is_quoted = At(TokenType::kBackquoted);
  Names parts;
  if (AtIdentifierLiteral()) {
    FRAZIL_ASSIGN_OR_RETURN(parts, IdentifierLiteralParts());
  } else {
    FRAZIL_ASSIGN_OR_RETURN(std::string name, TakeIdentifier());
    parts.push_back(std::move(name));
  }
  while (At(TokenType::kDot)) {
    if (At(TokenType::kAsterisk, 1)) {
      Skip();
      return Star(first, std::move(parts));
    }
    if (!IsIdentifier(1)) break;
    Skip();
    if (AtIdentifierLiteral()) {
      FRAZIL_ASSIGN_OR_RETURN(Names more, IdentifierLiteralParts());
      parts.insert(parts.end(), more.begin(), more.end());
    } else {
      FRAZIL_ASSIGN_OR_RETURN(std::string name, TakeIdentifier());
      parts.push_back(std::move(name));
    }
  }
  if (At(TokenType::kLeftParen)) return FunctionCall(first, std::move(parts));
  if (options_.quoted_regex_column_names && parts.size() == 1 && is_quoted) {
    auto node = Make<plan::RegexColumnExpr>(first);
    node->pattern = std::string(tokens_[first].text);
    return plan::ExprPtr(std::move(node));
  }
  return plan::MakeAttributeExpr(std::move(parts), OriginFrom(first));
}

Result<plan::ExprPtr> Parser::Star(size_t first, Names target) {
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kAsterisk));
  std::vector<Names> except;
  if (At(Keyword::kExcept) && At(TokenType::kLeftParen, 1) && !AtParenthesizedQuery(1)) {
    Skip(2);
    FRAZIL_ASSIGN_OR_RETURN(except, MultipartIdentifierList());
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  }
  auto node = Make<plan::StarExpr>(first);
  node->target = std::move(target);
  node->except = std::move(except);
  return plan::ExprPtr(std::move(node));
}

Result<plan::ExprPtr> Parser::Case() {
  const size_t first = pos_;
  Skip();
  plan::ExprPtr value;
  if (!At(Keyword::kWhen)) {
    FRAZIL_ASSIGN_OR_RETURN(value, Expression());
  }
  Expressions arguments;
  while (At(Keyword::kWhen)) {
    Skip();
    const size_t condition_first = pos_;
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr condition, Expression());
    if (value != nullptr) condition = Operator(condition_first, "==", {value, std::move(condition)});
    FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kThen));
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr result, Expression());
    arguments.push_back(std::move(condition));
    arguments.push_back(std::move(result));
  }
  if (arguments.empty()) return SyntaxError();
  if (Accept(Keyword::kElse)) {
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr otherwise, Expression());
    arguments.push_back(std::move(otherwise));
  }
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kEnd));
  return Operator(first, "when", std::move(arguments));
}

}  // namespace frazil::sql
