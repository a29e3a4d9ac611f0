#include "frazil/sql/lexer.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace frazil::sql {
namespace {

std::vector<std::string> Texts(const std::string& text) {
  std::vector<std::string> texts;
  for (const Token& token : Tokenize(text).tokens) {
    if (token.type != TokenType::kEnd) texts.emplace_back(token.text);
  }
  return texts;
}

using Strings = std::vector<std::string>;

TEST(Lexer, TakesTheLongestToken) {
  EXPECT_EQ(Texts("a<=>b<>c!=d>=e<=f==g"),
            (Strings{"a", "<=>", "b", "<>", "c", "!=", "d", ">=", "e", "<=", "f", "==", "g"}));
  EXPECT_EQ(Texts("a||b|c|>d->e=>f::g"),
            (Strings{"a", "||", "b", "|", "c", "|>", "d", "->", "e", "=>", "f", "::", "g"}));
  EXPECT_EQ(Texts("1>>>2>>3"), (Strings{"1", ">>>", "2", ">>", "3"}));
}

TEST(Lexer, TellsNumbersFromWords) {
  EXPECT_EQ(Tokenize("12").tokens[0].type, TokenType::kInteger);
  EXPECT_EQ(Tokenize("12a").tokens[0].type, TokenType::kWord);
  EXPECT_EQ(Tokenize("1e3").tokens[0].type, TokenType::kExponent);
  EXPECT_EQ(Tokenize("1e3x").tokens[0].type, TokenType::kWord);
  EXPECT_EQ(Tokenize("1e").tokens[0].type, TokenType::kWord);
  EXPECT_EQ(Tokenize("1.5").tokens[0].type, TokenType::kDecimal);
  EXPECT_EQ(Tokenize("1.5bd").tokens[0].type, TokenType::kBigDecimal);
  EXPECT_EQ(Tokenize("1d").tokens[0].type, TokenType::kDouble);
  EXPECT_EQ(Texts("t.1a"), (Strings{"t", ".", "1a"}));
  EXPECT_EQ(Texts("2.3W"), (Strings{"2", ".", "3W"}));
  EXPECT_EQ(Texts("34.E2+0.12"), (Strings{"34.E2", "+", "0.12"}));
}

TEST(Lexer, DropsComments) {
  EXPECT_EQ(Texts("a -- x\nb"), (Strings{"a", "b"}));
  EXPECT_EQ(Texts("a -- x\\\ny\nb"), (Strings{"a", "b"}));
  EXPECT_EQ(Texts("a /* x /* y */ z */ b"), (Strings{"a", "b"}));
  EXPECT_EQ(Texts("a /*+ h */ b"), (Strings{"a", "/*+", "h", "*/", "b"}));
  EXPECT_FALSE(Tokenize("/* a */").has_unclosed_comment);
  EXPECT_TRUE(Tokenize("a /* x /* y */").has_unclosed_comment);
}

TEST(Lexer, CountsCharactersAndLines) {
  const TokenizedText text = Tokenize("'é' x\n  y");
  EXPECT_EQ(text.tokens[1].start, 4);
  EXPECT_EQ(text.tokens[2].start, 8);
  EXPECT_EQ(text.tokens[2].line, 2);
  EXPECT_EQ(text.tokens[2].position, 2);
}

TEST(Lexer, NamesMatchingParentheses) {
  const TokenizedText text = Tokenize("(a(b)");
  EXPECT_EQ(text.tokens[0].match, -1);
  EXPECT_EQ(text.tokens[2].match, 4);
}

TEST(Lexer, LeavesUnclosedQuotesUnrecognized) {
  EXPECT_EQ(Tokenize("'a").tokens[0].type, TokenType::kUnrecognized);
  EXPECT_EQ(Tokenize("`a").tokens[0].type, TokenType::kUnrecognized);
  EXPECT_EQ(Tokenize("r'a").tokens[0].type, TokenType::kWord);
}

TEST(Lexer, UnquotesStrings) {
  EXPECT_EQ(UnquoteString("'a\\tb'", false), "a\tb");
  EXPECT_EQ(UnquoteString("'a\\tb'", true), "a\\tb");
  EXPECT_EQ(UnquoteString("r'a\\tb'", false), "a\\tb");
  EXPECT_EQ(UnquoteString("'\\ud83d\\ude00'", false), "\xF0\x9F\x98\x80");
  EXPECT_EQ(UnquoteString("'\\012\\18'", false), "\n18");
  EXPECT_EQ(UnquoteString("'\\_\\%\\q'", false), "\\_\\%q");
  EXPECT_EQ(UnquoteString("\"a\"\"b\"", false), "a\"b");
  EXPECT_EQ(UnquoteIdentifier("`a``b`"), "a`b");
}

}  // namespace
}  // namespace frazil::sql
