// from_json, to_json, from_csv, to_csv.

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/engine/functions/csv_line.h"
#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/engine/functions/record_functions.h"
#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/spark_functions.h"
#include "frazil/engine/functions/text_record.h"
#include "frazil/engine/functions/utf8.h"
#include "frazil/engine/type_mapping.h"

namespace frazil::engine {
namespace {

using duckdb::idx_t;
using duckdb::LogicalType;

void FromJson(duckdb::DataChunk& chunk, duckdb::ExpressionState& state, duckdb::Vector& result) {
  const auto& data = RecordDataOf(state);
  const bool constant = chunk.AllConstant();
  const idx_t count = constant ? 1 : chunk.size();
  row_kernel::Reader<std::string_view> texts;
  texts.Prepare(chunk.data[0], count);
  const JsonOptions json_options = data.options.json();
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (idx_t row = 0; row < count; ++row) {
    if (!texts.IsValid(row)) {
      WriteNull(result, row);
      continue;
    }
    const auto text = texts.Get(row);
    if (TrimBlanks(text).empty()) {
      WriteNull(result, row);
      continue;
    }
    auto json = ReadJson(text, json_options, false, data.selection);
    // An array of structs may come as one struct, but no struct as an array.
    if (json.has_value() && data.type->id() == TypeId::kArray && data.type->element_type()->id() == TypeId::kStruct &&
        json->kind == Json::Kind::kObject) {
      Json list;
      list.kind = Json::Kind::kArray;
      list.items.push_back(std::move(*json));
      json = std::move(list);
    }
    const bool is_array = json.has_value() && json->kind == Json::Kind::kArray;
    const bool array_as_struct = is_array && data.type->id() == TypeId::kStruct;
    // The literal null is a value inside a document only.
    const bool is_value = json.has_value() && json->kind != Json::Kind::kNull && !array_as_struct;
    bool complete = true;
    const bool is_written = is_value && WriteJson(*data.type, *json, data.options, result, row, &complete);
    if (is_written && complete) continue;
    CheckRecordMode(
        data.options,
        array_as_struct ? "MALFORMED_RECORD_IN_PARSING.CANNOT_PARSE_JSON_ARRAYS_AS_STRUCTS" : kMalformedRecord, text,
        chunk, row);
    WriteCorruptRecord(*data.type, data.options, text, result, row, is_written);
  }
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

// The rows of a record of a JSON file: each member of an array is one. A member that is no object spoils the record;
// one with a field that does not fit marks all rows of the record.
void JsonRows(duckdb::DataChunk& chunk, duckdb::ExpressionState& state, duckdb::Vector& result) {
  const auto& data = RecordDataOf(state);
  const DataType& type = *data.type->element_type();
  const idx_t count = chunk.size();
  row_kernel::Reader<std::string_view> texts;
  texts.Prepare(chunk.data[0], count);
  const JsonOptions json_options = data.options.json();
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  idx_t begin = duckdb::ListVector::GetListSize(result);
  for (idx_t row = 0; row < count; ++row) {
    if (!texts.IsValid(row)) {
      WriteNull(result, row);
      continue;
    }
    // Files may hold bytes that are no text: no JSON, and shown with replacements.
    std::string shown;
    auto text = texts.Get(row);
    std::optional<Json> json;
    if (IsValidUtf8(text)) {
      json = ReadJson(text, json_options, false, data.selection);
    } else {
      shown = MakeValidUtf8(text);
      text = shown;
    }
    std::vector<const Json*> records;
    if (json.has_value() && json->kind == Json::Kind::kArray) {
      for (const auto& item : json->items) records.push_back(&item);
    } else {
      records.push_back(json.has_value() ? &*json : nullptr);
    }
    bool is_written = true, complete = true;
    idx_t size = records.size();
    duckdb::ListVector::Reserve(result, begin + size);
    auto& rows = duckdb::ListVector::GetEntry(result);
    for (idx_t i = 0; i < size && is_written; ++i) {
      is_written = records[i] != nullptr && records[i]->kind != Json::Kind::kNull &&
                   WriteJson(type, *records[i], data.options, rows, begin + i, &complete);
    }
    if (!is_written || !complete) {
      CheckRecordMode(data.options, kMalformedRecord, text, chunk, row);
      if (!is_written) size = 1;
      for (idx_t i = 0; i < size; ++i) WriteCorruptRecord(type, data.options, text, rows, begin + i, is_written);
    }
    duckdb::FlatVector::SetNull(result, row, false);
    duckdb::FlatVector::GetData<duckdb::list_entry_t>(result)[row] = {begin, size};
    begin += size;
    duckdb::ListVector::SetListSize(result, begin);
  }
  if (chunk.AllConstant()) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

void ToJson(duckdb::DataChunk& chunk, duckdb::ExpressionState& state, duckdb::Vector& result) {
  const auto& data = RecordDataOf(state);
  WriteRecordTexts(chunk, result, [&](const VectorReader& reader, idx_t row, std::string* text) {
    AppendJsonValue(*data.type, reader, row, data.options, text);
  });
}

void FromCsv(duckdb::DataChunk& chunk, duckdb::ExpressionState& state, duckdb::Vector& result) {
  const auto& data = RecordDataOf(state);
  const CsvShape shape(data.options.values);
  const std::string corrupt = data.options.Get("columnnameofcorruptrecord", "_corrupt_record");
  const bool constant = chunk.AllConstant();
  const idx_t count = constant ? 1 : chunk.size();
  row_kernel::Reader<std::string_view> texts;
  texts.Prepare(chunk.data[0], count);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto& members = duckdb::StructVector::GetEntries(result);
  for (idx_t row = 0; row < count; ++row) {
    if (!texts.IsValid(row)) {
      WriteNull(result, row);
      continue;
    }
    const auto cells = SplitCsvLine(texts.Get(row), shape);
    duckdb::FlatVector::Validity(result).SetValid(row);
    bool malformed = false;
    size_t next = 0, wanted = 0;
    for (size_t i = 0; i < members.size(); ++i) {
      const auto& field = data.type->fields()[i];
      if (field.name == corrupt) {
        WriteNull(*members[i], row);
        continue;
      }
      ++wanted;
      const bool has_cell = next < cells.size();
      const std::optional<std::string>* cell = has_cell ? &cells[next++] : nullptr;
      if (!has_cell) malformed = true;
      if (!has_cell || !cell->has_value()) {
        WriteNull(*members[i], row);
      } else if (!WriteText(*field.type, **cell, data.options, *members[i], row)) {
        WriteNull(*members[i], row);
        malformed = true;
      }
    }
    if (cells.size() > wanted) malformed = true;
    if (malformed) {
      CheckRecordMode(data.options, kMalformedRecord, texts.Get(row), chunk, row);
      WriteCorruptRecord(*data.type, data.options, texts.Get(row), result, row, true);
    }
  }
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

void ToCsv(duckdb::DataChunk& chunk, duckdb::ExpressionState& state, duckdb::Vector& result) {
  const auto& data = RecordDataOf(state);
  const CsvWriting writing(data.options.values);
  WriteRecordTexts(chunk, result, [&](const VectorReader& reader, idx_t row, std::string* line) {
    const auto at = reader.unified.sel->get_index(row);
    for (size_t i = 0; i < data.type->fields().size(); ++i) {
      if (i > 0) *line += writing.shape.separator;
      AppendCsvCell(SimpleText(*data.type->fields()[i].type, reader.children[i], at, data.options), i == 0, writing,
                    line);
    }
  });
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  const auto V = LogicalType::VARCHAR;
  const auto add = [&](const char* name, LogicalType input, LogicalType output, duckdb::scalar_function_t run,
                       duckdb::bind_scalar_function_t bind) {
    duckdb::ScalarFunctionSet set(name);
    for (const bool with_path : {false, true}) {
      duckdb::vector<LogicalType> types(with_path ? size_t{5} : size_t{4}, V);
      types[0] = input;
      duckdb::ScalarFunction function(name, std::move(types), output, run, bind);
      function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
      function.SetFallible();
      set.AddFunction(std::move(function));
    }
    loader.RegisterFunction(std::move(set));
  };
  add("spark_from_json", V, LogicalType::ANY, FromJson, BindRecordReading);
  add("spark_json_rows", V, LogicalType::ANY, JsonRows, BindRecordReading);
  add("spark_from_csv", V, LogicalType::ANY, FromCsv, BindRecordReading);
  add("spark_to_json", LogicalType::ANY, V, ToJson, BindRecordWriting);
  add("spark_to_csv", LogicalType::ANY, V, ToCsv, BindRecordWriting);
}

}  // namespace

void RegisterStructTextFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  registry.AddScalar("from_json", WithRecordSchema("spark_from_json", true));
  registry.AddScalar("json_rows", WithRecordSchema("spark_json_rows", true));
  registry.AddScalar("from_csv", WithRecordSchema("spark_from_csv", true));
  registry.AddScalar("to_json", WithRecordSchema("spark_to_json", false));
  registry.AddScalar("to_csv", WithRecordSchema("spark_to_csv", false));
}

}  // namespace frazil::engine
