#include "frazil/tables/kafka/kafka_options.h"

#include <gtest/gtest.h>

#include "frazil/tables/kafka/kafka_offsets.h"

namespace frazil::tables {
namespace {

using Options = std::map<std::string, std::string>;

const Options kSource = {{"kafka.bootstrap.servers", "h:1"}, {"subscribe", "t"}};

Options With(Options options, const std::string& key, const std::string& value) {
  options[key] = value;
  return options;
}

std::string RefusalOf(const Options& options, bool is_stream) {
  const auto read = ReadKafkaOptions(options, is_stream);
  return read.ok() ? "" : read.error().message;
}

TEST(KafkaOffsetsTest, JsonIsThatOfSparksCheckpoints) {
  const PartitionOffsets offsets = {{{"b", 10}, 7}, {{"a", 1}, -1}, {{"a", 0}, 23}, {{"b", 9}, 5}};
  EXPECT_EQ(OffsetsJson(offsets), R"({"a":{"0":23,"1":-1},"b":{"9":5,"10":7}})");
  EXPECT_EQ(ParseOffsets(OffsetsJson(offsets)), offsets);
  EXPECT_EQ(OffsetsJson({}), "{}");
  EXPECT_EQ(ParseOffsets(R"( {"b":{"10":7,"9":5},"a":{"1":-1,"0":23}} )"), offsets);
  for (const char* wrong : {"", "[]", R"({"a":1})", R"({"a":{"x":1}})", R"({"a":{"0":1.5}})", R"({"a":{"0":"1"}})"})
    EXPECT_FALSE(ParseOffsets(wrong).has_value()) << wrong;
  EXPECT_EQ(ParsePartitions(R"({"a":[0,1]})"), (std::set<TopicPartition>{{"a", 0}, {"a", 1}}));
  EXPECT_FALSE(ParsePartitions(R"({"a":{"0":1}})").has_value());
  EXPECT_EQ(PartitionsText({{"a", 1}, {"a", 0}}), "Set(a-0, a-1)");
}

TEST(KafkaOptionsTest, LimitsAreOfThreeKinds) {
  auto read = ReadKafkaOptions(kSource, false);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->starting.kind, OffsetLimit::Kind::kEarliest);
  EXPECT_EQ(read->ending.kind, OffsetLimit::Kind::kLatest);
  read = ReadKafkaOptions(kSource, true);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->starting.kind, OffsetLimit::Kind::kLatest);
  read =
      ReadKafkaOptions(With(With(kSource, "startingoffsets", R"({"t":{"0":5}})"), "startingtimestamp", " 77 "), true);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->starting.kind, OffsetLimit::Kind::kTimestamp);
  EXPECT_EQ(read->starting.timestamp, 77);
  read = ReadKafkaOptions(With(kSource, "startingoffsetsbytimestamp", R"({"t":{"0":5}})"), true);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->starting.kind, OffsetLimit::Kind::kTimestamps);
  EXPECT_EQ(read->starting.places.at({"t", 0}), 5);
}

TEST(KafkaOptionsTest, SubscriptionsHaveSparksNames) {
  auto read = ReadKafkaOptions(With(kSource, "subscribe", " a, b,,"), true);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->subscription.Text(), "Subscribe[a, b]");
  Options options = kSource;
  options.erase("subscribe");
  read = ReadKafkaOptions(With(options, "subscribepattern", " t.* "), true);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->subscription.Text(), "SubscribePattern[t.*]");
  read = ReadKafkaOptions(With(options, "assign", R"({"t":[1,0]})"), true);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->subscription.Text(), "Assign[t-0, t-1]");
  EXPECT_TRUE(RefusalOf(options, true).starts_with("One of the following options must be specified for Kafka source"));
  EXPECT_TRUE(RefusalOf(With(kSource, "assign", "{}"), true).starts_with("Only one of the following options"));
  EXPECT_EQ(RefusalOf(With(options, "subscribe", " ,"), true),
            "No topics to subscribe to as specified value for option 'subscribe' is ' ,'");
  EXPECT_EQ(RefusalOf(With(options, "assign", "t"), true),
            "No topicpartitions to assign as specified value for option 'assign' is 't'");
}

TEST(KafkaOptionsTest, WhatMakesNoSenseIsRefused) {
  EXPECT_EQ(RefusalOf(With(kSource, "startingoffsets", "latest"), false),
            "starting offset can't be latest for batch queries on Kafka");
  EXPECT_EQ(RefusalOf(With(kSource, "endingoffsets", "earliest"), false),
            "ending offset can't be earliest for batch queries on Kafka");
  EXPECT_EQ(RefusalOf(With(kSource, "startingoffsets", R"({"t":{"0":-1}})"), false),
            "startingOffsets for t-0 can't be latest for batch queries on Kafka");
  EXPECT_EQ(RefusalOf(With(kSource, "endingoffsets", "latest"), true), "ending offset not valid in streaming queries");
  EXPECT_EQ(RefusalOf(With(kSource, "minpartitions", "0"), true), "minPartitions must be positive");
  EXPECT_EQ(RefusalOf(With(kSource, "kafka.enable.auto.commit", "true"), true),
            "Kafka option 'enable.auto.commit' is not supported");
  EXPECT_NE(RefusalOf(With(kSource, "kafka.auto.offset.reset", "earliest"), true).find("startingoffsets"),
            std::string::npos);
  EXPECT_EQ(RefusalOf({{"subscribe", "t"}}, true),
            "Option 'kafka.bootstrap.servers' must be specified for configuring Kafka consumer");
  EXPECT_EQ(RefusalOf(With(With(kSource, "minoffsetspertrigger", "5"), "maxoffsetspertrigger", "4"), true),
            "The value of minOffsetPerTrigger(5) is higher than the maxOffsetsPerTrigger(4).");
  const auto order = ReadKafkaOptions(
      With(With(kSource, "startingoffsets", R"({"t":{"0":9}})"), "endingoffsets", R"({"t":{"0":3}})"), false);
  ASSERT_FALSE(order.ok());
  EXPECT_EQ(order.error().condition, "UNRESOLVED_START_OFFSET_GREATER_THAN_END_OFFSET");
}

TEST(KafkaPropertiesTest, JavasNamesBecomeThoseOfTheLibrary) {
  const auto native = NativeProperties(
      {{"bootstrap.servers", "h:1"},
       {"fetch.max.wait.ms", "50"},
       {"sasl.mechanism", "SCRAM-SHA-256"},
       {"sasl.jaas.config",
        "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"a b\" password=\"p\\\"q\";"},
       {"ssl.truststore.type", "PEM"},
       {"ssl.truststore.location", "/ca.pem"},
       {"ssl.endpoint.identification.algorithm", ""},
       {"max.poll.records", "7"}});
  ASSERT_TRUE(native.ok()) << native.error().message;
  EXPECT_EQ(*native, (KafkaProperties{{"bootstrap.servers", "h:1"},
                                      {"fetch.wait.max.ms", "50"},
                                      {"sasl.mechanisms", "SCRAM-SHA-256"},
                                      {"sasl.username", "a b"},
                                      {"sasl.password", "p\"q"},
                                      {"ssl.ca.location", "/ca.pem"},
                                      {"ssl.endpoint.identification.algorithm", "none"}}));
}

TEST(KafkaPropertiesTest, WhatTheLibraryCannotDoIsRefused) {
  for (const KafkaProperties& properties :
       {KafkaProperties{{"ssl.truststore.location", "/a.jks"}}, KafkaProperties{{"sasl.login.class", "x"}},
        KafkaProperties{{"partitioner.class", "x"}}, KafkaProperties{{"sasl.jaas.config", "JndiLoginModule required;"}},
        KafkaProperties{{"sasl.kerberos.kinit.cmd", "touch /tmp/x"}}, KafkaProperties{{"ssl.engine.location", "x"}}}) {
    const auto native = NativeProperties(properties);
    ASSERT_FALSE(native.ok()) << properties.begin()->first;
    EXPECT_EQ(native.error().kind, ErrorKind::kUnsupported) << properties.begin()->first;
  }
  // The library's own, which would load others.
  EXPECT_EQ(NativeProperties({{"plugin.library.paths", "x"}})->size(), 0u);
  EXPECT_EQ(NativeProperties({{"test.mock.num.brokers", "1"}})->size(), 0u);
  EXPECT_EQ(NativeProperties({{"isolation.level", "sometimes"}}).error().message,
            "Invalid value sometimes for configuration isolation.level");
}

}  // namespace
}  // namespace frazil::tables
