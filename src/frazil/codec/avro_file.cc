#include "frazil/codec/avro_file.h"

#include <random>
#include <zlib.h>

#include <arrow/util/compression.h>
#include <zstd.h>

#include "frazil/codec/deflate.h"

namespace frazil::codec {
namespace {

constexpr std::string_view kMagic("Obj\x01", 4);
constexpr size_t kSyncSize = 16;
constexpr size_t kBlockSize = 64000;  // Avro's own default.

/// Snappy block with the CRC-32 of the data behind it, as the Avro specification asks.
Result<std::string> DecompressSnappy(std::string_view data) {
  if (data.size() < 5) return Error::Storage("Compressed data is cut off");
  std::string_view compressed = data.substr(0, data.size() - 4);
  uint64_t size = 0;
  for (size_t i = 0; i < 5 && i < compressed.size(); ++i) {
    auto byte = static_cast<uint8_t>(compressed[i]);
    size |= static_cast<uint64_t>(byte & 0x7F) << (7 * i);
    if ((byte & 0x80) == 0) break;
  }
  if (size > (1ULL << 31)) return Error::Storage("Compressed data is damaged");
  auto codec = arrow::util::Codec::Create(arrow::Compression::SNAPPY);
  if (!codec.ok()) return Error::Unsupported("Avro codec snappy");
  std::string out(static_cast<size_t>(size), '\0');
  auto decompressed =
      (*codec)->Decompress(static_cast<int64_t>(compressed.size()), reinterpret_cast<const uint8_t*>(compressed.data()),
                           static_cast<int64_t>(out.size()), reinterpret_cast<uint8_t*>(out.data()));
  if (!decompressed.ok()) return Error::Storage("Compressed data is damaged: " + decompressed.status().message());
  uint32_t expected = 0;
  for (size_t i = data.size() - 4; i < data.size(); ++i) expected = expected << 8 | static_cast<uint8_t>(data[i]);
  if (crc32(0, reinterpret_cast<const Bytef*>(out.data()), static_cast<uInt>(out.size())) != expected) {
    return Error::Storage("Compressed data is damaged: its checksum is wrong");
  }
  return out;
}

Result<std::string> DecompressZstd(std::string_view data) {
  std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(), ZSTD_freeDStream);
  std::string out;
  std::string buffer(ZSTD_DStreamOutSize(), '\0');
  ZSTD_inBuffer input{data.data(), data.size(), 0};
  size_t left = 1;
  while (true) {
    ZSTD_outBuffer output{buffer.data(), buffer.size(), 0};
    left = ZSTD_decompressStream(stream.get(), &output, &input);
    if (ZSTD_isError(left))
      return Error::Storage(std::string("Compressed data is damaged: ") + ZSTD_getErrorName(left));
    out.append(buffer.data(), output.pos);
    if (input.pos == input.size && output.pos < buffer.size()) break;
  }
  if (left != 0) return Error::Storage("Compressed data is cut off");
  return out;
}

}  // namespace

Error AvroFileReader::Damaged() const { return Error::Storage("Not a sound Avro file: " + path_); }

Result<AvroFileReader> AvroFileReader::Open(std::string data, std::string path) {
  AvroFileReader reader;
  reader.path_ = std::move(path);
  reader.data_ = std::move(data);
  std::string_view all = reader.data_;
  if (all.substr(0, kMagic.size()) != kMagic) return reader.Damaged();
  AvroDecoder decoder(all.substr(kMagic.size()));
  decoder.ReadItems([&] {
    std::string key(decoder.ReadBytes());
    reader.metadata_[std::move(key)] = std::string(decoder.ReadBytes());
  });
  reader.sync_ = std::string(decoder.ReadRaw(kSyncSize));
  if (!decoder.ok()) return reader.Damaged();
  reader.position_ = all.size() - decoder.remaining();
  auto schema = reader.metadata_.find("avro.schema");
  if (schema == reader.metadata_.end()) return reader.Damaged();
  FRAZIL_ASSIGN_OR_RETURN(reader.schema_, ParseAvroSchema(schema->second));
  auto codec = reader.metadata_.find("avro.codec");
  reader.codec_ = codec == reader.metadata_.end() ? "null" : codec->second;
  return reader;
}

Result<bool> AvroFileReader::Next(Block* block) {
  std::string_view rest = std::string_view(data_).substr(position_);
  if (rest.empty()) return false;
  AvroDecoder decoder(rest);
  block->record_count = decoder.ReadLong();
  std::string_view stored = decoder.ReadBytes();
  std::string_view sync = decoder.ReadRaw(kSyncSize);
  if (!decoder.ok() || sync != sync_ || block->record_count < 0) return Damaged();
  position_ = data_.size() - decoder.remaining();
  if (codec_ == "null") {
    block->data = stored;
  } else {
    if (codec_ == "deflate") {
      FRAZIL_ASSIGN_OR_RETURN(block_, InflateRaw(stored));
    } else if (codec_ == "zstandard") {
      FRAZIL_ASSIGN_OR_RETURN(block_, DecompressZstd(stored));
    } else if (codec_ == "snappy") {
      FRAZIL_ASSIGN_OR_RETURN(block_, DecompressSnappy(stored));
    } else {
      return Error::Unsupported("Avro codec " + codec_);
    }
    block->data = block_;
  }
  return true;
}

AvroFileWriter::AvroFileWriter(std::string_view schema, const std::map<std::string, std::string>& metadata,
                               std::string codec, int level)
    : codec_(std::move(codec)), level_(level) {
  std::random_device device;
  for (size_t i = 0; i < kSyncSize; i += 4) {
    uint32_t random = device();
    sync_.append(reinterpret_cast<const char*>(&random), 4);
  }
  out_.append(kMagic);
  AvroEncoder header(&out_);
  header.WriteLong(static_cast<int64_t>(metadata.size()) + 2);
  header.WriteBytes("avro.schema");
  header.WriteBytes(schema);
  header.WriteBytes("avro.codec");
  header.WriteBytes(codec_);
  for (const auto& [key, value] : metadata) {
    header.WriteBytes(key);
    header.WriteBytes(value);
  }
  header.WriteLong(0);
  header.WriteRaw(sync_);
}

Status AvroFileWriter::EndRecord() {
  ++records_;
  return block_.size() >= kBlockSize ? FlushBlock() : Status();
}

Status AvroFileWriter::FlushBlock() {
  if (records_ == 0) return {};
  AvroEncoder out(&out_);
  out.WriteLong(records_);
  if (codec_ == "deflate") {
    FRAZIL_ASSIGN_OR_RETURN(std::string compressed, DeflateRaw(block_, level_));
    out.WriteBytes(compressed);
  } else if (codec_ == "null") {
    out.WriteBytes(block_);
  } else {
    return Error::Unsupported("writing Avro with codec " + codec_);
  }
  out.WriteRaw(sync_);
  block_.clear();
  records_ = 0;
  return {};
}

Result<std::string> AvroFileWriter::Finish() {
  FRAZIL_RETURN_IF_ERROR(FlushBlock());
  return std::move(out_);
}

}  // namespace frazil::codec
