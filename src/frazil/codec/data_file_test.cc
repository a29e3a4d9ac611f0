#include "frazil/codec/data_file.h"

#include <arrow/api.h>
#include <arrow/c/bridge.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

#include "frazil/codec/arrow_types_internal.h"
#include "frazil/codec/avro_file.h"

namespace frazil::codec {
namespace {

class Memory : public ByteSource {
 public:
  explicit Memory(std::string bytes) : bytes_(std::move(bytes)) {}
  int64_t size() const override { return static_cast<int64_t>(bytes_.size()); }
  Status Read(int64_t offset, int64_t count, char* out) override {
    if (offset < 0 || count > size() - offset) return Error::Storage("behind the end");
    bytes_.copy(out, static_cast<size_t>(count), static_cast<size_t>(offset));
    return {};
  }

 private:
  std::string bytes_;
};

FileColumn Column(const std::string& name, const DataTypePtr& type, int32_t id) {
  FileColumn column;
  column.name = name;
  column.type = type;
  column.field_id = id;
  const auto add = [&](const std::string& child, const DataTypePtr& child_type) {
    column.children.push_back(
        Column(child, child_type, id < 0 ? -1 : id * 10 + static_cast<int32_t>(column.children.size())));
  };
  if (type->id() == TypeId::kArray) add("element", type->element_type());
  if (type->id() == TypeId::kMap) {
    add("key", type->key_type());
    add("value", type->value_type());
    column.children[0].nullable = false;
  }
  if (type->id() == TypeId::kStruct) {
    for (const auto& field : type->fields()) add(field.name, field.type);
  }
  return column;
}

std::vector<FileColumn> Columns(bool with_ids) {
  const std::vector<std::pair<std::string, DataTypePtr>> kinds = {
      {"b", DataType::Boolean()},
      {"i", DataType::Integer()},
      {"l", DataType::Long()},
      {"f", DataType::Float()},
      {"d", DataType::Double()},
      {"m", DataType::Decimal(20, 3)},
      {"day", DataType::Date()},
      {"at", DataType::Timestamp()},
      {"local", DataType::TimestampNtz()},
      {"s", DataType::String()},
      {"y", DataType::Binary()},
      {"list", DataType::Array(DataType::Integer())},
      {"map", DataType::Map(DataType::String(), DataType::Long())},
      {"row", DataType::Struct({{"x", DataType::Integer()}, {"y", DataType::Array(DataType::String())}})}};
  std::vector<FileColumn> columns;
  for (const auto& [name, type] : kinds)
    columns.push_back(Column(name, type, with_ids ? static_cast<int32_t>(columns.size()) + 1 : -1));
  return columns;
}

constexpr char kRows[] = R"json([
  [true, -7, 1099511627776, 1.5, -2.25, "-12345.678", -1, 86400000001, -1000000, "ü", "ab", [1, null, 3],
   [["k", 5], ["n", null]], {"x": 1, "y": ["q", null]}],
  [null, null, null, null, null, null, null, null, null, null, null, null, null, null],
  [false, 0, -1, 0.0, 0.0, "0.000", 0, 0, 0, "", "", [], [], {"x": null, "y": null}]])json";

std::shared_ptr<arrow::RecordBatch> Rows(const std::vector<FileColumn>& columns) {
  std::vector<StructField> fields;
  for (const auto& column : columns) fields.emplace_back(column.name, column.type, true);
  const auto schema = *ToArrowSchema(*DataType::Struct(std::move(fields)), "UTC");
  const auto array = arrow::json::ArrayFromJSONString(arrow::struct_(schema->fields()), kRows).ValueOrDie();
  return arrow::RecordBatch::FromStructArray(array).ValueOrDie();
}

std::string Written(bool is_orc, const std::vector<FileColumn>& columns, const DataFileOptions& options,
                    int times = 1) {
  std::string bytes;
  const ByteSink sink = [&](std::string_view more) -> Status {
    bytes += more;
    return {};
  };
  auto writer = is_orc ? MakeOrcWriter(columns, options, sink) : MakeAvroWriter(columns, options, sink);
  EXPECT_TRUE(writer.ok()) << writer.status().error().message;
  const auto rows = Rows(columns);
  for (int i = 0; i < times; ++i) {
    const Status status = (*writer)->Append(*ExportBatch(*rows));
    EXPECT_TRUE(status.ok()) << status.error().message;
  }
  EXPECT_TRUE((*writer)->Finish().ok());
  EXPECT_EQ((*writer)->bytes_written(), static_cast<int64_t>(bytes.size()));
  return bytes;
}

Result<std::unique_ptr<DataFileReader>> Opened(bool is_orc, std::string bytes) {
  auto source = std::make_shared<Memory>(std::move(bytes));
  return is_orc ? OpenOrcFile(source, "file") : OpenAvroFile(source, "file");
}

class DataFiles : public testing::TestWithParam<std::pair<bool, std::string>> {};

TEST_P(DataFiles, EveryTypeGoesAndComesBack) {
  for (const bool iceberg : {false, true}) {
    const auto columns = Columns(iceberg);
    DataFileOptions options;
    options.compression = GetParam().second;
    options.iceberg_layout = iceberg;
    auto file = Opened(GetParam().first, Written(GetParam().first, columns, options));
    ASSERT_TRUE(file.ok()) << file.status().error().message;
    std::vector<size_t> wanted;
    std::vector<StructField> fields;
    ASSERT_EQ((*file)->columns().size(), columns.size());
    for (size_t i = 0; i < columns.size(); ++i) {
      const auto& found = (*file)->columns()[i];
      EXPECT_EQ(found.name, columns[i].name);
      EXPECT_EQ(found.field_id, columns[i].field_id);
      ASSERT_EQ(found.children.size(), columns[i].children.size());
      for (size_t k = 0; k < found.children.size(); ++k)
        EXPECT_EQ(found.children[k].field_id, columns[i].children[k].field_id) << found.name;
      // Iceberg says which kind of timestamp it is, ORC of Iceberg by its own two types.
      const bool is_local = columns[i].type->id() == TypeId::kTimestampNtz && iceberg && GetParam().first;
      EXPECT_EQ(found.type->SimpleString(), is_local ? "timestamp" : columns[i].type->SimpleString());
      wanted.push_back(i);
      fields.emplace_back(found.name, found.type, true);
    }
    auto part = (*file)->NextPart(wanted);
    ASSERT_TRUE(part.ok() && *part != nullptr);
    EXPECT_EQ((*part)->first_row(), 0);
    ArrowBatch batch;
    auto more = (*part)->Next(&batch);
    ASSERT_TRUE(more.ok()) << more.status().error().message;
    ASSERT_TRUE(*more);
    const auto schema = *ToArrowSchema(*DataType::Struct(std::move(fields)), "UTC");
    const auto rows = arrow::ImportRecordBatch(batch.mutable_array(), schema).ValueOrDie();
    ASSERT_TRUE(rows->ValidateFull().ok());
    const auto expected = Rows(columns);
    for (int i = 0; i < rows->num_columns(); ++i) {
      auto data = rows->column(i)->data()->Copy();
      if (data->type->id() == arrow::Type::TIMESTAMP) data->type = expected->column(i)->type();
      EXPECT_TRUE(arrow::MakeArray(data)->Equals(expected->column(i)))
          << rows->column(i)->ToString() << expected->column(i)->ToString();
    }
    EXPECT_FALSE(*(*part)->Next(&batch));
    EXPECT_EQ(*(*file)->NextPart(wanted), nullptr);
    EXPECT_TRUE((*file)->at_end());
  }
}

TEST_P(DataFiles, PartsAndProjections) {
  const bool is_orc = GetParam().first;
  const auto columns = Columns(false);
  DataFileOptions options;
  options.compression = GetParam().second;
  options.stripe_bytes = 256 << 10;
  constexpr int kTimes = 6000;
  const std::string bytes = Written(is_orc, columns, options, kTimes);
  for (const std::vector<size_t>& wanted : {std::vector<size_t>{}, {1}, {2, 9}}) {
    auto file = Opened(is_orc, bytes);
    ASSERT_TRUE(file.ok());
    int64_t rows = 0, parts = 0;
    while (true) {
      auto part = (*file)->NextPart(wanted);
      ASSERT_TRUE(part.ok()) << part.status().error().message;
      if (*part == nullptr) break;
      EXPECT_EQ((*part)->first_row(), rows);
      ++parts;
      ArrowBatch batch;
      while (true) {
        auto more = (*part)->Next(&batch);
        ASSERT_TRUE(more.ok()) << more.status().error().message;
        if (!*more) break;
        EXPECT_EQ(batch.array().n_children, static_cast<int64_t>(wanted.size()));
        rows += batch.num_rows();
      }
    }
    EXPECT_EQ(rows, 3 * kTimes);
    EXPECT_TRUE(parts > 1 || bytes.size() < (1 << 20)) << parts;
  }
}

TEST_P(DataFiles, DamagedFilesAreErrors) {
  const bool is_orc = GetParam().first;
  DataFileOptions options;
  options.compression = GetParam().second;
  const std::string bytes = Written(is_orc, Columns(true), options);
  EXPECT_FALSE(Opened(is_orc, "").ok());
  EXPECT_FALSE(Opened(is_orc, "nothing of the kind").ok());
  for (size_t cut = 1; cut < bytes.size(); cut += 7) {
    auto file = Opened(is_orc, bytes.substr(0, bytes.size() - cut));
    if (!file.ok()) continue;
    auto part = (*file)->NextPart({0, 1});
    EXPECT_TRUE(!part.ok() || *part == nullptr);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, DataFiles,
                         testing::Values(std::pair(true, "zstd"), std::pair(true, "none"), std::pair(true, "snappy"),
                                         std::pair(true, "zlib"), std::pair(true, "lz4"), std::pair(false, "snappy"),
                                         std::pair(false, "deflate"), std::pair(false, "zstandard"),
                                         std::pair(false, "uncompressed")),
                         [](const auto& info) {
                           return std::string(info.param.first ? "Orc_" : "Avro_") + info.param.second;
                         });

TEST(DataFile, WhatAFormatCannotHoldIsRefusedByName) {
  const ByteSink sink = [](std::string_view) -> Status { return {}; };
  DataFileOptions options;
  options.compression = "brotli";
  for (const bool is_orc : {true, false}) {
    const auto writer = is_orc ? MakeOrcWriter({}, options, sink) : MakeAvroWriter({}, options, sink);
    EXPECT_EQ(writer.status().error().condition, "CODEC_NOT_AVAILABLE.WITH_AVAILABLE_CODECS_SUGGESTION");
  }
  options.compression = "none";
  EXPECT_FALSE(MakeOrcWriter({Column("c", DataType::CalendarInterval(), -1)}, options, sink).ok());
  EXPECT_FALSE(MakeAvroWriter({Column("c", DataType::Variant(), -1)}, options, sink).ok());
  EXPECT_FALSE(
      MakeAvroWriter({Column("c", DataType::Map(DataType::Integer(), DataType::Integer()), -1)}, options, sink).ok());
}

TEST(DataFile, TimestampsThatOrcWouldGarbleAreRefused) {
  const ByteSink sink = [](std::string_view) -> Status { return {}; };
  DataFileOptions options;
  options.compression = "none";
  const std::vector<FileColumn> columns = {Column("at", DataType::Timestamp(), -1)};
  const auto type = arrow::struct_({arrow::field("at", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"))});
  for (const auto& [text, fits] : {std::pair("[[-1000000]]", true), std::pair("[[-1]]", false)}) {
    auto writer = MakeOrcWriter(columns, options, sink);
    ASSERT_TRUE(writer.ok());
    const auto rows =
        arrow::RecordBatch::FromStructArray(arrow::json::ArrayFromJSONString(type, text).ValueOrDie()).ValueOrDie();
    EXPECT_EQ((*writer)->Append(*ExportBatch(*rows)).ok(), fits) << text;
  }
}

TEST(DataFile, AvroOfOtherWriters) {
  AvroFileWriter writer(R"json({"type":"record","name":"r","fields":[
    {"name":"u","type":{"type":"fixed","name":"id","size":16,"logicalType":"uuid"}},
    {"name":"e","type":{"type":"enum","name":"color","symbols":["red","blue"]}},
    {"name":"millis","type":{"type":"long","logicalType":"timestamp-millis"}},
    {"name":"pairs","type":{"type":"array","logicalType":"map","items":{"type":"record","name":"p","fields":[
      {"name":"key","type":"int"},{"name":"value","type":["string","null"]}]}}}]})json",
                        {}, "null");
  auto& encoder = writer.encoder();
  encoder.WriteRaw(std::string("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xAA\xBB\xCC\xDD\xEE\xFF", 16));
  encoder.WriteLong(1);
  encoder.WriteLong(-5);
  encoder.WriteLong(1);
  encoder.WriteLong(7);
  encoder.WriteLong(0);
  encoder.WriteBytes("seven");
  encoder.WriteLong(0);
  ASSERT_TRUE(writer.EndRecord().ok());
  auto file = Opened(false, *writer.Finish());
  ASSERT_TRUE(file.ok()) << file.status().error().message;
  EXPECT_EQ((*file)->columns()[3].type->SimpleString(), "map<int,string>");
  auto part = (*file)->NextPart({0, 1, 2, 3});
  ASSERT_TRUE(part.ok());
  ArrowBatch batch;
  ASSERT_TRUE(*(*part)->Next(&batch));
  const auto schema =
      *ToArrowSchema(*DataType::Struct({{"u", DataType::String()},
                                        {"e", DataType::String()},
                                        {"millis", DataType::Timestamp()},
                                        {"pairs", DataType::Map(DataType::Integer(), DataType::String())}}),
                     "UTC");
  const auto rows = arrow::ImportRecordBatch(batch.mutable_array(), schema).ValueOrDie();
  EXPECT_EQ(rows->column(0)->GetScalar(0).ValueOrDie()->ToString(), "00112233-4455-6677-8899-aabbccddeeff");
  EXPECT_EQ(rows->column(1)->GetScalar(0).ValueOrDie()->ToString(), "blue");
  EXPECT_EQ(static_cast<const arrow::TimestampArray&>(*rows->column(2)).Value(0), -5000);
  EXPECT_EQ(static_cast<const arrow::MapArray&>(*rows->column(3)).keys()->GetScalar(0).ValueOrDie()->ToString(), "7");
}

}  // namespace
}  // namespace frazil::codec
