#include "frazil/codec/arrow_ipc.h"

#include <arrow/api.h>
#include <arrow/c/bridge.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/api.h>
#include <gtest/gtest.h>

namespace frazil::codec {
namespace {

template <typename Builder, typename... Values>
std::shared_ptr<arrow::Array> ArrayOf(Builder& builder, Values... values) {
  EXPECT_TRUE((builder.Append(values).ok() && ...));
  return builder.Finish().ValueOrDie();
}

std::string Stream(const std::shared_ptr<arrow::Schema>& schema, const arrow::ArrayVector& columns) {
  auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  auto writer = arrow::ipc::MakeStreamWriter(sink, schema).ValueOrDie();
  EXPECT_TRUE(writer->WriteRecordBatch(*arrow::RecordBatch::Make(schema, columns[0]->length(), columns)).ok());
  EXPECT_TRUE(writer->Close().ok());
  return sink->Finish().ValueOrDie()->ToString();
}

TEST(ArrowIpc, BringsLayoutsOfAClientToOurs) {
  arrow::LargeStringBuilder large;
  arrow::StringDictionaryBuilder dictionary;
  arrow::TimestampBuilder nanos(arrow::timestamp(arrow::TimeUnit::NANO, "Europe/Berlin"), arrow::default_memory_pool());
  arrow::UInt32Builder unsigned_numbers;
  arrow::ArrayVector columns = {ArrayOf(large, "a", "bc"), ArrayOf(dictionary, "x", "x"), ArrayOf(nanos, 1500, 2500),
                                ArrayOf(unsigned_numbers, 4000000000U, 1U)};
  auto schema = arrow::schema({arrow::field("s", columns[0]->type(), false), arrow::field("d", columns[1]->type()),
                               arrow::field("t", columns[2]->type()), arrow::field("u", columns[3]->type())});
  auto table = DecodeIpcStream(Stream(schema, columns));
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ((*table)->schema->SimpleString(), "struct<s:string,d:string,t:timestamp,u:bigint>");
  EXPECT_FALSE((*table)->schema->fields()[0].nullable);
  ASSERT_EQ((*table)->batches.size(), 1u);
  const ArrowArray& batch = (*table)->batches[0].array();
  EXPECT_EQ(batch.length, 2);
  const auto* offsets = static_cast<const int32_t*>(batch.children[0]->buffers[1]);
  EXPECT_EQ(offsets[2], 3);
  const auto* times = static_cast<const int64_t*>(batch.children[2]->buffers[1]);
  EXPECT_EQ(times[0], 1);
  EXPECT_EQ(times[1], 2);
  EXPECT_EQ(static_cast<const int64_t*>(batch.children[3]->buffers[1])[0], 4000000000LL);
}

TEST(ArrowIpc, EncodesWhatItDecodes) {
  arrow::Int32Builder numbers;
  arrow::ArrayVector columns = {ArrayOf(numbers, 1, 2)};
  auto table = DecodeIpcStream(Stream(arrow::schema({arrow::field("n", arrow::int32())}), columns));
  ASSERT_TRUE(table.ok());
  const auto schema = (*table)->schema;
  std::vector<ArrowBatch> batches = std::move((*table)->batches);
  for (const auto compression : {IpcCompression::kZstd, IpcCompression::kLz4}) {
    auto bytes = EncodeBatch(*schema, std::move(batches[0]), {.time_zone = "UTC", .compression = compression});
    ASSERT_TRUE(bytes.ok()) << bytes.error().message;
    auto again = DecodeIpcStream(*bytes);
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_TRUE((*again)->schema->Equals(*schema));
    ASSERT_EQ((*again)->batches.size(), 1u);
    batches = std::move((*again)->batches);
    EXPECT_EQ(batches[0].num_rows(), 2);
  }
}

TEST(ArrowIpc, SchemaAloneHasNoRows) {
  const auto schema = DataType::Struct(
      {{"t", DataType::Timestamp()}, {"m", DataType::Map(DataType::String(), DataType::Array(DataType::Long()))}});
  auto bytes = EncodeSchema(*schema, {.time_zone = "Europe/Berlin"});
  ASSERT_TRUE(bytes.ok());
  auto table = DecodeIpcStream(*bytes);
  ASSERT_TRUE(table.ok());
  for (const auto& batch : (*table)->batches) EXPECT_EQ(batch.num_rows(), 0);
  EXPECT_TRUE((*table)->schema->Equals(*schema));
}

TEST(ArrowIpc, MalformedBytesAreTheUsersError) {
  auto table = DecodeIpcStream("not a stream");
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().kind, ErrorKind::kUser);
}

}  // namespace
}  // namespace frazil::codec
