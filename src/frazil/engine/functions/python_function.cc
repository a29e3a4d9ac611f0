// Calls of the user's Python functions: how they are lowered and bound.

#include "frazil/engine/functions/python_function.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include <duckdb/common/vector_operations/vector_operations.hpp>
#include <duckdb/function/table/arrow.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>

#include "frazil/base/json.h"
#include "frazil/engine/arrow_source.h"
#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/engine/functions/python_batch.h"
#include "frazil/engine/statement_state.h"
#include "frazil/engine/type_mapping.h"
#include "frazil/expressions/python_call.h"
#include "frazil/udf/python_worker.h"

namespace frazil::engine {
namespace {

using duckdb::LogicalType;

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
  const auto constants = ConstantArguments(client, function, arguments, kPythonConstants);
  const auto& context = StatementState::Of(client).context;
  auto data = duckdb::make_uniq<PythonCallData>();
  const auto& input_json = duckdb::StringValue::Get(constants[1]);
  const auto& output_json = duckdb::StringValue::Get(constants[2]);
  const auto code = ValueOrThrow(PythonFunction::Decode(duckdb::StringValue::Get(constants[0])));
  data->input = ValueOrThrow(DataType::FromJson(input_json));
  data->has_arguments = arguments.size() > kPythonConstants;
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

void RunPythonCall(duckdb::DataChunk& arguments, duckdb::ExpressionState& state, duckdb::Vector& result) {
  if (arguments.size() == 0) return;
  const auto& data = state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<PythonCallData>();
  PythonBatch batch(state.GetContext(), data);
  batch.Append(arguments);
  auto answer = batch.Call();
  duckdb::VectorOperations::Copy(answer->Next(arguments.size()), result, arguments.size(), 0, 0);
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
  return CallOf(once_for_all ? kPythonCall : kPythonCallForEachRow, std::move(arguments));
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  for (const bool is_volatile : {false, true}) {
    duckdb::ScalarFunction function(is_volatile ? kPythonCallForEachRow : kPythonCall, {}, LogicalType::ANY,
                                    RunPythonCall, BindPythonCall);
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
