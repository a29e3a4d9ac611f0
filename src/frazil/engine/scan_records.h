#pragma once

// Text files cut into records. Internal to engine/.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <duckdb.hpp>
#include <duckdb/common/file_system.hpp>

#include "frazil/base/result.h"
#include "frazil/codec/stream_codec.h"
#include "frazil/engine/file_tolerance.h"
#include "frazil/tables/scan.h"

namespace frazil::engine {

/// Options of Spark's readers, keys in lower case.
using ReaderOptions = std::map<std::string, std::string>;
bool IsTrue(const ReaderOptions& options, const std::string& key, bool fallback);
std::string Get(const ReaderOptions& options, const std::string& key, const std::string& fallback);
/// The options that readers and writers of a text format check before anything else; see functions/text_options.h.
Status CheckRecordOptions(tables::FileFormat format, const ReaderOptions& options);

/// Cuts one file, decompressed by its ending (codec::StreamCodecOfPath; binary files never are), into records:
/// text: lines (any line end, or lineSep), or the whole file (wholetext); JSON: lines that are not blank, or the whole
/// file (multiLine); CSV: lines, quoted ones over several lines (multiLine), without blank lines, comments and the
/// header. Bytes that are no text become U+FFFD; JSON keeps them, since a record that holds some is malformed.
class RecordReader {
 public:
  /// A file that `tolerance` forgives ends where it cannot be read on, behind its last whole record.
  RecordReader(duckdb::FileSystem& file_system, const std::string& path, tables::FileFormat format,
               const ReaderOptions& options, const FileTolerance& tolerance);
  /// False at the end of the file.
  bool Next(std::string* record);
  /// CSV: the file's header line, where the options say that there is one.
  const std::optional<std::string>& header() const { return header_; }
  /// Bytes of the file, as they are stored, that were read since the last call.
  int64_t TakeBytesRead();

 private:
  bool NextLine(std::string* line);
  bool Fill();
  /// At most `room` bytes of the text; 0 at its end.
  size_t ReadBytes(char* output, size_t room);
  size_t ReadBytesOrThrow(char* output, size_t room);
  void Decode(std::string* record) const;
  bool IsOpenQuote(const std::string& text) const;

  duckdb::FileSystem& file_system_;
  FileTolerance tolerance_;
  duckdb::unique_ptr<duckdb::FileHandle> handle_;
  std::string path_;
  std::unique_ptr<codec::Decompressor> decompressor_;  ///< Null: the file is the text.
  std::string stored_;                                 ///< Bytes of the file, of which `stored_left_` are left.
  std::string_view stored_left_;
  int64_t bytes_read_ = 0;
  tables::FileFormat format_;
  bool whole_ = false;
  bool multi_line_ = false;
  bool ended_ = false;
  bool broken_off_ = false;  ///< Ended, but not at the file's end.
  std::string separator_;
  std::string comment_;
  bool skips_blank_ = true;  ///< CSV: lines without anything are no records.
  char quote_ = '"', escape_ = '\\';
  std::string buffer_;
  size_t at_ = 0;
  std::optional<std::string> header_;
  bool latin_ = false;
};

}  // namespace frazil::engine
