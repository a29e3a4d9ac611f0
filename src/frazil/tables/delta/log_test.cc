#include <gtest/gtest.h>

#include "frazil/tables/delta/checkpoint.h"
#include "frazil/tables/delta/delta_format.h"
#include "frazil/tables/delta/delta_scan.h"
#include "frazil/tables/delta/features.h"
#include "frazil/tables/delta/file_statistics.h"
#include "frazil/tables/delta/testing/test_log.h"

namespace frazil::tables::delta {
namespace {

using Paths = std::vector<std::string>;

TEST(DeltaLog, PlaysCommitsAndReadsOnlyNewOnes) {
  TestLog test;
  test.WriteCommit(0, {TestLog::kProtocol, TestLog::kMetadata, TestLog::Add("p=a/1", "a", 3, 1, 3)});
  test.WriteCommit(1, {TestLog::Add("p=b/2", "b", 2, 4, 5), TestLog::Remove("p=a/1")});
  auto first = test.log->Update(test.context);
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ((*first)->version, 1);
  EXPECT_EQ(TestLog::Live(**first), (Paths{"p=b/2"}));
  EXPECT_EQ((*first)->schema->SimpleString(), "struct<id:bigint,p:string>");

  // The first commit is not needed any more.
  test.WriteCommit(2, {TestLog::Add("p=a/3", "a", 1, 9, 9)});
  int reads = 0;
  test.store->SetFaultBefore([&](storage::StoreAction action, const std::string&) {
    if (action == storage::StoreAction::kRead) ++reads;
    return Status();
  });
  auto second = test.log->Update(test.context);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ((*second)->version, 2);
  EXPECT_EQ(TestLog::Live(**second), (Paths{"p=b/2", "p=a/3"}));
  EXPECT_EQ(reads, 1);
  // The state that somebody holds does not change.
  EXPECT_EQ(TestLog::Live(**first), (Paths{"p=b/2"}));
  auto third = test.log->Update(test.context);
  EXPECT_EQ(third->get(), second->get());
  EXPECT_EQ(reads, 1);
}

TEST(DeltaLog, AnotherTableInItsPlaceIsReadAnew) {
  TestLog test;
  test.WriteCommit(0, {TestLog::kProtocol, TestLog::kMetadata, TestLog::Add("p=a/1", "a", 3, 1, 3)});
  test.WriteCommit(1, {TestLog::Add("p=a/2", "a", 3, 1, 3)});
  ASSERT_TRUE(test.log->Update(test.context).ok());
  ASSERT_TRUE(test.store->DeleteRecursively("/t").ok());
  auto none = test.log->Update(test.context);
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(*none, nullptr);
  test.WriteCommit(0, {TestLog::kProtocol, TestLog::kMetadata, TestLog::Add("p=a/9", "a", 3, 1, 3)});
  auto other = test.log->Update(test.context);
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(TestLog::Live(**other), (Paths{"p=a/9"}));
}

TEST(DeltaLog, AFileRemovedAndAddedAgainInOneCommitIsLive) {
  TestLog test;
  test.WriteCommit(0, {TestLog::kProtocol, TestLog::kMetadata, TestLog::Add("p=a/1", "a", 3, 1, 3)});
  test.WriteCommit(1, {TestLog::Add("p=a/1", "a", 3, 1, 3), TestLog::Remove("p=a/1")});
  auto state = test.log->Update(test.context);
  ASSERT_TRUE(state.ok());
  EXPECT_EQ(TestLog::Live(**state), (Paths{"p=a/1"}));
}

TEST(DeltaLog, CheckpointsHoldTheWholeState) {
  TestLog test;
  test.WriteCommit(0, {TestLog::kProtocol, TestLog::kMetadata, TestLog::Add("p=a/1", "a", 3, 1, 3),
                       TestLog::Add("p=b/2", "b", 2, 4, 5)});
  test.WriteCommit(
      1,
      {TestLog::Remove("p=a/1"), R"({"txn":{"appId":"app","version":7}})",
       R"({"domainMetadata":{"domain":"d","configuration":"{}","removed":false}})",
       R"({"add":{"path":"dv","partitionValues":{"p":null},"size":1,"modificationTime":2,"dataChange":true,"tags":{"k":"v"},)"
       R"("deletionVector":{"storageType":"u","pathOrInlineDv":"ab^-aqEH.-t@S}K{vb[*k^","offset":4,"sizeInBytes":40,"cardinality":6}}})"});
  auto state = test.log->Update(test.context);
  ASSERT_TRUE(state.ok()) << state.error().message;
  ASSERT_TRUE(WriteCheckpoint(test.context, *test.files, test.log->log(), **state, 1000).ok());
  auto hint = test.store->Read("/t/_delta_log/_last_checkpoint");
  ASSERT_TRUE(hint.ok());
  EXPECT_NE(hint->find("\"version\":1"), std::string::npos);
  // Without the commits that it stands for.
  ASSERT_TRUE(test.store->Delete(CommitPath(test.log->log(), 0)).ok());
  test.WriteCommit(2, {TestLog::Add("p=a/3", "a", 1, 9, 9)});
  auto again = test.Fresh()->Update(test.context);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(test.files->reads, 1);
  EXPECT_EQ(TestLog::Live(**again), (Paths{"p=b/2", "dv", "p=a/3"}));
  EXPECT_EQ((*again)->metadata->partition_columns, (std::vector<std::string>{"p"}));
  EXPECT_EQ((*again)->transactions.at("app").version, 7);
  EXPECT_EQ((*again)->domains.at("d").configuration, "{}");
  const auto vector = (*again)->LiveFiles()[1];
  ASSERT_TRUE(vector->deletion_vector.has_value());
  EXPECT_EQ(vector->deletion_vector->offset, 4);
  EXPECT_EQ(vector->partition, (PartitionTexts{{"p", std::nullopt}}));
  EXPECT_EQ(vector->tags, (StringMap{{"k", "v"}}));
  EXPECT_EQ((*again)->LiveFiles()[0]->record_count, 2);
  // The tombstone is kept: its time is within the retention.
  auto tombstone = (*again)->files.Find("p=a/1");
  ASSERT_NE(tombstone, nullptr);
  EXPECT_TRUE(tombstone->is_removed);
}

TEST(DeltaLog, AnUnreadableCheckpointIsNoHindranceWhileTheCommitsAreThere) {
  TestLog test;
  test.WriteCommit(0, {TestLog::kProtocol, TestLog::kMetadata, TestLog::Add("p=a/1", "a", 3, 1, 3)});
  test.WriteCommit(1, {TestLog::Add("p=a/2", "a", 3, 1, 3)});
  ASSERT_TRUE(test.store->Write("/t/_delta_log/00000000000000000001.checkpoint.parquet", "broken").ok());
  ASSERT_TRUE(test.store->Write("/t/_delta_log/_last_checkpoint", "{\"version\":77").ok());
  auto state = test.log->Update(test.context);
  ASSERT_TRUE(state.ok()) << state.error().message;
  EXPECT_EQ(TestLog::Live(**state), (Paths{"p=a/1", "p=a/2"}));
}

TEST(DeltaLog, GapsAndMissingBeginningsAreToldApart) {
  TestLog test;
  test.WriteCommit(0, {TestLog::kProtocol, TestLog::kMetadata});
  test.WriteCommit(2, {TestLog::Add("p=a/2", "a", 3, 1, 3)});
  auto gap = test.log->Update(test.context);
  ASSERT_FALSE(gap.ok());
  EXPECT_EQ(gap.error().condition, "DELTA_VERSIONS_NOT_CONTIGUOUS");
  ASSERT_TRUE(test.store->Delete(CommitPath(test.log->log(), 0)).ok());
  auto cut = test.log->Update(test.context);
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().condition, "DELTA_TRUNCATED_TRANSACTION_LOG");
}

TEST(DeltaLog, VersionsAndTimes) {
  TestLog test;
  test.WriteCommit(0, {TestLog::kProtocol, TestLog::kMetadata});
  test.WriteCommit(1, {TestLog::Add("p=a/2", "a", 3, 1, 3)});
  auto old = test.log->At(test.context, 0);
  ASSERT_TRUE(old.ok());
  EXPECT_TRUE(TestLog::Live(**old).empty());
  auto none = test.log->At(test.context, 5);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().condition, "DELTA_VERSION_NOT_FOUND");
  auto early = test.log->VersionAt(test.context, -1000000);
  ASSERT_FALSE(early.ok());
  EXPECT_EQ(early.error().condition, "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION");
  auto late = test.log->VersionAt(test.context, INT64_C(9000000000000000));
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().condition, "DELTA_TIMESTAMP_GREATER_THAN_COMMIT");
}

TEST(DeltaFeatures, UnknownOnesRefuseByName) {
  TestLog test;
  test.WriteCommit(
      0,
      {R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors","futureThing"],"writerFeatures":["deletionVectors","futureThing"]}})",
       TestLog::kMetadata});
  auto state = test.log->Update(test.context);
  ASSERT_FALSE(state.ok());
  EXPECT_EQ(state.error().condition, "DELTA_UNSUPPORTED_FEATURES_FOR_READ");
  EXPECT_NE(state.error().message.find("futureThing"), std::string::npos);
  EXPECT_EQ(state.error().message.find("deletionVectors"), std::string::npos);

  Protocol protocol;
  protocol.min_reader_version = 1;
  protocol.min_writer_version = 7;
  protocol.writer_features = {"appendOnly", "collations"};
  Metadata metadata;
  Status write = CheckWrite(protocol, metadata, *DataType::Struct({{"id", DataType::Long()}}), "t");
  ASSERT_FALSE(write.ok());
  EXPECT_EQ(write.error().condition, "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE");
  EXPECT_TRUE(CheckRead(protocol, "t").ok());
  // By version alone a feature is only a possibility.
  Protocol legacy;
  legacy.min_writer_version = 4;
  EXPECT_TRUE(CheckWrite(legacy, metadata, *DataType::Struct({{"id", DataType::Long()}}), "t").ok());
}

TEST(DeltaFeatures, ATableGetsTheLeastProtocolThatItNeeds) {
  Metadata metadata;
  auto plain = RequiredProtocol(Protocol(), &metadata, *DataType::Struct({{"id", DataType::Long()}}));
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(*plain, Protocol());
  auto ntz = RequiredProtocol(Protocol(), &metadata, *DataType::Struct({{"t", DataType::TimestampNtz()}}));
  ASSERT_TRUE(ntz.ok());
  EXPECT_EQ(ntz->min_reader_version, 3);
  EXPECT_EQ(ntz->min_writer_version, 7);
  EXPECT_EQ(*ntz->reader_features, (std::vector<std::string>{"timestampNtz"}));
  EXPECT_EQ(*ntz->writer_features, (std::vector<std::string>{"appendOnly", "invariants", "timestampNtz"}));
  metadata.configuration["delta.feature.deletionVectors"] = "supported";
  metadata.configuration["delta.enableChangeDataFeed"] = "true";
  auto named = RequiredProtocol(Protocol(), &metadata, *DataType::Struct({{"id", DataType::Long()}}));
  ASSERT_TRUE(named.ok());
  EXPECT_EQ(*named->reader_features, (std::vector<std::string>{"deletionVectors"}));
  EXPECT_TRUE(HasFeature(*named, "changeDataFeed"));
  EXPECT_FALSE(metadata.configuration.contains("delta.feature.deletionVectors"));
  metadata.configuration["delta.feature.noSuchThing"] = "supported";
  auto unknown = RequiredProtocol(Protocol(), &metadata, *DataType::Struct({{"id", DataType::Long()}}));
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().condition, "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG");
}

TEST(DeltaScan, PrunesByPartitionAndStatistics) {
  TestLog test;
  test.WriteCommit(0, {TestLog::kProtocol, TestLog::kMetadata, TestLog::Add("p=a/1", "a", 3, 1, 3),
                       TestLog::Add("p=b/2", "b", 2, 4, 5), TestLog::Add("p=b/3", "b", 2, 6, 7)});
  auto state = test.log->Update(test.context);
  ASSERT_TRUE(state.ok());
  auto scan = DeltaScan::Make(test.context, "/t", *state);
  ASSERT_TRUE(scan.ok());
  EXPECT_EQ((*scan)->exact_row_count(), 7);
  const auto planned = [&](const PredicatePtr& filter) {
    auto plan = (*scan)->Plan(filter);
    Paths paths;
    for (const auto& file : plan->files) paths.push_back(file.path);
    return paths;
  };
  EXPECT_EQ(planned(Predicate::True()), (Paths{"/t/p=a/1", "/t/p=b/2", "/t/p=b/3"}));
  EXPECT_EQ(planned(Predicate::Test(PredicateOp::kEqual, {"P"}, DataType::String(), {Value("a")})),
            (Paths{"/t/p=a/1"}));
  EXPECT_EQ(planned(Predicate::Test(PredicateOp::kGreater, {"id"}, DataType::Long(), {Value(int64_t{5})})),
            (Paths{"/t/p=b/3"}));
  EXPECT_EQ(planned(Predicate::Test(PredicateOp::kIsNull, {"id"}, DataType::Long())), Paths());
  auto plan = (*scan)->Plan(Predicate::True());
  EXPECT_EQ(plan->files[0].constants.at(1), Value("a"));
  EXPECT_EQ(plan->files[0].record_count, 3);
  auto some = (*scan)->RestrictTo({"/t/p=b/2"});
  ASSERT_TRUE(some.ok());
  EXPECT_EQ((*some)->Plan(Predicate::True())->files.size(), 1u);
}

TEST(DeltaScan, StatisticsAreReadOnceForEachColumn) {
  BoundsCache cache;
  auto first = cache.Find(R"({"minValues":{"id":1}})", {"id"}, *DataType::Long());
  ASSERT_TRUE(first.has_value());
  // The text is not looked at again.
  EXPECT_EQ(cache.Find("", {"id"}, *DataType::Long())->lower, first->lower);
  EXPECT_FALSE(cache.Find(R"({"minValues":{"id":1}})", {"other"}, *DataType::Long()).has_value());
}

TEST(DeltaFormat, PathsMayChooseAState) {
  DeltaFormat format(std::make_shared<MemoryColumnarFiles>());
  EXPECT_EQ(format.ReadPath("/a/t@v12").folder, "/a/t");
  EXPECT_EQ(format.ReadPath("/a/t@v12").scan.snapshot_id, 12);
  EXPECT_EQ(format.ReadPath("/a/t@20240131120000500").scan.timestamp_micros, INT64_C(1706702400500000));
  EXPECT_EQ(format.ReadPath("/a/me@home").folder, "/a/me@home");
  EXPECT_EQ(format.ReadPath("/a/t@v").folder, "/a/t@v");
  EXPECT_EQ(format.ReadPath("/a/t#files").folder, "/a/t#files");
}

}  // namespace
}  // namespace frazil::tables::delta
