#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "frazil/tables/iceberg/file_evaluator.h"
#include "frazil/tables/iceberg/projection.h"
#include "frazil/tables/iceberg/single_value.h"
#include "frazil/tables/iceberg/snapshot_producer.h"
#include "frazil/tables/transform.h"

namespace frazil::tables::iceberg {
namespace {

SchemaPtr TestSchema() {
  auto field = [](int32_t id, const char* name, TypePtr type) {
    NestedField f;
    f.id = id;
    f.name = name;
    f.type = std::move(type);
    return f;
  };
  return Schema::Make(
      0, {field(1, "id", Type::Primitive(TypeKind::kLong)), field(2, "name", Type::Primitive(TypeKind::kString)),
          field(3, "d", Type::Primitive(TypeKind::kDouble)), field(4, "ts", Type::Primitive(TypeKind::kTimestampTz)),
          field(5, "s", Type::Struct({field(6, "x", Type::Primitive(TypeKind::kInt))}))});
}

PredicatePtr Id(PredicateOp op, int64_t value) { return Predicate::Test(op, {"id"}, DataType::Long(), {Value(value)}); }
PredicatePtr Name(PredicateOp op, const char* value) {
  return Predicate::Test(op, {"name"}, DataType::String(), {Value(value)});
}
PredicatePtr D(PredicateOp op, double value) { return Predicate::Test(op, {"d"}, DataType::Double(), {Value(value)}); }

struct Fixture {
  SchemaPtr schema = TestSchema();
  PartitionSpec spec;
  DataFile file;

  Fixture() {
    file.record_count = 10;
    file.value_counts = {{1, 10}, {2, 10}, {3, 10}};
    file.null_counts = {{1, 0}, {2, 2}, {3, 0}};
    file.lower_bounds = {{1, ToBytes(*Type::Primitive(TypeKind::kLong), Value(int64_t{10}))},
                         {2, "b"},
                         {3, ToBytes(*Type::Primitive(TypeKind::kDouble), Value(1.0))}};
    file.upper_bounds = {{1, ToBytes(*Type::Primitive(TypeKind::kLong), Value(int64_t{20}))},
                         {2, "d"},
                         {3, ToBytes(*Type::Primitive(TypeKind::kDouble), Value(2.0))}};
  }
  bool May(const PredicatePtr& p) const { return FileEvaluator(Bind(p, *schema), spec, schema).MayMatch(file); }
  bool All(const PredicatePtr& p) const { return FileEvaluator(Bind(p, *schema), spec, schema).AllMatch(file); }
};

TEST(Metrics, MayMatch) {
  Fixture f;
  EXPECT_FALSE(f.May(Id(PredicateOp::kLess, 10)));
  EXPECT_TRUE(f.May(Id(PredicateOp::kLessOrEqual, 10)));
  EXPECT_FALSE(f.May(Id(PredicateOp::kGreater, 20)));
  EXPECT_TRUE(f.May(Id(PredicateOp::kGreaterOrEqual, 20)));
  EXPECT_FALSE(f.May(Id(PredicateOp::kEqual, 21)));
  EXPECT_TRUE(f.May(Id(PredicateOp::kEqual, 15)));
  EXPECT_TRUE(f.May(Id(PredicateOp::kNotEqual, 15)));
  EXPECT_FALSE(f.May(Predicate::Test(PredicateOp::kIsNull, {"id"}, DataType::Long())));
  EXPECT_TRUE(f.May(Predicate::Test(PredicateOp::kIsNull, {"name"}, DataType::String())));
  EXPECT_TRUE(f.May(Name(PredicateOp::kStartsWith, "c")));
  EXPECT_FALSE(f.May(Name(PredicateOp::kStartsWith, "e")));
  EXPECT_FALSE(f.May(Name(PredicateOp::kStartsWith, "a")));
  EXPECT_FALSE(f.May(Predicate::Test(PredicateOp::kIn, {"id"}, DataType::Long(), {Value(1), Value(30)})));
  EXPECT_TRUE(f.May(Predicate::Test(PredicateOp::kIn, {"id"}, DataType::Long(), {Value(1), Value(12)})));
  EXPECT_FALSE(f.May(Predicate::And({Id(PredicateOp::kEqual, 15), Id(PredicateOp::kLess, 3)})));
  EXPECT_TRUE(f.May(Predicate::Or({Id(PredicateOp::kEqual, 15), Id(PredicateOp::kLess, 3)})));
  EXPECT_FALSE(f.May(Predicate::Not(Id(PredicateOp::kGreaterOrEqual, 10))));
  // Columns without metrics, columns that are not there, constants of other types: nothing can be said.
  EXPECT_TRUE(f.May(Predicate::Test(PredicateOp::kEqual, {"s", "x"}, DataType::Integer(), {Value(1)})));
  EXPECT_TRUE(f.May(Predicate::Test(PredicateOp::kEqual, {"gone"}, DataType::Integer(), {Value(1)})));
  EXPECT_TRUE(f.May(Predicate::Not(Predicate::Test(PredicateOp::kEqual, {"gone"}, DataType::Integer(), {Value(1)}))));
  EXPECT_TRUE(f.May(Predicate::Test(PredicateOp::kEqual, {"id"}, DataType::String(), {Value("x")})));
}

TEST(Metrics, NanIsTheGreatestValue) {
  Fixture f;
  double nan = std::numeric_limits<double>::quiet_NaN();
  // The count of NaN is not known: there may be some, and they are greater than everything.
  EXPECT_TRUE(f.May(D(PredicateOp::kGreater, 5.0)));
  EXPECT_FALSE(f.May(D(PredicateOp::kLess, 1.0)));
  EXPECT_TRUE(f.May(D(PredicateOp::kEqual, nan)));
  EXPECT_FALSE(f.All(D(PredicateOp::kLess, 3.0)));
  f.file.nan_counts = {{3, 0}};
  EXPECT_FALSE(f.May(D(PredicateOp::kGreater, 5.0)));
  EXPECT_FALSE(f.May(D(PredicateOp::kEqual, nan)));
  EXPECT_TRUE(f.All(D(PredicateOp::kLess, 3.0)));
  EXPECT_TRUE(f.All(D(PredicateOp::kLess, nan)));
  f.file.nan_counts = {{3, 10}};
  EXPECT_FALSE(f.May(D(PredicateOp::kLess, 3.0)));
}

TEST(Metrics, AllMatch) {
  Fixture f;
  EXPECT_TRUE(f.All(Id(PredicateOp::kGreaterOrEqual, 10)));
  EXPECT_FALSE(f.All(Id(PredicateOp::kGreater, 10)));
  EXPECT_TRUE(f.All(Id(PredicateOp::kLess, 21)));
  EXPECT_TRUE(f.All(Id(PredicateOp::kNotEqual, 9)));
  EXPECT_FALSE(f.All(Id(PredicateOp::kEqual, 15)));
  // Two names are null, for which no comparison is true.
  EXPECT_FALSE(f.All(Name(PredicateOp::kGreaterOrEqual, "a")));
  EXPECT_FALSE(f.All(Predicate::Test(PredicateOp::kEqual, {"gone"}, DataType::Integer(), {Value(1)})));
  EXPECT_FALSE(f.All(Predicate::Not(Predicate::Test(PredicateOp::kEqual, {"gone"}, DataType::Integer(), {Value(1)}))));
  EXPECT_TRUE(f.All(Predicate::True()));
}

SpecField Field(int32_t source, TransformKind kind, int32_t parameter = 0) {
  SpecField field;
  field.source_id = source;
  field.field_id = 1000;
  field.name = "p";
  field.transform = kind;
  field.parameter = parameter;
  return field;
}

/// Whether a file of this partition may match, and whether all of it does, by its partition value alone.
std::pair<bool, bool> ByPartition(const SpecField& field, const PredicatePtr& predicate, Value value) {
  SchemaPtr schema = TestSchema();
  PartitionSpec spec;
  spec.fields.push_back(field);
  DataFile file;
  file.record_count = 1;
  file.partition = {std::move(value)};
  FileEvaluator evaluator(Bind(predicate, *schema), spec, schema);
  return {evaluator.MayMatch(file), evaluator.AllMatch(file)};
}

TEST(Projection, Buckets) {
  auto equal = Id(PredicateOp::kEqual, 34);  // Bucket 3 of 8.
  EXPECT_EQ(ByPartition(Field(1, TransformKind::kBucket, 8), equal, Value(3)), std::pair(true, false));
  EXPECT_EQ(ByPartition(Field(1, TransformKind::kBucket, 8), equal, Value(4)), std::pair(false, false));
  EXPECT_EQ(ByPartition(Field(1, TransformKind::kBucket, 8), Id(PredicateOp::kNotEqual, 34), Value(4)),
            std::pair(true, true));
  EXPECT_EQ(ByPartition(Field(1, TransformKind::kBucket, 8), Id(PredicateOp::kLess, 34), Value(4)),
            std::pair(true, false));
}

TEST(Projection, Days) {
  constexpr int64_t kDay = 86400000000;
  auto ts = [](PredicateOp op, int64_t micros) {
    return Predicate::Test(op, {"ts"}, DataType::Timestamp(), {Value(micros)});
  };
  auto day = Field(4, TransformKind::kDay);
  EXPECT_EQ(ByPartition(day, ts(PredicateOp::kLess, 100 * kDay), Value(99)), std::pair(true, true));
  EXPECT_EQ(ByPartition(day, ts(PredicateOp::kLess, 100 * kDay), Value(100)), std::pair(false, false));
  EXPECT_EQ(ByPartition(day, ts(PredicateOp::kLess, 100 * kDay + 1), Value(100)), std::pair(true, false));
  EXPECT_EQ(ByPartition(day, ts(PredicateOp::kGreaterOrEqual, 100 * kDay), Value(100)), std::pair(true, true));
  EXPECT_EQ(ByPartition(day, ts(PredicateOp::kGreater, 100 * kDay), Value(100)), std::pair(true, false));
  EXPECT_EQ(ByPartition(day, ts(PredicateOp::kGreater, 101 * kDay - 1), Value(100)), std::pair(false, false));
  EXPECT_EQ(ByPartition(day, ts(PredicateOp::kEqual, 100 * kDay + 5), Value(100)), std::pair(true, false));
  EXPECT_EQ(ByPartition(day, ts(PredicateOp::kEqual, 100 * kDay + 5), Value(101)), std::pair(false, false));
  EXPECT_EQ(ByPartition(day, ts(PredicateOp::kEqual, 100 * kDay + 5), Value()), std::pair(false, false));
  // Early writers were one day late before 1970.
  EXPECT_EQ(ByPartition(day, ts(PredicateOp::kEqual, -5 * kDay), Value(-5)).first, true);
  EXPECT_EQ(ByPartition(day, ts(PredicateOp::kEqual, -5 * kDay), Value(-4)).first, true);
  EXPECT_EQ(ByPartition(day, ts(PredicateOp::kEqual, -5 * kDay), Value(-3)).first, false);
}

TEST(Projection, TruncatedText) {
  auto trunc = Field(2, TransformKind::kTruncate, 3);
  EXPECT_EQ(ByPartition(trunc, Name(PredicateOp::kEqual, "iceberg"), Value("ice")), std::pair(true, false));
  EXPECT_EQ(ByPartition(trunc, Name(PredicateOp::kEqual, "iceberg"), Value("icf")), std::pair(false, false));
  EXPECT_EQ(ByPartition(trunc, Name(PredicateOp::kStartsWith, "ic"), Value("ice")), std::pair(true, true));
  EXPECT_EQ(ByPartition(trunc, Name(PredicateOp::kStartsWith, "iceb"), Value("ice")), std::pair(true, false));
  EXPECT_EQ(ByPartition(trunc, Name(PredicateOp::kStartsWith, "iceb"), Value("ica")), std::pair(false, false));
  EXPECT_EQ(ByPartition(trunc, Name(PredicateOp::kLess, "iceberg"), Value("ice")), std::pair(true, false));
  EXPECT_EQ(ByPartition(trunc, Name(PredicateOp::kLess, "iceberg"), Value("icd")), std::pair(true, true));
  EXPECT_EQ(ByPartition(trunc, Name(PredicateOp::kLess, "iceberg"), Value("icf")), std::pair(false, false));
}

TEST(Projection, TruncatedNumbersWrapAroundBelowTheSmallest) {
  auto trunc = Field(1, TransformKind::kTruncate, 10);
  // The partition of the ten greatest numbers but eight, and of the smallest ones.
  constexpr int64_t kWrapped = std::numeric_limits<int64_t>::max() - 1;
  ASSERT_EQ(ApplyTransform(TransformKind::kTruncate, 10, *DataType::Long(), Value(std::numeric_limits<int64_t>::min())),
            Value(kWrapped));
  EXPECT_EQ(ByPartition(trunc, Id(PredicateOp::kLess, 0), Value(kWrapped)), std::pair(true, false));
  EXPECT_EQ(ByPartition(trunc, Id(PredicateOp::kLessOrEqual, -20), Value(kWrapped)), std::pair(true, false));
  EXPECT_EQ(ByPartition(trunc, Id(PredicateOp::kGreater, 0), Value(kWrapped)), std::pair(true, false));
  EXPECT_EQ(ByPartition(trunc, Id(PredicateOp::kGreaterOrEqual, 0), Value(kWrapped)), std::pair(true, false));
  EXPECT_EQ(ByPartition(trunc, Id(PredicateOp::kEqual, std::numeric_limits<int64_t>::min()), Value(kWrapped)),
            std::pair(true, false));
  EXPECT_EQ(ByPartition(trunc, Id(PredicateOp::kLess, 0), Value(10)), std::pair(false, false));
  EXPECT_EQ(ByPartition(trunc, Id(PredicateOp::kGreater, 0), Value(10)), std::pair(true, true));
}

TEST(Projection, PartitionsOfColumnsThatWereWidened) {
  auto identity = Field(3, TransformKind::kIdentity);
  EXPECT_EQ(ByPartition(identity, D(PredicateOp::kGreater, 1), Value(1.5f)), std::pair(true, true));
  EXPECT_EQ(ByPartition(identity, D(PredicateOp::kEqual, 1.5), Value(1.5f)), std::pair(true, true));
  EXPECT_EQ(ByPartition(identity, D(PredicateOp::kLess, 1), Value(1.5f)), std::pair(false, false));
  EXPECT_EQ(PartitionKey(0, {Value(1.5f)}), PartitionKey(0, {Value(1.5)}));
}

TEST(Projection, IdentityAndVoid) {
  EXPECT_EQ(ByPartition(Field(2, TransformKind::kIdentity), Name(PredicateOp::kNotEqual, "x"), Value("x")),
            std::pair(false, false));
  EXPECT_EQ(ByPartition(Field(2, TransformKind::kIdentity), Name(PredicateOp::kNotEqual, "x"), Value("y")),
            std::pair(true, true));
  EXPECT_EQ(ByPartition(Field(2, TransformKind::kIdentity), Name(PredicateOp::kNotEqual, "x"), Value()),
            std::pair(false, false));
  EXPECT_EQ(ByPartition(Field(2, TransformKind::kVoid), Name(PredicateOp::kEqual, "x"), Value()),
            std::pair(true, false));
  auto unknown = Field(2, TransformKind::kIdentity);
  unknown.unknown_transform = "reverse";
  EXPECT_EQ(ByPartition(unknown, Name(PredicateOp::kEqual, "x"), Value("y")), std::pair(true, false));
}

TEST(Projection, ManifestSummaries) {
  SchemaPtr schema = TestSchema();
  PartitionSpec spec;
  spec.fields.push_back(Field(2, TransformKind::kIdentity));
  ManifestFile manifest;
  manifest.has_summaries = true;
  FieldSummary summary;
  summary.lower = "b";
  summary.upper = "d";
  manifest.summaries.push_back(summary);
  auto may = [&](const PredicatePtr& p) {
    return FileEvaluator(Bind(p, *schema), spec, schema).ManifestMayMatch(manifest);
  };
  EXPECT_TRUE(may(Name(PredicateOp::kEqual, "c")));
  EXPECT_FALSE(may(Name(PredicateOp::kEqual, "e")));
  EXPECT_FALSE(may(Predicate::Test(PredicateOp::kIsNull, {"name"}, DataType::String())));
  EXPECT_TRUE(may(Id(PredicateOp::kEqual, 1)));
  manifest.summaries[0] = FieldSummary{true, false, std::nullopt, std::nullopt};
  EXPECT_FALSE(may(Name(PredicateOp::kEqual, "c")));
  EXPECT_TRUE(may(Predicate::Test(PredicateOp::kIsNull, {"name"}, DataType::String())));
}

}  // namespace
}  // namespace frazil::tables::iceberg
