#include "frazil/commands/python_data_source.h"

#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/codec/arrow_ipc.h"
#include "frazil/sql/parser.h"

namespace frazil::commands {
namespace {

// Rows that a writer gets in one call, which Spark would make a partition of.
constexpr int64_t kPartitionRows = 500'000;

std::string LengthOf(uint64_t size) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(size >> shift & 255);
  return bytes;
}

Result<std::vector<std::string>> SplitParts(std::string_view bytes) {
  std::vector<std::string> parts;
  while (!bytes.empty()) {
    uint64_t size = 0;
    for (size_t i = 0; i < 8 && i < bytes.size(); ++i) size = size << 8 | static_cast<unsigned char>(bytes[i]);
    if (bytes.size() < 8 || size > bytes.size() - 8) return Error::Internal("a Python worker's answer is cut");
    parts.emplace_back(bytes.substr(8, size));
    bytes.remove_prefix(8 + size);
  }
  return parts;
}

std::string OptionsJson(const std::string& provider, const plan::Options& options) {
  std::string json = "\"provider\":" + JsonString(provider) + ",\"options\":{";
  for (const auto& [key, value] : options) {
    if (json.back() != '{') json += ',';
    json += JsonString(key) + ":" + JsonString(value);
  }
  return json + "}";
}

// A filter's value as data_source_worker.py reads it; nullopt: it is not handed over.
std::optional<std::string> FilterValue(const DataType& type, const Value& value) {
  const auto pair = [](const std::string& kind, const std::string& text) { return "[\"" + kind + "\"," + text + "]"; };
  switch (type.id()) {
    case TypeId::kBoolean:
      return pair("plain", value.boolean() ? "true" : "false");
    case TypeId::kByte:
    case TypeId::kShort:
    case TypeId::kInteger:
    case TypeId::kLong:
      return pair("plain", std::to_string(value.integer()));
    case TypeId::kString:
      return pair("plain", JsonString(value.string()));
    case TypeId::kDate:
      return pair("date", std::to_string(value.integer()));
    case TypeId::kTimestamp:
      return pair("timestamp", std::to_string(value.integer()));
    case TypeId::kTimestampNtz:
      return pair("timestamp_ntz", std::to_string(value.integer()));
    case TypeId::kDecimal:
      return pair("decimal", JsonString(ValueToString(type, value)));
    default:
      return std::nullopt;
  }
}

const char* FilterName(PredicateOp op) {
  switch (op) {
    case PredicateOp::kIsNull:
      return "IsNull";
    case PredicateOp::kNotNull:
      return "IsNotNull";
    case PredicateOp::kLess:
      return "LessThan";
    case PredicateOp::kLessOrEqual:
      return "LessThanOrEqual";
    case PredicateOp::kGreater:
      return "GreaterThan";
    case PredicateOp::kGreaterOrEqual:
      return "GreaterThanOrEqual";
    case PredicateOp::kEqual:
    case PredicateOp::kNotEqual:
      return "EqualTo";
    case PredicateOp::kIn:
    case PredicateOp::kNotIn:
      return "In";
    case PredicateOp::kStartsWith:
    case PredicateOp::kNotStartsWith:
      return "StringStartsWith";
    case PredicateOp::kTrue:
    case PredicateOp::kFalse:
    case PredicateOp::kAnd:
    case PredicateOp::kOr:
    case PredicateOp::kNot:
    case PredicateOp::kIsNan:
    case PredicateOp::kNotNan:
      break;
  }
  return nullptr;
}

// Those of the filters, joined by AND, that pyspark has a word for.
void AppendFilters(const Predicate& predicate, std::string* json) {
  if (predicate.op == PredicateOp::kAnd) {
    for (const auto& child : predicate.children) AppendFilters(*child, json);
    return;
  }
  const char* name = FilterName(predicate.op);
  if (name == nullptr) return;
  std::string column;
  for (const auto& part : predicate.column) column += (column.empty() ? "" : ",") + JsonString(part);
  const bool negated = predicate.op == PredicateOp::kNotEqual || predicate.op == PredicateOp::kNotIn ||
                       predicate.op == PredicateOp::kNotStartsWith;
  std::string filter =
      std::string("{\"name\":\"") + name + "\",\"column\":[" + column + "],\"negated\":" + (negated ? "true" : "false");
  std::string values;
  for (const auto& value : predicate.values) {
    const auto text = FilterValue(*predicate.type, value);
    if (!text) return;
    values += (values.empty() ? "" : ",") + *text;
  }
  const bool is_list = predicate.op == PredicateOp::kIn || predicate.op == PredicateOp::kNotIn;
  if (is_list) filter += ",\"values\":[" + values + "]";
  if (!is_list && !values.empty()) filter += ",\"value\":" + values;
  if (json->back() != '[') *json += ',';
  *json += filter + "}";
}

class PythonRows : public tables::PartitionedRows {
 public:
  PythonRows(PythonDataSourceInstance instance, std::optional<Partitions> partitions)
      : instance_(std::move(instance)), partitions_(std::move(partitions)) {}

  const DataTypePtr& schema() const override { return instance_.schema; }

  Result<Partitions> PlanPartitions(const PredicatePtr& filter, const tables::ReadWatch& watch) const override {
    if (partitions_) return *partitions_;
    std::string filters = "[";
    if (instance_.run.pushes_filters) AppendFilters(*PushDownNot(filter), &filters);
    const std::string job = "{\"schema\":" + JsonString(instance_.schema->Json()) +
                            ",\"pushes_filters\":" + (instance_.run.pushes_filters ? "true" : "false") +
                            ",\"filters\":" + filters + "]}";
    auto parts = CallPythonDataSource("dataSourcePlan", instance_.run, instance_.pickled, job, "", watch);
    if (!parts.ok()) return PythonDataSourceError(std::move(parts).error(), "plan", "read");
    if (parts->empty()) return Error::Internal("a Python worker planned nothing");
    Partitions planned;
    planned.reader = std::move(parts->front());
    planned.partitions.assign(std::make_move_iterator(parts->begin() + 1), std::make_move_iterator(parts->end()));
    return planned;
  }

  Result<ArrowTablePtr> ReadPartition(const Partitions& planned, size_t index,
                                      const tables::ReadWatch& watch) const override {
    const std::string job = "{\"schema\":" + JsonString(instance_.schema->Json()) +
                            ",\"batch_rows\":" + std::to_string(instance_.run.batch_rows) + "}";
    FRAZIL_ASSIGN_OR_RETURN(auto parts, CallPythonDataSource("dataSourceRead", instance_.run, planned.reader, job,
                                                             planned.partitions[index], watch));
    if (parts.size() != 1) return Error::Internal("a Python worker read no partition");
    FRAZIL_ASSIGN_OR_RETURN(auto table, codec::DecodeIpcStream(parts[0]));
    return ArrowTablePtr(std::move(table));
  }

 private:
  PythonDataSourceInstance instance_;
  std::optional<Partitions> partitions_;
};

// Writes the rows of a query and gathers the messages of the partitions; those that were written stay in `messages`
// where one fails.
Status WritePartitions(const PythonDataSourceRun& run, const std::string& writer, const DataType& schema,
                       engine::ResultStream& rows, const udf::CallWatch& watch, std::vector<std::string>* messages) {
  codec::IpcOptions options;
  options.time_zone = run.time_zone;
  for (bool more = true; more;) {
    std::vector<ArrowBatch> batches;
    for (int64_t count = 0; count < kPartitionRows;) {
      FRAZIL_ASSIGN_OR_RETURN(auto batch, rows.Next());
      more = batch != nullptr;
      if (!more) break;
      count += batch->num_rows();
      batches.push_back(std::move(*batch));
    }
    if (batches.empty() && !messages->empty()) break;
    FRAZIL_ASSIGN_OR_RETURN(const auto stream, batches.empty()
                                                   ? codec::EncodeSchema(schema, options)
                                                   : codec::EncodeBatches(schema, std::move(batches), options));
    const std::string job =
        "{\"schema\":" + JsonString(schema.Json()) + ",\"partition\":" + std::to_string(messages->size()) + "}";
    auto parts = CallPythonDataSource("dataSourceWrite", run, writer, job, stream, watch);
    messages->emplace_back();
    if (!parts.ok()) return std::move(parts).error();
    if (parts->size() != 1) return Error::Internal("a Python worker wrote no partition");
    messages->back() = std::move(parts->front());
  }
  return {};
}

}  // namespace

PythonDataSourceRun RunOf(const PythonDataSource& source, const CommandContext& context) {
  const auto& execution = context.execution();
  PythonDataSourceRun run;
  run.place = udf::PlaceOf(execution.store_settings, execution.settings.current_user);
  run.python_version = source.python_version;
  run.time_zone = execution.settings.time_zone;
  run.batch_rows = execution.batch_rows;
  run.pushes_filters =
      EqualsIgnoreCase(context.GetConfig("spark.sql.python.filterPushdown.enabled").value_or("false"), "true");
  return run;
}

udf::CallWatch WatchOf(const CommandContext& context) {
  return [cancel = context.execution().cancel](std::function<void()> stop) -> std::function<void()> {
    if (cancel == nullptr) return [] {};
    return [cancel, id = cancel->AddInterrupt(std::move(stop))] { cancel->RemoveInterrupt(id); };
  };
}

Result<std::vector<std::string>> CallPythonDataSource(const std::string& step, const PythonDataSourceRun& run,
                                                      const std::string& pickled, const std::string& job,
                                                      std::string_view bytes, const udf::CallWatch& watch) {
  const std::string header =
      "{\"eval_type\":" + JsonString(step) + ",\"python\":" + JsonString(run.python_version) + "}";
  std::string data = job + "\n";
  data += bytes;
  FRAZIL_ASSIGN_OR_RETURN(const auto answer,
                          udf::CallPython(run.place, udf::DescribeFunction(header, pickled), data, watch));
  return SplitParts(answer);
}

std::string JoinParts(const std::vector<std::string>& parts) {
  std::string bytes;
  for (const auto& part : parts) bytes += LengthOf(part.size()) + part;
  return bytes;
}

Error PythonDataSourceError(Error error, const std::string& action, const std::string& type) {
  const bool is_pythons = error.condition.empty() && error.exception_class == ExceptionClass::kSparkRuntime;
  if (!is_pythons) return error;
  return Error::Of("PYTHON_DATA_SOURCE_ERROR", {{"action", action}, {"type", type}, {"msg", error.message}});
}

Result<PythonDataSourceInstance> MakePythonDataSource(const PythonDataSource& source, const std::string& provider,
                                                      const plan::Options& options, const DataTypePtr& schema,
                                                      CommandContext& context) {
  PythonDataSourceInstance instance;
  instance.run = RunOf(source, context);
  instance.name = provider;
  const std::string job = "{" + OptionsJson(provider, options) +
                          ",\"schema\":" + (schema == nullptr ? "null" : JsonString(schema->Json())) + "}";
  auto parts = CallPythonDataSource("dataSourceCreate", instance.run, source.command, job, "", WatchOf(context));
  if (!parts.ok()) return PythonDataSourceError(std::move(parts).error(), "create", "instance");
  if (parts->size() != 2) return Error::Internal("a Python worker made no data source");
  const std::string& text = parts->front();
  if (text.starts_with('{')) {
    FRAZIL_ASSIGN_OR_RETURN(instance.schema, DataType::FromJson(text));
  } else {
    FRAZIL_ASSIGN_OR_RETURN(instance.schema, sql::ParseTableSchema(text, context.parser_options()));
  }
  // As Spark, whatever the source says of NULLs.
  std::vector<StructField> fields = instance.schema->fields();
  for (auto& field : fields) field.nullable = true;
  instance.schema = DataType::Struct(std::move(fields));
  instance.pickled = std::move(parts->back());
  return instance;
}

tables::TableScanPtr ReadPythonDataSource(PythonDataSourceInstance instance,
                                          std::optional<tables::PartitionedRows::Partitions> partitions) {
  return std::make_shared<PythonRows>(std::move(instance), std::move(partitions));
}

Status WriteToPython(const PythonDataSource& source, const std::string& provider, const plan::Options& options,
                     bool overwrite, const plan::LogicalPlanPtr& query, CommandContext& context,
                     std::optional<int64_t> batch) {
  const auto run = RunOf(source, context);
  const auto watch = WatchOf(context);
  const auto schema = plan::OutputSchema(*query);
  const std::string job = "{" + OptionsJson(provider, options) + ",\"schema\":" + JsonString(schema->Json()) +
                          ",\"overwrite\":" + (overwrite ? "true" : "false") +
                          ",\"stream\":" + (batch ? "true" : "false") + "}";
  auto made = CallPythonDataSource("dataSourceWriter", run, source.command, job, "", watch);
  if (!made.ok()) return PythonDataSourceError(std::move(made).error(), "initialize", "writer");
  if (made->size() != 1) return Error::Internal("a Python worker made no writer");
  const std::string& writer = made->front();
  FRAZIL_ASSIGN_OR_RETURN(auto rows, context.engine().Execute(query, context.execution()));
  std::vector<std::string> messages;
  Status written = WritePartitions(run, writer, *schema, *rows, watch, &messages);
  const std::string end = std::string("{\"abort\":") + (written.ok() ? "false" : "true") +
                          ",\"batch\":" + (batch ? std::to_string(*batch) : "null") + "}";
  // What a cancelled write has left behind is taken back, too.
  const auto uninterrupted = [](const std::function<void()>&) -> std::function<void()> { return [] {}; };
  auto ended = CallPythonDataSource("dataSourceCommit", run, writer, end, JoinParts(messages),
                                    written.ok() ? watch : udf::CallWatch(uninterrupted));
  if (!written.ok()) return written;
  if (!ended.ok()) return PythonDataSourceError(std::move(ended).error(), "commit", "writer");
  return {};
}

}  // namespace frazil::commands
