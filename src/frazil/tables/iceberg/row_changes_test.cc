#include "frazil/tables/row_changes.h"

#include <gtest/gtest.h>

#include "frazil/tables/iceberg/testing/test_table.h"

namespace frazil::tables::iceberg {
namespace {

using testing::CityIs;
using testing::Mode;
using testing::TestTable;

std::map<std::string, std::string> Marking(std::map<std::string, std::string> more = {}) {
  more["format-version"] = "3";
  for (const char* statement : {"delete", "update", "merge"}) {
    more[std::string("write.") + statement + ".mode"] = "merge-on-read";
    more.emplace(std::string("write.") + statement + ".isolation-level", "snapshot");
  }
  return more;
}

Result<CommitOutcome> Mark(const TablePtr& table, const std::string& operation, const std::string& file,
                           std::vector<int64_t> positions, std::vector<WrittenFile> added = {},
                           PredicatePtr filter = nullptr) {
  WriteOptions options = Mode(WriteMode::kRewriteFiles, std::move(filter));
  options.operation = operation;
  auto write = table->StartRowChanges(options);
  if (!write.ok()) return std::move(write).error();
  (*write)->DeleteRows("/w/t/data/" + file, std::move(positions));
  (*write)->AddFiles(std::move(added));
  return (*write)->Commit();
}

std::string Conflict(const Result<CommitOutcome>& outcome) {
  if (!outcome.ok()) return "error: " + outcome.error().message;
  return outcome->state == CommitState::kCommitted ? "" : outcome->conflict;
}

std::vector<int64_t> Deleted(const TestTable& table, const std::string& name) {
  auto scan = table.Load()->Scan({});
  auto plan = (*scan)->Plan(nullptr);
  EXPECT_TRUE(plan.ok()) << plan.error().message;
  for (const auto& file : plan->files) {
    if (file.path.ends_with("/" + name) && file.deleted_positions != nullptr) return *file.deleted_positions;
  }
  return {};
}

/// A table of two files, in two cities.
struct TwoFiles : TestTable {
  explicit TwoFiles(std::map<std::string, std::string> properties = Marking()) : TestTable(std::move(properties)) {
    Append({File("a", "sf", 1, 5), File("b", "nyc", 10, 5)});
  }
};

TEST(RowChanges, AVectorTakesInTheFormerOne) {
  TwoFiles table;
  EXPECT_EQ(Conflict(Mark(table.Load(), "delete", "a", {1, 3})), "");
  EXPECT_EQ(Conflict(Mark(table.Load(), "delete", "a", {0})), "");
  EXPECT_EQ(Deleted(table, "a"), (std::vector<int64_t>{0, 1, 3}));
  EXPECT_EQ(Deleted(table, "b"), std::vector<int64_t>{});
  const Snapshot& last = table.Metadata().snapshots.back();
  EXPECT_EQ(last.operation, "delete");
  EXPECT_EQ(last.summary.at("added-dvs"), "1");
  EXPECT_EQ(last.summary.at("removed-dvs"), "1");
  EXPECT_EQ(last.summary.at("total-delete-files"), "1");
  EXPECT_EQ(last.summary.at("total-position-deletes"), "3");
  EXPECT_EQ(last.summary.at("total-records"), "10");
}

TEST(RowChanges, TwoVectorsOfOneFileConflict) {
  TwoFiles table;
  TablePtr loaded = table.Load();
  EXPECT_EQ(Conflict(Mark(table.Load(), "delete", "a", {1})), "");
  EXPECT_NE(Conflict(Mark(loaded, "delete", "a", {2})).find("Found concurrently added DV"), std::string::npos);
  EXPECT_EQ(Deleted(table, "a"), std::vector<int64_t>{1});
  EXPECT_EQ(Conflict(Mark(loaded, "delete", "b", {2})), "");
  EXPECT_EQ(Deleted(table, "b"), std::vector<int64_t>{2});
}

TEST(RowChanges, RowsThatMoveMustNotBeDeletedMeanwhile) {
  TwoFiles table;
  TablePtr loaded = table.Load();
  EXPECT_EQ(Conflict(Mark(table.Load(), "delete", "a", {1})), "");
  EXPECT_NE(
      Conflict(Mark(loaded, "update", "b", {2}, {table.File("c", "nyc", 12, 1)})).find("conflicting delete files"),
      std::string::npos);
  // Elsewhere they do not matter.
  EXPECT_EQ(Conflict(Mark(loaded, "update", "b", {2}, {table.File("d", "nyc", 12, 1)}, CityIs("nyc"))), "");
  EXPECT_EQ(table.Metadata().snapshots.back().operation, "overwrite");
}

TEST(RowChanges, SerializableStatementsMindNewRows) {
  for (const char* level : {"serializable", "snapshot"}) {
    TwoFiles table(Marking({{"write.delete.isolation-level", level}}));
    TablePtr loaded = table.Load();
    table.Append({table.File("c", "sf", 20, 5)});
    bool conflicts = Conflict(Mark(loaded, "delete", "a", {1})).find("Found conflicting files") != std::string::npos;
    EXPECT_EQ(conflicts, std::string(level) == "serializable");
    EXPECT_EQ(Deleted(table, "a").size(), conflicts ? 0u : 1u);
  }
}

TEST(RowChanges, FilesThatAreGone) {
  TwoFiles table;
  TablePtr loaded = table.Load();
  // Written anew by another statement: its rows are elsewhere now.
  WriteOptions rewrite = Mode(WriteMode::kRewriteFiles);
  rewrite.operation = "delete";
  ASSERT_EQ(Conflict(table.Write(table.Load(), rewrite, {table.File("a2", "sf", 1, 4)}, {"/w/t/data/a"})), "");
  EXPECT_NE(Conflict(Mark(loaded, "delete", "a", {1})).find("missing data files"), std::string::npos);
  // Deleted as a whole: nothing of them is left to delete, but rows that were read may not come back.
  loaded = table.Load();
  ASSERT_TRUE(table.Load()->DeleteByMetadata(CityIs("nyc"), {}).ok());
  EXPECT_EQ(Conflict(Mark(loaded, "delete", "b", {1})), "");
  EXPECT_NE(Conflict(Mark(loaded, "merge", "b", {1}, {table.File("c", "nyc", 12, 1)})).find("missing data files"),
            std::string::npos);
  EXPECT_EQ(table.Planned(), std::vector<std::string>{"a2"});
}

TEST(RowChanges, NothingIsLeftOfAWriteThatLost) {
  TwoFiles table;
  TablePtr loaded = table.Load();
  ASSERT_EQ(Conflict(Mark(table.Load(), "delete", "a", {1})), "");
  const auto before = table.store().List(table.location(), true);
  ASSERT_NE(Conflict(Mark(loaded, "delete", "a", {2})), "");
  const auto after = table.store().List(table.location(), true);
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_EQ(after->size(), before->size());
}

TEST(RowChanges, VersionOneHasNoDeletes) {
  auto properties = Marking();
  TestTable table({{"format-version", "1"}, {"write.delete.mode", "merge-on-read"}});
  table.Append({table.File("a", "sf", 1, 5)});
  EXPECT_NE(Conflict(Mark(table.Load(), "delete", "a", {1})).find("Deletes are supported in V2 and above"),
            std::string::npos);
}

}  // namespace
}  // namespace frazil::tables::iceberg
