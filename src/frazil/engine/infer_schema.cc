#include "frazil/engine/infer_schema.h"

#include "frazil/base/text.h"
#include "frazil/engine/duckdb_engine.h"
#include "frazil/engine/statement_state.h"

namespace frazil::engine {

namespace {

std::string FormatName(tables::FileFormat format) {
  if (format == tables::FileFormat::kOrc) return "orc";
  return format == tables::FileFormat::kAvro ? "avro" : "parquet";
}

}  // namespace

Result<DataTypePtr> DuckDbEngine::InferSchema(const std::string& format, const std::vector<std::string>& paths,
                                              const std::map<std::string, std::string>& options,
                                              const ExecutionContext& context) {
  const std::string name = AsciiLower(format);
  if (name == "text") return DataType::Struct({{"value", DataType::String()}});
  if (name == "binaryfile") {
    return DataType::Struct({{"path", DataType::String()},
                             {"modificationTime", DataType::Timestamp()},
                             {"length", DataType::Long()},
                             {"content", DataType::Binary()}});
  }
  try {
    const auto database = Database();
    duckdb::Connection connection(*database);
    auto state = duckdb::make_shared_ptr<StatementState>();
    state->context = context;
    connection.context->registered_state->Insert(StatementState::kKey, state);
    for (const auto columnar : {tables::FileFormat::kParquet, tables::FileFormat::kOrc, tables::FileFormat::kAvro}) {
      if (name == FormatName(columnar))
        return InferColumnarSchema(connection, columnar, paths, options, context.settings, context.cancel.get());
    }
    if (name == "csv") return InferCsvSchema(connection, paths, options, context.settings, context.cancel.get());
    if (name == "json") return InferJsonSchema(connection, paths, options, context.settings, context.cancel.get());
  } catch (const std::exception& exception) {
    return ErrorFromException(exception);
  }
  return Error::Unsupported("schema inference for the format " + format);
}

}  // namespace frazil::engine
