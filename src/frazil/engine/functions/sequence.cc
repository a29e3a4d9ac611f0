// sequence: numbers, dates and timestamps from start to stop.

#include "frazil/engine/functions/list_room.h"
#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/spark_functions.h"
#include "frazil/engine/functions/zones.h"
#include "frazil/types/calendar.h"
#include "frazil/types/datetime.h"

namespace frazil::engine {
namespace {

using duckdb::interval_t;
using duckdb::LogicalType;

constexpr int64_t kMaximumElements = 2147483632;

[[noreturn]] void ThrowBounds(const std::string& start, const std::string& stop, const std::string& step) {
  ThrowSparkError(Error::Plain(ExceptionClass::kIllegalArgument,
                               "Illegal sequence boundaries: " + start + " to " + stop + " by " + step));
}

void CheckCount(__int128 count) {
  if (count <= kMaximumElements) return;
  ThrowSparkError("COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER",
                  {{"numberOfElements", std::to_string(static_cast<int64_t>(std::min<__int128>(count, INT64_MAX)))},
                   {"maxRoundedArrayLength", std::to_string(kMaximumElements)},
                   {"functionName", "`sequence`"},
                   {"parameter", "`count`"}});
}

// Written straight into the list: a sequence may have as many elements as memory holds.
template <typename T>
struct Progression {
  T start, step;
  int64_t count;
  duckdb::ExpressionState* state;
  T At(int64_t i) const { return static_cast<T>(start + static_cast<__int128>(i) * step); }
};

constexpr int64_t kElementsBetweenChecks = 1 << 20;

template <typename T>
void Write(duckdb::Vector& result, duckdb::idx_t row, const Progression<T>& numbers) {
  const auto offset = duckdb::ListVector::GetListSize(result);
  const auto size = offset + static_cast<duckdb::idx_t>(numbers.count);
  CheckListRoom(*numbers.state, size, sizeof(T));
  duckdb::ListVector::Reserve(result, size);
  T* out = duckdb::FlatVector::GetData<T>(duckdb::ListVector::GetEntry(result)) + offset;
  for (int64_t from = 0; from < numbers.count; from += kElementsBetweenChecks) {
    CheckInterrupted(*numbers.state);
    const int64_t to = std::min(numbers.count, from + kElementsBetweenChecks);
    for (int64_t i = from; i < to; ++i) out[i] = numbers.At(i);
  }
  duckdb::ListVector::SetListSize(result, size);
  duckdb::FlatVector::GetData<duckdb::list_entry_t>(result)[row] = {offset, size - offset};
}

template <typename T>
Progression<T> Numbers(duckdb::ExpressionState& state, T start, T stop, T step) {
  if ((step > 0 && start > stop) || (step < 0 && start < stop) || (step == 0 && start != stop))
    ThrowBounds(std::to_string(start), std::to_string(stop), std::to_string(step));
  if (start == stop) return {start, step, 1, &state};
  const __int128 count = (static_cast<__int128>(stop) - start) / step + 1;
  CheckCount(count);
  return {start, step, static_cast<int64_t>(count), &state};
}

template <typename T>
void AddNumbers(duckdb::ExtensionLoader& loader, const LogicalType& type) {
  AddRowKernel(loader, "spark_sequence", {type, type, type}, LogicalType::LIST(type), &Numbers<T>, kFallible);
  AddRowKernel(
      loader, "spark_sequence", {type, type}, LogicalType::LIST(type),
      [](duckdb::ExpressionState& state, T start, T stop) -> Progression<T> {
        return Numbers<T>(state, start, stop, static_cast<T>(start <= stop ? 1 : -1));
      },
      kFallible);
}

// start, start + step, ...: each one counted from the start, so that the ends of months do not shift.
std::vector<int64_t> Instants(duckdb::ExpressionState& state, int64_t start, int64_t stop, const interval_t& step,
                              const TimeZone& zone) {
  const auto at = [&](int64_t i) {
    const int64_t months = step.months * i, days = step.days * i;
    int64_t moved = start;
    if (months != 0 || days != 0) {
      const int64_t local = zone.ToLocalMicros(start);
      const int64_t day = FloorDivide(local, kMicrosPerDay);
      moved = zone.ToUtcMicros((AddMonths(day, months) + days) * kMicrosPerDay + (local - day * kMicrosPerDay));
    }
    return moved + step.micros * i;
  };
  const int64_t estimate = (static_cast<int64_t>(step.months) * 28 + step.days) * kMicrosPerDay + step.micros;
  const bool up = step.months > 0 || step.days > 0 || step.micros > 0;
  if (estimate == 0 && step.months == 0 && start == stop) return {start};
  if (estimate == 0 || (up && start > stop) || (!up && start < stop)) {
    ThrowBounds(std::to_string(start), std::to_string(stop), std::to_string(estimate));
  }
  const __int128 count = (static_cast<__int128>(stop) - start) / estimate + 1;
  CheckCount(count);
  // The elements are held here, and once more in the list.
  CheckListRoom(state, static_cast<duckdb::idx_t>(count), 2 * sizeof(int64_t));
  std::vector<int64_t> values;
  for (int64_t i = 0;; ++i) {
    if (i % kElementsBetweenChecks == 0) CheckInterrupted(state);
    const int64_t value = at(i);
    if (up ? value > stop : value < stop) break;
    values.push_back(value);
  }
  return values;
}

std::vector<int32_t> Dates(duckdb::ExpressionState& state, int32_t start, int32_t stop, const interval_t& step) {
  // Whole days only, unless the interval is of hours.
  std::vector<int32_t> dates;
  if (step.months == 0 && step.micros % kMicrosPerDay == 0) {
    const int64_t days = step.days + step.micros / kMicrosPerDay;
    const auto numbers = Numbers<int64_t>(state, start, stop, days);
    CheckListRoom(state, static_cast<duckdb::idx_t>(numbers.count), 2 * sizeof(int32_t));
    for (int64_t i = 0; i < numbers.count; ++i) dates.push_back(static_cast<int32_t>(numbers.At(i)));
    return dates;
  }
  for (int64_t micros : Instants(state, start * kMicrosPerDay, stop * kMicrosPerDay, step, *TimeZone::Utc()))
    dates.push_back(static_cast<int32_t>(FloorDivide(micros, kMicrosPerDay)));
  return dates;
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  AddNumbers<int8_t>(loader, LogicalType::TINYINT);
  AddNumbers<int16_t>(loader, LogicalType::SMALLINT);
  AddNumbers<int32_t>(loader, LogicalType::INTEGER);
  AddNumbers<int64_t>(loader, LogicalType::BIGINT);
  const auto C = LogicalType::INTERVAL, V = LogicalType::VARCHAR, Boolean = LogicalType::BOOLEAN;
  // The last argument says whether the step was left out: a day, in the direction of the stop.
  const auto direction = [](interval_t step, bool is_default, bool down) {
    if (is_default && down) return interval_t{-step.months, -step.days, -step.micros};
    return step;
  };
  AddRowKernel(
      loader, "spark_sequence", {LogicalType::DATE, LogicalType::DATE, C, Boolean, V},
      LogicalType::LIST(LogicalType::DATE),
      [direction](duckdb::ExpressionState& state, int32_t start, int32_t stop, interval_t step, bool is_default,
                  std::string_view) -> std::vector<int32_t> {
        return Dates(state, start, stop, direction(step, is_default, start > stop));
      },
      kFallible);
  AddRowKernel(
      loader, "spark_sequence", {LogicalType::TIMESTAMP_TZ, LogicalType::TIMESTAMP_TZ, C, Boolean, V},
      LogicalType::LIST(LogicalType::TIMESTAMP_TZ),
      [direction](duckdb::ExpressionState& state, int64_t start, int64_t stop, interval_t step, bool is_default,
                  std::string_view zone) -> std::vector<int64_t> {
        return Instants(state, start, stop, direction(step, is_default, start > stop), ZoneNamed(zone));
      },
      kFallible);
  AddRowKernel(
      loader, "spark_sequence", {LogicalType::TIMESTAMP, LogicalType::TIMESTAMP, C, Boolean, V},
      LogicalType::LIST(LogicalType::TIMESTAMP),
      [direction](duckdb::ExpressionState& state, int64_t start, int64_t stop, interval_t step, bool is_default,
                  std::string_view) -> std::vector<int64_t> {
        return Instants(state, start, stop, direction(step, is_default, start > stop), *TimeZone::Utc());
      },
      kFallible);
  AddRowKernel(loader, "spark_interval_of_months", {LogicalType::INTEGER}, C, [](int32_t months) -> interval_t {
    return {months, 0, 0};
  });
  AddRowKernel(loader, "spark_interval_of_micros", {LogicalType::BIGINT}, C, [](int64_t micros) -> interval_t {
    return {0, static_cast<int32_t>(micros / kMicrosPerDay), micros % kMicrosPerDay};
  });
}

Result<LoweredExpression> LowerSequence(LoweringContext& context, const CallExpression& call,
                                        LoweredArguments arguments) {
  if (!call.arguments[0]->type->IsDatetime()) return CallOf("spark_sequence", std::move(arguments));
  const Expression& step = *call.arguments[2];
  // The binding puts in one day where no step is written; the call does not show it then.
  const bool is_default = call.sql.find(step.sql) == std::string::npos;
  if (step.type->id() == TypeId::kYearMonthInterval)
    arguments[2] = CallOf("spark_interval_of_months", std::move(arguments[2]));
  if (step.type->id() == TypeId::kDayTimeInterval)
    arguments[2] = CallOf("spark_interval_of_micros", std::move(arguments[2]));
  arguments.push_back(ConstantOf(duckdb::Value::BOOLEAN(is_default)));
  arguments.push_back(ConstantOf(duckdb::Value(context.settings().time_zone)));
  return CallOf("spark_sequence", std::move(arguments));
}

}  // namespace

void RegisterSequenceFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  registry.AddScalar("sequence", Build(LowerSequence));
}

}  // namespace frazil::engine
