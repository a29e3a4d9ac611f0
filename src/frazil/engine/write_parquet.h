#pragma once

// Parquet files of one write: row groups are encoded by several threads and stand in the file in the order of their
// rows. Internal to engine/.

#include <memory>
#include <string>
#include <vector>

#include <duckdb.hpp>

#include "frazil/tables/write.h"

namespace frazil::engine {

/// Encodes row groups beside the thread that brings the rows.
class EncodePool;

/// What all files of a write have in common.
struct ParquetLayout {
  duckdb::vector<duckdb::LogicalType> types;  ///< With the names of struct members that the files show.
  duckdb::vector<std::string> names;
  std::vector<tables::ScanColumn> columns;  ///< Those that are written.
  std::string compression;
  int64_t row_group_bytes = 0;
  int64_t target_file_bytes = 0;
  int64_t row_group_rows = 245760;
  /// Entries of the footer: name and value.
  duckdb::vector<std::pair<std::string, std::string>> metadata;
  bool write_field_ids = true;
};

/// Rows of one partition, cut into files. Not thread-safe.
class PartitionWriter {
 public:
  virtual ~PartitionWriter() = default;
  virtual void Append(duckdb::DataChunk& chunk) = 0;
  /// Writes out what is left and closes the file. `even_if_empty`: makes a file without rows where there was none.
  virtual void Finish(bool even_if_empty) = 0;
};

class ParquetPartitionWriter : public PartitionWriter {
 public:
  /// `next_path` gives the path of a new file. `written` collects finished files; `begun` all paths that exist.
  ParquetPartitionWriter(duckdb::ClientContext& client, const ParquetLayout& layout, EncodePool& pool,
                         std::function<std::string()> next_path, std::vector<Value> partition,
                         std::vector<tables::WrittenFile>& written, std::vector<std::string>& begun);
  ~ParquetPartitionWriter() override;
  void Append(duckdb::DataChunk& chunk) override;
  void Finish(bool even_if_empty) override;

 private:
  struct File;
  void OpenFile();
  void FlushBuffer();
  void CloseFile();

  duckdb::ClientContext& client_;
  const ParquetLayout& layout_;
  EncodePool& pool_;
  std::function<std::string()> next_path_;
  std::vector<Value> partition_;
  std::vector<tables::WrittenFile>& written_;
  std::vector<std::string>& begun_;
  duckdb::unique_ptr<duckdb::ColumnDataCollection> buffer_;
  std::unique_ptr<File> file_;
};

class EncodePool {
 public:
  explicit EncodePool(size_t threads);
  ~EncodePool();
  /// Runs `work` soon on some thread.
  void Submit(std::function<void()> work);
  size_t threads() const { return thread_count_; }

 private:
  struct State;
  std::unique_ptr<State> state_;
  size_t thread_count_;
};

}  // namespace frazil::engine
