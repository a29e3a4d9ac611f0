#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/result.h"

namespace frazil::codec {

/// How text files are compressed as a whole: what Hadoop's codecs write and read.
enum class StreamCodec : uint8_t {
  kNone,
  kBzip2,    ///< .bz2: bzip2 streams, one behind the other.
  kDeflate,  ///< .deflate: zlib's format (RFC 1950).
  kGzip,     ///< .gz: members (RFC 1952), one behind the other.
  kLz4,      ///< .lz4: Hadoop's blocks of raw LZ4, not LZ4's own frames.
  kSnappy,   ///< .snappy: Hadoop's blocks of raw Snappy, not Snappy's own frames.
  kZstd,     ///< .zst: frames (RFC 8878), one behind the other.
};

/// By the ending of a path, in lower case, as Hadoop chooses; kNone for any other.
StreamCodec StreamCodecOfPath(std::string_view path);
/// By Spark's name, in any case: "none" and "uncompressed" too. nullopt: there is none of this name.
std::optional<StreamCodec> FindStreamCodec(std::string_view name);
/// ".gz"; empty for kNone.
std::string_view ExtensionOf(StreamCodec codec);
/// The names that FindStreamCodec knows, as messages list them.
std::vector<std::string> StreamCodecNames();

class Decompressor {
 public:
  virtual ~Decompressor() = default;
  /// Takes bytes off the front of `input` and writes at most `room` (> 0) bytes. 0: all of the input is taken, and more
  /// is needed. Error of the kind Storage where the data is damaged.
  virtual Result<size_t> Decompress(std::string_view* input, char* output, size_t room) = 0;
  /// Whether the input may end here.
  virtual bool IsComplete() const = 0;
};

class Compressor {
 public:
  virtual ~Compressor() = default;
  /// Appends to `out` what is ready; the rest comes later.
  virtual Status Append(std::string_view data, std::string* out) = 0;
  /// Appends what is left. Once, at the end.
  virtual Status Finish(std::string* out) = 0;
};

/// Null for kNone.
Result<std::unique_ptr<Decompressor>> MakeDecompressor(StreamCodec codec);
Result<std::unique_ptr<Compressor>> MakeCompressor(StreamCodec codec);

}  // namespace frazil::codec
