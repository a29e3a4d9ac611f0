#include <algorithm>
#include <cstdio>

#include "frazil/analysis/analyzer.h"
#include "frazil/analysis/show_string.h"
#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/commands/table_writer.h"
#include "frazil/storage/folder.h"
#include "frazil/streaming/sink.h"
#include "frazil/tables/files/file_table.h"
#include "frazil/tables/format_names.h"

namespace frazil::streaming {
namespace {

/// Runs each batch and keeps nothing.
class NoopSink : public Sink {
 public:
  std::string description() const override { return "org.apache.spark.sql.execution.datasources.noop.NoopTable$"; }
  Result<std::optional<int64_t>> AddBatch(const Batch& batch, commands::CommandContext& context) override {
    FRAZIL_ASSIGN_OR_RETURN(auto stream, context.engine().Execute(batch.rows, context.execution()));
    int64_t count = 0;
    while (true) {
      FRAZIL_ASSIGN_OR_RETURN(auto piece, stream->Next());
      if (piece == nullptr) return std::optional<int64_t>(count);
      count += piece->num_rows();
    }
  }
};

/// Shows each batch on the server's standard output.
class ConsoleSink : public Sink {
 public:
  ConsoleSink(int rows, bool truncate) : rows_(rows), truncate_(truncate) {}
  std::string description() const override { return "org.apache.spark.sql.execution.streaming.ConsoleTable$"; }
  Result<std::optional<int64_t>> AddBatch(const Batch& batch, commands::CommandContext& context) override {
    auto relation = std::make_shared<plan::CachedRelationPlan>();
    relation->relation_id = context.PutCachedRelation({batch.rows});
    plan::ShowStringPlan show;
    show.child = relation;
    show.num_rows = rows_;
    show.truncate = truncate_ ? 20 : 0;
    const auto shown = [&]() -> Result<std::string> {
      FRAZIL_ASSIGN_OR_RETURN(auto typed,
                              analysis::AnalyzeRelation(std::make_shared<plan::ShowStringPlan>(show), context));
      FRAZIL_ASSIGN_OR_RETURN(auto cells, context.engine().Collect(typed, context.execution()));
      return analysis::ShownRows(show, cells).rows[0][0].string();
    }();
    context.DropCachedRelation(relation->relation_id);
    if (!shown.ok()) return shown.error();
    const std::string line(43, '-');
    const std::string text = line + "\nBatch: " + std::to_string(batch.id) + "\n" + line + "\n" + *shown + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    return std::optional<int64_t>();
  }

 private:
  const int rows_;
  const bool truncate_;
};

}  // namespace

Error UnsupportedMode(const std::string& sink, OutputMode mode) {
  return Error::Of(ExceptionClass::kAnalysis, "STREAMING_OUTPUT_MODE.UNSUPPORTED_DATASOURCE",
                   {{"className", sink}, {"outputMode", AsciiLower(OutputModeName(mode))}});
}

bool TakesTemporaryCheckpoint(const StreamWrite& write) {
  if (write.callback) return true;
  const std::string format = AsciiLower(write.format);
  return write.table_name.empty() && (format == "memory" || format == "console" || format == "noop");
}

Result<std::unique_ptr<Sink>> MakeSink(const StreamWrite& write, OutputMode mode, const DataTypePtr& schema,
                                       StreamHost& host, commands::CommandContext& context) {
  if (!write.table_name.empty()) return MakeTableSink(write, mode, schema, context);
  if (write.callback) return MakeCallbackSink(write, schema, host, context);
  const std::string name =
      write.format.empty() ? context.GetConfig("spark.sql.sources.default").value_or("parquet") : write.format;
  const std::string format = tables::ShortFormatName(name);
  const auto options = commands::LowerKeys(write.options);
  if (format == "memory") {
    if (mode == OutputMode::kUpdate) return UnsupportedMode(format, mode);
    return MakeMemorySink(write, schema, host);
  }
  if (format == "kafka") return MakeKafkaSink(write, schema);
  if (format == "noop") return std::unique_ptr<Sink>(std::make_unique<NoopSink>());
  if (format == "console") {
    int rows = 20;
    if (const auto found = options.find("numrows"); found != options.end()) {
      const auto number = ParseInteger<int>(found->second);
      if (!number) return Error::Plain(ExceptionClass::kNumberFormat, "For input string: \"" + found->second + "\"");
      rows = *number;
    }
    const auto truncate = options.find("truncate");
    return std::unique_ptr<Sink>(
        std::make_unique<ConsoleSink>(rows, truncate == options.end() || EqualsIgnoreCase(truncate->second, "true")));
  }
  if (tables::FileFormatByName(format)) {
    const auto option = options.find("path");
    const std::string path = write.path.value_or(option == options.end() ? "" : option->second);
    if (path.empty()) return Error::Of("_LEGACY_ERROR_TEMP_2047");
    return MakeFileSink(write, format, mode, schema, storage::FolderOf(path), {}, context);
  }
  if (const auto table = context.formats().Find(format); table != nullptr && table->self_describing())
    return MakeTableSink(write, mode, schema, context);
  if (context.FindPythonDataSource(name)) return MakePythonSink(write, name, mode);
  return Error::Of("DATA_SOURCE_NOT_FOUND", {{"provider", name}});
}

}  // namespace frazil::streaming
