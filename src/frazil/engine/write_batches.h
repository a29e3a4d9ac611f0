#pragma once

// ORC and Avro files of one write. Internal to engine/.

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include <duckdb.hpp>

#include "frazil/codec/data_file.h"
#include "frazil/engine/arrow_result.h"
#include "frazil/engine/write_parquet.h"
#include "frazil/engine/write_statistics.h"
#include "frazil/tables/write.h"

namespace frazil::engine {

/// What all files of a write have in common.
struct BatchLayout {
  tables::FileFormat format = tables::FileFormat::kOrc;
  std::string extension;                    ///< ".orc", ".snappy.avro", ...
  std::vector<tables::ScanColumn> columns;  ///< Those that are written.
  std::vector<codec::FileColumn> file_columns;
  DataTypePtr type;  ///< Struct of them.
  codec::DataFileOptions options;
  int64_t target_file_bytes = 0;
};

/// The layout of a task's files, without columns yet: codec, attributes, sizes.
BatchLayout BatchLayoutOf(const tables::WriteTask& task);
/// Adds a column.
void AddColumn(const tables::ScanColumn& column, BatchLayout& layout);

/// Rows of one partition, cut into files. Chunks have the mapped types of the columns. Each batch is encoded beside the
/// thread that brings the rows, one at a time.
class BatchPartitionWriter : public PartitionWriter {
 public:
  BatchPartitionWriter(duckdb::ClientContext& client, const BatchLayout& layout, EncodePool& pool,
                       std::function<std::string()> next_path, std::vector<Value> partition,
                       std::vector<tables::WrittenFile>& written, std::vector<std::string>& begun);
  ~BatchPartitionWriter() override;
  void Append(duckdb::DataChunk& chunk) override;
  void Finish(bool even_if_empty) override;

 private:
  struct File;
  void Open();
  /// Hands the rows so far to the encoder.
  void Flush();
  /// Until the encoder has nothing to do.
  void Wait();
  void Close();

  duckdb::ClientContext& client_;
  const BatchLayout& layout_;
  EncodePool& pool_;
  std::function<std::string()> next_path_;
  std::vector<Value> partition_;
  std::vector<tables::WrittenFile>& written_;
  std::vector<std::string>& begun_;
  std::unique_ptr<File> file_;
};

}  // namespace frazil::engine
