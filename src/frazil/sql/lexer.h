#pragma once

// Cuts SQL text into tokens as Spark's lexer does: the longest match wins, comments and white space fall away.

#include <memory>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/sql/token.h"

namespace frazil::sql {

struct TokenizedText {
  std::shared_ptr<const std::string> text;  ///< What the tokens point into.
  std::vector<Token> tokens;                ///< Ends with a kEnd token.
  bool has_unclosed_comment = false;        ///< A bracketed comment runs to the end of the text.
};

/// Never fails: characters that begin no token become kUnrecognized tokens.
TokenizedText Tokenize(std::string text);

/// The text between the quotes of a kString or kDoubleQuoted token, with escapes resolved unless `keep_escapes`
/// (spark.sql.parser.escapedStringLiterals). Raw strings keep their backslashes. \% and \_ stay as they are, for LIKE.
std::string UnquoteString(std::string_view token_text, bool keep_escapes);

/// The name inside back quotes (or double quotes), doubled quotes made single.
std::string UnquoteIdentifier(std::string_view token_text);

}  // namespace frazil::sql
