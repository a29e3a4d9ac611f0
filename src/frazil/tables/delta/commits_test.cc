#include <thread>

#include <gtest/gtest.h>

#include "frazil/tables/delta/testing/test_log.h"

namespace frazil::tables::delta {
namespace {

FileAction File(const std::string& path, const std::string& partition, int64_t least, int64_t most) {
  auto action = ParseAction(TestLog::Add(path, partition, 1, least, most));
  return std::get<FileAction>(**action);
}

class Commits : public ::testing::Test {
 protected:
  void SetUp() override {
    test_.WriteCommit(0, {TestLog::kProtocol, TestLog::kMetadata, TestLog::Add("p=a/1", "a", 1, 1, 1),
                          TestLog::Add("p=b/2", "b", 1, 2, 2)});
    base_ = *test_.log->Update(test_.context);
  }
  Change Append(const std::string& path, const std::string& partition = "a") const {
    Change change;
    change.base = base_;
    change.files.push_back(File(path, partition, 5, 5));
    change.operation = "WRITE";
    return change;
  }
  /// Replaces a file, having read what `filter` says.
  Change Rewrite(const std::string& key, PredicatePtr filter) const {
    Change change;
    change.base = base_;
    change.files.push_back(base_->files.Find(key)->Removed(1, true));
    change.files.push_back(File(key + "-new", "a", 1, 1));
    change.read_filter = std::move(filter);
    change.operation = "UPDATE";
    return change;
  }
  std::string ConditionOf(Change change) const {
    auto committed = CommitChange(test_.Target(), std::move(change));
    if (committed.ok()) return "";
    EXPECT_EQ(committed.error().kind, ErrorKind::kConflict);
    return committed.error().condition;
  }
  void SetIsolation(const char* level) {
    Change change;
    change.base = base_;
    change.metadata = *base_->metadata;
    change.metadata->configuration["delta.isolationLevel"] = level;
    ASSERT_EQ(ConditionOf(std::move(change)), "");
    base_ = *test_.log->Update(test_.context);
  }
  static PredicatePtr InPartition(const char* value) {
    return Predicate::Test(PredicateOp::kEqual, {"p"}, DataType::String(), {Value(value)});
  }

  TestLog test_;
  SnapshotPtr base_;
};

TEST_F(Commits, AppendsFollowEachOther) {
  EXPECT_EQ(ConditionOf(Append("x")), "");
  EXPECT_EQ(ConditionOf(Append("y")), "");
  auto state = test_.Fresh()->Update(test_.context);
  EXPECT_EQ((*state)->version, 2);
  EXPECT_EQ(TestLog::Live(**state), (std::vector<std::string>{"p=a/1", "p=b/2", "x", "y"}));
  auto text = test_.store->Read(CommitPath(test_.log->log(), 2));
  auto info = ParseAction(text->substr(0, text->find('\n')));
  const auto& commit = std::get<CommitInfo>(**info);
  EXPECT_TRUE(commit.IsTrue("isBlindAppend"));
  EXPECT_EQ(commit.Integer("readVersion", -1), 0);
  EXPECT_EQ(commit.Text("isolationLevel"), "Serializable");
}

TEST_F(Commits, WhatWasReadMustNotHaveChanged) {
  ASSERT_EQ(ConditionOf(Rewrite("p=a/1", InPartition("a"))), "");
  EXPECT_EQ(ConditionOf(Rewrite("p=a/1", InPartition("a"))), "DELTA_CONCURRENT_DELETE_DELETE.WITHOUT_HINT");
  EXPECT_EQ(ConditionOf(Rewrite("p=b/2", Predicate::True())), "DELTA_CONCURRENT_DELETE_READ.WITHOUT_HINT");
}

TEST_F(Commits, ChangesOfOtherPartitionsPass) {
  ASSERT_EQ(ConditionOf(Rewrite("p=a/1", InPartition("a"))), "");
  EXPECT_EQ(ConditionOf(Rewrite("p=b/2", InPartition("b"))), "");
}

TEST_F(Commits, BlindAppendsAreAsIfTheyCameLater) {
  SetIsolation("WriteSerializable");
  ASSERT_EQ(ConditionOf(Append("x")), "");
  EXPECT_EQ(ConditionOf(Rewrite("p=a/1", InPartition("a"))), "");
}

TEST_F(Commits, SerializableTablesSeeAppends) {
  SetIsolation("Serializable");
  ASSERT_EQ(ConditionOf(Append("x")), "");
  EXPECT_EQ(ConditionOf(Rewrite("p=a/1", InPartition("a"))), "DELTA_CONCURRENT_APPEND.WITHOUT_HINT");
}

TEST_F(Commits, TablesAreSerializableWhereTheyDoNotSay) {
  ASSERT_EQ(ConditionOf(Append("x")), "");
  EXPECT_EQ(ConditionOf(Rewrite("p=a/1", InPartition("a"))), "DELTA_CONCURRENT_APPEND.WITHOUT_HINT");
  EXPECT_EQ(ConditionOf(Rewrite("p=b/2", InPartition("b"))), "");
}

TEST_F(Commits, ChangesOfMetadataConflict) {
  Change change;
  change.base = base_;
  change.metadata = *base_->metadata;
  change.metadata->configuration["k"] = "v";
  ASSERT_EQ(ConditionOf(std::move(change)), "");
  EXPECT_EQ(ConditionOf(Append("x")), "DELTA_METADATA_CHANGED");
}

TEST_F(Commits, AppendOnlyTablesLoseNothing) {
  Change change;
  change.base = base_;
  change.metadata = *base_->metadata;
  change.metadata->configuration["delta.appendOnly"] = "true";
  ASSERT_EQ(ConditionOf(std::move(change)), "");
  base_ = *test_.log->Update(test_.context);
  auto removed = CommitChange(test_.Target(), Rewrite("p=a/1", Predicate::True()));
  ASSERT_FALSE(removed.ok());
  EXPECT_EQ(removed.error().condition, "DELTA_CANNOT_MODIFY_APPEND_ONLY");
  EXPECT_EQ(ConditionOf(Append("x")), "");
}

TEST_F(Commits, ALostAnswerIsLookedUp) {
  test_.store->SetFaultAfter([](storage::StoreAction action, const std::string&) {
    return action == storage::StoreAction::kWriteIfAbsent ? Status(Error::Storage("no answer")) : Status();
  });
  EXPECT_EQ(ConditionOf(Append("x")), "");
  test_.store->SetFaultAfter({});
  EXPECT_EQ((*test_.Fresh()->Update(test_.context))->version, 1);
}

TEST_F(Commits, ManyWritersLoseNothing) {
  constexpr int kWriters = 4, kCommits = 12;
  std::vector<std::thread> writers;
  std::atomic<int> failures{0};
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      DeltaLogPtr own = test_.Fresh();  // As a process of its own.
      for (int i = 0; i < kCommits; ++i) {
        Change change = Append(std::to_string(writer) + "-" + std::to_string(i));
        change.base = *own->Update(test_.context);
        if (!CommitChange(test_.Target(own), std::move(change)).ok()) ++failures;
      }
    });
  }
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(failures, 0);
  auto state = test_.Fresh()->Update(test_.context);
  ASSERT_TRUE(state.ok()) << state.error().message;
  EXPECT_EQ((*state)->version, kWriters * kCommits);
  EXPECT_EQ((*state)->files.live_count(), 2 + kWriters * kCommits);
  EXPECT_TRUE(*test_.store->Exists("/t/_delta_log/00000000000000000040.checkpoint.parquet"));
  EXPECT_GT(test_.files->reads, 0);
}

}  // namespace
}  // namespace frazil::tables::delta
