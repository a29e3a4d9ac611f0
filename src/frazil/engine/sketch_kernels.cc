#include "frazil/engine/sketch_kernels.h"

#include <bit>
#include <cstring>
#include <string_view>

#include <duckdb/common/vector_operations/unary_executor.hpp>

#include "frazil/engine/functions/kernel_arguments.h"

namespace frazil::engine {
namespace {

using duckdb::DataChunk;
using duckdb::ExpressionState;
using duckdb::LogicalType;
using duckdb::ScalarFunction;
using duckdb::Vector;

constexpr uint64_t kSeed = 9001;  // DataSketches' default.

uint64_t Mixed(uint64_t k) {
  k = (k ^ (k >> 33)) * 0xff51afd7ed558ccdULL;
  k = (k ^ (k >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return k ^ (k >> 33);
}

// The first half of MurmurHash3_x64_128.
uint64_t Murmur128(std::string_view bytes) {
  constexpr uint64_t kFirst = 0x87c37b91114253d5ULL, kSecond = 0x4cf5ad432745937fULL;
  uint64_t h1 = kSeed, h2 = kSeed;
  const auto mix1 = [](uint64_t k) { return std::rotl(k * kFirst, 31) * kSecond; };
  const auto mix2 = [](uint64_t k) { return std::rotl(k * kSecond, 33) * kFirst; };
  size_t at = 0;
  for (; at + 16 <= bytes.size(); at += 16) {
    uint64_t k1 = 0, k2 = 0;
    std::memcpy(&k1, bytes.data() + at, 8);
    std::memcpy(&k2, bytes.data() + at + 8, 8);
    h1 = (std::rotl(h1 ^ mix1(k1), 27) + h2) * 5 + 0x52dce729;
    h2 = (std::rotl(h2 ^ mix2(k2), 31) + h1) * 5 + 0x38495ab5;
  }
  const size_t rest = bytes.size() - at;
  uint64_t k1 = 0, k2 = 0;
  if (rest > 0) std::memcpy(&k1, bytes.data() + at, rest < 8 ? rest : 8);
  if (rest > 8) std::memcpy(&k2, bytes.data() + at + 8, rest - 8);
  if (rest > 8) h2 ^= mix2(k2);
  if (rest > 0) h1 ^= mix1(k1);
  h1 ^= bytes.size();
  h2 ^= bytes.size();
  h1 += h2;
  h2 += h1;
  return Mixed(h1) + Mixed(h2);
}

int64_t ThetaHash(std::string_view bytes) { return static_cast<int64_t>(Murmur128(bytes) >> 1); }

// Numbers, dates and times stand as they lie in memory: little-endian, of their own width.
template <typename T>
void HashFixed(DataChunk& input, ExpressionState&, Vector& result) {
  duckdb::UnaryExecutor::Execute<T, int64_t>(input.data[0], result, input.size(), [](T value) {
    return ThetaHash(std::string_view(reinterpret_cast<const char*>(&value), sizeof(value)));
  });
}

void HashText(DataChunk& input, ExpressionState&, Vector& result) {
  duckdb::UnaryExecutor::ExecuteWithNulls<duckdb::string_t, int64_t>(
      input.data[0], result, input.size(), [](duckdb::string_t text, duckdb::ValidityMask& mask, duckdb::idx_t row) {
        if (text.GetSize() == 0) mask.SetInvalid(row);
        return ThetaHash(std::string_view(text.GetData(), text.GetSize()));
      });
}

// The least two's-complement bytes of the unscaled number, most significant first.
void HashDecimal(DataChunk& input, ExpressionState&, Vector& result) {
  WithDecimalStorage(input.data[0].GetType(), [&](auto storage) {
    using T = decltype(storage);
    duckdb::UnaryExecutor::Execute<T, int64_t>(input.data[0], result, input.size(), [](T value) {
      const __int128 wide = WideOf(value);
      int length = 1;
      while (length < 16) {
        const __int128 half = static_cast<__int128>(1) << (8 * length - 1);
        if (wide >= -half && wide < half) break;
        ++length;
      }
      char bytes[16];
      for (int i = 0; i < length; ++i) bytes[i] = static_cast<char>(wide >> (8 * (length - 1 - i)));
      return ThetaHash(std::string_view(bytes, static_cast<size_t>(length)));
    });
  });
}

duckdb::unique_ptr<duckdb::FunctionData> BindDecimal(
    duckdb::ClientContext&, ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  function.arguments[0] = arguments[0]->return_type;
  return nullptr;
}

}  // namespace

void RegisterSketchKernels(duckdb::ExtensionLoader& loader) {
  duckdb::ScalarFunctionSet hash("spark_theta_hash");
  const auto add = [&](const LogicalType& type, auto kernel) {
    hash.AddFunction(ScalarFunction({type}, LogicalType::BIGINT, kernel));
  };
  add(LogicalType::BOOLEAN, &HashFixed<bool>);
  add(LogicalType::INTEGER, &HashFixed<int32_t>);
  add(LogicalType::BIGINT, &HashFixed<int64_t>);
  add(LogicalType::FLOAT, &HashFixed<float>);
  add(LogicalType::DOUBLE, &HashFixed<double>);
  add(LogicalType::DATE, &HashFixed<duckdb::date_t>);
  add(LogicalType::TIMESTAMP, &HashFixed<duckdb::timestamp_t>);
  add(LogicalType::TIMESTAMP_TZ, &HashFixed<duckdb::timestamp_t>);
  add(LogicalType::VARCHAR, &HashText);
  add(LogicalType::BLOB, &HashText);
  hash.AddFunction(ScalarFunction({duckdb::LogicalTypeId::DECIMAL}, LogicalType::BIGINT, HashDecimal, BindDecimal));
  loader.RegisterFunction(hash);
}

}  // namespace frazil::engine
