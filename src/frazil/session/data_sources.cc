// Opening files and tables by format: spark.read.format(...).load(paths), FROM format.`path`, CREATE TEMPORARY VIEW ...
// USING.

#include "frazil/analysis/analyzer.h"
#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/catalogs/path/path_tables.h"
#include "frazil/commands/kafka.h"
#include "frazil/commands/python_data_source.h"
#include "frazil/commands/table_definition.h"
#include "frazil/functions/text_options.h"
#include "frazil/session/statement_context.h"
#include "frazil/sql/parser.h"
#include "frazil/storage/folder.h"
#include "frazil/storage/object_store.h"
#include "frazil/streaming/source_kinds.h"
#include "frazil/tables/files/avro_options.h"
#include "frazil/tables/files/file_table.h"
#include "frazil/tables/format_names.h"
#include "frazil/tables/pinned_state.h"
#include "frazil/tables/scan_options.h"
#include "frazil/types/datetime.h"

namespace frazil::session {

namespace {

std::map<std::string, std::string> LowerKeys(const plan::Options& options) {
  std::map<std::string, std::string> lower;
  for (const auto& [key, value] : options) lower[AsciiLower(key)] = value;
  return lower;
}

/// Paths of load(...), and those of the options "path" and "paths" (a JSON list).
Result<std::vector<std::string>> PathsOf(const plan::DataSourcePlan& source,
                                         const std::map<std::string, std::string>& options) {
  std::vector<std::string> paths = source.paths;
  if (auto found = options.find("path"); found != options.end()) paths.push_back(found->second);
  if (auto found = options.find("paths"); found != options.end()) {
    auto listed = ParseJson(found->second);
    if (!listed.ok() || listed->kind != JsonValue::Kind::kArray) {
      return Error::Plain(ExceptionClass::kIllegalArgument,
                          "The option paths must be a JSON list of paths: " + found->second);
    }
    for (const auto& item : listed->items) paths.push_back(item.text);
  }
  return paths;
}

/// COLUMN_ALREADY_EXISTS where a struct, at any depth, has two fields of one name.
Status CheckNoDuplicates(const DataType& type, bool case_sensitive) {
  switch (type.id()) {
    case TypeId::kArray:
      return CheckNoDuplicates(*type.element_type(), case_sensitive);
    case TypeId::kMap:
      FRAZIL_RETURN_IF_ERROR(CheckNoDuplicates(*type.key_type(), case_sensitive));
      return CheckNoDuplicates(*type.value_type(), case_sensitive);
    case TypeId::kStruct: {
      FRAZIL_RETURN_IF_ERROR(commands::CheckNamesDiffer(type, case_sensitive));
      for (const auto& field : type.fields()) FRAZIL_RETURN_IF_ERROR(CheckNoDuplicates(*field.type, case_sensitive));
      return {};
    }
    default:
      return {};
  }
}

}  // namespace

bool StatementContext::IsDataSourceName(const std::string& name) const {
  const std::string format = tables::ShortFormatName(name);
  return tables::FileFormatByName(format).has_value() || formats().Find(format) != nullptr;
}

Result<analysis::OpenedDataSource> StatementContext::DescribeStream(const plan::Plan& source, size_t place) {
  return streaming::DescribeSource(source, place, *this);
}

Result<analysis::OpenedDataSource> StatementContext::OpenDataSource(const plan::DataSourcePlan& source) {
  std::string format =
      source.format.empty() ? GetConfig("spark.sql.sources.default").value_or("parquet") : source.format;
  std::string name = tables::ShortFormatName(format);
  if (tables::FileFormatByName(name).has_value()) return OpenFiles(source, name);
  if (auto found = formats().Find(name); found != nullptr && found->self_describing())
    return OpenFormatTable(source, *found);
  if (name == "kafka") return commands::OpenKafka(source, *this);
  if (FindPythonDataSource(format).has_value()) return OpenPythonDataSource(source, format);
  return Error::Of("DATA_SOURCE_NOT_FOUND", {{"provider", format}});
}

Result<analysis::OpenedDataSource> StatementContext::OpenPythonDataSource(const plan::DataSourcePlan& source,
                                                                          const std::string& name) {
  plan::Options options = source.options;
  if (source.paths.size() == 1) options["path"] = source.paths[0];
  if (source.paths.size() > 1) {
    std::string paths;
    for (const auto& path : source.paths) paths += (paths.empty() ? "[" : ",") + JsonString(path);
    options["paths"] = paths + "]";
  }
  FRAZIL_ASSIGN_OR_RETURN(const auto schema, SchemaOf(source));
  FRAZIL_ASSIGN_OR_RETURN(auto instance,
                          commands::MakePythonDataSource(*FindPythonDataSource(name), name, options, schema, *this));
  return analysis::OpenedDataSource{commands::ReadPythonDataSource(std::move(instance)), name};
}

Result<DataTypePtr> StatementContext::SchemaOf(const plan::DataSourcePlan& source) {
  if (source.schema.empty()) return DataTypePtr();
  if (source.schema[0] == '{') return DataType::FromJson(source.schema);
  return sql::ParseTableSchema(source.schema, parser_options());
}

Result<analysis::OpenedDataSource> StatementContext::OpenFormatTable(const plan::DataSourcePlan& source,
                                                                     const tables::TableFormat& format) {
  auto options = LowerKeys(source.options);
  FRAZIL_ASSIGN_OR_RETURN(auto paths, PathsOf(source, options));
  if (paths.size() != 1) {
    return Error::Plain(
        ExceptionClass::kIllegalArgument,
        "The source " + format.name() + " reads exactly one path or table, not " + std::to_string(paths.size()));
  }
  options.erase("path");
  options.erase("paths");
  const bool is_delta = format.name() == "delta";
  if (is_delta && options.contains("versionasof") && options.contains("timestampasof"))
    return Error::Of("DELTA_ONEOF_IN_TIMETRAVEL");
  FRAZIL_ASSIGN_OR_RETURN(auto scan_options, tables::ReadScanOptions(options));
  if (is_delta && !scan_options.reference.empty() && options.contains("versionasof"))
    return Error::Of("DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE", {{"timeTravelKey", "versionAsOf"}});
  if (auto found = scan_options.options.find("timestampasof"); found != scan_options.options.end()) {
    FRAZIL_ASSIGN_OR_RETURN(auto zone, TimeZone::Find(settings().time_zone));
    auto micros = ParseTimestamp(found->second, *zone);
    if (!micros.has_value() && is_delta)
      return Error::Of("DELTA_TIMESTAMP_INVALID", {{"expr", "'" + found->second + "'"}});
    if (!micros.has_value())
      return Error::Of("INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.OPTION", {{"expr", "'" + found->second + "'"}});
    scan_options.timestamp_micros = *micros;
    scan_options.options.erase("timestampasof");
  }
  const std::string& path = paths[0];
  if (path.find('/') == std::string::npos) {
    // A table's name, as Iceberg's source takes it too.
    FRAZIL_ASSIGN_OR_RETURN(auto parts, sql::ParseMultipartIdentifier(path, parser_options()));
    FRAZIL_ASSIGN_OR_RETURN(auto resolved, analysis::ResolveTable(parts, *this));
    FRAZIL_ASSIGN_OR_RETURN(auto scan, resolved.table->Scan(scan_options));
    return analysis::OpenedDataSource{std::move(scan), path};
  }
  FRAZIL_ASSIGN_OR_RETURN(auto opened, OpenPathTable(format.name(), path));
  if (opened.scan.snapshot_id) scan_options.snapshot_id = opened.scan.snapshot_id;
  if (opened.scan.timestamp_micros) scan_options.timestamp_micros = opened.scan.timestamp_micros;
  FRAZIL_ASSIGN_OR_RETURN(auto scan, opened.table->Scan(scan_options));
  return analysis::OpenedDataSource{std::move(scan), path};
}

Result<analysis::AnalysisContext::PathTable> StatementContext::OpenPathTable(const std::string& format_name,
                                                                             const std::string& path) {
  const auto format = formats().Find(tables::ShortFormatName(format_name));
  if (format == nullptr || !format->self_describing()) return PathTable();
  tables::PathReference reference = format->ReadPath(path);
  const std::string folder = storage::FolderOf(reference.folder);
  FRAZIL_ASSIGN_OR_RETURN(auto store, stores().StoreFor(folder, execution().store_settings));
  tables::TableContext context{store, execution().store_settings, folder};
  auto commit_point = format->PathCommitPoint(context, folder);
  FRAZIL_ASSIGN_OR_RETURN(auto current, commit_point->Current());
  if (!current.has_value()) {
    return Error::Of("TABLE_OR_VIEW_NOT_FOUND", {{"relationName", QuoteIdentifier({format->name(), folder})}});
  }
  PathTable opened;
  // As any table of the statement it is loaded once, so that all that reads it sees one state of it.
  const auto tables =
      std::make_shared<catalogs::PathTables>("spark_catalog", &formats(), &stores(), execution().store_settings);
  FRAZIL_ASSIGN_OR_RETURN(opened.table, LoadTable(tables, {{format->name()}, folder}));
  opened.scan = std::move(reference.scan);
  if (opened.scan.snapshot_id || opened.scan.timestamp_micros) {
    if (const auto* states = dynamic_cast<const tables::PinsState*>(opened.table.get())) {
      FRAZIL_ASSIGN_OR_RETURN(opened.table, states->AtState(opened.scan));
    }
  }
  if (!reference.metadata_table.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(opened.table, opened.table->MetadataTable(reference.metadata_table));
    if (opened.table == nullptr)
      return Error::Of("TABLE_OR_VIEW_NOT_FOUND", {{"relationName", QuoteIdentifier({format->name(), path})}});
  }
  return opened;
}

Result<analysis::OpenedDataSource> StatementContext::OpenFiles(const plan::DataSourcePlan& source,
                                                               const std::string& format) {
  auto options = LowerKeys(source.options);
  FRAZIL_RETURN_IF_ERROR(functions::CheckFileSourceOptions(options));
  if (tables::FileFormatByName(format) == tables::FileFormat::kAvro)
    FRAZIL_RETURN_IF_ERROR(tables::CheckAvroOptions(options));
  FRAZIL_ASSIGN_OR_RETURN(auto paths, PathsOf(source, options));
  if (paths.empty()) {
    return Error::Of("UNABLE_TO_INFER_SCHEMA", {{"format", AsciiUpper(format)}});
  }
  FRAZIL_ASSIGN_OR_RETURN(auto store, stores().StoreFor(paths[0], execution().store_settings));
  FRAZIL_ASSIGN_OR_RETURN(auto zone, TimeZone::Find(settings().time_zone));
  FRAZIL_ASSIGN_OR_RETURN(auto listing_options, tables::ReadListingOptions(options, zone));
  listing_options.infer_partition_types =
      EqualsIgnoreCase(GetConfig("spark.sql.sources.partitionColumnTypeInference.enabled").value_or("true"), "true");
  FRAZIL_ASSIGN_OR_RETURN(auto listing, tables::ListFiles(*store, paths, listing_options));
  FRAZIL_ASSIGN_OR_RETURN(DataTypePtr schema, SchemaOf(source));
  if (schema == nullptr) {
    std::vector<std::string> files;
    for (const auto& file : listing.files) files.push_back(file.path);
    if (files.empty() && format != "text" && format != "binaryfile") {
      return Error::Of("UNABLE_TO_INFER_SCHEMA", {{"format", AsciiUpper(format)}});
    }
    FRAZIL_ASSIGN_OR_RETURN(schema, state_->shared->parts.engine->InferSchema(format, files, options, execution()));
  }
  FRAZIL_RETURN_IF_ERROR(CheckNoDuplicates(*schema, settings().case_sensitive));
  auto scan = tables::MakeFileScan(*tables::FileFormatByName(format), std::move(listing), schema, std::move(options),
                                   paths.size() == 1 ? paths[0] : "");
  return analysis::OpenedDataSource{std::move(scan), paths[0]};
}

}  // namespace frazil::session
