#include "frazil/tables/files/partition_types.h"

#include <gtest/gtest.h>

namespace frazil::tables {
namespace {

std::string TypeOf(const std::vector<std::optional<std::string>>& texts) {
  std::vector<const std::optional<std::string>*> pointers;
  for (const auto& text : texts) pointers.push_back(&text);
  return InferPartitionType(pointers)->SimpleString();
}

// What Spark 4.1 makes of each.
TEST(PartitionTypesTest, OneText) {
  for (const auto& [text, type] :
       std::vector<std::pair<std::string, std::string>>{{"1", "int"},
                                                        {"007", "int"},
                                                        {"+5", "int"},
                                                        {"-2147483649", "bigint"},
                                                        {"9223372036854775807", "bigint"},
                                                        {"9223372036854775808", "decimal(19,0)"},
                                                        {"99999999999999999999999999999999999999", "decimal(38,0)"},
                                                        {"999999999999999999999999999999999999999", "double"},
                                                        {"1e5", "decimal(6,0)"},
                                                        {"1.5e3", "decimal(4,0)"},
                                                        {"1.", "decimal(1,0)"},
                                                        {"1.0", "double"},
                                                        {".5", "double"},
                                                        {"1.50", "double"},
                                                        {"NaN", "double"},
                                                        {"-Infinity", "double"},
                                                        {"nan", "string"},
                                                        {"inf", "string"},
                                                        {"1d", "double"},
                                                        {"1L", "string"},
                                                        {"0x10", "string"},
                                                        {"0x1p3", "double"},
                                                        {" 5", "double"},
                                                        {"1e400", "double"},
                                                        {"1_000", "string"},
                                                        {"-", "string"},
                                                        {"2026-01-31", "date"},
                                                        {"2026-02-30", "string"},
                                                        {"2026-1-31", "string"},
                                                        {"12026-01-01", "string"},
                                                        {"2026-01-31 xyz", "string"},
                                                        {"2026-01-31 ", "string"},
                                                        {"2026-01-31 06:02", "string"},
                                                        {"2026-01-31 06:02:07", "timestamp"},
                                                        {"2026-01-31 06:02:07.5", "timestamp"},
                                                        {"2026-01-31 06:02:07.50", "string"},
                                                        {"2026-01-31T06:02:07", "string"},
                                                        {"2026-01-31 24:00:00", "string"},
                                                        {"06:02:07", "time(6)"},
                                                        {"06:02:07.123456", "time(6)"},
                                                        {"06:02:07.1234567", "string"},
                                                        {"06:02:07.", "string"},
                                                        {"06:02", "string"},
                                                        {"24:00:00", "string"},
                                                        {"true", "string"}}) {
    EXPECT_EQ(TypeOf({text}), type) << text;
  }
}

TEST(PartitionTypesTest, WhatTheyHaveInCommon) {
  EXPECT_EQ(TypeOf({"1", "9999999999"}), "bigint");
  EXPECT_EQ(TypeOf({"1", "1.5"}), "double");
  EXPECT_EQ(TypeOf({"9999999999", "1.5"}), "string");
  EXPECT_EQ(TypeOf({"1", "99999999999999999999"}), "decimal(20,0)");
  EXPECT_EQ(TypeOf({"1e5", "7"}), "decimal(10,0)");
  EXPECT_EQ(TypeOf({"1.5", "99999999999999999999"}), "string");
  EXPECT_EQ(TypeOf({"2026-01-01", "2026-01-01 00:00:01"}), "timestamp");
  EXPECT_EQ(TypeOf({"2026-01-01", "06:02:07"}), "string");
  EXPECT_EQ(TypeOf({"1", "2026-01-01"}), "string");
  EXPECT_EQ(TypeOf({std::nullopt, "5", std::nullopt}), "int");
  EXPECT_EQ(TypeOf({std::nullopt}), "void");
}

TEST(PartitionTypesTest, Values) {
  const auto zone = *TimeZone::Find("America/Los_Angeles");
  const auto value = [&](const std::string& text, const DataTypePtr& type) {
    const auto found = PartitionTextToValue(text, *type, *zone);
    return found.ok() ? ValueToString(*type, *found) : found.error().condition;
  };
  EXPECT_EQ(value("+5", DataType::Integer()), "5");
  EXPECT_EQ(value(" 5d", DataType::Double()), "5.0");
  EXPECT_EQ(value("0x1p3", DataType::Double()), "8.0");
  EXPECT_EQ(value("1e400", DataType::Double()), "Infinity");
  EXPECT_EQ(value("1e5", DataType::Decimal(6, 0)), "100000");
  EXPECT_EQ(value("06:02:07.5", DataType::Time()), "06:02:07.5");
  EXPECT_EQ(value("2026-01-31 06:02:07", DataType::Timestamp()), "2026-01-31 14:02:07");
  EXPECT_EQ(value("x", DataType::Integer()), "INVALID_PARTITION_VALUE");
}

}  // namespace
}  // namespace frazil::tables
