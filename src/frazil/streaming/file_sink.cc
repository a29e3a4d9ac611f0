// A folder of files as a sink: files of a batch count from the moment when the folder's log has them.
// Source: FileStreamSink and ManifestFileCommitProtocol of Spark.

#include "frazil/analysis/analyzer.h"
#include "frazil/analysis/dml/store_assignment.h"
#include "frazil/base/clock.h"
#include "frazil/base/text.h"
#include "frazil/commands/table_definition.h"
#include "frazil/commands/table_writer.h"
#include "frazil/streaming/sink.h"
#include "frazil/tables/files/batch_file_log.h"
#include "frazil/tables/files/file_table.h"

namespace frazil::streaming {
namespace {

class FileSink : public Sink {
 public:
  FileSink(std::string path, storage::ObjectStorePtr store, std::unique_ptr<tables::FileTable> table,
           std::map<std::string, std::string> options, std::vector<std::string> table_name)
      : path_(std::move(path)),
        store_(std::move(store)),
        table_(std::move(table)),
        options_(std::move(options)),
        log_(*store_, storage::JoinPath(path_, tables::kSinkLogFolder)),
        table_name_(std::move(table_name)) {}

  std::string description() const override {
    return "FileSink[" + std::string(storage::SchemeOf(path_).empty() ? "file:" : "") + path_ + "]";
  }

  Result<std::optional<int64_t>> AddBatch(const Batch& batch, commands::CommandContext& context) override {
    FRAZIL_ASSIGN_OR_RETURN(auto last, log_.Latest());
    if (last && *last >= batch.id) return std::optional<int64_t>();
    if (!table_name_.empty()) FRAZIL_RETURN_IF_ERROR(analysis::ResolveTable(table_name_, context).status());
    tables::WriteOptions options;
    options.options = options_;
    FRAZIL_ASSIGN_OR_RETURN(auto write, table_->StartWrite(options));
    // Files get their place and name at once; readers see them when the log has them.
    tables::WriteTask task = write->task();
    task.location = path_;
    analysis::InsertShape shape;
    shape.table = {QuoteIdentifier(std::vector{table_->provider(), path_})};
    shape.table_schema = table_->schema();
    shape.by_name = true;
    FRAZIL_ASSIGN_OR_RETURN(auto rows, analysis::ShapeForTable(batch.rows, shape, context));
    FRAZIL_ASSIGN_OR_RETURN(auto files, commands::WriteFiles(rows, *write, task, context));
    write->Abort();
    std::vector<std::string> entries;
    int64_t count = 0;
    for (const auto& file : files) {
      FRAZIL_RETURN_IF_ERROR(store_->Sync(file.path));
      entries.push_back(tables::SinkLogEntry(file.path, file.size, NowMicros() / 1000));
      count += file.record_count;
    }
    FRAZIL_ASSIGN_OR_RETURN(bool added, log_.Add(batch.id, entries));
    if (!added)
      return Error::Of(ExceptionClass::kSpark, "CONCURRENT_STREAM_LOG_UPDATE", {{"batchId", std::to_string(batch.id)}});
    return std::optional<int64_t>(count);
  }

 private:
  const std::string path_;
  const storage::ObjectStorePtr store_;
  const std::unique_ptr<tables::FileTable> table_;
  const std::map<std::string, std::string> options_;
  tables::BatchFileLog log_;
  const std::vector<std::string> table_name_;
};

}  // namespace

Result<std::unique_ptr<Sink>> MakeFileSink(const StreamWrite& write, const std::string& format, OutputMode mode,
                                           const DataTypePtr& schema, const std::string& path,
                                           const std::vector<std::string>& table_name,
                                           commands::CommandContext& context) {
  if (mode != OutputMode::kAppend) return UnsupportedMode(format, mode);
  tables::TableDefinition definition;
  definition.schema = schema;
  definition.provider = format;
  definition.location = path;
  for (const auto& column : write.partition_columns) {
    const int index = schema->FieldIndex(column);
    if (index < 0) {
      return Error::Of("_LEGACY_ERROR_TEMP_1155", {{"col", column}, {"schemaCatalog", schema->SimpleString()}});
    }
    tables::PartitionField field;
    field.source = {schema->fields()[static_cast<size_t>(index)].name};
    definition.partitioning.push_back(std::move(field));
  }
  if (!definition.partitioning.empty() && definition.partitioning.size() == schema->fields().size())
    return Error::Of("ALL_PARTITION_COLUMNS_NOT_ALLOWED");
  FRAZIL_RETURN_IF_ERROR(commands::CheckNamesDiffer(*schema));
  if (format == "text" && schema->fields().size() - definition.partitioning.size() != 1) {
    return Error::Plain(ExceptionClass::kAnalysis, "Text data source supports only a single column, and you have " +
                                                       std::to_string(schema->fields().size()) + " columns.");
  }
  FRAZIL_ASSIGN_OR_RETURN(auto store, context.stores().StoreFor(path, context.execution().store_settings));
  auto table =
      std::make_unique<tables::FileTable>(tables::TableContext{store, context.execution().store_settings, path},
                                          definition, *tables::FileFormatByName(format));
  if (!table->capabilities().write) {
    return Error::Unsupported("Writing streams as " + format);
  }
  auto options = commands::LowerKeys(write.options);
  for (const char* key : {"path", "checkpointlocation"}) options.erase(key);
  return std::unique_ptr<Sink>(
      std::make_unique<FileSink>(path, std::move(store), std::move(table), std::move(options), table_name));
}

}  // namespace frazil::streaming
