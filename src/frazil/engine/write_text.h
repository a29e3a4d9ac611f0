#pragma once

// Lines as CSV, JSON or plain text files. Internal to engine/.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <duckdb.hpp>

#include "frazil/codec/stream_codec.h"
#include "frazil/engine/write_parquet.h"
#include "frazil/tables/write.h"

namespace frazil::engine {

struct TextLayout {
  std::string header;        ///< CSV with header: the first line of every file; else empty.
  std::string separator;     ///< Behind every line.
  std::string extension;     ///< ".csv", ".json.gz", ...
  std::string options_json;  ///< The options for to_csv and to_json.
  tables::FileFormat format = tables::FileFormat::kText;
  codec::StreamCodec codec = codec::StreamCodec::kNone;
};

/// Throws a Spark error for codecs that there are not.
TextLayout TextLayoutOf(tables::FileFormat format, const std::vector<StructField>& fields,
                        const std::map<std::string, std::string>& options, const std::string& codec_name);

/// One file a partition; chunks have one VARCHAR column, the lines.
class TextPartitionWriter : public PartitionWriter {
 public:
  TextPartitionWriter(duckdb::ClientContext& client, const TextLayout& layout, std::function<std::string()> next_path,
                      std::vector<Value> partition, std::vector<tables::WrittenFile>& written,
                      std::vector<std::string>& begun);
  void Append(duckdb::DataChunk& chunk) override;
  void Finish(bool even_if_empty) override;

 private:
  void Open();
  /// Hands over the lines so far; `last`: there will be no more.
  void Flush(bool last);

  duckdb::ClientContext& client_;
  const TextLayout& layout_;
  std::function<std::string()> next_path_;
  std::vector<Value> partition_;
  std::vector<tables::WrittenFile>& written_;
  std::vector<std::string>& begun_;
  std::string path_;
  duckdb::unique_ptr<duckdb::FileHandle> handle_;
  std::unique_ptr<codec::Compressor> compressor_;  ///< Null: the lines as they are.
  std::string buffer_;
  int64_t rows_ = 0;
};

}  // namespace frazil::engine
