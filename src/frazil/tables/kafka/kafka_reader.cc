#include "frazil/tables/kafka/kafka_reader.h"

#include <algorithm>
#include <chrono>
#include <thread>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "frazil/base/clock.h"
#include "frazil/base/logging.h"
#include "frazil/base/text.h"
#include "frazil/tables/kafka/kafka_handle.h"
#include "frazil/tables/kafka/partition_consumer.h"

namespace frazil::tables {
namespace {

/// How long Kafka's clients try to reach it (default.api.timeout.ms).
constexpr int64_t kTimeoutMs = 60'000;
constexpr int kFirstTryMs = 250;
constexpr int kLongestTryMs = 2000;
constexpr size_t kMostIdleConsumers = 16;
/// How old a list of all partitions may be; a stream without new rows asks a hundred times a second.
constexpr int64_t kListedMs = 500;
constexpr int64_t kStopLookMs = 50;

/// Calls `attempt(milliseconds)` until it does not time out any more; in bits, so that a stop is seen.
template <typename Attempt>
Status Try(const KafkaHandle& client, const StopFlag& stop, Attempt attempt) {
  const int64_t until = SteadyMillis() + kTimeoutMs;
  for (int wait = kFirstTryMs;; wait = std::min(wait * 2, kLongestTryMs)) {
    FRAZIL_RETURN_IF_ERROR(stop.Check());
    const rd_kafka_resp_err_t code = attempt(wait);
    // What the client says of its connections comes by its callback.
    rd_kafka_poll(client.get(), 0);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
    const bool may_pass = code == RD_KAFKA_RESP_ERR__TIMED_OUT || code == RD_KAFKA_RESP_ERR__TRANSPORT ||
                          code == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE ||
                          code == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION;
    if (!may_pass || SteadyMillis() >= until) return client.Failure(code);
    if (code != RD_KAFKA_RESP_ERR__TIMED_OUT) std::this_thread::sleep_for(std::chrono::milliseconds(kFirstTryMs));
  }
}

struct MetadataDeleter {
  void operator()(const rd_kafka_metadata_t* metadata) const { rd_kafka_metadata_destroy(metadata); }
};
struct ListDeleter {
  void operator()(rd_kafka_topic_partition_list_t* list) const { rd_kafka_topic_partition_list_destroy(list); }
};

/// Whether a text has a match of a regular expression somewhere, as Java's find().
class Pattern {
 public:
  static Result<Pattern> Compile(const std::string& text) {
    int problem = 0;
    PCRE2_SIZE at = 0;
    Pattern pattern;
    pattern.code_.reset(
        pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), PCRE2_UTF, &problem, &at, nullptr));
    if (pattern.code_ != nullptr) return pattern;
    std::string reason(256, '\0');
    pcre2_get_error_message(problem, reinterpret_cast<PCRE2_UCHAR*>(reason.data()), reason.size());
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        std::string(reason.c_str()) + " near index " + std::to_string(at) + "\n" + text);
  }
  bool Matches(const std::string& text) const {
    const std::unique_ptr<pcre2_match_data, MatchDeleter> match(
        pcre2_match_data_create_from_pattern(code_.get(), nullptr));
    return pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), 0, 0, match.get(),
                       nullptr) >= 0;
  }

 private:
  struct CodeDeleter {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  };
  struct MatchDeleter {
    void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
  };
  std::unique_ptr<pcre2_code, CodeDeleter> code_;
};

Error DoesNotMatch(const OffsetLimit& limit, bool is_start, const std::set<TopicPartition>& assigned) {
  const std::string given = PartitionsText(PartitionsOf(limit.places)), there = PartitionsText(assigned);
  if (limit.kind == OffsetLimit::Kind::kOffsets) {
    return Error::Of("KAFKA_START_OFFSET_DOES_NOT_MATCH_ASSIGNED",
                     {{"specifiedPartitions", given}, {"assignedPartitions", there}});
  }
  return Error::Of(
      "KAFKA_TIMESTAMP_OFFSET_DOES_NOT_MATCH_ASSIGNED",
      {{"position", is_start ? "start" : "end"}, {"specifiedPartitions", given}, {"assignedPartitions", there}});
}

}  // namespace

KafkaReader::KafkaReader(KafkaReadOptions options) : options_(std::move(options)) {}
KafkaReader::~KafkaReader() = default;

Result<KafkaHandle*> KafkaReader::Client() {
  const std::lock_guard lock(client_mutex_);
  if (client_ == nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(
        client_, KafkaHandle::Make(KafkaHandle::Role::kConsumer, options_.properties, PartitionConsumer::Defaults()));
  }
  return client_.get();
}

Result<std::set<TopicPartition>> KafkaReader::AllPartitions(const StopFlag& stop) {
  // To be asked of one topic might make it, where the broker makes those that are missing.
  const std::lock_guard lock(listed_mutex_);
  if (listed_ms_ && SteadyMillis() - *listed_ms_ < kListedMs) return listed_;
  FRAZIL_ASSIGN_OR_RETURN(KafkaHandle * client, Client());
  const rd_kafka_metadata_t* found = nullptr;
  FRAZIL_RETURN_IF_ERROR(
      Try(*client, stop, [&](int wait_ms) { return rd_kafka_metadata(client->get(), 1, nullptr, &found, wait_ms); }));
  const std::unique_ptr<const rd_kafka_metadata_t, MetadataDeleter> metadata(found);
  listed_.clear();
  for (int i = 0; i < metadata->topic_cnt; ++i) {
    const auto& topic = metadata->topics[i];
    const std::string name = topic.topic;
    if (name == "__consumer_offsets" || name == "__transaction_state") continue;
    for (int k = 0; k < topic.partition_cnt; ++k) listed_.insert({name, topic.partitions[k].id});
  }
  listed_ms_ = SteadyMillis();
  return listed_;
}

Result<std::set<TopicPartition>> KafkaReader::Partitions(const StopFlag& stop) {
  const auto& subscription = options_.subscription;
  if (subscription.kind == KafkaSubscription::Kind::kPattern) {
    FRAZIL_ASSIGN_OR_RETURN(const auto pattern, Pattern::Compile(subscription.pattern));
    FRAZIL_ASSIGN_OR_RETURN(auto partitions, AllPartitions(stop));
    std::erase_if(partitions, [&](const auto& found) { return !pattern.Matches(found.topic); });
    return partitions;
  }
  std::set<std::string> topics(subscription.topics.begin(), subscription.topics.end());
  for (const auto& partition : subscription.partitions) topics.insert(partition.topic);
  for (int64_t tried = 1;; ++tried) {
    FRAZIL_ASSIGN_OR_RETURN(auto partitions, AllPartitions(stop));
    std::set<std::string> missing = topics;
    for (const auto& partition : partitions) missing.erase(partition.topic);
    if (missing.empty()) {
      std::erase_if(partitions, [&](const auto& found) {
        return subscription.kind == KafkaSubscription::Kind::kPartitions ? !subscription.partitions.contains(found)
                                                                         : !topics.contains(found.topic);
      });
      return partitions;
    }
    if (tried >= options_.offset_tries) {
      return Error::Plain(ExceptionClass::kSpark,
                          "This server does not host this topic-partition. The topic is " + *missing.begin() + ".");
    }
    for (int64_t waited = 0; waited < options_.offset_retry_ms; waited += kStopLookMs) {
      FRAZIL_RETURN_IF_ERROR(stop.Check());
      std::this_thread::sleep_for(std::chrono::milliseconds(kStopLookMs));
    }
  }
}

Result<PartitionOffsets> KafkaReader::ListOffsets(const PartitionOffsets& times, const StopFlag& stop) {
  PartitionOffsets offsets;
  if (times.empty()) return offsets;
  FRAZIL_ASSIGN_OR_RETURN(KafkaHandle * client, Client());
  std::unique_ptr<rd_kafka_topic_partition_list_t, ListDeleter> list;
  FRAZIL_RETURN_IF_ERROR(Try(*client, stop, [&](int wait_ms) {
    list.reset(rd_kafka_topic_partition_list_new(static_cast<int>(times.size())));
    for (const auto& [place, time] : times)
      rd_kafka_topic_partition_list_add(list.get(), place.topic.c_str(), place.partition)->offset = time;
    auto code = rd_kafka_offsets_for_times(client->get(), list.get(), wait_ms);
    for (int i = 0; code == RD_KAFKA_RESP_ERR_NO_ERROR && i < list->cnt; ++i) code = list->elems[i].err;
    return code;
  }));
  for (int i = 0; i < list->cnt; ++i) {
    const auto& element = list->elems[i];
    offsets[{element.topic, element.partition}] = element.offset < 0 ? kLatestOffset : element.offset;
  }
  return offsets;
}

Result<PartitionOffsets> KafkaReader::Resolved(PartitionOffsets offsets, const StopFlag& stop) {
  PartitionOffsets unknown;
  for (const auto& [place, offset] : offsets) {
    if (offset == kLatestOffset || offset == kEarliestOffset) unknown[place] = offset;
  }
  FRAZIL_ASSIGN_OR_RETURN(const auto found, ListOffsets(unknown, stop));
  for (const auto& [place, offset] : found) offsets[place] = offset;
  return offsets;
}

Result<PartitionOffsets> KafkaReader::AllAt(int64_t place, const StopFlag& stop) {
  FRAZIL_ASSIGN_OR_RETURN(const auto partitions, Partitions(stop));
  PartitionOffsets places;
  for (const auto& partition : partitions) places[partition] = place;
  return ListOffsets(places, stop);
}

Result<PartitionOffsets> KafkaReader::Latest(const ReadWatch& watch) { return AllAt(kLatestOffset, StopFlag(watch)); }
Result<PartitionOffsets> KafkaReader::Earliest(const ReadWatch& watch) {
  return AllAt(kEarliestOffset, StopFlag(watch));
}

Result<PartitionOffsets> KafkaReader::OffsetsOfLimit(const OffsetLimit& limit, bool is_start, const StopFlag& stop) {
  using Kind = OffsetLimit::Kind;
  if (limit.kind == Kind::kEarliest) return AllAt(kEarliestOffset, stop);
  if (limit.kind == Kind::kLatest) return AllAt(kLatestOffset, stop);
  FRAZIL_ASSIGN_OR_RETURN(const auto partitions, Partitions(stop));
  if (limit.kind != Kind::kTimestamp && PartitionsOf(limit.places) != partitions)
    return DoesNotMatch(limit, is_start, partitions);
  if (limit.kind == Kind::kOffsets) return Resolved(limit.places, stop);
  PartitionOffsets times = limit.places;
  if (limit.kind == Kind::kTimestamp) {
    for (const auto& partition : partitions) times[partition] = limit.timestamp;
  }
  FRAZIL_ASSIGN_OR_RETURN(auto offsets, ListOffsets(times, stop));
  for (const auto& [place, offset] : offsets) {
    if (offset != kLatestOffset || !is_start || options_.latest_where_no_match) continue;
    return Error::Plain(ExceptionClass::kIllegalArgument, "No offset matched from request of topic-partition " +
                                                              place.Text() + " and timestamp " +
                                                              std::to_string(times.at(place)) + ".");
  }
  return Resolved(std::move(offsets), stop);
}

Result<PartitionOffsets> KafkaReader::StartingOffsets(const ReadWatch& watch) {
  return OffsetsOfLimit(options_.starting, true, StopFlag(watch));
}

Result<std::vector<OffsetRange>> KafkaReader::BatchRanges(const ReadWatch& watch) {
  const StopFlag stop(watch);
  FRAZIL_ASSIGN_OR_RETURN(const auto start, OffsetsOfLimit(options_.starting, true, stop));
  FRAZIL_ASSIGN_OR_RETURN(const auto end, OffsetsOfLimit(options_.ending, false, stop));
  if (PartitionsOf(start) != PartitionsOf(end)) {
    return Error::Of("MISMATCHED_TOPIC_PARTITIONS_BETWEEN_START_OFFSET_AND_END_OFFSET",
                     {{"tpsForStartOffset", PartitionsText(PartitionsOf(start))},
                      {"tpsForEndOffset", PartitionsText(PartitionsOf(end))}});
  }
  std::vector<OffsetRange> ranges;
  for (const auto& [partition, from] : start) {
    const int64_t until = end.at(partition);
    if (from > until) {
      return Error::Of("RESOLVED_START_OFFSET_GREATER_THAN_END_OFFSET",
                       {{"startOffset", std::to_string(from)},
                        {"endOffset", std::to_string(until)},
                        {"topic", partition.topic},
                        {"partition", std::to_string(partition.partition)}});
    }
    ranges.push_back({partition, from, until});
  }
  return ranges;
}

Result<std::vector<OffsetRange>> KafkaReader::RangesBetween(const PartitionOffsets& start, const PartitionOffsets& end,
                                                            const ReadWatch& watch) {
  const StopFlag stop(watch);
  const auto lost = [&](const std::string& what, Error::Parameters parameters) -> Status {
    Error error = Error::Of("KAFKA_DATA_LOSS." + what, std::move(parameters));
    if (options_.fail_on_data_loss) return error;
    Log(LogLevel::kWarn, "Records of Kafka may be lost", {{"reason", error.message}});
    return {};
  };
  // Partitions that came meanwhile are read from their first record on.
  std::set<TopicPartition> added, deleted, unknown;
  for (const auto& [partition, offset] : end) {
    if (!start.contains(partition)) added.insert(partition);
  }
  PartitionOffsets from = start, first;
  if (!added.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(const auto there, AllPartitions(stop));
    for (const auto& partition : added) {
      if (there.contains(partition)) first[partition] = kEarliestOffset;
      if (!there.contains(partition)) unknown.insert(partition);
    }
    FRAZIL_ASSIGN_OR_RETURN(first, ListOffsets(first, stop));
  }
  if (!unknown.empty()) {
    FRAZIL_RETURN_IF_ERROR(lost("INITIAL_OFFSET_NOT_FOUND_FOR_PARTITIONS", {{"partitions", PartitionsText(unknown)}}));
  }
  for (const auto& [partition, offset] : first) {
    from[partition] = offset;
    if (offset == 0) continue;
    FRAZIL_RETURN_IF_ERROR(lost("ADDED_PARTITION_DOES_NOT_START_FROM_OFFSET_ZERO",
                                {{"topicPartition", partition.Text()}, {"startOffset", std::to_string(offset)}}));
  }
  for (const auto& [partition, offset] : start) {
    if (!end.contains(partition)) deleted.insert(partition);
  }
  if (!deleted.empty()) {
    const bool has_group = options_.properties.contains("group.id");
    Error::Parameters parameters = {{"partitions", PartitionsText(deleted)}};
    if (has_group) parameters.emplace_back("groupIdConfig", "group.id");
    FRAZIL_RETURN_IF_ERROR(lost(has_group ? "PARTITIONS_DELETED_AND_GROUP_ID_CONFIG_PRESENT" : "PARTITIONS_DELETED",
                                std::move(parameters)));
  }
  std::vector<OffsetRange> ranges;
  for (const auto& [partition, until] : end) {
    const auto begin = from.find(partition);
    if (begin == from.end()) continue;
    if (until < begin->second) {
      FRAZIL_RETURN_IF_ERROR(lost("PARTITION_OFFSET_CHANGED", {{"topicPartition", partition.Text()},
                                                               {"prevOffset", std::to_string(begin->second)},
                                                               {"newOffset", std::to_string(until)}}));
    }
    if (until > begin->second) ranges.push_back({partition, begin->second, until});
  }
  return ranges;
}

std::unique_ptr<PartitionConsumer> KafkaReader::TakeConsumer(const OffsetRange& range) {
  const std::lock_guard lock(consumers_mutex_);
  auto found = std::find_if(consumers_.begin(), consumers_.end(),
                            [&](const auto& consumer) { return consumer->StandsAt(range.partition, range.from); });
  if (found == consumers_.end() && consumers_.size() >= kMostIdleConsumers) found = consumers_.begin();
  if (found == consumers_.end()) return nullptr;
  auto taken = std::move(*found);
  consumers_.erase(found);
  return taken;
}

void KafkaReader::KeepConsumer(std::unique_ptr<PartitionConsumer> consumer) {
  const std::lock_guard lock(consumers_mutex_);
  if (consumers_.size() < kMostIdleConsumers) consumers_.push_back(std::move(consumer));
}

Result<ArrowTablePtr> KafkaReader::Read(const OffsetRange& range, const ReadWatch& watch) {
  auto consumer = TakeConsumer(range);
  if (consumer == nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(consumer, PartitionConsumer::Make(options_));
  }
  const StopFlag stop(watch);
  FRAZIL_ASSIGN_OR_RETURN(auto rows, consumer->Read(range, stop));
  KeepConsumer(std::move(consumer));
  return rows;
}

}  // namespace frazil::tables
