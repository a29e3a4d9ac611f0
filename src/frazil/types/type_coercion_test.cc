#include "frazil/types/type_coercion.h"

#include <gtest/gtest.h>

namespace frazil {
namespace {

constexpr CoercionSettings kAnsi = {};
constexpr CoercionSettings kLegacy = {.ansi = false};

std::string Name(const DataTypePtr& type) { return type == nullptr ? "none" : type->SimpleString(); }

const DataTypePtr kText = DataType::String();

TEST(TypeCoercionTest, Tightest) {
  const auto tightest = [](const DataTypePtr& left, const DataTypePtr& right, const CoercionSettings& settings) {
    const std::string name = Name(FindTightestCommonType(left, right, settings));
    EXPECT_EQ(name, Name(FindTightestCommonType(right, left, settings)));
    return name;
  };
  EXPECT_EQ(tightest(DataType::Byte(), DataType::Long(), kAnsi), "bigint");
  EXPECT_EQ(tightest(DataType::Integer(), DataType::Float(), kAnsi), "double");
  EXPECT_EQ(tightest(DataType::Integer(), DataType::Float(), kLegacy), "float");
  EXPECT_EQ(tightest(DataType::Float(), DataType::Double(), kAnsi), "double");
  EXPECT_EQ(tightest(DataType::Integer(), DataType::Decimal(10, 0), kAnsi), "decimal(10,0)");
  EXPECT_EQ(tightest(DataType::Integer(), DataType::Decimal(10, 2), kAnsi), "none");
  EXPECT_EQ(tightest(DataType::Decimal(10, 2), DataType::Decimal(12, 2), kAnsi), "none");
  EXPECT_EQ(tightest(DataType::Date(), DataType::Timestamp(), kAnsi), "timestamp");
  EXPECT_EQ(tightest(DataType::Date(), DataType::TimestampNtz(), kAnsi), "timestamp_ntz");
  EXPECT_EQ(tightest(DataType::TimestampNtz(), DataType::Timestamp(), kAnsi), "timestamp");
  EXPECT_EQ(tightest(DataType::Time(3), DataType::Date(), kAnsi), "none");
  EXPECT_EQ(tightest(DataType::Time(3), DataType::Time(6), kAnsi), "none");
  EXPECT_EQ(tightest(DataType::Null(), DataType::Array(kText), kAnsi), "array<string>");
  EXPECT_EQ(tightest(DataType::Char(3), DataType::Varchar(5), kAnsi), "string");
  EXPECT_EQ(tightest(kText, DataType::StringWithCollation("UNICODE"), kAnsi), "none");
  EXPECT_EQ(tightest(kText, DataType::Integer(), kAnsi), "none");
  using enum IntervalField;
  EXPECT_EQ(tightest(DataType::DayTimeInterval(kDay, kDay), DataType::DayTimeInterval(kMinute, kSecond), kAnsi),
            "interval day to second");
  EXPECT_EQ(tightest(DataType::Geometry(0), DataType::Geometry(4326), kAnsi), "geometry(any)");
}

TEST(TypeCoercionTest, TightestOfNestedTypes) {
  const auto array = FindTightestCommonType(DataType::Array(DataType::Integer(), false),
                                            DataType::Array(DataType::Long(), true), kAnsi);
  ASSERT_NE(array, nullptr);
  EXPECT_EQ(array->SimpleString(), "array<bigint>");
  EXPECT_TRUE(array->contains_null());
  const auto left = DataType::Struct({StructField("a", DataType::Integer(), false)});
  const auto right = DataType::Struct({StructField("A", DataType::Double(), true)});
  const auto merged = FindTightestCommonType(left, right, kAnsi);
  EXPECT_EQ(Name(merged), "struct<a:double>");
  EXPECT_TRUE(merged->fields()[0].nullable);
  EXPECT_EQ(FindTightestCommonType(left, right, {.case_sensitive = true}), nullptr);
  EXPECT_EQ(Name(FindTightestCommonType(DataType::Map(DataType::Integer(), kText),
                                        DataType::Map(DataType::Long(), kText), kAnsi)),
            "map<bigint,string>");
}

TEST(TypeCoercionTest, WiderForTwo) {
  const auto wider = [](const DataTypePtr& left, const DataTypePtr& right, const CoercionSettings& settings) {
    return Name(FindWiderTypeForTwo(left, right, settings));
  };
  EXPECT_EQ(wider(DataType::Decimal(10, 2), DataType::Decimal(5, 4), kAnsi), "decimal(12,4)");
  EXPECT_EQ(wider(DataType::Decimal(10, 2), DataType::Integer(), kAnsi), "decimal(12,2)");
  EXPECT_EQ(wider(DataType::Decimal(10, 2), DataType::Float(), kAnsi), "double");
  EXPECT_EQ(wider(kText, DataType::Integer(), kAnsi), "bigint");
  EXPECT_EQ(wider(kText, DataType::Integer(), kLegacy), "string");
  EXPECT_EQ(wider(kText, DataType::Decimal(5, 2), kAnsi), "double");
  EXPECT_EQ(wider(kText, DataType::Date(), kAnsi), "date");
  EXPECT_EQ(wider(kText, DataType::Date(), kLegacy), "string");
  EXPECT_EQ(wider(kText, DataType::Boolean(), kAnsi), "boolean");
  EXPECT_EQ(wider(kText, DataType::Boolean(), kLegacy), "none");
  EXPECT_EQ(wider(kText, DataType::Binary(), kAnsi), "binary");
  EXPECT_EQ(wider(kText, DataType::Binary(), kLegacy), "none");
  EXPECT_EQ(wider(kText, DataType::DayTimeInterval(), kAnsi), "none");
  EXPECT_EQ(wider(kText, DataType::DayTimeInterval(), kLegacy), "string");
  EXPECT_EQ(wider(DataType::Array(kText), DataType::Array(DataType::Integer()), kAnsi), "array<bigint>");
  EXPECT_EQ(wider(DataType::Array(kText), DataType::Array(DataType::Integer()), kLegacy), "array<string>");
  EXPECT_EQ(wider(DataType::Boolean(), DataType::Integer(), kAnsi), "none");
}

TEST(TypeCoercionTest, WiderCommon) {
  const std::vector<DataTypePtr> types = {DataType::Timestamp(), DataType::Integer(), kText};
  EXPECT_EQ(Name(FindWiderCommonType(types, kLegacy)), "string");
  EXPECT_EQ(Name(FindWiderCommonType(types, kAnsi)), "none");
  EXPECT_EQ(Name(FindWiderCommonType({}, kAnsi)), "void");
  EXPECT_EQ(Name(FindWiderCommonType({DataType::Null(), DataType::Byte(), DataType::Decimal(2, 1)}, kAnsi)),
            "decimal(4,1)");
  EXPECT_EQ(Name(FindWiderTypeWithoutStringPromotion({kText, DataType::Integer()}, kLegacy)), "none");
  EXPECT_EQ(Name(FindWiderTypeWithoutStringPromotion({DataType::Decimal(3, 1), DataType::Integer()}, kLegacy)),
            "decimal(11,1)");
}

TEST(TypeCoercionTest, LegacyComparisons) {
  const auto common = [](const DataTypePtr& left, const DataTypePtr& right) {
    return Name(FindCommonTypeForBinaryComparison(left, right));
  };
  EXPECT_EQ(common(kText, DataType::Date()), "date");
  EXPECT_EQ(common(DataType::Timestamp(), kText), "timestamp");
  EXPECT_EQ(Name(FindCommonTypeForBinaryComparison(kText, DataType::Date(), true)), "string");
  EXPECT_EQ(common(kText, DataType::Decimal(5, 2)), "double");
  EXPECT_EQ(common(kText, DataType::Decimal(5, 0)), "decimal(5,0)");
  EXPECT_EQ(common(kText, DataType::Integer()), "int");
  EXPECT_EQ(common(kText, DataType::YearMonthInterval()), "none");
  EXPECT_EQ(common(DataType::Date(), DataType::Timestamp()), "timestamp");
  EXPECT_EQ(common(DataType::Integer(), DataType::Long()), "none");
  EXPECT_EQ(common(kText, DataType::Null()), "string");
}

TEST(TypeCoercionTest, ImplicitCasts) {
  struct Case {
    DataTypePtr from;
    AbstractType expected;
    std::string ansi, legacy;
  };
  const Case cases[] = {
      {DataType::Integer(), DataType::Integer(), "int", "int"},
      {DataType::Integer(), DataType::Long(), "bigint", "bigint"},
      {DataType::Long(), DataType::Integer(), "int", "int"},
      {DataType::Double(), AbstractType::Integral(), "none", "none"},
      {DataType::Double(), DataType::Integer(), "int", "int"},
      {kText, DataType::Integer(), "int", "int"},
      {kText, AbstractType::Integral(), "none", "none"},
      {kText, AbstractType::Numeric(), "double", "double"},
      {kText, AbstractType::Decimal(), "decimal(38,18)", "decimal(38,18)"},
      {DataType::Integer(), AbstractType::Decimal(), "decimal(10,0)", "decimal(10,0)"},
      {DataType::Integer(), kText, "string", "string"},
      {DataType::Integer(), AbstractType::AnyString(), "string", "string"},
      {DataType::Integer(), DataType::Date(), "none", "none"},
      {DataType::Boolean(), AbstractType::Numeric(), "none", "none"},
      {DataType::Boolean(), kText, "string", "string"},
      {kText, DataType::Boolean(), "boolean", "none"},
      {kText, DataType::Binary(), "binary", "binary"},
      {DataType::Binary(), kText, "string", "string"},
      {DataType::Date(), AbstractType::AnyTimestamp(), "timestamp", "timestamp"},
      {DataType::TimestampNtz(), AbstractType::AnyTimestamp(), "timestamp_ntz", "timestamp_ntz"},
      {kText, AbstractType::AnyTimestamp(), "timestamp", "timestamp"},
      {DataType::Timestamp(), DataType::Date(), "date", "date"},
      {DataType::Null(), DataType::Integer(), "int", "int"},
      {DataType::Null(), AbstractType::Array(), "array<void>", "array<void>"},
      {DataType::Null(), AbstractType::Any(), "void", "void"},
      {DataType::Array(DataType::Integer()), AbstractType::Array(), "array<int>", "array<int>"},
      {DataType::Array(DataType::Integer()), AbstractType::ArrayOf(AbstractType::AnyString()), "array<string>",
       "array<string>"},
      {DataType::Array(DataType::Integer(), false), DataType::Array(DataType::Long(), false), "array<bigint>",
       "array<bigint>"},
      {DataType::Map(kText, DataType::Integer()), AbstractType::Map(), "map<string,int>", "map<string,int>"},
      {DataType::Integer(), AbstractType::OneOf({kText, DataType::Binary(), AbstractType::Array()}), "string",
       "string"},
      {kText, AbstractType::OneOf({AbstractType::Numeric(), AbstractType::AnsiInterval()}), "double", "double"},
      {DataType::Char(5), kText, "string", "string"},
      {kText, DataType::StringWithCollation("UNICODE"), "none", "none"},
      {DataType::DayTimeInterval(), AbstractType::YearMonthInterval(), "none", "none"},
      {DataType::Integer(), AbstractType::Struct(), "none", "none"},
  };
  for (const auto& [from, expected, ansi, legacy] : cases) {
    EXPECT_EQ(Name(ImplicitCast(from, expected, kAnsi)), ansi) << from->Sql() << " as " << expected.SimpleString();
    EXPECT_EQ(Name(ImplicitCast(from, expected, kLegacy)), legacy) << from->Sql() << " as " << expected.SimpleString();
  }
}

TEST(AbstractTypeTest, Texts) {
  EXPECT_EQ(AbstractType::OneOf({AbstractType::Numeric(), AbstractType::DayTimeInterval()}).QuotedSql(),
            "(\"NUMERIC\" or \"INTERVAL DAY TO SECOND\")");
  EXPECT_EQ(AbstractType(DataType::Integer()).QuotedSql(), "\"INT\"");
  EXPECT_EQ(AbstractType::AnyTimestamp().QuotedSql(), "\"(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)\"");
  EXPECT_EQ(AbstractType::ArrayOf(AbstractType::AnyString()).QuotedSql(), "\"ARRAY<STRING>\"");
  EXPECT_EQ(AbstractType::MapOf(kText, AbstractType::Any()).SimpleString(), "map<string, any>");
}

TEST(AbstractTypeTest, Accepts) {
  EXPECT_TRUE(AbstractType::AnyString().Accepts(*DataType::Char(3)));
  EXPECT_FALSE(AbstractType(kText).Accepts(*DataType::Char(3)));
  EXPECT_TRUE(AbstractType(DataType::Geometry(-1)).Accepts(*DataType::Geometry(0)));
  EXPECT_FALSE(AbstractType(DataType::Geometry(0)).Accepts(*DataType::Geometry(-1)));
  EXPECT_FALSE(AbstractType::ArrayOf(AbstractType::Numeric()).Accepts(*DataType::Array(kText)));
  EXPECT_TRUE(AbstractType::Struct().Accepts(*DataType::Struct({})));
}

}  // namespace
}  // namespace frazil
