#include <duckdb/common/vector_operations/unary_executor.hpp>

#include "frazil/engine/functions/cast_internal.h"
#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/engine/type_mapping.h"
#include "frazil/types/datetime.h"
#include "frazil/types/decimal.h"
#include "frazil/types/float_text.h"
#include "frazil/types/interval.h"
#include "frazil/types/value.h"

namespace frazil::engine {
namespace {

using duckdb::idx_t;
using duckdb::string_t;
using duckdb::UnaryExecutor;
using duckdb::Vector;

template <typename From, typename Format>
VectorCast Formatted(Format format) {
  return [format](Vector& source, Vector& target, idx_t count) {
    UnaryExecutor::Execute<From, string_t>(source, target, count, [&](From value) {
      return duckdb::StringVector::AddStringOrBlob(target, format(value));
    });
  };
}

}  // namespace

VectorCast MakeToStringCast(const DataTypePtr& from, const DataType&, const CastSettings& settings) {
  switch (from->id()) {
    case TypeId::kBoolean:
      return Formatted<bool>([](bool value) { return std::string(value ? "true" : "false"); });
    case TypeId::kByte:
      return Formatted<int8_t>([](int8_t value) { return std::to_string(value); });
    case TypeId::kShort:
      return Formatted<int16_t>([](int16_t value) { return std::to_string(value); });
    case TypeId::kInteger:
      return Formatted<int32_t>([](int32_t value) { return std::to_string(value); });
    case TypeId::kLong:
      return Formatted<int64_t>([](int64_t value) { return std::to_string(value); });
    case TypeId::kFloat:
      return Formatted<float>([](float value) { return FloatToString(value); });
    case TypeId::kDouble:
      return Formatted<double>([](double value) { return DoubleToString(value); });
    case TypeId::kDecimal: {
      // Under ANSI plain digits, else as Java's BigDecimal (exponents for tiny numbers).
      const bool plain = settings.mode == EvalMode::kAnsi;
      return [plain, scale = from->scale()](Vector& source, Vector& target, idx_t count) {
        WithDecimalStorage(source.GetType(), [&](auto storage) {
          using From = decltype(storage);
          UnaryExecutor::Execute<From, string_t>(source, target, count, [&](From value) {
            const int128 wide = WideOf(value);
            return duckdb::StringVector::AddString(
                target, plain ? DecimalToString(wide, scale) : DecimalToJavaString(wide, scale));
          });
        });
      };
    }
    case TypeId::kBinary:
      return Formatted<string_t>([](string_t value) { return value.GetString(); });
    case TypeId::kDate:
      return Formatted<duckdb::date_t>([](duckdb::date_t value) { return FormatDate(value.days); });
    case TypeId::kTimestamp:
      return Formatted<duckdb::timestamp_t>(
          [zone = settings.zone](duckdb::timestamp_t value) { return FormatTimestamp(value.value, *zone); });
    case TypeId::kTimestampNtz:
      return Formatted<duckdb::timestamp_t>([](duckdb::timestamp_t value) { return FormatTimestampNtz(value.value); });
    case TypeId::kTime:
      return Formatted<duckdb::dtime_t>([](duckdb::dtime_t value) { return FormatTime(value.micros); });
    case TypeId::kYearMonthInterval:
      return Formatted<int32_t>(
          [from](int32_t value) { return YearMonthIntervalToString(value, from->start_field(), from->end_field()); });
    case TypeId::kDayTimeInterval:
      return Formatted<int64_t>(
          [from](int64_t value) { return DayTimeIntervalToString(value, from->start_field(), from->end_field()); });
    case TypeId::kCalendarInterval:
      return Formatted<duckdb::interval_t>([](duckdb::interval_t value) {
        return CalendarIntervalToString(CalendarIntervalValue{value.months, value.days, value.micros});
      });
    case TypeId::kArray:
    case TypeId::kMap:
    case TypeId::kStruct:
      return [from, zone = settings.zone_name](Vector& source, Vector& target, idx_t count) {
        source.Flatten(count);
        target.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
        auto* out = duckdb::FlatVector::GetData<string_t>(target);
        for (idx_t row = 0; row < count; ++row) {
          const Value value = FromDuckDbValue(*from, source.GetValue(row));
          if (value.is_null()) {
            duckdb::FlatVector::SetNull(target, row, true);
          } else {
            out[row] = duckdb::StringVector::AddStringOrBlob(target, ValueToString(*from, value, zone));
          }
        }
      };
    case TypeId::kNull:
    case TypeId::kString:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      break;
  }
  return {};
}

}  // namespace frazil::engine
