#include <cstring>

#include <gtest/gtest.h>

#include "frazil/catalogs/hive/hive_columns.h"
#include "frazil/catalogs/hive/hive_entries.h"
#include "frazil/catalogs/hive/hive_metastore.h"
#include "frazil/catalogs/hive/hive_pointer.h"

namespace frazil::catalogs {
namespace {

Result<ThriftValue> Read(const std::string& bytes, ThriftType type = ThriftType::kStruct) {
  size_t position = 0;
  return ReadThrift(
      [&](char* out, size_t length) -> Status {
        if (bytes.size() - position < length) return Error::Storage("end");
        std::memcpy(out, bytes.data() + position, length);
        position += length;
        return {};
      },
      type);
}

TEST(Thrift, ReadsWhatItWrites) {
  ThriftValue value = ThriftValue::Struct({{int16_t{1}, ThriftValue::String("a\0b")},
                                           {int16_t{2}, ThriftValue::I32(-5)},
                                           {int16_t{3}, ThriftValue::I64(-1234567890123)},
                                           {int16_t{4}, ThriftValue::Bool(true)},
                                           {int16_t{5}, ThriftValue::StringMap({{"k", "v"}, {"l", ""}})},
                                           {int16_t{300}, ThriftValue::List(ThriftType::kStruct, {})}});
  value.fields[6] = ThriftValue::List(ThriftType::kStruct, {value});
  std::string bytes;
  WriteThrift(value, &bytes);
  auto read = Read(bytes);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->At(2).number, -5);
  EXPECT_EQ(read->At(3).number, -1234567890123);
  EXPECT_EQ(read->At(4).number, 1);
  EXPECT_EQ(read->At(5).ToStringMap(), (std::map<std::string, std::string>{{"k", "v"}, {"l", ""}}));
  EXPECT_EQ(read->At(6).items[0].At(1).text, value.At(1).text);
  EXPECT_EQ(read->At(7).type, ThriftType::kStop);
  std::string again;
  WriteThrift(*read, &again);
  EXPECT_EQ(again, bytes);
}

TEST(Thrift, WritesTheBinaryProtocol) {
  std::string bytes;
  WriteThrift(ThriftValue::Struct({{int16_t{1}, ThriftValue::String("ab")}, {int16_t{2}, ThriftValue::I32(258)}}),
              &bytes);
  EXPECT_EQ(bytes, std::string("\x0b\0\x01\0\0\0\x02"
                               "ab\x08\0\x02\0\0\x01\x02\0",
                               17));
}

TEST(Thrift, RefusesWhatCannotBe) {
  for (const std::string& bytes : {std::string("\x0b\0\x01\x7f\xff\xff\xff", 7),  // A text of two gigabytes.
                                   std::string("\x01\0\x01", 3),                  // No such type.
                                   std::string("\x0b\0\x01\0\0\0\x05"
                                               "ab",
                                               9)}) {
    EXPECT_FALSE(Read(bytes).ok());
  }
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += std::string("\x0c\0\x01", 3);
  EXPECT_FALSE(Read(deep).ok());
}

TEST(HiveMetastore, TakesItsAddresses) {
  EXPECT_TRUE(HiveMetastore::Make("thrift://a:9083, thrift://b:9083", 1000).ok());
  for (const char* bad : {"", "a:9083", "thrift://a", "thrift://:9083", "http://a:1"})
    EXPECT_FALSE(HiveMetastore::Make(bad, 1000).ok()) << bad;
}

TEST(HiveMetastore, SaysThatNobodyAnswers) {
  auto metastore = HiveMetastore::Make("thrift://127.0.0.1:1", 1000);
  ASSERT_TRUE(metastore.ok());
  auto answer = (*metastore)->GetAllDatabases();
  ASSERT_FALSE(answer.ok());
  EXPECT_NE(answer.error().message.find("127.0.0.1:1"), std::string::npos) << answer.error().message;
}

TEST(HiveTables, AreIcebergsByTheirParameters) {
  auto entry = [](std::map<std::string, std::string> parameters) {
    return ThriftValue::Struct({{hive::table::kParameters, ThriftValue::StringMap(parameters)}});
  };
  EXPECT_EQ(HiveMetadataLocation(entry({{"table_type", "iceberg"}, {"metadata_location", "m"}})), "m");
  EXPECT_EQ(HiveMetadataLocation(entry({{"table_type", "ICEBERG-VIEW"}, {"metadata_location", "m"}})), std::nullopt);
  EXPECT_EQ(HiveMetadataLocation(entry({{"EXTERNAL", "TRUE"}})), std::nullopt);
}

TEST(HiveTables, AreWrittenAsTheyWereRead) {
  ThriftValue entry = ThriftTableOf(HiveTable{"db", "t", "o", "MANAGED_TABLE", {}, {}, {{"k", "v"}}, "", ""}, {});
  entry.fields[99] = ThriftValue::String("unknown");
  HiveTable table = HiveTableOf(entry);
  EXPECT_EQ(table.database + table.name + table.owner + table.type, "dbtoMANAGED_TABLE");
  table.parameters["k"] = "w";
  table.storage.columns = {{"a", "int", "words"}};
  table.storage.bucket_count = 0;
  const ThriftValue changed = ThriftTableOf(table, entry);
  EXPECT_EQ(changed.At(99).text, "unknown");
  EXPECT_EQ(changed.At(hive::table::kParameters).ToStringMap().at("k"), "w");
  EXPECT_EQ(HiveTableOf(changed).storage.columns[0].comment, "words");
}

TEST(HiveTables, HaveTheColumnsOfTheCurrentSchema) {
  const auto columns = CurrentHiveColumns(nlohmann::json::parse(R"({"current-schema-id": 1, "schemas": [
      {"schema-id": 0, "fields": [{"id": 2, "name": "old", "type": "int"}]},
      {"schema-id": 1, "fields": [{"id": 1, "name": "a", "type": "long", "doc": "c"}]}]})"));
  ASSERT_EQ(columns.size(), 1u);
  EXPECT_EQ(columns[0].name + " " + columns[0].type + " " + columns[0].comment, "a bigint c");
}

}  // namespace
}  // namespace frazil::catalogs
