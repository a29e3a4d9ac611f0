#include "frazil/engine/write_batches.h"

#include <algorithm>

#include "frazil/base/integer_text.h"
#include "frazil/engine/data_files.h"
#include "frazil/engine/functions/kernel_error.h"
#include "frazil/engine/type_mapping.h"
#include "frazil/storage/object_store.h"

namespace frazil::engine {
namespace {

constexpr int64_t kBatchRows = 16384;
constexpr int64_t kStripeBytes = 64 << 20;  // Iceberg's and ORC's own default.

codec::FileColumn FileColumnOf(const tables::ScanColumn& column);

// A part of a type of which the table says no more.
codec::FileColumn FileColumnOf(const tables::ScanColumn* known, const std::string& name, const DataTypePtr& type,
                               bool nullable) {
  if (known != nullptr) {
    auto result = FileColumnOf(*known);
    result.name = name;
    return result;
  }
  tables::ScanColumn column;
  column.name = name;
  column.type = type;
  column.nullable = nullable;
  return FileColumnOf(column);
}

codec::FileColumn FileColumnOf(const tables::ScanColumn& column) {
  codec::FileColumn result;
  result.name = column.name;
  result.type = column.type;
  result.nullable = column.nullable;
  result.field_id = column.field_id;
  const DataType& type = *column.type;
  const auto add = [&](const std::string& name, const DataTypePtr& child, bool nullable) {
    const size_t i = result.children.size();
    result.children.push_back(
        FileColumnOf(i < column.children.size() ? &column.children[i] : nullptr, name, child, nullable));
  };
  if (type.id() == TypeId::kArray) add("element", type.element_type(), type.contains_null());
  if (type.id() == TypeId::kMap) {
    add("key", type.key_type(), false);
    add("value", type.value_type(), type.value_contains_null());
  }
  if (type.id() == TypeId::kStruct) {
    for (const auto& field : type.fields()) add(field.name, field.type, field.nullable);
  }
  return result;
}

}  // namespace

BatchLayout BatchLayoutOf(const tables::WriteTask& task) {
  BatchLayout layout;
  layout.format = task.format;
  layout.options.compression = task.compression;
  layout.options.iceberg_layout = task.write_field_ids && !task.columns.empty() && task.columns[0].field_id >= 0;
  layout.target_file_bytes = std::max<int64_t>(task.target_file_size, 1);
  const auto stripe = task.format_options.find("write.orc.stripe-size-bytes");
  // Only whole stripes are in the file: one must not be larger than the file may be.
  layout.options.stripe_bytes =
      stripe == task.format_options.end() ? kStripeBytes : ParseInteger<int64_t>(stripe->second).value_or(kStripeBytes);
  layout.options.stripe_bytes = std::clamp<int64_t>(layout.options.stripe_bytes, 1, layout.target_file_bytes);
  layout.extension = task.format == tables::FileFormat::kOrc ? ".orc" : ".avro";
  layout.type = DataType::Struct({});
  return layout;
}

void AddColumn(const tables::ScanColumn& column, BatchLayout& layout) {
  layout.columns.push_back(column);
  layout.file_columns.push_back(FileColumnOf(column));
  auto fields = layout.type->fields();
  fields.emplace_back(column.name, column.type, true);
  layout.type = DataType::Struct(std::move(fields));
}

struct BatchPartitionWriter::File {
  std::string path;
  duckdb::unique_ptr<duckdb::FileHandle> handle;
  std::unique_ptr<codec::DataFileWriter> writer;
  std::unique_ptr<StatisticsCollector> statistics;
  std::unique_ptr<ArrowBatchBuilder> builder;
  std::future<Status> encoding;
  int64_t rows = 0;
  int64_t encoded_bytes = 0;  ///< Of the batches that are done.
};

BatchPartitionWriter::BatchPartitionWriter(duckdb::ClientContext& client, const BatchLayout& layout, EncodePool& pool,
                                           std::function<std::string()> next_path, std::vector<Value> partition,
                                           std::vector<tables::WrittenFile>& written, std::vector<std::string>& begun)
    : client_(client),
      layout_(layout),
      pool_(pool),
      next_path_(std::move(next_path)),
      partition_(std::move(partition)),
      written_(written),
      begun_(begun) {}

BatchPartitionWriter::~BatchPartitionWriter() {
  if (file_ != nullptr && file_->encoding.valid()) file_->encoding.wait();
}

void BatchPartitionWriter::Open() {
  file_ = std::make_unique<File>();
  file_->path = next_path_();
  begun_.push_back(file_->path);
  file_->handle = duckdb::FileSystem::GetFileSystem(client_).OpenFile(
      storage::LocalPath(file_->path),
      duckdb::FileFlags::FILE_FLAGS_WRITE | duckdb::FileFlags::FILE_FLAGS_FILE_CREATE_NEW);
  auto sink = [handle = file_->handle.get()](std::string_view bytes) -> Status {
    try {
      handle->Write(const_cast<char*>(bytes.data()), bytes.size());
    } catch (const std::exception& exception) {
      return ErrorFromException(exception);
    }
    return {};
  };
  file_->writer = ValueOrThrow(layout_.format == tables::FileFormat::kOrc
                                   ? codec::MakeOrcWriter(layout_.file_columns, layout_.options, std::move(sink))
                                   : codec::MakeAvroWriter(layout_.file_columns, layout_.options, std::move(sink)));
  file_->statistics = std::make_unique<StatisticsCollector>(layout_.columns);
  duckdb::vector<duckdb::LogicalType> types;
  for (const auto& column : layout_.columns) types.push_back(MappedType(*column.type));
  file_->builder = std::make_unique<ArrowBatchBuilder>(client_, layout_.type, std::move(types));
}

void BatchPartitionWriter::Append(duckdb::DataChunk& chunk) {
  if (file_ == nullptr) Open();
  file_->statistics->Update(chunk);
  file_->builder->Append(chunk, 0, chunk.size());
  file_->rows += static_cast<int64_t>(chunk.size());
  if (file_->builder->rows() < kBatchRows) return;
  Flush();
  // The batch under way does not count yet: files end a batch late rather than that the rows wait for it.
  if (file_->encoded_bytes >= layout_.target_file_bytes) Close();
}

void BatchPartitionWriter::Wait() {
  if (file_->encoding.valid()) OkOrThrow(file_->encoding.get());
}

void BatchPartitionWriter::Flush() {
  if (file_->builder->rows() == 0) return;
  auto batch = std::make_shared<ArrowBatch>(file_->builder->Finish());
  Wait();
  file_->encoded_bytes = file_->writer->bytes_written();
  auto task = std::make_shared<std::packaged_task<Status()>>(
      [writer = file_->writer.get(), batch] { return writer->Append(std::move(*batch)); });
  file_->encoding = task->get_future();
  if (batch->num_rows() < kBatchRows) {
    (*task)();
  } else {
    pool_.Submit([task] { (*task)(); });
  }
}

void BatchPartitionWriter::Close() {
  Flush();
  Wait();
  OkOrThrow(file_->writer->Finish());
  file_->handle->Close();
  tables::WrittenFile result;
  result.path = file_->path;
  result.format = layout_.format;
  result.record_count = file_->rows;
  result.size = file_->writer->bytes_written();
  result.partition = partition_;
  result.columns = file_->statistics->Finish();
  if (layout_.options.iceberg_layout)
    result.split_offsets = ValueOrThrow(OpenDataFile(client_, file_->path, layout_.format))->part_offsets();
  written_.push_back(std::move(result));
  file_.reset();
}

void BatchPartitionWriter::Finish(bool even_if_empty) {
  if (file_ == nullptr && even_if_empty) Open();
  if (file_ != nullptr) Close();
}

}  // namespace frazil::engine
