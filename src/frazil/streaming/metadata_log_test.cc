#include "frazil/streaming/metadata_log.h"

#include <gtest/gtest.h>

#include "frazil/storage/memory/memory_store.h"
#include "frazil/streaming/progress.h"
#include "frazil/streaming/stream_write.h"

namespace frazil::streaming {
namespace {

TEST(MetadataLog, WritesEachBatchOnce) {
  auto store = std::make_shared<storage::MemoryStore>();
  MetadataLog log(store, "/c/offsets");
  EXPECT_EQ(*log.Latest(), std::nullopt);
  EXPECT_TRUE(*log.Add(0, "a"));
  EXPECT_FALSE(*log.Add(0, "b"));
  EXPECT_TRUE(*log.Add(10, "c"));
  EXPECT_TRUE(*log.Add(9, "d"));
  ASSERT_TRUE(store->Write("/c/offsets/.tmp", "").ok());
  EXPECT_EQ(*log.Batches(), (std::vector<int64_t>{0, 9, 10}));
  EXPECT_EQ(**log.Get(0), "a");
  EXPECT_EQ(*log.Get(1), std::nullopt);
  ASSERT_TRUE(log.RemoveBefore(10).ok());
  EXPECT_EQ(*log.Batches(), (std::vector<int64_t>{10}));
}

TEST(BatchOffsets, KeepsWhatSparkWrites) {
  const std::string text =
      "v1\n{\"batchWatermarkMs\":5,\"batchTimestampMs\":1700000000000,\"conf\":{\"spark.sql.shuffle.partitions\":\"4\"}"
      "}\n"
      "{\"logOffset\":3}\n-";
  const auto offsets = BatchOffsets::Parse(text);
  ASSERT_TRUE(offsets.ok());
  EXPECT_EQ(offsets->watermark_ms, 5);
  EXPECT_EQ(offsets->timestamp_ms, 1700000000000);
  EXPECT_EQ(offsets->ends, (std::vector<std::optional<Offset>>{"{\"logOffset\":3}", std::nullopt}));
  EXPECT_EQ(offsets->Text(), text);
  EXPECT_FALSE(BatchOffsets::Parse("v9\n{}\n").ok());
  EXPECT_FALSE(BatchOffsets::Parse("").ok());
}

TEST(BatchCommit, KeepsTheWatermark) {
  EXPECT_EQ(BatchCommit{7}.Text(), "v1\n{\"nextBatchWatermarkMs\":7}");
  EXPECT_EQ(BatchCommit::Parse("v1\n{\"nextBatchWatermarkMs\":7}")->next_watermark_ms, 7);
}

TEST(CheckpointQueryId, StaysTheSame) {
  storage::MemoryStore store;
  const auto id = CheckpointQueryId(store, "/c");
  ASSERT_TRUE(id.ok());
  EXPECT_EQ(*CheckpointQueryId(store, "/c"), *id);
  ASSERT_TRUE(store.Write("/d/metadata", "{\"id\":\"nothing\"}").ok());
  EXPECT_FALSE(CheckpointQueryId(store, "/d").ok());
}

TEST(TriggerInterval, IsOfFixedLength) {
  EXPECT_EQ(*ParseTriggerInterval("10 seconds"), 10000);
  EXPECT_EQ(*ParseTriggerInterval("1 minute 500 milliseconds"), 60500);
  EXPECT_EQ(ParseTriggerInterval("1 month").error().condition, "_LEGACY_ERROR_TEMP_3262");
  EXPECT_FALSE(ParseTriggerInterval("soon").ok());
}

TEST(OutputModes, HaveNames) {
  EXPECT_EQ(*ParseOutputMode(""), OutputMode::kAppend);
  EXPECT_EQ(*ParseOutputMode("COMPLETE"), OutputMode::kComplete);
  EXPECT_EQ(ParseOutputMode("x").error().condition, "STREAMING_OUTPUT_MODE.INVALID");
}

TEST(Progress, IsSparksJson) {
  Progress progress;
  progress.id = "i";
  progress.run_id = "r";
  progress.timestamp_ms = 1767225600123;
  progress.batch_id = 2;
  progress.durations_ms = {{"triggerExecution", 500}};
  SourceProgress source;
  source.description = "S";
  source.end = "{\"logOffset\":1}";
  source.rows = 10;
  progress.sources.push_back(source);
  progress.sink = "K";
  EXPECT_EQ(progress.Json(),
            "{\"id\":\"i\",\"runId\":\"r\",\"name\":null,\"timestamp\":\"2026-01-01T00:00:00.123Z\",\"batchId\":2,"
            "\"batchDuration\":500,\"numInputRows\":10,\"inputRowsPerSecond\":0.0,\"processedRowsPerSecond\":20.0,"
            "\"durationMs\":{\"triggerExecution\":500},\"stateOperators\":[],\"sources\":[{\"description\":\"S\","
            "\"startOffset\":null,\"endOffset\":{\"logOffset\":1},\"latestOffset\":null,\"numInputRows\":10,"
            "\"inputRowsPerSecond\":0.0,\"processedRowsPerSecond\":20.0}],\"sink\":{\"description\":\"K\","
            "\"numOutputRows\":-1}}");
}

}  // namespace
}  // namespace frazil::streaming
