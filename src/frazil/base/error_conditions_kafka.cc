#include "frazil/base/error_conditions_internal.h"

namespace frazil::error_conditions {
namespace {

using enum ExceptionClass;

// Conditions of Spark's Kafka connector, most of which have no SQLSTATE. Source: apache/spark,
// connector/kafka-0-10-sql/src/main/resources/error/kafka-error-conditions.json.
constexpr ErrorCondition kTable[] = {
    {"KAFKA_DATA_LOSS.ADDED_PARTITION_DOES_NOT_START_FROM_OFFSET_ZERO", "22000",
     "Some data may have been lost because they are not available in Kafka any more;\neither the data was aged out by "
     "Kafka or the topic may have been deleted before all the data in the\ntopic was processed.\nIf you don't want "
     "your streaming query to fail on such cases, set the source option failOnDataLoss to false.\nReason: Added "
     "partition <topicPartition> starts from <startOffset> instead of 0.",
     kSparkRuntime},
    {"KAFKA_DATA_LOSS.COULD_NOT_READ_OFFSET_RANGE", "22000",
     "Some data may have been lost because they are not available in Kafka any more;\neither the data was aged out by "
     "Kafka or the topic may have been deleted before all the data in the\ntopic was processed.\nIf you don't want "
     "your streaming query to fail on such cases, set the source option failOnDataLoss to false.\nReason: Could not "
     "read records in offset [<startOffset>, <endOffset>) for topic partition <topicPartition>\nwith consumer group "
     "<groupId>.",
     kSparkRuntime},
    {"KAFKA_DATA_LOSS.INITIAL_OFFSET_NOT_FOUND_FOR_PARTITIONS", "22000",
     "Some data may have been lost because they are not available in Kafka any more;\neither the data was aged out by "
     "Kafka or the topic may have been deleted before all the data in the\ntopic was processed.\nIf you don't want "
     "your streaming query to fail on such cases, set the source option failOnDataLoss to false.\nReason: Cannot find "
     "initial offsets for partitions <partitions>. They may have been deleted.",
     kSparkRuntime},
    {"KAFKA_DATA_LOSS.PARTITIONS_DELETED", "22000",
     "Some data may have been lost because they are not available in Kafka any more;\neither the data was aged out by "
     "Kafka or the topic may have been deleted before all the data in the\ntopic was processed.\nIf you don't want "
     "your streaming query to fail on such cases, set the source option failOnDataLoss to false.\nReason: Partitions "
     "<partitions> have been deleted.",
     kSparkRuntime},
    {"KAFKA_DATA_LOSS.PARTITIONS_DELETED_AND_GROUP_ID_CONFIG_PRESENT", "22000",
     "Some data may have been lost because they are not available in Kafka any more;\neither the data was aged out by "
     "Kafka or the topic may have been deleted before all the data in the\ntopic was processed.\nIf you don't want "
     "your streaming query to fail on such cases, set the source option failOnDataLoss to false.\nReason: Partitions "
     "<partitions> have been deleted.\nKafka option 'kafka.<groupIdConfig>' has been set on this query, it is\nnot "
     "recommended to set this option. This option is unsafe to use since multiple concurrent\nqueries or sources using "
     "the same group id will interfere with each other as they are part\nof the same consumer group. Restarted queries "
     "may also suffer interference from the\nprevious run having the same group id. The user should have only one "
     "query "
     "per group id,\nand/or set the option 'kafka.session.timeout.ms' to be very small so that the Kafka\nconsumers "
     "from the previous query are marked dead by the Kafka group coordinator before the\nrestarted query starts "
     "running.",
     kSparkRuntime},
    {"KAFKA_DATA_LOSS.PARTITION_OFFSET_CHANGED", "22000",
     "Some data may have been lost because they are not available in Kafka any more;\neither the data was aged out by "
     "Kafka or the topic may have been deleted before all the data in the\ntopic was processed.\nIf you don't want "
     "your streaming query to fail on such cases, set the source option failOnDataLoss to false.\nReason: Partition "
     "<topicPartition> offset was changed from <prevOffset> to <newOffset>.\nThis could either be a user error that "
     "the start offset is set too high and this is the first batch, or the kafka topic-partition is broken, and some "
     "data may have been missed.",
     kSparkRuntime},
    {"KAFKA_NULL_TOPIC_IN_DATA", "",
     "The Kafka message data sent to the producer contains a null topic. Use the `topic` option for setting a default "
     "topic.",
     kSparkRuntime},
    {"KAFKA_START_OFFSET_DOES_NOT_MATCH_ASSIGNED", "",
     "Partitions specified for Kafka start offsets don't match what are assigned. Maybe topic partitions are created "
     "\nor deleted while the query is running. Use -1 for latest, -2 for earliest.\nSpecified: <specifiedPartitions> "
     "Assigned: <assignedPartitions>",
     kSparkRuntime},
    {"KAFKA_TIMESTAMP_OFFSET_DOES_NOT_MATCH_ASSIGNED", "",
     "Partitions specified for Kafka timestamp based <position> offsets don't match what are assigned. Maybe topic "
     "partitions are created \nor deleted while the query is running, or you didn't specify all the "
     "partitions.\nSpecified: <specifiedPartitions> Assigned: <assignedPartitions>",
     kSparkRuntime},
    {"MISMATCHED_TOPIC_PARTITIONS_BETWEEN_START_OFFSET_AND_END_OFFSET", "",
     "The specified start offset and end offset should have the same topic-partitions.\nTopic-partitions for start "
     "offset: <tpsForStartOffset>, topic-partitions for end offset: <tpsForEndOffset>.",
     kSparkRuntime},
    {"RESOLVED_START_OFFSET_GREATER_THAN_END_OFFSET", "",
     "The resolved start offset <startOffset> is greater than the resolved end offset <endOffset> for topic <topic> "
     "partition <partition>.\nThere may be multiple reasons:\n1. Start offset is set to too big a value that after "
     "resolution, end offset is smaller than it. There are multiple input cases:\n  (a) Start offset is set to a "
     "timestamp, and the end offset is set to an index.\n  (b) Start offset is set to an index, and the end offset is "
     "set to a timestamp.\n  (c) Start offset is set, and the end offset is set to latest.\n2. The Kafka topic "
     "partition is broken.",
     kSparkRuntime},
    {"UNRESOLVED_START_OFFSET_GREATER_THAN_END_OFFSET", "",
     "The specified start offset <startOffset> is greater than the end offset <endOffset> for topic <topic> partition "
     "<partition>.",
     kSparkRuntime},
    {"UNRESOLVED_START_TIMESTAMP_GREATER_THAN_END_TIMESTAMP", "",
     "The specified start timestamp <startTimestamp> is greater than the end timestamp <endTimestamp> for topic "
     "<topic> partition <partition>.",
     kSparkRuntime},
};
static_assert(IsSorted(kTable));

}  // namespace

std::span<const ErrorCondition> Kafka() { return kTable; }

}  // namespace frazil::error_conditions
