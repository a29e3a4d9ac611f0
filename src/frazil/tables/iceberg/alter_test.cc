#include <gtest/gtest.h>

#include "frazil/tables/iceberg/testing/test_table.h"

namespace frazil::tables::iceberg {
namespace {

using testing::CityIs;
using testing::TestTable;
using Change = TableChange;
using Names = std::vector<std::string>;

Change Column(Change::Type type, std::vector<std::string> column) {
  Change change;
  change.type = type;
  change.column = std::move(column);
  return change;
}

Change Add(std::vector<std::string> column, DataTypePtr type) {
  Change change = Column(Change::Type::kAddColumn, std::move(column));
  change.data_type = std::move(type);
  return change;
}

std::string Failure(const Status& status) { return status.ok() ? "no error" : status.error().message; }

::testing::AssertionResult Contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << '"' << part << "\" is not in: " << text;
}

TEST(AlterColumns, AddRenameDropMoveWiden) {
  TestTable table;
  ASSERT_TRUE(table.Load()->Alter({Add({"driver"}, DataType::String())}).ok());
  Change rename = Column(Change::Type::kRenameColumn, {"id"});
  rename.new_name = "key";
  Change widen = Column(Change::Type::kUpdateColumnType, {"fare"});
  widen.data_type = DataType::Decimal(12, 2);
  Change move = Column(Change::Type::kMoveColumn, {"fare"});
  move.first = true;
  ASSERT_TRUE(table.Load()->Alter({rename, widen, Column(Change::Type::kDropColumn, {"driver"}), move}).ok());
  EXPECT_EQ(table.Load()->schema()->SimpleString(),
            "struct<fare:decimal(12,2),key:bigint,city:string,tags:array<string>>");
  const TableMetadata& metadata = table.Metadata();
  EXPECT_EQ(metadata.last_column_id, 6);
  EXPECT_EQ(metadata.schemas.size(), 3u);
  EXPECT_EQ(metadata.current_schema_id, 2);
  // A name that comes back is a new column.
  ASSERT_TRUE(table.Load()->Alter({Add({"driver"}, DataType::String())}).ok());
  EXPECT_EQ(table.Metadata().schema()->Find({"driver"})->field->id, 7);
  // A change to what was there before makes no new schema.
  size_t schemas = table.Metadata().schemas.size();
  ASSERT_TRUE(table.Load()->Alter({Column(Change::Type::kDropColumn, {"driver"})}).ok());
  EXPECT_EQ(table.Metadata().schemas.size(), schemas);
}

TEST(AlterColumns, Nested) {
  TestTable table;
  auto address = DataType::Struct({StructField("x", DataType::Integer()), StructField("y", DataType::Double())});
  auto items = DataType::Array(DataType::Struct({StructField("k", DataType::String())}));
  ASSERT_TRUE(table.Load()->Alter({Add({"p"}, address), Add({"l"}, items)}).ok());
  Change z = Add({"p", "z"}, DataType::String());
  z.after = "x";
  Change why = Column(Change::Type::kRenameColumn, {"p", "y"});
  why.new_name = "why";
  Change x = Column(Change::Type::kUpdateColumnType, {"p", "x"});
  x.data_type = DataType::Long();
  ASSERT_TRUE(table.Load()->Alter({z, why, Add({"l", "element", "n"}, DataType::Integer()), x}).ok());
  auto schema = table.Load()->schema();
  EXPECT_EQ(schema->fields()[4].type->SimpleString(), "struct<x:bigint,z:string,why:double>");
  EXPECT_EQ(schema->fields()[5].type->SimpleString(), "array<struct<k:string,n:int>>");
}

TEST(AlterColumns, CommentsNullabilityIdentifiers) {
  TestTable table;
  Change comment = Column(Change::Type::kUpdateColumnComment, {"city"});
  comment.value = "where";
  Change identifiers;
  identifiers.type = Change::Type::kSetIdentifierFields;
  identifiers.columns = {{"id"}};
  ASSERT_TRUE(table.Load()->Alter({comment, identifiers}).ok());
  EXPECT_EQ(table.Load()->schema()->fields()[1].Comment(), "where");
  EXPECT_EQ(table.Metadata().schema()->identifier_field_ids(), std::vector<int32_t>{1});
  EXPECT_EQ(table.Load()->properties().at("identifier-fields"), "[id]");
  Change required = Column(Change::Type::kUpdateColumnNullability, {"city"});
  required.nullable = false;
  EXPECT_TRUE(Contains(Failure(table.Load()->Alter({required})),
                       "Cannot change column nullability: city: optional -> required"));
  Change optional = Column(Change::Type::kUpdateColumnNullability, {"id"});
  EXPECT_FALSE(table.Load()->Alter({optional}).ok());
  EXPECT_TRUE(Contains(Failure(table.Load()->Alter({Column(Change::Type::kDropColumn, {"id"})})),
                       "Cannot delete identifier field id"));
  identifiers.columns = {{"city"}};
  EXPECT_TRUE(Contains(Failure(table.Load()->Alter({identifiers})), "not a required field"));
  Change drop = identifiers;
  drop.type = Change::Type::kDropIdentifierFields;
  drop.columns = {{"id"}};
  ASSERT_TRUE(table.Load()->Alter({drop, optional}).ok());
  EXPECT_TRUE(table.Load()->schema()->fields()[0].nullable);
}

TEST(AlterColumns, RefusesWithIcebergsTexts) {
  TestTable table;
  auto alter = [&](const Change& change) { return Failure(table.Load()->Alter({change})); };
  EXPECT_TRUE(Contains(alter(Add({"city"}, DataType::Long())), "Cannot add column, name already exists: city"));
  EXPECT_TRUE(Contains(alter(Add({"city", "x"}, DataType::Long())), "Cannot add to non-struct column: city: string"));
  EXPECT_TRUE(Contains(alter(Column(Change::Type::kDropColumn, {"nope"})), "Cannot delete missing column: nope"));
  Change narrow = Column(Change::Type::kUpdateColumnType, {"id"});
  narrow.data_type = DataType::Integer();
  EXPECT_TRUE(Contains(alter(narrow), "Cannot change column type: id: long -> int"));
  Change scale = Column(Change::Type::kUpdateColumnType, {"fare"});
  scale.data_type = DataType::Decimal(18, 4);
  EXPECT_TRUE(Contains(alter(scale), "Cannot change column type: fare: decimal(10, 2) -> decimal(18, 4)"));
  Change required = Add({"r"}, DataType::Long());
  required.nullable = false;
  EXPECT_TRUE(Contains(alter(required), "Incompatible change: cannot add required column: r"));
  EXPECT_TRUE(
      Contains(alter(Column(Change::Type::kDropColumn, {"city"})), "Cannot find source column for partition field"));
  EXPECT_TRUE(Contains(alter(Add({"v"}, DataType::Variant())), "variant is not supported until v3"));
  EXPECT_EQ(table.Metadata().metadata_location, "/w/t/metadata/v1.metadata.json");
}

TEST(AlterColumns, TimeTravelReadsTheOldNames) {
  TestTable table;
  table.Append({table.File("a", "sf", 1, 1)});
  int64_t first = *table.Metadata().current_snapshot_id;
  Change rename = Column(Change::Type::kRenameColumn, {"city"});
  rename.new_name = "town";
  ASSERT_TRUE(table.Load()->Alter({rename}).ok());
  table.Append({table.File("b", "nyc", 2, 1)});
  ScanOptions then;
  then.snapshot_id = first;
  auto old = table.Load()->Scan(then);
  EXPECT_EQ((*old)->schema()->fields()[1].name, "city");
  EXPECT_EQ(table.Planned(CityIs("sf"), then), Names{"a"});
  EXPECT_EQ(table.Planned(Predicate::Test(PredicateOp::kEqual, {"town"}, DataType::String(), {Value("sf")})),
            Names{"a"});
}

TEST(AlterColumns, PropertiesFollowTheColumn) {
  TestTable table(std::map<std::string, std::string>{{"write.metadata.metrics.column.fare", "none"},
                                                     {"write.metadata.metrics.column.fare_x", "full"}});
  Change rename = Column(Change::Type::kRenameColumn, {"fare"});
  rename.new_name = "price";
  ASSERT_TRUE(table.Load()->Alter({rename}).ok());
  auto properties = table.Metadata().properties;
  EXPECT_EQ(properties.at("write.metadata.metrics.column.price"), "none");
  EXPECT_EQ(properties.count("write.metadata.metrics.column.fare"), 0u);
  EXPECT_EQ(properties.at("write.metadata.metrics.column.fare_x"), "full");
}

PartitionField Term(std::vector<std::string> source, TransformKind kind, int32_t parameter = 0, std::string name = "") {
  PartitionField field;
  field.source = std::move(source);
  field.transform = kind;
  field.parameter = parameter;
  field.name = std::move(name);
  return field;
}

Change Partition(Change::Type type, PartitionField field) {
  Change change;
  change.type = type;
  change.has_field_name = !field.name.empty();
  change.field = std::move(field);
  return change;
}

std::string SpecText(const PartitionSpec& spec) {
  std::string text;
  for (const auto& field : spec.fields)
    text += std::to_string(field.field_id) + " " + field.name + " " + TransformText(field) + ";";
  return text;
}

TEST(AlterPartitions, EvolveInBothVersions) {
  for (const char* version : {"1", "2"}) {
    TestTable table(std::map<std::string, std::string>{{"format-version", version}});
    table.Append({table.File("a", "sf", 1, 1)});
    ASSERT_TRUE(table.Load()
                    ->Alter({Partition(Change::Type::kAddPartitionField, Term({"id"}, TransformKind::kBucket, 16))})
                    .ok());
    EXPECT_EQ(SpecText(table.Metadata().spec()), "1000 city identity;1001 id_bucket_16 bucket[16];");
    ASSERT_TRUE(table.Load()
                    ->Alter({Partition(Change::Type::kDropPartitionField, Term({"city"}, TransformKind::kIdentity))})
                    .ok());
    bool v1 = version[0] == '1';
    EXPECT_EQ(SpecText(table.Metadata().spec()),
              v1 ? "1000 city void;1001 id_bucket_16 bucket[16];" : "1001 id_bucket_16 bucket[16];");
    EXPECT_EQ(table.Load()->partitioning().size(), 1u);
    EXPECT_EQ(table.Metadata().specs.size(), 3u);
    // Old files are still pruned by the old spec.
    EXPECT_EQ(table.Planned(CityIs("la")), Names{});
    // The field that was there before comes back with its id.
    ASSERT_TRUE(table.Load()
                    ->Alter({Partition(Change::Type::kAddPartitionField, Term({"city"}, TransformKind::kIdentity))})
                    .ok());
    EXPECT_EQ(SpecText(table.Metadata().spec()),
              v1 ? "1000 city_1000 void;1001 id_bucket_16 bucket[16];1002 city identity;"
                 : "1001 id_bucket_16 bucket[16];1000 city identity;");
    auto plan = (*table.Load()->Scan({}))->Plan(nullptr);
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(plan->partition_type->fields().size(), v1 ? 3u : 2u);
    EXPECT_EQ(plan->files[0].partition[0], Value("sf"));
    EXPECT_TRUE(plan->files[0].partition[1].is_null());
  }
}

TEST(AlterPartitions, ColumnsThatOldSpecsNeedCanGo) {
  TestTable table;
  table.Append({table.File("a", "sf", 1, 1), table.File("b", "nyc", 2, 1)});
  Change id = Partition(Change::Type::kReplacePartitionField, Term({"city"}, TransformKind::kIdentity));
  id.new_field = Term({"id"}, TransformKind::kIdentity);
  ASSERT_TRUE(table.Load()->Alter({id}).ok());
  ASSERT_TRUE(table.Load()->Alter({Column(Change::Type::kDropColumn, {"city"})}).ok());
  // The manifest of the old spec is written anew, with values of a column that is gone.
  auto outcome = table.Write(table.Load(), testing::Mode(WriteMode::kRewriteFiles), {}, {"/w/t/data/a"});
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(table.Planned(), Names{"b"});
  auto plan = (*table.Load()->Scan({}))->Plan(nullptr);
  // Nothing shows them any more; they are kept.
  ASSERT_EQ(plan->partition_type->fields().size(), 1u);
  EXPECT_EQ(plan->partition_type->fields()[0].name, "id");
  EXPECT_TRUE(plan->files[0].partition[0].is_null());
  const TablePtr loaded = table.Load();
  const auto& iceberg = static_cast<const IcebergTable&>(*loaded);
  const auto& operations = *iceberg.operations();
  auto manifests = operations.ReadManifests(iceberg.metadata(), *iceberg.metadata().current_snapshot());
  std::vector<Value> kept;
  for (const auto& manifest : **manifests) {
    for (const auto& entry : **operations.ReadEntries(iceberg.metadata(), manifest)) {
      if (entry.file->path == "/w/t/data/b") kept = entry.file->partition;
    }
  }
  EXPECT_EQ(kept, std::vector<Value>{Value("nyc")});
}

TEST(AlterPartitions, ReplaceNameAndRefuse) {
  TestTable table;
  Change replace = Partition(Change::Type::kReplacePartitionField, Term({"city"}, TransformKind::kIdentity));
  replace.new_field = Term({"city"}, TransformKind::kTruncate, 2);
  ASSERT_TRUE(table.Load()->Alter({replace}).ok());
  EXPECT_EQ(SpecText(table.Metadata().spec()), "1001 city_trunc_2 truncate[2];");
  ASSERT_TRUE(
      table.Load()
          ->Alter({Partition(Change::Type::kAddPartitionField, Term({"id"}, TransformKind::kTruncate, 4, "prefix"))})
          .ok());
  EXPECT_EQ(table.Metadata().spec().fields[1].name, "prefix");
  Change by_name = Partition(Change::Type::kDropPartitionField, Term({"prefix"}, TransformKind::kIdentity));
  ASSERT_TRUE(table.Load()->Alter({by_name}).ok());
  EXPECT_TRUE(Contains(Failure(table.Load()->Alter({by_name})), "Cannot find partition field"));
  Change again = Partition(Change::Type::kAddPartitionField, Term({"city"}, TransformKind::kTruncate, 2));
  EXPECT_TRUE(Contains(Failure(table.Load()->Alter({again})), "Cannot add duplicate partition field"));
  Change wrong = Partition(Change::Type::kAddPartitionField, Term({"city"}, TransformKind::kDay));
  EXPECT_TRUE(Contains(Failure(table.Load()->Alter({wrong})), "Invalid source type string for transform: day"));
}

TEST(AlterTable, PropertiesVersionsOrderLocation) {
  TestTable table;
  Change set;
  set.type = Change::Type::kSetProperty;
  set.new_name = "a";
  set.value = "b";
  ASSERT_TRUE(table.Load()->Alter({set}).ok());
  EXPECT_EQ(table.Load()->properties().at("a"), "b");
  // Nothing to do: no new version.
  ASSERT_TRUE(table.Load()->Alter({set}).ok());
  EXPECT_EQ(table.Metadata().metadata_location, "/w/t/metadata/v2.metadata.json");
  set.type = Change::Type::kRemoveProperty;
  ASSERT_TRUE(table.Load()->Alter({set}).ok());
  EXPECT_EQ(table.Load()->properties().count("a"), 0u);
  Change version;
  version.new_name = "format-version";
  version.value = "3";
  ASSERT_TRUE(table.Load()->Alter({version, Add({"v"}, DataType::Variant())}).ok());
  EXPECT_EQ(table.Metadata().format_version, 3);
  EXPECT_EQ(table.Metadata().properties.count("format-version"), 0u);
  version.value = "2";
  EXPECT_TRUE(Contains(Failure(table.Load()->Alter({version})), "Cannot downgrade v3 table to v2"));
  Change order;
  order.type = Change::Type::kSetSortOrder;
  order.sort = {SortField{Term({"city"}, TransformKind::kIdentity), true, true},
                SortField{Term({"id"}, TransformKind::kBucket, 4), false, false}};
  order.distribution_mode = "range";
  ASSERT_TRUE(table.Load()->Alter({order}).ok());
  EXPECT_EQ(table.Metadata().default_sort_order_id, 1);
  EXPECT_EQ(table.Load()->properties().at("sort-order"), "city ASC NULLS FIRST, bucket(4, id) DESC NULLS LAST");
  EXPECT_EQ(table.Load()->properties().at("write.distribution-mode"), "range");
  EXPECT_EQ(table.Load()->sort_order().size(), 2u);
  order.sort.clear();
  ASSERT_TRUE(table.Load()->Alter({order}).ok());
  EXPECT_EQ(table.Metadata().default_sort_order_id, 0);
  Change location;
  location.type = Change::Type::kSetLocation;
  location.value = "/elsewhere";
  const std::string before = table.Load()->location();
  EXPECT_TRUE(Contains(Failure(table.Load()->Alter({location})), "path-based tables cannot be relocated"));
  EXPECT_EQ(table.Load()->location(), before);
  location.value = before;
  EXPECT_TRUE(table.Load()->Alter({location}).ok());
}

TEST(AlterReferences, BranchesAndTags) {
  TestTable table;
  Change branch;
  branch.type = Change::Type::kSetReference;
  branch.new_name = "b";
  EXPECT_TRUE(Contains(Failure(table.Load()->Alter({branch})), "main has no snapshot"));
  table.Append({table.File("a", "sf", 1, 1)});
  int64_t first = *table.Metadata().current_snapshot_id;
  table.Append({table.File("b", "sf", 2, 1)});
  branch.snapshot_id = first;
  branch.reference_retain_ms = 7;
  branch.snapshots_to_keep = 2;
  ASSERT_TRUE(table.Load()->Alter({branch}).ok());
  EXPECT_TRUE(Contains(Failure(table.Load()->Alter({branch})), "Ref b already exists"));
  branch.if_not_exists = true;
  EXPECT_TRUE(table.Load()->Alter({branch}).ok());
  SnapshotRef ref = table.Metadata().refs.at("b");
  EXPECT_EQ(ref.snapshot_id, first);
  EXPECT_EQ(ref.max_ref_age_ms, 7);
  EXPECT_EQ(ref.min_snapshots_to_keep, 2);
  Change replace;
  replace.type = Change::Type::kSetReference;
  replace.new_name = "b";
  replace.create = false;
  replace.replace = true;
  ASSERT_TRUE(table.Load()->Alter({replace}).ok());
  EXPECT_EQ(table.Metadata().refs.at("b").snapshot_id, *table.Metadata().current_snapshot_id);
  replace.new_name = "none";
  EXPECT_TRUE(Contains(Failure(table.Load()->Alter({replace})), "Branch does not exist: none"));
  Change tag;
  tag.type = Change::Type::kSetReference;
  tag.new_name = "t";
  tag.is_branch = false;
  tag.snapshot_id = first;
  ASSERT_TRUE(table.Load()->Alter({tag}).ok());
  ScanOptions at_tag;
  at_tag.reference = "t";
  EXPECT_EQ(table.Planned(nullptr, at_tag), Names{"a"});
  Change drop;
  drop.type = Change::Type::kDropReference;
  drop.new_name = "t";
  EXPECT_TRUE(Contains(Failure(table.Load()->Alter({drop})), "Ref t is a tag not a branch"));
  drop.is_branch = false;
  ASSERT_TRUE(table.Load()->Alter({drop}).ok());
  EXPECT_TRUE(Contains(Failure(table.Load()->Alter({drop})), "Tag does not exist: t"));
  drop.if_exists = true;
  EXPECT_TRUE(table.Load()->Alter({drop}).ok());
  Change main;
  main.type = Change::Type::kDropReference;
  main.new_name = "main";
  EXPECT_TRUE(Contains(Failure(table.Load()->Alter({main})), "Cannot remove main branch"));
}

TEST(AlterTable, MetadataLogIsBounded) {
  TestTable table(std::map<std::string, std::string>{{"write.metadata.previous-versions-max", "2"},
                                                     {"write.metadata.delete-after-commit.enabled", "true"}});
  for (int i = 0; i < 5; ++i) {
    Change set;
    set.new_name = "n";
    set.value = std::to_string(i);
    ASSERT_TRUE(table.Load()->Alter({set}).ok());
  }
  const TableMetadata& metadata = table.Metadata();
  ASSERT_EQ(metadata.metadata_log.size(), 2u);
  EXPECT_EQ(metadata.metadata_log[0].file, "/w/t/metadata/v4.metadata.json");
  EXPECT_FALSE(table.store().Exists("/w/t/metadata/v3.metadata.json").value());
  EXPECT_TRUE(table.store().Exists("/w/t/metadata/v4.metadata.json").value());
}

}  // namespace
}  // namespace frazil::tables::iceberg
