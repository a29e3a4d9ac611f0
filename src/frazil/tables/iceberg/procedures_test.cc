#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "frazil/base/clock.h"
#include "frazil/tables/iceberg/ancestry.h"
#include "frazil/tables/iceberg/metadata_update.h"
#include "frazil/tables/iceberg/reachable_files.h"
#include "frazil/tables/iceberg/snapshot_expiration.h"
#include "frazil/tables/iceberg/testing/test_table.h"

namespace frazil::tables::iceberg {
namespace {

using testing::CityIs;
using testing::Mode;
using testing::TestTable;
using Names = std::vector<std::string>;
using Properties = std::map<std::string, std::string>;

Result<RowSet> Call(const TestTable& table, const char* name, std::vector<Value> arguments) {
  const TableProcedure* procedure = table.format().FindProcedure(name);
  EXPECT_NE(procedure, nullptr) << name;
  arguments.resize(procedure->parameters.size());
  return procedure->call(*table.Load(), arguments);
}

/// From now on no metadata file can be written.
void FailCommits(TestTable& table) {
  table.memory().SetFaultBefore([](storage::StoreAction action, const std::string& path) -> Status {
    if (action == storage::StoreAction::kWriteIfAbsent && path.find(".metadata.json") != std::string::npos)
      return Error::Storage("no disk");
    return {};
  });
}

/// Every file that the newest state needs, by the state's own word: all snapshots can be read whole.
std::set<std::string> Needed(TestTable& table) {
  auto loaded = table.Load();
  const auto& iceberg = static_cast<const IcebergTable&>(*loaded);
  auto files = FindReachableFiles(*iceberg.operations(), iceberg.metadata());
  EXPECT_TRUE(files.ok()) << files.error().message;
  std::set<std::string> paths;
  for (const auto& [path, file] : files->content_files) paths.insert(path);
  for (const auto* group : {&files->manifests, &files->manifest_lists, &files->statistics}) {
    for (const auto& [path, written] : *group) paths.insert(path);
  }
  return paths;
}

void ExpectNothingLost(TestTable& table) {
  for (const auto& path : Needed(table)) EXPECT_TRUE(table.store().Exists(path).value()) << path;
}

bool Has(const TestTable& table, const std::string& name) { return table.store().Exists("/w/t/data/" + name).value(); }

constexpr int64_t kFarFuture = int64_t{4102444800} * 1000000;

/// a and b; c; then a is replaced by d: three snapshots.
void ThreeSnapshots(TestTable& table) {
  table.Append({table.File("a", "sf", 1, 5), table.File("b", "nyc", 10, 5)});
  table.Append({table.File("c", "sf", 20, 5)});
  auto outcome =
      table.Write(table.Load(), Mode(WriteMode::kRewriteFiles), {table.File("d", "sf", 2, 4)}, {"/w/t/data/a"});
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  ASSERT_EQ(outcome->state, CommitState::kCommitted);
}

TEST(ExpireSnapshots, DeletesWhatNoSnapshotNeedsAndNothingElse) {
  for (const char* version : {"1", "2", "3"}) {
    TestTable table(Properties{{"format-version", version}});
    ThreeSnapshots(table);
    auto result = Call(table, "expire_snapshots", {Value(kFarFuture), Value(int64_t{1})});
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->rows[0][0], Value(int64_t{1}));  // a
    EXPECT_EQ(result->rows[0][4], Value(int64_t{2}));  // Manifest lists.
    EXPECT_FALSE(Has(table, "a"));
    EXPECT_TRUE(Has(table, "b") && Has(table, "c") && Has(table, "d"));
    EXPECT_EQ(table.Metadata().snapshots.size(), 1u);
    EXPECT_EQ(table.Metadata().snapshot_log.size(), 1u);
    EXPECT_EQ(table.Planned(), (Names{"b", "c", "d"}));
    ExpectNothingLost(table);
  }
}

TEST(ExpireSnapshots, BranchesTagsAndStagedSnapshotsKeepTheirFiles) {
  TestTable table;
  table.Append({table.File("a", "sf", 1, 5)});
  const int64_t first = *table.Metadata().current_snapshot_id;
  TableChange tag;
  tag.type = TableChange::Type::kSetReference;
  tag.new_name = "keep";
  tag.is_branch = false;
  ASSERT_TRUE(table.Load()->Alter({tag}).ok());
  TableChange branch = tag;
  branch.new_name = "side";
  branch.is_branch = true;
  ASSERT_TRUE(table.Load()->Alter({branch}).ok());
  WriteOptions to_side;
  to_side.branch = "side";
  ASSERT_TRUE(table.Write(table.Load(), to_side, {table.File("s", "sf", 50, 5)}).ok());
  ASSERT_TRUE(
      table.Write(table.Load(), Mode(WriteMode::kAppend, nullptr, {{"wap-id", "w"}}), {table.File("w", "sf", 60, 5)})
          .ok());
  ASSERT_TRUE(table.Write(table.Load(), Mode(WriteMode::kOverwriteByFilter), {table.File("x", "sf", 1, 1)}).ok());

  // By age the staged snapshot is young, the tagged one is kept.
  ASSERT_TRUE(Call(table, "expire_snapshots", {Value(int64_t{1}), Value(int64_t{1})}).ok());
  EXPECT_TRUE(Has(table, "a") && Has(table, "s") && Has(table, "w") && Has(table, "x"));
  ExpectNothingLost(table);
  ASSERT_TRUE(Call(table, "expire_snapshots", {Value(kFarFuture), Value(int64_t{1})}).ok());
  EXPECT_NE(table.Metadata().FindSnapshot(first), nullptr);
  EXPECT_TRUE(Has(table, "a") && Has(table, "s") && Has(table, "x"));
  EXPECT_FALSE(Has(table, "w"));  // Staged, and older than was asked for.
  EXPECT_EQ(table.Metadata().refs.size(), 3u);
  ExpectNothingLost(table);

  Value::List ids{Value(first)};
  auto refused = Call(table, "expire_snapshots", {Value(), Value(), Value(), Value(), Value(ids)});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("Still referenced by refs: [keep]"), std::string::npos)
      << refused.error().message;
}

TEST(ExpireSnapshots, DeletesNothingUnlessTheCommitCameThrough) {
  TestTable table;
  ThreeSnapshots(table);
  auto before = table.memory().Paths();
  FailCommits(table);
  EXPECT_FALSE(Call(table, "expire_snapshots", {Value(kFarFuture), Value(int64_t{1})}).ok());
  table.memory().SetFaultBefore({});
  EXPECT_EQ(table.memory().Paths(), before);
  EXPECT_EQ(table.Metadata().snapshots.size(), 3u);
  ExpectNothingLost(table);
}

TEST(ExpireSnapshots, ATableWhoseFilesAreNotItsOwnIsLeftAlone) {
  TestTable table(Properties{{"gc.enabled", "false"}});
  ThreeSnapshots(table);
  auto before = table.memory().Paths();
  for (const char* name : {"expire_snapshots", "remove_orphan_files"}) {
    auto refused = Call(table, name, {});
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("GC is disabled"), std::string::npos);
  }
  EXPECT_EQ(table.memory().Paths(), before);
}

TEST(RemoveOrphanFiles, OnlyFilesThatNoStateNamesGo) {
  TestTable table;
  ThreeSnapshots(table);
  auto before = table.memory().Paths();
  for (const char* path :
       {"/w/t/data/orphan", "/w/t/metadata/orphan.avro", "/w/t/data/_mark", "/w/t/data/.a.crc", "/w/other/data/x"}) {
    ASSERT_TRUE(table.store().Write(path, "x").ok());
  }
  auto dry = Call(table, "remove_orphan_files", {Value(), Value(), Value(true)});
  ASSERT_TRUE(dry.ok()) << dry.error().message;
  ASSERT_EQ(dry->rows.size(), 2u);
  EXPECT_TRUE(Has(table, "orphan"));
  auto result = Call(table, "remove_orphan_files", {});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->rows, dry->rows);
  EXPECT_EQ(result->rows[0][0], Value("/w/t/data/orphan"));
  for (const char* path : {"/w/t/data/_mark", "/w/t/data/.a.crc", "/w/other/data/x"})
    EXPECT_TRUE(table.store().Exists(path).value()) << path;
  // Old snapshots, staged ones and former metadata files are needed too.
  for (const auto& path : before) EXPECT_TRUE(table.store().Exists(path).value()) << path;
  auto hasty = Call(table, "remove_orphan_files", {Value(NowMicros())});
  ASSERT_FALSE(hasty.ok());
  EXPECT_NE(hasty.error().message.find("interval less than 24 hours"), std::string::npos);
}

TEST(RemoveOrphanFiles, OneFileHasSeveralNames) {
  TestTable table;
  auto far = table.File("a", "Oslo", 1, 1);
  far.path = "s3a://bucket/data/a";
  auto elsewhere = table.File("b", "Oslo", 2, 1);
  elsewhere.path = "s3://other/data/b";
  table.Append({far, elsewhere});
  for (const char* path : {"s3://bucket/data/a", "s3://bucket/data/b", "s3://bucket/data/orphan"})
    ASSERT_TRUE(table.store().Write(path, "x").ok());
  const Value folder(std::string("s3://bucket/data"));
  const auto call = [&](Value authorities, Value mode) {
    return Call(table, "remove_orphan_files",
                {Value(), folder, Value(true), Value(), Value(), Value(), std::move(authorities), std::move(mode)});
  };
  // s3a is s3, but nobody knows what "other" is.
  auto unknown = call(Value(), Value());
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("[(other, bucket)]"), std::string::npos) << unknown.error().message;
  using Rows = std::vector<std::vector<Value>>;
  const Value a(std::string("s3://bucket/data/b")), orphan(std::string("s3://bucket/data/orphan"));
  auto ignored = call(Value(), Value(std::string("ignore")));
  ASSERT_TRUE(ignored.ok()) << ignored.error().message;
  EXPECT_EQ(ignored->rows, (Rows{{orphan}}));
  auto equal = call(Value(Value::List{Value(std::string("other, another")), Value(std::string("bucket"))}), Value());
  ASSERT_TRUE(equal.ok()) << equal.error().message;
  EXPECT_EQ(equal->rows, (Rows{{orphan}}));
  auto deleted = call(Value(), Value(std::string("DELETE")));
  ASSERT_TRUE(deleted.ok()) << deleted.error().message;
  EXPECT_EQ(deleted->rows, (Rows{{a}, {orphan}}));
  EXPECT_FALSE(call(Value(), Value(std::string("maybe"))).ok());
}

TEST(RewriteManifests, TheSameFilesInFewerManifests) {
  for (const char* version : {"1", "2", "3"}) {
    TestTable table(Properties{{"format-version", version}});
    ThreeSnapshots(table);
    auto planned = table.Planned();
    auto result = Call(table, "rewrite_manifests", {});
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_GT(result->rows[0][0].integer(), 1);
    EXPECT_EQ(result->rows[0][1], Value(int64_t{1}));
    EXPECT_EQ(table.Planned(), planned);
    EXPECT_EQ(table.Planned(CityIs("nyc")), (Names{"b"}));
    EXPECT_EQ(table.Metadata().current_snapshot()->operation, "replace");
    EXPECT_EQ(table.Metadata().current_snapshot()->summary.at("total-data-files"), "3");
    ExpectNothingLost(table);
    auto again = Call(table, "rewrite_manifests", {});
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->rows[0][0], Value(int64_t{0}));
  }
}

TEST(RewriteManifests, AFailedCommitLeavesNothingBehind) {
  TestTable table;
  ThreeSnapshots(table);
  auto before = table.memory().Paths();
  FailCommits(table);
  EXPECT_FALSE(Call(table, "rewrite_manifests", {}).ok());
  table.memory().SetFaultBefore({});
  EXPECT_EQ(table.memory().Paths(), before);
}

TEST(Snapshots, RollBackCherryPickAndPublish) {
  TestTable table;
  table.Append({table.File("a", "sf", 1, 5)});
  const int64_t first = *table.Metadata().current_snapshot_id;
  ASSERT_TRUE(
      table.Write(table.Load(), Mode(WriteMode::kAppend, nullptr, {{"wap-id", "w"}}), {table.File("w", "sf", 60, 5)})
          .ok());
  table.Append({table.File("b", "nyc", 10, 5)});
  const int64_t second = *table.Metadata().current_snapshot_id;
  EXPECT_EQ(table.Planned(), (Names{"a", "b"}));
  ASSERT_TRUE(Call(table, "publish_changes", {Value("w")}).ok());
  EXPECT_EQ(table.Planned(), (Names{"a", "b", "w"}));
  auto twice = Call(table, "publish_changes", {Value("w")});
  ASSERT_FALSE(twice.ok());
  EXPECT_NE(twice.error().message.find("published already: w"), std::string::npos) << twice.error().message;
  EXPECT_FALSE(Call(table, "publish_changes", {Value("other")}).ok());
  auto back = Call(table, "rollback_to_snapshot", {Value(first)});
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(table.Planned(), (Names{"a"}));
  auto forward = Call(table, "rollback_to_snapshot", {Value(second)});
  ASSERT_FALSE(forward.ok());
  EXPECT_NE(forward.error().message.find("not an ancestor of the current state"), std::string::npos);
  ASSERT_TRUE(Call(table, "cherrypick_snapshot", {Value(second)}).ok());  // A fast-forward.
  EXPECT_EQ(*table.Metadata().current_snapshot_id, second);
  EXPECT_FALSE(Call(table, "set_current_snapshot", {}).ok());
  ASSERT_TRUE(Call(table, "set_current_snapshot", {Value(first)}).ok());
  EXPECT_EQ(table.Planned(), (Names{"a"}));
  ExpectNothingLost(table);
}

}  // namespace
}  // namespace frazil::tables::iceberg
