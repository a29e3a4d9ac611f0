// ALTER TABLE with Iceberg's extensions, ALTER VIEW, ALTER NAMESPACE.

#include <gtest/gtest.h>

#include "frazil/sql/parser_testing.h"

namespace frazil::sql {
namespace {

using testing::Statement;

TEST(AlterParser, ReadsStatements) {
  EXPECT_EQ(Statement("ALTER TABLE t ADD COLUMNS (a INT COMMENT 'x' FIRST, b.c STRING AFTER d)"),
            "AlterTable[t; #0 (a int comment 'x' first, b.c string after d)]");
  EXPECT_EQ(Statement("ALTER TABLE t ADD COLUMN a INT"), "AlterTable[t; #0 (a int)]");
  EXPECT_EQ(Statement("ALTER TABLE t DROP COLUMN IF EXISTS a, b"), "AlterTable[t; #1 a b if exists]");
  EXPECT_EQ(Statement("ALTER TABLE t RENAME COLUMN a.b TO c"), "AlterTable[t; #2 a.b to c]");
  EXPECT_EQ(Statement("ALTER TABLE t RENAME TO x.y"), "RenameTable[t to x.y]");
  EXPECT_EQ(
      Statement("ALTER TABLE t ALTER COLUMN a TYPE BIGINT, b COMMENT 'x', c SET NOT NULL, d DROP DEFAULT, e AFTER f"),
      "AlterTable[t; #3 a type bigint; #3 b comment 'x'; #3 c not null; #3 d drop default; #3 e after f]");
  EXPECT_EQ(Statement("ALTER TABLE t CHANGE COLUMN a a BIGINT COMMENT 'z' FIRST"),
            "AlterTable[t; #3 a type bigint comment 'z' first]");
  EXPECT_EQ(Statement("ALTER TABLE t SET TBLPROPERTIES ('a' = 'b')"), "AlterTable[t; #5 {a=b}]");
  EXPECT_EQ(Statement("ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('a', b.c)"), "AlterTable[t; #6 if exists a b.c]");
  EXPECT_EQ(Statement("ALTER TABLE t ADD PARTITION FIELD bucket(16, a) AS shard"),
            "AlterTable[t; #8 field bucket(16, a) as shard]");
  EXPECT_EQ(Statement("ALTER TABLE t DROP PARTITION FIELD truncate(4, a)"), "AlterTable[t; #9 field truncate(4, a)]");
  EXPECT_EQ(Statement("ALTER TABLE t REPLACE PARTITION FIELD a WITH days(b) AS d"),
            "AlterTable[t; #10 field a with days(b) as d]");
  EXPECT_EQ(
      Statement("ALTER TABLE t WRITE DISTRIBUTED BY PARTITION LOCALLY ORDERED BY a DESC NULLS FIRST, bucket(4, b)"),
      "AlterTable[t; #11 order a desc nulls first order bucket(4, b) asc nulls first distributed locally]");
  EXPECT_EQ(Statement("ALTER TABLE t WRITE UNORDERED"), "AlterTable[t; #11 unordered]");
  EXPECT_EQ(Statement("ALTER TABLE t SET IDENTIFIER FIELDS a, b.c"), "AlterTable[t; #12 a b.c]");
  EXPECT_EQ(Statement("ALTER TABLE t CREATE OR REPLACE BRANCH `b-1` AS OF VERSION 12 RETAIN 7 DAYS WITH SNAPSHOT "
                      "RETENTION 2 SNAPSHOTS 3 HOURS"),
            "AlterTable[t; #14 branch b-1 create or replace snapshot 12 retain 604800000 keep 2 age 10800000]");
  EXPECT_EQ(Statement("ALTER TABLE t CREATE TAG IF NOT EXISTS x"), "AlterTable[t; #14 if not exists tag x]");
  EXPECT_EQ(Statement("ALTER TABLE t DROP BRANCH IF EXISTS b"), "AlterTable[t; #15 if exists branch b]");
  EXPECT_EQ(Statement("ALTER TABLE t ADD IF NOT EXISTS PARTITION (a = 1) LOCATION 'x' PARTITION (a = 2)"),
            "AlterTable[t; #16 if not exists partition(a=int(1)) partition(a=int(2))]");
  EXPECT_EQ(Statement("ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0)"), "AlterTable[t; #20 constraint c CHECK a > 0]");
  EXPECT_EQ(Statement("ALTER TABLE t CLUSTER BY (a, b)"), "AlterTable[t; #22 a b]");
  EXPECT_EQ(Statement("ALTER VIEW v AS SELECT 2"), "AlterView[v](Project[int(2)](OneRow))");
  EXPECT_EQ(Statement("ALTER TABLE t ALTER COLUMN a"), "error _LEGACY_ERROR_TEMP_0035");
  EXPECT_EQ(Statement("ALTER TABLE t CHANGE COLUMN a b INT"), "error _LEGACY_ERROR_TEMP_0034");
  EXPECT_EQ(Statement("ALTER TABLE t ALTER COLUMN a TYPE INT, a COMMENT 'x'"),
            "error NOT_SUPPORTED_CHANGE_SAME_COLUMN");
  EXPECT_EQ(Statement("ALTER TABLE t DROP COLUMNS (a, b.c)"), "AlterTable[t; #1 a b.c]");
  EXPECT_EQ(Statement("ALTER TABLE t REPLACE COLUMNS (a INT)"), "AlterTable[t; #4 (a int)]");
  EXPECT_EQ(Statement("ALTER TABLE t SET LOCATION 'x'"), "AlterTable[t; #7 location x]");
  EXPECT_EQ(Statement("ALTER TABLE t PARTITION (a = 1) SET LOCATION 'x'"),
            "AlterTable[t; #7 location x partition(a=int(1))]");
  EXPECT_EQ(Statement("ALTER TABLE t DROP PARTITION (a = 1), PARTITION (a = 2) PURGE"),
            "AlterTable[t; #17 partition(a=int(1)) partition(a=int(2))]");
  EXPECT_EQ(Statement("ALTER TABLE t PARTITION (a = 1) RENAME TO PARTITION (a = 2)"),
            "AlterTable[t; #18 partition(a=int(1)) partition(a=int(2))]");
  EXPECT_EQ(Statement("ALTER TABLE t RECOVER PARTITIONS"), "AlterTable[t; #19]");
  EXPECT_EQ(Statement("ALTER TABLE t DROP CONSTRAINT IF EXISTS c CASCADE"),
            "AlterTable[t; #21 if exists constraint c  ]");
  EXPECT_EQ(Statement("ALTER TABLE t ADD PARTITION FIELD years(ts)"), "AlterTable[t; #8 field years(ts)]");
  EXPECT_EQ(Statement("ALTER TABLE t WRITE ORDERED BY (a, b)"),
            "AlterTable[t; #11 order a asc nulls first order b asc nulls first]");
  EXPECT_EQ(Statement("ALTER TABLE t WRITE DISTRIBUTED BY PARTITION"), "AlterTable[t; #11 distributed]");
  EXPECT_EQ(Statement("ALTER TABLE t DROP IDENTIFIER FIELDS a"), "AlterTable[t; #13 a]");
  EXPECT_EQ(Statement("ALTER TABLE t CREATE BRANCH b"), "AlterTable[t; #14 branch b]");
  EXPECT_EQ(Statement("ALTER TABLE t REPLACE TAG x AS OF VERSION 5 RETAIN 30 MINUTES"),
            "AlterTable[t; #14 tag x replace snapshot 5 retain 1800000]");
  EXPECT_EQ(Statement("ALTER TABLE t DROP TAG x"), "AlterTable[t; #15 tag x]");
  EXPECT_EQ(Statement("ALTER TABLE t CREATE BRANCH b WITH SNAPSHOT RETENTION 5 SNAPSHOTS"),
            "AlterTable[t; #14 branch b keep 5]");
  EXPECT_EQ(Statement("ALTER TABLE t TOUCH"), "error INVALID_STATEMENT_OR_CLAUSE");
  EXPECT_EQ(Statement("ALTER TABLE t FOO"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("ALTER VIEW v RENAME TO w"), "RenameView[v to w]");
  EXPECT_EQ(Statement("ALTER VIEW v SET TBLPROPERTIES ('a' = 'b')"), "AlterView[v {a=b}](-)");
  EXPECT_EQ(Statement("ALTER DATABASE d SET DBPROPERTIES ('a' = 'b')"), "AlterNamespace[d {a=b}]");
  EXPECT_EQ(Statement("ALTER SCHEMA d SET LOCATION 'x'"), "AlterNamespace[d {} location x]");
  EXPECT_EQ(Statement("ALTER TABLE t UNSET TBLPROPERTIES ('a' = 'b')"), "error _LEGACY_ERROR_TEMP_0035");
}

}  // namespace
}  // namespace frazil::sql
