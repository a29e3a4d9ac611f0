#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "frazil/types/data_type.h"

namespace frazil {

using int128 = __int128;

/// A decimal's unscaled number; precision and scale are those of its type.
struct Decimal128 {
  int128 unscaled = 0;
  bool operator==(const Decimal128&) const = default;
  auto operator<=>(const Decimal128&) const = default;
};

/// Spark's legacy interval.
struct CalendarIntervalValue {
  int32_t months = 0;
  int32_t days = 0;
  int64_t micros = 0;
  bool operator==(const CalendarIntervalValue&) const = default;
};

/// One value of some DataType (which is kept beside it). Holds:
/// null: monostate; boolean: bool; byte, short, integer, long, date, timestamp, timestamp_ntz, time (microseconds),
/// year-month and day-time intervals: int64_t; float: float; double: double; decimal: Decimal128; string and binary:
/// std::string; calendar interval: CalendarIntervalValue; array: List (elements); struct: List (fields in order); map:
/// List of key, value, key, value, ...
class Value {
 public:
  using List = std::vector<Value>;
  using Storage =
      std::variant<std::monostate, bool, int64_t, float, double, Decimal128, std::string, CalendarIntervalValue, List>;

  Value() = default;
  explicit Value(bool value) : storage_(value) {}
  explicit Value(int64_t value) : storage_(value) {}
  explicit Value(int value) : storage_(static_cast<int64_t>(value)) {}
  explicit Value(float value) : storage_(value) {}
  explicit Value(double value) : storage_(value) {}
  explicit Value(Decimal128 value) : storage_(value) {}
  explicit Value(std::string value) : storage_(std::move(value)) {}
  explicit Value(const char* value) : storage_(std::string(value)) {}
  explicit Value(CalendarIntervalValue value) : storage_(value) {}
  explicit Value(List value) : storage_(std::move(value)) {}

  bool is_null() const { return std::holds_alternative<std::monostate>(storage_); }
  bool boolean() const { return std::get<bool>(storage_); }
  int64_t integer() const { return std::get<int64_t>(storage_); }
  float float32() const { return std::get<float>(storage_); }
  double float64() const { return std::get<double>(storage_); }
  int128 decimal() const { return std::get<Decimal128>(storage_).unscaled; }
  const std::string& string() const { return std::get<std::string>(storage_); }
  const CalendarIntervalValue& calendar_interval() const { return std::get<CalendarIntervalValue>(storage_); }
  const List& list() const { return std::get<List>(storage_); }
  const Storage& storage() const { return storage_; }

  bool operator==(const Value&) const = default;

 private:
  Storage storage_;
};

/// Three-way comparison of two non-null values of the same atomic type, in Spark's order (NaN is the greatest). Strings
/// and binaries compare bytewise.
int CompareValues(const DataType& type, const Value& left, const Value& right);

/// The value as Spark's CAST(v AS STRING) prints it in the given zone (timestamps), e.g. "2024-01-31", "1.50".
std::string ValueToString(const DataType& type, const Value& value, std::string_view time_zone = "UTC");

/// The value as a literal in Spark SQL, as in automatic column names: 1, abc, DATE '2024-01-31', INTERVAL '1' DAY.
std::string LiteralSql(const DataType& type, const Value& value, std::string_view time_zone = "UTC");

/// The value as a literal that reads back with the same type (Spark's Literal.sql): 1L, 'abc', CAST(NULL AS INT),
/// ARRAY(1, 2).
std::string QuotedLiteralSql(const DataType& type, const Value& value, std::string_view time_zone = "UTC");

}  // namespace frazil
