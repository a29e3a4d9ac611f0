#include <algorithm>
#include <zlib.h>

#include "frazil/codec/stream_codecs_internal.h"

namespace frazil::codec {
namespace {

constexpr size_t kMostAtOnce = size_t{1} << 30;  // zlib counts in 32 bits.
constexpr size_t kPiece = 64 * 1024;

int WindowOf(bool gzip) { return gzip ? 15 + 16 : 15; }

class ZlibDecompressor : public Decompressor {
 public:
  explicit ZlibDecompressor(bool gzip) : gzip_(gzip) {}
  ~ZlibDecompressor() override { inflateEnd(&stream_); }
  bool Start() { return inflateInit2(&stream_, WindowOf(gzip_)) == Z_OK; }

  Result<size_t> Decompress(std::string_view* input, char* output, size_t room) override {
    while (!input->empty()) {
      if (ended_ && inflateReset(&stream_) != Z_OK) return Error::Internal("zlib could not be started");
      ended_ = false;
      const size_t given = std::min(input->size(), kMostAtOnce), space = std::min(room, kMostAtOnce);
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input->data()));
      stream_.avail_in = static_cast<uInt>(given);
      stream_.next_out = reinterpret_cast<Bytef*>(output);
      stream_.avail_out = static_cast<uInt>(space);
      const int outcome = inflate(&stream_, Z_NO_FLUSH);
      input->remove_prefix(given - stream_.avail_in);
      if (outcome == Z_STREAM_END) {
        ended_ = true;
      } else if (outcome != Z_OK && outcome != Z_BUF_ERROR) {
        return DamagedStream(gzip_ ? "gzip" : "deflate");
      }
      if (const size_t written = space - stream_.avail_out; written > 0) return written;
    }
    return Flush(output, room);
  }
  bool IsComplete() const override { return ended_; }

 private:
  // What zlib still holds of the bytes that it has taken.
  Result<size_t> Flush(char* output, size_t room) {
    if (ended_) return size_t{0};
    const size_t space = std::min(room, kMostAtOnce);
    stream_.next_in = nullptr;
    stream_.avail_in = 0;
    stream_.next_out = reinterpret_cast<Bytef*>(output);
    stream_.avail_out = static_cast<uInt>(space);
    const int outcome = inflate(&stream_, Z_NO_FLUSH);
    if (outcome == Z_STREAM_END) {
      ended_ = true;
    } else if (outcome != Z_OK && outcome != Z_BUF_ERROR) {
      return DamagedStream(gzip_ ? "gzip" : "deflate");
    }
    return space - stream_.avail_out;
  }

  bool gzip_;
  bool ended_ = true;  ///< Between two members: nothing of one is open.
  z_stream stream_{};
};

class ZlibCompressor : public Compressor {
 public:
  ~ZlibCompressor() override { deflateEnd(&stream_); }
  bool Start(bool gzip) {
    return deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WindowOf(gzip), 8, Z_DEFAULT_STRATEGY) == Z_OK;
  }

  Status Append(std::string_view data, std::string* out) override {
    while (!data.empty()) {
      const size_t given = std::min(data.size(), kMostAtOnce);
      FRAZIL_RETURN_IF_ERROR(Run(data.substr(0, given), Z_NO_FLUSH, out));
      data.remove_prefix(given);
    }
    return {};
  }
  Status Finish(std::string* out) override { return Run({}, Z_FINISH, out); }

 private:
  Status Run(std::string_view data, int flush, std::string* out) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
    stream_.avail_in = static_cast<uInt>(data.size());
    int outcome = Z_OK;
    do {
      const size_t old = out->size();
      out->resize(old + kPiece);
      stream_.next_out = reinterpret_cast<Bytef*>(out->data() + old);
      stream_.avail_out = kPiece;
      outcome = deflate(&stream_, flush);
      out->resize(old + kPiece - stream_.avail_out);
    } while (stream_.avail_out == 0);
    if (flush == Z_FINISH ? outcome != Z_STREAM_END : outcome != Z_OK && outcome != Z_BUF_ERROR)
      return Error::Internal("zlib could not compress");
    return {};
  }

  z_stream stream_{};
};

}  // namespace

Result<std::unique_ptr<Decompressor>> MakeZlibDecompressor(bool gzip) {
  auto made = std::make_unique<ZlibDecompressor>(gzip);
  if (!made->Start()) return Error::Internal("zlib could not be started");
  return std::unique_ptr<Decompressor>(std::move(made));
}

Result<std::unique_ptr<Compressor>> MakeZlibCompressor(bool gzip) {
  auto made = std::make_unique<ZlibCompressor>();
  if (!made->Start(gzip)) return Error::Internal("zlib could not be started");
  return std::unique_ptr<Compressor>(std::move(made));
}

}  // namespace frazil::codec
