#include <gtest/gtest.h>

#include "frazil/tables/iceberg/testing/test_table.h"

namespace frazil::tables::iceberg {
namespace {

using testing::CityIs;
using testing::IdTest;
using testing::Mode;
using testing::TestTable;
using Names = std::vector<std::string>;
using Properties = std::map<std::string, std::string>;

const std::map<std::string, std::string>& SummaryOf(const Snapshot& snapshot) { return snapshot.summary; }

std::string At(const Snapshot& snapshot, const std::string& key) {
  auto found = SummaryOf(snapshot).find(key);
  return found == SummaryOf(snapshot).end() ? "-" : found->second;
}

TEST(Create, WritesVersionOne) {
  TestTable table;
  EXPECT_TRUE(table.store().Exists("/w/t/metadata/v1.metadata.json").value());
  EXPECT_EQ(table.store().Read("/w/t/metadata/version-hint.text").value(), "1");
  const TableMetadata& metadata = table.Metadata();
  EXPECT_EQ(metadata.format_version, 2);
  EXPECT_EQ(metadata.last_column_id, 5);
  EXPECT_EQ(metadata.schema()->fields()[3].type->fields[0].id, 5);
  EXPECT_EQ(metadata.properties.at("write.parquet.compression-codec"), "zstd");
  EXPECT_EQ(metadata.spec().fields[0].field_id, 1000);
  EXPECT_TRUE(metadata.snapshots.empty());
  EXPECT_TRUE(table.Planned().empty());
  auto again = table.format().Create(table.context(), TableDefinition{}, table.location(), table.point());
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().condition, "TABLE_OR_VIEW_ALREADY_EXISTS");
}

TEST(Create, RefusesWhatTheVersionLacks) {
  TestTable table;
  TableDefinition definition;
  definition.schema = DataType::Struct({StructField("v", DataType::Variant())});
  TableContext context = table.context();
  auto point = table.format().PathCommitPoint(context, "/w/u");
  auto v2 = table.format().Create(context, definition, "/w/u", point);
  ASSERT_FALSE(v2.ok());
  EXPECT_NE(v2.error().message.find("variant is not supported until v3"), std::string::npos) << v2.error().message;
  definition.properties["format-version"] = "5";
  auto v5 = table.format().Create(context, definition, "/w/u", point);
  ASSERT_FALSE(v5.ok());
  EXPECT_NE(v5.error().message.find("Unsupported format version: v5"), std::string::npos);
  definition.properties["format-version"] = "3";
  EXPECT_TRUE(table.format().Create(context, definition, "/w/u", point).ok());
}

TEST(Append, SnapshotsSummariesAndPruning) {
  for (const char* version : {"1", "2", "3"}) {
    TestTable table(Properties{{"format-version", version}});
    table.Append({table.File("a", "sf", 1, 5), table.File("b", "nyc", 10, 5)});
    table.Append({table.File("c", "sf", 100, 7)});
    EXPECT_EQ(table.Planned(), (Names{"a", "b", "c"}));
    EXPECT_EQ(table.Planned(CityIs("sf")), (Names{"a", "c"}));
    EXPECT_EQ(table.Planned(IdTest(PredicateOp::kGreater, 50)), (Names{"c"}));
    EXPECT_EQ(table.Planned(CityIs("la")), Names{});
    const TableMetadata& metadata = table.Metadata();
    ASSERT_EQ(metadata.snapshots.size(), 2u);
    const Snapshot& second = metadata.snapshots[1];
    EXPECT_EQ(second.operation, "append");
    EXPECT_EQ(second.parent_id, metadata.snapshots[0].snapshot_id);
    EXPECT_EQ(second.sequence_number, version[0] == '1' ? 0 : 2);
    EXPECT_EQ(At(second, "added-data-files"), "1");
    EXPECT_EQ(At(second, "added-records"), "7");
    EXPECT_EQ(At(second, "added-files-size"), "100");
    EXPECT_EQ(At(second, "total-records"), "17");
    EXPECT_EQ(At(second, "total-data-files"), "3");
    EXPECT_EQ(At(second, "total-delete-files"), "0");
    EXPECT_EQ(At(second, "changed-partition-count"), "1");
    EXPECT_EQ(At(second, "manifests-kept"), "1");
    EXPECT_EQ(At(second, "deleted-data-files"), "-");
    EXPECT_EQ(At(metadata.snapshots[0], "changed-partition-count"), "2");
    EXPECT_EQ(metadata.snapshot_log.size(), 2u);
    EXPECT_EQ(metadata.metadata_log.size(), 2u);
    EXPECT_EQ(metadata.metadata_log[0].file, "/w/t/metadata/v1.metadata.json");
    if (version[0] == '3') {
      EXPECT_EQ(metadata.next_row_id, 17);
      EXPECT_EQ(second.first_row_id, 10);
      EXPECT_EQ(second.added_rows, 7);
    }
    auto scan = table.Load()->Scan({});
    EXPECT_EQ((*scan)->exact_row_count(), 17);
    auto plan = (*scan)->Plan(CityIs("sf"));
    for (const auto& file : plan->files) {
      EXPECT_EQ(file.constants.at(1), Value("sf"));
      EXPECT_EQ(file.partition.at(0), Value("sf"));
      EXPECT_EQ(file.data_sequence_number, version[0] == '1' ? 0 : file.path.back() == 'a' ? 1 : 2);
    }
    EXPECT_EQ(plan->columns[0].field_id, 1);
    EXPECT_EQ(plan->columns[3].children[0].field_id, 5);
  }
}

TEST(Append, ManifestsAreMergedFromTheMinimumCountOn) {
  TestTable table(Properties{{"commit.manifest.min-count-to-merge", "3"}});
  for (int i = 0; i < 3; ++i) table.Append({table.File("f" + std::to_string(i), "sf", i, 1)});
  const Snapshot& last = table.Metadata().snapshots[2];
  EXPECT_EQ(At(last, "manifests-created"), "1");
  EXPECT_EQ(At(last, "manifests-replaced"), "2");
  EXPECT_EQ(At(last, "manifests-kept"), "0");
  EXPECT_EQ(table.Planned(), (Names{"f0", "f1", "f2"}));
  // The manifest that went into the merged one is not left behind.
  int manifests = 0;
  for (const auto& path : table.memory().Paths())
    manifests += path.find("-m") != std::string::npos && path.ends_with(".avro") ? 1 : 0;
  EXPECT_EQ(manifests, 3);
  auto scan = table.Load()->Scan({});
  auto plan = (*scan)->Plan(nullptr);
  for (const auto& file : plan->files) EXPECT_EQ(file.data_sequence_number, file.path.back() - '0' + 1);
}

TEST(Rewrite, ReplacesFiles) {
  TestTable table;
  table.Append({table.File("a", "sf", 1, 5), table.File("b", "nyc", 10, 5)});
  auto outcome = table.Write(table.Load(), Mode(WriteMode::kRewriteFiles, CityIs("sf")), {table.File("a2", "sf", 1, 4)},
                             {"/w/t/data/a"});
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  ASSERT_EQ(outcome->state, CommitState::kCommitted);
  EXPECT_EQ(table.Planned(), (Names{"a2", "b"}));
  const TableMetadata& metadata = table.Metadata();
  const Snapshot& last = metadata.snapshots[1];
  EXPECT_EQ(last.operation, "overwrite");
  EXPECT_EQ(At(last, "deleted-data-files"), "1");
  EXPECT_EQ(At(last, "deleted-records"), "5");
  EXPECT_EQ(At(last, "added-records"), "4");
  EXPECT_EQ(At(last, "total-records"), "9");
  EXPECT_EQ(At(last, "total-files-size"), "200");
  EXPECT_EQ(At(last, "changed-partition-count"), "1");
  // The file that stays keeps its age.
  auto plan = (*table.Load()->Scan({}))->Plan(CityIs("nyc"));
  EXPECT_EQ(plan->files[0].data_sequence_number, 1);
}

TEST(Rewrite, FindsFilesWithAndWithoutScheme) {
  TestTable table;
  WrittenFile file = table.File("a", "sf", 1, 5);
  file.path = "file:" + file.path;
  table.Append({file});
  auto restricted = (*table.Load()->Scan({}))->RestrictTo({"/w/t/data/a"});
  auto plan = (*restricted)->Plan(nullptr);
  ASSERT_EQ(plan->files.size(), 1u);
  EXPECT_EQ(plan->files[0].path, "file:/w/t/data/a");
  auto outcome = table.Write(table.Load(), Mode(WriteMode::kRewriteFiles, CityIs("sf")), {table.File("a2", "sf", 1, 4)},
                             {"/w/t/data/a"});
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->state, CommitState::kCommitted) << outcome->conflict;
  EXPECT_EQ(table.Planned(), Names{"a2"});
}

TEST(Rewrite, OfNothingMakesAnEmptySnapshot) {
  TestTable table;
  table.Append({table.File("a", "sf", 1, 5)});
  auto outcome = table.Write(table.Load(), Mode(WriteMode::kRewriteFiles, CityIs("la")), {});
  ASSERT_TRUE(outcome.ok());
  const Snapshot& last = table.Metadata().snapshots[1];
  EXPECT_EQ(last.operation, "overwrite");
  EXPECT_EQ(At(last, "total-records"), "5");
  EXPECT_EQ(table.Planned(), Names{"a"});
}

TEST(Overwrite, ByFilterRemovesWholeFiles) {
  TestTable table;
  table.Append({table.File("a", "sf", 1, 5), table.File("b", "nyc", 10, 5)});
  auto outcome =
      table.Write(table.Load(), Mode(WriteMode::kOverwriteByFilter, CityIs("sf")), {table.File("c", "sf", 50, 1)});
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(table.Planned(), (Names{"b", "c"}));
  EXPECT_EQ(table.Metadata().snapshots[1].operation, "overwrite");
  // A filter that cuts through a file is refused, and nothing is left of the try.
  size_t before = table.memory().Paths().size();
  auto refused = table.Write(table.Load(), Mode(WriteMode::kOverwriteByFilter, IdTest(PredicateOp::kLess, 12)),
                             {table.File("d", "sf", 1, 1)});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("Cannot delete file where some, but not all, rows match filter"),
            std::string::npos);
  EXPECT_EQ(table.memory().Paths().size(), before);
  // All of a file by its metrics.
  auto all =
      table.Write(table.Load(), Mode(WriteMode::kOverwriteByFilter, IdTest(PredicateOp::kGreaterOrEqual, 10)), {});
  ASSERT_TRUE(all.ok()) << all.error().message;
  EXPECT_EQ(table.Planned(), Names{});
  EXPECT_EQ(table.Metadata().snapshots.back().operation, "delete");
}

TEST(Overwrite, DynamicReplacesThePartitionsThatGetRows) {
  TestTable table;
  table.Append({table.File("a", "sf", 1, 5), table.File("b", "nyc", 10, 5)});
  ASSERT_TRUE(table.Write(table.Load(), Mode(WriteMode::kOverwriteDynamic), {table.File("c", "sf", 50, 1)}).ok());
  EXPECT_EQ(table.Planned(), (Names{"b", "c"}));
  const Snapshot& last = table.Metadata().snapshots[1];
  EXPECT_EQ(last.operation, "overwrite");
  EXPECT_EQ(At(last, "replace-partitions"), "true");
  // Without rows there is no commit.
  ASSERT_TRUE(table.Write(table.Load(), Mode(WriteMode::kOverwriteDynamic), {}).ok());
  EXPECT_EQ(table.Metadata().snapshots.size(), 2u);

  TestTable whole({}, false);
  whole.Append({whole.File("a", "sf", 1, 5, false)});
  ASSERT_TRUE(whole.Write(whole.Load(), Mode(WriteMode::kOverwriteDynamic), {whole.File("b", "sf", 1, 5, false)}).ok());
  EXPECT_EQ(whole.Planned(), Names{"b"});
}

TEST(Delete, ByMetadata) {
  TestTable table;
  table.Append({table.File("a", "sf", 1, 5), table.File("b", "nyc", 10, 5)});
  TablePtr loaded = table.Load();
  EXPECT_TRUE(loaded->CanDeleteByMetadata(CityIs("sf")).value());
  EXPECT_TRUE(loaded->CanDeleteByMetadata(IdTest(PredicateOp::kLess, 6)).value());
  EXPECT_FALSE(loaded->CanDeleteByMetadata(IdTest(PredicateOp::kLess, 5)).value());
  EXPECT_TRUE(loaded->CanDeleteByMetadata(CityIs("la")).value());
  ASSERT_TRUE(loaded->DeleteByMetadata(CityIs("sf"), WriteOptions{}).ok());
  EXPECT_EQ(table.Planned(), Names{"b"});
  const Snapshot& last = table.Metadata().snapshots[1];
  EXPECT_EQ(last.operation, "delete");
  EXPECT_EQ(At(last, "deleted-records"), "5");
  EXPECT_EQ(At(last, "added-data-files"), "-");
  ASSERT_TRUE(table.Load()->DeleteByMetadata(CityIs("la"), WriteOptions{}).ok());
  EXPECT_EQ(At(table.Metadata().snapshots[2], "total-records"), "5");
}

TEST(Options, SummaryBranchAndStaging) {
  TestTable table;
  table.Append({table.File("a", "sf", 1, 5)});
  TableChange branch;
  branch.type = TableChange::Type::kSetReference;
  branch.new_name = "b";
  ASSERT_TRUE(table.Load()->Alter({branch}).ok());
  WriteOptions to_branch;
  to_branch.branch = "b";
  to_branch.options["snapshot-property.job"] = "nightly";
  ASSERT_TRUE(table.Write(table.Load(), to_branch, {table.File("x", "sf", 7, 1)}).ok());
  EXPECT_EQ(table.Planned(), Names{"a"});
  ScanOptions read_branch;
  read_branch.reference = "b";
  EXPECT_EQ(table.Planned(nullptr, read_branch), (Names{"a", "x"}));
  EXPECT_EQ(At(table.Metadata().snapshots[1], "job"), "nightly");
  EXPECT_EQ(table.Metadata().snapshot_log.size(), 1u);
  to_branch.branch = "nope";
  auto missing = table.Write(table.Load(), to_branch, {});
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("branch"), std::string::npos);
  WriteOptions staged;
  staged.options["wap-id"] = "load-7";
  ASSERT_TRUE(table.Write(table.Load(), staged, {table.File("y", "sf", 9, 1)}).ok());
  EXPECT_EQ(table.Planned(), Names{"a"});
  EXPECT_EQ(At(table.Metadata().snapshots.back(), "wap.id"), "load-7");
}

TEST(Options, WriteAuditPublish) {
  TestTable table(Properties{{"write.wap.enabled", "true"}});
  table.Append({table.File("a", "sf", 1, 5)});
  Properties settings = {{"spark.wap.branch", "audit"}};
  TableContext context = table.context();
  context.settings = [&](std::string_view key) -> std::optional<std::string> {
    auto found = settings.find(std::string(key));
    return found == settings.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
  auto load = [&] { return table.format().Load(context, table.location(), table.point()).value(); };
  ASSERT_TRUE(table.Write(load(), WriteOptions{}, {table.File("b", "sf", 7, 1)}).ok());
  EXPECT_EQ(table.Planned(), Names{"a"});
  EXPECT_EQ((*load()->Scan({}))->exact_row_count(), 6);  // The session reads what it has written.
  settings = {{"spark.wap.id", "load-7"}};
  ASSERT_TRUE(table.Write(load(), WriteOptions{}, {table.File("c", "sf", 8, 1)}).ok());
  EXPECT_EQ(table.Planned(), Names{"a"});
  EXPECT_EQ(At(table.Metadata().snapshots.back(), "wap.id"), "load-7");
  settings["spark.wap.branch"] = "audit";
  EXPECT_FALSE(table.Write(load(), WriteOptions{}, {}).ok());
}

TEST(Stage, CreateAndReplaceAsSelect) {
  TestTable source;
  TableDefinition definition;
  definition.schema = testing::TripsSchema();
  auto point = source.format().PathCommitPoint(source.context(), "/w/c");
  auto staged = source.format().Stage(source.context(), definition, "/w/c", point, false);
  ASSERT_TRUE(staged.ok());
  EXPECT_FALSE(point->Current()->has_value());
  {
    // A write that is given up leaves no trace.
    auto write = staged->table->StartWrite(WriteOptions{});
    (*write)->AddFiles({source.File("gone", "sf", 1, 1, false)});
    (*write)->Abort();
  }
  EXPECT_FALSE(source.store().Exists("/w/t/data/gone").value());
  EXPECT_FALSE(point->Current()->has_value());
  // Files that come through CTAS make the first snapshot, in the version that creates the table.
  ASSERT_TRUE(source.Write(staged->table, WriteOptions{}, {source.File("a", "sf", 1, 3, false)}).ok());
  auto load = [&] { return source.format().Load(source.context(), "/w/c", point).value(); };
  EXPECT_EQ(load()->properties().at("format-version"), "2");
  EXPECT_EQ(*point->Current().value(), "/w/c/metadata/v1.metadata.json");

  definition.schema =
      DataType::Struct({StructField("city", DataType::String()), StructField("extra", DataType::Integer())});
  auto replaced = source.format().Stage(source.context(), definition, "/w/c", point, true);
  ASSERT_TRUE(replaced.ok());
  WrittenFile file = source.File("b", "sf", 1, 1, false);
  file.columns.clear();
  ASSERT_TRUE(source.Write(replaced->table, Mode(WriteMode::kReplaceTable), {file}).ok());
  TablePtr after = load();
  const TableMetadata& metadata = static_cast<const IcebergTable&>(*after).metadata();
  EXPECT_EQ(after->schema()->SimpleString(), "struct<city:string,extra:int>");
  EXPECT_EQ(metadata.schema()->fields()[0].id, 2);  // The name was there before.
  EXPECT_EQ(metadata.schema()->fields()[1].id, 6);
  ASSERT_EQ(metadata.snapshots.size(), 2u);
  EXPECT_EQ(metadata.snapshots[1].operation, "overwrite");
  EXPECT_FALSE(metadata.snapshots[1].parent_id.has_value());
  EXPECT_EQ(At(metadata.snapshots[1], "total-records"), "1");
  // The former state can still be read, with its own columns.
  ScanOptions before;
  before.snapshot_id = metadata.snapshots[0].snapshot_id;
  auto old = after->Scan(before);
  ASSERT_TRUE(old.ok());
  EXPECT_EQ((*old)->schema()->fields().size(), 4u);
  EXPECT_EQ((*old)->exact_row_count(), 3);

  auto emptied = source.format().Stage(source.context(), definition, "/w/c", point, true);
  ASSERT_TRUE(source.Write(emptied->table, Mode(WriteMode::kReplaceTable), {}).ok());
  EXPECT_EQ(static_cast<const IcebergTable&>(*load()).metadata().snapshots.size(), 2u);
  EXPECT_EQ((*load()->Scan({}))->exact_row_count(), 0);

  auto again = source.format().Stage(source.context(), definition, "/w/c", point, false);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().condition, "TABLE_OR_VIEW_ALREADY_EXISTS");
}

}  // namespace
}  // namespace frazil::tables::iceberg
