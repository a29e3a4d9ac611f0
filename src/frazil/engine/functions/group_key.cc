#include "frazil/engine/functions/group_key.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <duckdb/common/value_operations/value_operations.hpp>
#include <duckdb/common/vector_operations/vector_operations.hpp>

namespace frazil::engine {
namespace {

using duckdb::idx_t;
using duckdb::LogicalType;

template <typename T>
void NormalizeFloats(duckdb::Vector& vector, idx_t count) {
  auto* values = duckdb::FlatVector::GetData<T>(vector);
  for (idx_t i = 0; i < count; ++i) {
    if (values[i] == 0) values[i] = 0;
    if (std::isnan(values[i])) values[i] = std::numeric_limits<T>::quiet_NaN();
  }
}

void SortEntries(duckdb::Vector& map, idx_t count) {
  auto& entries = duckdb::ListVector::GetEntry(map);
  const idx_t size = duckdb::ListVector::GetListSize(map);
  auto& keys = duckdb::MapVector::GetKeys(map);
  const auto* lists = duckdb::FlatVector::GetData<duckdb::list_entry_t>(map);
  duckdb::SelectionVector order(size + 1);
  for (idx_t i = 0; i < size; ++i) order.set_index(i, i);
  for (idx_t row = 0; row < count; ++row) {
    if (!duckdb::FlatVector::Validity(map).RowIsValid(row) || lists[row].length < 2) continue;
    const idx_t begin = lists[row].offset;
    std::vector<duckdb::Value> values;
    for (idx_t i = 0; i < lists[row].length; ++i) values.push_back(keys.GetValue(begin + i));
    std::vector<idx_t> places(values.size());
    std::iota(places.begin(), places.end(), 0);
    std::stable_sort(places.begin(), places.end(),
                     [&](idx_t a, idx_t b) { return duckdb::ValueOperations::DistinctLessThan(values[a], values[b]); });
    for (idx_t i = 0; i < places.size(); ++i) order.set_index(begin + i, begin + places[i]);
  }
  if (size == 0) return;
  duckdb::Vector sorted(entries.GetType(), size);
  duckdb::VectorOperations::Copy(entries, sorted, order, size, 0, 0);
  duckdb::VectorOperations::Copy(sorted, entries, size, 0, 0);
}

}  // namespace

void NormalizeKeys(duckdb::Vector& vector, idx_t count) {
  switch (vector.GetType().id()) {
    case duckdb::LogicalTypeId::FLOAT:
      NormalizeFloats<float>(vector, count);
      return;
    case duckdb::LogicalTypeId::DOUBLE:
      NormalizeFloats<double>(vector, count);
      return;
    case duckdb::LogicalTypeId::STRUCT:
      for (auto& child : duckdb::StructVector::GetEntries(vector)) NormalizeKeys(*child, count);
      return;
    case duckdb::LogicalTypeId::LIST:
      NormalizeKeys(duckdb::ListVector::GetEntry(vector), duckdb::ListVector::GetListSize(vector));
      return;
    case duckdb::LogicalTypeId::MAP:
      NormalizeKeys(duckdb::ListVector::GetEntry(vector), duckdb::ListVector::GetListSize(vector));
      SortEntries(vector, count);
      return;
    default:
      return;
  }
}

namespace {

void GroupKey(duckdb::DataChunk& chunk, duckdb::ExpressionState&, duckdb::Vector& result) {
  const bool constant = chunk.AllConstant();
  const idx_t count = constant ? 1 : chunk.size();
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  duckdb::VectorOperations::Copy(chunk.data[0], result, count, 0, 0);
  NormalizeKeys(result, count);
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

duckdb::unique_ptr<duckdb::FunctionData> BindGroupKey(
    duckdb::ClientContext&, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  function.arguments[0] = arguments[0]->return_type;
  function.SetReturnType(arguments[0]->return_type);
  return nullptr;
}

}  // namespace

bool NeedsGroupKey(const DataType& type) {
  switch (type.id()) {
    case TypeId::kFloat:
    case TypeId::kDouble:
    case TypeId::kMap:
      return true;
    case TypeId::kArray:
      return NeedsGroupKey(*type.element_type());
    case TypeId::kStruct:
      return std::any_of(type.fields().begin(), type.fields().end(),
                         [](const StructField& field) { return NeedsGroupKey(*field.type); });
    default:
      return false;
  }
}

LoweredExpression GroupKeyOf(const DataType& type, LoweredExpression value) {
  return NeedsGroupKey(type) ? CallOf("spark_group_key", std::move(value)) : std::move(value);
}

void AddGroupKeyKernel(duckdb::ExtensionLoader& loader) {
  duckdb::ScalarFunction function("spark_group_key", {LogicalType::ANY}, LogicalType::ANY, GroupKey, BindGroupKey);
  function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  loader.RegisterFunction(function);
}

}  // namespace frazil::engine
