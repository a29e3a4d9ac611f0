// LZ4 and Snappy as Hadoop's BlockCompressorStream frames them: a block is its length when decompressed, then chunks
// until so many bytes have come, each one a length and raw LZ4 or Snappy data. Lengths are 4 bytes, big-endian.

#include <algorithm>
#include <cstring>
#include <lz4.h>
#include <snappy-c.h>

#include "frazil/codec/stream_codecs_internal.h"

namespace frazil::codec {
namespace {

// What Hadoop's buffers hold; its readers take no chunk that is larger when decompressed.
constexpr size_t kBufferSize = 256 * 1024;
constexpr size_t kLz4Chunk = kBufferSize - (kBufferSize / 255 + 16);
constexpr size_t kSnappyChunk = kBufferSize - (kBufferSize / 6 + 32);
constexpr size_t kMostExpansion = 255;  // Of LZ4: bytes for one.

const char* NameOf(StreamCodec codec) { return codec == StreamCodec::kLz4 ? "lz4" : "snappy"; }

class BlockDecompressor : public Decompressor {
 public:
  explicit BlockDecompressor(StreamCodec codec) : codec_(codec) {}

  Result<size_t> Decompress(std::string_view* input, char* output, size_t room) override {
    while (ready_at_ == ready_.size()) {
      const bool in_block = block_left_ > 0;
      const size_t wanted = in_block && chunk_known_ ? chunk_size_ : sizeof(uint32_t);
      const size_t taken = std::min(wanted - pending_.size(), input->size());
      pending_.append(*input, 0, taken);
      input->remove_prefix(taken);
      if (pending_.size() < wanted) return size_t{0};
      if (!in_block) {
        block_left_ = PendingNumber();
      } else if (!chunk_known_) {
        chunk_size_ = PendingNumber();
        chunk_known_ = true;
        if (chunk_size_ == 0) return DamagedStream(NameOf(codec_));
      } else {
        FRAZIL_RETURN_IF_ERROR(ReadChunk());
        block_left_ -= ready_.size();
        chunk_known_ = false;
      }
      pending_.clear();
    }
    const size_t count = std::min(room, ready_.size() - ready_at_);
    std::memcpy(output, ready_.data() + ready_at_, count);
    ready_at_ += count;
    return count;
  }
  bool IsComplete() const override { return block_left_ == 0 && pending_.empty(); }

 private:
  size_t PendingNumber() const {
    size_t number = 0;
    for (const char c : pending_) number = number << 8 | static_cast<unsigned char>(c);
    return number;
  }

  Status ReadChunk() {
    ready_at_ = 0;
    if (codec_ == StreamCodec::kLz4) {
      ready_.resize(std::min(block_left_, pending_.size() * kMostExpansion));
      const int size = LZ4_decompress_safe(pending_.data(), ready_.data(), static_cast<int>(pending_.size()),
                                           static_cast<int>(std::min<size_t>(ready_.size(), LZ4_MAX_INPUT_SIZE)));
      ready_.resize(static_cast<size_t>(std::max(size, 0)));
    } else {
      size_t size = 0;
      if (snappy_uncompressed_length(pending_.data(), pending_.size(), &size) != SNAPPY_OK || size > block_left_)
        return DamagedStream(NameOf(codec_));
      ready_.resize(size);
      if (snappy_uncompress(pending_.data(), pending_.size(), ready_.data(), &size) != SNAPPY_OK) ready_.clear();
    }
    if (ready_.empty()) return DamagedStream(NameOf(codec_));
    return {};
  }

  StreamCodec codec_;
  size_t block_left_ = 0;  ///< Decompressed bytes of the block that are still to come; 0: a block's length comes next.
  size_t chunk_size_ = 0;
  bool chunk_known_ = false;
  std::string pending_;  ///< The beginning of a number or a chunk.
  std::string ready_;
  size_t ready_at_ = 0;
};

class BlockCompressor : public Compressor {
 public:
  explicit BlockCompressor(StreamCodec codec)
      : codec_(codec), most_(codec == StreamCodec::kLz4 ? kLz4Chunk : kSnappyChunk) {}

  Status Append(std::string_view data, std::string* out) override {
    while (!data.empty()) {
      const size_t taken = std::min(most_ - pending_.size(), data.size());
      pending_.append(data, 0, taken);
      data.remove_prefix(taken);
      if (pending_.size() == most_) FRAZIL_RETURN_IF_ERROR(WriteBlock(out));
    }
    return {};
  }

  Status Finish(std::string* out) override {
    if (!pending_.empty()) return WriteBlock(out);
    if (!wrote_) AppendNumber(0, out);
    return {};
  }

 private:
  static void AppendNumber(size_t number, std::string* out) {
    for (int shift = 24; shift >= 0; shift -= 8) out->push_back(static_cast<char>(number >> shift & 0xff));
  }

  Status WriteBlock(std::string* out) {
    std::string compressed;
    size_t size = 0;
    if (codec_ == StreamCodec::kLz4) {
      compressed.resize(static_cast<size_t>(LZ4_compressBound(static_cast<int>(pending_.size()))));
      const int written = LZ4_compress_default(pending_.data(), compressed.data(), static_cast<int>(pending_.size()),
                                               static_cast<int>(compressed.size()));
      size = static_cast<size_t>(std::max(written, 0));
    } else {
      size = snappy_max_compressed_length(pending_.size());
      compressed.resize(size);
      if (snappy_compress(pending_.data(), pending_.size(), compressed.data(), &size) != SNAPPY_OK) size = 0;
    }
    if (size == 0) return Error::Internal(std::string(NameOf(codec_)) + " could not compress");
    AppendNumber(pending_.size(), out);
    AppendNumber(size, out);
    out->append(compressed, 0, size);
    pending_.clear();
    wrote_ = true;
    return {};
  }

  StreamCodec codec_;
  size_t most_;
  bool wrote_ = false;
  std::string pending_;
};

}  // namespace

Result<std::unique_ptr<Decompressor>> MakeBlockDecompressor(StreamCodec codec) {
  return std::unique_ptr<Decompressor>(std::make_unique<BlockDecompressor>(codec));
}

Result<std::unique_ptr<Compressor>> MakeBlockCompressor(StreamCodec codec) {
  return std::unique_ptr<Compressor>(std::make_unique<BlockCompressor>(codec));
}

}  // namespace frazil::codec
