#include "frazil/engine/functions/record_functions.h"

#include <duckdb/planner/expression/bound_function_expression.hpp>

#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/type_mapping.h"

namespace frazil::engine {

using duckdb::idx_t;

namespace {

duckdb::unique_ptr<RecordData> TakeRecordData(duckdb::ClientContext& context, duckdb::ScalarFunction& function,
                                              duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  auto constants = ConstantArguments(context, function, arguments, 3);
  auto data = duckdb::make_uniq<RecordData>();
  data->type = ValueOrThrow(DataType::FromJson(constants[0].ToString()));
  std::map<std::string, std::string> values;
  if (const auto json = ReadJson(constants[1].ToString())) {
    for (const auto& [name, value] : json->members) values[name] = value.text;
  }
  data->options = RecordOptions::Of(std::move(values), constants[2].ToString());
  return data;
}

}  // namespace

duckdb::unique_ptr<duckdb::FunctionData> BindRecordReading(
    duckdb::ClientContext& context, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  auto data = TakeRecordData(context, function, arguments);
  data->selection = SelectionOfRecord(*data->type);
  function.SetReturnType(MappedType(*data->type));
  return data;
}

duckdb::unique_ptr<duckdb::FunctionData> BindRecordWriting(
    duckdb::ClientContext& context, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  auto data = TakeRecordData(context, function, arguments);
  function.arguments[0] = arguments[0]->return_type;
  return data;
}

const RecordData& RecordDataOf(duckdb::ExpressionState& state) {
  return state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<RecordData>();
}

void CheckRecordMode(const RecordOptions& options, const char* condition, std::string_view text,
                     const duckdb::DataChunk& chunk, idx_t row) {
  if (!options.fail_fast) return;
  if (chunk.ColumnCount() > 4)
    ThrowSparkError("FAILED_READ_FILE.NO_HINT", {{"path", chunk.GetValue(1, row).ToString()}});
  ThrowSparkError(condition, {{"badRecord", std::string(text)}, {"failFastMode", "FAILFAST"}});
}

void WriteCorruptRecord(const DataType& type, const RecordOptions& options, std::string_view text,
                        duckdb::Vector& result, idx_t row, bool keep_fields) {
  if (type.id() != TypeId::kStruct) {
    if (!keep_fields) WriteNull(result, row);
    return;
  }
  const std::string corrupt = options.Get("columnnameofcorruptrecord", "_corrupt_record");
  duckdb::FlatVector::Validity(result).SetValid(row);
  auto& members = duckdb::StructVector::GetEntries(result);
  for (size_t i = 0; i < members.size(); ++i) {
    if (type.fields()[i].name == corrupt && type.fields()[i].type->IsString()) {
      duckdb::FlatVector::SetNull(*members[i], row, false);
      row_kernel::Write(*members[i], row, text);
    } else if (!keep_fields) {
      WriteNull(*members[i], row);
    }
  }
}

Implementation WithRecordSchema(std::string kernel, bool reads) {
  return Build([kernel, reads](LoweringContext& context, const CallExpression& call,
                               LoweredArguments arguments) -> Result<LoweredExpression> {
    const DataType& schema = reads ? *call.type : *call.arguments[0]->type;
    LoweredArguments all;
    all.push_back(std::move(arguments[0]));
    if (arguments.size() > 2) all.push_back(std::move(arguments[2]));
    all.push_back(ConstantOf(duckdb::Value(schema.Json())));
    all.push_back(std::move(arguments[1]));
    all.push_back(ConstantOf(duckdb::Value(context.settings().time_zone)));
    return CallOf(kernel, std::move(all));
  });
}

}  // namespace frazil::engine
