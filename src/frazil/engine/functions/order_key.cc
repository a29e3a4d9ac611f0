#include "frazil/engine/functions/order_key.h"

#include <algorithm>
#include <string>

#include <duckdb/common/vector_operations/vector_operations.hpp>

namespace frazil::engine {
namespace {

using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;

LogicalType MembersType(const duckdb::vector<LogicalType>& members) {
  duckdb::child_list_t<LogicalType> types;
  for (const auto& member : members) {
    const std::string number = std::to_string(types.size() / 2);
    types.emplace_back("present" + number, LogicalType::BOOLEAN);
    types.emplace_back("value" + number, OrderKeyType(member));
  }
  return LogicalType::STRUCT(std::move(types));
}

// Fills the flag and the key of one member.
void AddMember(duckdb::Vector& member, idx_t count, duckdb::Vector& present, duckdb::Vector& value) {
  member.Flatten(count);
  const auto& validity = duckdb::FlatVector::Validity(member);
  auto* flags = duckdb::FlatVector::GetData<bool>(present);
  for (idx_t i = 0; i < count; ++i) flags[i] = validity.RowIsValid(i);
  MakeOrderKeys(member, count, value);
}

}  // namespace

LogicalType OrderKeyType(const LogicalType& type) {
  if (type.id() == LogicalTypeId::LIST) return LogicalType::LIST(MembersType({duckdb::ListType::GetChildType(type)}));
  if (type.id() != LogicalTypeId::STRUCT) return type;
  duckdb::vector<LogicalType> members;
  for (const auto& member : duckdb::StructType::GetChildTypes(type)) members.push_back(member.second);
  return MembersType(members);
}

void MakeOrderKeys(duckdb::Vector& values, idx_t count, duckdb::Vector& keys) {
  const auto& type = values.GetType();
  if (type.id() != LogicalTypeId::LIST && type.id() != LogicalTypeId::STRUCT) {
    keys.Reference(values);
    return;
  }
  values.Flatten(count);
  keys.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  if (type.id() == LogicalTypeId::STRUCT) {
    auto& members = duckdb::StructVector::GetEntries(values);
    auto& parts = duckdb::StructVector::GetEntries(keys);
    for (idx_t i = 0; i < members.size(); ++i) AddMember(*members[i], count, *parts[2 * i], *parts[2 * i + 1]);
  } else {
    const idx_t size = duckdb::ListVector::GetListSize(values);
    duckdb::ListVector::Reserve(keys, size);
    auto& parts = duckdb::StructVector::GetEntries(duckdb::ListVector::GetEntry(keys));
    AddMember(duckdb::ListVector::GetEntry(values), size, *parts[0], *parts[1]);
    duckdb::ListVector::SetListSize(keys, size);
    const auto* from = duckdb::FlatVector::GetData<duckdb::list_entry_t>(values);
    std::copy(from, from + count, duckdb::FlatVector::GetData<duckdb::list_entry_t>(keys));
  }
  duckdb::FlatVector::SetValidity(keys, duckdb::FlatVector::Validity(values));
}

namespace {

void OrderKey(duckdb::DataChunk& chunk, duckdb::ExpressionState&, duckdb::Vector& result) {
  const bool constant = chunk.AllConstant();
  const idx_t count = constant ? 1 : chunk.size();
  duckdb::Vector values(chunk.data[0].GetType(), count);
  duckdb::VectorOperations::Copy(chunk.data[0], values, count, 0, 0);
  MakeOrderKeys(values, count, result);
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

duckdb::unique_ptr<duckdb::FunctionData> BindOrderKey(
    duckdb::ClientContext&, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  function.arguments[0] = arguments[0]->return_type;
  function.SetReturnType(OrderKeyType(arguments[0]->return_type));
  return nullptr;
}

}  // namespace

bool NeedsOrderKey(const DataType& type) {
  return type.id() == TypeId::kArray || (type.id() == TypeId::kStruct && !type.fields().empty());
}

LoweredExpression OrderKeyOf(const DataType& type, LoweredExpression value) {
  return NeedsOrderKey(type) ? CallOf("spark_order_key", std::move(value)) : std::move(value);
}

void AddOrderKeyKernel(duckdb::ExtensionLoader& loader) {
  duckdb::ScalarFunction function("spark_order_key", {LogicalType::ANY}, LogicalType::ANY, OrderKey, BindOrderKey);
  function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  loader.RegisterFunction(function);
}

}  // namespace frazil::engine
