#include "frazil/engine/functions/array_kernel.h"

#include <bit>
#include <cmath>
#include <limits>

#include <duckdb/common/vector_operations/vector_operations.hpp>
#include <duckdb/function/create_sort_key.hpp>

#include "frazil/engine/functions/list_room.h"
#include "frazil/engine/functions/order_key.h"

namespace frazil::engine {
namespace {

using duckdb::idx_t;
using duckdb::LogicalType;

LogicalType ElementType(const duckdb::DataChunk& chunk, const std::vector<ArrayPart>& parts) {
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == ArrayPart::kList) return duckdb::ListType::GetChildType(chunk.data[i].GetType());
    if (parts[i] == ArrayPart::kElement) return chunk.data[i].GetType();
  }
  return LogicalType::SQLNULL;
}

// Numbers of the same order.
template <typename T>
uint64_t OrderedNumber(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr uint64_t kSign = uint64_t{1} << 63;
    double wide = value;
    if (wide == 0) wide = 0;  // Without the sign.
    if (std::isnan(wide)) wide = std::numeric_limits<double>::quiet_NaN();
    const auto bits = std::bit_cast<uint64_t>(wide);
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<uint64_t>(static_cast<int64_t>(value)) ^ uint64_t { 1 } << 63;
  } else {
    return value;
  }
}

// Calls with a value of the C++ type of simple elements; false where the type is none of those.
template <typename Call>
bool WithSimpleType(duckdb::PhysicalType type, const Call& call) {
  switch (type) {
    case duckdb::PhysicalType::BOOL:
      call(uint8_t{});
      return true;
    case duckdb::PhysicalType::INT8:
      call(int8_t{});
      return true;
    case duckdb::PhysicalType::INT16:
      call(int16_t{});
      return true;
    case duckdb::PhysicalType::INT32:
      call(int32_t{});
      return true;
    case duckdb::PhysicalType::INT64:
      call(int64_t{});
      return true;
    case duckdb::PhysicalType::FLOAT:
      call(float{});
      return true;
    case duckdb::PhysicalType::DOUBLE:
      call(double{});
      return true;
    default:
      return false;
  }
}

}  // namespace

ArrayArguments::ArrayArguments(duckdb::DataChunk& chunk, duckdb::ExpressionState& state,
                               const std::vector<ArrayPart>& parts, bool with_keys, bool with_pool)
    : state_(state) {
  constant_ = chunk.ColumnCount() > 0 && chunk.AllConstant();
  rows_ = constant_ ? 1 : chunk.size();
  parts_.resize(parts.size());
  idx_t total = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    Part& part = parts_[i];
    part.kind = parts[i];
    chunk.data[i].ToUnifiedFormat(rows_, part.format);
    part.base = total;
    part.physical = chunk.data[i].GetType().InternalType();
    total += ElementsOf(chunk, i).second;
  }
  const LogicalType type = ElementType(chunk, parts);
  const idx_t capacity = total + 1;
  // Each key is a text of its own, at the most.
  const idx_t key_bytes = with_keys ? sizeof(duckdb::string_t) + sizeof(uint64_t) : 0;
  CheckListRoom(state, capacity, ElementBytes(type) + key_bytes);
  null_place_ = total;
  const bool is_simple = WithSimpleType(type.InternalType(), [](auto) {});
  if (with_pool || !is_simple) MakePool(chunk, capacity);
  if (pool_ == nullptr) validity_.Initialize(capacity);
  if (with_keys && is_simple) {
    numbers_.resize(capacity);
    for (size_t i = 0; i < parts.size(); ++i) {
      const auto [elements, count] = ElementsOf(chunk, i);
      if (count == 0) continue;
      WithSimpleType(type.InternalType(), [elements = elements, count = count, base = parts_[i].base, this](
                                              auto example) { AddNumbers<decltype(example)>(*elements, count, base); });
    }
  } else if (with_keys && type.InternalType() == duckdb::PhysicalType::VARCHAR) {
    // Also of bytes: both are in the order of their bytes.
    key_data_ = duckdb::FlatVector::GetData<duckdb::string_t>(*pool_);
  } else if (with_keys) {
    MakeSortKeys(capacity);
  }
  validity_.SetInvalid(null_place_);
}

std::pair<duckdb::Vector*, idx_t> ArrayArguments::ElementsOf(duckdb::DataChunk& chunk, size_t part) const {
  auto& vector = chunk.data[part];
  switch (parts_[part].kind) {
    case ArrayPart::kList:
      return {&duckdb::ListVector::GetEntry(vector), duckdb::ListVector::GetListSize(vector)};
    case ArrayPart::kElement:
      return {&vector, rows_};
    case ArrayPart::kInteger:
      break;
  }
  return {nullptr, 0};
}

void ArrayArguments::MakePool(duckdb::DataChunk& chunk, idx_t capacity) {
  std::vector<ArrayPart> kinds;
  for (const Part& part : parts_) kinds.push_back(part.kind);
  pool_ = std::make_unique<duckdb::Vector>(ElementType(chunk, kinds), capacity);
  for (size_t i = 0; i < parts_.size(); ++i) {
    const auto [elements, count] = ElementsOf(chunk, i);
    if (count > 0) duckdb::VectorOperations::Copy(*elements, *pool_, count, 0, parts_[i].base);
  }
  duckdb::FlatVector::SetNull(*pool_, null_place_, true);
  validity_ = duckdb::FlatVector::Validity(*pool_);
}

template <typename T>
void ArrayArguments::AddNumbers(duckdb::Vector& elements, idx_t count, idx_t base) {
  duckdb::UnifiedVectorFormat format;
  elements.ToUnifiedFormat(count, format);
  const auto* values = reinterpret_cast<const T*>(format.data);
  for (idx_t i = 0; i < count; ++i) numbers_[base + i] = OrderedNumber(values[format.sel->get_index(i)]);
  if (pool_ != nullptr || format.validity.AllValid()) return;
  for (idx_t i = 0; i < count; ++i) {
    if (!format.validity.RowIsValid(format.sel->get_index(i))) validity_.SetInvalid(base + i);
  }
}

void ArrayArguments::MakeSortKeys(idx_t count) {
  keys_ = std::make_unique<duckdb::Vector>(LogicalType::BLOB, count);
  duckdb::Vector ordered(OrderKeyType(pool_->GetType()), count);
  MakeOrderKeys(*pool_, count, ordered);
  duckdb::CreateSortKeyHelpers::CreateSortKey(
      ordered, count, duckdb::OrderModifiers(duckdb::OrderType::ASCENDING, duckdb::OrderByNullType::NULLS_FIRST),
      *keys_);
  keys_->Flatten(count);
  key_data_ = duckdb::FlatVector::GetData<duckdb::string_t>(*keys_);
}

void ArrayArguments::CheckRoom(idx_t elements) const {
  CheckListRoom(state_, elements, sizeof(idx_t) + ElementBytes(pool_->GetType()));
}

bool ArrayArguments::IsNull(size_t part, idx_t row) const {
  const auto& format = parts_[part].format;
  return !format.validity.RowIsValid(format.sel->get_index(row));
}

ArrayArguments::Range ArrayArguments::List(size_t part, idx_t row) const {
  const auto& format = parts_[part].format;
  const auto& entry = reinterpret_cast<const duckdb::list_entry_t*>(format.data)[format.sel->get_index(row)];
  return {parts_[part].base + entry.offset, entry.length};
}

idx_t ArrayArguments::Element(size_t part, idx_t row) const { return parts_[part].base + row; }

int64_t ArrayArguments::Integer(size_t part, idx_t row) const {
  const auto& format = parts_[part].format;
  const auto index = format.sel->get_index(row);
  switch (parts_[part].physical) {
    case duckdb::PhysicalType::BOOL:
    case duckdb::PhysicalType::INT8:
      return reinterpret_cast<const int8_t*>(format.data)[index];
    case duckdb::PhysicalType::INT16:
      return reinterpret_cast<const int16_t*>(format.data)[index];
    case duckdb::PhysicalType::INT32:
      return reinterpret_cast<const int32_t*>(format.data)[index];
    default:
      return reinterpret_cast<const int64_t*>(format.data)[index];
  }
}

idx_t AppendToList(duckdb::Vector& list, duckdb::Vector& source, const Places& places) {
  const idx_t offset = duckdb::ListVector::GetListSize(list);
  if (places.empty()) return offset;
  duckdb::ListVector::Reserve(list, offset + places.size());
  duckdb::SelectionVector selection(places.size());
  for (size_t i = 0; i < places.size(); ++i) selection.set_index(i, places[i]);
  duckdb::VectorOperations::Copy(source, duckdb::ListVector::GetEntry(list), selection, places.size(), 0, offset);
  duckdb::ListVector::SetListSize(list, offset + places.size());
  return offset;
}

namespace {

// What the registered function needs to run; shared by its copies.
struct Definition {
  std::vector<ArrayPart> parts;
  ArrayKernelOptions options;
  bool AnyNull(const ArrayArguments& arguments, idx_t row) const {
    if (!options.null_if_any) return false;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i] != ArrayPart::kElement && arguments.IsNull(i, row)) return true;
    }
    return false;
  }
};

duckdb::vector<LogicalType> ArgumentTypes(const std::vector<ArrayPart>& parts) {
  duckdb::vector<LogicalType> types;
  for (size_t i = 0; i < parts.size(); ++i) types.emplace_back(LogicalType::ANY);
  return types;
}

enum class Shape : uint8_t { kArray, kElement, kListOfFirst };

template <Shape kShape>
duckdb::unique_ptr<duckdb::FunctionData> BindShape(duckdb::ClientContext&, duckdb::ScalarFunction& function,
                                                   duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  LogicalType list;
  bool found = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    function.arguments[i] = arguments[i]->return_type;
    if (!found && arguments[i]->return_type.id() == duckdb::LogicalTypeId::LIST) {
      list = arguments[i]->return_type;
      found = true;
    }
  }
  // Without an array the first argument is the element (which may be an array itself).
  if (!found || kShape == Shape::kListOfFirst) list = LogicalType::LIST(arguments[0]->return_type);
  function.SetReturnType(kShape == Shape::kElement ? duckdb::ListType::GetChildType(list) : list);
  return nullptr;
}

duckdb::unique_ptr<duckdb::FunctionData> BindPlain(duckdb::ClientContext&, duckdb::ScalarFunction& function,
                                                   duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) function.arguments[i] = arguments[i]->return_type;
  return nullptr;
}

void Register(duckdb::ExtensionLoader& loader, std::string name, const std::vector<ArrayPart>& parts,
              LogicalType result, duckdb::scalar_function_t function, duckdb::bind_scalar_function_t bind,
              KernelTraits traits) {
  duckdb::ScalarFunction kernel(std::move(name), ArgumentTypes(parts), std::move(result), std::move(function), bind);
  kernel.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  if (traits.fallible) kernel.SetFallible();
  if (traits.is_volatile) kernel.SetVolatile();
  loader.RegisterFunction(kernel);
}

}  // namespace

void AddArrayKernel(duckdb::ExtensionLoader& loader, std::string name, std::vector<ArrayPart> parts,
                    ArrayRow row_function, ArrayKernelOptions options) {
  Definition definition{parts, options};
  auto run = [definition, row_function](duckdb::DataChunk& chunk, duckdb::ExpressionState& state,
                                        duckdb::Vector& result) {
    ArrayArguments arguments(chunk, state, definition.parts, definition.options.keys);
    result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
    auto* entries = duckdb::FlatVector::GetData<duckdb::list_entry_t>(result);
    const idx_t first = duckdb::ListVector::GetListSize(result);
    Places places;
    for (idx_t row = 0; row < arguments.rows(); ++row) {
      const idx_t before = places.size();
      entries[row] = {first + before, 0};
      if (definition.AnyNull(arguments, row) || !row_function(arguments, row, &places)) {
        places.resize(before);
        duckdb::FlatVector::SetNull(result, row, true);
        continue;
      }
      entries[row].length = places.size() - before;
    }
    arguments.CheckRoom(places.size());
    AppendToList(result, arguments.pool(), places);
    if (arguments.constant()) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
  };
  const bool takes_list = std::find(parts.begin(), parts.end(), ArrayPart::kList) != parts.end();
  Register(loader, std::move(name), parts, LogicalType::ANY, run,
           takes_list ? BindShape<Shape::kArray> : BindShape<Shape::kListOfFirst>, options.traits);
}

void AddElementKernel(duckdb::ExtensionLoader& loader, std::string name, std::vector<ArrayPart> parts,
                      ElementRow row_function, ArrayKernelOptions options) {
  Definition definition{parts, options};
  auto run = [definition, row_function](duckdb::DataChunk& chunk, duckdb::ExpressionState& state,
                                        duckdb::Vector& result) {
    ArrayArguments arguments(chunk, state, definition.parts, definition.options.keys);
    duckdb::SelectionVector selection(arguments.rows());
    for (idx_t row = 0; row < arguments.rows(); ++row) {
      const int64_t place = definition.AnyNull(arguments, row) ? -1 : row_function(arguments, row);
      selection.set_index(row, place < 0 ? arguments.null_place() : static_cast<idx_t>(place));
    }
    result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
    duckdb::VectorOperations::Copy(arguments.pool(), result, selection, arguments.rows(), 0, 0);
    if (arguments.constant()) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
  };
  Register(loader, std::move(name), parts, LogicalType::ANY, run, BindShape<Shape::kElement>, options.traits);
}

void AddNumberKernel(duckdb::ExtensionLoader& loader, std::string name, std::vector<ArrayPart> parts,
                     LogicalType result_type, NumberRow row_function, ArrayKernelOptions options) {
  Definition definition{parts, options};
  auto run = [definition, row_function](duckdb::DataChunk& chunk, duckdb::ExpressionState& state,
                                        duckdb::Vector& result) {
    ArrayArguments arguments(chunk, state, definition.parts, definition.options.keys, false);
    result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
    for (idx_t row = 0; row < arguments.rows(); ++row) {
      const auto value = definition.AnyNull(arguments, row) ? std::nullopt : row_function(arguments, row);
      if (!value.has_value()) {
        duckdb::FlatVector::SetNull(result, row, true);
        continue;
      }
      switch (result.GetType().InternalType()) {
        case duckdb::PhysicalType::BOOL:
          row_kernel::Write(result, row, *value != 0);
          break;
        case duckdb::PhysicalType::INT32:
          row_kernel::Write(result, row, static_cast<int32_t>(*value));
          break;
        default:
          row_kernel::Write(result, row, *value);
          break;
      }
    }
    if (arguments.constant()) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
  };
  Register(loader, std::move(name), parts, std::move(result_type), run, BindPlain, options.traits);
}

}  // namespace frazil::engine
