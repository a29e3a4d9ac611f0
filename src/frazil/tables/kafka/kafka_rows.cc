#include "frazil/tables/kafka/kafka_rows.h"

#include <string_view>

#include "frazil/tables/kafka/kafka_reader.h"

namespace frazil::tables {
namespace {

constexpr int64_t kBatchRows = 65'536;
constexpr int64_t kBatchBytes = int64_t{64} << 20;  // Far below what 32-bit offsets can tell.
constexpr int64_t kMicrosOfMilli = 1000;

/// What a call of librdkafka gives as a pointer and a size; null stays NULL.
void AppendBytes(const void* bytes, size_t size, ArrowColumnBuilder* column) {
  if (bytes == nullptr) return column->AppendNull();
  column->Append(std::string_view(static_cast<const char*>(bytes), size));
}

}  // namespace

DataTypePtr KafkaSchema(bool include_headers) {
  std::vector<StructField> fields = {
      {"key", DataType::Binary(), true},           {"value", DataType::Binary(), true},
      {"topic", DataType::String(), true},         {"partition", DataType::Integer(), true},
      {"offset", DataType::Long(), true},          {"timestamp", DataType::Timestamp(), true},
      {"timestampType", DataType::Integer(), true}};
  if (include_headers) fields.emplace_back("headers", KafkaHeadersType(), true);
  return DataType::Struct(std::move(fields));
}

const DataTypePtr& KafkaHeadersType() {
  static const DataTypePtr kType =
      DataType::Array(DataType::Struct({{"key", DataType::String(), true}, {"value", DataType::Binary(), true}}), true);
  return kType;
}

KafkaRows::KafkaRows(bool include_headers)
    : include_headers_(include_headers), table_(std::make_shared<ArrowTable>()), rows_(KafkaSchema(include_headers)) {
  table_->schema = KafkaSchema(include_headers);
}

void KafkaRows::AppendHeaders(const rd_kafka_message_t& record, ArrowColumnBuilder* headers) {
  rd_kafka_headers_t* list = nullptr;
  if (rd_kafka_message_headers(&record, &list) != RD_KAFKA_RESP_ERR_NO_ERROR || list == nullptr)
    return headers->AppendNull();
  ArrowColumnBuilder& header = headers->Child(0);
  const char* name = nullptr;
  const void* value = nullptr;
  size_t size = 0;
  for (size_t i = 0; rd_kafka_header_get_all(list, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR; ++i) {
    header.Child(0).Append(std::string_view(name));
    AppendBytes(value, size, &header.Child(1));
    header.EndRow();
    bytes_ += static_cast<int64_t>(size);
  }
  headers->EndRow();
}

void KafkaRows::Append(const rd_kafka_message_t& record, const TopicPartition& partition) {
  size_t column = 0;
  AppendBytes(record.key, record.key_len, &rows_.Child(column++));
  AppendBytes(record.payload, record.len, &rows_.Child(column++));
  rows_.Child(column++).Append(std::string_view(partition.topic));
  rows_.Child(column++).Append(int64_t{partition.partition});
  rows_.Child(column++).Append(record.offset);
  auto kind = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
  rows_.Child(column++).Append(rd_kafka_message_timestamp(&record, &kind) * kMicrosOfMilli);
  // None is -1, that of the producer 0, that of the broker 1.
  rows_.Child(column++).Append(static_cast<int64_t>(kind) - 1);
  if (include_headers_) AppendHeaders(record, &rows_.Child(column++));
  rows_.EndRow();
  bytes_ += static_cast<int64_t>(record.key_len + record.len);
  if (rows_.length() >= kBatchRows || bytes_ >= kBatchBytes) EndBatch();
}

void KafkaRows::EndBatch() {
  table_->batches.push_back(rows_.FinishBatch());
  rows_ = ArrowColumnBuilder(table_->schema);
  bytes_ = 0;
}

ArrowTablePtr KafkaRows::Finish() {
  if (rows_.length() > 0) EndBatch();
  return std::move(table_);
}

}  // namespace frazil::tables
