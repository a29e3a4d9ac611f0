#include "frazil/tables/kafka/partition_consumer.h"

#include <algorithm>

#include "frazil/base/clock.h"
#include "frazil/base/logging.h"
#include "frazil/tables/kafka/kafka_rows.h"

namespace frazil::tables {
namespace {

constexpr int kWaitMs = 100;
constexpr int kWatermarkTimeoutMs = 5000;

}  // namespace

KafkaProperties PartitionConsumer::Defaults() {
  return {{"auto.offset.reset", "error"},
          {"enable.auto.commit", "false"},
          {"enable.partition.eof", "true"},
          {"isolation.level", "read_uncommitted"},
          {"queued.max.messages.kbytes", "16384"}};
}

Result<std::unique_ptr<PartitionConsumer>> PartitionConsumer::Make(const KafkaReadOptions& options) {
  std::unique_ptr<PartitionConsumer> made(new PartitionConsumer(options));
  FRAZIL_ASSIGN_OR_RETURN(made->client_,
                          KafkaHandle::Make(KafkaHandle::Role::kConsumer, options.properties, Defaults()));
  return made;
}

PartitionConsumer::~PartitionConsumer() { Leave(); }

void PartitionConsumer::Leave() {
  pending_.reset();
  if (topic_ == nullptr) return;
  rd_kafka_consume_stop(topic_, partition_.partition);
  rd_kafka_topic_destroy(topic_);
  topic_ = nullptr;
}

Status PartitionConsumer::MoveTo(const TopicPartition& partition, int64_t offset) {
  Leave();
  topic_ = rd_kafka_topic_new(client_->get(), partition.topic.c_str(), nullptr);
  if (topic_ == nullptr) return client_->Failure(rd_kafka_last_error());
  if (rd_kafka_consume_start(topic_, partition.partition, offset) != 0) {
    const auto code = rd_kafka_last_error();
    rd_kafka_topic_destroy(topic_);
    topic_ = nullptr;
    return client_->Failure(code);
  }
  partition_ = partition;
  next_ = offset;
  return {};
}

Result<PartitionConsumer::Place> PartitionConsumer::Lost(const OffsetRange& range) {
  int64_t first = 0, end = 0;
  const auto code = rd_kafka_query_watermark_offsets(client_->get(), partition_.topic.c_str(), partition_.partition,
                                                     &first, &end, kWatermarkTimeoutMs);
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return client_->Failure(code);
  if (first <= next_ && range.until <= end) return Place::kMoved;  // All is there.
  const auto group = options_.properties.find("group.id");
  const Error error = Error::Of("KAFKA_DATA_LOSS.COULD_NOT_READ_OFFSET_RANGE",
                                {{"startOffset", std::to_string(next_)},
                                 {"endOffset", std::to_string(range.until)},
                                 {"topicPartition", partition_.Text()},
                                 {"groupId", group == options_.properties.end() ? "null" : group->second}});
  if (options_.fail_on_data_loss) return error;
  Log(LogLevel::kWarn, "Records of Kafka may be lost", {{"reason", error.message}});
  if (first >= range.until || end <= next_) return Place::kEnd;
  FRAZIL_RETURN_IF_ERROR(MoveTo(partition_, std::max(first, next_)));
  return Place::kMoved;
}

Result<PartitionConsumer::Place> PartitionConsumer::Next(const OffsetRange& range, const StopFlag& stop,
                                                         Message* record) {
  const int64_t give_up = SteadyMillis() + options_.poll_timeout_ms;
  while (true) {
    FRAZIL_RETURN_IF_ERROR(stop.Check());
    Message message = pending_ ? std::move(pending_) : Message(rd_kafka_consume(topic_, partition_.partition, kWaitMs));
    rd_kafka_poll(client_->get(), 0);
    if (message != nullptr && message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      if (message->offset < next_) continue;
      if (message->offset >= range.until) {
        next_ = range.until;
        pending_ = std::move(message);
        return Place::kEnd;
      }
      next_ = message->offset + 1;
      *record = std::move(message);
      return Place::kRecord;
    }
    if (message != nullptr && message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      if (message->offset >= range.until) {
        // The last offsets of the range are those of no record (the ends of transactions).
        next_ = range.until;
        return Place::kEnd;
      }
      // One of former times, or records are gone.
      FRAZIL_ASSIGN_OR_RETURN(const Place place, Lost(range));
      if (place == Place::kEnd) return place;
      continue;
    }
    if (message != nullptr && (message->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET ||
                               message->err == RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE)) {
      FRAZIL_ASSIGN_OR_RETURN(const Place place, Lost(range));
      if (place == Place::kEnd) return place;
      continue;
    }
    const bool may_pass = message == nullptr || message->err == RD_KAFKA_RESP_ERR__TRANSPORT ||
                          message->err == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN ||
                          message->err == RD_KAFKA_RESP_ERR__TIMED_OUT ||
                          message->err == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION ||
                          message->err == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE;
    if (!may_pass) return client_->Failure(message->err);
    if (SteadyMillis() >= give_up) {
      return Error::Plain(ExceptionClass::kSpark, "Cannot fetch record for offset " + std::to_string(next_) + " in " +
                                                      std::to_string(options_.poll_timeout_ms) + " milliseconds");
    }
  }
}

Result<ArrowTablePtr> PartitionConsumer::Read(const OffsetRange& range, const StopFlag& stop) {
  if (!StandsAt(range.partition, range.from)) FRAZIL_RETURN_IF_ERROR(MoveTo(range.partition, range.from));
  KafkaRows rows(options_.include_headers);
  while (next_ < range.until) {
    Message record;
    FRAZIL_ASSIGN_OR_RETURN(const Place place, Next(range, stop, &record));
    if (place == Place::kEnd) break;
    rows.Append(*record, partition_);
  }
  return rows.Finish();
}

}  // namespace frazil::tables
