// Iceberg's partition transforms. Source: Iceberg spec, "Partition Transforms" and appendix B, "32-bit Hash
// Requirements". And places on space-filling curves, by which rows of several columns are put into one order.

#include <limits>
#include <vector>

#include <duckdb/common/vector_operations/binary_executor.hpp>
#include <duckdb/common/vector_operations/unary_executor.hpp>

#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/engine/functions/kernel_error.h"
#include "frazil/engine/write_partition.h"
#include "frazil/types/calendar.h"
#include "frazil/types/decimal.h"

namespace frazil::engine {
namespace {

using duckdb::BinaryExecutor;
using duckdb::DataChunk;
using duckdb::ExpressionState;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::ScalarFunction;
using duckdb::string_t;
using duckdb::Vector;

uint32_t Rotate(uint32_t value, int bits) { return (value << bits) | (value >> (32 - bits)); }

uint32_t Murmur3(const uint8_t* data, size_t length) {
  constexpr uint32_t kFirst = 0xcc9e2d51, kSecond = 0x1b873593;
  uint32_t hash = 0;
  const auto mix = [&](uint32_t block) { return Rotate(block * kFirst, 15) * kSecond; };
  size_t i = 0;
  for (; i + 4 <= length; i += 4) {
    const uint32_t block = static_cast<uint32_t>(data[i]) | static_cast<uint32_t>(data[i + 1]) << 8 |
                           static_cast<uint32_t>(data[i + 2]) << 16 | static_cast<uint32_t>(data[i + 3]) << 24;
    hash = Rotate(hash ^ mix(block), 13) * 5 + 0xe6546b64;
  }
  uint32_t tail = 0;
  for (size_t k = length; k > i; --k) tail = tail << 8 | data[k - 1];
  if (length > i) hash ^= mix(tail);
  hash ^= static_cast<uint32_t>(length);
  hash = (hash ^ (hash >> 16)) * 0x85ebca6b;
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35;
  return hash ^ (hash >> 16);
}

int32_t BucketOf(uint32_t hash, int32_t buckets) { return static_cast<int32_t>(hash & 0x7fffffff) % buckets; }

uint32_t HashLong(int64_t value) {
  uint8_t bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i));
  return Murmur3(bytes, 8);
}

// The least two's-complement bytes that hold the unscaled number, most significant first.
uint32_t HashDecimal(__int128 value) {
  uint8_t bytes[16];
  int length = 1;
  while (length < 16) {
    const __int128 half = static_cast<__int128>(1) << (8 * length - 1);
    if (value >= -half && value < half) break;
    ++length;
  }
  for (int i = 0; i < length; ++i) bytes[i] = static_cast<uint8_t>(value >> (8 * (length - 1 - i)));
  return Murmur3(bytes, static_cast<size_t>(length));
}

int64_t NumberOf(int32_t value) { return value; }
int64_t NumberOf(int64_t value) { return value; }
int64_t NumberOf(int16_t value) { return value; }
int64_t NumberOf(int8_t value) { return value; }
int64_t NumberOf(duckdb::date_t value) { return value.days; }
int64_t NumberOf(duckdb::timestamp_t value) { return value.value; }
int64_t NumberOf(duckdb::dtime_t value) { return value.micros; }

template <typename T>
void BucketNumber(DataChunk& input, ExpressionState&, Vector& result) {
  BinaryExecutor::Execute<T, int32_t, int32_t>(
      input.data[0], input.data[1], result, input.size(),
      [](T value, int32_t buckets) { return BucketOf(HashLong(NumberOf(value)), buckets); });
}

void BucketText(DataChunk& input, ExpressionState&, Vector& result) {
  BinaryExecutor::Execute<string_t, int32_t, int32_t>(
      input.data[0], input.data[1], result, input.size(), [](string_t value, int32_t buckets) {
        return BucketOf(Murmur3(reinterpret_cast<const uint8_t*>(value.GetData()), value.GetSize()), buckets);
      });
}

void BucketDecimal(DataChunk& input, ExpressionState&, Vector& result) {
  WithDecimalStorage(input.data[0].GetType(), [&](auto storage) {
    using T = decltype(storage);
    BinaryExecutor::Execute<T, int32_t, int32_t>(
        input.data[0], input.data[1], result, input.size(),
        [](T value, int32_t buckets) { return BucketOf(HashDecimal(WideOf(value)), buckets); });
  });
}

template <typename T>
T TruncateTo(T value, T width) {
  const T rest = static_cast<T>(value % width);
  return static_cast<T>(value - (rest < 0 ? rest + width : rest));
}

template <typename T>
void TruncateNumber(DataChunk& input, ExpressionState&, Vector& result) {
  BinaryExecutor::Execute<T, int32_t, T>(
      input.data[0], input.data[1], result, input.size(),
      [](T value, int32_t width) -> T { return static_cast<T>(TruncateTo<int64_t>(value, width)); });
}

void TruncateDecimal(DataChunk& input, ExpressionState&, Vector& result) {
  const auto& type = input.data[0].GetType();
  const int precision = duckdb::DecimalType::GetWidth(type), scale = duckdb::DecimalType::GetScale(type);
  const __int128 limit = PowerOfTen(precision);
  WithDecimalStorage(type, [&](auto storage) {
    using T = decltype(storage);
    BinaryExecutor::Execute<T, int32_t, T>(
        input.data[0], input.data[1], result, input.size(), [&](T value, int32_t width) -> T {
          const __int128 truncated = TruncateTo<__int128>(WideOf(value), width);
          // A partition's value has the column's type: -999.99 of DECIMAL(5,2) has no multiple of 0.70 below it.
          if (truncated <= -limit) ThrowNumericValueOutOfRange(DecimalToString(truncated, scale), precision, scale);
          return NarrowTo<T>(truncated);
        });
  });
}

// The first `width` characters, or bytes.
template <bool kCharacters>
void TruncateText(DataChunk& input, ExpressionState&, Vector& result) {
  BinaryExecutor::Execute<string_t, int32_t, string_t>(
      input.data[0], input.data[1], result, input.size(), [&](string_t value, int32_t width) {
        const char* data = value.GetData();
        size_t end = 0;
        if (kCharacters) {
          for (int32_t left = width; end < value.GetSize(); ++end) {
            const bool begins = (static_cast<unsigned char>(data[end]) & 0xc0) != 0x80;
            if (begins && left-- == 0) break;
          }
        } else {
          end = std::min<size_t>(value.GetSize(), static_cast<size_t>(width));
        }
        return duckdb::StringVector::AddStringOrBlob(result, data, end);
      });
}

int64_t DaysOf(duckdb::date_t value) { return value.days; }
int64_t DaysOf(duckdb::timestamp_t value) { return FloorDivide(value.value, kMicrosPerDay); }

template <typename T>
void Year(DataChunk& input, ExpressionState&, Vector& result) {
  duckdb::UnaryExecutor::Execute<T, int32_t>(input.data[0], result, input.size(), [](T value) {
    return static_cast<int32_t>(CivilFromDays(DaysOf(value)).year - 1970);
  });
}
template <typename T>
void Month(DataChunk& input, ExpressionState&, Vector& result) {
  duckdb::UnaryExecutor::Execute<T, int32_t>(input.data[0], result, input.size(), [](T value) {
    const auto date = CivilFromDays(DaysOf(value));
    return static_cast<int32_t>((date.year - 1970) * 12 + date.month - 1);
  });
}
template <typename T>
void Day(DataChunk& input, ExpressionState&, Vector& result) {
  duckdb::UnaryExecutor::Execute<T, duckdb::date_t>(
      input.data[0], result, input.size(), [](T value) { return duckdb::date_t(static_cast<int32_t>(DaysOf(value))); });
}
void Hour(DataChunk& input, ExpressionState&, Vector& result) {
  duckdb::UnaryExecutor::Execute<duckdb::timestamp_t, int32_t>(
      input.data[0], result, input.size(),
      [](duckdb::timestamp_t value) { return static_cast<int32_t>(FloorDivide(value.value, kMicrosPerHour)); });
}

// DECIMAL arguments keep their width and scale.
duckdb::unique_ptr<duckdb::FunctionData> BindDecimal(
    duckdb::ClientContext&, ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  function.arguments[0] = arguments[0]->return_type;
  if (function.GetReturnType().id() == duckdb::LogicalTypeId::DECIMAL)
    function.SetReturnType(arguments[0]->return_type);
  return nullptr;
}

// --- places on curves

// The bits of all coordinates, the highest of each first.
int64_t Interleaved(const std::vector<uint32_t>& coordinates, int bits) {
  uint64_t place = 0;
  for (int bit = bits - 1; bit >= 0; --bit) {
    for (const uint32_t coordinate : coordinates) place = place << 1 | (coordinate >> bit & 1);
  }
  return static_cast<int64_t>(place);
}

// Coordinates such that their interleaved bits are the place on the Hilbert curve. J. Skilling, "Programming the
// Hilbert curve", 2004.
void ToHilbert(std::vector<uint32_t>& axes, int bits) {
  const uint32_t highest = 1U << (bits - 1);
  for (uint32_t bit = highest; bit > 1; bit >>= 1) {
    const uint32_t low = bit - 1;
    for (auto& axis : axes) {
      if ((axis & bit) != 0) {
        axes[0] ^= low;
      } else {
        const uint32_t differ = (axes[0] ^ axis) & low;
        axes[0] ^= differ;
        axis ^= differ;
      }
    }
  }
  for (size_t i = 1; i < axes.size(); ++i) axes[i] ^= axes[i - 1];
  uint32_t flip = 0;
  for (uint32_t bit = highest; bit > 1; bit >>= 1) {
    if ((axes.back() & bit) != 0) flip ^= bit - 1;
  }
  for (auto& axis : axes) axis ^= flip;
}

// spark_curve_position(is_hilbert, bits, coordinate, coordinate, ...): coordinates count from 1 to 2 ^ bits; all bits
// together are less than 63.
void CurvePosition(DataChunk& arguments, ExpressionState&, Vector& result) {
  arguments.Flatten();
  const auto* is_hilbert = duckdb::FlatVector::GetData<bool>(arguments.data[0]);
  const auto* bits = duckdb::FlatVector::GetData<int32_t>(arguments.data[1]);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* places = duckdb::FlatVector::GetData<int64_t>(result);
  std::vector<uint32_t> axes(arguments.ColumnCount() - 2);
  for (duckdb::idx_t row = 0; row < arguments.size(); ++row) {
    for (size_t i = 0; i < axes.size(); ++i)
      axes[i] = static_cast<uint32_t>(duckdb::FlatVector::GetData<int32_t>(arguments.data[i + 2])[row] - 1);
    if (is_hilbert[row]) ToHilbert(axes, bits[row]);
    places[row] = Interleaved(axes, bits[row]);
  }
}

}  // namespace

uint32_t HashOfBytes(std::string_view bytes) {
  return Murmur3(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

void RegisterTransformKernels(duckdb::ExtensionLoader& loader) {
  duckdb::ScalarFunctionSet bucket("spark_partition_bucket"), truncate("spark_partition_truncate");
  const auto add_bucket = [&](const LogicalType& type, auto kernel) {
    bucket.AddFunction(ScalarFunction({type, LogicalType::INTEGER}, LogicalType::INTEGER, kernel));
  };
  add_bucket(LogicalType::TINYINT, &BucketNumber<int8_t>);
  add_bucket(LogicalType::SMALLINT, &BucketNumber<int16_t>);
  add_bucket(LogicalType::INTEGER, &BucketNumber<int32_t>);
  add_bucket(LogicalType::BIGINT, &BucketNumber<int64_t>);
  add_bucket(LogicalType::DATE, &BucketNumber<duckdb::date_t>);
  add_bucket(LogicalType::TIME, &BucketNumber<duckdb::dtime_t>);
  add_bucket(LogicalType::TIMESTAMP, &BucketNumber<duckdb::timestamp_t>);
  add_bucket(LogicalType::TIMESTAMP_TZ, &BucketNumber<duckdb::timestamp_t>);
  add_bucket(LogicalType::VARCHAR, &BucketText);
  add_bucket(LogicalType::BLOB, &BucketText);
  bucket.AddFunction(
      ScalarFunction({LogicalTypeId::DECIMAL, LogicalType::INTEGER}, LogicalType::INTEGER, BucketDecimal, BindDecimal));
  loader.RegisterFunction(bucket);

  const auto add_truncate = [&](const LogicalType& type, auto kernel) {
    truncate.AddFunction(ScalarFunction({type, LogicalType::INTEGER}, type, kernel));
  };
  add_truncate(LogicalType::TINYINT, &TruncateNumber<int8_t>);
  add_truncate(LogicalType::SMALLINT, &TruncateNumber<int16_t>);
  add_truncate(LogicalType::INTEGER, &TruncateNumber<int32_t>);
  add_truncate(LogicalType::BIGINT, &TruncateNumber<int64_t>);
  add_truncate(LogicalType::VARCHAR, &TruncateText<true>);
  add_truncate(LogicalType::BLOB, &TruncateText<false>);
  truncate.AddFunction(ScalarFunction({LogicalTypeId::DECIMAL, LogicalType::INTEGER}, LogicalTypeId::DECIMAL,
                                      TruncateDecimal, BindDecimal));
  loader.RegisterFunction(truncate);

  const auto add_time = [&](const std::string& name, const LogicalType& result, auto date, auto timestamp) {
    duckdb::ScalarFunctionSet set(name);
    set.AddFunction(ScalarFunction({LogicalType::DATE}, result, date));
    set.AddFunction(ScalarFunction({LogicalType::TIMESTAMP}, result, timestamp));
    set.AddFunction(ScalarFunction({LogicalType::TIMESTAMP_TZ}, result, timestamp));
    loader.RegisterFunction(set);
  };
  add_time("spark_partition_year", LogicalType::INTEGER, &Year<duckdb::date_t>, &Year<duckdb::timestamp_t>);
  add_time("spark_partition_month", LogicalType::INTEGER, &Month<duckdb::date_t>, &Month<duckdb::timestamp_t>);
  add_time("spark_partition_day", LogicalType::DATE, &Day<duckdb::date_t>, &Day<duckdb::timestamp_t>);
  ScalarFunction curve("spark_curve_position", {LogicalType::BOOLEAN, LogicalType::INTEGER}, LogicalType::BIGINT,
                       CurvePosition);
  curve.varargs = LogicalType::INTEGER;
  loader.RegisterFunction(curve);
  duckdb::ScalarFunctionSet hour("spark_partition_hour");
  hour.AddFunction(ScalarFunction({LogicalType::TIMESTAMP}, LogicalType::INTEGER, &Hour));
  hour.AddFunction(ScalarFunction({LogicalType::TIMESTAMP_TZ}, LogicalType::INTEGER, &Hour));
  loader.RegisterFunction(hour);
}

}  // namespace frazil::engine
