#include "frazil/tables/kafka/kafka_reader.h"

#include <array>
#include <chrono>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <thread>

#include <gtest/gtest.h>

namespace frazil::tables {
namespace {

/// A broker within the process.
class Broker {
 public:
  Broker() {
    client_ = rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), text_.data(), text_.size());
    cluster_ = rd_kafka_mock_cluster_new(client_, 1);
    servers_ = rd_kafka_mock_cluster_bootstraps(cluster_);
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", servers_.c_str(), text_.data(), text_.size());
    producer_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, text_.data(), text_.size());
  }
  ~Broker() {
    rd_kafka_destroy(producer_);
    rd_kafka_mock_cluster_destroy(cluster_);
    rd_kafka_destroy(client_);
  }

  void Create(const std::string& topic, int partitions) {
    ASSERT_EQ(rd_kafka_mock_topic_create(cluster_, topic.c_str(), partitions, 1), RD_KAFKA_RESP_ERR_NO_ERROR);
  }
  /// Values "0", "1", ...
  void Produce(const std::string& topic, int32_t partition, int first, int last) {
    for (int i = first; i < last; ++i) {
      std::string value = std::to_string(i);
      ASSERT_EQ(rd_kafka_producev(producer_, RD_KAFKA_V_TOPIC(topic.c_str()), RD_KAFKA_V_PARTITION(partition),
                                  RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                                  RD_KAFKA_V_VALUE(value.data(), value.size()), RD_KAFKA_V_END),
                RD_KAFKA_RESP_ERR_NO_ERROR);
    }
    ASSERT_EQ(rd_kafka_flush(producer_, 10'000), RD_KAFKA_RESP_ERR_NO_ERROR);
  }

  std::shared_ptr<KafkaReader> Reader(std::map<std::string, std::string> options, bool is_stream = false) const {
    options.emplace("kafka.bootstrap.servers", servers_);
    options.emplace("fetchoffset.numretries", "1");
    auto read = ReadKafkaOptions(options, is_stream);
    EXPECT_TRUE(read.ok()) << read.error().message;
    return std::make_shared<KafkaReader>(*std::move(read));
  }

 private:
  std::array<char, 512> text_{};
  rd_kafka_t* client_ = nullptr;
  rd_kafka_t* producer_ = nullptr;
  rd_kafka_mock_cluster_t* cluster_ = nullptr;
  std::string servers_;
};

/// The offsets and values of what was read.
std::vector<std::pair<int64_t, std::string>> RowsOf(const Result<ArrowTablePtr>& table) {
  EXPECT_TRUE(table.ok()) << table.error().message;
  std::vector<std::pair<int64_t, std::string>> rows;
  if (!table.ok()) return rows;
  for (const auto& batch : (*table)->batches) {
    const ArrowArray& value = *batch.array().children[1];
    const auto* ends = static_cast<const int32_t*>(value.buffers[1]);
    const auto* bytes = static_cast<const char*>(value.buffers[2]);
    const auto* offsets = static_cast<const int64_t*>(batch.array().children[4]->buffers[1]);
    for (int64_t i = 0; i < batch.num_rows(); ++i)
      rows.emplace_back(offsets[i], std::string(bytes + ends[i], bytes + ends[i + 1]));
  }
  return rows;
}

std::vector<std::pair<int64_t, std::string>> Numbered(int first, int last) {
  std::vector<std::pair<int64_t, std::string>> rows;
  for (int i = first; i < last; ++i) rows.emplace_back(i, std::to_string(i));
  return rows;
}

std::string TextOf(const std::vector<OffsetRange>& ranges) {
  std::string text;
  for (const auto& range : ranges)
    text += range.partition.Text() + ":" + std::to_string(range.from) + "-" + std::to_string(range.until) + " ";
  return text;
}

TEST(KafkaReaderTest, BatchesReadWhatIsThere) {
  Broker broker;
  broker.Create("t", 3);
  broker.Produce("t", 0, 0, 10);
  broker.Produce("t", 2, 0, 4);
  const auto reader = broker.Reader({{"subscribe", "t"}});
  const auto ranges = reader->BatchRanges(nullptr);
  ASSERT_TRUE(ranges.ok()) << ranges.error().message;
  EXPECT_EQ(TextOf(*ranges), "t-0:0-10 t-1:0-0 t-2:0-4 ");
  EXPECT_EQ(RowsOf(reader->Read((*ranges)[0], nullptr)), Numbered(0, 10));
  EXPECT_EQ(RowsOf(reader->Read((*ranges)[1], nullptr)), Numbered(0, 0));
  EXPECT_EQ(RowsOf(reader->Read((*ranges)[2], nullptr)), Numbered(0, 4));
}

TEST(KafkaReaderTest, PiecesAreReadInAnyOrder) {
  Broker broker;
  broker.Create("t", 1);
  broker.Produce("t", 0, 0, 30);
  const auto reader = broker.Reader({{"subscribe", "t"}});
  EXPECT_EQ(RowsOf(reader->Read({{"t", 0}, 0, 10}, nullptr)), Numbered(0, 10));
  EXPECT_EQ(RowsOf(reader->Read({{"t", 0}, 10, 20}, nullptr)), Numbered(10, 20));
  EXPECT_EQ(RowsOf(reader->Read({{"t", 0}, 5, 7}, nullptr)), Numbered(5, 7));
  EXPECT_EQ(RowsOf(reader->Read({{"t", 0}, 20, 30}, nullptr)), Numbered(20, 30));
  // What comes later is found where the consumer stood at the end.
  broker.Produce("t", 0, 30, 35);
  EXPECT_EQ(RowsOf(reader->Read({{"t", 0}, 30, 35}, nullptr)), Numbered(30, 35));
}

TEST(KafkaReaderTest, SubscriptionsChooseTopicsAndPartitions) {
  Broker broker;
  broker.Create("orders-1", 1);
  broker.Create("orders-2", 2);
  broker.Create("other", 1);
  EXPECT_EQ(OffsetsJson(*broker.Reader({{"subscribepattern", "ders-\\d"}})->Latest(nullptr)),
            R"({"orders-1":{"0":0},"orders-2":{"0":0,"1":0}})");
  EXPECT_EQ(OffsetsJson(*broker.Reader({{"assign", R"({"orders-2":[1]})"}})->Latest(nullptr)),
            R"({"orders-2":{"1":0}})");
  const auto missing = broker.Reader({{"subscribe", "nosuch"}})->Latest(nullptr);
  ASSERT_FALSE(missing.ok());
  EXPECT_TRUE(missing.error().message.starts_with("This server does not host this topic-partition."));
}

TEST(KafkaReaderTest, StartsAtOffsetsAndTimes) {
  Broker broker;
  broker.Create("t", 2);
  broker.Produce("t", 0, 0, 5);
  broker.Produce("t", 1, 0, 6);
  EXPECT_EQ(OffsetsJson(*broker.Reader({{"subscribe", "t"}, {"startingoffsets", R"({"t":{"0":-2,"1":-1}})"}}, true)
                             ->StartingOffsets(nullptr)),
            R"({"t":{"0":0,"1":6}})");
  const auto partial =
      broker.Reader({{"subscribe", "t"}, {"startingoffsets", R"({"t":{"0":1}})"}}, true)->StartingOffsets(nullptr);
  ASSERT_FALSE(partial.ok());
  EXPECT_EQ(partial.error().condition, "KAFKA_START_OFFSET_DOES_NOT_MATCH_ASSIGNED");
  // A broker of this kind finds no record by its time.
  const auto late = broker.Reader({{"subscribe", "t"}, {"startingtimestamp", "4102444800000"}}, true);
  ASSERT_FALSE(late->StartingOffsets(nullptr).ok());
  EXPECT_TRUE(late->StartingOffsets(nullptr).error().message.starts_with("No offset matched from request of"));
  EXPECT_EQ(OffsetsJson(*broker
                             .Reader({{"subscribe", "t"},
                                      {"startingtimestamp", "4102444800000"},
                                      {"startingoffsetsbytimestampstrategy", "latest"}},
                                     true)
                             ->StartingOffsets(nullptr)),
            R"({"t":{"0":5,"1":6}})");
}

TEST(KafkaReaderTest, LossesOfAStreamAreTold) {
  Broker broker;
  broker.Create("t", 1);
  broker.Create("u", 1);
  broker.Produce("t", 0, 0, 5);
  broker.Produce("u", 0, 0, 3);
  const auto strict = broker.Reader({{"subscribe", "t,u"}}, true);
  const auto lax = broker.Reader({{"subscribe", "t,u"}, {"failondataloss", "false"}}, true);
  // A partition that came meanwhile.
  EXPECT_EQ(TextOf(*strict->RangesBetween({{{"t", 0}, 2}}, {{{"t", 0}, 5}, {{"u", 0}, 3}}, nullptr)),
            "t-0:2-5 u-0:0-3 ");
  const auto deleted = strict->RangesBetween({{{"t", 0}, 2}, {{"u", 0}, 1}}, {{{"t", 0}, 5}}, nullptr);
  ASSERT_FALSE(deleted.ok());
  EXPECT_EQ(deleted.error().condition, "KAFKA_DATA_LOSS.PARTITIONS_DELETED");
  EXPECT_EQ(deleted.error().sql_state, "22000");
  EXPECT_EQ(TextOf(*lax->RangesBetween({{{"t", 0}, 2}, {{"u", 0}, 1}}, {{{"t", 0}, 5}}, nullptr)), "t-0:2-5 ");
  const auto changed = strict->RangesBetween({{{"t", 0}, 9}}, {{{"t", 0}, 5}}, nullptr);
  ASSERT_FALSE(changed.ok());
  EXPECT_EQ(changed.error().condition, "KAFKA_DATA_LOSS.PARTITION_OFFSET_CHANGED");
  EXPECT_EQ(TextOf(*lax->RangesBetween({{{"t", 0}, 9}}, {{{"t", 0}, 5}}, nullptr)), "");
  // Records that are not there, while the range is read.
  const auto gone = strict->Read({{"t", 0}, 3, 20}, nullptr);
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().condition, "KAFKA_DATA_LOSS.COULD_NOT_READ_OFFSET_RANGE");
  EXPECT_EQ(RowsOf(lax->Read({{"t", 0}, 3, 20}, nullptr)), Numbered(3, 5));
  EXPECT_EQ(RowsOf(lax->Read({{"t", 0}, 10, 20}, nullptr)), Numbered(0, 0));
}

TEST(KafkaReaderTest, AStopEndsTheWaitForABrokerThatIsNotThere) {
  auto options = ReadKafkaOptions({{"kafka.bootstrap.servers", "127.0.0.1:1"}, {"subscribe", "t"}}, false);
  ASSERT_TRUE(options.ok());
  KafkaReader reader(*std::move(options));
  std::thread stopping;
  const ReadWatch watch = [&](std::function<void()> stop) -> std::function<void()> {
    stopping = std::thread([stop] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      stop();
    });
    return [&] { stopping.join(); };
  };
  const auto begun = std::chrono::steady_clock::now();
  const auto latest = reader.Latest(watch);
  ASSERT_FALSE(latest.ok());
  EXPECT_EQ(latest.error().kind, ErrorKind::kCancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
}

}  // namespace
}  // namespace frazil::tables
