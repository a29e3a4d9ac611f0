#include "frazil/codec/stream_codec.h"

#include <gtest/gtest.h>

#include "frazil/codec/deflate.h"

namespace frazil::codec {
namespace {

constexpr StreamCodec kAll[] = {StreamCodec::kBzip2, StreamCodec::kDeflate, StreamCodec::kGzip,
                                StreamCodec::kLz4,   StreamCodec::kSnappy,  StreamCodec::kZstd};

std::string TextOf(size_t size) {
  std::string text;
  for (uint32_t i = 1; text.size() < size; ++i) text += std::to_string(i * 2654435761u) + (i % 9 == 0 ? "\n" : ",");
  text.resize(size);
  return text;
}

std::string Compress(StreamCodec codec, std::string_view text, size_t piece = 1000) {
  auto compressor = *MakeCompressor(codec);
  std::string out;
  for (size_t at = 0; at < text.size(); at += piece) EXPECT_TRUE(compressor->Append(text.substr(at, piece), &out).ok());
  EXPECT_TRUE(compressor->Finish(&out).ok());
  return out;
}

// In pieces of `piece` bytes into room for `room`. "cut off" behind what came where the input ends too early.
std::string Decompress(StreamCodec codec, std::string_view bytes, size_t piece = 100, size_t room = 77) {
  auto decompressor = *MakeDecompressor(codec);
  std::string out, buffer(room, '\0');
  for (size_t at = 0; at < bytes.size(); at += piece) {
    std::string_view input = bytes.substr(at, piece);
    while (true) {
      auto count = decompressor->Decompress(&input, buffer.data(), room);
      if (!count.ok()) return "error: " + count.error().message;
      if (*count == 0) break;
      out.append(buffer, 0, *count);
    }
    EXPECT_TRUE(input.empty());
  }
  return decompressor->IsComplete() ? out : out + "cut off";
}

TEST(StreamCodec, ReadsBackWhatItWrote) {
  for (const auto codec : kAll) {
    for (const size_t size : {size_t{0}, size_t{1}, size_t{1000}, size_t{300'000}, size_t{700'001}}) {
      const std::string text = TextOf(size);
      const std::string bytes = Compress(codec, text, 1 + size / 3);
      EXPECT_EQ(Decompress(codec, bytes, 4096, 9999), text) << ExtensionOf(codec) << " " << size;
      if (size > 1000) continue;
      EXPECT_EQ(Decompress(codec, bytes, 1, 1), text) << ExtensionOf(codec) << " " << size;
    }
  }
}

TEST(StreamCodec, ReadsStreamsOneBehindTheOther) {
  for (const auto codec : kAll)
    EXPECT_EQ(Decompress(codec, Compress(codec, "one ") + Compress(codec, "two")), "one two") << ExtensionOf(codec);
}

TEST(StreamCodec, TellsDamageAndMissingEnds) {
  for (const auto codec : kAll) {
    const std::string bytes = Compress(codec, TextOf(5000));
    const std::string cut = Decompress(codec, std::string_view(bytes).substr(0, bytes.size() - 1));
    EXPECT_TRUE(cut.ends_with("cut off") || cut.starts_with("error: ")) << ExtensionOf(codec) << cut;
    EXPECT_TRUE(Decompress(codec, "these are no compressed bytes at all, but some text").starts_with("error: ") ||
                codec == StreamCodec::kLz4 || codec == StreamCodec::kSnappy)
        << ExtensionOf(codec);
    std::string damaged = bytes;
    for (size_t i = 20; i < damaged.size(); i += 3) damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    EXPECT_NE(Decompress(codec, damaged), TextOf(5000)) << ExtensionOf(codec);
  }
}

TEST(StreamCodec, FramesBlocksAsHadoopDoes) {
  // The length, the chunk's length, one literal run.
  EXPECT_EQ(Compress(StreamCodec::kLz4, "abc"), std::string("\0\0\0\3\0\0\0\4\x30"
                                                            "abc",
                                                            12));
  EXPECT_EQ(Compress(StreamCodec::kSnappy, "abc"), std::string("\0\0\0\3\0\0\0\5\3\x08"
                                                               "abc",
                                                               13));
  EXPECT_EQ(Compress(StreamCodec::kLz4, ""), std::string(4, '\0'));
  // One block of two chunks, as a write of more than a buffer makes it.
  const std::string two(
      "\0\0\0\6\0\0\0\4\x30"
      "abc\0\0\0\4\x30"
      "def",
      20);
  EXPECT_EQ(Decompress(StreamCodec::kLz4, two), "abcdef");
  // A length that promises more than there is takes no memory for it.
  EXPECT_TRUE(
      Decompress(StreamCodec::kLz4, std::string("\xff\xff\xff\xff\xff\xff\xff\xf0zzz", 11)).ends_with("cut off"));
}

TEST(StreamCodec, WritesTheFormatsOfOthers) {
  EXPECT_EQ(*GzipDecompress(Compress(StreamCodec::kGzip, "text")), "text");
  EXPECT_EQ(Compress(StreamCodec::kDeflate, "text").substr(0, 1), "\x78");
  EXPECT_EQ(Compress(StreamCodec::kBzip2, "text").substr(0, 4), "BZh9");
  EXPECT_EQ(Compress(StreamCodec::kZstd, "text").substr(0, 4), "\x28\xb5\x2f\xfd");
}

TEST(StreamCodec, IsChosenByNameAndEnding) {
  EXPECT_EQ(StreamCodecOfPath("/a/b.csv.bz2"), StreamCodec::kBzip2);
  EXPECT_EQ(StreamCodecOfPath("/a/b.gz/c.csv"), StreamCodec::kNone);
  EXPECT_EQ(StreamCodecOfPath("/a/b.GZ"), StreamCodec::kNone);
  EXPECT_EQ(FindStreamCodec("GZip"), StreamCodec::kGzip);
  EXPECT_EQ(FindStreamCodec("uncompressed"), StreamCodec::kNone);
  EXPECT_EQ(FindStreamCodec("lzo"), std::nullopt);
}

}  // namespace
}  // namespace frazil::codec
