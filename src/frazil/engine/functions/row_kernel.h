#pragma once

// Makes a vectorised DuckDB function out of a C++ function of one row. Internal to engine/.
//
//   AddRowKernel(loader, "spark_left", {VARCHAR, INTEGER}, VARCHAR, [](std::string_view text, int32_t count) ->
//   std::string { ... });
//
// The function's parameters are read from the vectors as their C++ types say: bool, the integers, float, double,
// hugeint_t, std::string_view (VARCHAR, BLOB); DATE is int32_t, timestamps, TIME and BIGINT int64_t. A row with a NULL
// gives NULL, unless its parameter is std::optional. The function may return std::optional (NULL), text as std::string
// or std::string_view, a list of texts as std::vector<std::string>. A function that makes long lists takes the
// duckdb::ExpressionState& as a further first parameter, for CheckListRoom.

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <duckdb.hpp>
#include <duckdb/main/extension/extension_loader.hpp>

namespace frazil::engine {

struct KernelTraits {
  bool fallible = false;     ///< May raise errors: filters are not reordered over it.
  bool is_volatile = false;  ///< Another result for each row.
};

namespace row_kernel {

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {
  using Value = T;
};

template <typename T>
struct Reader {
  using Stored = std::conditional_t<std::is_same_v<T, std::string_view>, duckdb::string_t, T>;
  static constexpr bool kNullable = false;
  duckdb::UnifiedVectorFormat format;
  void Prepare(duckdb::Vector& vector, duckdb::idx_t count) { vector.ToUnifiedFormat(count, format); }
  bool IsValid(duckdb::idx_t row) const { return format.validity.RowIsValid(format.sel->get_index(row)); }
  T Get(duckdb::idx_t row) const {
    const auto& value = reinterpret_cast<const Stored*>(format.data)[format.sel->get_index(row)];
    if constexpr (std::is_same_v<T, std::string_view>) {
      return std::string_view(value.GetData(), value.GetSize());
    } else {
      return value;
    }
  }
};
template <typename T>
struct Reader<std::optional<T>> {
  static constexpr bool kNullable = true;
  Reader<T> inner;
  void Prepare(duckdb::Vector& vector, duckdb::idx_t count) { inner.Prepare(vector, count); }
  bool IsValid(duckdb::idx_t) const { return true; }
  std::optional<T> Get(duckdb::idx_t row) const {
    if (!inner.IsValid(row)) return std::nullopt;
    return inner.Get(row);
  }
};

inline void Write(duckdb::Vector& result, duckdb::idx_t row, std::string_view value) {
  duckdb::FlatVector::GetData<duckdb::string_t>(result)[row] =
      duckdb::StringVector::AddStringOrBlob(result, value.data(), value.size());
}
inline void Write(duckdb::Vector& result, duckdb::idx_t row, const std::string& value) {
  Write(result, row, std::string_view(value));
}
template <typename T>
requires std::is_trivially_copyable_v<T> &&
    (!std::is_same_v<T, std::string_view>)&&(!IsOptional<T>::value) void Write(duckdb::Vector& result,
                                                                               duckdb::idx_t row, T value) {
  reinterpret_cast<T*>(duckdb::FlatVector::GetData(result))[row] = value;
}
template <typename T>
void Write(duckdb::Vector& result, duckdb::idx_t row, const std::vector<T>& values);
template <typename T>
void Write(duckdb::Vector& result, duckdb::idx_t row, const std::optional<T>& value) {
  if (value.has_value()) {
    Write(result, row, *value);
  } else {
    duckdb::FlatVector::SetNull(result, row, true);
  }
}
template <typename T>
void Write(duckdb::Vector& result, duckdb::idx_t row, const std::vector<T>& values) {
  const auto offset = duckdb::ListVector::GetListSize(result);
  duckdb::ListVector::Reserve(result, offset + values.size());
  auto& child = duckdb::ListVector::GetEntry(result);
  for (size_t i = 0; i < values.size(); ++i) Write(child, offset + i, values[i]);
  duckdb::ListVector::SetListSize(result, offset + values.size());
  duckdb::FlatVector::GetData<duckdb::list_entry_t>(result)[row] = {offset, values.size()};
}

template <typename Signature>
struct Caller;
template <typename Result, typename... Parameters>
struct Caller<Result(Parameters...)> {
  template <typename Function, size_t... I>
  static void Run(const Function& function, duckdb::DataChunk& arguments, duckdb::Vector& result,
                  std::index_sequence<I...>) {
    const bool constant = arguments.ColumnCount() > 0 && arguments.AllConstant();
    const duckdb::idx_t count = constant ? 1 : arguments.size();
    result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
    std::tuple<Reader<std::decay_t<Parameters>>...> readers;
    (std::get<I>(readers).Prepare(arguments.data[I], count), ...);
    for (duckdb::idx_t row = 0; row < count; ++row) {
      if ((std::get<I>(readers).IsValid(row) && ...)) {
        Write(result, row, function(std::get<I>(readers).Get(row)...));
      } else {
        duckdb::FlatVector::SetNull(result, row, true);
        if (result.GetType().InternalType() == duckdb::PhysicalType::LIST)
          duckdb::FlatVector::GetData<duckdb::list_entry_t>(result)[row] = {0, 0};
      }
    }
    if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
  }
  template <typename Function>
  static duckdb::scalar_function_t Make(Function function) {
    return [function](duckdb::DataChunk& arguments, duckdb::ExpressionState&, duckdb::Vector& result) {
      Run(function, arguments, result, std::index_sequence_for<Parameters...>());
    };
  }
};

template <typename Result, typename... Parameters>
struct Caller<Result(duckdb::ExpressionState&, Parameters...)> {
  template <typename Function>
  static duckdb::scalar_function_t Make(Function function) {
    return [function](duckdb::DataChunk& arguments, duckdb::ExpressionState& state, duckdb::Vector& result) {
      const auto with_state = [&](Parameters... parameters) { return function(state, parameters...); };
      Caller<Result(Parameters...)>::Run(with_state, arguments, result, std::index_sequence_for<Parameters...>());
    };
  }
};

template <typename T>
struct SignatureOf : SignatureOf<decltype(&T::operator())> {};
template <typename Class, typename Result, typename... Parameters>
struct SignatureOf<Result (Class::*)(Parameters...) const> {
  using Type = Result(Parameters...);
};
template <typename Result, typename... Parameters>
struct SignatureOf<Result (*)(Parameters...)> {
  using Type = Result(Parameters...);
};

}  // namespace row_kernel

/// The DuckDB function, not yet registered.
template <typename Function>
duckdb::ScalarFunction MakeRowKernel(std::string name, duckdb::vector<duckdb::LogicalType> arguments,
                                     duckdb::LogicalType result, Function function, KernelTraits traits = {}) {
  duckdb::ScalarFunction kernel(
      std::move(name), std::move(arguments), std::move(result),
      row_kernel::Caller<typename row_kernel::SignatureOf<Function>::Type>::Make(std::move(function)));
  kernel.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  if (traits.fallible) kernel.SetFallible();
  if (traits.is_volatile) kernel.SetVolatile();
  return kernel;
}

template <typename Function>
void AddRowKernel(duckdb::ExtensionLoader& loader, std::string name, duckdb::vector<duckdb::LogicalType> arguments,
                  duckdb::LogicalType result, Function function, KernelTraits traits = {}) {
  loader.RegisterFunction(
      MakeRowKernel(std::move(name), std::move(arguments), std::move(result), std::move(function), traits));
}

inline constexpr KernelTraits kFallible{true, false};

}  // namespace frazil::engine
