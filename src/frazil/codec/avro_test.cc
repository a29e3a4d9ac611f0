#include <gtest/gtest.h>

#include "frazil/codec/avro_file.h"
#include "frazil/codec/deflate.h"

namespace frazil::codec {
namespace {

constexpr char kSchema[] = R"json({"type":"record","name":"r","fields":[
  {"name":"n","type":["null","long"],"field-id":1},
  {"name":"t","type":"string","field-id":2},
  {"name":"skip","type":{"type":"map","values":{"type":"array","items":"double"}}},
  {"name":"f","type":{"type":"fixed","name":"four","size":4},"field-id":3},
  {"name":"again","type":["four","null"]}]})json";

TEST(AvroBinary, LongsGoAndComeBack) {
  for (int64_t value :
       {int64_t{0}, int64_t{-1}, int64_t{1}, int64_t{-64}, int64_t{64}, int64_t{1} << 40, INT64_MAX, INT64_MIN}) {
    std::string out;
    AvroEncoder(&out).WriteLong(value);
    AvroDecoder decoder(out);
    EXPECT_EQ(decoder.ReadLong(), value);
    EXPECT_TRUE(decoder.ok() && decoder.at_end());
    AvroDecoder cut(std::string_view(out).substr(0, out.size() - 1));
    cut.ReadLong();
    EXPECT_FALSE(cut.ok());
  }
  std::string out;
  AvroEncoder encoder(&out);
  encoder.WriteLong(-64);
  EXPECT_EQ(out, "\x7F");  // Zig-zag, as in the specification.
}

TEST(AvroBinary, LengthsThatLieEndInFailure) {
  std::string out;
  AvroEncoder encoder(&out);
  encoder.WriteLong(INT64_MAX);
  AvroDecoder bytes(out);
  EXPECT_EQ(bytes.ReadBytes(), "");
  EXPECT_FALSE(bytes.ok());
  AvroDecoder items(out);
  int64_t count = 0;
  items.ReadItems([&] {
    ++count;
    items.ReadLong();
  });
  EXPECT_FALSE(items.ok());
  EXPECT_EQ(count, 0);
}

TEST(AvroSchemaTest, FieldIdsNamedTypesAndErrors) {
  auto schema = ParseAvroSchema(kSchema);
  ASSERT_TRUE(schema.ok()) << schema.error().message;
  EXPECT_EQ((*schema)->fields[0].field_id, 1);
  EXPECT_EQ((*schema)->fields[2].field_id, -1);
  EXPECT_EQ((*schema)->fields[4].schema->branches[0]->size, 4);
  int null_branch = 0;
  EXPECT_EQ((*schema)->fields[4].schema->NotNull(&null_branch).size, 4);
  EXPECT_EQ(null_branch, 1);
  for (const char* bad :
       {"{}", "\"nope\"", "[]", "{\"type\":\"fixed\",\"name\":\"x\"}", "{\"type\":\"record\",\"name\":\"x\"}", "{"}) {
    EXPECT_FALSE(ParseAvroSchema(bad).ok()) << bad;
  }
}

void WriteRecord(AvroEncoder& out, int i) {
  if (i % 2 == 0) {
    out.WriteNull();
  } else {
    out.WritePresent();
    out.WriteLong(i);
  }
  out.WriteBytes("text " + std::to_string(i));
  out.WriteLong(1);  // One entry of the map, with two items.
  out.WriteBytes("key");
  out.WriteLong(2);
  out.WriteDouble(1.5);
  out.WriteDouble(2.5);
  out.WriteLong(0);
  out.WriteLong(0);
  out.WriteRaw("abcd");
  out.WriteLong(1);
}

TEST(AvroFile, BlocksGoAndComeBack) {
  constexpr int kRecords = 5000;
  for (const char* codec : {"null", "deflate"}) {
    AvroFileWriter writer(kSchema, {{"content", "data"}}, codec);
    for (int i = 0; i < kRecords; ++i) {
      WriteRecord(writer.encoder(), i);
      ASSERT_TRUE(writer.EndRecord().ok());
    }
    auto data = writer.Finish();
    ASSERT_TRUE(data.ok());
    auto reader = AvroFileReader::Open(*data, "x.avro");
    ASSERT_TRUE(reader.ok()) << reader.error().message;
    EXPECT_EQ(reader->metadata().at("content"), "data");
    int seen = 0;
    auto status = reader->ForEachRecord([&](AvroDecoder& decoder) -> Status {
      int64_t branch = decoder.ReadLong();
      EXPECT_EQ(branch, seen % 2);
      if (branch == 1) {
        EXPECT_EQ(decoder.ReadLong(), seen);
      }
      EXPECT_EQ(decoder.ReadBytes(), "text " + std::to_string(seen));
      for (size_t i = 2; i < 5; ++i) decoder.Skip(*reader->schema().fields[i].schema);
      ++seen;
      return {};
    });
    EXPECT_TRUE(status.ok()) << codec;
    EXPECT_EQ(seen, kRecords);
    // A file that is cut off anywhere is no file.
    for (size_t cut : {data->size() - 1, data->size() / 2, size_t{20}, size_t{3}}) {
      auto half = AvroFileReader::Open(data->substr(0, cut), "x.avro");
      bool failed = !half.ok();
      if (half.ok()) {
        failed = !half->ForEachRecord([&](AvroDecoder& decoder) -> Status {
                        decoder.Skip(half->schema());
                        return {};
                      })
                      .ok();
      }
      EXPECT_TRUE(failed) << codec << " " << cut;
    }
  }
}

TEST(AvroFile, UnknownCodecsAreNamed) {
  AvroFileWriter writer(kSchema, {}, "lzma");
  WriteRecord(writer.encoder(), 1);
  ASSERT_TRUE(writer.EndRecord().ok());
  auto data = writer.Finish();
  ASSERT_FALSE(data.ok());
  EXPECT_NE(data.error().message.find("lzma"), std::string::npos);
}

TEST(Deflate, GoesAndComesBack) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i * 7919 % 1000);
  EXPECT_EQ(InflateRaw(DeflateRaw(text).value()).value(), text);
  EXPECT_EQ(GzipDecompress(GzipCompress(text).value()).value(), text);
  EXPECT_EQ(GzipDecompress(GzipCompress("a").value() + GzipCompress("b").value()).value(), "ab");
  EXPECT_EQ(InflateRaw(DeflateRaw("").value()).value(), "");
  EXPECT_FALSE(InflateRaw("not deflate").ok());
  std::string packed = DeflateRaw(text).value();
  EXPECT_FALSE(InflateRaw(packed.substr(0, packed.size() / 2)).ok());
}

}  // namespace
}  // namespace frazil::codec
