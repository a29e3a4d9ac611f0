#include "frazil/server/result_printer.h"

#include <sstream>

#include <gtest/gtest.h>

namespace frazil::server {
namespace {

// Two columns, a BIGINT and a STRING, in one batch; the second row of the text is null.
class TwoColumns : public engine::ResultStream {
 public:
  const DataTypePtr& schema() const override { return schema_; }
  Result<std::unique_ptr<ArrowBatch>> Next() override {
    if (sent_) return std::unique_ptr<ArrowBatch>();
    sent_ = true;
    const auto keep = [](ArrowArray* array) { array->release = nullptr; };
    columns_[0] = ArrowArray{3, 0, 0, 2, 0, number_buffers_, nullptr, nullptr, keep, nullptr};
    columns_[1] = ArrowArray{3, 1, 0, 3, 0, text_buffers_, nullptr, nullptr, keep, nullptr};
    ArrowArray batch{3, 0, 0, 1, 2, batch_buffers_, children_, nullptr, keep, nullptr};
    return std::make_unique<ArrowBatch>(&batch);
  }

 private:
  DataTypePtr schema_ =
      DataType::Struct({StructField("n", DataType::Long()), StructField("text, long", DataType::String())});
  bool sent_ = false;
  const int64_t numbers_[3] = {1, 20, 300};
  const void* number_buffers_[2] = {nullptr, numbers_};
  const uint8_t valid_ = 0b101;
  const int32_t offsets_[4] = {0, 5, 5, 8};
  const char* bytes_ = "ä, \"ab\n";
  const void* text_buffers_[3] = {&valid_, offsets_, bytes_};
  const void* batch_buffers_[1] = {nullptr};
  ArrowArray columns_[2];
  ArrowArray* children_[2] = {&columns_[0], &columns_[1]};
};

// A BINARY, an ARRAY<BINARY> and a STRING over the same three values: FF 0A, nothing and null.
class Bytes : public engine::ResultStream {
 public:
  const DataTypePtr& schema() const override { return schema_; }
  Result<std::unique_ptr<ArrowBatch>> Next() override {
    if (sent_) return std::unique_ptr<ArrowBatch>();
    sent_ = true;
    const auto keep = [](ArrowArray* array) { array->release = nullptr; };
    elements_ = ArrowArray{3, 1, 0, 3, 0, buffers_, nullptr, nullptr, keep, nullptr};
    columns_[0] = elements_;
    columns_[1] = ArrowArray{3, 0, 0, 2, 1, list_buffers_, element_children_, nullptr, keep, nullptr};
    columns_[2] = ArrowArray{3, 1, 0, 3, 0, text_buffers_, nullptr, nullptr, keep, nullptr};
    ArrowArray batch{3, 0, 0, 1, 3, batch_buffers_, children_, nullptr, keep, nullptr};
    return std::make_unique<ArrowBatch>(&batch);
  }

 private:
  DataTypePtr schema_ =
      DataType::Struct({StructField("b", DataType::Binary()), StructField("l", DataType::Array(DataType::Binary())),
                        StructField("t", DataType::String())});
  bool sent_ = false;
  const uint8_t valid_ = 0b011;
  const int32_t offsets_[4] = {0, 2, 2, 2};
  const int32_t list_offsets_[4] = {0, 1, 2, 3};
  const char* bytes_ = "\xff\n";
  const char* text_ = "ab";
  const void* buffers_[3] = {&valid_, offsets_, bytes_};
  const void* text_buffers_[3] = {&valid_, offsets_, text_};
  const void* list_buffers_[2] = {nullptr, list_offsets_};
  const void* batch_buffers_[1] = {nullptr};
  ArrowArray elements_;
  ArrowArray* element_children_[1] = {&elements_};
  ArrowArray columns_[3];
  ArrowArray* children_[3] = {&columns_[0], &columns_[1], &columns_[2]};
};

std::string PrintBytes(OutputFormat format) {
  Bytes stream;
  std::ostringstream out;
  EXPECT_TRUE(PrintResult(stream, format, "UTC", out).ok());
  return out.str();
}

TEST(ResultPrinter, BytesAreBase64InJsonAndHexadecimalElsewhere) {
  EXPECT_EQ(PrintBytes(OutputFormat::kJson),
            "{\"b\":\"/wo=\",\"l\":[\"/wo=\"],\"t\":\"ab\"}\n"
            "{\"b\":\"\",\"l\":[\"\"],\"t\":\"\"}\n"
            "{\"b\":null,\"l\":[null],\"t\":null}\n");
  const std::string table = PrintBytes(OutputFormat::kTable);
  EXPECT_NE(table.find("|[FF 0A]|[[FF 0A]]|ab  |\n"), std::string::npos) << table;
}

TEST(ResultPrinter, CsvTellsNullFromTheEmptyText) {
  EXPECT_EQ(PrintBytes(OutputFormat::kCsv), "b,l,t\n[FF 0A],[[FF 0A]],ab\n[],[[]],\"\"\n,[null],\n");
}

std::string Print(OutputFormat format) {
  TwoColumns stream;
  std::ostringstream out;
  const auto rows = PrintResult(stream, format, "UTC", out);
  EXPECT_TRUE(rows.ok());
  EXPECT_EQ(*rows, 3);
  return out.str();
}

TEST(ResultPrinter, TableIsAsWideAsItsCells) {
  const std::string printed = Print(OutputFormat::kTable);
  EXPECT_EQ(printed.substr(0, printed.find('|')), "+---+----------+\n");
  EXPECT_NE(printed.find("|n  |text, long|\n"), std::string::npos) << printed;
  EXPECT_NE(printed.find("|1  |ä, \"      |\n"), std::string::npos) << printed;
  EXPECT_NE(printed.find("|20 |NULL      |\n"), std::string::npos) << printed;
}

TEST(ResultPrinter, CsvQuotesWhatMustBeQuoted) {
  EXPECT_EQ(Print(OutputFormat::kCsv), "n,\"text, long\"\n1,\"ä, \"\"\"\n20,\n300,\"ab\n\"\n");
}

TEST(ResultPrinter, JsonIsOneObjectALine) {
  EXPECT_EQ(
      Print(OutputFormat::kJson),
      "{\"n\":1,\"text, long\":\"ä, \\\"\"}\n{\"n\":20,\"text, long\":null}\n{\"n\":300,\"text, long\":\"ab\\n\"}\n");
}

}  // namespace
}  // namespace frazil::server
