#include <gtest/gtest.h>

#include "frazil/storage/memory/memory_store.h"
#include "frazil/tables/delta/actions.h"
#include "frazil/tables/delta/deletion_vectors.h"
#include "frazil/tables/delta/file_statistics.h"
#include "frazil/tables/delta/partition_values.h"
#include "frazil/tables/delta/paths.h"

namespace frazil::tables::delta {
namespace {

TEST(PartitionValues, EachTypeComesBack) {
  const auto same = [](const DataTypePtr& type, const Value& value, const std::string& text) {
    auto written = WritePartitionValue(*type, value);
    ASSERT_TRUE(written.has_value()) << type->Sql();
    EXPECT_EQ(*written, text);
    auto read = ReadPartitionValue(written, *type, *TimeZone::Utc());
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(*read, value) << type->Sql();
  };
  same(DataType::Integer(), Value(int64_t{-5}), "-5");
  same(DataType::Long(), Value(INT64_MIN), "-9223372036854775808");
  same(DataType::Boolean(), Value(true), "true");
  same(DataType::Double(), Value(1.5), "1.5");
  same(DataType::Float(), Value(0.1f), "0.1");
  same(DataType::Decimal(10, 2), Value(Decimal128{-1250}), "-12.50");
  same(DataType::String(), Value("a b/c=%"), "a b/c=%");
  same(DataType::Binary(), Value(std::string("\x00\x7f\xff", 3)), std::string("\x00\x7f\xc3\xbf", 4));
  same(DataType::Date(), Value(int64_t{19753}), "2024-01-31");
  same(DataType::Timestamp(), Value(INT64_C(1706702400000001)), "2024-01-31T12:00:00.000001Z");
  same(DataType::TimestampNtz(), Value(INT64_C(1706702400500000)), "2024-01-31 12:00:00.5");
}

TEST(PartitionValues, NullsAndForeignForms) {
  EXPECT_FALSE(WritePartitionValue(*DataType::String(), Value("")).has_value());
  EXPECT_FALSE(WritePartitionValue(*DataType::Long(), Value()).has_value());
  EXPECT_TRUE(ReadPartitionValue(std::nullopt, *DataType::Long(), *TimeZone::Utc())->is_null());
  EXPECT_TRUE(ReadPartitionValue(std::string(), *DataType::String(), *TimeZone::Utc())->is_null());
  // A timestamp without a zone is the session's.
  auto zone = TimeZone::Find("+02:00");
  EXPECT_EQ(ReadPartitionValue(std::string("1970-01-01 02:00:00"), *DataType::Timestamp(), **zone)->integer(), 0);
  EXPECT_FALSE(ReadPartitionValue(std::string("x"), *DataType::Long(), *TimeZone::Utc()).ok());
  EXPECT_FALSE(ReadPartitionValue(std::string("300"), *DataType::Byte(), *TimeZone::Utc()).ok());
}

TEST(Paths, AreUris) {
  EXPECT_EQ(FilePathOf("/t", "c=a%20b/x%2525.parquet"), "/t/c=a b/x%25.parquet");
  EXPECT_EQ(FilePathOf("/t", "file:///other/x.parquet"), "/other/x.parquet");
  EXPECT_EQ(LogPathOf("/t", "/t/c=a b/x%3A.parquet"), "c=a%20b/x%253A.parquet");
  EXPECT_EQ(FilePathOf("/t", LogPathOf("/t", "/t/ü#?[].parquet")), "/t/ü#?[].parquet");
}

WrittenFile Written(int32_t id, Value lower, Value upper) {
  WrittenFile file;
  file.record_count = 3;
  file.columns[id].null_count = 1;
  file.columns[id].lower = std::move(lower);
  file.columns[id].upper = std::move(upper);
  return file;
}

std::string StatisticsOf(const DataTypePtr& type, Value lower, Value upper) {
  auto columns = ToScanColumns(*DataType::Struct({{"c", type}}), ColumnMapping::kNone);
  NumberLeaves(&columns);
  return StatisticsText(Written(1, std::move(lower), std::move(upper)), columns, {}, 32);
}

TEST(FileStatistics, BoundsStayBounds) {
  EXPECT_EQ(StatisticsOf(DataType::Long(), Value(int64_t{1}), Value(int64_t{9})),
            R"({"numRecords":3,"minValues":{"c":1},"maxValues":{"c":9},"nullCount":{"c":1}})");
  std::string longer(40, 'x');
  EXPECT_EQ(StatisticsOf(DataType::String(), Value(longer), Value(longer)),
            R"({"numRecords":3,"minValues":{"c":")" + std::string(32, 'x') + R"("},"maxValues":{"c":")" +
                std::string(32, 'x') + "\xF4\x8F\xBF\xBF" + R"("},"nullCount":{"c":1}})");
  // Milliseconds, the greater one rounded up.
  EXPECT_EQ(
      StatisticsOf(DataType::Timestamp(), Value(int64_t{1001}), Value(int64_t{2001})),
      R"({"numRecords":3,"minValues":{"c":"1970-01-01T00:00:00.001Z"},"maxValues":{"c":"1970-01-01T00:00:00.003Z"},"nullCount":{"c":1}})");
  EXPECT_EQ(StatisticsOf(DataType::Boolean(), Value(false), Value(true)),
            R"({"numRecords":3,"minValues":{},"maxValues":{},"nullCount":{"c":1}})");
}

TEST(FileStatistics, NestedColumnsAndTheirNumber) {
  auto columns =
      ToScanColumns(*DataType::Struct({{"s", DataType::Struct({{"a", DataType::Long()}, {"b", DataType::Long()}})},
                                       {"z", DataType::Long()}}),
                    ColumnMapping::kNone);
  NumberLeaves(&columns);
  WrittenFile file = Written(2, Value(int64_t{1}), Value(int64_t{2}));
  file.columns[3] = file.columns[2];
  EXPECT_EQ(
      StatisticsText(file, columns, {}, 32),
      R"({"numRecords":3,"minValues":{"s":{"b":1},"z":1},"maxValues":{"s":{"b":2},"z":2},"nullCount":{"s":{"b":1},"z":1}})");
  EXPECT_EQ(StatisticsText(file, columns, {}, 2),
            R"({"numRecords":3,"minValues":{"s":{"b":1}},"maxValues":{"s":{"b":2}},"nullCount":{"s":{"b":1}}})");
}

TEST(FileStatistics, AreReadAgain) {
  auto stats = ParseJson(
      R"({"numRecords":5,"minValues":{"d":1.10,"t":"2024-01-31T00:00:00.000Z","s":{"a":1}},"maxValues":{"d":9.99,"t":"2024-01-31T00:00:00.001Z"},"nullCount":{"d":2}})");
  ASSERT_TRUE(stats.ok());
  auto decimal = BoundsOf(*stats, {"d"}, *DataType::Decimal(5, 2));
  ASSERT_TRUE(decimal.has_value());
  EXPECT_EQ(decimal->lower->decimal(), 110);
  EXPECT_EQ(decimal->upper->decimal(), 999);
  EXPECT_EQ(decimal->null_count, 2);
  EXPECT_EQ(decimal->value_count, 5);
  auto time = BoundsOf(*stats, {"t"}, *DataType::Timestamp());
  EXPECT_EQ(time->upper->integer(), INT64_C(1706659200001999));
  EXPECT_EQ(BoundsOf(*stats, {"s", "a"}, *DataType::Long())->lower->integer(), 1);
  EXPECT_FALSE(BoundsOf(*stats, {"none"}, *DataType::Long()).has_value());
}

TEST(FileStatistics, OneColumnIsReadAsFromAll) {
  const char* texts[] = {
      R"({"numRecords":5,"minValues":{"a":"x\",}{","s":{"b":-1,"c":[1,{"b":7}]}},"maxValues":{"s":{"b":8}},"nullCount":{"s":{"b":2},"a":0}})",
      R"({"maxValues":{"s":{"b":8}},"numRecords":5,"tightBounds":false,"minValues":{}})",
      R"({ "numRecords" : 5, "minValues" : {"s":{"b":-1}}, "maxValues":{"s" : {"b":8}} })",
      R"({"numRecords":5,"minValues":{"s":{"\u0062":-1}},"nullCount":{"s":{"b":5}}})",
      R"({"numRecords":5,"minValues":{"s":null},"maxValues":{"s":{"b":null}},"nullCount":{"s":{"b":5}}})",
      R"({})",
      "no statistics",
      ""};
  for (const char* text : texts) {
    for (const auto& path : {std::vector<std::string>{"s", "b"}, {"s"}, {"a"}, {"none", "b"}}) {
      const auto& type = path[0] == "a" ? DataType::String() : DataType::Long();
      auto whole = ParseJson(text);
      auto expected = whole.ok() ? BoundsOf(*whole, path, *type) : std::nullopt;
      auto found = BoundsCache().Find(text, path, *type);
      ASSERT_EQ(found.has_value(), expected.has_value()) << text << " " << path.back();
      if (!found) continue;
      const auto shown = [&](const std::optional<Value>& value) {
        return value ? ValueToString(*type, *value) : "none";
      };
      EXPECT_EQ(shown(found->lower), shown(expected->lower)) << text;
      EXPECT_EQ(shown(found->upper), shown(expected->upper)) << text;
      EXPECT_EQ(found->null_count, expected->null_count) << text;
      EXPECT_EQ(found->value_count, expected->value_count) << text;
    }
  }
}

TEST(DeletionVectors, InlineOnes) {
  // As Delta writes it: the deleted rows are 3, 4, 7, 11, 18 and 29.
  DeletionVectorDescriptor descriptor{"i", "^Bg9^0rr910000000000iXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L", std::nullopt, 44,
                                      6};
  storage::MemoryStore empty;
  auto positions = ReadDeletionVector(empty, "/t", descriptor);
  ASSERT_TRUE(positions.ok()) << positions.error().message;
  EXPECT_EQ(**positions, (std::vector<int64_t>{3, 4, 7, 11, 18, 29}));
  descriptor.cardinality = 5;
  EXPECT_EQ(ReadDeletionVector(empty, "/t", descriptor).error().condition,
            "DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH");
}

TEST(DeletionVectors, FilesAreNamedByTheirUuid) {
  // The example of PROTOCOL.md.
  DeletionVectorDescriptor descriptor{"u", "ab^-aqEH.-t@S}K{vb[*k^", 4, 40, 6};
  auto path = DeletionVectorPath("/t", descriptor);
  ASSERT_TRUE(path.ok());
  EXPECT_EQ(*path, "/t/ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin");
  EXPECT_EQ(*DecodeBase85(EncodeBase85("12345678")), "12345678");
}

TEST(Actions, LinesComeBack) {
  for (
      const char* line :
      {R"({"add":{"path":"a","partitionValues":{"p":null,"q":"1"},"size":1,"modificationTime":2,"dataChange":false,"stats":"{\"numRecords\":4}","tags":{"k":"v"}}})",
       R"({"remove":{"path":"a","deletionTimestamp":3,"dataChange":true,"extendedFileMetadata":true,"partitionValues":{},"size":9}})",
       R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors"]}})",
       R"({"metaData":{"id":"i","name":"n","format":{"provider":"parquet","options":{}},"schemaString":"{}","partitionColumns":["p"],"configuration":{"a":"b"},"createdTime":5}})",
       R"({"txn":{"appId":"x","version":3,"lastUpdated":4}})",
       R"({"domainMetadata":{"domain":"d","configuration":"c","removed":true}})"}) {
    auto action = ParseAction(line);
    ASSERT_TRUE(action.ok() && action->has_value()) << line;
    EXPECT_EQ(WriteAction(**action), line);
  }
  EXPECT_FALSE(ParseAction(R"({"somethingNew":{}})")->has_value());
  EXPECT_FALSE(ParseCommit("{\"add\":", "0.json").ok());
}

}  // namespace
}  // namespace frazil::tables::delta
