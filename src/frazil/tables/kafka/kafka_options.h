#pragma once

// The options of the source and the sink kafka, as Spark's connector takes them.
// Source: https://spark.apache.org/docs/latest/streaming/structured-streaming-kafka-integration.html

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/kafka/kafka_offsets.h"

namespace frazil::tables {

/// The options kafka.*, without that prefix: properties of Kafka's own clients.
using KafkaProperties = std::map<std::string, std::string>;

/// Which partitions are read.
struct KafkaSubscription {
  enum class Kind : uint8_t { kTopics, kPattern, kPartitions };
  Kind kind = Kind::kTopics;
  std::vector<std::string> topics;
  std::string pattern;
  std::set<TopicPartition> partitions;

  /// "Subscribe[a, b]", as progress reports name the source.
  std::string Text() const;
};

/// Where a read begins or ends.
struct OffsetLimit {
  enum class Kind : uint8_t {
    kEarliest,
    kLatest,
    kOffsets,
    kTimestamps,  ///< At the first record that is not older, of each partition.
    kTimestamp,   ///< The same time for all.
  };
  Kind kind = Kind::kEarliest;
  PartitionOffsets places;  ///< Offsets, or times.
  int64_t timestamp = 0;
};

struct KafkaReadOptions {
  KafkaSubscription subscription;
  OffsetLimit starting, ending;
  bool latest_where_no_match = false;  ///< A starting time behind all records means the end; else it is an error.
  bool fail_on_data_loss = true;
  bool include_headers = false;
  std::optional<int64_t> max_offsets_per_trigger, min_offsets_per_trigger;
  int64_t max_trigger_delay_ms = 0;
  int64_t offset_tries = 3;
  int64_t offset_retry_ms = 1000;
  int64_t poll_timeout_ms = 120'000;
  KafkaProperties properties;
};

/// `options`: keys in lower case. Errors: IllegalArgumentException in Spark's words.
Result<KafkaReadOptions> ReadKafkaOptions(const std::map<std::string, std::string>& options, bool is_stream);

/// The properties of a producer.
Result<KafkaProperties> ReadKafkaProducer(const std::map<std::string, std::string>& options);

/// Properties of Kafka's Java clients as those of librdkafka. What says how to connect and has no counterpart is an
/// error; what tunes the Java client alone is left out, as are names that no client knows.
Result<KafkaProperties> NativeProperties(const KafkaProperties& properties);

}  // namespace frazil::tables
