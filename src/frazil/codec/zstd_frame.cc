#include "frazil/codec/zstd_frame.h"

#include <memory>

#include <zstd.h>

namespace frazil::codec {

Result<std::string> DecompressZstd(std::string_view bytes, size_t most_bytes) {
  const auto invalid = [](const std::string& why) {
    return Error::Plain(ExceptionClass::kIllegalArgument, "Cannot decompress zstd: " + why + ".");
  };
  const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::string plain;
  std::string piece(ZSTD_DStreamOutSize(), '\0');
  size_t missing = 1;
  while (missing != 0) {
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    missing = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(missing) != 0) return invalid(ZSTD_getErrorName(missing));
    plain.append(piece, 0, out.pos);
    if (plain.size() > most_bytes) return invalid("more than " + std::to_string(most_bytes) + " bytes");
    if (missing != 0 && out.pos < out.size && in.pos == in.size) return invalid("the frame is cut off");
  }
  return plain;
}

}  // namespace frazil::codec
