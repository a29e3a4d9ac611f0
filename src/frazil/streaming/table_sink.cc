// Iceberg and Delta tables as sinks. That a batch is written once follows from the table: Iceberg's snapshots name the
// query and the batch in their summaries, Delta's commits have an action txn.

#include <algorithm>

#include "frazil/analysis/analyzer.h"
#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/commands/run_command.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/commands/table_definition.h"
#include "frazil/commands/table_writer.h"
#include "frazil/sql/parser.h"
#include "frazil/storage/folder.h"
#include "frazil/streaming/sink.h"
#include "frazil/tables/files/file_table.h"
#include "frazil/tables/format_names.h"

namespace frazil::streaming {
namespace {

// Iceberg's SparkWrite.
constexpr const char* kQueryIdProperty = "spark.sql.streaming.queryId";
constexpr const char* kEpochIdProperty = "spark.sql.streaming.epochId";

/// The value of a key in a map of texts; empty where it is missing.
std::string Entry(const Value& map, const std::string& key) {
  const auto& items = map.list();
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i].string() == key) return items[i + 1].string();
  }
  return {};
}

/// The last batch of a query that an Iceberg table (or a branch of it) has.
/// Source: SparkWrite.findLastCommittedEpochId, which goes from the newest snapshot back.
Result<std::optional<int64_t>> LastCommittedBatch(const tables::Table& table, const std::string& branch,
                                                  const std::string& query_id) {
  const auto rows_of = [&](const char* name) -> Result<std::shared_ptr<const RowSet>> {
    FRAZIL_ASSIGN_OR_RETURN(auto metadata, table.MetadataTable(name));
    FRAZIL_ASSIGN_OR_RETURN(auto scan, metadata->Scan({}));
    return scan->Rows();
  };
  FRAZIL_ASSIGN_OR_RETURN(auto references, rows_of("refs"));
  const auto column = [](const RowSet& rows, const char* name) {
    return static_cast<size_t>(rows.schema->FieldIndex(name));
  };
  std::optional<int64_t> current;
  for (const auto& row : references->rows) {
    if (row[column(*references, "name")].string() == branch)
      current = row[column(*references, "snapshot_id")].integer();
  }
  FRAZIL_ASSIGN_OR_RETURN(auto snapshots, rows_of("snapshots"));
  std::map<int64_t, const std::vector<Value>*> by_id;
  for (const auto& row : snapshots->rows) by_id[row[column(*snapshots, "snapshot_id")].integer()] = &row;
  for (size_t seen = 0; current && seen <= by_id.size(); ++seen) {
    const auto found = by_id.find(*current);
    if (found == by_id.end()) break;
    const auto& row = *found->second;
    const Value& summary = row[column(*snapshots, "summary")];
    if (!summary.is_null() && Entry(summary, kQueryIdProperty) == query_id)
      return ParseInteger<int64_t>(Entry(summary, kEpochIdProperty));
    const Value& parent = row[column(*snapshots, "parent_id")];
    current = parent.is_null() ? std::nullopt : std::optional<int64_t>(parent.integer());
  }
  return std::optional<int64_t>();
}

class TableSink : public Sink {
 public:
  /// `name`: a table of a catalog; else `path`.
  TableSink(StreamWrite write, std::string format, std::vector<std::string> name, std::string path)
      : write_(std::move(write)), format_(std::move(format)), name_(std::move(name)), path_(std::move(path)) {
    write_.options.erase("path");
    write_.options.erase("checkpointLocation");
    write_.options.erase("checkpointlocation");
  }

  std::string description() const override {
    return name_.empty() ? (format_ == "delta" ? "DeltaSink[" + path_ + "]" : format_ + "[" + path_ + "]")
                         : Join(name_, ".");
  }

  Result<std::optional<int64_t>> AddBatch(const Batch& batch, commands::CommandContext& context) override {
    tables::WriteOptions options;
    options.operation = "append";
    options.options = commands::LowerKeys(write_.options);
    // Of a table and of its own kind each takes what it knows.
    options.options["txnappid"] = batch.query_id;
    options.options["txnversion"] = std::to_string(batch.id);
    options.summary[kQueryIdProperty] = batch.query_id;
    options.summary[kEpochIdProperty] = std::to_string(batch.id);
    if (batch.mode == OutputMode::kComplete) {
      options.mode = tables::WriteMode::kOverwriteByFilter;
      options.filter = Predicate::True();
    }
    analysis::ResolvedTable table;
    if (!name_.empty()) {
      FRAZIL_ASSIGN_OR_RETURN(table, analysis::ResolveTable(name_, context));
    } else {
      auto opened = context.OpenPathTable(format_, path_);
      if (!opened.ok() && opened.error().condition != "TABLE_OR_VIEW_NOT_FOUND") return std::move(opened).error();
      const auto format = context.formats().Find(format_);
      if (!opened.ok() && format->creates_at_path()) return CreateWith(batch, std::move(options.options), context);
      if (!opened.ok()) return std::move(opened).error();
      table.table = opened->table;
      table.full_name = {format_, path_};
    }
    if (table.table->provider() == "iceberg") {
      const auto branch = options.options.find("branch");
      FRAZIL_ASSIGN_OR_RETURN(
          auto last,
          LastCommittedBatch(*table.table, branch == options.options.end() ? "main" : branch->second, batch.query_id));
      if (last && *last >= batch.id) return std::optional<int64_t>();
    }
    FRAZIL_RETURN_IF_ERROR(
        commands::WriteInto(table, batch.rows, std::move(options), true, context, write_.partition_columns));
    return std::optional<int64_t>();
  }

 private:
  /// The first batch into a folder makes the table.
  Result<std::optional<int64_t>> CreateWith(const Batch& batch, std::map<std::string, std::string> options,
                                            commands::CommandContext& context) {
    const std::string relation = context.PutCachedRelation({batch.rows});
    auto input = std::make_shared<plan::CachedRelationPlan>();
    input->relation_id = relation;
    plan::WriteCommand command;
    command.input = std::move(input);
    command.format = format_;
    command.mode = plan::WriteCommand::Mode::kAppend;
    command.path = path_;
    command.partition_columns = write_.partition_columns;
    command.clustering_columns = write_.clustering_columns;
    command.options = std::move(options);
    auto written = commands::RunCommand(command, context);
    context.DropCachedRelation(relation);
    FRAZIL_RETURN_IF_ERROR(written.status());
    return std::optional<int64_t>();
  }

  StreamWrite write_;
  const std::string format_;
  const std::vector<std::string> name_;
  const std::string path_;
};

Error UnsupportedTableMode(const std::string& provider, const std::string& name, OutputMode mode) {
  if (provider != "delta") return UnsupportedMode(name, mode);
  return Error::Of(
      "DELTA_UNSUPPORTED_OUTPUT_MODE",
      {{"dataSource", "org.apache.spark.sql.delta.sources.DeltaDataSource"}, {"mode", OutputModeName(mode)}});
}

/// toTable where there is no such table.
Status CreateTable(const analysis::ResolvedIdentifier& name, const StreamWrite& write, const DataTypePtr& schema,
                   commands::CommandContext& context) {
  commands::DefinitionClauses clauses;
  clauses.full_name = catalogs::FullName(*name.catalog, name.identifier);
  clauses.schema = AsNullable(schema);
  if (!write.format.empty()) clauses.provider = write.format;
  clauses.location = write.path;
  for (const auto& column : write.partition_columns) {
    plan::PartitionTransform transform;
    FRAZIL_ASSIGN_OR_RETURN(transform.column, sql::ParseMultipartIdentifier(column, context.parser_options()));
    clauses.partitioning.push_back(std::move(transform));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto definition, commands::MakeDefinition(clauses, *name.catalog, context));
  for (const auto& column : write.clustering_columns) definition.clustering_columns.push_back({column});
  auto created = name.catalog->CreateTable(name.identifier, definition);
  if (!created.ok() && created.error().condition == "TABLE_OR_VIEW_ALREADY_EXISTS") return {};
  return created.status();
}

}  // namespace

Result<std::unique_ptr<Sink>> MakeTableSink(const StreamWrite& write, OutputMode mode, const DataTypePtr& schema,
                                            commands::CommandContext& context) {
  std::string format = tables::ShortFormatName(write.format);
  std::vector<std::string> name;
  std::string path;
  if (!write.table_name.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(name, sql::ParseMultipartIdentifier(write.table_name, context.parser_options()));
  } else {
    const auto options = commands::LowerKeys(write.options);
    const auto option = options.find("path");
    path = write.path.value_or(option == options.end() ? "" : option->second);
    if (path.empty()) return Error::Of("_LEGACY_ERROR_TEMP_2047");
    path = storage::FolderOf(path);
    if (path.find('/') == std::string::npos) {
      FRAZIL_ASSIGN_OR_RETURN(name, sql::ParseMultipartIdentifier(path, context.parser_options()));
    }
  }
  if (name.empty()) {
    if (mode == OutputMode::kUpdate) return UnsupportedTableMode(format, format, mode);
    return std::unique_ptr<Sink>(std::make_unique<TableSink>(write, format, name, path));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto resolved, commands::ResolveParts(name, context));
  FRAZIL_ASSIGN_OR_RETURN(bool exists, resolved.catalog->TableExists(resolved.identifier));
  if (!exists && !write.table_name.empty()) {
    FRAZIL_RETURN_IF_ERROR(CreateTable(resolved, write, schema, context));
    context.ForgetTables();
  }
  FRAZIL_ASSIGN_OR_RETURN(auto table, analysis::ResolveTable(name, context));
  const std::string provider = table.table->provider();
  if (!write.format.empty() && exists && !write.table_name.empty() && !EqualsIgnoreCase(format, provider)) {
    return Error::Plain(ExceptionClass::kAnalysis, "The input source(" + write.format +
                                                       ") is different from the table " + Join(name, ".") +
                                                       "'s data source provider(" + provider + ").");
  }
  if (tables::FileFormatByName(provider))
    return MakeFileSink(write, provider, mode, schema, storage::FolderOf(table.table->location()), name, context);
  if (mode == OutputMode::kUpdate) return UnsupportedTableMode(provider, Join(table.full_name, "."), mode);
  return std::unique_ptr<Sink>(std::make_unique<TableSink>(write, provider, table.full_name, ""));
}

}  // namespace frazil::streaming
