#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/types/arrow_c.h"
#include "frazil/types/data_type.h"

namespace frazil::codec {

/// A column of an ORC or Avro data file. Children follow the type: struct fields; array: one, "element"; map: two,
/// "key", "value". The names of struct fields stand in the type too.
struct FileColumn {
  std::string name;
  DataTypePtr type;
  bool nullable = true;
  int32_t field_id = -1;  ///< Iceberg's; -1: none.
  std::vector<FileColumn> children;
};

/// Where a file's bytes come from. Thread-safe.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual int64_t size() const = 0;
  /// Exactly `count` bytes from `offset` on; reading behind the end is an error.
  virtual Status Read(int64_t offset, int64_t count, char* out) = 0;
};
using ByteSourcePtr = std::shared_ptr<ByteSource>;

/// Rows of a part of a file that stand together. For one thread.
class BatchReader {
 public:
  virtual ~BatchReader() = default;
  /// Position in the file of the first row.
  virtual int64_t first_row() const = 0;
  /// The next rows, laid out as types/arrow_c.h says for the types of the columns that were asked for, in their order;
  /// without columns only the number of rows counts. False at the end.
  virtual Result<bool> Next(ArrowBatch* batch) = 0;
};

/// A data file whose parts (stripes, blocks) can be read side by side. Thread-safe.
class DataFileReader {
 public:
  virtual ~DataFileReader() = default;
  const std::vector<FileColumn>& columns() const { return columns_; }
  /// Rows of the file, where the format tells them without reading it.
  virtual std::optional<int64_t> record_count() const = 0;
  /// Where the parts begin that the format names, ascending.
  virtual std::vector<int64_t> part_offsets() const { return {}; }
  /// Whether NextPart may still find a part. Reads nothing.
  virtual bool at_end() const = 0;
  /// The next part that nobody has taken, of these columns (positions in columns(), ascending); null at the end.
  virtual Result<std::unique_ptr<BatchReader>> NextPart(const std::vector<size_t>& wanted) = 0;

 protected:
  std::vector<FileColumn> columns_;
};

/// `path` is for messages. A file that is none of the format, or is damaged, is an Error of kind kStorage; types that
/// have no counterpart are unsupported by name. ORC: through Arrow's adapter, which keeps timestamps in nanoseconds:
/// those outside of the years 1678 to 2261 are refused.
Result<std::unique_ptr<DataFileReader>> OpenOrcFile(ByteSourcePtr source, std::string path);
Result<std::unique_ptr<DataFileReader>> OpenAvroFile(ByteSourcePtr source, std::string path);

struct DataFileOptions {
  std::string compression;      ///< In lower case: what the format calls its codecs.
  int64_t stripe_bytes = 0;     ///< ORC: size of a stripe in memory; 0: the format's own.
  bool iceberg_layout = false;  ///< Types and attributes by Iceberg's appendix A, with field ids; else as Spark's.
  std::map<std::string, std::string> metadata;  ///< Avro: entries of the header.
};

/// Writes one data file. Not thread-safe.
class DataFileWriter {
 public:
  virtual ~DataFileWriter() = default;
  /// Rows of all columns, laid out as types/arrow_c.h says.
  virtual Status Append(ArrowBatch batch) = 0;
  /// Bytes that were handed on so far.
  virtual int64_t bytes_written() const = 0;
  /// Nothing may be appended afterwards.
  virtual Status Finish() = 0;
};

using ByteSink = std::function<Status(std::string_view)>;
/// An unknown codec is Spark's CODEC_NOT_AVAILABLE, a type that the format cannot hold unsupported by name.
Result<std::unique_ptr<DataFileWriter>> MakeOrcWriter(std::vector<FileColumn> columns, const DataFileOptions& options,
                                                      ByteSink sink);
Result<std::unique_ptr<DataFileWriter>> MakeAvroWriter(std::vector<FileColumn> columns, const DataFileOptions& options,
                                                       ByteSink sink);

}  // namespace frazil::codec
