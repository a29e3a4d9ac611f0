#include "frazil/sql/parser.h"

#include "frazil/base/text.h"
#include "frazil/sql/parser_internal.h"

namespace frazil::sql {

Result<plan::PlanPtr> ParseStatement(std::string_view text, const ParserOptions& options) {
  return Parser(text, options).SingleStatement();
}

Result<plan::PlanPtr> ParseQuery(std::string_view text, const ParserOptions& options) {
  return Parser(text, options).SingleQuery();
}

Result<plan::ExprPtr> ParseExpression(std::string_view text, const ParserOptions& options) {
  return Parser(text, options).SingleExpression();
}

Result<DataTypePtr> ParseDataType(std::string_view text, const ParserOptions& options) {
  return Parser(text, options).SingleDataType();
}

Result<DataTypePtr> ParseTableSchema(std::string_view text, const ParserOptions& options) {
  return Parser(text, options).SingleTableSchema();
}

Result<DataTypePtr> ParseSchemaOrDataType(std::string_view text, const ParserOptions& options) {
  auto schema = ParseTableSchema(text, options);
  if (schema.ok()) return schema;
  auto type = ParseDataType(text, options);
  if (type.ok()) return type;
  auto fields = ParseDataType("struct<" + std::string(text) + ">", options);
  if (fields.ok()) return fields;
  return schema;
}

Result<std::vector<std::string>> ParseMultipartIdentifier(std::string_view text, const ParserOptions& options) {
  return Parser(text, options).SingleMultipartIdentifier();
}

Result<std::vector<plan::AlterAction::OrderField>> ParseWriteOrder(std::string_view text,
                                                                   const ParserOptions& options) {
  return Parser(text, options).SingleWriteOrder();
}

Result<std::vector<std::string>> SplitStatements(std::string_view text, const ParserOptions& options) {
  static_cast<void>(options);
  const TokenizedText tokenized = Tokenize(std::string(text));
  std::vector<std::string> statements;
  const char* begin = tokenized.text->data();
  const auto take = [&](const char* end) {
    const std::string_view statement = TrimBlanks(std::string_view(begin, static_cast<size_t>(end - begin)));
    if (!statement.empty()) statements.emplace_back(statement);
  };
  // Depth of BEGIN, CASE, IF, LOOP, ... within a compound statement; elsewhere these words open nothing.
  int depth = 0;
  bool has_tokens = false;
  bool in_compound = false;
  bool statement_start = true;
  for (size_t i = 0; i < tokenized.tokens.size(); ++i) {
    const Token& token = tokenized.tokens[i];
    if (token.type == TokenType::kEnd || (token.type == TokenType::kSemicolon && depth == 0)) {
      // A piece that holds comments alone is no statement.
      if (has_tokens) take(token.text.data());
      begin = token.text.data() + token.text.size();
      has_tokens = false;
      in_compound = false;
      statement_start = true;
      continue;
    }
    has_tokens = true;
    const bool label =
        statement_start && i + 2 < tokenized.tokens.size() && tokenized.tokens[i + 1].type == TokenType::kColon;
    if (statement_start &&
        (token.keyword == Keyword::kBegin || (label && tokenized.tokens[i + 2].keyword == Keyword::kBegin))) {
      in_compound = true;
    }
    if (in_compound) {
      switch (token.keyword) {
        case Keyword::kBegin:
        case Keyword::kCase:
          ++depth;
          break;
        case Keyword::kIf:
        case Keyword::kWhile:
        case Keyword::kRepeat:
        case Keyword::kLoop:
        case Keyword::kFor:
          if (statement_start) ++depth;
          break;
        case Keyword::kEnd:
          --depth;
          // END IF, END LOOP, ...: the second word opens nothing.
          if (i + 1 < tokenized.tokens.size() && tokenized.tokens[i + 1].keyword != Keyword::kNotKeyword &&
              tokenized.tokens[i + 1].type == TokenType::kWord) {
            ++i;
          }
          break;
        default:
          break;
      }
    }
    statement_start = token.type == TokenType::kSemicolon || token.type == TokenType::kColon ||
                      token.keyword == Keyword::kBegin || token.keyword == Keyword::kThen ||
                      token.keyword == Keyword::kElse || token.keyword == Keyword::kDo ||
                      token.keyword == Keyword::kLoop || token.keyword == Keyword::kRepeat;
  }
  return statements;
}

}  // namespace frazil::sql
