#pragma once

// Topics of Kafka, looked at and read.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/kafka/kafka_offsets.h"
#include "frazil/tables/kafka/kafka_options.h"
#include "frazil/tables/partitioned_rows.h"
#include "frazil/types/arrow_c.h"

namespace frazil::tables {

class KafkaHandle;
class PartitionConsumer;
class StopFlag;

/// What one read of Kafka, or one stream, knows and keeps: connections. Thread-safe.
class KafkaReader {
 public:
  explicit KafkaReader(KafkaReadOptions options);
  ~KafkaReader();

  const KafkaReadOptions& options() const { return options_; }

  /// The offsets behind the last records, and of the first ones, of all partitions that the subscription has now.
  Result<PartitionOffsets> Latest(const ReadWatch& watch);
  Result<PartitionOffsets> Earliest(const ReadWatch& watch);
  /// Where a stream begins that has read nothing yet.
  Result<PartitionOffsets> StartingOffsets(const ReadWatch& watch);
  /// What a batch query reads.
  Result<std::vector<OffsetRange>> BatchRanges(const ReadWatch& watch);
  /// What a stream reads between two places. Error KAFKA_DATA_LOSS: records are not there any more, and the options say
  /// that this is one.
  Result<std::vector<OffsetRange>> RangesBetween(const PartitionOffsets& start, const PartitionOffsets& end,
                                                 const ReadWatch& watch);
  /// The records of a range, with the columns of KafkaSchema.
  Result<ArrowTablePtr> Read(const OffsetRange& range, const ReadWatch& watch);

 private:
  Result<KafkaHandle*> Client();
  Result<std::set<TopicPartition>> Partitions(const StopFlag& stop);
  /// All that Kafka has, but its own topics.
  Result<std::set<TopicPartition>> AllPartitions(const StopFlag& stop);
  /// `times`: milliseconds, kLatestOffset or kEarliestOffset. The answer is kLatestOffset where no record is as late.
  Result<PartitionOffsets> ListOffsets(const PartitionOffsets& times, const StopFlag& stop);
  /// Offsets with those that stand for a place put in its place.
  Result<PartitionOffsets> Resolved(PartitionOffsets offsets, const StopFlag& stop);
  Result<PartitionOffsets> OffsetsOfLimit(const OffsetLimit& limit, bool is_start, const StopFlag& stop);
  /// All there is, at one place for each partition.
  Result<PartitionOffsets> AllAt(int64_t place, const StopFlag& stop);

  std::unique_ptr<PartitionConsumer> TakeConsumer(const OffsetRange& range);
  void KeepConsumer(std::unique_ptr<PartitionConsumer> consumer);

  const KafkaReadOptions options_;
  std::mutex client_mutex_;
  std::unique_ptr<KafkaHandle> client_;
  std::mutex listed_mutex_;
  std::set<TopicPartition> listed_;  ///< What AllPartitions gave last, and when.
  std::optional<int64_t> listed_ms_;
  std::mutex consumers_mutex_;
  std::vector<std::unique_ptr<PartitionConsumer>> consumers_;  ///< Idle ones, the last used last.
};

/// key, value, topic, partition, offset, timestamp, timestampType, and headers where asked for.
DataTypePtr KafkaSchema(bool include_headers);
/// The type of the column headers.
const DataTypePtr& KafkaHeadersType();

/// The rows of a read of Kafka as a scan. `ranges`: of a micro-batch; nullopt: what the options say, when the statement
/// runs.
TableScanPtr MakeKafkaScan(std::shared_ptr<KafkaReader> reader,
                           std::optional<std::vector<OffsetRange>> ranges = std::nullopt);

}  // namespace frazil::tables
