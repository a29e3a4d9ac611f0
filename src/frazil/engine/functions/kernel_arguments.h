#pragma once

// Constant arguments of kernels: settings that a template or builder writes behind the real arguments, resolved once
// per bind. Internal to engine/.

#include <duckdb.hpp>
#include <duckdb/function/scalar_function.hpp>
#include <duckdb/planner/expression.hpp>

namespace frazil::engine {

/// The values of the last `count` arguments, which must be constants; their types become those of the function. For use
/// in bind callbacks. They stay in the call, since DuckDB copies parts of a plan (a CTE that it puts in place) by
/// serialization and then binds the call's arguments anew: kernels pass over these columns.
duckdb::vector<duckdb::Value> ConstantArguments(duckdb::ClientContext& context, duckdb::ScalarFunction& function,
                                                duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments,
                                                size_t count);

/// The decimal that a vector's row holds, whatever its width is stored in.
inline __int128 WideOf(int16_t value) { return value; }
inline __int128 WideOf(int32_t value) { return value; }
inline __int128 WideOf(int64_t value) { return value; }
inline __int128 WideOf(duckdb::hugeint_t value) {
  return (static_cast<__int128>(value.upper) << 64) | static_cast<__int128>(value.lower);
}
template <typename T>
T NarrowTo(__int128 value) {
  return static_cast<T>(value);
}
template <>
inline duckdb::hugeint_t NarrowTo<duckdb::hugeint_t>(__int128 value) {
  return duckdb::hugeint_t(static_cast<int64_t>(value >> 64), static_cast<uint64_t>(value));
}

/// Calls `work` with a value of the C++ type in which a DECIMAL type is stored (int16_t, int32_t, int64_t, hugeint_t).
template <typename Work>
void WithDecimalStorage(const duckdb::LogicalType& type, Work&& work) {
  switch (type.InternalType()) {
    case duckdb::PhysicalType::INT16:
      work(int16_t{});
      break;
    case duckdb::PhysicalType::INT32:
      work(int32_t{});
      break;
    case duckdb::PhysicalType::INT64:
      work(int64_t{});
      break;
    default:
      work(duckdb::hugeint_t{});
      break;
  }
}

}  // namespace frazil::engine
