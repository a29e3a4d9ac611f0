#include <algorithm>
#include <bzlib.h>

#include "frazil/codec/stream_codecs_internal.h"

namespace frazil::codec {
namespace {

constexpr size_t kMostAtOnce = size_t{1} << 30;  // bzip2 counts in 32 bits.
constexpr size_t kPiece = 64 * 1024;
constexpr int kLargestBlock = 9;  // In 100,000 bytes; what Hadoop writes.

class Bzip2Decompressor : public Decompressor {
 public:
  ~Bzip2Decompressor() override {
    if (open_) BZ2_bzDecompressEnd(&stream_);
  }

  Result<size_t> Decompress(std::string_view* input, char* output, size_t room) override {
    while (true) {
      if (!open_) {
        if (input->empty()) return size_t{0};
        stream_ = {};
        if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) return Error::Internal("bzip2 could not be started");
        open_ = true;
      }
      const size_t given = std::min(input->size(), kMostAtOnce), space = std::min(room, kMostAtOnce);
      stream_.next_in = const_cast<char*>(input->data());
      stream_.avail_in = static_cast<unsigned>(given);
      stream_.next_out = output;
      stream_.avail_out = static_cast<unsigned>(space);
      const int outcome = BZ2_bzDecompress(&stream_);
      input->remove_prefix(given - stream_.avail_in);
      if (outcome == BZ_STREAM_END) {
        BZ2_bzDecompressEnd(&stream_);
        open_ = false;
      } else if (outcome != BZ_OK) {
        return DamagedStream("bzip2");
      }
      const size_t written = space - stream_.avail_out;
      if (written > 0 || (open_ && input->empty())) return written;
    }
  }
  bool IsComplete() const override { return !open_; }

 private:
  bool open_ = false;
  bz_stream stream_{};
};

class Bzip2Compressor : public Compressor {
 public:
  ~Bzip2Compressor() override { BZ2_bzCompressEnd(&stream_); }
  bool Start() { return BZ2_bzCompressInit(&stream_, kLargestBlock, 0, 0) == BZ_OK; }

  Status Append(std::string_view data, std::string* out) override {
    while (!data.empty()) {
      const size_t given = std::min(data.size(), kMostAtOnce);
      stream_.next_in = const_cast<char*>(data.data());
      stream_.avail_in = static_cast<unsigned>(given);
      while (stream_.avail_in > 0) {
        if (Run(BZ_RUN, out) != BZ_RUN_OK) return Error::Internal("bzip2 could not compress");
      }
      data.remove_prefix(given);
    }
    return {};
  }

  Status Finish(std::string* out) override {
    int outcome = BZ_FINISH_OK;
    while (outcome == BZ_FINISH_OK) outcome = Run(BZ_FINISH, out);
    if (outcome != BZ_STREAM_END) return Error::Internal("bzip2 could not compress");
    return {};
  }

 private:
  int Run(int action, std::string* out) {
    const size_t old = out->size();
    out->resize(old + kPiece);
    stream_.next_out = out->data() + old;
    stream_.avail_out = kPiece;
    const int outcome = BZ2_bzCompress(&stream_, action);
    out->resize(old + kPiece - stream_.avail_out);
    return outcome;
  }

  bz_stream stream_{};
};

}  // namespace

Result<std::unique_ptr<Decompressor>> MakeBzip2Decompressor() {
  return std::unique_ptr<Decompressor>(std::make_unique<Bzip2Decompressor>());
}

Result<std::unique_ptr<Compressor>> MakeBzip2Compressor() {
  auto made = std::make_unique<Bzip2Compressor>();
  if (!made->Start()) return Error::Internal("bzip2 could not be started");
  return std::unique_ptr<Compressor>(std::move(made));
}

}  // namespace frazil::codec
