#include "frazil/tables/files/batch_file_log.h"

#include <gtest/gtest.h>

#include "frazil/storage/memory/memory_store.h"
#include "frazil/tables/files/file_listing.h"

namespace frazil::tables {
namespace {

TEST(BatchFileLog, CompactsEachTenthBatch) {
  storage::MemoryStore store;
  BatchFileLog log(store, "/log");
  std::vector<std::string> all;
  for (int64_t batch = 0; batch < 35; ++batch) {
    all.push_back("{\"path\":\"/" + std::to_string(batch) + "\"}");
    ASSERT_TRUE(*log.Add(batch, {all.back()}));
    EXPECT_EQ(*log.Entries(), all);
    EXPECT_EQ(**log.Latest(), batch);
  }
  EXPECT_FALSE(*log.Add(34, {}));
  EXPECT_TRUE(*store.Exists("/log/29.compact"));
  EXPECT_FALSE(*store.Exists("/log/29"));
  EXPECT_FALSE(*store.Exists("/log/5"));
}

TEST(BatchFileLog, MissesNoBatch) {
  storage::MemoryStore store;
  BatchFileLog log(store, "/log");
  for (int64_t batch = 0; batch < 3; ++batch) ASSERT_TRUE(*log.Add(batch, {"{\"path\":\"/a\"}"}));
  ASSERT_TRUE(store.Delete("/log/1").ok());
  EXPECT_EQ(log.Entries().status().error().message, "/log/1 doesn't exist (latestId: 2, compactInterval: 10)");
  ASSERT_TRUE(store.Write("/log/1", "").ok());
  EXPECT_EQ(log.Entries().status().error().message, "Failed to read log file file:/log/1. Incomplete log file");
}

TEST(BatchFileLog, SaysWhichFilesOfAFolderCount) {
  storage::MemoryStore store;
  for (const char* name : {"a.json", "b c.json", "other.json"})
    ASSERT_TRUE(store.Write("/out/" + std::string(name), "{}").ok());
  BatchFileLog log(store, "/out/_spark_metadata");
  ASSERT_TRUE(*log.Add(0, {SinkLogEntry("/out/a.json", 2, 1), SinkLogEntry("/out/b c.json", 2, 1)}));
  const auto listing = ListFiles(store, {"/out"}, {});
  ASSERT_TRUE(listing.ok());
  ASSERT_EQ(listing->files.size(), 2U);
  EXPECT_EQ(listing->files[0].path, "/out/a.json");
  EXPECT_EQ(listing->files[1].path, "/out/b c.json");
}

}  // namespace
}  // namespace frazil::tables
