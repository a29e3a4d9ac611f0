#include <cmath>

#include <gtest/gtest.h>

#include "frazil/tables/iceberg/single_value.h"
#include "frazil/tables/iceberg/spark_schema.h"
#include "frazil/tables/transform.h"

namespace frazil::tables::iceberg {
namespace {

TypePtr Of(TypeKind kind) { return Type::Primitive(kind); }

TEST(SingleValue, BinaryFormGoesAndComesBack) {
  struct Case {
    TypePtr type;
    Value value;
    std::string bytes;
  };
  const std::vector<Case> cases = {
      {Of(TypeKind::kBoolean), Value(true), std::string("\x01", 1)},
      {Of(TypeKind::kInt), Value(1234), std::string("\xD2\x04\x00\x00", 4)},
      {Of(TypeKind::kInt), Value(-1), std::string("\xFF\xFF\xFF\xFF", 4)},
      {Of(TypeKind::kLong), Value(int64_t{1234}), std::string("\xD2\x04\x00\x00\x00\x00\x00\x00", 8)},
      {Of(TypeKind::kDouble), Value(1.0), std::string("\x00\x00\x00\x00\x00\x00\xF0\x3F", 8)},
      {Of(TypeKind::kDate), Value(1000), std::string("\xE8\x03\x00\x00", 4)},
      {Of(TypeKind::kString), Value("ABC"), "ABC"},
      {Type::Decimal(9, 2), Value(Decimal128{1420}), std::string("\x05\x8C", 2)},
      {Type::Decimal(9, 2), Value(Decimal128{-1}), std::string("\xFF", 1)},
      {Type::Decimal(9, 2), Value(Decimal128{128}), std::string("\x00\x80", 2)},
      {Of(TypeKind::kUuid), Value("f79c3e09-677c-4bbd-a479-3f349cb785e7"),
       std::string("\xF7\x9C\x3E\x09\x67\x7C\x4B\xBD\xA4\x79\x3F\x34\x9C\xB7\x85\xE7", 16)},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(ToBytes(*c.type, c.value), c.bytes) << TypeText(*c.type);
    auto back = FromBytes(*c.type, c.bytes);
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(*back, c.value) << TypeText(*c.type);
  }
}

TEST(SingleValue, BoundsOfPromotedColumnsAreRead) {
  EXPECT_EQ(FromBytes(*Of(TypeKind::kLong), std::string("\xD2\x04\x00\x00", 4)).value(), Value(int64_t{1234}));
  EXPECT_EQ(FromBytes(*Of(TypeKind::kDouble), std::string("\x00\x00\x80\x3F", 4)).value(), Value(1.0));
  EXPECT_FALSE(FromBytes(*Of(TypeKind::kInt), "abc").ok());
}

TEST(SingleValue, UpperBoundsAreIncremented) {
  std::string bound;
  ASSERT_TRUE(TruncateUpperBound(true, "abcdef", 3, &bound));
  EXPECT_EQ(bound, "abd");
  ASSERT_TRUE(TruncateUpperBound(true, "abc", 3, &bound));
  EXPECT_EQ(bound, "abc");
  // The last possible character cannot be made greater, so the one in front of it is.
  ASSERT_TRUE(TruncateUpperBound(true, "a\xF4\x8F\xBF\xBFz", 2, &bound));
  EXPECT_EQ(bound, "b");
  EXPECT_FALSE(TruncateUpperBound(true, "\xF4\x8F\xBF\xBF\xF4\x8F\xBF\xBF", 1, &bound));
  // U+D7FF is followed by U+E000: what is between are no characters.
  ASSERT_TRUE(TruncateUpperBound(true, "\xED\x9F\xBFz", 1, &bound));
  EXPECT_EQ(bound, "\xEE\x80\x80");
  ASSERT_TRUE(TruncateUpperBound(false, "a\xFFz", 2, &bound));
  EXPECT_EQ(bound, "b");
  EXPECT_FALSE(TruncateUpperBound(false, "\xFF\xFF", 1, &bound));
  EXPECT_EQ(TruncateLowerBound(true, "\xC3\xA9\xC3\xA9\xC3\xA9", 2), "\xC3\xA9\xC3\xA9");
}

TEST(SingleValue, JsonFormGoesAndComesBack) {
  const std::vector<std::pair<TypePtr, std::string>> cases = {
      {Of(TypeKind::kBoolean), "true"},
      {Of(TypeKind::kLong), "34"},
      {Of(TypeKind::kDouble), "1.5"},
      {Of(TypeKind::kDate), "\"2017-11-16\""},
      {Of(TypeKind::kTime), "\"22:31:08.123456\""},
      {Of(TypeKind::kTimestamp), "\"2017-11-16T22:31:08.123456\""},
      {Of(TypeKind::kTimestampTz), "\"1969-12-31T23:59:59.999999+00:00\""},
      {Of(TypeKind::kString), "\"ice\""},
      {Of(TypeKind::kBinary), "\"000102ff\""},
      {Type::Decimal(9, 2), "\"-14.20\""},
  };
  for (const auto& [type, text] : cases) {
    auto value = FromJsonValue(*type, ParseJson(text).value());
    ASSERT_TRUE(value.ok()) << text;
    auto back = ToJsonValue(*type, *value);
    ASSERT_TRUE(back.ok()) << text;
    EXPECT_EQ(back->Write(), text);
  }
  EXPECT_FALSE(FromJsonValue(*Of(TypeKind::kDate), ParseJson("\"yesterday\"").value()).ok());
}

// Values of the specification, Appendix B.
TEST(Transform, BucketHashes) {
  EXPECT_EQ(BucketHash(*DataType::Integer(), Value(34)), 2017239379);
  EXPECT_EQ(BucketHash(*DataType::Long(), Value(int64_t{34})), 2017239379);
  EXPECT_EQ(BucketHash(*DataType::Decimal(9, 2), Value(Decimal128{1420})), -500754589);
  EXPECT_EQ(BucketHash(*DataType::Date(), Value(17486)), -653330422);
  EXPECT_EQ(BucketHash(*DataType::Time(), Value(int64_t{81068000000})), -662762989);
  EXPECT_EQ(BucketHash(*DataType::TimestampNtz(), Value(int64_t{1510871468000000})), -2047944441);
  EXPECT_EQ(BucketHash(*DataType::Timestamp(), Value(int64_t{1510871468000001})), -1207196810);
  EXPECT_EQ(BucketHash(*DataType::String(), Value("iceberg")), 1210000089);
  EXPECT_EQ(BucketHash(*DataType::Binary(), Value(std::string("\x00\x01\x02\x03", 4))), -188683207);
}

TEST(Transform, ValuesAndTexts) {
  auto apply = [](TransformKind kind, int32_t parameter, const DataTypePtr& type, Value value) {
    return ApplyTransform(kind, parameter, *type, value);
  };
  EXPECT_EQ(apply(TransformKind::kBucket, 16, DataType::String(), Value("rider-91c3e0")), Value(10));
  EXPECT_EQ(apply(TransformKind::kBucket, 8, DataType::Long(), Value(int64_t{34})), Value(3));
  EXPECT_EQ(apply(TransformKind::kTruncate, 10, DataType::Integer(), Value(-1)), Value(-10));
  EXPECT_EQ(apply(TransformKind::kTruncate, 10, DataType::Integer(), Value(11)), Value(10));
  EXPECT_EQ(apply(TransformKind::kTruncate, 10, DataType::Integer(), Value(int64_t{INT32_MIN})),
            Value(int64_t{2147483646}));
  EXPECT_EQ(apply(TransformKind::kTruncate, 50, DataType::Decimal(9, 2), Value(Decimal128{1065})),
            Value(Decimal128{1050}));
  EXPECT_EQ(apply(TransformKind::kTruncate, 3, DataType::String(), Value("\xC3\xA9\xC3\xA9\xC3\xA9z")),
            Value("\xC3\xA9\xC3\xA9\xC3\xA9"));
  EXPECT_EQ(apply(TransformKind::kDay, 0, DataType::Date(), Value(-1)), Value(-1));
  EXPECT_EQ(apply(TransformKind::kYear, 0, DataType::Date(), Value(-1)), Value(-1));
  EXPECT_EQ(apply(TransformKind::kMonth, 0, DataType::Date(), Value(-1)), Value(-1));
  EXPECT_EQ(apply(TransformKind::kHour, 0, DataType::Timestamp(), Value(int64_t{-1})), Value(-1));
  EXPECT_EQ(apply(TransformKind::kHour, 0, DataType::Timestamp(), Value(int64_t{1789668300000000})), Value(497130));
  EXPECT_TRUE(apply(TransformKind::kVoid, 0, DataType::Long(), Value(1)).is_null());
  EXPECT_TRUE(apply(TransformKind::kYear, 0, DataType::Date(), Value()).is_null());
  EXPECT_EQ(PartitionValueText(TransformKind::kYear, *DataType::Integer(), Value(56)), "2026");
  EXPECT_EQ(PartitionValueText(TransformKind::kMonth, *DataType::Integer(), Value(680)), "2026-09");
  EXPECT_EQ(PartitionValueText(TransformKind::kMonth, *DataType::Integer(), Value(-1)), "1969-12");
  EXPECT_EQ(PartitionValueText(TransformKind::kDay, *DataType::Date(), Value(-1)), "1969-12-31");
  EXPECT_EQ(PartitionValueText(TransformKind::kHour, *DataType::Integer(), Value(497130)), "2026-09-17-18");
  // As java.time prints them: no seconds where they are 0, three or six digits of a fraction.
  for (const auto& [micros, text] :
       std::vector<std::pair<int64_t, std::string>>{{0, "1970-01-01T00:00"},
                                                    {1'000'000, "1970-01-01T00:00:01"},
                                                    {1'500'000, "1970-01-01T00:00:01.500"},
                                                    {120'000'001, "1970-01-01T00:02:00.000001"},
                                                    {-1, "1969-12-31T23:59:59.999999"}}) {
    EXPECT_EQ(PartitionValueText(TransformKind::kIdentity, *DataType::Timestamp(), Value(micros)), text + "Z");
    EXPECT_EQ(PartitionValueText(TransformKind::kIdentity, *DataType::TimestampNtz(), Value(micros)), text);
  }
  EXPECT_EQ(PartitionValueText(TransformKind::kIdentity, *DataType::Binary(), Value(std::string("\x00\xFF", 2))),
            "AP8=");
  EXPECT_EQ(PartitionValueText(TransformKind::kIdentity, *DataType::String(), Value()), "null");
}

TEST(Transform, FolderNamesAreEscaped) {
  PartitionField city;
  city.name = "a b";
  city.result_type = DataType::String();
  EXPECT_EQ(PartitionPath({city}, {Value("l a/\xC3\xA9*=")}), "a+b=l+a%2F%C3%A9*%3D");
  EXPECT_EQ(PartitionPath({city}, {Value()}), "a+b=null");
}

}  // namespace
}  // namespace frazil::tables::iceberg
