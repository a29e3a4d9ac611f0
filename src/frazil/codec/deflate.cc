#include "frazil/codec/deflate.h"

#include <limits>
#include <zlib.h>

namespace frazil::codec {
namespace {

constexpr int kRawWindow = -15;       // Negative: no frame.
constexpr int kGzipWindow = 15 + 16;  // 16 more: gzip frame.

Result<std::string> Compress(std::string_view data, int level, int window) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return Error::Internal("zlib could not be started");
  }
  if (data.size() > std::numeric_limits<uInt>::max()) {
    deflateEnd(&stream);
    return Error::Storage("Too much data for one compressed block");
  }
  std::string out(deflateBound(&stream, static_cast<uLong>(data.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  int outcome = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (outcome != Z_STREAM_END) return Error::Internal("zlib could not compress");
  return out;
}

Result<std::string> Decompress(std::string_view data, int window, bool several_members) {
  z_stream stream{};
  if (inflateInit2(&stream, window) != Z_OK) return Error::Internal("zlib could not be started");
  std::string out;
  char buffer[64 * 1024];
  size_t position = 0;
  int outcome = Z_OK;
  while (true) {
    size_t piece = std::min<size_t>(data.size() - position, 1u << 30);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data() + position));
    stream.avail_in = static_cast<uInt>(piece);
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof(buffer);
    outcome = inflate(&stream, Z_NO_FLUSH);
    position += piece - stream.avail_in;
    size_t produced = sizeof(buffer) - stream.avail_out;
    out.append(buffer, produced);
    if (outcome == Z_STREAM_END) {
      if (!several_members || position >= data.size()) break;
      if (inflateReset2(&stream, window) != Z_OK) break;
      continue;
    }
    if (outcome != Z_OK || (produced == 0 && position >= data.size())) break;
  }
  inflateEnd(&stream);
  if (outcome != Z_STREAM_END) return Error::Storage("Compressed data is damaged or cut off");
  return out;
}

}  // namespace

Result<std::string> DeflateRaw(std::string_view data, int level) { return Compress(data, level, kRawWindow); }
Result<std::string> InflateRaw(std::string_view data) { return Decompress(data, kRawWindow, false); }
Result<std::string> GzipCompress(std::string_view data, int level) { return Compress(data, level, kGzipWindow); }
Result<std::string> GzipDecompress(std::string_view data) { return Decompress(data, kGzipWindow, true); }

bool IsGzip(std::string_view data) { return data.starts_with("\x1f\x8b"); }

Result<std::string> GunzipIfGzip(std::string data) {
  if (!IsGzip(data)) return data;
  return GzipDecompress(data);
}

}  // namespace frazil::codec
