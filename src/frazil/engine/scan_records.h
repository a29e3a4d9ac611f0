#pragma once

// Text files cut into records. Internal to engine/.

#include <map>
#include <memory>
#include <optional>
#include <string>

#include <duckdb.hpp>
#include <duckdb/common/file_system.hpp>

#include "frazil/base/result.h"
#include "frazil/tables/scan.h"

namespace frazil::engine {

/// Options of Spark's readers, keys in lower case.
using ReaderOptions = std::map<std::string, std::string>;
bool IsTrue(const ReaderOptions& options, const std::string& key, bool fallback);
std::string Get(const ReaderOptions& options, const std::string& key, const std::string& fallback);
/// The options that readers and writers of a text format check before anything else; see functions/text_options.h.
Status CheckRecordOptions(tables::FileFormat format, const ReaderOptions& options);

/// Cuts one file, decompressed by its ending (.gz, .zst), into records:
/// text: lines (any line end, or lineSep), or the whole file (wholetext); JSON: lines that are not blank, or the whole
/// file (multiLine); CSV: lines, quoted ones over several lines (multiLine), without blank lines, comments and the
/// header. Bytes that are no text become U+FFFD; JSON keeps them, since a record that holds some is malformed.
class RecordReader {
 public:
  RecordReader(duckdb::FileSystem& file_system, const std::string& path, tables::FileFormat format,
               const ReaderOptions& options);
  /// False at the end of the file.
  bool Next(std::string* record);
  /// CSV: the file's header line, where the options say that there is one.
  const std::optional<std::string>& header() const { return header_; }

 private:
  bool NextLine(std::string* line);
  bool Fill();
  void Decode(std::string* record) const;
  bool IsOpenQuote(const std::string& text) const;

  duckdb::unique_ptr<duckdb::FileHandle> handle_;
  tables::FileFormat format_;
  bool whole_ = false;
  bool multi_line_ = false;
  bool ended_ = false;
  std::string separator_;
  std::string comment_;
  char quote_ = '"', escape_ = '\\';
  std::string buffer_;
  size_t at_ = 0;
  std::optional<std::string> header_;
  bool latin_ = false;
};

}  // namespace frazil::engine
