#include "frazil/engine/scan_records.h"

#include <algorithm>
#include <utility>

#include "frazil/base/text.h"
#include "frazil/engine/functions/kernel_error.h"
#include "frazil/engine/functions/utf8.h"
#include "frazil/functions/text_options.h"

namespace frazil::engine {
namespace {

constexpr size_t kBlock = 1 << 20;

std::string Unescape(const std::string& text) {
  if (text == "\\t") return "\t";
  if (text == "\\n") return "\n";
  if (text == "\\r\\n") return "\r\n";
  if (text == "\\r") return "\r";
  return text;
}

std::string Latin1ToUtf8(const std::string& text) {
  std::string result;
  for (const unsigned char c : text) {
    if (c < 0x80) {
      result += static_cast<char>(c);
    } else {
      result += static_cast<char>(0xc0 | (c >> 6));
      result += static_cast<char>(0x80 | (c & 0x3f));
    }
  }
  return result;
}

}  // namespace

bool IsTrue(const ReaderOptions& options, const std::string& key, bool fallback) {
  const auto found = options.find(key);
  return found == options.end() ? fallback : EqualsIgnoreCase(found->second, "true");
}

std::string Get(const ReaderOptions& options, const std::string& key, const std::string& fallback) {
  const auto found = options.find(key);
  return found == options.end() ? fallback : found->second;
}

Status CheckRecordOptions(tables::FileFormat format, const ReaderOptions& options) {
  switch (format) {
    case tables::FileFormat::kCsv:
      return functions::CheckCsvOptions(options);
    case tables::FileFormat::kJson:
      return functions::CheckJsonOptions(options);
    case tables::FileFormat::kText:
      return functions::CheckTextOptions(options);
    default:
      return {};
  }
}

RecordReader::RecordReader(duckdb::FileSystem& file_system, const std::string& path, tables::FileFormat format,
                           const ReaderOptions& options, const FileTolerance& tolerance)
    : file_system_(file_system), tolerance_(tolerance), path_(path), format_(format) {
  if (format != tables::FileFormat::kBinary)
    decompressor_ = ValueOrThrow(codec::MakeDecompressor(codec::StreamCodecOfPath(path)));
  separator_ = Unescape(Get(options, "linesep", ""));
  multi_line_ = IsTrue(options, "multiline", false);
  whole_ = (format == tables::FileFormat::kText && IsTrue(options, "wholetext", false)) ||
           (format == tables::FileFormat::kJson && multi_line_) || format == tables::FileFormat::kBinary;
  const std::string encoding = AsciiLower(Get(options, "encoding", Get(options, "charset", "utf-8")));
  latin_ = encoding == "iso-8859-1" || encoding == "latin1" || encoding == "us-ascii";
  if (!latin_ && encoding != "utf-8" && encoding != "utf8")
    ThrowSparkError(Error::Unsupported("text files in the encoding " + encoding));
  if (format == tables::FileFormat::kCsv) {
    comment_ = Get(options, "comment", "");
    skips_blank_ = !IsTrue(options, "hivetext", false);
    const std::string quote = Get(options, "quote", "\""), escape = Get(options, "escape", "\\");
    quote_ = quote.empty() ? '\0' : quote[0];
    escape_ = escape.empty() ? '\0' : escape[0];
    if (IsTrue(options, "header", false)) {
      std::string line;
      if (Next(&line)) header_ = std::move(line);
    }
  }
}

int64_t RecordReader::TakeBytesRead() { return std::exchange(bytes_read_, 0); }

size_t RecordReader::ReadBytes(char* output, size_t room) {
  try {
    return ReadBytesOrThrow(output, room);
  } catch (const std::exception&) {
    if (!tolerance_.Forgives(file_system_, path_)) throw;
    broken_off_ = true;
    return 0;
  }
}

size_t RecordReader::ReadBytesOrThrow(char* output, size_t room) {
  if (handle_ == nullptr) handle_ = file_system_.OpenFile(path_, duckdb::FileFlags::FILE_FLAGS_READ);
  const auto read_stored = [this](char* target, size_t size) {
    const auto count = std::max<int64_t>(handle_->Read(target, size), 0);
    bytes_read_ += count;
    return static_cast<size_t>(count);
  };
  if (decompressor_ == nullptr) return read_stored(output, room);
  while (true) {
    const auto count = decompressor_->Decompress(&stored_left_, output, room);
    if (!count.ok()) ThrowSparkError("FAILED_READ_FILE.NO_HINT", {{"path", path_}});
    if (*count > 0) return *count;
    stored_.resize(kBlock);
    stored_.resize(read_stored(stored_.data(), kBlock));
    stored_left_ = stored_;
    if (!stored_.empty()) continue;
    if (!decompressor_->IsComplete()) ThrowSparkError("FAILED_READ_FILE.NO_HINT", {{"path", path_}});
    return 0;
  }
}

bool RecordReader::Fill() {
  if (ended_) return false;
  if (at_ > 0) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
  const size_t old = buffer_.size();
  buffer_.resize(old + kBlock);
  const size_t read = ReadBytes(buffer_.data() + old, kBlock);
  buffer_.resize(old + read);
  if (read == 0) ended_ = true;
  return read > 0;
}

bool RecordReader::NextLine(std::string* line) {
  size_t scanned = at_;
  while (true) {
    size_t end = std::string::npos, width = 1;
    if (!separator_.empty()) {
      end = buffer_.find(separator_, scanned);
      width = separator_.size();
    } else {
      end = buffer_.find_first_of("\r\n", scanned);
      if (end != std::string::npos && buffer_[end] == '\r') {
        // Whether a line feed follows is known only when the next byte is there.
        if (end + 1 == buffer_.size() && !ended_) {
          const size_t offset = end - at_;
          Fill();
          scanned = at_ + offset;
          continue;
        }
        if (end + 1 < buffer_.size() && buffer_[end + 1] == '\n') width = 2;
      }
    }
    if (end != std::string::npos) {
      line->assign(buffer_, at_, end - at_);
      at_ = end + width;
      return true;
    }
    const size_t length = buffer_.size() - at_;
    const size_t back = separator_.empty() ? 0 : std::min(length, separator_.size() - 1);
    if (!Fill()) {
      if (at_ >= buffer_.size() || broken_off_) return false;
      line->assign(buffer_, at_, std::string::npos);
      at_ = buffer_.size();
      return true;
    }
    scanned = at_ + length - back;
  }
}

bool RecordReader::IsOpenQuote(const std::string& text) const {
  bool open = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (open && text[i] == escape_ && escape_ != quote_ && i + 1 < text.size()) {
      ++i;
    } else if (text[i] == quote_ && quote_ != '\0') {
      open = !open;
    }
  }
  return open;
}

void RecordReader::Decode(std::string* record) const {
  if (latin_) {
    *record = Latin1ToUtf8(*record);
  } else if (format_ != tables::FileFormat::kJson && !IsValidUtf8(*record)) {
    *record = MakeValidUtf8(*record);
  }
}

bool RecordReader::Next(std::string* record) {
  if (whole_) {
    if (ended_) return false;
    while (Fill()) {
    }
    if (broken_off_) return false;
    *record = std::move(buffer_);
    buffer_.clear();
    if (format_ != tables::FileFormat::kBinary) Decode(record);
    if (format_ == tables::FileFormat::kJson && record->starts_with("\xEF\xBB\xBF")) record->erase(0, 3);
    return format_ != tables::FileFormat::kJson || !TrimBlanks(*record).empty();
  }
  while (NextLine(record)) {
    if (record->starts_with("\xEF\xBB\xBF")) record->erase(0, 3);
    if (format_ == tables::FileFormat::kJson && TrimBlanks(*record).empty()) continue;
    if (format_ == tables::FileFormat::kCsv) {
      if (skips_blank_ && TrimBlanks(*record).empty()) continue;
      if (!comment_.empty() && record->starts_with(comment_)) continue;
      std::string more;
      while (multi_line_ && IsOpenQuote(*record) && NextLine(&more)) *record += "\n" + more;
    }
    Decode(record);
    return true;
  }
  return false;
}

}  // namespace frazil::engine
