// Data sources of Python (pyspark.sql.datasource) as streams: streamReader, simpleStreamReader and streamWriter.
// The reader lives in no process: each step takes it pickled and gives it back, with what it remembers.

#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/commands/python_data_source.h"
#include "frazil/sql/parser.h"
#include "frazil/streaming/sink.h"
#include "frazil/streaming/source_kinds.h"

namespace frazil::streaming {
namespace {

class PythonSource : public Source {
 public:
  PythonSource(std::string name, commands::PythonDataSourceInstance instance)
      : name_(std::move(name)), instance_(std::move(instance)) {}

  std::string description() const override { return "PythonDataSource[" + name_ + "]"; }

  Result<std::optional<Offset>> InitialOffset(commands::CommandContext& context) override {
    FRAZIL_RETURN_IF_ERROR(Open(context));
    return std::optional<Offset>(first_);
  }

  Result<std::optional<Offset>> NextOffset(const std::optional<Offset>& start, bool /*all*/,
                                           commands::CommandContext& context) override {
    // What is available now is known when it is asked for the first time.
    if (stops_at_present_ && newest_) return newest_;
    FRAZIL_RETURN_IF_ERROR(Open(context));
    const Offset begin = start.value_or(first_);
    FRAZIL_ASSIGN_OR_RETURN(auto parts, Call("dataSourceStreamLatest", "\"start\":" + JsonString(begin), context));
    if (parts.empty()) return Error::Internal("a Python worker gave no offset");
    newest_ = parts[0];
    known_.reset();
    if (parts.size() == 3) known_ = KnownRows{begin, parts[0], {std::move(parts[1]), {std::move(parts[2])}}};
    return newest_;
  }

  Result<SourceRows> Rows(const std::optional<Offset>& start, const Offset& end,
                          commands::CommandContext& context) override {
    FRAZIL_RETURN_IF_ERROR(Open(context));
    const Offset begin = start.value_or(first_);
    tables::PartitionedRows::Partitions planned;
    if (known_ && known_->begin == begin && known_->end == end) {
      planned = known_->rows;
    } else {
      FRAZIL_ASSIGN_OR_RETURN(auto parts,
                              Call("dataSourceStreamPartitions",
                                   "\"start\":" + JsonString(begin) + ",\"end\":" + JsonString(end), context));
      if (parts.empty()) return Error::Internal("a Python worker planned nothing");
      planned.reader = std::move(parts[0]);
      planned.partitions.assign(std::make_move_iterator(parts.begin() + 1), std::make_move_iterator(parts.end()));
    }
    SourceRows rows;
    rows.stream.scan = {commands::ReadPythonDataSource(instance_, std::move(planned)), name_};
    return rows;
  }

  Status StopAtPresent(commands::CommandContext&) override {
    stops_at_present_ = true;
    newest_.reset();
    return {};
  }
  std::optional<Offset> newest() const override { return newest_; }

  Status Committed(const Offset& end, commands::CommandContext& context) override {
    return Call("dataSourceStreamCommit", "\"end\":" + JsonString(end), context).status();
  }

 private:
  struct KnownRows {
    Offset begin, end;
    tables::PartitionedRows::Partitions rows;
  };

  /// Makes the reader.
  Status Open(commands::CommandContext& context) {
    if (!reader_.empty()) return {};
    const std::string job = "{\"schema\":" + JsonString(instance_.schema->Json()) + "}";
    auto parts = commands::CallPythonDataSource("dataSourceStream", instance_.run, instance_.pickled, job, "",
                                                commands::WatchOf(context));
    if (!parts.ok()) return commands::PythonDataSourceError(std::move(parts).error(), "initialize", "reader");
    if (parts->size() != 2) return Error::Internal("a Python worker made no reader");
    reader_ = std::move(parts->front());
    first_ = std::move(parts->back());
    return {};
  }

  /// A step of the reader: what it gives besides the reader itself.
  Result<std::vector<std::string>> Call(const std::string& step, const std::string& members,
                                        commands::CommandContext& context) {
    FRAZIL_RETURN_IF_ERROR(Open(context));
    FRAZIL_ASSIGN_OR_RETURN(auto parts,
                            commands::CallPythonDataSource(step, instance_.run, reader_, "{" + members + "}", "",
                                                           commands::WatchOf(context)));
    if (parts.empty()) return Error::Internal("a Python worker lost its reader");
    reader_ = std::move(parts.front());
    parts.erase(parts.begin());
    return parts;
  }

  const std::string name_;
  const commands::PythonDataSourceInstance instance_;
  std::string reader_;  ///< Pickled; empty: not made yet.
  Offset first_;
  std::optional<Offset> newest_;
  std::optional<KnownRows> known_;
  bool stops_at_present_ = false;
};

class PythonSink : public Sink {
 public:
  PythonSink(std::string name, plan::Options options) : name_(std::move(name)), options_(std::move(options)) {}
  std::string description() const override { return "PythonDataSource[" + name_ + "]"; }
  Result<std::optional<int64_t>> AddBatch(const Batch& batch, commands::CommandContext& context) override {
    const auto source = context.FindPythonDataSource(name_);
    if (!source) return Error::Of("DATA_SOURCE_NOT_FOUND", {{"provider", name_}});
    FRAZIL_RETURN_IF_ERROR(commands::WriteToPython(*source, name_, options_, batch.mode == OutputMode::kComplete,
                                                   batch.rows, context, batch.id));
    return std::optional<int64_t>();
  }

 private:
  const std::string name_;
  const plan::Options options_;
};

Result<commands::PythonDataSourceInstance> Instance(const SourceDescription& about, const DataTypePtr& schema,
                                                    commands::CommandContext& context) {
  const auto source = context.FindPythonDataSource(about.format);
  if (!source) return Error::Of("DATA_SOURCE_NOT_FOUND", {{"provider", about.format}});
  plan::Options options;
  for (const auto& [key, value] : about.options) options[key] = value;
  return commands::MakePythonDataSource(*source, about.format, options, schema, context);
}

}  // namespace

Status DescribePythonSource(const plan::DataSourcePlan& read, SourceDescription* about,
                            commands::CommandContext& context) {
  if (read.paths.size() == 1) about->options["path"] = read.paths[0];
  DataTypePtr schema;
  if (!read.schema.empty()) {
    if (read.schema.starts_with('{')) {
      FRAZIL_ASSIGN_OR_RETURN(schema, DataType::FromJson(read.schema));
    } else {
      FRAZIL_ASSIGN_OR_RETURN(schema, sql::ParseTableSchema(read.schema, context.parser_options()));
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(const auto instance, Instance(*about, schema, context));
  about->schema = instance.schema;
  return {};
}

Result<std::unique_ptr<Source>> MakePythonSource(const SourceDescription& description,
                                                 commands::CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto instance, Instance(description, description.schema, context));
  return std::unique_ptr<Source>(std::make_unique<PythonSource>(description.format, std::move(instance)));
}

Result<std::unique_ptr<Sink>> MakePythonSink(const StreamWrite& write, const std::string& name, OutputMode mode) {
  if (mode == OutputMode::kUpdate) return UnsupportedMode(name, mode);
  plan::Options options = write.options;
  if (write.path) options["path"] = *write.path;
  return std::unique_ptr<Sink>(std::make_unique<PythonSink>(name, std::move(options)));
}

}  // namespace frazil::streaming
