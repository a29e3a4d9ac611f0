#include "frazil/tables/files/file_listing.h"

#include <gtest/gtest.h>

#include "frazil/base/byte_text.h"
#include "frazil/storage/memory/memory_store.h"
#include "frazil/tables/files/file_table.h"
#include "frazil/tables/partition_folder.h"

namespace frazil::tables {
namespace {

using storage::MemoryStore;

void Put(MemoryStore& store, const std::string& path) { ASSERT_TRUE(store.Write(path, "x").ok()); }

std::vector<std::string> Paths(const FileListing& listing) {
  std::vector<std::string> paths;
  for (const auto& file : listing.files) paths.push_back(file.path);
  return paths;
}

TEST(FileListing, LeavesHiddenFilesOut) {
  MemoryStore store;
  for (const char* path :
       {"/t/a.parquet", "/t/_SUCCESS", "/t/.a.parquet.crc", "/t/_temporary/0/b.parquet", "/t/sub/c.parquet"})
    Put(store, path);
  auto listing = ListFiles(store, {"/t"}, {});
  ASSERT_TRUE(listing.ok()) << listing.error().message;
  EXPECT_EQ(Paths(*listing), (std::vector<std::string>{"/t/a.parquet", "/t/sub/c.parquet"}));
}

TEST(FileListing, InfersPartitionTypes) {
  MemoryStore store;
  Put(store, "/t/n=1/d=2024-01-31/s=a%2Fb/f.parquet");
  Put(store, "/t/n=20000000000/d=__HIVE_DEFAULT_PARTITION__/s=7x/f.parquet");
  auto listing = ListFiles(store, {"/t"}, {});
  ASSERT_TRUE(listing.ok()) << listing.error().message;
  ASSERT_EQ(listing->partition_columns.size(), 3u);
  EXPECT_EQ(listing->partition_columns[0].type->id(), TypeId::kLong);
  EXPECT_EQ(listing->partition_columns[1].type->id(), TypeId::kDate);
  EXPECT_EQ(listing->partition_columns[2].type->id(), TypeId::kString);
  EXPECT_EQ(listing->files[0].partition_texts[2], "a/b");
  EXPECT_EQ(listing->files[1].partition_texts[1], std::nullopt);
}

TEST(FileListing, RefusesFoldersThatDisagree) {
  MemoryStore store;
  Put(store, "/t/a=1/f.parquet");
  Put(store, "/t/b=1/f.parquet");
  auto listing = ListFiles(store, {"/t"}, {});
  ASSERT_FALSE(listing.ok());
  EXPECT_EQ(listing.error().condition, "CONFLICTING_PARTITION_COLUMN_NAMES");
}

TEST(FileListing, NamesTheMissingPath) {
  MemoryStore store;
  auto listing = ListFiles(store, {"/nowhere"}, {});
  ASSERT_FALSE(listing.ok());
  EXPECT_EQ(listing.error().condition, "PATH_NOT_FOUND");
}

TEST(FileListing, ExpandsGlobs) {
  MemoryStore store;
  for (const char* path : {"/d/2024-01/a.csv", "/d/2024-02/b.csv", "/d/2023-01/c.csv"}) Put(store, path);
  auto listing = ListFiles(store, {"/d/2024-*/*.csv"}, {});
  ASSERT_TRUE(listing.ok()) << listing.error().message;
  EXPECT_EQ(Paths(*listing), (std::vector<std::string>{"/d/2024-01/a.csv", "/d/2024-02/b.csv"}));
}

TEST(Glob, Matches) {
  EXPECT_TRUE(MatchesGlob("part-1.parquet", "*.parquet"));
  EXPECT_FALSE(MatchesGlob("a/b", "*"));
  EXPECT_TRUE(MatchesGlob("b7", "[a-c]?"));
  EXPECT_FALSE(MatchesGlob("d7", "[a-c]?"));
  EXPECT_TRUE(MatchesGlob("x.json", "x.{csv,json}"));
  EXPECT_FALSE(MatchesGlob("x.txt", "x.{csv,json}"));
}

TEST(PathNames, EscapeAndBack) {
  std::string odd = "a/b=c:%\"\n";
  EXPECT_EQ(PercentDecode(EscapePathName(odd)), odd);
  EXPECT_EQ(EscapePathName("plain-1"), "plain-1");
}

TEST(FileScan, PrunesByPartition) {
  MemoryStore store;
  Put(store, "/t/n=1/f.parquet");
  Put(store, "/t/n=2/f.parquet");
  auto listing = ListFiles(store, {"/t"}, {});
  ASSERT_TRUE(listing.ok());
  auto scan = MakeFileScan(FileFormat::kParquet, *listing, DataType::Struct({{"v", DataType::Long()}}), {}, "/t");
  EXPECT_EQ(scan->schema()->SimpleString(), "struct<v:bigint,n:int>");
  auto plan = scan->Plan(Predicate::Test(PredicateOp::kEqual, {"n"}, DataType::Integer(), {Value(2)}));
  ASSERT_TRUE(plan.ok());
  ASSERT_EQ(plan->files.size(), 1u);
  EXPECT_EQ(plan->files[0].path, "/t/n=2/f.parquet");
  EXPECT_EQ(plan->files[0].constants.at(1), Value(2));
}

}  // namespace
}  // namespace frazil::tables
