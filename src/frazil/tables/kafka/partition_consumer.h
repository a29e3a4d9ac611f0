#pragma once

// Reads records of one partition after the other. Only the files of this folder include it.

#include <cstdint>
#include <memory>

#include "frazil/base/result.h"
#include "frazil/tables/kafka/kafka_handle.h"
#include "frazil/tables/kafka/kafka_offsets.h"
#include "frazil/tables/kafka/kafka_options.h"
#include "frazil/types/arrow_c.h"

namespace frazil::tables {

/// One thread uses it at a time. It goes on to fetch behind the range that was read last, so that the next one, if it
/// begins there, is at hand.
class PartitionConsumer {
 public:
  static Result<std::unique_ptr<PartitionConsumer>> Make(const KafkaReadOptions& options);
  ~PartitionConsumer();
  PartitionConsumer(const PartitionConsumer&) = delete;
  PartitionConsumer& operator=(const PartitionConsumer&) = delete;

  /// What consumers are set to where the user does not say otherwise.
  static KafkaProperties Defaults();

  bool StandsAt(const TopicPartition& partition, int64_t offset) const {
    return topic_ != nullptr && partition_ == partition && next_ == offset;
  }
  Result<ArrowTablePtr> Read(const OffsetRange& range, const StopFlag& stop);

 private:
  struct MessageDeleter {
    void operator()(rd_kafka_message_t* message) const { rd_kafka_message_destroy(message); }
  };
  using Message = std::unique_ptr<rd_kafka_message_t, MessageDeleter>;
  enum class Place : uint8_t { kRecord, kEnd, kMoved };

  explicit PartitionConsumer(const KafkaReadOptions& options) : options_(options) {}
  Status MoveTo(const TopicPartition& partition, int64_t offset);
  void Leave();
  /// The next record of the range, or that there is none (any more), or that its beginning was moved over records that
  /// are gone.
  Result<Place> Next(const OffsetRange& range, const StopFlag& stop, Message* record);
  /// The partition's records begin behind next_, or end before the range does.
  Result<Place> Lost(const OffsetRange& range);

  const KafkaReadOptions options_;
  std::unique_ptr<KafkaHandle> client_;
  rd_kafka_topic_t* topic_ = nullptr;  ///< Null: nothing is consumed.
  TopicPartition partition_;
  int64_t next_ = 0;
  Message pending_;  ///< A record that was fetched and lies behind the range that was read last.
};

}  // namespace frazil::tables
