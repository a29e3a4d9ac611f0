#include <cerrno>
#include <cstdlib>

#include "frazil/base/origin.h"
#include "frazil/base/text.h"
#include "frazil/sql/parse_error.h"
#include "frazil/sql/parser_internal.h"

namespace frazil::sql {
namespace {

/// Stack that one statement may use; threads have eight megabytes, and the stages after this one recurse over the same
/// tree.
constexpr size_t kMaximumStack = size_t{2} << 20;

bool IsPlainName(std::string_view text) {
  for (const char c : text) {
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) return false;
  }
  return true;
}

/// The text of a literal that is a string; null for all else.
const std::string* StringOf(const plan::Expr& expression) {
  if (expression.kind != plan::ExprKind::kLiteral) return nullptr;
  const auto& literal = expression.As<plan::LiteralExpr>();
  return literal.type->id() == TypeId::kString && !literal.value.is_null() ? &literal.value.string() : nullptr;
}

}  // namespace

Parser::Parser(std::string_view text, const ParserOptions& options)
    : options_(options),
      enforce_reserved_(options.ansi && options.enforce_reserved_keywords),
      double_quoted_identifiers_(options.ansi && options.double_quoted_identifiers) {
  TokenizedText tokenized = Tokenize(std::string(text));
  text_ = std::move(tokenized.text);
  tokens_ = std::move(tokenized.tokens);
  unclosed_comment_ = tokenized.has_unclosed_comment;
  stack_base_ = static_cast<const char*>(__builtin_frame_address(0));
}

// --- tokens -------------------------------------------------------------------------------------

const Token& Parser::Peek(size_t offset) const {
  const size_t index = pos_ + offset;
  return index < tokens_.size() ? tokens_[index] : tokens_.back();
}

bool Parser::AtWords(std::initializer_list<Keyword> keywords, size_t offset) const {
  for (const Keyword keyword : keywords) {
    if (!At(keyword, offset++)) return false;
  }
  return true;
}

bool Parser::AtText(std::string_view word, size_t offset) const {
  return At(TokenType::kWord, offset) && EqualsIgnoreCase(Peek(offset).text, word);
}

bool Parser::AtAny(std::initializer_list<Keyword> keywords, size_t offset) const {
  for (const Keyword keyword : keywords) {
    if (At(keyword, offset)) return true;
  }
  return false;
}

bool Parser::Accept(TokenType type) {
  if (!At(type)) return false;
  ++pos_;
  return true;
}

bool Parser::Accept(Keyword keyword) {
  if (!At(keyword)) return false;
  ++pos_;
  return true;
}

bool Parser::AcceptWords(std::initializer_list<Keyword> keywords) {
  if (!AtWords(keywords)) return false;
  pos_ += keywords.size();
  return true;
}

bool Parser::AcceptText(std::string_view word) {
  if (!AtText(word)) return false;
  ++pos_;
  return true;
}

Status Parser::Expect(TokenType type) { return Accept(type) ? Status::Ok() : Status(SyntaxError()); }
Status Parser::Expect(Keyword keyword) { return Accept(keyword) ? Status::Ok() : Status(SyntaxError()); }
Status Parser::ExpectText(std::string_view word) { return AcceptText(word) ? Status::Ok() : Status(SyntaxError()); }

Status Parser::ExpectWords(std::initializer_list<Keyword> keywords) {
  for (const Keyword keyword : keywords) FRAZIL_RETURN_IF_ERROR(Expect(keyword));
  return Status::Ok();
}

Status Parser::ExpectEnd() {
  if (At(TokenType::kEnd)) return deferred_ ? Status(*deferred_) : Status::Ok();
  if (At(TokenType::kEnd, 1)) return SyntaxErrorAt(pos_, ": extra input '" + std::string(Peek().text) + "'");
  return SyntaxError();
}

bool Parser::AtListEnd(size_t offset) const {
  switch (Peek(offset).type) {
    case TokenType::kEnd:
    case TokenType::kRightParen:
    case TokenType::kComma:
    case TokenType::kSemicolon:
      return true;
    default:
      return false;
  }
}

Status Parser::CheckDepth() const {
  const auto* here = static_cast<const char*>(__builtin_frame_address(0));
  const size_t used = static_cast<size_t>(stack_base_ > here ? stack_base_ - here : here - stack_base_);
  if (used <= kMaximumStack) return Status::Ok();
  return WithPosition(Error::Parse("FAILED_TO_PARSE_TOO_COMPLEX"), *text_, Peek().line, Peek().position);
}

// --- positions ----------------------------------------------------------------------------------

plan::Origin Parser::OriginFrom(size_t first) const {
  const Token& begin = first < tokens_.size() ? tokens_[first] : tokens_.back();
  const Token& end = pos_ > first ? tokens_[std::min(pos_, tokens_.size()) - 1] : begin;
  plan::Origin origin;
  origin.start = begin.start;
  origin.stop = end.stop;
  origin.line = begin.line;
  origin.position = begin.position;
  origin.text = text_;
  return origin;
}

std::string Parser::SourceFrom(size_t first) const { return pos_ > first ? Source(first, pos_ - 1) : std::string(); }

std::string Parser::Source(size_t first, size_t last) const {
  const char* begin = tokens_[first].text.data();
  const std::string_view end = tokens_[last].text;
  return std::string(begin, end.data() + end.size());
}

// --- errors -------------------------------------------------------------------------------------

Error Parser::SyntaxErrorAt(size_t token, std::string hint) const {
  const Token& at = token < tokens_.size() ? tokens_[token] : tokens_.back();
  if (TrimControls(*text_).empty()) {
    return WithPosition(Error::Parse("PARSE_EMPTY_STATEMENT"), *text_, at.line, at.position);
  }
  std::string shown = at.type == TokenType::kEnd ? "end of input" : "'" + std::string(at.text) + "'";
  return WithPosition(Error::Parse("PARSE_SYNTAX_ERROR", {{"error", std::move(shown)}, {"hint", std::move(hint)}}),
                      *text_, at.line, at.position);
}

Error Parser::ErrorFrom(size_t first, std::string_view condition, Error::Parameters parameters) const {
  return AtOrigin(Error::Parse(condition, std::move(parameters)), OriginFrom(first));
}

Error Parser::NotAllowed(size_t first, std::string message) const {
  return ErrorFrom(first, "_LEGACY_ERROR_TEMP_0035", {{"message", std::move(message)}});
}

Error Parser::InvalidStatement(size_t first, std::string operation, size_t count) {
  for (size_t i = 0; i < count; ++i) operation += (operation.empty() ? "" : " ") + std::string(Peek(i).text);
  pos_ = tokens_.size() - 1;
  return ErrorFrom(first, "INVALID_STATEMENT_OR_CLAUSE", {{"operation", std::move(operation)}});
}

void Parser::Defer(Error error) {
  if (!deferred_) deferred_ = std::move(error);
}

Status Parser::CheckUnclosedComment() const {
  if (!unclosed_comment_) return Status::Ok();
  const Token& end = tokens_.back();
  return WithPosition(Error::Parse("UNCLOSED_BRACKETED_COMMENT"), *text_, end.line, end.position);
}

// --- names --------------------------------------------------------------------------------------

bool Parser::IsIdentifier(size_t offset) const {
  const Token& token = Peek(offset);
  switch (token.type) {
    case TokenType::kWord:
      return token.keyword == Keyword::kNotKeyword || !enforce_reserved_ || !GetKeywordInfo(token.keyword).reserved;
    case TokenType::kBackquoted:
      return true;
    case TokenType::kDoubleQuoted:
      return double_quoted_identifiers_;
    default:
      return false;
  }
}

bool Parser::IsStrictIdentifier(size_t offset) const {
  if (!IsIdentifier(offset)) return false;
  const Token& token = Peek(offset);
  return token.keyword == Keyword::kNotKeyword || enforce_reserved_ || !GetKeywordInfo(token.keyword).strict;
}

bool Parser::IsStringToken(size_t offset) const {
  return At(TokenType::kString, offset) || (At(TokenType::kDoubleQuoted, offset) && !double_quoted_identifiers_);
}

Result<std::string> Parser::TakeIdentifier() {
  const Token& token = Peek();
  ++pos_;
  if (token.type != TokenType::kWord) return UnquoteIdentifier(token.text);
  if (!IsPlainName(token.text)) {
    return WithPosition(Error::Parse("INVALID_IDENTIFIER", {{"ident", std::string(token.text)}}), *text_, token.line,
                        token.position);
  }
  return std::string(token.text);
}

bool Parser::AtIdentifierLiteral(size_t offset) const {
  if (options_.legacy_identifier_clause || !At(Keyword::kIdentifier, offset) || !At(TokenType::kLeftParen, offset + 1))
    return false;
  size_t at = offset + 2;
  while (const size_t length = BoundString(at, nullptr)) at += length;
  return at > offset + 2 && At(TokenType::kRightParen, at);
}

Result<Parser::Names> Parser::IdentifierLiteralParts() {
  std::string text;
  Skip(2);
  while (const size_t length = BoundString(0, &text)) pos_ += length;
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  return Parser(text, options_).SingleMultipartIdentifier();
}

Status Parser::AppendIdentifier(Names* parts) {
  if (AtIdentifierLiteral()) {
    FRAZIL_ASSIGN_OR_RETURN(Names more, IdentifierLiteralParts());
    parts->insert(parts->end(), more.begin(), more.end());
    return Status::Ok();
  }
  FRAZIL_ASSIGN_OR_RETURN(std::string name, Identifier());
  parts->push_back(std::move(name));
  return Status::Ok();
}

Result<std::string> Parser::Identifier() {
  const size_t first = pos_;
  std::string name;
  if (AtIdentifierLiteral()) {
    FRAZIL_ASSIGN_OR_RETURN(Names parts, IdentifierLiteralParts());
    if (parts.size() != 1) {
      return ErrorFrom(first, "IDENTIFIER_TOO_MANY_NAME_PARTS",
                       {{"identifier", QuoteIdentifier(parts)}, {"limit", "1"}});
    }
    name = parts[0];
  } else {
    if (!IsIdentifier()) return SyntaxError();
    FRAZIL_ASSIGN_OR_RETURN(name, TakeIdentifier());
  }
  if (At(TokenType::kMinus) && IsIdentifier(1)) {
    const Token minus = Peek();
    while (At(TokenType::kMinus) && IsIdentifier(1)) pos_ += 2;
    std::string whole;
    for (size_t i = first; i < pos_; ++i) whole += tokens_[i].text;
    return WithPosition(Error::Parse("INVALID_IDENTIFIER", {{"ident", std::move(whole)}}), *text_, minus.line,
                        minus.position);
  }
  return name;
}

Result<std::string> Parser::StrictIdentifier() {
  if (!IsStrictIdentifier()) return SyntaxError();
  return Identifier();
}

Result<Parser::Names> Parser::MultipartIdentifier() {
  Names parts;
  do {
    FRAZIL_RETURN_IF_ERROR(AppendIdentifier(&parts));
  } while (Accept(TokenType::kDot));
  return parts;
}

Result<plan::NameClause> Parser::NameReference() {
  const size_t first = pos_;
  plan::NameClause name;
  if (At(Keyword::kIdentifier) && At(TokenType::kLeftParen, 1) && !AtIdentifierLiteral()) {
    Skip(2);
    FRAZIL_ASSIGN_OR_RETURN(name.identifier, Expression());
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  } else {
    FRAZIL_ASSIGN_OR_RETURN(name.parts, MultipartIdentifier());
  }
  name.origin = OriginFrom(first);
  return name;
}

Result<Parser::Names> Parser::IdentifierList() {
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  FRAZIL_ASSIGN_OR_RETURN(Names names, IdentifierSequence());
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  return names;
}

Result<Parser::Names> Parser::IdentifierSequence() {
  Names names;
  do {
    FRAZIL_ASSIGN_OR_RETURN(std::string name, Identifier());
    names.push_back(std::move(name));
  } while (Accept(TokenType::kComma));
  return names;
}

Result<std::vector<Parser::Names>> Parser::MultipartIdentifierList() {
  std::vector<Names> names;
  do {
    FRAZIL_ASSIGN_OR_RETURN(Names name, MultipartIdentifier());
    names.push_back(std::move(name));
  } while (Accept(TokenType::kComma));
  return names;
}

// --- strings and numbers ------------------------------------------------------------------------

bool Parser::AtParameter(size_t offset) const {
  return At(TokenType::kQuestion, offset) || (At(TokenType::kColon, offset) && IsIdentifier(offset + 1));
}

bool Parser::AtStringLiteral(size_t offset) const { return IsStringToken(offset) || AtParameter(offset); }

plan::ExprPtr Parser::BoundParameter(size_t token, const std::string& name) const {
  if (options_.parameters == nullptr) return nullptr;
  if (!name.empty()) {
    const auto found = options_.parameters->named.find(name);
    return found == options_.parameters->named.end() ? nullptr : found->second;
  }
  size_t index = 0;
  for (size_t i = 0; i < token; ++i) index += tokens_[i].type == TokenType::kQuestion ? 1 : 0;
  return index < options_.parameters->positional.size() ? options_.parameters->positional[index] : nullptr;
}

size_t Parser::BoundString(size_t offset, std::string* text) const {
  if (IsStringToken(offset)) {
    if (text != nullptr) *text += UnquoteString(Peek(offset).text, options_.escaped_string_literals);
    return 1;
  }
  if (!AtParameter(offset)) return 0;
  const bool is_named = At(TokenType::kColon, offset);
  const auto bound = BoundParameter(pos_ + offset, is_named ? std::string(Peek(offset + 1).text) : std::string());
  const auto* value = bound == nullptr ? nullptr : StringOf(*bound);
  if (value == nullptr) return 0;
  if (text != nullptr) *text += *value;
  return is_named ? 2 : 1;
}

Result<plan::ExprPtr> Parser::ParameterLiteral() {
  const size_t first = pos_;
  std::string name;
  if (Accept(TokenType::kColon)) {
    FRAZIL_ASSIGN_OR_RETURN(name, TakeIdentifier());
  } else {
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kQuestion));
  }
  if (auto bound = BoundParameter(first, name)) return bound;
  return ErrorFrom(first, "UNBOUND_SQL_PARAMETER",
                   {{"name", name.empty() ? "_" + std::to_string(tokens_[first].start) : name}});
}

Result<std::string> Parser::StringLiteral(bool coalesce) {
  if (!AtStringLiteral()) return SyntaxError();
  std::string value;
  do {
    const size_t first = pos_;
    if (IsStringToken()) {
      value += UnquoteString(Peek().text, options_.escaped_string_literals);
      ++pos_;
      continue;
    }
    FRAZIL_ASSIGN_OR_RETURN(const plan::ExprPtr literal, ParameterLiteral());
    const std::string* text = StringOf(*literal);
    if (text == nullptr) return SyntaxErrorAt(first);
    value += *text;
  } while (coalesce && AtStringLiteral());
  return value;
}

Result<int64_t> Parser::IntegerValue() {
  const size_t first = pos_;
  if (AtParameter()) {
    FRAZIL_ASSIGN_OR_RETURN(const plan::ExprPtr literal, ParameterLiteral());
    if (literal->kind != plan::ExprKind::kLiteral || !literal->As<plan::LiteralExpr>().type->IsIntegral() ||
        literal->As<plan::LiteralExpr>().value.is_null()) {
      return SyntaxErrorAt(first);
    }
    return literal->As<plan::LiteralExpr>().value.integer();
  }
  if (!At(TokenType::kInteger)) return SyntaxError();
  const std::string digits(Peek().text);
  ++pos_;
  errno = 0;
  const long long value = std::strtoll(digits.c_str(), nullptr, 10);
  if (errno == ERANGE) {
    return ErrorFrom(first, "INVALID_NUMERIC_LITERAL_RANGE",
                     {{"rawStrippedQualifier", digits},
                      {"minValue", "-9223372036854775808"},
                      {"maxValue", "9223372036854775807"},
                      {"typeName", "bigint"}});
  }
  return static_cast<int64_t>(value);
}

}  // namespace frazil::sql
