// SET, USE, CACHE, variables and their kin; statements refused by name.

#include <gtest/gtest.h>

#include "frazil/sql/parser_testing.h"

namespace frazil::sql {
namespace {

using testing::Statement;

TEST(SessionParser, ReadsStatements) {
  EXPECT_EQ(Statement("USE NAMESPACE a.b"), "Use[namespace a.b]");
  EXPECT_EQ(Statement("USE c"), "Use[c]");
  EXPECT_EQ(Statement("SET CATALOG x"), "Use[catalog x]");
  EXPECT_EQ(Statement("SET a.b = c d e ;"), "Set[a.b=c d e]");
  EXPECT_EQ(Statement("SET a"), "Set[a]");
  EXPECT_EQ(Statement("SET"), "Set[]");
  EXPECT_EQ(Statement("SET -v"), "Set[-v]");
  EXPECT_EQ(Statement("SET TIME ZONE INTERVAL 2 HOURS"), "Set[spark.sql.session.timeZone=+02:00]");
  EXPECT_EQ(Statement("SET VAR x = 1, y = DEFAULT"), "Variable#1 x=int(1) y=default");
  EXPECT_EQ(Statement("SET VARIABLE (x, y) = (SELECT 1, 2)"), "Variable#1 x y (Project[int(1), int(2)](OneRow))");
  EXPECT_EQ(Statement("RESET a.b"), "Reset[a.b]");
  EXPECT_EQ(Statement("EXPLAIN FORMATTED SELECT 1"), "Explain#4(Project[int(1)](OneRow))");
  EXPECT_EQ(Statement("CACHE LAZY TABLE t OPTIONS ('a' 'b') AS SELECT 1"), "Cache[t lazy](Project[int(1)](OneRow))");
  EXPECT_EQ(Statement("UNCACHE TABLE IF EXISTS t"), "Uncache[t if exists]");
  EXPECT_EQ(Statement("CLEAR CACHE"), "ClearCache");
  EXPECT_EQ(Statement("REFRESH TABLE t"), "Refresh[t]");
  EXPECT_EQ(Statement("REFRESH '/a'"), "Refresh[path /a]");
  EXPECT_EQ(Statement("REFRESH /a/b"), "Refresh[path /a/b]");
  EXPECT_EQ(Statement("ANALYZE TABLE t COMPUTE STATISTICS FOR COLUMNS a, b"), "Analyze[t a b]");
  EXPECT_EQ(Statement("COMMENT ON TABLE t IS 'x'"), "AlterTable[t; #5 {comment=x}]");
  EXPECT_EQ(Statement("DECLARE OR REPLACE VARIABLE x INT DEFAULT 5"), "Variable#0 x int default int(5)");
  EXPECT_EQ(Statement("DECLARE x = 5"), "Variable#0 x default int(5)");
  EXPECT_EQ(Statement("EXECUTE IMMEDIATE 'SELECT ?' INTO x USING 1, 2 AS b"),
            "ExecuteImmediate[string(SELECT ?) into x using int(1), int(2) as b]");
  // "if not exists": partitions that are new come; "if exists": those whose folder is gone go.
  EXPECT_EQ(Statement("MSCK REPAIR TABLE t"), "AlterTable[t; #19 MSCK REPAIR TABLE]");
  EXPECT_EQ(Statement("MSCK REPAIR TABLE t ADD PARTITIONS"), "AlterTable[t; #19 if not exists MSCK REPAIR TABLE]");
  EXPECT_EQ(Statement("MSCK REPAIR TABLE t DROP PARTITIONS"), "AlterTable[t; #19 if exists MSCK REPAIR TABLE]");
  EXPECT_EQ(Statement("MSCK REPAIR TABLE t SYNC PARTITIONS"),
            "AlterTable[t; #19 if exists if not exists MSCK REPAIR TABLE]");
  EXPECT_EQ(Statement("GRANT x"), "error INVALID_STATEMENT_OR_CLAUSE");
  EXPECT_EQ(Statement("SET a.b=  \"x y\" ;;"), "Set[a.b=\"x y\"]");
  EXPECT_EQ(Statement("SET `a.b` = `c;d`"), "Set[a.b=c;d]");
  EXPECT_EQ(Statement("SET a b"), "error INVALID_SET_SYNTAX");
  EXPECT_EQ(Statement("SET a=b=c"), "Set[a=b=c]");
  EXPECT_EQ(Statement("SET spark.x = a;b"), "error INVALID_SET_SYNTAX");
  EXPECT_EQ(Statement("SET TIME ZONE 'UTC'"), "Set[spark.sql.session.timeZone=UTC]");
  EXPECT_EQ(Statement("SET TIME ZONE LOCAL"), "Set[spark.sql.session.timeZone=LOCAL]");
  EXPECT_EQ(Statement("SET TIME ZONE INTERVAL 20 HOURS"),
            "error INVALID_INTERVAL_FORMAT.TIMEZONE_INTERVAL_OUT_OF_RANGE");
  EXPECT_EQ(Statement("SET TIME ZONE x"), "error _LEGACY_ERROR_TEMP_0045");
  EXPECT_EQ(Statement("SET ROLE x"), "error INVALID_STATEMENT_OR_CLAUSE");
  EXPECT_EQ(Statement("SET VAR x"), "error INVALID_SET_SYNTAX");
  EXPECT_EQ(Statement("SET catalog = 1"), "Set[catalog=1]");
  EXPECT_EQ(Statement("RESET"), "Reset[]");
  EXPECT_EQ(Statement("RESET a b"), "error INVALID_RESET_COMMAND_FORMAT");
  EXPECT_EQ(Statement("USE a.b"), "Use[a.b]");
  EXPECT_EQ(Statement("EXPLAIN INSERT INTO t SELECT 1"), "Explain#0(Insert[t](Project[int(1)](OneRow)))");
  EXPECT_EQ(Statement("EXPLAIN EXPLAIN SELECT 1"), "Explain#0(Explain#0(Project[int(1)](OneRow)))");
  EXPECT_EQ(Statement("REFRESH FUNCTION f"), "RefreshFunction[f]");
  EXPECT_EQ(Statement("ANALYZE TABLE t COMPUTE STATISTICS NOSCAN"), "Analyze[t noscan]");
  EXPECT_EQ(Statement("ANALYZE TABLES IN d COMPUTE STATISTICS"), "Analyze[d all tables]");
  EXPECT_EQ(Statement("ANALYZE TABLE t COMPUTE STATISTICS x"),
            "error INVALID_SQL_SYNTAX.ANALYZE_TABLE_UNEXPECTED_NOSCAN");
  EXPECT_EQ(Statement("COMMENT ON NAMESPACE n IS NULL"), "AlterNamespace[n {comment=}]");
  EXPECT_EQ(Statement("DECLARE x"), "error INVALID_SQL_SYNTAX.VARIABLE_TYPE_OR_DEFAULT_REQUIRED");
  EXPECT_EQ(Statement("DECLARE VARIABLE a, b INT"), "Variable#0 a b int");
  EXPECT_EQ(Statement("DECLARE VARIABLE IF NOT EXISTS x INT"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("EXECUTE IMMEDIATE x USING (1, 2)"), "ExecuteImmediate[x using int(1), int(2)]");
  EXPECT_EQ(Statement("EXECUTE IMMEDIATE x USING 1 AS a, 2 AS a"), "error EXEC_IMMEDIATE_DUPLICATE_ARGUMENT_ALIASES");
  EXPECT_EQ(Statement("LOAD DATA INPATH 'x' INTO TABLE t"), "Unsupported[LOAD DATA]");
  EXPECT_EQ(Statement("ADD JAR /x/y.jar"), "Unsupported[ADD JAR (resources)]");
  EXPECT_EQ(Statement(";"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("/* x"), "error UNCLOSED_BRACKETED_COMMENT");
}

}  // namespace
}  // namespace frazil::sql
