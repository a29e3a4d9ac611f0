#include "frazil/server/arrow_cells.h"

#include <cstring>

namespace frazil::server {
namespace {

template <typename T>
T At(const ArrowArray& column, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(column.buffers[1]) + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

bool BitAt(const void* bits, int64_t index) {
  return ((static_cast<const uint8_t*>(bits)[index / 8] >> (index % 8)) & 1) != 0;
}

// Interval of months, days and nanoseconds.
struct MonthDayNano {
  int32_t months;
  int32_t days;
  int64_t nanos;
};

constexpr int64_t kNanosPerMicro = 1000;

}  // namespace

Value ReadCell(const DataType& type, const ArrowArray& column, int64_t row) {
  const int64_t index = row + column.offset;
  if (type.id() == TypeId::kNull) return Value();
  if (column.null_count != 0 && column.buffers[0] != nullptr && !BitAt(column.buffers[0], index)) return Value();
  switch (type.id()) {
    case TypeId::kNull:
      return Value();
    case TypeId::kBoolean:
      return Value(BitAt(column.buffers[1], index));
    case TypeId::kByte:
      return Value(static_cast<int64_t>(At<int8_t>(column, index)));
    case TypeId::kShort:
      return Value(static_cast<int64_t>(At<int16_t>(column, index)));
    case TypeId::kInteger:
    case TypeId::kDate:
    case TypeId::kYearMonthInterval:
      return Value(static_cast<int64_t>(At<int32_t>(column, index)));
    case TypeId::kLong:
    case TypeId::kTimestamp:
    case TypeId::kTimestampNtz:
    case TypeId::kDayTimeInterval:
      return Value(At<int64_t>(column, index));
    case TypeId::kTime:
      return Value(At<int64_t>(column, index) / kNanosPerMicro);
    case TypeId::kFloat:
      return Value(At<float>(column, index));
    case TypeId::kDouble:
      return Value(At<double>(column, index));
    case TypeId::kDecimal:
      return Value(Decimal128{At<int128>(column, index)});
    case TypeId::kCalendarInterval: {
      const auto interval = At<MonthDayNano>(column, index);
      return Value(CalendarIntervalValue{interval.months, interval.days, interval.nanos / kNanosPerMicro});
    }
    case TypeId::kString:
    case TypeId::kBinary:
    case TypeId::kGeometry:
    case TypeId::kGeography: {
      const auto begin = At<int32_t>(column, index);
      const auto end = At<int32_t>(column, index + 1);
      return Value(std::string(static_cast<const char*>(column.buffers[2]) + begin, static_cast<size_t>(end - begin)));
    }
    case TypeId::kArray: {
      Value::List elements;
      for (auto i = At<int32_t>(column, index); i < At<int32_t>(column, index + 1); ++i) {
        elements.push_back(ReadCell(*type.element_type(), *column.children[0], i));
      }
      return Value(std::move(elements));
    }
    case TypeId::kMap: {
      const ArrowArray& entries = *column.children[0];
      Value::List cells;
      for (auto i = At<int32_t>(column, index); i < At<int32_t>(column, index + 1); ++i) {
        cells.push_back(ReadCell(*type.key_type(), *entries.children[0], i + entries.offset));
        cells.push_back(ReadCell(*type.value_type(), *entries.children[1], i + entries.offset));
      }
      return Value(std::move(cells));
    }
    case TypeId::kStruct: {
      Value::List fields;
      for (size_t i = 0; i < type.fields().size(); ++i) {
        fields.push_back(ReadCell(*type.fields()[i].type, *column.children[i], index));
      }
      return Value(std::move(fields));
    }
    case TypeId::kVariant: {
      Value::List parts;
      for (int i = 0; i < 2; ++i) parts.push_back(ReadCell(*DataType::Binary(), *column.children[i], index));
      return Value(std::move(parts));
    }
  }
  return Value();
}

}  // namespace frazil::server
