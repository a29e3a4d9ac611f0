// Decisions about what comes next where a word may be a keyword or a name.

#include "frazil/sql/parser_internal.h"

namespace frazil::sql {

bool Parser::AtClauseStart(size_t offset) const {
  const Token& token = Peek(offset);
  if (token.type != TokenType::kWord) return false;
  const size_t next = offset + 1;
  switch (token.keyword) {
    case Keyword::kDo:
      return in_for_query_;
    case Keyword::kFrom:
    case Keyword::kWhere:
    case Keyword::kHaving:
    case Keyword::kLimit:
    case Keyword::kOffset:
    case Keyword::kOn:
    case Keyword::kUsing:
    case Keyword::kUnion:
    case Keyword::kExcept:
    case Keyword::kIntersect:
    case Keyword::kMinus:
    case Keyword::kSelect:
    case Keyword::kFor:
    case Keyword::kThen:
    case Keyword::kWhen:
    case Keyword::kElse:
      return !AtListEnd(next);
    case Keyword::kGroup:
    case Keyword::kOrder:
    case Keyword::kCluster:
    case Keyword::kDistribute:
    case Keyword::kSort:
      return At(Keyword::kBy, next);
    case Keyword::kLateral:
      return At(Keyword::kView, next) || At(TokenType::kLeftParen, next) || IsIdentifier(next);
    case Keyword::kWindow:
      return (IsIdentifier(next) && At(Keyword::kAs, next + 1)) || AtIdentifierLiteral(next);
    case Keyword::kGrouping:
      return At(Keyword::kSets, next) && At(TokenType::kLeftParen, next + 1);
    case Keyword::kWith:
      return AtAny({Keyword::kRollup, Keyword::kCube}, next);
    case Keyword::kPivot:
      return At(TokenType::kLeftParen, next);
    case Keyword::kUnpivot:
      return At(TokenType::kLeftParen, next) || AtAny({Keyword::kInclude, Keyword::kExclude}, next);
    case Keyword::kTablesample:
      return At(TokenType::kLeftParen, next);
    case Keyword::kInsert:
      return AtAny({Keyword::kInto, Keyword::kOverwrite}, next);
    case Keyword::kSet:
      return IsIdentifier(next) && (At(TokenType::kEqual, next + 1) || At(TokenType::kDot, next + 1));
    case Keyword::kWatermark:
      return IsIdentifier(next) || At(TokenType::kLeftParen, next);
    case Keyword::kJoin:
      return !AtListEnd(next);
    case Keyword::kCross:
    case Keyword::kInner:
    case Keyword::kSemi:
    case Keyword::kAnti:
      return At(Keyword::kJoin, next);
    case Keyword::kLeft:
    case Keyword::kRight:
    case Keyword::kFull:
    case Keyword::kNatural:
      return AtAny({Keyword::kJoin, Keyword::kOuter, Keyword::kSemi, Keyword::kAnti, Keyword::kInner, Keyword::kCross,
                    Keyword::kLeft, Keyword::kRight, Keyword::kFull},
                   next);
    default:
      return false;
  }
}

bool Parser::AtQueryStart(size_t offset) const {
  const Token& token = Peek(offset);
  const size_t next = offset + 1;
  switch (token.keyword) {
    case Keyword::kSelect:
      return !AtListEnd(next) && !At(TokenType::kDot, next);
    case Keyword::kWith:
      return IsIdentifier(next) && !AtListEnd(next + 1) && !At(TokenType::kDot, next + 1);
    case Keyword::kFrom:
      return IsIdentifier(next) || At(TokenType::kLeftParen, next);
    case Keyword::kTable:
      return IsIdentifier(next) &&
             !AtAny({Keyword::kAs, Keyword::kIs, Keyword::kIn, Keyword::kLike, Keyword::kAnd, Keyword::kOr}, next);
    case Keyword::kValues:
      switch (Peek(next).type) {
        case TokenType::kLeftParen:
        case TokenType::kMinus:
        case TokenType::kColon:
        case TokenType::kQuestion:
        case TokenType::kBackquoted:
        case TokenType::kDoubleQuoted:
        case TokenType::kString:
          return true;
        case TokenType::kWord:
          return !AtAny({Keyword::kAs, Keyword::kIs, Keyword::kIn, Keyword::kLike, Keyword::kAnd, Keyword::kOr},
                        next) &&
                 !AtClauseStart(next);
        default:
          return AtNumber(next);
      }
    case Keyword::kMap:
    case Keyword::kReduce:
      return offset == 0 && AtTransform();
    default:
      return false;
  }
}

bool Parser::AtParenthesizedQuery(size_t offset) const {
  if (!At(TokenType::kLeftParen, offset)) return false;
  if (pos_ + offset < paren_run_begin_ || pos_ + offset > paren_run_end_) {
    paren_run_begin_ = paren_run_end_ = pos_ + offset;
    while (At(TokenType::kLeftParen, paren_run_end_ + 1 - pos_)) ++paren_run_end_;
  }
  const size_t innermost = paren_run_end_ - pos_;
  if (!AtQueryStart(innermost + 1)) return false;
  // ((SELECT 1) UNION SELECT 2) is a query, ((SELECT 1) + 1) is not: what follows the inner parentheses tells.
  for (size_t inner = innermost; inner > offset; --inner) {
    const int match = Peek(inner).match;
    if (match < 0) return true;
    const size_t after = static_cast<size_t>(match) + 1 - pos_;
    const Token& token = Peek(after);
    const bool continues = token.type == TokenType::kRightParen || token.type == TokenType::kPipeOperator ||
                           (AtAny({Keyword::kUnion, Keyword::kExcept, Keyword::kIntersect, Keyword::kMinus,
                                   Keyword::kOrder, Keyword::kCluster, Keyword::kDistribute, Keyword::kSort,
                                   Keyword::kLimit, Keyword::kOffset, Keyword::kWindow},
                                  after) &&
                            AtClauseStart(after));
    if (!continues) return false;
  }
  return true;
}

bool Parser::HasTopLevel(size_t offset, Keyword keyword) const {
  const int end = Peek(offset).match;
  if (end < 0) return false;
  for (size_t i = pos_ + offset + 1; i < static_cast<size_t>(end); ++i) {
    if (tokens_[i].keyword == keyword) return true;
    if (tokens_[i].match >= 0) i = static_cast<size_t>(tokens_[i].match);
  }
  return false;
}

int Parser::CountTopLevelCommas(size_t offset) const {
  const int end = Peek(offset).match;
  int commas = 0;
  for (size_t i = pos_ + offset + 1; end >= 0 && i < static_cast<size_t>(end); ++i) {
    if (tokens_[i].type == TokenType::kComma) ++commas;
    if (tokens_[i].match >= 0) i = static_cast<size_t>(tokens_[i].match);
  }
  return commas;
}

bool Parser::AtTransform() const {
  // MAP a, b USING 'script': a USING must follow in the same parentheses, or map(...) is a function.
  if (!AtAny({Keyword::kMap, Keyword::kReduce}) || AtListEnd(1)) return false;
  int depth = 0;
  for (size_t i = pos_ + 1; i < tokens_.size(); ++i) {
    const Token& token = tokens_[i];
    if (token.type == TokenType::kLeftParen) ++depth;
    if (token.type == TokenType::kRightParen && --depth < 0) return false;
    if (depth == 0 && token.keyword == Keyword::kUsing)
      return i + 1 < tokens_.size() && tokens_[i + 1].type == TokenType::kString;
  }
  return false;
}

}  // namespace frazil::sql
