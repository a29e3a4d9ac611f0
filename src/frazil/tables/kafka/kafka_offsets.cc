#include "frazil/tables/kafka/kafka_offsets.h"

#include "frazil/base/integer_text.h"
#include "frazil/base/json.h"

namespace frazil::tables {

std::string TopicPartition::Text() const { return topic + "-" + std::to_string(partition); }

std::string OffsetsJson(const PartitionOffsets& offsets) {
  std::string json = "{";
  const std::string* topic = nullptr;
  for (const auto& [place, offset] : offsets) {
    if (topic == nullptr || *topic != place.topic) {
      json += (topic == nullptr ? "" : "},") + JsonString(place.topic) + ":{";
    } else {
      json += ',';
    }
    topic = &place.topic;
    json += "\"" + std::to_string(place.partition) + "\":" + std::to_string(offset);
  }
  return json + (topic == nullptr ? "}" : "}}");
}

std::optional<PartitionOffsets> ParseOffsets(std::string_view json) {
  const auto parsed = ParseJson(json);
  if (!parsed.ok() || parsed->kind != JsonValue::Kind::kObject) return std::nullopt;
  PartitionOffsets offsets;
  for (const auto& [topic, partitions] : parsed->members) {
    if (partitions.kind != JsonValue::Kind::kObject) return std::nullopt;
    for (const auto& [name, value] : partitions.members) {
      const auto partition = ParseInteger<int32_t>(name);
      const auto offset =
          value.kind == JsonValue::Kind::kNumber ? ParseInteger<int64_t>(value.text) : std::optional<int64_t>();
      if (!partition || !offset) return std::nullopt;
      offsets[{topic, *partition}] = *offset;
    }
  }
  return offsets;
}

std::optional<std::set<TopicPartition>> ParsePartitions(std::string_view json) {
  const auto parsed = ParseJson(json);
  if (!parsed.ok() || parsed->kind != JsonValue::Kind::kObject) return std::nullopt;
  std::set<TopicPartition> partitions;
  for (const auto& [topic, list] : parsed->members) {
    if (list.kind != JsonValue::Kind::kArray) return std::nullopt;
    for (const auto& item : list.items) {
      const auto partition =
          item.kind == JsonValue::Kind::kNumber ? ParseInteger<int32_t>(item.text) : std::optional<int32_t>();
      if (!partition) return std::nullopt;
      partitions.insert({topic, *partition});
    }
  }
  return partitions;
}

std::set<TopicPartition> PartitionsOf(const PartitionOffsets& offsets) {
  std::set<TopicPartition> partitions;
  for (const auto& [partition, offset] : offsets) partitions.insert(partition);
  return partitions;
}

std::string PartitionsText(const std::set<TopicPartition>& partitions) {
  std::string text;
  for (const auto& partition : partitions) text += (text.empty() ? "" : ", ") + partition.Text();
  return "Set(" + text + ")";
}

}  // namespace frazil::tables
