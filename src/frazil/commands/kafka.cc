#include "frazil/commands/kafka.h"

#include "frazil/base/text.h"
#include "frazil/commands/python_data_source.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/commands/table_writer.h"
#include "frazil/sql/parser.h"

namespace frazil::commands {
namespace {

/// A schema that the user gives may only say what the columns are anyway.
Status CheckSchema(const plan::DataSourcePlan& source, const DataType& schema, CommandContext& context) {
  if (source.schema.empty()) return {};
  DataTypePtr given;
  if (source.schema.starts_with('{')) {
    FRAZIL_ASSIGN_OR_RETURN(given, DataType::FromJson(source.schema));
  } else {
    FRAZIL_ASSIGN_OR_RETURN(given, sql::ParseTableSchema(source.schema, context.parser_options()));
  }
  if (given->EqualsIgnoreNullability(schema)) return {};
  return Error::Of("_LEGACY_ERROR_TEMP_1133",
                   {{"schema", given->SimpleString()}, {"actualSchema", schema.SimpleString()}});
}

}  // namespace

tables::ReadWatch KafkaWatch(const CommandContext& context) { return WatchOf(context); }

Result<analysis::OpenedDataSource> OpenKafka(const plan::DataSourcePlan& source, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto options, tables::ReadKafkaOptions(LowerKeys(source.options), false));
  auto scan = tables::MakeKafkaScan(std::make_shared<tables::KafkaReader>(std::move(options)));
  FRAZIL_RETURN_IF_ERROR(CheckSchema(source, *scan->schema(), context));
  return analysis::OpenedDataSource{std::move(scan), "kafka"};
}

Result<int64_t> WriteToKafka(tables::KafkaWriter& writer, const plan::LogicalPlanPtr& query, CommandContext& context) {
  const auto watch = KafkaWatch(context);
  FRAZIL_ASSIGN_OR_RETURN(auto rows, context.engine().Execute(query, context.execution()));
  int64_t count = 0;
  while (true) {
    FRAZIL_ASSIGN_OR_RETURN(const auto batch, rows->Next());
    if (batch == nullptr) break;
    count += batch->num_rows();
    FRAZIL_RETURN_IF_ERROR(writer.Write(*batch, watch));
  }
  FRAZIL_RETURN_IF_ERROR(writer.Flush(watch));
  return count;
}

Result<RowSet> SaveToKafka(const plan::WriteCommand& command, const plan::LogicalPlanPtr& query,
                           CommandContext& context) {
  using Mode = plan::WriteCommand::Mode;
  if (command.mode == Mode::kOverwrite || command.mode == Mode::kIgnore) {
    return Error::Of("_LEGACY_ERROR_TEMP_3081", {{"mode", command.mode == Mode::kIgnore ? "Ignore" : "Overwrite"},
                                                 {"append", "Append"},
                                                 {"errorIfExists", "ErrorIfExists"}});
  }
  FRAZIL_ASSIGN_OR_RETURN(auto writer,
                          tables::KafkaWriter::Open(LowerKeys(command.options), plan::OutputSchema(*query)));
  FRAZIL_RETURN_IF_ERROR(WriteToKafka(*writer, query, context).status());
  return NoRows();
}

}  // namespace frazil::commands
