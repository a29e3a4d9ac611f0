#pragma once

// One maker a library; see stream_codec.h. Internal to codec/.

#include "frazil/codec/stream_codec.h"

namespace frazil::codec {

/// `gzip`: gzip's frame, else zlib's.
Result<std::unique_ptr<Decompressor>> MakeZlibDecompressor(bool gzip);
Result<std::unique_ptr<Compressor>> MakeZlibCompressor(bool gzip);
Result<std::unique_ptr<Decompressor>> MakeBzip2Decompressor();
Result<std::unique_ptr<Compressor>> MakeBzip2Compressor();
Result<std::unique_ptr<Decompressor>> MakeZstdDecompressor();
Result<std::unique_ptr<Compressor>> MakeZstdCompressor();
/// kLz4 or kSnappy.
Result<std::unique_ptr<Decompressor>> MakeBlockDecompressor(StreamCodec codec);
Result<std::unique_ptr<Compressor>> MakeBlockCompressor(StreamCodec codec);

inline Error DamagedStream(const char* format) {
  return Error::Storage(std::string("Compressed data is damaged or cut off: ") + format);
}

}  // namespace frazil::codec
