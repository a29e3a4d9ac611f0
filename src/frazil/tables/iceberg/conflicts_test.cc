#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "frazil/storage/local/local_store.h"
#include "frazil/tables/iceberg/testing/test_table.h"

namespace frazil::tables::iceberg {
namespace {

using testing::CityIs;
using testing::IdTest;
using testing::Mode;
using testing::TestTable;
using Names = std::vector<std::string>;

TEST(Conflicts, AppendsGoOnTopOfEachOther) {
  TestTable table;
  TablePtr before = table.Load();
  table.Append({table.File("a", "sf", 1, 1)});
  auto outcome = table.Write(before, WriteOptions{}, {table.File("b", "sf", 2, 1)});
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->state, CommitState::kCommitted);
  EXPECT_EQ(table.Planned(), (Names{"a", "b"}));
}

TEST(Conflicts, RewriteLosesToARewriteOfTheSameFile) {
  TestTable table;
  table.Append({table.File("a", "sf", 1, 5)});
  TablePtr before = table.Load();
  ASSERT_TRUE(table
                  .Write(table.Load(), Mode(WriteMode::kRewriteFiles, CityIs("sf")), {table.File("a2", "sf", 1, 4)},
                         {"/w/t/data/a"})
                  .ok());
  auto objects = table.memory().Paths();
  for (const char* level : {"serializable", "snapshot"}) {
    auto outcome = table.Write(before, Mode(WriteMode::kRewriteFiles, CityIs("sf"), {{"isolation-level", level}}),
                               {table.File("a3", "sf", 1, 3)}, {"/w/t/data/a"});
    ASSERT_TRUE(outcome.ok()) << outcome.error().message;
    EXPECT_EQ(outcome->state, CommitState::kConflict);
    EXPECT_EQ(table.memory().Paths(), objects);  // What was written for it is gone again.
  }
  EXPECT_EQ(table.Planned(), Names{"a2"});
}

TEST(Conflicts, RewriteAndAppendByIsolationLevel) {
  for (bool serializable : {true, false}) {
    TestTable table;
    table.Append({table.File("a", "sf", 1, 5)});
    TablePtr before = table.Load();
    table.Append({table.File("new", "sf", 9, 1)});
    auto outcome = table.Write(
        before,
        Mode(WriteMode::kRewriteFiles, CityIs("sf"), {{"isolation-level", serializable ? "serializable" : "snapshot"}}),
        {table.File("a2", "sf", 1, 4)}, {"/w/t/data/a"});
    ASSERT_TRUE(outcome.ok());
    if (serializable) {
      EXPECT_EQ(outcome->state, CommitState::kConflict);
      EXPECT_NE(outcome->conflict.find("Found conflicting files that can contain records matching"), std::string::npos)
          << outcome->conflict;
      EXPECT_EQ(table.Planned(), (Names{"a", "new"}));
    } else {
      EXPECT_EQ(outcome->state, CommitState::kCommitted);
      EXPECT_EQ(table.Planned(), (Names{"a2", "new"}));
    }
  }
}

TEST(Conflicts, AppendsElsewhereDoNotDisturb) {
  TestTable table;
  table.Append({table.File("a", "sf", 1, 5)});
  TablePtr before = table.Load();
  table.Append({table.File("b", "nyc", 9, 1)});
  auto outcome = table.Write(before, Mode(WriteMode::kRewriteFiles, CityIs("sf")), {table.File("a2", "sf", 1, 4)},
                             {"/w/t/data/a"});
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->state, CommitState::kCommitted) << outcome->conflict;
  EXPECT_EQ(table.Planned(), (Names{"a2", "b"}));
}

TEST(Conflicts, OverwriteAgainstANewerAppend) {
  for (bool serializable : {true, false}) {
    TestTable table({}, false);
    table.Append({table.File("a", "x", 1, 4, false)});
    std::string base = std::to_string(*table.Metadata().current_snapshot_id);
    table.Append({table.File("late", "x", 1, 1, false)});
    auto outcome = table.Write(
        table.Load(),
        Mode(WriteMode::kOverwriteByFilter, IdTest(PredicateOp::kLessOrEqual, 4),
             {{"isolation-level", serializable ? "serializable" : "snapshot"}, {"validate-from-snapshot-id", base}}),
        {table.File("new", "x", 1, 1, false)});
    ASSERT_TRUE(outcome.ok());
    EXPECT_EQ(outcome->state, serializable ? CommitState::kConflict : CommitState::kCommitted);
    EXPECT_EQ(table.Planned(), serializable ? (Names{"a", "late"}) : Names{"new"});
  }
}

TEST(Failures, NothingIsLeftOfACertainFailure) {
  TestTable table;
  table.Append({table.File("a", "sf", 1, 1)});
  auto objects = table.memory().Paths();
  for (int failing = 0; failing < 3; ++failing) {
    WrittenFile file = table.File("b", "sf", 2, 1);
    int writes = 0;
    table.memory().SetFaultBefore([&, failing](storage::StoreAction action, const std::string&) -> Status {
      bool writes_here = action == storage::StoreAction::kWrite || action == storage::StoreAction::kWriteIfAbsent;
      if (writes_here && writes++ == failing) return Error::Storage("disk full");
      return {};
    });
    auto outcome = table.Write(table.Load(), WriteOptions{}, {file});
    table.memory().SetFaultBefore({});
    ASSERT_FALSE(outcome.ok());
    EXPECT_NE(outcome.error().message.find("disk full"), std::string::npos);
    EXPECT_EQ(table.memory().Paths(), objects) << failing;
    EXPECT_EQ(table.Planned(), Names{"a"});
  }
}

TEST(Failures, ALostAnswerIsLookedUp) {
  TestTable table;
  WrittenFile file = table.File("a", "sf", 1, 1);
  table.memory().SetFaultAfter([](storage::StoreAction action, const std::string&) -> Status {
    return action == storage::StoreAction::kWriteIfAbsent ? Status(Error::Storage("connection lost")) : Status();
  });
  auto outcome = table.Write(table.Load(), WriteOptions{}, {file});
  table.memory().SetFaultAfter({});
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->state, CommitState::kCommitted);
  EXPECT_EQ(table.Planned(), Names{"a"});
}

TEST(Failures, AnUnknownOutcomeDeletesNothing) {
  TestTable table;
  WrittenFile file = table.File("a", "sf", 1, 1);
  TablePtr loaded = table.Load();
  bool lost = false;
  table.memory().SetFaultAfter([&](storage::StoreAction action, const std::string&) -> Status {
    if (action == storage::StoreAction::kWriteIfAbsent) lost = true;
    return lost ? Status(Error::Storage("connection lost")) : Status();
  });
  table.memory().SetFaultBefore([&](storage::StoreAction, const std::string&) -> Status {
    return lost ? Status(Error::Storage("connection lost")) : Status();
  });
  auto outcome = table.Write(loaded, WriteOptions{}, {file});
  table.memory().SetFaultAfter({});
  table.memory().SetFaultBefore({});
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().kind, ErrorKind::kUnknownCommit);
  EXPECT_TRUE(table.store().Exists("/w/t/data/a").value());
  EXPECT_EQ(table.Planned(), Names{"a"});  // It had been committed after all.
}

TEST(CommitPoint, OldVersionsThatWereDeletedStayTaken) {
  TestTable table;
  for (int i = 0; i < 3; ++i) table.Append({table.File("f" + std::to_string(i), "sf", i, 1)});
  ASSERT_TRUE(table.store().Delete("/w/t/metadata/v2.metadata.json").ok());
  std::string written;
  auto state = table.point()->Swap(std::string("/w/t/metadata/v1.metadata.json"), "{}", &written);
  ASSERT_TRUE(state.ok());
  EXPECT_EQ(*state, CommitState::kConflict);
}

TEST(CommitPoint, HintsAreOnlyHints) {
  TestTable table;
  table.Append({table.File("a", "sf", 1, 1)});
  for (const char* hint : {"1", "", "nonsense", "7"}) {
    ASSERT_TRUE(table.store().Write("/w/t/metadata/version-hint.text", hint).ok());
    EXPECT_EQ(table.Planned(), Names{"a"}) << hint;
  }
  ASSERT_TRUE(table.store().Delete("/w/t/metadata/version-hint.text").ok());
  EXPECT_EQ(table.Planned(), Names{"a"});
}

TEST(CommitPoint, TablesOfOtherCatalogsAreReadOnly) {
  TestTable table;
  table.Append({table.File("a", "sf", 1, 1)});
  std::string text = table.store().Read("/w/t/metadata/v2.metadata.json").value();
  ASSERT_TRUE(table.store().Write("/w/u/metadata/00001-aaaa.metadata.json", text).ok());
  ASSERT_TRUE(table.store().Write("/w/u/metadata/00002-bbbb.metadata.json", text).ok());
  auto point = table.format().PathCommitPoint(table.context(), "/w/u");
  EXPECT_EQ(*point->Current().value(), "/w/u/metadata/00002-bbbb.metadata.json");
  auto loaded = table.format().Load(table.context(), "/w/u", point);
  ASSERT_TRUE(loaded.ok());
  auto outcome = table.Write(*loaded, WriteOptions{}, {table.File("b", "sf", 2, 1)});
  ASSERT_FALSE(outcome.ok());
  EXPECT_NE(outcome.error().message.find("belongs to a catalog"), std::string::npos);
}

std::string TemporaryFolder() {
  char name[] = "/tmp/frazil-iceberg-XXXXXX";
  return ::mkdtemp(name);
}

constexpr int kWritesOfEach = 5;
const std::map<std::string, std::string> kPatient = {
    {"commit.retry.num-retries", "100"}, {"commit.retry.min-wait-ms", "5"}, {"commit.retry.max-wait-ms", "200"}};

TEST(Concurrency, ThreadsLoseNothing) {
  std::string folder = TemporaryFolder();
  TestTable table(kPatient, true, std::make_shared<storage::LocalStore>(), folder + "/t");
  constexpr int kThreads = 8, kEach = 4;
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        auto outcome = table.Write(table.Load(), WriteOptions{},
                                   {table.File("f" + std::to_string(t) + "_" + std::to_string(i), "sf", i, 1)});
        if (!outcome.ok() || outcome->state != CommitState::kCommitted) ++failures;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(table.Planned().size(), static_cast<size_t>(kThreads * kEach));
  EXPECT_EQ(table.Metadata().snapshots.size(), static_cast<size_t>(kThreads * kEach));
  EXPECT_TRUE(storage::LocalStore().DeleteRecursively(folder).ok());
}

/// One writer alone; and what each process of ProcessesLoseNothing does, which names the table and the writer in the
/// environment.
TEST(Concurrency, OneWriter) {
  const char* given = ::getenv("FRAZIL_TEST_FOLDER");
  const char* number = given != nullptr ? ::getenv("FRAZIL_TEST_WRITER") : "0";
  std::string folder = given != nullptr ? given : TemporaryFolder();
  std::string location = folder + "/t";
  auto store = std::make_shared<storage::LocalStore>();
  if (given == nullptr) TestTable(kPatient, true, store, location);
  IcebergFormat format;
  TableContext context{store, {}, "ice.db.t"};
  auto point = format.PathCommitPoint(context, location);
  for (int i = 0; i < kWritesOfEach; ++i) {
    auto loaded = format.Load(context, location, point);
    ASSERT_TRUE(loaded.ok());
    auto write = (*loaded)->StartWrite(WriteOptions{});
    ASSERT_TRUE(write.ok());
    WrittenFile file;
    file.path = location + "/data/f" + number + "_" + std::to_string(i);
    ASSERT_TRUE(context.store->Write(file.path, "data").ok());
    file.record_count = 1;
    file.size = 4;
    file.partition = {Value("sf")};
    (*write)->AddFiles({file});
    auto outcome = (*write)->Commit();
    ASSERT_TRUE(outcome.ok()) << outcome.error().message;
    ASSERT_EQ(outcome->state, CommitState::kCommitted) << outcome->conflict;
  }
  if (given != nullptr) return;
  EXPECT_EQ((*format.Load(context, location, point).value()->Scan({}))->exact_row_count(), kWritesOfEach);
  EXPECT_TRUE(store->DeleteRecursively(folder).ok());
}

TEST(Concurrency, ProcessesLoseNothing) {
  std::string folder = TemporaryFolder();
  constexpr int kProcesses = 4;
  TestTable table(kPatient, true, std::make_shared<storage::LocalStore>(), folder + "/t");
  ASSERT_EQ(::setenv("FRAZIL_TEST_FOLDER", folder.c_str(), 1), 0);
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    ASSERT_EQ(::setenv("FRAZIL_TEST_WRITER", std::to_string(p).c_str(), 1), 0);
    std::string program = "/proc/self/exe", filter = "--gtest_filter=Concurrency.OneWriter", brief = "--gtest_brief=1";
    char* arguments[] = {program.data(), filter.data(), brief.data(), nullptr};
    pid_t pid = 0;
    ASSERT_EQ(::posix_spawn(&pid, program.c_str(), nullptr, nullptr, arguments, environ), 0);
    children.push_back(pid);
  }
  for (pid_t pid : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  constexpr size_t kAll = kProcesses * kWritesOfEach;
  EXPECT_EQ(table.Planned().size(), kAll);
  const TableMetadata& metadata = table.Metadata();
  EXPECT_EQ(metadata.snapshots.size(), kAll);
  for (size_t i = 1; i < metadata.snapshots.size(); ++i)
    EXPECT_EQ(metadata.snapshots[i].parent_id, metadata.snapshots[i - 1].snapshot_id);
  EXPECT_EQ(metadata.metadata_location, folder + "/t/metadata/v" + std::to_string(kAll + 1) + ".metadata.json");
  ASSERT_EQ(::unsetenv("FRAZIL_TEST_FOLDER"), 0);
  EXPECT_TRUE(storage::LocalStore().DeleteRecursively(folder).ok());
}

}  // namespace
}  // namespace frazil::tables::iceberg
