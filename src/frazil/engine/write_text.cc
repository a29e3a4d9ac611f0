#include "frazil/engine/write_text.h"

#include <duckdb/common/file_system.hpp>

#include "frazil/base/text.h"
#include "frazil/engine/functions/csv_line.h"
#include "frazil/engine/functions/kernel_error.h"
#include "frazil/engine/scan_records.h"
#include "frazil/functions/text_options.h"

namespace frazil::engine {

TextLayout TextLayoutOf(tables::FileFormat format, const std::vector<StructField>& fields,
                        const std::map<std::string, std::string>& options, const std::string& codec_name) {
  OkOrThrow(CheckRecordOptions(format, options));
  TextLayout layout;
  layout.format = format;
  layout.separator = Get(options, "linesep", "\n");
  layout.extension = format == tables::FileFormat::kCsv    ? ".csv"
                     : format == tables::FileFormat::kJson ? ".json"
                                                           : ".txt";
  if (const auto found = codec::FindStreamCodec(codec_name.empty() ? "none" : codec_name)) {
    layout.codec = *found;
  } else {
    ThrowSparkError("CODEC_NOT_AVAILABLE.WITH_AVAILABLE_CODECS_SUGGESTION",
                    {{"codecName", codec_name}, {"availableCodecs", Join(codec::StreamCodecNames(), ", ")}});
  }
  layout.extension += codec::ExtensionOf(layout.codec);
  layout.options_json = functions::OptionsJson(options);
  if (format == tables::FileFormat::kCsv && IsTrue(options, "header", false)) {
    const CsvWriting writing(options);
    for (size_t i = 0; i < fields.size(); ++i) {
      if (i > 0) layout.header += writing.shape.separator;
      AppendCsvCell(fields[i].name, i == 0, writing, &layout.header);
    }
    layout.header += layout.separator;
  }
  return layout;
}

TextPartitionWriter::TextPartitionWriter(duckdb::ClientContext& client, const TextLayout& layout,
                                         std::function<std::string()> next_path, std::vector<Value> partition,
                                         std::vector<tables::WrittenFile>& written, std::vector<std::string>& begun)
    : client_(client),
      layout_(layout),
      next_path_(std::move(next_path)),
      partition_(std::move(partition)),
      written_(written),
      begun_(begun) {}

void TextPartitionWriter::Open() {
  path_ = next_path_();
  begun_.push_back(path_);
  handle_ = duckdb::FileSystem::GetFileSystem(client_).OpenFile(
      storage::LocalPath(path_), duckdb::FileFlags::FILE_FLAGS_WRITE | duckdb::FileFlags::FILE_FLAGS_FILE_CREATE_NEW);
  compressor_ = ValueOrThrow(codec::MakeCompressor(layout_.codec));
  buffer_ = layout_.header;
}

void TextPartitionWriter::Flush(bool last) {
  if (compressor_ != nullptr) {
    std::string compressed;
    OkOrThrow(compressor_->Append(buffer_, &compressed));
    if (last) OkOrThrow(compressor_->Finish(&compressed));
    buffer_ = std::move(compressed);
  }
  if (!buffer_.empty()) handle_->Write(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void TextPartitionWriter::Append(duckdb::DataChunk& chunk) {
  if (handle_ == nullptr) Open();
  duckdb::UnifiedVectorFormat lines;
  chunk.data[0].ToUnifiedFormat(chunk.size(), lines);
  const auto* data = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(lines);
  for (duckdb::idx_t i = 0; i < chunk.size(); ++i) {
    const auto row = lines.sel->get_index(i);
    if (lines.validity.RowIsValid(row)) buffer_.append(data[row].GetData(), data[row].GetSize());
    buffer_ += layout_.separator;
  }
  rows_ += static_cast<int64_t>(chunk.size());
  if (buffer_.size() >= (size_t{1} << 20)) Flush(false);
}

void TextPartitionWriter::Finish(bool even_if_empty) {
  if (handle_ == nullptr && even_if_empty) Open();
  if (handle_ == nullptr) return;
  Flush(true);
  handle_->Close();
  handle_.reset();
  auto& file_system = duckdb::FileSystem::GetFileSystem(client_);
  tables::WrittenFile result;
  result.path = path_;
  result.format = layout_.format;
  result.record_count = rows_;
  result.partition = partition_;
  auto handle = file_system.OpenFile(storage::LocalPath(path_), duckdb::FileFlags::FILE_FLAGS_READ);
  result.size = file_system.GetFileSize(*handle);
  written_.push_back(std::move(result));
}

}  // namespace frazil::engine
