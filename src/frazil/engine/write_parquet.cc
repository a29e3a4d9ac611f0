#include "frazil/engine/write_parquet.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <parquet_writer.hpp>
#include <thread>
#include <writer/primitive_column_writer.hpp>

#include <duckdb/common/types/column/column_data_collection.hpp>

#include "frazil/base/text.h"
#include "frazil/engine/functions/kernel_error.h"
#include "frazil/engine/variant_layout.h"
#include "frazil/engine/write_statistics.h"

namespace frazil::engine {
namespace {

duckdb_parquet::CompressionCodec::type CodecOf(const std::string& name) {
  const std::string codec = AsciiLower(name);
  if (codec == "zstd") return duckdb_parquet::CompressionCodec::ZSTD;
  if (codec == "snappy" || codec.empty()) return duckdb_parquet::CompressionCodec::SNAPPY;
  if (codec == "gzip") return duckdb_parquet::CompressionCodec::GZIP;
  if (codec == "none" || codec == "uncompressed") return duckdb_parquet::CompressionCodec::UNCOMPRESSED;
  if (codec == "lz4" || codec == "lz4_raw") return duckdb_parquet::CompressionCodec::LZ4_RAW;
  if (codec == "brotli") return duckdb_parquet::CompressionCodec::BROTLI;
  ThrowSparkError(Error::Of(
      "CODEC_NOT_AVAILABLE.WITH_AVAILABLE_CODECS_SUGGESTION",
      {{"codecName", name}, {"availableCodecs", "brotli, uncompressed, lz4, gzip, snappy, none, zstd, lz4_raw"}}));
}

duckdb::FieldID FieldIdOf(const tables::ScanColumn& column) {
  duckdb::FieldID result = column.field_id >= 0 ? duckdb::FieldID(column.field_id) : duckdb::FieldID();
  if (column.children.empty()) return result;
  result.child_field_ids.ids = duckdb::make_uniq<duckdb::case_insensitive_map_t<duckdb::FieldID>>();
  for (const auto& child : column.children) (*result.child_field_ids.ids)[child.name] = FieldIdOf(child);
  return result;
}

// The ids of leaf columns in the order in which Parquet has its columns.
void LeafIds(const tables::ScanColumn& column, std::vector<int32_t>& ids) {
  if (column.type->id() == TypeId::kVariant) {
    // Two columns in the file, neither of which is the table's.
    ids.insert(ids.end(), kVariantMembers.size(), -1);
    return;
  }
  if (!column.type->IsComplex()) {
    ids.push_back(column.field_id);
    return;
  }
  for (const auto& child : column.children) LeafIds(child, ids);
}

}  // namespace

// --- threads
// ----------------------------------------------------------------------------------------------------------------------------------------------

struct EncodePool::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> work;
  std::vector<std::thread> threads;
  bool ended = false;
};

EncodePool::EncodePool(size_t threads)
    : state_(std::make_unique<State>()), thread_count_(std::max<size_t>(threads, 1)) {}

EncodePool::~EncodePool() {
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    state_->ended = true;
  }
  state_->changed.notify_all();
  for (auto& thread : state_->threads) thread.join();
}

void EncodePool::Submit(std::function<void()> work) {
  std::lock_guard<std::mutex> lock(state_->mutex);
  state_->work.push_back(std::move(work));
  // Threads start when there is work for them: small writes need none.
  if (state_->threads.size() < thread_count_) {
    state_->threads.emplace_back([state = state_.get()] {
      while (true) {
        std::function<void()> next;
        {
          std::unique_lock<std::mutex> wait(state->mutex);
          state->changed.wait(wait, [&] { return state->ended || !state->work.empty(); });
          if (state->work.empty()) return;
          next = std::move(state->work.front());
          state->work.pop_front();
        }
        next();
      }
    });
  }
  state_->changed.notify_one();
}

// --- one partition
// ----------------------------------------------------------------------------------------------------------------------------------------

struct ParquetPartitionWriter::Group {
  std::shared_ptr<File> encoder;  ///< Whose writer has encoded it; null: the file that it goes into.
  duckdb::unique_ptr<duckdb::ColumnDataCollection> rows;
  duckdb::PreparedRowGroup prepared;
  std::future<void> done;  ///< Not valid: it is encoded.
  int64_t bytes = 0;       ///< Of the rows in memory.

  bool IsDone() const { return !done.valid() || done.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
};

struct ParquetPartitionWriter::EncodedRows : duckdb::PreparedBatchData {
  struct Part {
    std::unique_ptr<Group> group;
    std::unique_ptr<StatisticsCollector> statistics;
    int64_t rows = 0;
  };
  std::vector<Part> parts;
  duckdb::unique_ptr<duckdb::ColumnDataCollection> few;  ///< Behind the parts; null: none.
};

struct ParquetPartitionWriter::File {
  std::string path;
  std::unique_ptr<duckdb::ParquetWriter> writer;
  std::unique_ptr<StatisticsCollector> statistics;
  int64_t rows = 0;
  int64_t pending_bytes = 0;
  std::deque<std::unique_ptr<Group>> groups;  ///< Being encoded, oldest first.
  std::vector<int64_t> offsets;
  std::vector<int64_t> compressed, values, nulls;  ///< By leaf; nulls -1: unknown.

  // Appends the oldest group to the file.
  void FlushOldest() {
    auto group = std::move(groups.front());
    groups.pop_front();
    if (group->done.valid()) group->done.get();
    writer->FlushRowGroup(group->prepared);
    pending_bytes -= group->bytes;
    const auto& row_group = group->prepared.row_group;
    offsets.push_back(row_group.file_offset);
    compressed.resize(row_group.columns.size());
    values.resize(row_group.columns.size());
    nulls.resize(row_group.columns.size());
    for (size_t i = 0; i < row_group.columns.size(); ++i) {
      const auto& data = row_group.columns[i].meta_data;
      compressed[i] += data.total_compressed_size;
      values[i] += data.num_values;
      const bool known = data.__isset.statistics && data.statistics.__isset.null_count;
      nulls[i] = !known || nulls[i] < 0 ? -1 : nulls[i] + data.statistics.null_count;
    }
  }
};

ParquetPartitionWriter::ParquetPartitionWriter(duckdb::ClientContext& client, const ParquetLayout& layout,
                                               EncodePool& pool, std::function<std::string()> next_path,
                                               std::vector<Value> partition, std::vector<tables::WrittenFile>& written,
                                               std::vector<std::string>& begun)
    : client_(client),
      layout_(layout),
      pool_(pool),
      next_path_(std::move(next_path)),
      partition_(std::move(partition)),
      written_(written),
      begun_(begun) {}

ParquetPartitionWriter::~ParquetPartitionWriter() {
  if (file_ == nullptr) return;
  for (auto& group : file_->groups) {
    if (group->done.valid()) group->done.wait();
  }
}

std::shared_ptr<ParquetPartitionWriter::File> ParquetPartitionWriter::OpenedFile() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (file_ != nullptr) return file_;
  auto file = std::make_shared<File>();
  file->path = next_path_();
  begun_.push_back(file->path);
  duckdb::ChildFieldIDs field_ids;
  field_ids.ids = duckdb::make_uniq<duckdb::case_insensitive_map_t<duckdb::FieldID>>();
  for (const auto& column : layout_.columns) {
    if (layout_.write_field_ids && column.field_id >= 0) (*field_ids.ids)[column.name] = FieldIdOf(column);
  }
  const auto codec = CodecOf(layout_.compression);
  file->writer = std::make_unique<duckdb::ParquetWriter>(
      client_, duckdb::FileSystem::GetFileSystem(client_), storage::LocalPath(file->path), layout_.types, layout_.names,
      codec, std::move(field_ids), duckdb::ShreddingType(), layout_.metadata, nullptr, duckdb::optional_idx(),
      duckdb::PrimitiveColumnWriter::MAX_UNCOMPRESSED_DICT_PAGE_SIZE, false, 0.01, layout_.zstd_level,
      duckdb::ParquetVersion::V1, duckdb::GeoParquetVersion::NONE);
  // Row groups that another file's writer has encoded may be the first of this one.
  file->writer->InitializeSchemaElements();
  file->statistics = std::make_unique<StatisticsCollector>(layout_.columns);
  file_ = std::move(file);
  return file_;
}

duckdb::unique_ptr<duckdb::ColumnDataCollection> ParquetPartitionWriter::NewRows() const {
  return duckdb::make_uniq<duckdb::ColumnDataCollection>(client_, layout_.types,
                                                         duckdb::ColumnDataAllocatorType::BUFFER_MANAGER_ALLOCATOR);
}

bool ParquetPartitionWriter::FillRowGroup(const duckdb::ColumnDataCollection& rows) const {
  return static_cast<int64_t>(rows.Count()) >= layout_.row_group_rows ||
         static_cast<int64_t>(rows.SizeInBytes()) >= layout_.row_group_bytes;
}

void ParquetPartitionWriter::Append(duckdb::DataChunk& chunk) {
  const auto file = OpenedFile();
  if (buffer_ == nullptr) buffer_ = NewRows();
  file->statistics->Update(chunk);
  buffer_->Append(chunk);
  file->rows += static_cast<int64_t>(chunk.size());
  if (!FillRowGroup(*buffer_)) return;
  FlushBuffer();
  CloseFullFile();
}

void ParquetPartitionWriter::CloseFullFile() {
  // What is not written yet counts by a third, about what compression leaves of it.
  if (static_cast<int64_t>(file_->writer->FileSize()) + file_->pending_bytes / 3 >= layout_.target_file_bytes)
    CloseFile();
}

duckdb::unique_ptr<duckdb::PreparedBatchData> ParquetPartitionWriter::Encode(
    duckdb::unique_ptr<duckdb::ColumnDataCollection> rows) {
  auto encoded = duckdb::make_uniq<EncodedRows>();
  const auto add = [&](duckdb::unique_ptr<duckdb::ColumnDataCollection> part_rows) {
    EncodedRows::Part part;
    part.statistics = std::make_unique<StatisticsCollector>(layout_.columns);
    for (auto& chunk : part_rows->Chunks()) part.statistics->Update(chunk);
    part.rows = static_cast<int64_t>(part_rows->Count());
    part.group = std::make_unique<Group>();
    part.group->bytes = static_cast<int64_t>(part_rows->SizeInBytes());
    part.group->encoder = OpenedFile();
    duckdb::unique_ptr<duckdb::ParquetWriteTransformData> transform;
    part.group->encoder->writer->PrepareRowGroup(*part_rows, part.group->prepared, transform);
    encoded->parts.push_back(std::move(part));
  };
  // A row group may be a quarter as large as a full one, or half as large again: that is better than to copy its rows.
  const auto is_few = [&](const duckdb::ColumnDataCollection& some) {
    return static_cast<int64_t>(some.Count()) < layout_.row_group_rows / 4 &&
           static_cast<int64_t>(some.SizeInBytes()) < layout_.row_group_bytes / 4;
  };
  if (is_few(*rows)) {
    encoded->few = std::move(rows);
    return duckdb::unique_ptr<duckdb::PreparedBatchData>(std::move(encoded));
  }
  if (static_cast<int64_t>(rows->Count()) < layout_.row_group_rows / 2 * 3 &&
      static_cast<int64_t>(rows->SizeInBytes()) < layout_.row_group_bytes / 2 * 3) {
    add(std::move(rows));
    return duckdb::unique_ptr<duckdb::PreparedBatchData>(std::move(encoded));
  }
  auto part = NewRows();
  for (auto& chunk : rows->Chunks()) {
    part->Append(chunk);
    if (!FillRowGroup(*part)) continue;
    add(std::move(part));
    part = NewRows();
  }
  if (is_few(*part)) {
    encoded->few = std::move(part);
  } else {
    add(std::move(part));
  }
  return duckdb::unique_ptr<duckdb::PreparedBatchData>(std::move(encoded));
}

void ParquetPartitionWriter::Add(duckdb::PreparedBatchData& encoded) {
  auto& rows = encoded.Cast<EncodedRows>();
  for (auto& part : rows.parts) {
    if (buffer_ != nullptr) FlushBuffer();
    const auto file = OpenedFile();
    if (part.group->encoder == file) part.group->encoder.reset();
    file->statistics->Merge(*part.statistics);
    file->rows += part.rows;
    file->pending_bytes += part.group->bytes;
    file->groups.push_back(std::move(part.group));
    while (!file->groups.empty() && (file->groups.front()->IsDone() || file->groups.size() > pool_.threads()))
      file->FlushOldest();
    CloseFullFile();
  }
  if (rows.few == nullptr) return;
  for (auto& chunk : rows.few->Chunks()) Append(chunk);
}

void ParquetPartitionWriter::FlushBuffer() {
  if (buffer_ == nullptr || buffer_->Count() == 0) return;
  auto group = std::make_unique<Group>();
  group->rows = std::move(buffer_);
  group->bytes = static_cast<int64_t>(group->rows->SizeInBytes());
  file_->pending_bytes += group->bytes;
  const auto encode = [writer = file_->writer.get(), target = group.get()] {
    duckdb::unique_ptr<duckdb::ParquetWriteTransformData> transform;
    writer->PrepareRowGroup(*target->rows, target->prepared, transform);
    target->rows.reset();
  };
  auto task = std::make_shared<std::packaged_task<void()>>(encode);
  group->done = task->get_future();
  const bool small = static_cast<int64_t>(group->rows->Count()) < STANDARD_VECTOR_SIZE * 8;
  file_->groups.push_back(std::move(group));
  if (small) {
    (*task)();
  } else {
    pool_.Submit([task] { (*task)(); });
  }
  while (file_->groups.size() > pool_.threads()) file_->FlushOldest();
}

void ParquetPartitionWriter::CloseFile() {
  FlushBuffer();
  // Rows that are encoded from here on begin the next file.
  std::shared_ptr<File> file;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    file = std::move(file_);
    file_.reset();
  }
  while (!file->groups.empty()) file->FlushOldest();
  file->writer->Finalize();
  tables::WrittenFile result;
  result.path = file->path;
  result.record_count = file->rows;
  auto& file_system = duckdb::FileSystem::GetFileSystem(client_);
  auto handle = file_system.OpenFile(storage::LocalPath(file->path), duckdb::FileFlags::FILE_FLAGS_READ);
  result.size = file_system.GetFileSize(*handle);
  result.partition = partition_;
  result.columns = file->statistics->Finish();
  result.split_offsets = file->offsets;
  std::vector<int32_t> ids;
  for (const auto& column : layout_.columns) LeafIds(column, ids);
  for (size_t i = 0; i < ids.size() && i < file->compressed.size(); ++i) {
    if (ids[i] < 0) continue;
    auto& statistics = result.columns[ids[i]];
    statistics.compressed_size = file->compressed[i];
    if (statistics.value_count == 0) {
      statistics.value_count = file->values[i];
      statistics.null_count = std::max<int64_t>(file->nulls[i], 0);
    }
  }
  written_.push_back(std::move(result));
}

void ParquetPartitionWriter::Finish(bool even_if_empty) {
  if (even_if_empty) OpenedFile();
  if (file_ != nullptr) CloseFile();
}

}  // namespace frazil::engine
