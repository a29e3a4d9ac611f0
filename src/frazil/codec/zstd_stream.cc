#include <zstd.h>

#include "frazil/codec/stream_codecs_internal.h"

namespace frazil::codec {
namespace {

class ZstdDecompressor : public Decompressor {
 public:
  ZstdDecompressor() : stream_(ZSTD_createDStream(), ZSTD_freeDStream) {}

  Result<size_t> Decompress(std::string_view* input, char* output, size_t room) override {
    while (true) {
      // An ended frame has nothing left to flush; asking again would begin another one.
      if (ended_ && input->empty()) return size_t{0};
      ZSTD_inBuffer in{input->data(), input->size(), 0};
      ZSTD_outBuffer out{output, room, 0};
      const size_t hint = ZSTD_decompressStream(stream_.get(), &out, &in);
      if (ZSTD_isError(hint) != 0) return DamagedStream("zstd");
      ended_ = hint == 0;
      input->remove_prefix(in.pos);
      if (out.pos > 0 || input->empty()) return out.pos;
    }
  }
  bool IsComplete() const override { return ended_; }

 private:
  std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream_;
  bool ended_ = true;
};

class ZstdCompressor : public Compressor {
 public:
  ZstdCompressor() : stream_(ZSTD_createCStream(), ZSTD_freeCStream) {}

  Status Append(std::string_view data, std::string* out) override {
    ZSTD_inBuffer in{data.data(), data.size(), 0};
    while (in.pos < in.size) {
      if (ZSTD_isError(Run(&in, ZSTD_e_continue, out)) != 0) return Error::Internal("zstd could not compress");
    }
    return {};
  }

  Status Finish(std::string* out) override {
    ZSTD_inBuffer in{nullptr, 0, 0};
    size_t left = 1;
    while (left > 0) {
      left = Run(&in, ZSTD_e_end, out);
      if (ZSTD_isError(left) != 0) return Error::Internal("zstd could not compress");
    }
    return {};
  }

 private:
  size_t Run(ZSTD_inBuffer* in, ZSTD_EndDirective directive, std::string* out) {
    const size_t old = out->size(), piece = ZSTD_CStreamOutSize();
    out->resize(old + piece);
    ZSTD_outBuffer target{out->data() + old, piece, 0};
    const size_t left = ZSTD_compressStream2(stream_.get(), &target, in, directive);
    out->resize(old + target.pos);
    return left;
  }

  std::unique_ptr<ZSTD_CStream, size_t (*)(ZSTD_CStream*)> stream_;
};

}  // namespace

Result<std::unique_ptr<Decompressor>> MakeZstdDecompressor() {
  return std::unique_ptr<Decompressor>(std::make_unique<ZstdDecompressor>());
}

Result<std::unique_ptr<Compressor>> MakeZstdCompressor() {
  return std::unique_ptr<Compressor>(std::make_unique<ZstdCompressor>());
}

}  // namespace frazil::codec
