#pragma once

// Parquet files of one write: row groups are encoded by several threads and stand in the file in the order of their
// rows. Internal to engine/.

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <duckdb.hpp>
#include <duckdb/function/copy_function.hpp>

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
  int64_t zstd_level = 3;  ///< As Spark's writer has it.
  int64_t row_group_bytes = 0;
  int64_t target_file_bytes = 0;
  int64_t row_group_rows = 245760;
  /// Entries of the footer: name and value.
  duckdb::vector<std::pair<std::string, std::string>> metadata;
  bool write_field_ids = true;
};

/// Rows of one partition, cut into files. Not thread-safe, but for what says so.
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

  /// Encodes rows in row groups of their own, but for so few that they had better share one with others. Several
  /// threads may do so at once, and beside Add and Append.
  duckdb::unique_ptr<duckdb::PreparedBatchData> Encode(duckdb::unique_ptr<duckdb::ColumnDataCollection> rows);
  /// Appends what Encode has made.
  void Add(duckdb::PreparedBatchData& encoded);
  /// Whether so many rows fill a row group.
  bool FillRowGroup(const duckdb::ColumnDataCollection& rows) const;
  duckdb::unique_ptr<duckdb::ColumnDataCollection> NewRows() const;

 private:
  struct File;
  struct Group;
  struct EncodedRows;
  std::shared_ptr<File> OpenedFile();
  void FlushBuffer();
  void CloseFile();
  void CloseFullFile();

  duckdb::ClientContext& client_;
  const ParquetLayout& layout_;
  EncodePool& pool_;
  std::function<std::string()> next_path_;
  std::vector<Value> partition_;
  std::vector<tables::WrittenFile>& written_;
  std::vector<std::string>& begun_;
  duckdb::unique_ptr<duckdb::ColumnDataCollection> buffer_;
  std::mutex mutex_;            ///< Of `file_` and of what opening one changes.
  std::shared_ptr<File> file_;  ///< Rows go to it next; null: to none yet.
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
