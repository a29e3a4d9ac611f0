#include "frazil/engine/functions/list_room.h"

#include <duckdb/execution/expression_executor.hpp>
#include <duckdb/main/extension/extension_loader.hpp>
#include <duckdb/storage/buffer_manager.hpp>

#include "frazil/engine/functions/kernel_error.h"

namespace frazil::engine {
namespace {

using duckdb::idx_t;
using duckdb::LogicalType;

constexpr idx_t kLongestConstant = 100'000;
// Below, asking the buffer manager is not worth its locks.
constexpr idx_t kSmallBytes = 16 << 20;

bool IsFolding(const duckdb::ExpressionState& state) {
  return state.root.executor != nullptr && state.root.executor->chunk == nullptr;
}

duckdb::unique_ptr<duckdb::FunctionData> BindFirst(duckdb::ClientContext&, duckdb::ScalarFunction& function,
                                                   duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  function.arguments[0] = arguments[0]->return_type;
  function.SetReturnType(arguments[0]->return_type);
  return nullptr;
}

void ListRoom(duckdb::DataChunk& arguments, duckdb::ExpressionState& state, duckdb::Vector& result) {
  auto& list = arguments.data[0];
  if (list.GetType().id() == duckdb::LogicalTypeId::LIST || list.GetType().id() == duckdb::LogicalTypeId::MAP) {
    duckdb::UnifiedVectorFormat bytes;
    arguments.data[1].ToUnifiedFormat(arguments.size(), bytes);
    // The list itself is there already; DuckDB keeps a row number for each element of a lambda's result.
    const auto result_bytes = static_cast<idx_t>(reinterpret_cast<const int64_t*>(bytes.data)[bytes.sel->get_index(0)]);
    CheckListRoom(state, duckdb::ListVector::GetListSize(list),
                  ElementBytes(duckdb::ListVector::GetEntry(list).GetType()) + result_bytes + sizeof(duckdb::sel_t));
  }
  result.Reference(list);
}

void Interruptible(duckdb::DataChunk& arguments, duckdb::ExpressionState& state, duckdb::Vector& result) {
  CheckInterrupted(state);
  result.Reference(arguments.data[0]);
}

}  // namespace

void CheckListRoom(duckdb::ExpressionState& state, idx_t elements, idx_t element_bytes) {
  CheckInterrupted(state);
  if (elements > kLongestConstant && IsFolding(state)) {
    throw duckdb::OutOfMemoryException("A list of %llu elements is too long for a constant", elements);
  }
  const idx_t bytes = elements * element_bytes;
  if (bytes <= kSmallBytes || !state.HasContext()) return;
  auto& buffers = duckdb::BufferManager::GetBufferManager(state.GetContext());
  try {
    buffers.ReserveMemory(bytes);
  } catch (const duckdb::OutOfMemoryException&) {
    const idx_t used = buffers.GetUsedMemory(), most = buffers.GetMaxMemory();
    ThrowSparkError(Error::Of(
        ExceptionClass::kSpark, "UNABLE_TO_ACQUIRE_MEMORY",
        {{"requestedBytes", std::to_string(bytes)}, {"receivedBytes", std::to_string(most > used ? most - used : 0)}}));
  }
  buffers.FreeReservedMemory(bytes);
}

void CheckInterrupted(duckdb::ExpressionState& state) {
  if (state.HasContext() && state.GetContext().interrupted) throw duckdb::InterruptException();
}

idx_t ElementBytes(const LogicalType& type) {
  if (type.InternalType() != duckdb::PhysicalType::STRUCT) return duckdb::GetTypeIdSize(type.InternalType());
  idx_t bytes = 0;
  for (const auto& member : duckdb::StructType::GetChildTypes(type)) bytes += ElementBytes(member.second);
  return bytes;
}

void RegisterListRoomKernels(duckdb::ExtensionLoader& loader) {
  duckdb::ScalarFunction room("spark_list_room", {LogicalType::ANY, LogicalType::BIGINT}, LogicalType::ANY, ListRoom,
                              BindFirst);
  duckdb::ScalarFunction interruptible("spark_interruptible", {LogicalType::ANY}, LogicalType::ANY, Interruptible,
                                       BindFirst);
  for (auto* kernel : {&room, &interruptible}) {
    kernel->SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
    loader.RegisterFunction(*kernel);
  }
}

}  // namespace frazil::engine
