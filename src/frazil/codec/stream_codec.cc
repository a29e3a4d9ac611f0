#include "frazil/codec/stream_codec.h"

#include <array>

#include "frazil/base/text.h"
#include "frazil/codec/stream_codecs_internal.h"

namespace frazil::codec {
namespace {

struct Known {
  const char* name;
  const char* extension;
  StreamCodec codec;
};

// In the order in which Spark's messages list them; zstd is not among Spark's.
constexpr std::array kKnown = {
    Known{"bzip2", ".bz2", StreamCodec::kBzip2},   Known{"deflate", ".deflate", StreamCodec::kDeflate},
    Known{"uncompressed", "", StreamCodec::kNone}, Known{"snappy", ".snappy", StreamCodec::kSnappy},
    Known{"none", "", StreamCodec::kNone},         Known{"lz4", ".lz4", StreamCodec::kLz4},
    Known{"gzip", ".gz", StreamCodec::kGzip},      Known{"zstd", ".zst", StreamCodec::kZstd},
};

}  // namespace

StreamCodec StreamCodecOfPath(std::string_view path) {
  for (const auto& known : kKnown) {
    if (known.codec != StreamCodec::kNone && path.ends_with(known.extension)) return known.codec;
  }
  return StreamCodec::kNone;
}

std::optional<StreamCodec> FindStreamCodec(std::string_view name) {
  for (const auto& known : kKnown) {
    if (EqualsIgnoreCase(name, known.name)) return known.codec;
  }
  return std::nullopt;
}

std::string_view ExtensionOf(StreamCodec codec) {
  for (const auto& known : kKnown) {
    if (known.codec == codec) return known.extension;
  }
  return "";
}

std::vector<std::string> StreamCodecNames() {
  std::vector<std::string> names;
  for (const auto& known : kKnown) names.emplace_back(known.name);
  return names;
}

Result<std::unique_ptr<Decompressor>> MakeDecompressor(StreamCodec codec) {
  switch (codec) {
    case StreamCodec::kNone:
      return std::unique_ptr<Decompressor>();
    case StreamCodec::kBzip2:
      return MakeBzip2Decompressor();
    case StreamCodec::kDeflate:
    case StreamCodec::kGzip:
      return MakeZlibDecompressor(codec == StreamCodec::kGzip);
    case StreamCodec::kLz4:
    case StreamCodec::kSnappy:
      return MakeBlockDecompressor(codec);
    case StreamCodec::kZstd:
      return MakeZstdDecompressor();
  }
  return std::unique_ptr<Decompressor>();
}

Result<std::unique_ptr<Compressor>> MakeCompressor(StreamCodec codec) {
  switch (codec) {
    case StreamCodec::kNone:
      return std::unique_ptr<Compressor>();
    case StreamCodec::kBzip2:
      return MakeBzip2Compressor();
    case StreamCodec::kDeflate:
    case StreamCodec::kGzip:
      return MakeZlibCompressor(codec == StreamCodec::kGzip);
    case StreamCodec::kLz4:
    case StreamCodec::kSnappy:
      return MakeBlockCompressor(codec);
    case StreamCodec::kZstd:
      return MakeZstdCompressor();
  }
  return std::unique_ptr<Compressor>();
}

}  // namespace frazil::codec
