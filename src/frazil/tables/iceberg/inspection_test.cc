#include <gtest/gtest.h>

#include "frazil/codec/deletion_vector.h"
#include "frazil/tables/chosen_columns.h"
#include "frazil/tables/iceberg/manifest_writer.h"
#include "frazil/tables/iceberg/metadata_update.h"
#include "frazil/tables/iceberg/testing/test_table.h"

namespace frazil::tables::iceberg {
namespace {

using testing::CityIs;
using testing::Mode;
using testing::TestTable;
using Names = std::vector<std::string>;

std::shared_ptr<const RowSet> RowsOf(const TestTable& table, const std::string& name, const ScanOptions& options = {}) {
  auto view = table.Load()->MetadataTable(name);
  EXPECT_TRUE(view.ok() && *view != nullptr) << name;
  auto scan = (*view)->Scan(options);
  EXPECT_TRUE(scan.ok()) << name;
  EXPECT_TRUE((*scan)->has_rows());
  auto rows = (*scan)->Rows();
  EXPECT_TRUE(rows.ok()) << name;
  for (const auto& row : (*rows)->rows) EXPECT_EQ(row.size(), (*rows)->schema->fields().size()) << name;
  return *rows;
}

const Value& At(const RowSet& rows, size_t row, const std::string& column) {
  return rows.rows[row][static_cast<size_t>(rows.schema->FieldIndex(column))];
}

TEST(MetadataTables, EmptyTable) {
  TestTable table;
  for (const char* name : {"snapshots", "history", "refs", "files", "data_files", "delete_files", "all_files",
                           "entries", "all_entries", "manifests", "all_manifests", "partitions", "position_deletes"}) {
    EXPECT_TRUE(RowsOf(table, name)->rows.empty()) << name;
  }
  EXPECT_EQ(RowsOf(table, "metadata_log_entries")->rows.size(), 1u);
  EXPECT_EQ(*table.Load()->MetadataTable("no_such_table"), nullptr);
}

TEST(MetadataTables, AfterAppendAndRewrite) {
  TestTable table;
  table.Append({table.File("a", "sf", 1, 5), table.File("b", "nyc", 10, 5)});
  int64_t first = *table.Metadata().current_snapshot_id;
  ASSERT_TRUE(table
                  .Write(table.Load(), Mode(WriteMode::kRewriteFiles, CityIs("sf")), {table.File("a2", "sf", 1, 4)},
                         {"/w/t/data/a"})
                  .ok());
  int64_t second = *table.Metadata().current_snapshot_id;

  auto snapshots = RowsOf(table, "SNAPSHOTS");
  EXPECT_EQ(snapshots->schema->SimpleString(),
            "struct<committed_at:timestamp,snapshot_id:bigint,parent_id:bigint,operation:string,manifest_list:string,"
            "summary:map<string,string>>");
  ASSERT_EQ(snapshots->rows.size(), 2u);
  EXPECT_TRUE(At(*snapshots, 0, "parent_id").is_null());
  EXPECT_EQ(At(*snapshots, 1, "parent_id"), Value(first));
  EXPECT_EQ(At(*snapshots, 1, "operation"), Value("overwrite"));
  EXPECT_LT(At(*snapshots, 0, "committed_at").integer(), At(*snapshots, 1, "committed_at").integer());

  auto history = RowsOf(table, "history");
  ASSERT_EQ(history->rows.size(), 2u);
  EXPECT_EQ(At(*history, 0, "is_current_ancestor"), Value(true));
  auto refs = RowsOf(table, "refs");
  ASSERT_EQ(refs->rows.size(), 1u);
  EXPECT_EQ(At(*refs, 0, "snapshot_id"), Value(second));
  EXPECT_EQ(At(*refs, 0, "type"), Value("BRANCH"));
  auto log = RowsOf(table, "metadata_log_entries");
  ASSERT_EQ(log->rows.size(), 3u);
  EXPECT_TRUE(At(*log, 0, "latest_snapshot_id").is_null());
  EXPECT_EQ(At(*log, 2, "latest_snapshot_id"), Value(second));

  auto files = RowsOf(table, "files");
  ASSERT_EQ(files->rows.size(), 2u);
  EXPECT_EQ(At(*files, 0, "file_path"), Value("/w/t/data/a2"));
  EXPECT_EQ(At(*files, 0, "partition"), Value(Value::List{Value("sf")}));
  const Value& metrics = At(*files, 0, "readable_metrics");
  // city, fare, id, tags.element
  ASSERT_EQ(metrics.list().size(), 4u);
  EXPECT_EQ(metrics.list()[2].list()[4], Value(int64_t{1}));
  EXPECT_EQ(metrics.list()[2].list()[5], Value(int64_t{4}));
  EXPECT_EQ(metrics.list()[0].list()[5], Value("sf"));
  ScanOptions then;
  then.snapshot_id = first;
  EXPECT_EQ(At(*RowsOf(table, "files", then), 0, "file_path"), Value("/w/t/data/a"));
  // What is about the whole table is the same at every snapshot; what is about all snapshots has none of its own.
  EXPECT_EQ(RowsOf(table, "snapshots", then)->rows, RowsOf(table, "snapshots")->rows);
  auto all_files = (*table.Load()->MetadataTable("all_files"))->Scan(then);
  ASSERT_FALSE(all_files.ok());
  EXPECT_EQ(all_files.error().message, "Cannot select snapshot in table: ALL_FILES");

  EXPECT_EQ(RowsOf(table, "entries")->rows.size(), 3u);
  EXPECT_EQ(RowsOf(table, "all_entries")->rows.size(), 5u);
  EXPECT_EQ(RowsOf(table, "all_data_files")->rows.size(), 4u);
  auto manifests = RowsOf(table, "manifests");
  ASSERT_EQ(manifests->rows.size(), 2u);
  EXPECT_EQ(At(*manifests, 0, "added_data_files_count"), Value(1));
  EXPECT_EQ(At(*manifests, 1, "deleted_data_files_count"), Value(1));
  EXPECT_EQ(At(*manifests, 0, "partition_summaries").list()[0].list()[2], Value("sf"));
  EXPECT_EQ(RowsOf(table, "all_manifests")->rows.size(), 3u);
  auto partitions = RowsOf(table, "partitions");
  ASSERT_EQ(partitions->rows.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    bool sf = At(*partitions, i, "partition").list()[0] == Value("sf");
    EXPECT_EQ(At(*partitions, i, "record_count"), Value(sf ? 4 : 5));
    EXPECT_EQ(At(*partitions, i, "last_updated_snapshot_id"), Value(sf ? second : first));
  }
}

TEST(MetadataTables, FillTheColumnsThatAreChosen) {
  for (const bool partitioned : {true, false}) {
    TestTable table({}, partitioned);
    table.Append({table.File("a", "x", 1, 5, partitioned), table.File("b", "x", 6, 5, partitioned)});
    for (const char* name : {"files", "entries", "snapshots"}) {
      const auto all = RowsOf(table, name);
      const auto scan = *(*table.Load()->MetadataTable(name))->Scan({});
      const auto& choosing = dynamic_cast<const ChosenColumns&>(*scan);
      for (size_t column = 0; column < all->schema->fields().size(); ++column) {
        const auto chosen = choosing.RowsOf({column});
        ASSERT_TRUE(chosen.ok());
        ASSERT_EQ((*chosen)->rows.size(), all->rows.size());
        for (size_t row = 0; row < all->rows.size(); ++row)
          EXPECT_EQ((*chosen)->rows[row][column], all->rows[row][column]) << name << " " << column;
      }
      const auto none = choosing.RowsOf({});
      ASSERT_TRUE(none.ok());
      EXPECT_EQ((*none)->rows.size(), all->rows.size());
      EXPECT_EQ((*none)->rows[0].back().is_null(), std::string(name) != "snapshots");
    }
  }
}

TEST(MetadataTables, UnpartitionedTablesHaveNoPartitionColumn) {
  TestTable table({}, false);
  table.Append({table.File("a", "x", 1, 5, false)});
  EXPECT_EQ(RowsOf(table, "files")->schema->FieldIndex("partition"), -1);
  auto partitions = RowsOf(table, "partitions");
  ASSERT_EQ(partitions->rows.size(), 1u);
  EXPECT_EQ(partitions->schema->fields()[0].name, "record_count");
  EXPECT_EQ(At(*partitions, 0, "record_count"), Value(5));
}

std::string Failure(const TestTable& table, const ScanOptions& options) {
  auto scan = table.Load()->Scan(options);
  return scan.ok() ? "no error" : scan.error().message;
}

TEST(TimeTravel, SnapshotsTimesReferences) {
  TestTable table;
  table.Append({table.File("a", "sf", 1, 1)});
  table.Append({table.File("b", "sf", 2, 1)});
  TableMetadata metadata = table.Metadata();
  ScanOptions options;
  options.snapshot_id = metadata.snapshots[0].snapshot_id;
  EXPECT_EQ(table.Planned(nullptr, options), Names{"a"});
  options = {};
  options.options["snapshot-id"] = std::to_string(metadata.snapshots[0].snapshot_id);
  EXPECT_EQ(table.Planned(nullptr, options), Names{"a"});
  options = {};
  options.timestamp_micros = metadata.snapshots[0].timestamp_ms * 1000;
  EXPECT_EQ(table.Planned(nullptr, options), Names{"a"});
  options.timestamp_micros = metadata.snapshots[1].timestamp_ms * 1000 + 999;
  EXPECT_EQ(table.Planned(nullptr, options), (Names{"a", "b"}));
  options.timestamp_micros = 978307200000000;
  EXPECT_EQ(Failure(table, options), "Cannot find a snapshot older than 2001-01-01T00:00:00+00:00");
  options = {};
  options.snapshot_id = 42;
  EXPECT_EQ(Failure(table, options), "Cannot find snapshot with ID 42");
  options.reference = "main";
  EXPECT_NE(Failure(table, options), "no error");
  options = {};
  options.reference = "nope";
  EXPECT_NE(Failure(table, options), "no error");
  options.reference = "main";
  EXPECT_EQ(table.Planned(nullptr, options), (Names{"a", "b"}));
}

TEST(TimeTravel, IncrementalAppends) {
  TestTable table;
  table.Append({table.File("a", "sf", 1, 1)});
  table.Append({table.File("b", "sf", 2, 1)});
  ASSERT_TRUE(table
                  .Write(table.Load(), Mode(WriteMode::kRewriteFiles, CityIs("sf")), {table.File("a2", "sf", 1, 1)},
                         {"/w/t/data/a"})
                  .ok());
  table.Append({table.File("c", "sf", 3, 1)});
  TableMetadata metadata = table.Metadata();
  ScanOptions options;
  options.start_snapshot_id = metadata.snapshots[0].snapshot_id;
  EXPECT_EQ(table.Planned(nullptr, options), (Names{"b", "c"}));
  options.end_snapshot_id = metadata.snapshots[1].snapshot_id;
  EXPECT_EQ(table.Planned(nullptr, options), Names{"b"});
  // Files that were appended and are gone since then count as appended.
  ASSERT_TRUE(table.Load()->DeleteByMetadata(CityIs("sf"), WriteOptions{}).ok());
  options.end_snapshot_id.reset();
  EXPECT_EQ(table.Planned(nullptr, options), (Names{"b", "c"}));
  EXPECT_EQ(table.Planned(), Names{});
  options.end_snapshot_id = metadata.snapshots[1].snapshot_id;
  auto scan = table.Load()->Scan(options);
  EXPECT_FALSE((*scan)->exact_row_count().has_value());
  options.start_snapshot_id = 42;
  EXPECT_NE(Failure(table, options).find("is not a parent ancestor of end snapshot"), std::string::npos);
  options.start_snapshot_id.reset();
  EXPECT_NE(Failure(table, options).find("Cannot set only `end-snapshot-id` for incremental scans"), std::string::npos);
  options.start_snapshot_id = metadata.snapshots[0].snapshot_id;
  options.snapshot_id = metadata.snapshots[0].snapshot_id;
  EXPECT_EQ(Failure(table, options), "Cannot use time travel in incremental scan");
}

TEST(Scan, RestrictedToFiles) {
  TestTable table;
  table.Append({table.File("a", "sf", 1, 1), table.File("b", "nyc", 2, 1)});
  auto scan = (*table.Load()->Scan({}))->RestrictTo({"/w/t/data/b"});
  ASSERT_TRUE(scan.ok());
  auto plan = (*scan)->Plan(nullptr);
  ASSERT_EQ(plan->files.size(), 1u);
  EXPECT_EQ(plan->files[0].path, "/w/t/data/b");
  EXPECT_FALSE((*scan)->exact_row_count().has_value());
}

/// Commits a snapshot that holds the data manifests of the present one and a manifest of these delete files.
void AddDeleteFiles(TestTable& table, std::vector<DataFile> deletes) {
  TableMetadata metadata = table.Metadata();
  auto writer = ManifestWriter::Make(metadata, 0, ManifestContent::kDeletes, 99, "/w/t/metadata/d.avro");
  ASSERT_TRUE(writer.ok());
  for (auto& file : deletes) ASSERT_TRUE((*writer)->Added(std::make_shared<const DataFile>(std::move(file))).ok());
  auto output = (*writer)->Finish();
  ASSERT_TRUE(output.ok());
  ASSERT_TRUE(table.store().Write("/w/t/metadata/d.avro", output->data).ok());
  auto manifests = ReadManifestList(table.store().Read(metadata.current_snapshot()->manifest_list).value(), "list");
  manifests->push_back(output->manifest);
  Snapshot snapshot;
  snapshot.snapshot_id = 99;
  snapshot.parent_id = metadata.current_snapshot_id;
  snapshot.sequence_number = metadata.last_sequence_number + 1;
  snapshot.timestamp_ms = metadata.current_snapshot()->timestamp_ms + 1;
  snapshot.operation = "delete";
  snapshot.manifest_list = "/w/t/metadata/snap-99.avro";
  int64_t row_id = metadata.next_row_id;
  auto list =
      WriteManifestList(metadata.format_version, 99, snapshot.parent_id, snapshot.sequence_number, *manifests, &row_id);
  ASSERT_TRUE(list.ok());
  ASSERT_TRUE(table.store().Write(snapshot.manifest_list, *list).ok());
  if (metadata.format_version >= 3) snapshot.first_row_id = metadata.next_row_id;
  std::string location = metadata.metadata_location;
  ASSERT_TRUE(AddSnapshot(&metadata, snapshot).ok());
  ASSERT_TRUE(SetBranchSnapshot(&metadata, 99, "main", true).ok());
  std::string written;
  auto state = table.point()->Swap(location, WriteTableMetadata(metadata), &written);
  ASSERT_TRUE(state.ok());
  ASSERT_EQ(*state, CommitState::kCommitted);
}

DataFile DeleteFile(FileContent content, const std::string& path, const std::string& city) {
  DataFile file;
  file.content = content;
  file.path = path;
  file.format = "PARQUET";
  file.partition = {Value(city)};
  file.record_count = 2;
  file.size = 50;
  return file;
}

TEST(Deletes, PositionDeletesGoToTheFilesOfTheirPartition) {
  TestTable table;
  table.Append({table.File("a", "sf", 1, 5), table.File("b", "nyc", 10, 5)});
  DataFile for_one = DeleteFile(FileContent::kPositionDeletes, "/w/t/data/one-deletes", "nyc");
  for_one.referenced_data_file = "/w/t/data/other";
  AddDeleteFiles(table, {DeleteFile(FileContent::kPositionDeletes, "/w/t/data/sf-deletes", "sf"), for_one});
  table.Append({table.File("later", "sf", 100, 5)});
  auto scan = table.Load()->Scan({});
  EXPECT_FALSE((*scan)->exact_row_count().has_value());
  EXPECT_EQ((*scan)->estimated_row_count(), 15);
  auto plan = (*scan)->Plan(nullptr);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  for (const auto& file : plan->files) {
    bool concerned =
        file.path.ends_with("/a");  // Not those of another partition, of later commits, or that are not named.
    ASSERT_EQ(file.position_delete_files.size(), concerned ? 1u : 0u) << file.path;
    if (!concerned) continue;
    EXPECT_EQ(file.position_delete_files[0]->path, "/w/t/data/sf-deletes");
  }
  EXPECT_EQ(RowsOf(table, "delete_files")->rows.size(), 2u);
  // Replacing the only old file leaves the deletes of its partition without meaning; newer files are read without them.
  ASSERT_TRUE(table
                  .Write(table.Load(), Mode(WriteMode::kRewriteFiles, CityIs("sf")), {table.File("a2", "sf", 1, 3)},
                         {"/w/t/data/a"})
                  .ok());
  auto after = (*table.Load()->Scan({}))->Plan(CityIs("sf"));
  for (const auto& file : after->files) EXPECT_TRUE(file.position_delete_files.empty()) << file.path;
}

TEST(Deletes, EqualityDeletesAreRefusedWhereTheyApply) {
  TestTable table;
  table.Append({table.File("a", "sf", 1, 5), table.File("b", "nyc", 10, 5)});
  DataFile equality = DeleteFile(FileContent::kEqualityDeletes, "/w/t/data/eq", "sf");
  equality.equality_ids = {1};
  AddDeleteFiles(table, {equality});
  auto scan = table.Load()->Scan({});
  auto refused = (*scan)->Plan(nullptr);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnsupported);
  EXPECT_NE(refused.error().message.find("equality delete"), std::string::npos);
  EXPECT_TRUE((*scan)->Plan(CityIs("nyc")).ok());
}

TEST(Deletes, DeletionVectorsAreRead) {
  TestTable table(std::map<std::string, std::string>{{"format-version", "3"}});
  table.Append({table.File("a", "sf", 1, 5), table.File("b", "nyc", 10, 5)});
  std::string blob = codec::WriteDeletionVector({1, 3, (int64_t{1} << 33) + 7});
  ASSERT_TRUE(table.store().Write("/w/t/data/v.puffin", "PFA1" + blob + "tail").ok());
  DataFile vector = DeleteFile(FileContent::kPositionDeletes, "/w/t/data/v.puffin", "sf");
  vector.format = "PUFFIN";
  vector.record_count = 3;
  vector.referenced_data_file = "/w/t/data/a";
  vector.content_offset = 4;
  vector.content_size = static_cast<int64_t>(blob.size());
  AddDeleteFiles(table, {vector});
  auto plan = (*table.Load()->Scan({}))->Plan(nullptr);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  for (const auto& file : plan->files) {
    if (file.path.ends_with("/a")) {
      ASSERT_NE(file.deleted_positions, nullptr);
      EXPECT_EQ(*file.deleted_positions, (std::vector<int64_t>{1, 3, (int64_t{1} << 33) + 7}));
    } else {
      EXPECT_EQ(file.deleted_positions, nullptr);
    }
  }
  blob[blob.size() / 2] ^= 1;
  EXPECT_FALSE(codec::ReadDeletionVector(blob).ok());
}

}  // namespace
}  // namespace frazil::tables::iceberg
