// What holds for all statements: positions, errors, settings, deep nesting, scripts.

#include "frazil/sql/parser.h"

#include <gtest/gtest.h>

#include "frazil/plan/unresolved_command.h"
#include "frazil/sql/parameter_markers.h"
#include "frazil/sql/parser_testing.h"

namespace frazil::sql {
namespace {

using testing::Expression;
using testing::Statement;

std::string Repeat(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

std::string Slice(const plan::Origin& origin) {
  return origin.text->substr(static_cast<size_t>(origin.start), static_cast<size_t>(origin.stop - origin.start + 1));
}

TEST(Parser, GivesEveryNodeItsPlace) {
  const auto plan = ParseStatement("SELECT a + 1,\n  f(b) OVER w AS c FROM t WHERE a = 1 AND b");
  ASSERT_TRUE(plan.ok());
  const auto& project = (*plan)->As<plan::ProjectPlan>();
  EXPECT_EQ(Slice(project.expressions[0]->origin), "a + 1");
  EXPECT_EQ(Slice(project.expressions[1]->origin), "f(b) OVER w AS c");
  EXPECT_EQ(project.expressions[1]->origin.line, 2);
  EXPECT_EQ(project.expressions[1]->origin.position, 2);
  const auto& window = project.expressions[1]->As<plan::AliasExpr>().child->As<plan::WindowExpr>();
  EXPECT_EQ(Slice(window.function->origin), "f(b)");
  const auto& filter = project.child->As<plan::FilterPlan>();
  EXPECT_EQ(Slice(filter.condition->origin), "a = 1 AND b");
  EXPECT_EQ(Slice(filter.condition->As<plan::FunctionExpr>().arguments[0]->origin), "a = 1");
  EXPECT_EQ(Slice(filter.child->origin), "t");
}

TEST(Parser, ShowsWhereTheSyntaxIsWrong) {
  const auto plan = ParseStatement("SELECT a\nFORM t");
  ASSERT_FALSE(plan.ok());
  const Error& error = plan.error();
  EXPECT_EQ(error.exception_class, ExceptionClass::kParse);
  EXPECT_EQ(error.condition, "PARSE_SYNTAX_ERROR");
  EXPECT_EQ(error.message,
            "[PARSE_SYNTAX_ERROR] Syntax error at or near 't': extra input 't'. SQLSTATE: 42601 (line 2, pos 5)\n\n"
            "== SQL ==\nSELECT a\nFORM t\n-----^^^\n");
  EXPECT_TRUE(error.query_contexts.empty());
  EXPECT_EQ(ParseStatement("SELECT (1").error().parameters[0].second, "end of input");
}

TEST(Parser, ShowsTheFragmentOfOtherErrors) {
  const auto plan = ParseStatement("SELECT 1,\n  DATE 'x' AS d");
  ASSERT_FALSE(plan.ok());
  const Error& error = plan.error();
  ASSERT_EQ(error.query_contexts.size(), 1U);
  EXPECT_EQ(error.query_contexts[0].start_index, 12);
  EXPECT_EQ(error.query_contexts[0].stop_index, 19);
  EXPECT_EQ(error.query_contexts[0].fragment, "DATE 'x'");
  EXPECT_EQ(error.query_contexts[0].summary, "== SQL (line 2, position 3) ==\n  DATE 'x' AS d\n  ^^^^^^^^\n");
}

TEST(Parser, NamesEmptyAndUnclosedTexts) {
  EXPECT_EQ(Statement(""), "error PARSE_EMPTY_STATEMENT");
  EXPECT_EQ(Statement(" \n"), "error PARSE_EMPTY_STATEMENT");
  EXPECT_EQ(Statement("SELECT 1 /* x"), "error UNCLOSED_BRACKETED_COMMENT");
  EXPECT_EQ(Statement("SELECT 'a"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("SELECT 1;;"), "Project[int(1)](OneRow)");
}

TEST(Parser, RefusesNamesThatNeedQuotes) {
  EXPECT_EQ(Statement("USE test-db"), "error INVALID_IDENTIFIER");
  EXPECT_EQ(Expression("größe"), "error INVALID_IDENTIFIER");
  EXPECT_EQ(Expression("`größe`"), "`größe`");
}

TEST(Parser, SyntaxErrorsComeBeforeErrorsOfMeaning) {
  EXPECT_EQ(Statement("CREATE TABLE t (a foo) garbage garbage"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("SELECT foo 'x' y z"), "error PARSE_SYNTAX_ERROR");
}

TEST(Parser, FollowsTheSettings) {
  ParserOptions reserved;
  reserved.enforce_reserved_keywords = true;
  EXPECT_EQ(Expression("select", reserved), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Expression("current_date", reserved), "current_date()");
  EXPECT_EQ(Statement("SELECT 1 AS table", reserved), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("SELECT 1 AS table"), "Project[int(1) as table](OneRow)");
  EXPECT_EQ(Statement("SELECT left(a, 1) FROM t", reserved), "Project[left(a, int(1))](Table[t])");
  reserved.ansi = false;
  EXPECT_EQ(Statement("SELECT 1 AS table", reserved), "Project[int(1) as table](OneRow)");

  ParserOptions quoted;
  quoted.double_quoted_identifiers = true;
  EXPECT_EQ(Expression("\"a b\".\"c\"", quoted), "`a b`.c");

  ParserOptions escaped;
  escaped.escaped_string_literals = true;
  EXPECT_EQ(Expression("'a\\nb'", escaped), "string(a\\nb)");

  ParserOptions set_operations;
  set_operations.set_ops_precedence_enforced = true;
  EXPECT_EQ(Statement("TABLE a UNION TABLE b INTERSECT TABLE c", set_operations),
            "Intersect(Union(Table[a], Table[b]), Table[c])");
  EXPECT_EQ(Statement("TABLE a UNION TABLE b INTERSECT TABLE c"), "Union(Table[a], Intersect(Table[b], Table[c]))");

  ParserOptions regex;
  regex.quoted_regex_column_names = true;
  EXPECT_EQ(Expression("`a.*`", regex), "regex(`a.*`)");

  ParserOptions exponent;
  exponent.exponent_literal_as_decimal = true;
  EXPECT_EQ(Expression("1e2", exponent), "decimal(3,0)(100)");

  ParserOptions interval;
  interval.legacy_interval = true;
  EXPECT_EQ(Expression("interval 1 year 2 days", interval), "interval(1 years 2 days)");

  ParserOptions zone;
  zone.time_zone = "America/Los_Angeles";
  EXPECT_EQ(Expression("timestamp '2024-01-01 00:00:00'", zone), "timestamp(2024-01-01 08:00:00)");
  zone.timestamp_ntz_default = true;
  EXPECT_EQ(Expression("timestamp '2024-01-01 00:00:00'", zone), "timestamp_ntz(2024-01-01 00:00:00)");
  EXPECT_EQ(Expression("timestamp '2024-01-01 00:00:00Z'", zone), "timestamp(2024-01-01 00:00:00)");

  ParserOptions legacy;
  legacy.legacy_identifier_clause = true;
  EXPECT_EQ(Expression("identifier('a')", legacy), "identifier(string(a))");
  EXPECT_EQ(Statement("SELECT 1 AS identifier('a')", legacy), "error PARSE_SYNTAX_ERROR");
}

TEST(Parser, PutsParametersWhereStringsAreWanted) {
  EXPECT_EQ(Statement("SHOW TABLES LIKE :p"), "error UNBOUND_SQL_PARAMETER");
  auto values = std::make_shared<ParameterValues>();
  values->named["p"] = plan::MakeLiteralExpr(DataType::String(), Value("x*"));
  values->positional.push_back(plan::MakeLiteralExpr(DataType::Integer(), Value(1)));
  values->positional.push_back(plan::MakeLiteralExpr(DataType::Integer(), Value(7)));
  ParserOptions options;
  options.parameters = values;
  EXPECT_EQ(Statement("SHOW TABLES LIKE :p", options), "Show#2 like x*");
  EXPECT_EQ(Statement("SELECT ? FROM t TABLESAMPLE (5 ROWS) REPEATABLE (?)", options),
            "Project[?7](Sample[5 rows seed 7](Table[t]))");
}

TEST(Parser, TakesBoundStringsAsPartsOfNames) {
  auto values = std::make_shared<ParameterValues>();
  values->named["p"] = plan::MakeLiteralExpr(DataType::String(), Value("s.t"));
  values->named["n"] = plan::MakeLiteralExpr(DataType::Integer(), Value(1));
  values->positional.push_back(plan::MakeLiteralExpr(DataType::String(), Value("c")));
  ParserOptions options;
  options.parameters = values;
  EXPECT_EQ(Statement("SELECT 1 AS identifier(?)", options), "Project[int(1) as c](OneRow)");
  EXPECT_EQ(Statement("SELECT * FROM identifier(:p 'u').v", options), "Project[*](Table[s.tu.v])");
  EXPECT_EQ(Statement("SELECT 1 AS identifier('a' ?)", options), "Project[int(1) as ac](OneRow)");
  EXPECT_EQ(Statement("SELECT 1 AS identifier(:n)", options), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("SELECT 1 AS identifier(:q)", options), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("SELECT 1 AS identifier(:p)", options), "error IDENTIFIER_TOO_MANY_NAME_PARTS");
}

TEST(Parser, FindsTheKindsOfMarkers) {
  const auto kinds = [](const char* text) {
    const ParameterMarkers markers = FindParameterMarkers(text);
    return std::string(markers.has_named ? "named " : "") + (markers.has_positional ? "positional" : "");
  };
  EXPECT_EQ(kinds("SELECT ? FROM t WHERE a = :a"), "named positional");
  EXPECT_EQ(kinds("SELECT 1 WHERE :first"), "named ");
  EXPECT_EQ(kinds("SELECT v:key, data:key, f(v):key, v[0]:key, '?:x' /* :y ? */ FROM t"), "");
  EXPECT_EQ(kinds(":"), "");
}

TEST(Parser, StopsAtNestingThatIsTooDeep) {
  EXPECT_EQ(Expression(Repeat("(", 100000) + "1" + Repeat(")", 100000)), "int(1)");
  EXPECT_EQ(Expression(Repeat("(1 + ", 100000) + "1" + Repeat(")", 100000)), "error FAILED_TO_PARSE_TOO_COMPLEX");
  EXPECT_EQ(Expression(Repeat("(", 100000) + "1"), "error FAILED_TO_PARSE_TOO_COMPLEX");
  EXPECT_EQ(Expression(Repeat("NOT ", 100000) + "a"), "error FAILED_TO_PARSE_TOO_COMPLEX");
  EXPECT_EQ(Expression(Repeat("- ", 100000) + "a"), "error FAILED_TO_PARSE_TOO_COMPLEX");
  EXPECT_EQ(Expression(Repeat("f(", 100000) + "a" + Repeat(")", 100000)), "error FAILED_TO_PARSE_TOO_COMPLEX");
  EXPECT_EQ(Expression("a" + Repeat(" + a", 100000)), "error FAILED_TO_PARSE_TOO_COMPLEX");
  EXPECT_EQ(Expression("a" + Repeat("[0]", 100000)), "error FAILED_TO_PARSE_TOO_COMPLEX");
  EXPECT_EQ(Statement(Repeat("(", 100000) + "SELECT 1"), "error FAILED_TO_PARSE_TOO_COMPLEX");
  EXPECT_EQ(Statement("SELECT * FROM " + Repeat("(", 100000) + "t"), "error FAILED_TO_PARSE_TOO_COMPLEX");
  EXPECT_EQ(Statement("SELECT 1" + Repeat(" UNION SELECT 1", 100000)), "error FAILED_TO_PARSE_TOO_COMPLEX");
  EXPECT_EQ(testing::Type(Repeat("array<", 100000) + "int"), "error FAILED_TO_PARSE_TOO_COMPLEX");
}

TEST(Parser, KeepsLongChainsShallow) {
  EXPECT_TRUE(ParseExpression("a = 1" + Repeat(" AND a = 1", 10000)).ok());
  EXPECT_TRUE(ParseExpression("a = 1" + Repeat(" OR a = 1", 10000)).ok());
  EXPECT_TRUE(ParseExpression("a IN (1" + Repeat(", 1", 100000) + ")").ok());
  EXPECT_EQ(Expression("a AND b AND c AND d AND e"), "and(and(and(a, b), and(c, d)), e)");
}

TEST(Parser, DoesNotTryTwice) {
  // Each level would double the work if a parenthesis were read as a query first and as an expression then.
  EXPECT_TRUE(ParseExpression(Repeat("(", 200) + "(SELECT 1)" + Repeat(" + 1)", 200)).ok());
  EXPECT_TRUE(ParseExpression(Repeat("position(", 30) + "'a'" + Repeat(", 'b')", 30)).ok());
}

TEST(Parser, SplitsScripts) {
  using Strings = std::vector<std::string>;
  EXPECT_EQ(*SplitStatements("SELECT 1; SELECT ';' ;\n-- x;\n;SELECT /* ; */ 2"),
            (Strings{"SELECT 1", "SELECT ';'", "SELECT /* ; */ 2"}));
  EXPECT_EQ(*SplitStatements("BEGIN SELECT 1; IF a THEN SELECT CASE b WHEN 1 THEN 2 END; END IF; END; SELECT 2"),
            (Strings{"BEGIN SELECT 1; IF a THEN SELECT CASE b WHEN 1 THEN 2 END; END IF; END", "SELECT 2"}));
  EXPECT_EQ(*SplitStatements("SELECT if(a, 1, 2); SELECT CASE WHEN a THEN 1 END;"),
            (Strings{"SELECT if(a, 1, 2)", "SELECT CASE WHEN a THEN 1 END"}));
  EXPECT_TRUE(SplitStatements(" ; -- nothing")->empty());
}

TEST(Parser, ReadsNames) {
  using Strings = std::vector<std::string>;
  EXPECT_EQ(*ParseMultipartIdentifier("a.`b c`.2x"), (Strings{"a", "b c", "2x"}));
  EXPECT_FALSE(ParseMultipartIdentifier("a b").ok());
  EXPECT_FALSE(ParseMultipartIdentifier("").ok());
}

TEST(Parser, ReadsQueriesOnlyWhereAsked) {
  EXPECT_TRUE(ParseQuery("SELECT 1").ok());
  EXPECT_FALSE(ParseQuery("DROP TABLE t").ok());
}

}  // namespace
}  // namespace frazil::sql
