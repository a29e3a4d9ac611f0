#pragma once

// Topics of Kafka as tables: spark.read.format("kafka"), df.write.format("kafka"), and what streams share with them.

#include <cstdint>
#include <memory>

#include "frazil/commands/command_context.h"
#include "frazil/tables/kafka/kafka_reader.h"
#include "frazil/tables/kafka/kafka_writer.h"

namespace frazil::commands {

/// What a read of Kafka is told of a stop of the statement.
tables::ReadWatch KafkaWatch(const CommandContext& context);

Result<analysis::OpenedDataSource> OpenKafka(const plan::DataSourcePlan& source, CommandContext& context);

/// Writes the rows of a query. How many there were.
Result<int64_t> WriteToKafka(tables::KafkaWriter& writer, const plan::LogicalPlanPtr& query, CommandContext& context);

/// df.write.format("kafka").save().
Result<RowSet> SaveToKafka(const plan::WriteCommand& command, const plan::LogicalPlanPtr& query,
                           CommandContext& context);

}  // namespace frazil::commands
