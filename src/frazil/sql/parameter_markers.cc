#include "frazil/sql/parameter_markers.h"

#include "frazil/sql/lexer.h"

namespace frazil::sql {
namespace {

/// Whether `colon` goes on with the value that `token` ends. Keywords are names too, where nothing stands between.
bool IsPath(const Token& token, const Token& colon) {
  switch (token.type) {
    case TokenType::kWord:
      return token.keyword == Keyword::kNotKeyword || token.text.data() + token.text.size() == colon.text.data();
    case TokenType::kBackquoted:
    case TokenType::kRightParen:
    case TokenType::kRightBracket:
      return true;
    default:
      return false;
  }
}

}  // namespace

ParameterMarkers FindParameterMarkers(std::string text) {
  ParameterMarkers markers;
  const TokenizedText tokenized = Tokenize(std::move(text));
  const auto& tokens = tokenized.tokens;
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].type == TokenType::kQuestion) markers.has_positional = true;
    const bool is_name = tokens[i + 1].type == TokenType::kWord || tokens[i + 1].type == TokenType::kBackquoted;
    if (tokens[i].type == TokenType::kColon && is_name && (i == 0 || !IsPath(tokens[i - 1], tokens[i])))
      markers.has_named = true;
  }
  return markers;
}

}  // namespace frazil::sql
