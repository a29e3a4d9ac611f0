#include "frazil/commands/rewrite_planning.h"

#include <gtest/gtest.h>

namespace frazil::commands {
namespace {

using Options = std::map<std::string, std::string>;

tables::ScanFile File(int64_t size, int64_t records = 100, const char* partition = "p") {
  tables::ScanFile file;
  file.size = size;
  file.record_count = records;
  file.partition = {Value(std::string(partition))};
  return file;
}

tables::ScanPlan PlanOf(std::vector<tables::ScanFile> files) {
  tables::ScanPlan plan;
  plan.partition_type = DataType::Struct({{"k", DataType::String(), true}});
  plan.files = std::move(files);
  return plan;
}

/// How many files each group has.
std::vector<size_t> Groups(const tables::ScanPlan& plan, Options options) {
  options.emplace("target-file-size-bytes", "1000");
  auto choice = ReadRewriteChoice(options, {});
  EXPECT_TRUE(choice.ok()) << choice.error().message;
  std::vector<size_t> sizes;
  for (const auto& group : PlanRewrite(plan, *choice)) sizes.push_back(group.files.size());
  return sizes;
}

TEST(RewriteChoice, DefaultsFollowTheTargetSize) {
  auto choice = ReadRewriteChoice({}, {{"write.target-file-size-bytes", "1000"}});
  ASSERT_TRUE(choice.ok());
  EXPECT_EQ(choice->target_size, 1000);
  EXPECT_EQ(choice->min_size, 750);
  EXPECT_EQ(choice->max_size, 1800);
  EXPECT_EQ(
      ReadRewriteChoice({{"target-file-size-bytes", "10"}}, {{"write.target-file-size-bytes", "1000"}})->target_size,
      10);
}

TEST(RewriteChoice, TakesOptionsOfJobs) {
  EXPECT_TRUE(ReadRewriteChoice({{"partial-progress.enabled", "true"},
                                 {"max-concurrent-file-group-rewrites", "5"},
                                 {"rewrite-job-order", "bytes-asc"},
                                 {"remove-dangling-deletes", "false"}},
                                {})
                  .ok());
}

TEST(RewriteChoice, RefusesWhatCannotBe) {
  for (const Options& options : std::vector<Options>{{{"nosuch", "1"}},
                                                     {{"min-input-files", "0"}},
                                                     {{"min-input-files", "many"}},
                                                     {{"min-input-files", "-1"}},
                                                     {{"target-file-size-bytes", "0"}},
                                                     {{"max-file-size-bytes", "1"}},
                                                     {{"min-file-size-bytes", "99999999999"}},
                                                     {{"max-file-group-size-bytes", "0"}},
                                                     {{"delete-ratio-threshold", "0"}},
                                                     {{"delete-ratio-threshold", "1.5"}},
                                                     {{"delete-ratio-threshold", "0.5x"}},
                                                     {{"rewrite-job-order", "fast"}},
                                                     {{"max-output-size", "8"}}}) {
    auto choice = ReadRewriteChoice(options, {});
    ASSERT_FALSE(choice.ok()) << options.begin()->first;
    const std::string& value = options.begin()->second;
    const bool is_number = value != "many" && value != "0.5x";
    EXPECT_EQ(choice.error().exception_class,
              is_number ? ExceptionClass::kIllegalArgument : ExceptionClass::kNumberFormat)
        << options.begin()->first;
  }
  // As Java reads it.
  EXPECT_FALSE(ReadRewriteChoice({{"rewrite-all", "yes"}}, {})->all);
  EXPECT_TRUE(ReadRewriteChoice({{"max-output-size", "8"}}, {}, "Z-ORDER").ok());
  auto dangling = ReadRewriteChoice({{"remove-dangling-deletes", "true"}}, {});
  ASSERT_TRUE(dangling.ok());
  EXPECT_TRUE(dangling->remove_dangling_deletes);
}

TEST(PlanRewrite, ChoosesSmallAndBigFilesInEachPartition) {
  auto small = std::vector<tables::ScanFile>(5, File(100));
  EXPECT_EQ(Groups(PlanOf(small), {}), std::vector<size_t>{5});
  small.pop_back();
  EXPECT_EQ(Groups(PlanOf(small), {}), std::vector<size_t>{});
  EXPECT_EQ(Groups(PlanOf(small), {{"min-input-files", "4"}}), std::vector<size_t>{4});
  EXPECT_EQ(Groups(PlanOf({File(700), File(700)}), {}), std::vector<size_t>{2});  // More than the target together.
  EXPECT_EQ(Groups(PlanOf({File(700), File(700, 1, "q")}), {}), std::vector<size_t>{});
  EXPECT_EQ(Groups(PlanOf({File(5000), File(900)}), {}), std::vector<size_t>{1});
  EXPECT_EQ(Groups(PlanOf({File(900), File(900)}), {{"rewrite-all", "true"}}), std::vector<size_t>{2});
  EXPECT_EQ(Groups(PlanOf({File(900), File(900, 1, "q")}), {{"rewrite-all", "true"}}), (std::vector<size_t>{1, 1}));
}

TEST(PlanRewrite, PutsFilesOfOtherSpecsTogether) {
  std::vector<tables::ScanFile> files;
  for (const char* day : {"a", "b", "c", "d", "e"}) files.push_back(File(100, 100, day));
  EXPECT_EQ(Groups(PlanOf(files), {}), std::vector<size_t>{});
  for (auto& file : files) file.partition_spec_id = 1;
  files[4].partition_spec_id = 2;
  EXPECT_EQ(Groups(PlanOf(files), {}), std::vector<size_t>{5});
}

TEST(PlanRewrite, CutsGroups) {
  EXPECT_EQ(Groups(PlanOf(std::vector<tables::ScanFile>(5, File(100))),
                   {{"rewrite-all", "true"}, {"max-file-group-size-bytes", "250"}}),
            (std::vector<size_t>{2, 2, 1}));
}

TEST(PlanRewrite, OrdersJobs) {
  std::vector<tables::ScanFile> files;
  for (const char* day : {"a", "b", "b", "c", "c", "c"}) files.push_back(File(day[0] == 'a' ? 900 : 10, 100, day));
  const auto groups = [&](const char* order) {
    return Groups(PlanOf(files), {{"rewrite-all", "true"}, {"rewrite-job-order", order}});
  };
  EXPECT_EQ(groups("none"), (std::vector<size_t>{1, 2, 3}));
  EXPECT_EQ(groups("files-desc"), (std::vector<size_t>{3, 2, 1}));
  EXPECT_EQ(groups("BYTES-ASC"), (std::vector<size_t>{2, 3, 1}));
  EXPECT_EQ(groups("bytes-desc"), (std::vector<size_t>{1, 3, 2}));
}

TEST(PlanRewrite, ChoosesFilesWithManyDeletes) {
  auto file = File(900);
  file.deleted_positions = std::make_shared<const std::vector<int64_t>>(std::vector<int64_t>(30, 1));
  EXPECT_EQ(Groups(PlanOf({file}), {}), std::vector<size_t>{1});
  EXPECT_EQ(Groups(PlanOf({file}), {{"delete-ratio-threshold", "0.31"}}), std::vector<size_t>{});
  EXPECT_EQ(Groups(PlanOf({file}), {{"delete-ratio-threshold", "0.31"}, {"delete-file-threshold", "1"}}),
            std::vector<size_t>{1});
}

}  // namespace
}  // namespace frazil::commands
