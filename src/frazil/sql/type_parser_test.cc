#include <gtest/gtest.h>

#include "frazil/sql/parser_testing.h"

namespace frazil::sql {
namespace {

using testing::Type;

TEST(TypeParser, ReadsTypes) {
  EXPECT_EQ(Type("int"), "int");
  EXPECT_EQ(Type("LONG"), "bigint");
  EXPECT_EQ(Type("decimal"), "decimal(10,0)");
  EXPECT_EQ(Type("numeric(5)"), "decimal(5,0)");
  EXPECT_EQ(Type("dec(5, 2)"), "decimal(5,2)");
  EXPECT_EQ(Type("char(3)"), "char(3)");
  EXPECT_EQ(Type("varchar(3)"), "varchar(3)");
  EXPECT_EQ(Type("timestamp"), "timestamp");
  EXPECT_EQ(Type("timestamp without time zone"), "timestamp_ntz");
  EXPECT_EQ(Type("time(3)"), "time(3)");
  EXPECT_EQ(Type("void"), "void");
  EXPECT_EQ(Type("variant"), "variant");
  EXPECT_EQ(Type("string collate unicode_ci"), "string collate unicode_ci");
  EXPECT_EQ(Type("string collate utf8_binary"), "string");
  EXPECT_EQ(Type("interval"), "interval");
  EXPECT_EQ(Type("interval year to month"), "interval year to month");
  EXPECT_EQ(Type("interval hour"), "interval hour");
  EXPECT_EQ(Type("array<map<string, array<int>>>"), "array<map<string,array<int>>>");
  EXPECT_EQ(Type("struct<a: int, b string not null comment 'x'>"), "struct<a:int,b:string>");
  EXPECT_EQ(Type("struct<>"), "struct<>");
  EXPECT_EQ(Type("array<array<array<int>>>"), "array<array<array<int>>>");
}

TEST(TypeParser, RefusesBadTypes) {
  EXPECT_EQ(Type("foo"), "error UNSUPPORTED_DATATYPE");
  EXPECT_EQ(Type("char"), "error DATATYPE_MISSING_SIZE");
  EXPECT_EQ(Type("array"), "error INCOMPLETE_TYPE_DEFINITION.ARRAY");
  EXPECT_EQ(Type("map"), "error INCOMPLETE_TYPE_DEFINITION.MAP");
  EXPECT_EQ(Type("struct"), "error INCOMPLETE_TYPE_DEFINITION.STRUCT");
  EXPECT_EQ(Type("decimal(39)"), "error DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION");
  EXPECT_EQ(Type("decimal(2, 3)"), "error _LEGACY_ERROR_TEMP_1228");
  EXPECT_EQ(Type("interval month to day"), "error INVALID_INTERVAL_FORMAT.UNSUPPORTED_FROM_TO_EXPRESSION");
  EXPECT_EQ(Type("time(7)"), "error UNSUPPORTED_TIME_PRECISION");
  EXPECT_EQ(Type("int int"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Type("array<int"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Type(""), "error PARSE_EMPTY_STATEMENT");
}

TEST(TypeParser, FollowsTheSessionsTimestampType) {
  ParserOptions options;
  options.timestamp_ntz_default = true;
  EXPECT_EQ(Type("timestamp", options), "timestamp_ntz");
  EXPECT_EQ(Type("timestamp_ltz", options), "timestamp");
}

TEST(TypeParser, ReadsColumns) {
  const auto schema = ParseTableSchema("a INT NOT NULL COMMENT 'key', `b c` ARRAY<STRING>");
  ASSERT_TRUE(schema.ok());
  const std::vector<StructField>& fields = (*schema)->fields();
  ASSERT_EQ(fields.size(), 2U);
  EXPECT_FALSE(fields[0].nullable);
  EXPECT_EQ(fields[0].Comment(), "key");
  EXPECT_EQ(fields[1].name, "b c");
  EXPECT_TRUE(fields[1].nullable);
  EXPECT_FALSE(ParseTableSchema("a: INT").ok());
  EXPECT_EQ((*ParseSchemaOrDataType("a INT, b STRING"))->SimpleString(), "struct<a:int,b:string>");
  EXPECT_EQ((*ParseSchemaOrDataType("array<int>"))->SimpleString(), "array<int>");
  EXPECT_EQ((*ParseSchemaOrDataType("a: int, b: string"))->SimpleString(), "struct<a:int,b:string>");
  EXPECT_FALSE(ParseSchemaOrDataType("a b c").ok());
}

}  // namespace
}  // namespace frazil::sql
