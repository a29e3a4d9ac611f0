#include <gtest/gtest.h>

#include "frazil/plan/script.h"
#include "frazil/sql/parser.h"
#include "frazil/sql/parser_testing.h"

namespace frazil::sql {
namespace {

using testing::Statement;
using Kind = plan::ScriptNode::Kind;

plan::ScriptNodePtr Block(const std::string& text) {
  auto parsed = ParseStatement(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << (parsed.ok() ? "" : parsed.error().message);
  return parsed.ok() ? (*parsed)->As<plan::ScriptCommand>().block : nullptr;
}

TEST(ScriptingParserTest, Statements) {
  EXPECT_EQ(Statement("BEGIN SELECT 1; END;"), "Script[BEGIN SELECT 1; END]");
  EXPECT_EQ(Block("BEGIN END")->body.size(), 0u);
  EXPECT_EQ(Block("BEGIN NOT ATOMIC SELECT 1; SELECT 2; END")->body.size(), 2u);
}

TEST(ScriptingParserTest, Parts) {
  const auto block = Block(
      "BEGIN DECLARE x INT = 1; DECLARE c CONDITION FOR SQLSTATE VALUE '12345'; "
      "DECLARE EXIT HANDLER FOR c, DIVIDE_BY_ZERO, SQLSTATE '22012' SELECT 2; "
      "DECLARE CONTINUE HANDLER FOR NOT FOUND, SQLEXCEPTION BEGIN END; "
      "SET x = 2; l: WHILE x < 5 DO ITERATE l; END WHILE l; REPEAT SELECT 1; UNTIL true END REPEAT; "
      "m: LOOP LEAVE m; END LOOP; FOR r AS SELECT 1 AS a FROM t DO SELECT r.a; END FOR; "
      "IF x = 1 THEN SELECT 1; ELSEIF x = 2 THEN SELECT 2; ELSE SELECT 3; END IF; "
      "CASE x WHEN 1 THEN SELECT 1; END CASE; END");
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(block->conditions.at("C"), "12345");
  ASSERT_EQ(block->handlers.size(), 2u);
  EXPECT_FALSE(block->handlers[0].goes_on);
  EXPECT_EQ(block->handlers[0].conditions, (std::vector<std::string>{"C", "DIVIDE_BY_ZERO"}));
  EXPECT_EQ(block->handlers[0].states, std::vector<std::string>{"22012"});
  EXPECT_TRUE(block->handlers[1].goes_on);
  EXPECT_TRUE(block->handlers[1].not_found && block->handlers[1].any_error);
  std::vector<Kind> kinds;
  for (const auto& node : block->body) kinds.push_back(node->kind);
  EXPECT_EQ(kinds, (std::vector<Kind>{Kind::kStatement, Kind::kStatement, Kind::kWhile, Kind::kRepeat, Kind::kLoop,
                                      Kind::kFor, Kind::kIf, Kind::kIf}));
  EXPECT_EQ(block->body[5]->variable, "r");
  EXPECT_EQ(block->body[6]->branches.size(), 2u);
  EXPECT_EQ(block->body[6]->body.size(), 1u);
}

TEST(ScriptingParserTest, Errors) {
  const auto condition = [](const std::string& text) { return Statement(text).substr(6); };
  EXPECT_EQ(condition("l: BEGIN SELECT 1; END"), "PARSE_SYNTAX_ERROR");
  EXPECT_EQ(condition("BEGIN SELECT 1 SELECT 2; END"), "PARSE_SYNTAX_ERROR");
  EXPECT_EQ(condition("BEGIN SELECT 1"), "PARSE_SYNTAX_ERROR");
  EXPECT_EQ(condition("BEGIN SELECT 1;; END"), "PARSE_SYNTAX_ERROR");
  EXPECT_EQ(condition("BEGIN LOOP END LOOP; END"), "PARSE_SYNTAX_ERROR");
  EXPECT_EQ(condition("BEGIN SET VAR x = 1; END"), "PARSE_SYNTAX_ERROR");
  EXPECT_EQ(condition("BEGIN SELECT 1; DECLARE x INT; END"), "INVALID_VARIABLE_DECLARATION.ONLY_AT_BEGINNING");
  EXPECT_EQ(condition("BEGIN IF true THEN DECLARE x INT; END IF; END"),
            "INVALID_VARIABLE_DECLARATION.NOT_ALLOWED_IN_SCOPE");
  EXPECT_EQ(condition("BEGIN a: BEGIN SELECT 1; END b; END"), "LABELS_MISMATCH");
  EXPECT_EQ(condition("BEGIN BEGIN SELECT 1; END b; END"), "END_LABEL_WITHOUT_BEGIN_LABEL");
  EXPECT_EQ(condition("BEGIN a: BEGIN a: BEGIN SELECT 1; END; END; END"), "LABEL_OR_FOR_VARIABLE_ALREADY_EXISTS");
  EXPECT_EQ(condition("BEGIN system: BEGIN SELECT 1; END; END"), "LABEL_OR_FOR_VARIABLE_NAME_FORBIDDEN");
  EXPECT_EQ(condition("BEGIN LEAVE a; END"), "INVALID_LABEL_USAGE.DOES_NOT_EXIST");
  EXPECT_EQ(condition("BEGIN a: BEGIN ITERATE a; END; END"), "INVALID_LABEL_USAGE.ITERATE_IN_COMPOUND");
  EXPECT_EQ(condition("BEGIN DECLARE EXIT HANDLER FOR SQLSTATE 'x' SELECT 1; END"), "INVALID_SQLSTATE");
  EXPECT_EQ(condition("BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION, A SELECT 1; END"),
            "INVALID_HANDLER_DECLARATION.INVALID_CONDITION_COMBINATION");
  EXPECT_EQ(condition("BEGIN DECLARE c CONDITION; DECLARE c CONDITION; SELECT 1; END"), "DUPLICATE_CONDITION_IN_SCOPE");
}

}  // namespace
}  // namespace frazil::sql
