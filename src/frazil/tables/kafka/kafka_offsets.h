#pragma once

// Places in the partitions of topics, and their JSON as options and Spark's checkpoints have it.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace frazil::tables {

struct TopicPartition {
  std::string topic;
  int32_t partition = 0;

  auto operator<=>(const TopicPartition&) const = default;
  /// "topic-0".
  std::string Text() const;
};

/// The offset of the record that is read next, or a time in milliseconds, of each partition.
using PartitionOffsets = std::map<TopicPartition, int64_t>;

/// Offsets that stand for a place which Kafka knows.
constexpr int64_t kLatestOffset = -1;
constexpr int64_t kEarliestOffset = -2;

/// The records [from, until) of a partition.
struct OffsetRange {
  TopicPartition partition;
  int64_t from = 0;
  int64_t until = 0;
};

/// {"topic":{"0":23,"1":5}}
std::string OffsetsJson(const PartitionOffsets& offsets);
std::optional<PartitionOffsets> ParseOffsets(std::string_view json);
/// {"topic":[0,1]}
std::optional<std::set<TopicPartition>> ParsePartitions(std::string_view json);

std::set<TopicPartition> PartitionsOf(const PartitionOffsets& offsets);
/// "Set(topic-0, topic-1)", as Spark's messages show them.
std::string PartitionsText(const std::set<TopicPartition>& partitions);

}  // namespace frazil::tables
