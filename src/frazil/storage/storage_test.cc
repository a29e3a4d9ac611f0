#include <atomic>
#include <stdlib.h>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "frazil/storage/local/local_store.h"
#include "frazil/storage/memory/memory_store.h"

namespace frazil::storage {
namespace {

TEST(Path, SchemesAndLocalPaths) {
  EXPECT_EQ(SchemeOf("s3://b/k"), "s3");
  EXPECT_EQ(SchemeOf("S3A://b/k"), "s3a");
  EXPECT_EQ(SchemeOf("/a/b:c"), "");
  EXPECT_EQ(SchemeOf("rel/a:b"), "");
  EXPECT_EQ(LocalPath("file:/a/b"), "/a/b");
  EXPECT_EQ(LocalPath("file:///a/b"), "/a/b");
  EXPECT_EQ(LocalPath("file://host/a"), "/a");
  EXPECT_EQ(LocalPath("/a"), "/a");
  EXPECT_EQ(LocalPath("s3://b/k"), "s3://b/k");
  EXPECT_EQ(JoinPath("/a/", "/b"), "/a/b");
  EXPECT_EQ(JoinPath("/", "b"), "/b");
}

TEST(Registry, UnknownSchemesAreNamed) {
  StoreRegistry registry;
  RegisterLocalStore(&registry);
  EXPECT_TRUE(registry.StoreFor("/a", {}).ok());
  EXPECT_TRUE(registry.StoreFor("file:/a", {}).ok());
  auto unknown = registry.StoreFor("s9://b/k", {});
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("s9"), std::string::npos);
}

/// Both stores keep the same promises.
class StoreTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "local") {
      char name[] = "/tmp/frazil-storage-XXXXXX";
      root_ = ::mkdtemp(name);
      store_ = std::make_shared<LocalStore>();
    } else {
      root_ = "/memory";
      store_ = std::make_shared<MemoryStore>();
    }
  }
  void TearDown() override { EXPECT_TRUE(store_->DeleteRecursively(root_).ok()); }

  std::string root_;
  ObjectStorePtr store_;
};

TEST_P(StoreTest, WriteReadListDelete) {
  ASSERT_TRUE(store_->Write(root_ + "/x/y/a.bin", "hello").ok());
  ASSERT_TRUE(store_->Write(root_ + "/x/b.bin", "").ok());
  EXPECT_EQ(store_->Read(root_ + "/x/y/a.bin").value(), "hello");
  EXPECT_EQ(store_->Read(root_ + "/x/b.bin").value(), "");
  ASSERT_TRUE(store_->Write(root_ + "/x/y/a.bin", "again").ok());
  auto reader = store_->Open(root_ + "/x/y/a.bin");
  ASSERT_TRUE(reader.ok());
  char buffer[3];
  ASSERT_TRUE((*reader)->ReadAt(2, 3, buffer).ok());
  EXPECT_EQ(std::string(buffer, 3), "ain");
  EXPECT_FALSE((*reader)->ReadAt(3, 3, buffer).ok());
  EXPECT_EQ(store_->List(root_, true).value().size(), 2u);
  auto level = store_->List(root_ + "/x", false).value();
  ASSERT_EQ(level.size(), 2u);
  EXPECT_NE(level[0].is_directory, level[1].is_directory);
  EXPECT_TRUE(store_->List(root_ + "/none", true).value().empty());
  EXPECT_TRUE(store_->Stat(root_ + "/x").value().is_directory);
  EXPECT_EQ(store_->Stat(root_ + "/x/y/a.bin").value().size, 5);
  EXPECT_TRUE(store_->Delete(root_ + "/x/y/a.bin").ok());
  EXPECT_TRUE(store_->Delete(root_ + "/x/y/a.bin").ok());
  EXPECT_FALSE(store_->Exists(root_ + "/x/y/a.bin").value());
  auto missing = store_->Read(root_ + "/x/y/a.bin");
  ASSERT_FALSE(missing.ok());
  EXPECT_TRUE(IsNotFound(missing.error()));
}

TEST_P(StoreTest, OnlyOneWriterGetsAName) {
  constexpr int kThreads = 8, kRounds = 20;
  for (int round = 0; round < kRounds; ++round) {
    std::string path = root_ + "/c/" + std::to_string(round);
    std::atomic<int> winners{0};
    std::atomic<int> winner{-1};
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        auto outcome = store_->WriteIfAbsent(path, std::string(1000, static_cast<char>('a' + i)));
        ASSERT_TRUE(outcome.ok());
        if (*outcome == PutOutcome::kWritten) {
          winners++;
          winner = i;
        }
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(winners, 1);
    EXPECT_EQ(store_->Read(path).value(), std::string(1000, static_cast<char>('a' + winner)));
  }
  // Nothing but the winners is left behind.
  EXPECT_EQ(store_->List(root_ + "/c", true).value().size(), static_cast<size_t>(kRounds));
}

TEST_P(StoreTest, NewObjectsAndHints) {
  ASSERT_TRUE(store_->WriteNew(root_ + "/n/a-uuid", "1").ok());
  EXPECT_EQ(store_->Read(root_ + "/n/a-uuid").value(), "1");
  ASSERT_TRUE(store_->WriteHint(root_ + "/n/hint", "1").ok());
  ASSERT_TRUE(store_->WriteHint(root_ + "/n/hint", "22").ok());
  EXPECT_EQ(store_->Read(root_ + "/n/hint").value(), "22");
  EXPECT_EQ(store_->List(root_ + "/n", true).value().size(), 2u);
  EXPECT_TRUE(store_->Sync(root_ + "/n/hint").ok());
}

TEST_P(StoreTest, RenameMovesFolders) {
  ASSERT_TRUE(store_->Write(root_ + "/from/a", "1").ok());
  ASSERT_TRUE(store_->Rename(root_ + "/from", root_ + "/to/there").ok());
  EXPECT_EQ(store_->Read(root_ + "/to/there/a").value(), "1");
  EXPECT_FALSE(store_->Exists(root_ + "/from/a").value());
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreTest, ::testing::Values("local", "memory"));

TEST(LocalStoreTest, ListedPathsKeepTheScheme) {
  char name[] = "/tmp/frazil-storage-XXXXXX";
  std::string root = ::mkdtemp(name);
  LocalStore store;
  ASSERT_TRUE(store.Write("file:" + root + "/a/b", "1").ok());
  auto listed = store.List("file:" + root, true).value();
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0].path, "file:" + root + "/a/b");
  EXPECT_EQ(store.Read(listed[0].path).value(), "1");
  EXPECT_FALSE(store.DeleteRecursively("/").ok());
  EXPECT_TRUE(store.DeleteRecursively("file:" + root).ok());
}

TEST(LocalStoreTest, FoldersAreMadeWhileOthersTakeAwayEmptyOnes) {
  char name[] = "/tmp/frazil-storage-XXXXXX";
  const std::string root = ::mkdtemp(name), shared = root + "/shared";
  std::atomic<int> failures{0};
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, own = shared + "/" + std::to_string(writer)] {
      LocalStore store;
      for (int i = 0; i < 300; ++i) {
        if (!store.CreateFolder(own).ok()) ++failures;
        (void)store.Delete(own).ok();
        // Only where no other writer is in it.
        (void)store.Delete(shared).ok();
      }
    });
  }
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(failures.load(), 0);
  EXPECT_TRUE(LocalStore().DeleteRecursively(root).ok());
}

TEST(MemoryStoreTest, FaultsBeforeAndAfter) {
  MemoryStore store;
  store.SetFaultBefore([](StoreAction action, const std::string&) -> Status {
    return action == StoreAction::kWrite ? Status(Error::Storage("down")) : Status();
  });
  EXPECT_FALSE(store.Write("/a", "1").ok());
  EXPECT_TRUE(store.Paths().empty());
  store.SetFaultBefore({});
  store.SetFaultAfter([](StoreAction, const std::string&) -> Status { return Error::Storage("answer lost"); });
  EXPECT_FALSE(store.WriteIfAbsent("/a", "1").ok());
  store.SetFaultAfter({});
  EXPECT_EQ(store.Read("/a").value(), "1");
}

}  // namespace
}  // namespace frazil::storage
