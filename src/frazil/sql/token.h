#pragma once

// The pieces that the lexer cuts a statement into.

#include <cstdint>
#include <string_view>

#include "frazil/sql/keywords.h"

namespace frazil::sql {

enum class TokenType : uint8_t {
  kEnd,
  kWord,          ///< Unquoted: a keyword, an identifier, or both.
  kBackquoted,    ///< `name`
  kDoubleQuoted,  ///< "text": a string, or a name where spark.sql.ansi.doubleQuotedIdentifiers is set.
  kString,        ///< 'text', r'text', r"text"
  kInteger,
  kBigint,      ///< 1L
  kSmallint,    ///< 1S
  kTinyint,     ///< 1Y
  kExponent,    ///< 1e3
  kDecimal,     ///< 1.5
  kFloat,       ///< 1F
  kDouble,      ///< 1D
  kBigDecimal,  ///< 1BD
  kHintStart,   ///< "/*+"
  kHintEnd,     ///< "*/"
  kSemicolon,
  kLeftParen,
  kRightParen,
  kComma,
  kDot,
  kLeftBracket,
  kRightBracket,
  kBang,
  kEqual,          ///< = and ==
  kNullSafeEqual,  ///< <=>
  kNotEqual,       ///< <>
  kBangEqual,      ///< !=
  kLess,
  kLessOrEqual,  ///< <= and !>
  kGreater,
  kGreaterOrEqual,  ///< >= and !<
  kShiftLeft,
  kShiftRight,
  kShiftRightUnsigned,
  kPlus,
  kMinus,
  kAsterisk,
  kSlash,
  kPercent,
  kTilde,
  kAmpersand,
  kPipe,
  kConcat,        ///< ||
  kPipeOperator,  ///< |>
  kHat,
  kColon,
  kDoubleColon,
  kArrow,     ///< ->
  kFatArrow,  ///< =>
  kQuestion,
  kUnrecognized,
};

struct Token {
  TokenType type = TokenType::kEnd;
  Keyword keyword = Keyword::kNotKeyword;  ///< Of a kWord.
  std::string_view text;                   ///< The source slice, quotes included; empty for kEnd.
  int start = 0;                           ///< First character (code point), from 0.
  int stop = -1;                           ///< Last character, inclusive.
  int line = 1;                            ///< From 1.
  int position = 0;                        ///< Column of the line in characters, from 0.
  int match = -1;                          ///< kLeftParen: index of the token that closes it, or -1.
};

}  // namespace frazil::sql
