#include "frazil/types/data_type.h"

#include <gtest/gtest.h>

#include "frazil/base/text.h"

namespace frazil {
namespace {

DataTypePtr NestedType() {
  StructField id("id", DataType::Long(), false);
  id.SetComment("it's \"the\" id");
  return DataType::Struct({
      id,
      StructField("na me", DataType::Array(DataType::Map(DataType::String(), DataType::Decimal(10, 2), false), true)),
      StructField("s", DataType::Struct({StructField("x", DataType::Byte()), StructField("1y", DataType::Date())})),
  });
}

TEST(DataTypeTest, Texts) {
  struct Case {
    DataTypePtr type;
    std::string simple, sql, name;
  };
  using enum IntervalField;
  const Case cases[] = {
      {DataType::Null(), "void", "VOID", "void"},
      {DataType::Byte(), "tinyint", "TINYINT", "byte"},
      {DataType::Short(), "smallint", "SMALLINT", "short"},
      {DataType::Integer(), "int", "INT", "integer"},
      {DataType::Long(), "bigint", "BIGINT", "long"},
      {DataType::Decimal(10, 2), "decimal(10,2)", "DECIMAL(10,2)", "decimal(10,2)"},
      {DataType::String(), "string", "STRING", "string"},
      {DataType::StringWithCollation("UTF8_LCASE"), "string collate UTF8_LCASE", "STRING COLLATE UTF8_LCASE",
       "string collate UTF8_LCASE"},
      {DataType::Char(3), "char(3)", "CHAR(3)", "char(3)"},
      {DataType::Varchar(3), "varchar(3)", "VARCHAR(3)", "varchar(3)"},
      {DataType::TimestampNtz(), "timestamp_ntz", "TIMESTAMP_NTZ", "timestamp_ntz"},
      {DataType::Time(3), "time(3)", "TIME(3)", "time(3)"},
      {DataType::CalendarInterval(), "interval", "INTERVAL", "interval"},
      {DataType::YearMonthInterval(), "interval year to month", "INTERVAL YEAR TO MONTH", "interval year to month"},
      {DataType::DayTimeInterval(kHour, kHour), "interval hour", "INTERVAL HOUR", "interval hour"},
      {DataType::Geometry(-1), "geometry(any)", "GEOMETRY(ANY)", "geometry(any)"},
      {DataType::Geography(4326), "geography(4326)", "GEOGRAPHY(4326)", "geography(4326)"},
      {DataType::Variant(), "variant", "VARIANT", "variant"},
      {NestedType(), "struct<id:bigint,na me:array<map<string,decimal(10,2)>>,s:struct<x:tinyint,1y:date>>",
       "STRUCT<id: BIGINT NOT NULL COMMENT 'it\\'s \"the\" id', `na me`: ARRAY<MAP<STRING, DECIMAL(10,2)>>, s: "
       "STRUCT<x: TINYINT, `1y`: DATE>>",
       "struct"},
  };
  for (const auto& [type, simple, sql, name] : cases) {
    EXPECT_EQ(type->SimpleString(), simple);
    EXPECT_EQ(type->Sql(), sql);
    EXPECT_EQ(type->TypeName(), name);
  }
}

TEST(DataTypeTest, JsonOfNestedType) {
  std::string expected =
      "{'type':'struct','fields':[{'name':'id','type':'long','nullable':false,'metadata':{'comment':'COMMENT'}},"
      "{'name':'na me','type':{'type':'array','elementType':{'type':'map','keyType':'string','valueType':"
      "'decimal(10,2)','valueContainsNull':false},'containsNull':true},'nullable':true,'metadata':{}},"
      "{'name':'s','type':{'type':'struct','fields':[{'name':'x','type':'byte','nullable':true,'metadata':{}},"
      "{'name':'1y','type':'date','nullable':true,'metadata':{}}]},'nullable':true,'metadata':{}}]}";
  expected = ReplaceAll(ReplaceAll(expected, "'", "\""), "COMMENT", "it's \\\"the\\\" id");
  EXPECT_EQ(NestedType()->Json(), expected);
}

TEST(DataTypeTest, JsonRoundTrip) {
  using enum IntervalField;
  for (const auto& type : std::vector<DataTypePtr>{DataType::Null(),
                                                   DataType::Boolean(),
                                                   DataType::Float(),
                                                   DataType::Double(),
                                                   DataType::Binary(),
                                                   DataType::Timestamp(),
                                                   DataType::TimestampNtz(),
                                                   DataType::CalendarInterval(),
                                                   DataType::Variant(),
                                                   DataType::Time(0),
                                                   DataType::Time(6),
                                                   DataType::DayTimeInterval(kMinute, kSecond),
                                                   DataType::YearMonthInterval(kMonth, kMonth),
                                                   DataType::Char(7),
                                                   DataType::Varchar(9),
                                                   DataType::Decimal(38, 38),
                                                   DataType::Geometry(4326),
                                                   DataType::Geometry(-1),
                                                   DataType::Geography(4326),
                                                   DataType::Geometry(3857),
                                                   DataType::StringWithCollation("UNICODE_CI"),
                                                   NestedType()}) {
    const auto parsed = DataType::FromJson(type->Json());
    ASSERT_TRUE(parsed.ok()) << type->Json();
    EXPECT_TRUE((*parsed)->Equals(*type)) << type->Json();
  }
  EXPECT_EQ((*DataType::FromJson(NestedType()->Json()))->fields()[0].Comment(), "it's \"the\" id");
}

TEST(DataTypeTest, CollationsStandInTheMetadataOfFields) {
  const auto type =
      DataType::Struct({StructField("a", DataType::Map(DataType::StringWithCollation("UTF8_LCASE"),
                                                       DataType::Array(DataType::StringWithCollation("UNICODE"))))});
  const std::string json = type->Json();
  EXPECT_NE(json.find(R"("metadata":{"__COLLATIONS":{"a.key":"spark.UTF8_LCASE","a.value.element":"icu.UNICODE"}})"),
            std::string::npos)
      << json;
  EXPECT_EQ(json.find("collate"), std::string::npos);
  const auto parsed = DataType::FromJson(json);
  ASSERT_TRUE(parsed.ok());
  EXPECT_TRUE((*parsed)->Equals(*type));
  EXPECT_TRUE((*parsed)->fields()[0].metadata.empty());
}

TEST(DataTypeTest, JsonOfOlderWriters) {
  EXPECT_EQ((*DataType::FromJson("\"null\""))->id(), TypeId::kNull);
  EXPECT_EQ((*DataType::FromJson("\"timestamp_ltz\""))->id(), TypeId::kTimestamp);
  EXPECT_EQ((*DataType::FromJson("\"decimal\""))->precision(), 10);
  EXPECT_EQ((*DataType::FromJson("\"decimal( 5 , 2 )\""))->scale(), 2);
  const auto bare = DataType::FromJson(R"({"type":"struct","fields":[{"name":"a","type":"integer"}]})");
  ASSERT_TRUE(bare.ok());
  EXPECT_TRUE((*bare)->fields()[0].nullable);
}

TEST(DataTypeTest, BadJsonIsRefused) {
  for (
      const std::string_view json :
      {"", "\"int\"", "\"decimal(39,1)\"", "\"decimal(1,2)\"", "\"char(x)\"", "{}", "[]",
       R"({"type":"array","elementType":"integer"})", R"({"type":"struct","fields":[{"type":"integer"}]})",
       R"({"type":"map","keyType":"integer","valueType":"integer"})", "\"geometry(foo)\"",
       R"({"type":"struct","fields":[{"name":"a","type":"integer","metadata":{"__COLLATIONS":{"a":"icu.UNICODE"}}}]})"}) {
    EXPECT_FALSE(DataType::FromJson(json).ok()) << json;
  }
  EXPECT_EQ(DataType::FromJson("\"foo\"").error().condition, "INVALID_JSON_DATA_TYPE");
}

TEST(DataTypeTest, Tree) {
  EXPECT_EQ(SchemaTreeString(*NestedType()),
            "root\n"
            " |-- id: long (nullable = false)\n"
            " |-- na me: array (nullable = true)\n"
            " |    |-- element: map (containsNull = true)\n"
            " |    |    |-- key: string\n"
            " |    |    |-- value: decimal(10,2) (valueContainsNull = false)\n"
            " |-- s: struct (nullable = true)\n"
            " |    |-- x: byte (nullable = true)\n"
            " |    |-- 1y: date (nullable = true)\n");
  EXPECT_EQ(SchemaTreeString(*NestedType(), 1),
            "root\n"
            " |-- id: long (nullable = false)\n"
            " |-- na me: array (nullable = true)\n"
            " |-- s: struct (nullable = true)\n");
}

TEST(DataTypeTest, Equality) {
  const auto nullable = DataType::Array(DataType::Integer(), true);
  const auto required = DataType::Array(DataType::Integer(), false);
  EXPECT_FALSE(nullable->Equals(*required));
  EXPECT_TRUE(nullable->EqualsIgnoreNullability(*required));
  EXPECT_FALSE(DataType::Char(3)->Equals(*DataType::Varchar(3)));
  EXPECT_FALSE(DataType::Decimal(10, 2)->Equals(*DataType::Decimal(10, 3)));
  EXPECT_FALSE(DataType::String()->Equals(*DataType::StringWithCollation("UNICODE")));
  EXPECT_TRUE(DataType::String()->Equals(*DataType::StringWithCollation("utf8_binary")));
  EXPECT_FALSE(DataType::Struct({StructField("a", DataType::Integer())})
                   ->Equals(*DataType::Struct({StructField("b", DataType::Integer())})));
}

TEST(DataTypeTest, FieldIndex) {
  const auto type = DataType::Struct({StructField("A", DataType::Integer()), StructField("b", DataType::Integer())});
  EXPECT_EQ(type->FieldIndex("a"), 0);
  EXPECT_EQ(type->FieldIndex("a", true), -1);
  EXPECT_EQ(type->FieldIndex("c"), -1);
}

}  // namespace
}  // namespace frazil
