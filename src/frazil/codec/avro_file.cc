#include "frazil/codec/avro_file.h"

#include <random>
#include <utility>
#include <zlib.h>

#include <arrow/util/compression.h>
#include <zstd.h>

#include "frazil/codec/deflate.h"

namespace frazil::codec {
namespace {

constexpr std::string_view kMagic("Obj\x01", 4);
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

Result<std::string> Compress(const std::string& codec, std::string_view data, int level) {
  if (codec == "deflate") return DeflateRaw(data, level);
  if (codec == "zstandard") {
    std::string out(ZSTD_compressBound(data.size()), '\0');
    const size_t size = ZSTD_compress(out.data(), out.size(), data.data(), data.size(), ZSTD_CLEVEL_DEFAULT);
    if (ZSTD_isError(size)) return Error::Internal(std::string("zstd: ") + ZSTD_getErrorName(size));
    out.resize(size);
    return out;
  }
  if (codec != "snappy") return Error::Unsupported("writing Avro with codec " + codec);
  auto snappy = arrow::util::Codec::Create(arrow::Compression::SNAPPY);
  if (!snappy.ok()) return Error::Unsupported("Avro codec snappy");
  const auto* bytes = reinterpret_cast<const uint8_t*>(data.data());
  const auto size = static_cast<int64_t>(data.size());
  const int64_t most = (*snappy)->MaxCompressedLen(size, bytes);
  std::string out(static_cast<size_t>(most), '\0');
  auto compressed = (*snappy)->Compress(size, bytes, most, reinterpret_cast<uint8_t*>(out.data()));
  if (!compressed.ok()) return Error::Internal("snappy: " + compressed.status().message());
  out.resize(static_cast<size_t>(*compressed));
  const auto checksum =
      static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(data.data()), static_cast<uInt>(data.size())));
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(checksum >> shift & 0xFF);
  return out;
}

}  // namespace

Result<AvroHeader> ParseAvroHeader(std::string_view data, const std::string& path) {
  const auto damaged = [&] { return Error::Storage("Not a sound Avro file: " + path); };
  AvroHeader header;
  if (data.substr(0, kMagic.size()) != kMagic) return damaged();
  AvroDecoder decoder(data.substr(kMagic.size()));
  decoder.ReadItems([&] {
    std::string key(decoder.ReadBytes());
    header.metadata[std::move(key)] = std::string(decoder.ReadBytes());
  });
  header.sync = std::string(decoder.ReadRaw(kAvroSyncSize));
  if (!decoder.ok()) return damaged();
  header.size = data.size() - decoder.remaining();
  auto schema = header.metadata.find("avro.schema");
  if (schema == header.metadata.end()) return damaged();
  FRAZIL_ASSIGN_OR_RETURN(header.schema, ParseAvroSchema(schema->second));
  auto codec = header.metadata.find("avro.codec");
  header.codec = codec == header.metadata.end() ? "null" : codec->second;
  return header;
}

Result<std::string> DecompressAvroBlock(const std::string& codec, std::string_view stored) {
  if (codec == "null") return std::string(stored);
  if (codec == "deflate") return InflateRaw(stored);
  if (codec == "zstandard") return DecompressZstd(stored);
  if (codec == "snappy") return DecompressSnappy(stored);
  return Error::Unsupported("Avro codec " + codec);
}

Error AvroFileReader::Damaged() const { return Error::Storage("Not a sound Avro file: " + path_); }

Result<AvroFileReader> AvroFileReader::Open(std::string data, std::string path) {
  AvroFileReader reader;
  reader.path_ = std::move(path);
  reader.data_ = std::move(data);
  FRAZIL_ASSIGN_OR_RETURN(reader.header_, ParseAvroHeader(reader.data_, reader.path_));
  reader.position_ = reader.header_.size;
  return reader;
}

Result<bool> AvroFileReader::Next(Block* block) {
  std::string_view rest = std::string_view(data_).substr(position_);
  if (rest.empty()) return false;
  AvroDecoder decoder(rest);
  block->record_count = decoder.ReadLong();
  std::string_view stored = decoder.ReadBytes();
  std::string_view sync = decoder.ReadRaw(kAvroSyncSize);
  if (!decoder.ok() || sync != header_.sync || block->record_count < 0) return Damaged();
  position_ = data_.size() - decoder.remaining();
  if (header_.codec == "null") {
    block->data = stored;
  } else {
    FRAZIL_ASSIGN_OR_RETURN(block_, DecompressAvroBlock(header_.codec, stored));
    block->data = block_;
  }
  return true;
}

AvroFileWriter::AvroFileWriter(std::string_view schema, const std::map<std::string, std::string>& metadata,
                               std::string codec, int level)
    : codec_(std::move(codec)), level_(level) {
  std::random_device device;
  for (size_t i = 0; i < kAvroSyncSize; i += 4) {
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
  if (codec_ == "null") {
    out.WriteBytes(block_);
  } else {
    FRAZIL_ASSIGN_OR_RETURN(const std::string compressed, Compress(codec_, block_, level_));
    out.WriteBytes(compressed);
  }
  out.WriteRaw(sync_);
  block_.clear();
  records_ = 0;
  return {};
}

std::string AvroFileWriter::TakeBytes() { return std::exchange(out_, std::string()); }

Result<std::string> AvroFileWriter::Finish() {
  FRAZIL_RETURN_IF_ERROR(FlushBlock());
  return std::move(out_);
}

}  // namespace frazil::codec
