#include "frazil/codec/puffin.h"

#include <gtest/gtest.h>

#include "frazil/base/json.h"

namespace frazil::codec {
namespace {

TEST(Puffin, BlobsStandWhereTheFooterSays) {
  PuffinWriter writer;
  const PuffinBlob first = writer.Add("deletion-vector-v1", {2147483545}, {{"cardinality", "2"}}, -1, -1, "first blob");
  const PuffinBlob second = writer.Add("some-type", {1, 2}, {}, 7, 8, "2nd");
  const std::string file = writer.Finish();
  EXPECT_EQ(file.substr(0, 4), "PFA1");
  EXPECT_EQ(file.substr(static_cast<size_t>(first.offset), static_cast<size_t>(first.length)), "first blob");
  EXPECT_EQ(file.substr(static_cast<size_t>(second.offset), static_cast<size_t>(second.length)), "2nd");
  // From the end: magic, flags, size of the payload, payload, magic.
  ASSERT_GT(file.size(), 16u);
  EXPECT_EQ(file.substr(file.size() - 4), "PFA1");
  EXPECT_EQ(file.substr(file.size() - 8, 4), std::string(4, '\0'));
  size_t size = 0;
  for (size_t i = 0; i < 4; ++i) size |= static_cast<size_t>(static_cast<uint8_t>(file[file.size() - 12 + i])) << 8 * i;
  const size_t payload = file.size() - 12 - size;
  EXPECT_EQ(file.substr(payload - 4, 4), "PFA1");
  EXPECT_EQ(payload - 4, static_cast<size_t>(second.offset + second.length));
  auto footer = ParseJson(file.substr(payload, size));
  ASSERT_TRUE(footer.ok());
  const JsonValue& blobs = *footer->Find("blobs");
  ASSERT_EQ(blobs.items.size(), 2u);
  EXPECT_EQ(blobs.items[0].Find("type")->text, "deletion-vector-v1");
  EXPECT_EQ(blobs.items[0].Find("snapshot-id")->text, "-1");
  EXPECT_EQ(blobs.items[0].Find("properties")->Find("cardinality")->text, "2");
  EXPECT_EQ(blobs.items[1].Find("fields")->items[1].text, "2");
  EXPECT_EQ(blobs.items[1].Find("offset")->text, std::to_string(second.offset));
}

TEST(Puffin, TheFooterIsReplaced) {
  PuffinWriter writer;
  const PuffinBlob blob = writer.Add("t", {1}, {{"referenced-data-file", "/a/f"}}, 7, 8, "the blob");
  const std::string file = writer.Finish();
  auto footer = ReadPuffinFooter(file);
  ASSERT_TRUE(footer.ok()) << footer.error().message;
  EXPECT_EQ(footer->offset, blob.offset + blob.length);
  EXPECT_EQ(ReplacePuffinFooter(file, *footer), file);
  footer->metadata.members[0].second.items[0].members.back().second.members[0].second.text = "/longer/f";
  const std::string other = ReplacePuffinFooter(file, *footer);
  EXPECT_EQ(other.size(), file.size() + 5);
  EXPECT_EQ(other.substr(0, static_cast<size_t>(footer->offset)), file.substr(0, static_cast<size_t>(footer->offset)));
  auto again = ReadPuffinFooter(other);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->metadata.Write(), footer->metadata.Write());
}

TEST(Puffin, DamagedFooters) {
  PuffinWriter writer;
  writer.Add("t", {1}, {}, 7, 8, "blob");
  const std::string file = writer.Finish();
  for (size_t size : {size_t{0}, size_t{4}, size_t{19}, file.size() - 1})
    EXPECT_FALSE(ReadPuffinFooter(std::string_view(file).substr(0, size)).ok()) << size;
  std::string changed = file;
  changed[changed.size() - 9] = '\x7F';  // The size's highest byte.
  EXPECT_FALSE(ReadPuffinFooter(changed).ok());
  changed = file;
  changed[changed.size() - 12] = '\x01';
  EXPECT_FALSE(ReadPuffinFooter(changed).ok());
  changed = file;
  changed[changed.size() - 8] = '\x01';  // Compressed by LZ4, it says.
  auto compressed = ReadPuffinFooter(changed);
  ASSERT_FALSE(compressed.ok());
  EXPECT_EQ(compressed.error().condition, "UNSUPPORTED_FEATURE.NAMED");
}

TEST(Puffin, AFileWithoutBlobs) {
  const std::string file = PuffinWriter().Finish();
  EXPECT_EQ(file.substr(0, 8), "PFA1PFA1");
}

}  // namespace
}  // namespace frazil::codec
