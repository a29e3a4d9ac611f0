#include "frazil/streaming/source_kinds.h"

#include "frazil/analysis/analyzer.h"
#include "frazil/base/text.h"
#include "frazil/commands/table_writer.h"
#include "frazil/sql/parser.h"
#include "frazil/storage/folder.h"
#include "frazil/tables/files/file_table.h"
#include "frazil/tables/format_names.h"
#include "frazil/tables/micro_batches.h"

namespace frazil::streaming {
namespace {

bool IsRate(const std::string& format) { return format == "rate" || format == "rate-micro-batch"; }

Status RefuseSchema(const plan::DataSourcePlan& source) {
  if (source.schema.empty()) return {};
  return Error::Of(ExceptionClass::kUnsupportedOperation, "_LEGACY_ERROR_TEMP_2242",
                   {{"provider", source.format == "rate" ? "RateStreamProvider" : "RatePerMicroBatchProvider"}});
}

/// The columns of files, as a batch would have them.
Result<DataTypePtr> FileSchema(const plan::DataSourcePlan& source, const SourceDescription& about,
                               commands::CommandContext& context) {
  const bool infers =
      EqualsIgnoreCase(context.GetConfig("spark.sql.streaming.schemaInference").value_or("false"), "true");
  const bool fixed = about.format == "text" || about.format == "binaryfile";
  if (source.schema.empty() && !infers && !fixed) {
    return Error::Of(ExceptionClass::kIllegalArgument, "_LEGACY_ERROR_TEMP_2048");
  }
  plan::DataSourcePlan batch = source;
  batch.format = about.format;
  batch.is_streaming = false;
  FRAZIL_ASSIGN_OR_RETURN(auto opened, context.OpenDataSource(batch));
  // All columns may be missing in a file that comes later.
  std::vector<StructField> fields = opened.scan->schema()->fields();
  for (auto& field : fields) field.nullable = true;
  return DataType::Struct(std::move(fields));
}

Result<analysis::OpenedDataSource> DescribeTable(SourceDescription about, size_t place,
                                                 commands::CommandContext& context) {
  const std::string name = about.table.empty() ? about.path : Join(about.table, ".");
  FRAZIL_ASSIGN_OR_RETURN(auto table, LoadTable(about, context));
  about.format = table->provider();
  const auto files = tables::FileFormatByName(about.format);
  if (files) {
    // A table of plain files is its folder.
    if (const auto* plain = dynamic_cast<const tables::FileTable*>(table.get()); plain != nullptr) {
      for (const auto& [key, value] : commands::LowerKeys(plain->options())) about.options.emplace(key, value);
    }
    about.path = storage::FolderOf(table->location());
    about.table.clear();
    about.schema = table->schema();
  } else {
    const auto* batches = dynamic_cast<const tables::MicroBatches*>(table.get());
    if (batches == nullptr) return NoStream(about);
    FRAZIL_ASSIGN_OR_RETURN(about.schema, batches->StreamSchema(about.options));
  }
  return analysis::OpenedDataSource{
      std::make_shared<SourceScan>(std::move(about), files.value_or(tables::FileFormat::kParquet), place), name};
}

}  // namespace

Result<analysis::OpenedDataSource> DescribeSource(const plan::Plan& source, size_t place,
                                                  commands::CommandContext& context) {
  SourceDescription about;
  if (source.kind == plan::PlanKind::kNamedTable) {
    const auto& table = source.As<plan::NamedTablePlan>();
    about.table = table.name;
    about.options = commands::LowerKeys(table.options);
    return DescribeTable(std::move(about), place, context);
  }
  const auto& read = source.As<plan::DataSourcePlan>();
  const std::string format =
      read.format.empty() ? context.GetConfig("spark.sql.sources.default").value_or("parquet") : read.format;
  about.format = tables::ShortFormatName(format);
  about.options = commands::LowerKeys(read.options);
  if (about.format == "ratepermicrobatch") about.format = "rate-micro-batch";
  if (IsRate(about.format)) {
    FRAZIL_RETURN_IF_ERROR(RefuseSchema(read));
    FRAZIL_ASSIGN_OR_RETURN(about.schema, DescribeRate(about));
    const std::string name = about.format;
    return analysis::OpenedDataSource{std::make_shared<SourceScan>(std::move(about), std::nullopt, place), name};
  }
  if (about.format == "socket") {
    if (!read.schema.empty()) {
      return Error::Of(ExceptionClass::kUnsupportedOperation, "_LEGACY_ERROR_TEMP_2242",
                       {{"provider", "TextSocketSourceProvider"}});
    }
    FRAZIL_ASSIGN_OR_RETURN(about.schema, DescribeSocket(about));
    return analysis::OpenedDataSource{std::make_shared<SourceScan>(std::move(about), std::nullopt, place), "socket"};
  }
  if (about.format == "kafka") {
    FRAZIL_ASSIGN_OR_RETURN(about.schema, DescribeKafka(read, about));
    return analysis::OpenedDataSource{std::make_shared<SourceScan>(std::move(about), std::nullopt, place), "kafka"};
  }
  std::vector<std::string> paths = read.paths;
  if (const auto path = about.options.find("path"); path != about.options.end()) paths.push_back(path->second);
  const auto files = tables::FileFormatByName(about.format);
  const auto table_format = context.formats().Find(about.format);
  if (!files && (table_format == nullptr || !table_format->self_describing())) {
    if (context.FindPythonDataSource(about.format)) {
      FRAZIL_RETURN_IF_ERROR(DescribePythonSource(read, &about, context));
      return analysis::OpenedDataSource{std::make_shared<SourceScan>(std::move(about), std::nullopt, place), format};
    }
    return Error::Of("DATA_SOURCE_NOT_FOUND", {{"provider", format}});
  }
  if (paths.size() != 1) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "Expected exactly one path to be specified, but got: " + Join(paths, ", "));
  }
  about.path = storage::FolderOf(paths[0]);
  if (files) {
    FRAZIL_ASSIGN_OR_RETURN(about.schema, FileSchema(read, about, context));
    const std::string name = about.path;
    return analysis::OpenedDataSource{std::make_shared<SourceScan>(std::move(about), *files, place), name};
  }
  if (about.path.find('/') == std::string::npos) {
    // A table's name, as Iceberg's source takes it too.
    FRAZIL_ASSIGN_OR_RETURN(about.table, sql::ParseMultipartIdentifier(about.path, context.parser_options()));
    about.path.clear();
  }
  return DescribeTable(std::move(about), place, context);
}

Result<std::unique_ptr<Source>> MakeSource(const SourceDescription& description, const std::string& folder,
                                           commands::CommandContext& context) {
  if (description.format == "rate") return MakeRateSource(description, folder, context);
  if (description.format == "rate-micro-batch") return MakeRateMicroBatchSource(description);
  if (description.format == "socket") return MakeSocketSource(description);
  if (description.format == "kafka") return MakeKafkaSource(description, folder, context);
  if (tables::FileFormatByName(description.format) && description.table.empty())
    return MakeFileSource(description, folder, context);
  if (description.table.empty() && context.FindPythonDataSource(description.format))
    return MakePythonSource(description, context);
  return MakeTableSource(description, folder, context);
}

}  // namespace frazil::streaming
