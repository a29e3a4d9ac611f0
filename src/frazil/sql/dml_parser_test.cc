// INSERT, DELETE, UPDATE, MERGE, CALL, TRUNCATE.

#include <gtest/gtest.h>

#include "frazil/sql/parser_testing.h"

namespace frazil::sql {
namespace {

using testing::Statement;

TEST(DmlParser, ReadsStatements) {
  EXPECT_EQ(Statement("INSERT INTO t PARTITION (p = 1, q) (a, b) VALUES (1, DEFAULT)"),
            "Insert[t partition(p=int(1), q=-) a b](Values[(int(1), default)])");
  EXPECT_EQ(Statement("INSERT OVERWRITE TABLE t BY NAME SELECT 1 AS a"),
            "InsertOverwrite[t by name](Project[int(1) as a](OneRow))");
  EXPECT_EQ(Statement("INSERT INTO t REPLACE WHERE a > 1 SELECT 2"),
            "Insert[t replace where >(a, int(1))](Project[int(2)](OneRow))");
  EXPECT_EQ(Statement("WITH x AS (SELECT 1) DELETE FROM t WHERE a IN (SELECT b FROM x WHERE EXISTS (SELECT 2))"),
            "Delete[t where in(a){With[x = Project[int(1)](OneRow)](Project[b](Filter[exists{Project[int(2)](OneRow)}]("
            "Table[x])))}]");
  EXPECT_EQ(Statement("WITH x AS (SELECT 1) MERGE INTO t USING x AS s ON a = b WHEN MATCHED THEN DELETE"),
            "Merge[t  on ==(a, b); matched delete](As[s](With[x = Project[int(1)](OneRow)](Table[x])))");
  EXPECT_EQ(Statement("WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x"),
            "Insert[t](With[x = Project[int(1)](OneRow)](Project[*](Table[x])))");
  EXPECT_EQ(Statement("DELETE FROM t AS u WHERE u.a = 1"), "Delete[t u where ==(u.a, int(1))]");
  EXPECT_EQ(Statement("UPDATE t SET a = 1, b.c = DEFAULT WHERE d"), "Update[t a=int(1) b.c=default where d]");
  EXPECT_EQ(Statement("UPDATE t u SET a = 1"), "Update[t u a=int(1) where -]");
  EXPECT_EQ(Statement("MERGE INTO t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED AND s.x THEN DELETE WHEN "
                      "MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id) WHEN NOT MATCHED BY "
                      "SOURCE THEN UPDATE SET x = 1"),
            "Merge[t  on ==(t.id, s.id); matched delete if s.x; matched update *; not matched insert id=s.id; not "
            "matched by source update x=int(1)](As[s](Project[int(1) as id](OneRow)))");
  EXPECT_EQ(Statement("CALL c.system.rollback_to_snapshot(table => 'a.b', snapshot_id => 5L)"),
            "Call[c.system.rollback_to_snapshot table => string(a.b) snapshot_id => bigint(5)]");
  EXPECT_EQ(Statement("TRUNCATE TABLE t"), "Truncate[t]");
  EXPECT_EQ(Statement("INSERT OVERWRITE DIRECTORY '/x' USING parquet SELECT 1"),
            "InsertOverwrite[directory /x parquet](Project[int(1)](OneRow))");
  EXPECT_EQ(Statement("FROM t INSERT INTO u SELECT a WHERE b INSERT OVERWRITE v PARTITION (p = 1) SELECT c"),
            "Insert[u](Project[a](Filter[b](Table[t]))) InsertOverwrite[v partition(p=int(1))](Project[c](Table[t]))");
  EXPECT_EQ(Statement("WITH x AS (SELECT 1) FROM x INSERT INTO u SELECT *"),
            "Insert[u](With[x = Project[int(1)](OneRow)](Project[*](Table[x])))");
  EXPECT_EQ(Statement("FROM t INSERT INTO u VALUES (1)"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("INSERT INTO t IF NOT EXISTS SELECT 1"), "error _LEGACY_ERROR_TEMP_0035");
  EXPECT_EQ(Statement("INSERT INTO t (a) SELECT a FROM u"), "Insert[t a](Project[a](Table[u]))");
  EXPECT_EQ(Statement("INSERT INTO TABLE t (SELECT 1)"), "Insert[t](Project[int(1)](OneRow))");
  EXPECT_EQ(Statement("INSERT INTO t VALUES"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("INSERT INTO t PARTITION (a = 1, A = 2) SELECT 1"), "error DUPLICATE_KEY");
  EXPECT_EQ(Statement("INSERT INTO t SELECT DEFAULT, default FROM u"),
            "Insert[t](Project[default, default](Table[u]))");
  EXPECT_EQ(Statement("SELECT default"), "Project[default](OneRow)");
  EXPECT_EQ(Statement("DELETE FROM t u (a)"), "error COLUMN_ALIASES_NOT_ALLOWED");
  EXPECT_EQ(Statement("UPDATE t SET limit = 5"), "Update[t limit=int(5) where -]");
  EXPECT_EQ(Statement("UPDATE t set SET a.b = 5"), "Update[t set a.b=int(5) where -]");
  EXPECT_EQ(Statement("UPDATE t"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("UPDATE set SET a = 1"), "Update[set a=int(1) where -]");
  EXPECT_EQ(Statement("MERGE INTO t USING u ON a"), "error MERGE_WITHOUT_WHEN");
  EXPECT_EQ(Statement("MERGE INTO t x USING u y ON a WHEN MATCHED THEN DELETE WHEN MATCHED THEN DELETE"),
            "error NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION");
  EXPECT_EQ(Statement("MERGE INTO t USING u ON a WHEN NOT MATCHED THEN INSERT (a, b) VALUES (1)"),
            "error _LEGACY_ERROR_TEMP_0006");
  EXPECT_EQ(Statement("INSERT WITH SCHEMA EVOLUTION INTO t BY NAME TABLE u"), "Insert[t by name](Table[u])");
  EXPECT_EQ(Statement("INSERT INTO t WITH SCHEMA EVOLUTION TABLE u"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("MERGE WITH SCHEMA EVOLUTION INTO t USING u ON a WHEN NOT MATCHED BY TARGET THEN INSERT *"),
            "Merge[t  on a; not matched insert *](Table[u])");
  EXPECT_EQ(Statement("MERGE INTO t USING u ON a WHEN NOT MATCHED BY SOURCE THEN DELETE WHEN MATCHED THEN DELETE"),
            "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("CALL p()"), "Call[p]");
  EXPECT_EQ(Statement("CALL a.b(1, x => map(\"a\", 1))"), "Call[a.b int(1) x => map(string(a), int(1))]");
  EXPECT_EQ(Statement("TRUNCATE TABLE t PARTITION (a = 1)"), "Truncate[t partition(a=int(1))]");
  EXPECT_EQ(Statement("TRUNCATE TABLE t PARTITION (a)"), "error INVALID_SQL_SYNTAX.EMPTY_PARTITION_VALUE");
}

}  // namespace
}  // namespace frazil::sql
