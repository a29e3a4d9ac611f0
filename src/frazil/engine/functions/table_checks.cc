// What a value must pass on its way into a table's column: lengths of CHAR and VARCHAR, NOT NULL; and a row into its
// table: CHECK, REPLACE WHERE. Also where it comes to stand there: partitions, places on curves.
// https://spark.apache.org/docs/latest/sql-ref-datatypes.html

#include "frazil/engine/functions/kernel_error.h"
#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/spark_functions.h"
#include "frazil/engine/functions/utf8.h"

namespace frazil::engine {
namespace {

using duckdb::LogicalType;

// The text within `limit` characters: only blanks may be cut off.
std::string_view Limited(std::string_view text, int32_t limit) {
  if (CharacterCount(text) <= limit) return text;
  const size_t end = CharacterOffset(text, limit);
  if (text.find_first_not_of(' ', end) != std::string_view::npos) {
    ThrowSparkError(
        Error::Of(ExceptionClass::kSparkRuntime, "EXCEED_LIMIT_LENGTH", {{"limit", std::to_string(limit)}}));
  }
  return text.substr(0, end);
}

// The text within `limit` characters, as Delta's check demands it.
std::string_view LimitedByDelta(std::string_view text, int32_t limit, std::string_view check) {
  const std::string_view cut = text.substr(0, CharacterOffset(text, limit));
  if (text.substr(cut.size()).find_first_not_of(' ') == std::string_view::npos) return cut;
  ThrowSparkError(
      Error::Of("DELTA_EXCEED_CHAR_VARCHAR_LIMIT", {{"value", std::string(text)}, {"expr", std::string(check)}}));
}

std::string Padded(std::string_view text, int32_t length) {
  std::string padded(text);
  const int64_t missing = length - CharacterCount(padded);
  if (missing > 0) padded.append(static_cast<size_t>(missing), ' ');
  return padded;
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  const auto text = LogicalType::VARCHAR, integer = LogicalType::INTEGER;
  AddRowKernel(
      loader, "spark_varchar_write_check", {text, integer}, text,
      [](std::string_view value, int32_t limit) -> std::string { return std::string(Limited(value, limit)); },
      KernelTraits{true, false});
  AddRowKernel(
      loader, "spark_char_write_check", {text, integer}, text,
      [](std::string_view value, int32_t limit) -> std::string { return Padded(Limited(value, limit), limit); },
      KernelTraits{true, false});
  AddRowKernel(
      loader, "spark_delta_varchar_check", {text, integer, text}, text,
      [](std::string_view value, int32_t limit, std::string_view check) -> std::string {
        return std::string(LimitedByDelta(value, limit, check));
      },
      KernelTraits{true, false});
  AddRowKernel(
      loader, "spark_delta_char_check", {text, integer, text}, text,
      [](std::string_view value, int32_t limit, std::string_view check) -> std::string {
        return Padded(LimitedByDelta(value, limit, check), limit);
      },
      KernelTraits{true, false});
  AddRowKernel(
      loader, "spark_raise_not_null", {text}, integer,
      [](std::string_view column) -> std::optional<int32_t> {
        ThrowSparkError(Error::Of(ExceptionClass::kSparkRuntime, "NOT_NULL_ASSERT_VIOLATION",
                                  {{"walkedTypePath", "\n" + std::string(column) + "\n"}}));
      },
      KernelTraits{true, true});
  AddRowKernel(
      loader, "spark_raise_not_null_violation", {text}, integer,
      [](std::string_view column) -> std::optional<int32_t> {
        ThrowSparkError(Error::Of("DELTA_NOT_NULL_CONSTRAINT_VIOLATED", {{"columnName", std::string(column)}}));
      },
      KernelTraits{true, true});
  AddRowKernel(
      loader, "spark_raise_overwrite_mismatch", {text}, integer,
      [](std::string_view condition) -> std::optional<int32_t> {
        ThrowSparkError(
            Error::Of("DELTA_REPLACE_WHERE_MISMATCH", {{"replaceWhere", std::string(condition)}, {"message", ""}}));
      },
      KernelTraits{true, true});
  AddRowKernel(
      loader, "spark_raise_check_violation", {text, text, text}, integer,
      [](std::string_view name, std::string_view expression, std::string_view values) -> std::optional<int32_t> {
        ThrowSparkError(Error::Of("DELTA_VIOLATE_CONSTRAINT_WITH_VALUES", {{"constraintName", std::string(name)},
                                                                           {"expression", std::string(expression)},
                                                                           {"values", std::string(values)}}));
      },
      KernelTraits{true, true});
}

}  // namespace

void RegisterTableChecks(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  registry.AddScalar("varchar_type_write_side_check", Direct("spark_varchar_write_check"));
  registry.AddScalar("char_type_write_side_check", Direct("spark_char_write_check"));
  registry.AddScalar("delta_varchar_check", Direct("spark_delta_varchar_check"));
  registry.AddScalar("delta_char_check", Direct("spark_delta_char_check"));
  registry.AddScalar("raise_not_null", Direct("spark_raise_not_null"));
  // The value itself: its errors are named when the call is lowered.
  registry.AddScalar("store_value", Template("$1"));
  registry.AddScalar("delta_update_value", Template("$1"));
  registry.AddScalar("inline_value", Template("$1"));
  registry.AddScalar("raise_not_null_violation", Direct("spark_raise_not_null_violation"));
  registry.AddScalar("raise_overwrite_mismatch", Direct("spark_raise_overwrite_mismatch"));
  registry.AddScalar("raise_check_violation", Direct("spark_raise_check_violation"));
  registry.AddScalar("curve_position", Direct("spark_curve_position"));
  registry.AddScalar("theta_hash", Direct("spark_theta_hash"));
  registry.AddScalar("partition_bucket", Direct("spark_partition_bucket"));
  registry.AddScalar("partition_truncate", Direct("spark_partition_truncate"));
  registry.AddScalar("partition_years", Direct("spark_partition_year"));
  registry.AddScalar("partition_months", Direct("spark_partition_month"));
  registry.AddScalar("partition_days", Direct("spark_partition_day"));
  registry.AddScalar("partition_hours", Direct("spark_partition_hour"));
}

}  // namespace frazil::engine
