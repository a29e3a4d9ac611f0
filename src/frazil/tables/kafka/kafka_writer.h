#pragma once

// Rows written to topics of Kafka.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "frazil/base/result.h"
#include "frazil/tables/kafka/kafka_options.h"
#include "frazil/tables/partitioned_rows.h"
#include "frazil/types/arrow_c.h"

namespace frazil::tables {

class KafkaHandle;
class StopFlag;

class KafkaWriter {
 public:
  /// `options`: keys in lower case. `schema`: of the rows, whose columns topic, key, value, headers and partition are
  /// written. Errors: columns that are missing or of other types, options without meaning.
  static Result<std::unique_ptr<KafkaWriter>> Open(const std::map<std::string, std::string>& options,
                                                   const DataTypePtr& schema);
  ~KafkaWriter();
  KafkaWriter(const KafkaWriter&) = delete;
  KafkaWriter& operator=(const KafkaWriter&) = delete;

  /// Hands the rows to the client, which sends them by and by.
  Status Write(const ArrowBatch& rows, const ReadWatch& watch);
  /// Waits until all rows are written. Error: the first one that could not be.
  Status Flush(const ReadWatch& watch);

 private:
  struct Columns {
    std::optional<size_t> topic, key, value, headers, partition;
  };
  struct Row;

  KafkaWriter() = default;
  static Result<Columns> FindColumns(const DataType& schema, bool has_topic);
  Status Send(const Row& row, const StopFlag& stop);

  DataTypePtr schema_;
  std::optional<std::string> topic_;  ///< The option, which comes before the column.
  Columns columns_;
  std::unique_ptr<KafkaHandle> client_;
};

}  // namespace frazil::tables
