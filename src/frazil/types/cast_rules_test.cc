#include "frazil/types/cast_rules.h"

#include <gtest/gtest.h>

namespace frazil {
namespace {

const DataTypePtr kInt = DataType::Integer();
const DataTypePtr kText = DataType::String();

DataTypePtr Fields(std::vector<StructField> fields) { return DataType::Struct(std::move(fields)); }

TEST(CastRulesTest, AnsiAndLegacyDiffer) {
  struct Case {
    DataTypePtr from, to;
    bool ansi, legacy;
  };
  const Case cases[] = {
      {DataType::Date(), kInt, false, true},
      {DataType::Date(), DataType::Boolean(), false, true},
      {DataType::Timestamp(), DataType::Boolean(), false, true},
      {DataType::Boolean(), DataType::Timestamp(), false, true},
      {kInt, DataType::Binary(), false, true},
      {DataType::Timestamp(), DataType::Double(), true, true},
      {DataType::TimestampNtz(), DataType::Long(), false, false},
      {kText, DataType::Binary(), true, true},
      {DataType::Binary(), kInt, false, false},
      {DataType::Binary(), kText, true, true},
      {kInt, DataType::Date(), false, false},
      {kText, DataType::CalendarInterval(), true, true},
      {DataType::DayTimeInterval(), DataType::YearMonthInterval(), false, false},
      {DataType::DayTimeInterval(), DataType::Decimal(10, 2), true, true},
      {DataType::DayTimeInterval(), DataType::Double(), false, false},
      {DataType::Long(), DataType::YearMonthInterval(), true, true},
      {DataType::Double(), DataType::YearMonthInterval(), false, false},
      {DataType::Time(), DataType::Long(), true, true},
      {DataType::Time(), DataType::Double(), false, false},
      {DataType::Time(), DataType::Timestamp(), false, false},
      {DataType::Null(), DataType::Variant(), true, true},
      {kInt, DataType::Variant(), true, true},
      {DataType::Map(kText, kInt), DataType::Variant(), false, false},
      {DataType::Variant(), DataType::Map(kText, kInt), true, true},
      {DataType::Variant(), DataType::Map(kInt, kInt), false, false},
      {DataType::Variant(), DataType::DayTimeInterval(), false, false},
      {DataType::Geometry(0), kText, false, false},
      {DataType::Geometry(0), DataType::Geometry(-1), true, true},
      {DataType::Geometry(-1), DataType::Geometry(0), false, false},
      {DataType::Geography(4326), DataType::Geometry(4326), true, true},
      {DataType::Geometry(4326), DataType::Geography(4326), false, false},
      {DataType::Array(kInt), kText, true, true},
      {kText, DataType::Array(kInt), false, false},
      // With ANSI a bad element is an error; without it would be a NULL that the array cannot hold.
      {DataType::Array(kText, false), DataType::Array(kInt, false), true, false},
      {DataType::Array(kText, true), DataType::Array(kInt, false), false, false},
      {DataType::Array(DataType::Variant(), false), DataType::Array(kInt, false), false, false},
      {DataType::Map(kText, kInt), DataType::Map(kInt, kInt), true, false},
      {Fields({StructField("a", kInt)}), Fields({StructField("b", kText)}), true, true},
      {Fields({StructField("a", kInt)}), Fields({StructField("a", kInt), StructField("b", kInt)}), false, false},
  };
  for (const auto& [from, to, ansi, legacy] : cases) {
    EXPECT_EQ(CanAnsiCast(*from, *to), ansi) << from->Sql() << " -> " << to->Sql();
    EXPECT_EQ(CanCast(*from, *to), legacy) << from->Sql() << " -> " << to->Sql();
  }
}

TEST(CastRulesTest, Try) {
  EXPECT_FALSE(CanTryCast(*DataType::Array(kText, false), *DataType::Array(kInt, false)));
  EXPECT_TRUE(CanTryCast(*DataType::Array(kText, false), *DataType::Array(kInt, true)));
  EXPECT_FALSE(CanTryCast(*DataType::Date(), *kInt));
}

TEST(CastRulesTest, Up) {
  EXPECT_TRUE(CanUpCast(*kInt, *DataType::Long()));
  EXPECT_TRUE(CanUpCast(*DataType::Long(), *DataType::Float()));
  EXPECT_FALSE(CanUpCast(*DataType::Long(), *kInt));
  EXPECT_TRUE(CanUpCast(*kInt, *DataType::Decimal(10, 0)));
  EXPECT_FALSE(CanUpCast(*kInt, *DataType::Decimal(10, 1)));
  EXPECT_TRUE(CanUpCast(*DataType::Decimal(9, 0), *kInt));
  EXPECT_FALSE(CanUpCast(*DataType::Decimal(10, 0), *kInt));
  EXPECT_TRUE(CanUpCast(*kInt, *kText));
  EXPECT_FALSE(CanUpCast(*kInt, *DataType::Varchar(20)));
  EXPECT_TRUE(CanUpCast(*DataType::Char(3), *DataType::Varchar(5)));
  EXPECT_FALSE(CanUpCast(*DataType::Varchar(3), *DataType::Char(5)));
  EXPECT_FALSE(CanUpCast(*kText, *DataType::Varchar(5)));
  EXPECT_FALSE(CanUpCast(*kText, *kInt));
  EXPECT_TRUE(CanUpCast(*DataType::Date(), *DataType::Timestamp()));
  EXPECT_FALSE(CanUpCast(*DataType::Timestamp(), *DataType::Date()));
  EXPECT_TRUE(CanUpCast(*DataType::Long(), *DataType::Timestamp()));
  EXPECT_FALSE(CanUpCast(*DataType::Variant(), *kText));
  EXPECT_TRUE(CanUpCast(*DataType::Array(kInt, false), *DataType::Array(DataType::Long(), true)));
  EXPECT_FALSE(CanUpCast(*DataType::Array(kInt, true), *DataType::Array(DataType::Long(), false)));
  EXPECT_TRUE(CanUpCast(*DataType::Null(), *DataType::Map(kInt, kInt)));
}

TEST(CastRulesTest, StoreAssignment) {
  using enum StoreAssignmentPolicy;
  EXPECT_TRUE(CanStoreAssign(kAnsi, *DataType::Long(), *kInt));
  EXPECT_FALSE(CanStoreAssign(kStrict, *DataType::Long(), *kInt));
  EXPECT_FALSE(CanStoreAssign(kAnsi, *kText, *kInt));
  EXPECT_TRUE(CanStoreAssign(kLegacy, *kText, *kInt));
  EXPECT_TRUE(CanStoreAssign(kAnsi, *kInt, *kText));
  EXPECT_TRUE(CanStoreAssign(kAnsi, *DataType::Timestamp(), *DataType::Date()));
  EXPECT_FALSE(CanStoreAssign(kAnsi, *DataType::Double(), *DataType::Boolean()));
  EXPECT_FALSE(CanStoreAssign(kAnsi, *DataType::Array(kInt), *kText));
  EXPECT_TRUE(CanStoreAssign(kAnsi, *DataType::Array(DataType::Long()), *DataType::Array(kInt)));
  EXPECT_FALSE(CanStoreAssign(kAnsi, *DataType::Array(kInt, true), *DataType::Array(kInt, false)));
}

TEST(CastRulesTest, ForceNullable) {
  EXPECT_TRUE(ForceNullable(*kText, *kInt));
  EXPECT_FALSE(ForceNullable(*kText, *DataType::Binary()));
  EXPECT_FALSE(ForceNullable(*kInt, *DataType::Long()));
  EXPECT_TRUE(ForceNullable(*DataType::Double(), *kInt));
  EXPECT_TRUE(ForceNullable(*kInt, *DataType::Decimal(9, 0)));
  EXPECT_FALSE(ForceNullable(*kInt, *DataType::Decimal(10, 0)));
  EXPECT_FALSE(ForceNullable(*DataType::Decimal(5, 2), *DataType::Decimal(5, 1)));
  EXPECT_TRUE(ForceNullable(*DataType::Decimal(5, 2), *DataType::Decimal(4, 2)));
  EXPECT_TRUE(ForceNullable(*DataType::Timestamp(), *kInt));
  EXPECT_FALSE(ForceNullable(*DataType::Timestamp(), *DataType::Long()));
  EXPECT_FALSE(ForceNullable(*DataType::Null(), *kInt));
}

TEST(CastRulesTest, SameTypeIgnoresCaseAndNullability) {
  const auto left = Fields({StructField("A", DataType::Array(kInt, true), false)});
  const auto right = Fields({StructField("a", DataType::Array(kInt, false), true)});
  EXPECT_TRUE(SameType(*left, *right));
  EXPECT_FALSE(SameType(*left, *right, true));
  EXPECT_FALSE(SameType(*DataType::Decimal(10, 2), *DataType::Decimal(11, 2)));
}

}  // namespace
}  // namespace frazil
