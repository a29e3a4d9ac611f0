// Calls of the user's Python functions: a batch of rows goes to a worker process as Arrow, a column comes back.

#include "frazil/engine/functions/python_function.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include <duckdb/common/arrow/arrow_wrapper.hpp>
#include <duckdb/common/vector_operations/vector_operations.hpp>
#include <duckdb/function/table/arrow.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>

#include "frazil/base/json.h"
#include "frazil/codec/arrow_ipc.h"
#include "frazil/engine/arrow_result.h"
#include "frazil/engine/arrow_source.h"
#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/engine/statement_state.h"
#include "frazil/engine/type_mapping.h"
#include "frazil/expressions/python_call.h"
#include "frazil/udf/python_worker.h"

namespace frazil::engine {
namespace {

using duckdb::LogicalType;

// Behind the arguments: the code (BLOB), the schema of the arguments and the type of the result (JSON of Spark).
constexpr size_t kConstants = 3;

// Settings that pyspark's worker obeys, passed on where they are set.
constexpr const char* kWorkerSettings[] = {
    "spark.sql.execution.arrow.maxRecordsPerBatch",
    "spark.sql.execution.arrow.useLargeVarTypes",
    "spark.sql.execution.pandas.convertToArrowArraySafely",
    "spark.sql.execution.pyspark.binaryAsBytes",
    "spark.sql.execution.pythonUDF.arrow.concurrency.level",
    "spark.sql.execution.pythonUDF.pandas.intToDecimalCoercionEnabled",
    "spark.sql.legacy.execution.pandas.groupedMap.assignColumnsByName",
    "spark.sql.legacy.execution.pythonUDF.pandas.conversion.enabled",
};

struct PythonCallData : duckdb::FunctionData {
  std::string description;  ///< Of the function, as udf::CallPython takes it.
  udf::PythonPlace place;
  DataTypePtr input;
  DataTypePtr output;  ///< A struct of the one result.
  duckdb::vector<LogicalType> types;
  std::shared_ptr<duckdb::ArrowTableSchema> result_schema = std::make_shared<duckdb::ArrowTableSchema>();
  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override { return duckdb::make_uniq<PythonCallData>(*this); }
  bool Equals(const duckdb::FunctionData& other) const override {
    return description == other.Cast<PythonCallData>().description;
  }
};

std::string Describe(const PythonFunction& function, const std::string& input, const std::string& output,
                     const ExecutionContext& context) {
  std::string header = "{\"eval_type\":" + std::to_string(function.eval_type) +
                       ",\"python\":" + JsonString(function.python_version) + ",\"arguments\":[";
  for (const auto& name : function.argument_names) {
    if (header.back() != '[') header += ',';
    header += name.empty() ? "null" : JsonString(name);
  }
  header += "],\"input\":" + JsonString(input) + ",\"output\":" + JsonString(output) +
            ",\"settings\":{\"spark.sql.session.timeZone\":" + JsonString(context.settings.time_zone);
  for (const char* key : kWorkerSettings) {
    const auto value = context.store_settings ? context.store_settings(key) : std::nullopt;
    if (value.has_value()) header += "," + JsonString(key) + ":" + JsonString(*value);
  }
  header += "}}";
  return udf::DescribeFunction(header, function.command);
}

duckdb::unique_ptr<duckdb::FunctionData> BindPythonCall(
    duckdb::ClientContext& client, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  const auto constants = ConstantArguments(client, function, arguments, kConstants);
  const auto& context = StatementState::Of(client).context;
  auto data = duckdb::make_uniq<PythonCallData>();
  const auto& input_json = duckdb::StringValue::Get(constants[1]);
  const auto& output_json = duckdb::StringValue::Get(constants[2]);
  const auto code = ValueOrThrow(PythonFunction::Decode(duckdb::StringValue::Get(constants[0])));
  data->input = ValueOrThrow(DataType::FromJson(input_json));
  const auto result_type = ValueOrThrow(DataType::FromJson(output_json));
  data->output = DataType::Struct({{"_0", result_type}});
  data->description = Describe(code, input_json, output_json, context);
  data->place = udf::PlaceOf(context.store_settings, context.settings.current_user);
  for (const auto& field : data->input->fields()) data->types.push_back(MappedType(*field.type));
  duckdb::ArrowSchemaWrapper schema;
  FillSchemaForDuckDb(*data->output, &schema.arrow_schema);
  duckdb::ArrowTableFunction::PopulateArrowTableSchema(client, *data->result_schema, schema.arrow_schema);
  function.return_type = MappedType(*result_type);
  return data;
}

std::string RowsOf(duckdb::DataChunk& arguments, const PythonCallData& data, duckdb::ClientContext& client) {
  duckdb::DataChunk rows;
  rows.InitializeEmpty(data.types);
  // Functions without arguments get a column that only counts the rows.
  if (arguments.ColumnCount() == kConstants) {
    rows.data[0].Reference(duckdb::Value(data.types[0]));
  } else {
    for (duckdb::idx_t i = 0; i < data.types.size(); ++i) rows.data[i].Reference(arguments.data[i]);
  }
  rows.SetCardinality(arguments.size());
  ArrowBatchBuilder builder(client, data.input, data.types);
  builder.Append(rows, 0, rows.size());
  codec::IpcOptions options;
  options.time_zone = StatementState::Of(client).context.settings.time_zone;
  return ValueOrThrow(codec::EncodeBatch(*data.input, builder.Finish(), options));
}

void RunPythonCall(duckdb::DataChunk& arguments, duckdb::ExpressionState& state, duckdb::Vector& result) {
  if (arguments.size() == 0) return;
  const auto& data = state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<PythonCallData>();
  auto& client = state.GetContext();
  const auto& cancel = StatementState::Of(client).context.cancel;
  const auto watch = [&](std::function<void()> stop) -> std::function<void()> {
    if (cancel == nullptr) return [] {};
    return [&cancel, id = cancel->AddInterrupt(std::move(stop))] { cancel->RemoveInterrupt(id); };
  };
  const auto answer =
      ValueOrThrow(udf::CallPython(data.place, data.description, RowsOf(arguments, data, client), watch));
  const auto table = ValueOrThrow(codec::DecodeIpcStream(answer));
  const auto& fields = table->schema->fields();
  const auto expected = MappedType(*data.output->fields()[0].type);
  if (fields.size() != 1 || MappedType(*fields[0].type) != expected || table->batches.size() != 1 ||
      static_cast<duckdb::idx_t>(table->batches[0].num_rows()) != arguments.size()) {
    ThrowSparkError(Error::Plain(ExceptionClass::kSpark, "A Python function gave " + table->schema->SimpleString() +
                                                             " instead of " + std::to_string(arguments.size()) +
                                                             " values of the type " +
                                                             data.output->fields()[0].type->SimpleString()));
  }
  auto wrapper = duckdb::make_uniq<duckdb::ArrowArrayWrapper>();
  ArrowArray* batch = table->batches[0].mutable_array();
  wrapper->arrow_array = *batch;
  batch->release = nullptr;
  duckdb::ArrowScanLocalState scan(std::move(wrapper), client);
  duckdb::DataChunk column;
  column.Initialize(client, {expected}, std::max<duckdb::idx_t>(arguments.size(), STANDARD_VECTOR_SIZE));
  column.SetCardinality(arguments.size());
  duckdb::ArrowTableFunction::ArrowToDuckDB(scan, data.result_schema->GetColumns(), column);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  duckdb::VectorOperations::Copy(column.data[0], result, arguments.size(), 0, 0);
}

bool ReadsRows(const CallExpression& call) {
  bool found = false;
  VisitExpression(call, [&](const Expression& part) {
    found = found || part.kind == ExpressionKind::kColumn || part.kind == ExpressionKind::kAggregate ||
            part.kind == ExpressionKind::kWindow || part.kind == ExpressionKind::kSubquery;
    return !found;
  });
  return found;
}

/// applyInPandasWithState whose calls a streaming query has not given a state.
bool LacksState(const CallExpression& call) {
  constexpr int kGroupedMapPandasWithState = 208;
  if (call.type->id() == TypeId::kStruct || call.arguments[0]->kind != ExpressionKind::kLiteral) return false;
  const auto code = PythonFunction::Decode(call.arguments[0]->As<LiteralExpression>().value.string());
  return code.ok() && code->eval_type == kGroupedMapPandasWithState;
}

/// transformWithState over a batch, with an initial state.
bool HasInitialState(const CallExpression& call) {
  constexpr int kTransformWithInitialState[] = {212, 214};  // In pandas, in rows.
  if (call.type->id() == TypeId::kStruct || call.arguments[0]->kind != ExpressionKind::kLiteral) return false;
  const auto code = PythonFunction::Decode(call.arguments[0]->As<LiteralExpression>().value.string());
  return code.ok() && std::find(std::begin(kTransformWithInitialState), std::end(kTransformWithInitialState),
                                code->eval_type) != std::end(kTransformWithInitialState);
}

Result<LoweredExpression> LowerPythonCall(LoweringContext&, const CallExpression& call, LoweredArguments arguments) {
  if (HasInitialState(call)) return Error::Unsupported("transformWithState with an initial state over a batch");
  if (LacksState(call)) {
    return Error::Plain(ExceptionClass::kUnsupportedOperation,
                        "applyInPandasWithState is unsupported in batch query. Use applyInPandas instead.");
  }
  std::vector<StructField> fields;
  for (size_t i = 1; i < call.arguments.size(); ++i) {
    fields.emplace_back("_" + std::to_string(i - 1), call.arguments[i]->type);
  }
  if (fields.empty()) fields.emplace_back("_0", DataType::Boolean());
  auto code = std::move(arguments.front());
  arguments.erase(arguments.begin());
  arguments.push_back(std::move(code));
  arguments.push_back(ConstantOf(duckdb::Value(DataType::Struct(std::move(fields))->Json())));
  arguments.push_back(ConstantOf(duckdb::Value(call.type->Json())));
  // Without a column DuckDB would call it once for all rows, and while it plans.
  const bool once_for_all = call.function == kPythonFunction && ReadsRows(call);
  return CallOf(once_for_all ? "spark_python_function" : "spark_python_function_for_each_row", std::move(arguments));
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  for (const bool is_volatile : {false, true}) {
    duckdb::ScalarFunction function(is_volatile ? "spark_python_function_for_each_row" : "spark_python_function", {},
                                    LogicalType::ANY, RunPythonCall, BindPythonCall);
    function.varargs = LogicalType::ANY;
    function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
    function.SetFallible();
    if (is_volatile) function.SetVolatile();
    loader.RegisterFunction(function);
  }
}

}  // namespace

void RegisterPythonFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  registry.AddScalar(kPythonFunction, Build(LowerPythonCall));
  registry.AddScalar(kNondeterministicPythonFunction, Build(LowerPythonCall));
}

}  // namespace frazil::engine
