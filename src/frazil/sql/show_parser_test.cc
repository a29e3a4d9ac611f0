// SHOW and DESCRIBE.

#include <gtest/gtest.h>

#include "frazil/sql/parser_testing.h"

namespace frazil::sql {
namespace {

using testing::Statement;

TEST(ShowParser, ReadsWhatDeltaAdds) {
  EXPECT_EQ(Statement("DESCRIBE HISTORY a.t LIMIT 3"), "Describe#6 a.t limit 3");
  EXPECT_EQ(Statement("DESC DETAIL '/data/t'"), "Describe#7 delta.`/data/t`");
  EXPECT_EQ(Statement("DESCRIBE history"), "Describe#0 history");
  EXPECT_EQ(Statement("DESCRIBE detail.t"), "Describe#0 detail.t");
  EXPECT_EQ(Statement("OPTIMIZE t WHERE a = 1 ZORDER BY (b, c)"),
            "Maintenance#0[t where ==(a, int(1)) order b order c]");
  EXPECT_EQ(Statement("VACUUM delta.`/x` RETAIN 0 HOURS DRY RUN"), "Maintenance#1[delta.`/x` retain 0.000000 dry]");
  EXPECT_EQ(Statement("VACUUM t DRY"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("REORG TABLE t WHERE p = 1 APPLY (PURGE)"), "Maintenance#0[t where ==(p, int(1))]");
  EXPECT_EQ(Statement("REORG TABLE t APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 2))"),
            "Unsupported[REORG TABLE ... APPLY (UPGRADE UNIFORM ...)]");
  EXPECT_EQ(Statement("REORG TABLE t APPLY (MORE)"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("FSCK REPAIR TABLE '/x' DRY RUN"), "Maintenance#0[delta.`/x` dry]");
  EXPECT_EQ(Statement("FSCK REPAIR TABLE t DRY"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("RESTORE TABLE t TO VERSION AS OF 2"), "Maintenance#2[t version 2]");
  EXPECT_EQ(Statement("RESTORE t TO TIMESTAMP AS OF '2024-01-01'"), "Maintenance#2[t at string(2024-01-01)]");
  EXPECT_EQ(Statement("RESTORE t"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("VACUUM t LITE DRY RUN"), "Maintenance#1[t dry lite]");
  EXPECT_EQ(Statement("CONVERT TO DELTA parquet.`/x` NO STATISTICS PARTITIONED BY (a INT, b STRING)"),
            "Maintenance#3[parquet.`/x` partition a partition b]");
  EXPECT_EQ(Statement("CONVERT TO DELTA"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("GENERATE symlink_format_manifest FOR TABLE t"), "Maintenance#4[t]");
  EXPECT_EQ(Statement("ALTER TABLE t DROP FEATURE deletionVectors"), "DropFeature[t; deletionVectors]");
  EXPECT_EQ(Statement("ALTER TABLE t DROP FEATURE 'variantType-preview' TRUNCATE HISTORY"),
            "DropFeature[t; variantType-preview truncate history]");
  EXPECT_EQ(Statement("OPTIMIZE t FULL"), "Maintenance#0[t full]");
  EXPECT_EQ(Statement("GENERATE other FOR TABLE t"), "error PARSE_SYNTAX_ERROR");
}

TEST(ShowParser, ReadsStatements) {
  EXPECT_EQ(Statement("SHOW TABLES IN a.b LIKE 'x*'"), "Show#2 a.b like x*");
  EXPECT_EQ(Statement("SHOW USER FUNCTIONS LIKE 'a'"), "Show#6 USER like a");
  EXPECT_EQ(Statement("SHOW COLUMNS IN t FROM d"), "Show#5 t from d");
  EXPECT_EQ(Statement("SHOW TBLPROPERTIES t ('k')"), "Show#8 t key k");
  EXPECT_EQ(Statement("SHOW CREATE TABLE t AS SERDE"), "Show#9 t");
  EXPECT_EQ(Statement("SHOW PARTITIONS t PARTITION (a = 1)"), "Show#7 t partition(a=int(1))");
  EXPECT_EQ(Statement("DESCRIBE EXTENDED t"), "Describe#0 t extended");
  EXPECT_EQ(Statement("DESCRIBE t a.b"), "Describe#1 t column a.b");
  EXPECT_EQ(Statement("DESC EXTENDED t AS JSON"), "Describe#0 t extended json");
  EXPECT_EQ(Statement("DESCRIBE QUERY SELECT 1"), "Describe#4(Project[int(1)](OneRow))");
  EXPECT_EQ(Statement("DESC FUNCTION EXTENDED abs"), "Describe#3 abs extended");
  EXPECT_EQ(Statement("DESC FUNCTION +"), "Describe#3 +");
  EXPECT_EQ(Statement("DESCRIBE NAMESPACE EXTENDED a"), "Describe#2 a extended");
  EXPECT_EQ(Statement("SHOW DATABASES LIKE 'a'"), "Show#1 like a");
  EXPECT_EQ(Statement("SHOW TABLES 'a'"), "Show#2 like a");
  EXPECT_EQ(Statement("SHOW TABLE EXTENDED IN d LIKE 'a' PARTITION (b = 1)"), "Show#3 d like a partition(b=int(1))");
  EXPECT_EQ(Statement("SHOW TABLE EXTENDED LIKE x"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("SHOW VIEWS"), "Show#4");
  EXPECT_EQ(Statement("SHOW CATALOGS LIKE 'x'"), "Show#0 like x");
  EXPECT_EQ(Statement("SHOW CURRENT SCHEMA"), "Show#10");
  EXPECT_EQ(Statement("SHOW FUNCTIONS a.b"), "Show#6 a like b");
  EXPECT_EQ(Statement("SHOW FOO FUNCTIONS"), "error INVALID_SQL_SYNTAX.SHOW_FUNCTIONS_INVALID_SCOPE");
  EXPECT_EQ(Statement("SHOW ALL FUNCTIONS IN d"), "Show#6 ALL d");
  EXPECT_EQ(Statement("SHOW PROCEDURES IN c"), "Show#12 c");
  EXPECT_EQ(Statement("SHOW GRANT"), "error INVALID_STATEMENT_OR_CLAUSE");
  EXPECT_EQ(Statement("SHOW FOO"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("DESCRIBE t PARTITION (a = 1)"), "Describe#0 t partition(a=int(1))");
  EXPECT_EQ(Statement("DESCRIBE t PARTITION (a)"), "error INVALID_SQL_SYNTAX.EMPTY_PARTITION_VALUE");
  EXPECT_EQ(Statement("DESC t AS JSON"), "error DESCRIBE_JSON_NOT_EXTENDED");
  EXPECT_EQ(Statement("DESC TABLE t"), "Describe#0 t");
  EXPECT_EQ(Statement("DESC FORMATTED a.b.c"), "Describe#0 a.b.c extended");
  EXPECT_EQ(Statement("DESC FUNCTION '+'"), "Describe#3 +");
  EXPECT_EQ(Statement("DESC SELECT 1"), "Describe#4(Project[int(1)](OneRow))");
  EXPECT_EQ(Statement("DESC (SELECT 1)"), "Describe#4(Project[int(1)](OneRow))");
  EXPECT_EQ(Statement("DESC table"), "Describe#0 table");
  EXPECT_EQ(Statement("DESC QUERY VALUES (1)"), "Describe#4(Values[(int(1))])");
  EXPECT_EQ(Statement("DESC WITH x AS (SELECT 1) SELECT * FROM x"),
            "Describe#4(With[x = Project[int(1)](OneRow)](Project[*](Table[x])))");
}

}  // namespace
}  // namespace frazil::sql
