// Maps: made of arrays of keys and values; zipped arrays.

#include <unordered_map>

#include <duckdb/common/vector_operations/vector_operations.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>

#include "frazil/engine/functions/array_kernel.h"
#include "frazil/engine/functions/group_key.h"
#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/engine/functions/regular_expression.h"
#include "frazil/engine/functions/spark_functions.h"
#include "frazil/engine/type_mapping.h"

namespace frazil::engine {
namespace {

using duckdb::idx_t;
using duckdb::LogicalType;
using Range = ArrayArguments::Range;

// spark_make_map(keys, values, last wins): equal keys are an error, or the last one wins in the place of the first.
struct MakeMapData : duckdb::FunctionData {
  bool last_wins = false;
  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override { return duckdb::make_uniq<MakeMapData>(*this); }
  bool Equals(const duckdb::FunctionData& other) const override {
    return other.Cast<MakeMapData>().last_wins == last_wins;
  }
};

duckdb::unique_ptr<duckdb::FunctionData> BindMakeMap(
    duckdb::ClientContext& context, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  auto data = duckdb::make_uniq<MakeMapData>();
  data->last_wins = ConstantArguments(context, function, arguments, 1)[0].GetValue<bool>();
  for (size_t i = 0; i < 2; ++i) function.arguments[i] = arguments[i]->return_type;
  function.SetReturnType(LogicalType::MAP(duckdb::ListType::GetChildType(arguments[0]->return_type),
                                          duckdb::ListType::GetChildType(arguments[1]->return_type)));
  return data;
}

void MakeMap(duckdb::DataChunk& chunk, duckdb::ExpressionState& state, duckdb::Vector& result) {
  const bool last_wins = state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<MakeMapData>().last_wins;
  const bool constant = chunk.AllConstant();
  duckdb::DataChunk keys_chunk, values_chunk;
  keys_chunk.data.emplace_back(chunk.data[0]);
  keys_chunk.SetCardinality(chunk.size());
  values_chunk.data.emplace_back(chunk.data[1]);
  values_chunk.SetCardinality(chunk.size());
  ArrayArguments keys(keys_chunk, state, {ArrayPart::kList}, true),
      values(values_chunk, state, {ArrayPart::kList}, false);
  const idx_t count = constant ? 1 : chunk.size();
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* entries = duckdb::FlatVector::GetData<duckdb::list_entry_t>(result);
  Places key_places, value_places;
  std::unordered_map<ElementKey, size_t, ElementKey::Hash> seen;
  for (idx_t row = 0; row < count; ++row) {
    entries[row] = {key_places.size(), 0};
    if (keys.IsNull(0, row) || values.IsNull(0, row)) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    const Range key_range = keys.List(0, row), value_range = values.List(0, row);
    if (key_range.size != value_range.size) {
      ThrowSparkError(Error::Plain(ExceptionClass::kSparkRuntime,
                                   "The key array and value array of MapData must have the same length."));
    }
    seen.clear();
    for (idx_t i = 0; i < key_range.size; ++i) {
      const idx_t key = key_range.begin + i;
      if (keys.ElementIsNull(key)) ThrowSparkError("NULL_MAP_KEY");
      const auto [found, is_new] = seen.emplace(keys.Key(key), value_places.size());
      if (is_new) {
        key_places.push_back(key);
        value_places.push_back(value_range.begin + i);
      } else if (last_wins) {
        value_places[found->second] = value_range.begin + i;
      } else {
        ThrowSparkError("DUPLICATED_MAP_KEY", {{"key", keys.pool().GetValue(key).ToString()},
                                               {"mapKeyDedupPolicy", "\"spark.sql.mapKeyDedupPolicy\""}});
      }
    }
    entries[row].length = key_places.size() - entries[row].offset;
  }
  duckdb::ListVector::Reserve(result, key_places.size());
  duckdb::ListVector::SetListSize(result, key_places.size());
  duckdb::SelectionVector key_selection(key_places.size() + 1), value_selection(value_places.size() + 1);
  for (size_t i = 0; i < key_places.size(); ++i) {
    key_selection.set_index(i, key_places[i]);
    value_selection.set_index(i, value_places[i]);
  }
  if (!key_places.empty()) {
    duckdb::VectorOperations::Copy(keys.pool(), duckdb::MapVector::GetKeys(result), key_selection, key_places.size(), 0,
                                   0);
    NormalizeKeys(duckdb::MapVector::GetKeys(result), key_places.size());
    duckdb::VectorOperations::Copy(values.pool(), duckdb::MapVector::GetValues(result), value_selection,
                                   value_places.size(), 0, 0);
  }
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

// spark_entry_part(array of pairs, index): the array of keys or values; NULL where a pair is NULL.
struct EntryPartData : duckdb::FunctionData {
  idx_t index = 0;
  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override { return duckdb::make_uniq<EntryPartData>(*this); }
  bool Equals(const duckdb::FunctionData& other) const override { return other.Cast<EntryPartData>().index == index; }
};

duckdb::unique_ptr<duckdb::FunctionData> BindEntryPart(
    duckdb::ClientContext& context, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  auto data = duckdb::make_uniq<EntryPartData>();
  data->index = static_cast<idx_t>(ConstantArguments(context, function, arguments, 1)[0].GetValue<int32_t>());
  function.arguments[0] = arguments[0]->return_type;
  const auto& pair = duckdb::ListType::GetChildType(arguments[0]->return_type);
  function.SetReturnType(LogicalType::LIST(duckdb::StructType::GetChildType(pair, data->index)));
  return data;
}

void EntryPart(duckdb::DataChunk& chunk, duckdb::ExpressionState& state, duckdb::Vector& result) {
  const idx_t part = state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<EntryPartData>().index;
  const bool constant = chunk.AllConstant();
  const idx_t count = constant ? 1 : chunk.size();
  duckdb::UnifiedVectorFormat lists, pairs;
  chunk.data[0].ToUnifiedFormat(count, lists);
  const idx_t size = duckdb::ListVector::GetListSize(chunk.data[0]);
  duckdb::Vector child(duckdb::ListVector::GetEntry(chunk.data[0]));
  child.Flatten(size);
  child.ToUnifiedFormat(size, pairs);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* entries = duckdb::FlatVector::GetData<duckdb::list_entry_t>(result);
  Places places;
  for (idx_t row = 0; row < count; ++row) {
    const auto index = lists.sel->get_index(row);
    const size_t before = places.size();
    entries[row] = {before, 0};
    bool is_null = !lists.validity.RowIsValid(index);
    if (!is_null) {
      const auto entry = reinterpret_cast<const duckdb::list_entry_t*>(lists.data)[index];
      for (idx_t i = entry.offset; i < entry.offset + entry.length && !is_null; ++i) {
        is_null = !pairs.validity.RowIsValid(pairs.sel->get_index(i));
        places.push_back(i);
      }
    }
    if (is_null) {
      places.resize(before);
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    entries[row].length = places.size() - before;
  }
  AppendToList(result, *duckdb::StructVector::GetEntries(child)[part], places);
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

// spark_arrays_zip(a, b, ..., NULL of the result's type).
duckdb::unique_ptr<duckdb::FunctionData> BindZip(duckdb::ClientContext& context, duckdb::ScalarFunction& function,
                                                 duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  function.arguments.resize(arguments.size(), LogicalType::ANY);
  const auto type = ConstantArguments(context, function, arguments, 1)[0].type();
  function.arguments.clear();
  for (auto& argument : arguments) function.arguments.push_back(argument->return_type);
  function.varargs = LogicalType(LogicalType::INVALID);
  function.SetReturnType(type);
  return nullptr;
}

void Zip(duckdb::DataChunk& chunk, duckdb::ExpressionState& state, duckdb::Vector& result) {
  const bool constant = chunk.AllConstant();
  const idx_t count = constant ? 1 : chunk.size();
  std::vector<std::unique_ptr<duckdb::DataChunk>> chunks;
  std::vector<std::unique_ptr<ArrayArguments>> arrays;
  for (idx_t i = 0; i + 1 < chunk.ColumnCount(); ++i) {
    auto single = std::make_unique<duckdb::DataChunk>();
    single->data.emplace_back(chunk.data[i]);
    single->SetCardinality(chunk.size());
    arrays.push_back(std::make_unique<ArrayArguments>(*single, state, std::vector<ArrayPart>{ArrayPart::kList}, false));
    chunks.push_back(std::move(single));
  }
  // A constant beside vectors stands for every row.
  const auto row_of = [&](const ArrayArguments& array, idx_t row) { return array.constant() ? 0 : row; };
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* entries = duckdb::FlatVector::GetData<duckdb::list_entry_t>(result);
  std::vector<Places> places(arrays.size());
  idx_t total = 0;
  for (idx_t row = 0; row < count; ++row) {
    entries[row] = {total, 0};
    bool is_null = false;
    idx_t longest = 0;
    for (const auto& array : arrays) {
      is_null = is_null || array->IsNull(0, row_of(*array, row));
      if (!is_null) longest = std::max(longest, array->List(0, row_of(*array, row)).size);
    }
    if (is_null) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    for (size_t i = 0; i < arrays.size(); ++i) {
      const Range range = arrays[i]->List(0, row_of(*arrays[i], row));
      for (idx_t j = 0; j < longest; ++j)
        places[i].push_back(j < range.size ? range.begin + j : arrays[i]->null_place());
    }
    entries[row].length = longest;
    total += longest;
  }
  duckdb::ListVector::Reserve(result, total);
  duckdb::ListVector::SetListSize(result, total);
  auto& members = duckdb::StructVector::GetEntries(duckdb::ListVector::GetEntry(result));
  for (size_t i = 0; i < arrays.size() && total > 0; ++i) {
    duckdb::SelectionVector selection(total);
    for (idx_t j = 0; j < total; ++j) selection.set_index(j, places[i][j]);
    duckdb::VectorOperations::Copy(arrays[i]->pool(), *members[i], selection, total, 0, 0);
  }
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

// Parts of a text between the matches of a pattern, or the two parts around the first one.
std::vector<std::string> SplitPairs(std::string_view text, std::string_view pattern) {
  std::vector<std::string> parts;
  const auto& expression = RegularExpression::Of(pattern, "str_to_map");
  std::vector<RegularExpression::Span> groups;
  size_t begin = 0;
  for (size_t from = 0; expression.Find(text, from, &groups); from = AfterMatch(text, groups[0])) {
    if (groups[0].end == 0) continue;
    if (groups[0].begin == groups[0].end && groups[0].begin >= text.size()) break;
    parts.emplace_back(text.substr(begin, groups[0].begin - begin));
    begin = groups[0].end;
  }
  parts.emplace_back(text.substr(begin));
  return parts;
}

struct Pair {
  std::string key;
  std::optional<std::string> value;
};
Pair SplitPair(const std::string& text, std::string_view pattern) {
  const auto& expression = RegularExpression::Of(pattern, "str_to_map");
  std::vector<RegularExpression::Span> groups;
  if (!expression.Find(text, 0, &groups) || groups[0].end == 0) return {text, std::nullopt};
  return {text.substr(0, groups[0].begin), text.substr(groups[0].end)};
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  const auto register_special = [&](duckdb::ScalarFunction function, bool fallible) {
    function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
    if (fallible) function.SetFallible();
    loader.RegisterFunction(function);
  };
  register_special(duckdb::ScalarFunction("spark_make_map", {LogicalType::ANY, LogicalType::ANY, LogicalType::BOOLEAN},
                                          LogicalType::ANY, MakeMap, BindMakeMap),
                   true);
  register_special(duckdb::ScalarFunction("spark_entry_part", {LogicalType::ANY, LogicalType::INTEGER},
                                          LogicalType::ANY, EntryPart, BindEntryPart),
                   false);
  duckdb::ScalarFunction zip("spark_arrays_zip", {LogicalType::ANY}, LogicalType::ANY, Zip, BindZip);
  zip.varargs = LogicalType::ANY;
  register_special(zip, false);
  const auto V = LogicalType::VARCHAR;
  AddRowKernel(
      loader, "spark_pair_keys", {V, V, V}, LogicalType::LIST(V),
      [](std::string_view text, std::string_view pairs, std::string_view parts) -> std::vector<std::string> {
        std::vector<std::string> keys;
        for (const auto& pair : SplitPairs(text, pairs)) keys.push_back(SplitPair(pair, parts).key);
        return keys;
      },
      kFallible);
  AddRowKernel(
      loader, "spark_pair_values", {V, V, V}, LogicalType::LIST(V),
      [](std::string_view text, std::string_view pairs,
         std::string_view parts) -> std::vector<std::optional<std::string>> {
        std::vector<std::optional<std::string>> values;
        for (const auto& pair : SplitPairs(text, pairs)) values.push_back(SplitPair(pair, parts).value);
        return values;
      },
      kFallible);
}

LoweredExpression LastWins(LoweringContext& context) {
  const auto& lookup = context.settings().lookup;
  const auto setting = lookup ? lookup("spark.sql.mapKeyDedupPolicy") : std::nullopt;
  return ConstantOf(duckdb::Value::BOOLEAN(setting.value_or("EXCEPTION") == "LAST_WIN"));
}

Result<LoweredExpression> LowerMap(LoweringContext& context, const CallExpression& call, LoweredArguments arguments) {
  if (arguments.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(auto value, ToDuckDbValue(*call.type, Value(Value::List{})));
    return ConstantOf(std::move(value));
  }
  LoweredArguments keys, values;
  for (size_t i = 0; i + 1 < arguments.size(); i += 2) {
    keys.push_back(std::move(arguments[i]));
    values.push_back(std::move(arguments[i + 1]));
  }
  return CallOf("spark_make_map", CallOf("list_value", std::move(keys)), CallOf("list_value", std::move(values)),
                LastWins(context));
}

// The first argument of these is the policy for equal keys, which the settings say too.
Result<LoweredExpression> LowerMapConcat(LoweringContext& context, const CallExpression&, LoweredArguments arguments) {
  LoweredExpression keys, values;
  for (size_t i = 1; i < arguments.size(); ++i) {
    auto map_values = CallOf("map_values", arguments[i]->Copy());
    auto map_keys = CallOf("map_keys", std::move(arguments[i]));
    keys = keys == nullptr ? std::move(map_keys) : CallOf("spark_array_concat", std::move(keys), std::move(map_keys));
    values = values == nullptr ? std::move(map_values)
                               : CallOf("spark_array_concat", std::move(values), std::move(map_values));
  }
  return CallOf("spark_make_map", std::move(keys), std::move(values), LastWins(context));
}

Result<LoweredExpression> LowerMapFromArrays(LoweringContext& context, const CallExpression&,
                                             LoweredArguments arguments) {
  return CallOf("spark_make_map", std::move(arguments[1]), std::move(arguments[2]), LastWins(context));
}

Result<LoweredExpression> LowerMapFromEntries(LoweringContext& context, const CallExpression&,
                                              LoweredArguments arguments) {
  auto copy = arguments[1]->Copy();
  return CallOf("spark_make_map",
                CallOf("spark_entry_part", std::move(arguments[1]), ConstantOf(duckdb::Value::INTEGER(0))),
                CallOf("spark_entry_part", std::move(copy), ConstantOf(duckdb::Value::INTEGER(1))), LastWins(context));
}

Result<LoweredExpression> LowerStringToMap(LoweringContext& context, const CallExpression&,
                                           LoweredArguments arguments) {
  LoweredArguments for_keys, for_values;
  for (size_t i = 1; i < 4; ++i) {
    for_keys.push_back(arguments[i]->Copy());
    for_values.push_back(std::move(arguments[i]));
  }
  return CallOf("spark_make_map", CallOf("spark_pair_keys", std::move(for_keys)),
                CallOf("spark_pair_values", std::move(for_values)), LastWins(context));
}

Result<LoweredExpression> LowerZip(LoweringContext&, const CallExpression& call, LoweredArguments arguments) {
  FRAZIL_ASSIGN_OR_RETURN(auto type, ToDuckDbType(*call.type));
  arguments.push_back(CastOf(ConstantOf(duckdb::Value()), type));
  return CallOf("spark_arrays_zip", std::move(arguments));
}

}  // namespace

void RegisterMapFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  registry.AddScalar("map", Build(LowerMap));
  registry.AddScalar("map_concat", Build(LowerMapConcat));
  registry.AddScalar("map_from_arrays", Build(LowerMapFromArrays));
  registry.AddScalar("map_from_entries", Build(LowerMapFromEntries));
  registry.AddScalar("str_to_map", Build(LowerStringToMap));
  registry.AddScalar("map_contains_key", Template("spark_array_contains(map_keys($1), $2)"));
  registry.AddScalar("map_keys", Direct("map_keys"));
  registry.AddScalar("map_values", Direct("map_values"));
  registry.AddScalar("map_entries", Direct("map_entries"));
  registry.AddScalar("arrays_zip", Build(LowerZip));
}

}  // namespace frazil::engine
