#include "frazil/tables/kafka/kafka_options.h"

#include <algorithm>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"

namespace frazil::tables {
namespace {

using Options = std::map<std::string, std::string>;

Error Refused(const std::string& message) { return Error::Plain(ExceptionClass::kIllegalArgument, message); }

const std::string* Find(const Options& options, const std::string& key) {
  const auto found = options.find(key);
  return found == options.end() ? nullptr : &found->second;
}

Result<bool> BooleanOption(const Options& options, const std::string& key, bool otherwise) {
  const auto* text = Find(options, key);
  if (text == nullptr) return otherwise;
  if (EqualsIgnoreCase(*text, "true")) return true;
  if (EqualsIgnoreCase(*text, "false")) return false;
  return Refused("For input string: \"" + *text + "\"");
}

Result<std::optional<int64_t>> NumberOption(const Options& options, const std::string& key) {
  const auto* text = Find(options, key);
  if (text == nullptr) return std::optional<int64_t>();
  const auto number = ParseInteger<int64_t>(*text);
  if (!number) return Error::Plain(ExceptionClass::kNumberFormat, "For input string: \"" + *text + "\"");
  return number;
}

Result<int64_t> NumberOr(const Options& options, const std::string& key, int64_t otherwise) {
  FRAZIL_ASSIGN_OR_RETURN(const auto number, NumberOption(options, key));
  return number.value_or(otherwise);
}

/// "15m", "500ms"; a number alone is milliseconds.
Result<int64_t> TimeOption(const Options& options, const std::string& key, int64_t otherwise) {
  const auto* text = Find(options, key);
  if (text == nullptr) return otherwise;
  std::string_view digits = TrimBlanks(*text);
  const size_t end = std::min(digits.find_first_not_of("0123456789"), digits.size());
  const std::string unit = AsciiLower(digits.substr(end));
  const auto number = ParseInteger<int64_t>(digits.substr(0, end));
  static const std::map<std::string, int64_t> kUnits = {
      {"", 1}, {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"min", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
  const auto found = kUnits.find(unit);
  if (!number || found == kUnits.end()) {
    return Error::Plain(ExceptionClass::kNumberFormat,
                        "Time must be specified as seconds (s), milliseconds (ms), microseconds (us), minutes (m or "
                        "min), hour (h), or day (d). E.g. 50s, 100ms, or 250us. Failed to parse time string: " +
                            *text);
  }
  return *number * found->second;
}

Result<PartitionOffsets> OffsetsOption(const std::string& json) {
  auto offsets = ParseOffsets(json);
  if (!offsets) {
    return Refused("Expected e.g. {\"topicA\":{\"0\":23,\"1\":-1},\"topicB\":{\"0\":-2}}, got " + json);
  }
  return *std::move(offsets);
}

/// The first of: one time, times of partitions, offsets.
Result<OffsetLimit> LimitOption(const Options& options, const std::string& position, OffsetLimit::Kind otherwise) {
  OffsetLimit limit;
  limit.kind = otherwise;
  if (const auto* time = Find(options, position + "timestamp"); time != nullptr) {
    const std::string text(TrimBlanks(*time));
    const auto millis = ParseInteger<int64_t>(text);
    if (!millis) return Refused("Expected a single long value, got " + text);
    limit.kind = OffsetLimit::Kind::kTimestamp;
    limit.timestamp = *millis;
    return limit;
  }
  if (const auto* times = Find(options, position + "offsetsbytimestamp"); times != nullptr) {
    const std::string json(TrimBlanks(*times));
    auto parsed = ParseOffsets(json);
    if (!parsed) {
      return Refused(
          "Expected e.g. {\"topicA\": {\"0\": 123456789, \"1\": 123456789},\n\"topicB\": {\"0\": 123456789, \"1\": "
          "123456789}}, got " +
          json);
    }
    limit.kind = OffsetLimit::Kind::kTimestamps;
    limit.places = *std::move(parsed);
    return limit;
  }
  const auto* offsets = Find(options, position + "offsets");
  if (offsets == nullptr) return limit;
  const std::string text(TrimBlanks(*offsets));
  if (EqualsIgnoreCase(text, "latest")) {
    limit.kind = OffsetLimit::Kind::kLatest;
  } else if (EqualsIgnoreCase(text, "earliest")) {
    limit.kind = OffsetLimit::Kind::kEarliest;
  } else {
    limit.kind = OffsetLimit::Kind::kOffsets;
    FRAZIL_ASSIGN_OR_RETURN(limit.places, OffsetsOption(text));
  }
  return limit;
}

/// Both ends of a batch query.
Status CheckBatchLimits(const OffsetLimit& starting, const OffsetLimit& ending) {
  if (starting.kind == OffsetLimit::Kind::kLatest)
    return Refused("starting offset can't be latest for batch queries on Kafka");
  if (starting.kind == OffsetLimit::Kind::kOffsets) {
    for (const auto& [partition, offset] : starting.places) {
      if (offset == kLatestOffset) {
        return Refused("startingOffsets for " + partition.Text() + " can't be latest for batch queries on Kafka");
      }
    }
  }
  if (ending.kind == OffsetLimit::Kind::kEarliest)
    return Refused("ending offset can't be earliest for batch queries on Kafka");
  if (ending.kind == OffsetLimit::Kind::kOffsets) {
    for (const auto& [partition, offset] : ending.places) {
      if (offset == kEarliestOffset) {
        return Refused("ending offset for " + partition.Text() + " can't be earliest for batch queries on Kafka");
      }
    }
  }
  return {};
}

/// What can be said of both ends before Kafka is asked.
Status CheckOrder(const OffsetLimit& starting, const OffsetLimit& ending) {
  const bool are_offsets = starting.kind == OffsetLimit::Kind::kOffsets && ending.kind == OffsetLimit::Kind::kOffsets;
  const bool are_times =
      starting.kind == OffsetLimit::Kind::kTimestamps && ending.kind == OffsetLimit::Kind::kTimestamps;
  if (!are_offsets && !are_times) return {};
  const auto from = PartitionsOf(starting.places), until = PartitionsOf(ending.places);
  if (from != until) {
    return Error::Of("MISMATCHED_TOPIC_PARTITIONS_BETWEEN_START_OFFSET_AND_END_OFFSET",
                     {{"tpsForStartOffset", PartitionsText(from)}, {"tpsForEndOffset", PartitionsText(until)}});
  }
  for (const auto& [partition, start] : starting.places) {
    const int64_t end = ending.places.at(partition);
    // Those below zero stand for places that are not known yet.
    if (start <= end || start < 0 || end < 0) continue;
    return Error::Of(are_offsets ? "UNRESOLVED_START_OFFSET_GREATER_THAN_END_OFFSET"
                                 : "UNRESOLVED_START_TIMESTAMP_GREATER_THAN_END_TIMESTAMP",
                     {{are_offsets ? "startOffset" : "startTimestamp", std::to_string(start)},
                      {are_offsets ? "endOffset" : "endTimestamp", std::to_string(end)},
                      {"topic", partition.topic},
                      {"partition", std::to_string(partition.partition)}});
  }
  return {};
}

std::vector<std::string> TopicsOf(const std::string& list) {
  std::vector<std::string> topics;
  for (const auto& part : Split(list, ',')) {
    const auto topic = TrimControls(part);
    if (!topic.empty()) topics.emplace_back(topic);
  }
  return topics;
}

Result<KafkaSubscription> SubscriptionOption(const Options& options) {
  static const std::string kDocs = "subscribe, subscribepattern, assign. See the docs for more details.";
  std::vector<std::string> given;
  for (const char* key : {"subscribe", "subscribepattern", "assign"}) {
    if (options.contains(key)) given.emplace_back(key);
  }
  if (given.empty()) return Refused("One of the following options must be specified for Kafka source: " + kDocs);
  if (given.size() > 1) return Refused("Only one of the following options can be specified for Kafka source: " + kDocs);
  const std::string& value = options.at(given[0]);
  KafkaSubscription subscription;
  if (given[0] == "subscribe") {
    subscription.topics = TopicsOf(value);
    if (subscription.topics.empty())
      return Refused("No topics to subscribe to as specified value for option 'subscribe' is '" + value + "'");
  } else if (given[0] == "subscribepattern") {
    subscription.kind = KafkaSubscription::Kind::kPattern;
    subscription.pattern = TrimControls(value);
    if (subscription.pattern.empty())
      return Refused("Pattern to subscribe is empty as specified value for option 'subscribePattern' is '" + value +
                     "'");
  } else {
    subscription.kind = KafkaSubscription::Kind::kPartitions;
    if (!TrimControls(value).starts_with('{'))
      return Refused("No topicpartitions to assign as specified value for option 'assign' is '" + value + "'");
    auto partitions = ParsePartitions(value);
    if (!partitions) return Refused("Expected e.g. {\"topicA\":[0,1],\"topicB\":[0,1]}, got " + value);
    subscription.partitions = *std::move(partitions);
  }
  return subscription;
}

Status CheckPositive(const Options& options, const std::string& key, const std::string& shown) {
  FRAZIL_ASSIGN_OR_RETURN(const auto number, NumberOption(options, key));
  if (number && *number <= 0) return Refused(shown + " must be positive");
  return {};
}

/// Properties that the source sets itself.
Status CheckConsumer(const Options& options) {
  if (options.contains("kafka.auto.offset.reset")) {
    return Refused(
        "\nKafka option 'auto.offset.reset' is not supported.\nInstead set the source option 'startingoffsets' to "
        "'earliest' or 'latest'\nto specify where to start. Structured Streaming manages which offsets are "
        "consumed\ninternally, rather than relying on the kafkaConsumer to do it. This will ensure that no\ndata is "
        "missed when new topics/partitions are dynamically subscribed. Note that\n'startingoffsets' only applies when "
        "a new Streaming query is started, and\nthat resuming will always pick up from where the query left off. See "
        "the docs for more\ndetails.\n");
  }
  if (options.contains("kafka.key.deserializer")) {
    return Refused(
        "Kafka option 'key.deserializer' is not supported as keys are deserialized as byte arrays with "
        "ByteArrayDeserializer. Use DataFrame operations to explicitly deserialize the keys.");
  }
  if (options.contains("kafka.value.deserializer")) {
    return Refused(
        "Kafka option 'value.deserializer' is not supported as values are deserialized as byte arrays with "
        "ByteArrayDeserializer. Use DataFrame operations to explicitly deserialize the values.");
  }
  for (const std::string key : {"enable.auto.commit", "interceptor.classes"}) {
    if (options.contains("kafka." + key)) return Refused("Kafka option '" + key + "' is not supported");
  }
  if (!options.contains("kafka.bootstrap.servers"))
    return Refused("Option 'kafka.bootstrap.servers' must be specified for configuring Kafka consumer");
  return {};
}

KafkaProperties PropertiesOf(const Options& options) {
  KafkaProperties properties;
  for (const auto& [key, value] : options) {
    if (key.starts_with("kafka.")) properties[key.substr(6)] = value;
  }
  return properties;
}

}  // namespace

std::string KafkaSubscription::Text() const {
  switch (kind) {
    case Kind::kTopics:
      return "Subscribe[" + Join(topics, ", ") + "]";
    case Kind::kPattern:
      return "SubscribePattern[" + pattern + "]";
    case Kind::kPartitions: {
      std::vector<std::string> texts;
      for (const auto& partition : partitions) texts.push_back(partition.Text());
      return "Assign[" + Join(texts, ", ") + "]";
    }
  }
  return "";
}

Result<KafkaReadOptions> ReadKafkaOptions(const std::map<std::string, std::string>& options, bool is_stream) {
  KafkaReadOptions read;
  if (is_stream && options.contains("endingoffsets")) return Refused("ending offset not valid in streaming queries");
  if (is_stream && options.contains("endingoffsetsbytimestamp"))
    return Refused("ending timestamp not valid in streaming queries");
  if (const auto* strategy = Find(options, "startingoffsetsbytimestampstrategy"); strategy != nullptr) {
    read.latest_where_no_match = EqualsIgnoreCase(*strategy, "latest");
    if (!read.latest_where_no_match && !EqualsIgnoreCase(*strategy, "error"))
      return Error::Plain(ExceptionClass::kNoSuchElement, "No value found for '" + AsciiUpper(*strategy) + "'");
  }
  FRAZIL_ASSIGN_OR_RETURN(
      read.starting,
      LimitOption(options, "starting", is_stream ? OffsetLimit::Kind::kLatest : OffsetLimit::Kind::kEarliest));
  if (!is_stream) {
    FRAZIL_ASSIGN_OR_RETURN(read.ending, LimitOption(options, "ending", OffsetLimit::Kind::kLatest));
    FRAZIL_RETURN_IF_ERROR(CheckBatchLimits(read.starting, read.ending));
  }
  FRAZIL_ASSIGN_OR_RETURN(read.subscription, SubscriptionOption(options));
  FRAZIL_RETURN_IF_ERROR(CheckPositive(options, "minpartitions", "minPartitions"));
  FRAZIL_RETURN_IF_ERROR(CheckPositive(options, "maxrecordsperpartition", "maxrecordsperpartition"));
  FRAZIL_RETURN_IF_ERROR(CheckConsumer(options));
  FRAZIL_ASSIGN_OR_RETURN(read.max_offsets_per_trigger, NumberOption(options, "maxoffsetspertrigger"));
  FRAZIL_ASSIGN_OR_RETURN(read.min_offsets_per_trigger, NumberOption(options, "minoffsetspertrigger"));
  if (read.max_offsets_per_trigger && read.min_offsets_per_trigger &&
      *read.min_offsets_per_trigger > *read.max_offsets_per_trigger) {
    return Refused("The value of minOffsetPerTrigger(" + std::to_string(*read.min_offsets_per_trigger) +
                   ") is higher than the maxOffsetsPerTrigger(" + std::to_string(*read.max_offsets_per_trigger) + ").");
  }
  constexpr int64_t kMaxTriggerDelayMs = 15 * 60'000;
  FRAZIL_ASSIGN_OR_RETURN(read.max_trigger_delay_ms, TimeOption(options, "maxtriggerdelay", kMaxTriggerDelayMs));
  FRAZIL_ASSIGN_OR_RETURN(read.fail_on_data_loss, BooleanOption(options, "failondataloss", true));
  FRAZIL_ASSIGN_OR_RETURN(read.include_headers, BooleanOption(options, "includeheaders", false));
  FRAZIL_ASSIGN_OR_RETURN(read.offset_tries, NumberOr(options, "fetchoffset.numretries", read.offset_tries));
  FRAZIL_ASSIGN_OR_RETURN(read.offset_retry_ms, NumberOr(options, "fetchoffset.retryintervalms", read.offset_retry_ms));
  FRAZIL_ASSIGN_OR_RETURN(read.poll_timeout_ms, NumberOr(options, "kafkaconsumer.polltimeoutms", read.poll_timeout_ms));
  if (!is_stream) FRAZIL_RETURN_IF_ERROR(CheckOrder(read.starting, read.ending));
  read.properties = PropertiesOf(options);
  // Refused when the source is described, not when it is read.
  FRAZIL_RETURN_IF_ERROR(NativeProperties(read.properties).status());
  return read;
}

Result<KafkaProperties> ReadKafkaProducer(const std::map<std::string, std::string>& options) {
  if (options.contains("kafka.key.serializer"))
    return Refused("Kafka option 'key.serializer' is not supported as keys are serialized with ByteArraySerializer.");
  if (options.contains("kafka.value.serializer")) {
    return Refused(
        "Kafka option 'value.serializer' is not supported as value are serialized with ByteArraySerializer.");
  }
  KafkaProperties properties = PropertiesOf(options);
  // A transaction would have to be begun, which Spark's sink does not do.
  if (properties.contains("transactional.id")) return Error::Unsupported("Kafka option 'transactional.id'");
  FRAZIL_RETURN_IF_ERROR(NativeProperties(properties).status());
  return properties;
}

}  // namespace frazil::tables
