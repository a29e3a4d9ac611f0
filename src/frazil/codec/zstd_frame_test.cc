#include "frazil/codec/zstd_frame.h"

#include <gtest/gtest.h>
#include <zstd.h>

namespace frazil::codec {
namespace {

std::string Compress(const std::string& plain) {
  std::string out(ZSTD_compressBound(plain.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), 3));
  return out;
}

TEST(ZstdFrame, GivesBackWhatWasCompressed) {
  std::string plain;
  for (int i = 0; i < 100000; ++i) plain += std::to_string(i * 7919);
  auto result = DecompressZstd(Compress(plain), plain.size());
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(*result, plain);
  EXPECT_EQ(*DecompressZstd(Compress(""), 10), "");
}

TEST(ZstdFrame, RefusesWhatIsTooLargeCutOffOrSomethingElse) {
  const std::string plain(1000, 'a');
  const std::string frame = Compress(plain);
  EXPECT_FALSE(DecompressZstd(frame, 999).ok());
  EXPECT_FALSE(DecompressZstd(frame.substr(0, frame.size() - 1), 1000).ok());
  EXPECT_FALSE(DecompressZstd("no zstd at all", 1000).ok());
  EXPECT_FALSE(DecompressZstd("", 1000).ok());
}

}  // namespace
}  // namespace frazil::codec
