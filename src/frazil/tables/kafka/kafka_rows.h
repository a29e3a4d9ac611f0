#pragma once

// Records of Kafka as rows. Only the files of this folder include it.

#include <cstdint>
#include <librdkafka/rdkafka.h>
#include <memory>

#include "frazil/tables/arrow_column.h"
#include "frazil/tables/kafka/kafka_offsets.h"
#include "frazil/types/arrow_c.h"

namespace frazil::tables {

/// Gathers records as Arrow batches, with the columns of KafkaSchema.
class KafkaRows {
 public:
  explicit KafkaRows(bool include_headers);
  void Append(const rd_kafka_message_t& record, const TopicPartition& partition);
  ArrowTablePtr Finish();

 private:
  void AppendHeaders(const rd_kafka_message_t& record, ArrowColumnBuilder* headers);
  void EndBatch();

  const bool include_headers_;
  std::shared_ptr<ArrowTable> table_;
  ArrowColumnBuilder rows_;
  int64_t bytes_ = 0;  ///< Of the batch under way.
};

}  // namespace frazil::tables
