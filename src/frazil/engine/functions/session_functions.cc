// Errors raised on purpose, row numbers, and facts about the file of a row; bitmaps.

#include <atomic>
#include <bit>

#include <duckdb/planner/expression/bound_function_expression.hpp>

#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/spark_functions.h"

namespace frazil::engine {
namespace {

using duckdb::idx_t;
using duckdb::LogicalType;

constexpr size_t kBitmapBytes = 4096;
constexpr int64_t kBitmapBits = 8 * kBitmapBytes;

[[noreturn]] void RaiseUserError(std::string_view message) {
  ThrowSparkError(
      Error::Of(ExceptionClass::kSparkRuntime, "USER_RAISED_EXCEPTION", {{"errorMessage", std::string(message)}}));
}

// Numbers the rows that pass: consecutive within a batch, and unique in the statement.
struct RowNumbers : duckdb::FunctionData {
  std::shared_ptr<std::atomic<int64_t>> next = std::make_shared<std::atomic<int64_t>>(0);
  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override {
    auto copy = duckdb::make_uniq<RowNumbers>();
    copy->next = next;
    return copy;
  }
  bool Equals(const duckdb::FunctionData& other) const override { return other.Cast<RowNumbers>().next == next; }
};

duckdb::unique_ptr<duckdb::FunctionData> BindRowNumbers(duckdb::ClientContext&, duckdb::ScalarFunction&,
                                                        duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>&) {
  return duckdb::make_uniq<RowNumbers>();
}

void NumberRows(duckdb::DataChunk& arguments, duckdb::ExpressionState& state, duckdb::Vector& result) {
  auto& numbers = state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<RowNumbers>();
  int64_t next = numbers.next->fetch_add(static_cast<int64_t>(arguments.size()));
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (idx_t row = 0; row < arguments.size(); ++row) row_kernel::Write(result, row, next++);
}

int64_t CountBits(std::string_view bytes) {
  int64_t count = 0;
  for (unsigned char c : bytes) count += std::popcount(c);
  return count;
}

// Calls `add` with each element of each list; writes what it leaves in the bitmap.
template <typename T, typename Add>
void CombineLists(duckdb::DataChunk& arguments, duckdb::Vector& result, bool start_full, Add add) {
  const idx_t count = arguments.size();
  duckdb::UnifiedVectorFormat lists, children;
  arguments.data[0].ToUnifiedFormat(count, lists);
  duckdb::ListVector::GetEntry(arguments.data[0])
      .ToUnifiedFormat(duckdb::ListVector::GetListSize(arguments.data[0]), children);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (idx_t row = 0; row < count; ++row) {
    std::string bitmap(kBitmapBytes, start_full ? '\xFF' : '\0');
    const auto index = lists.sel->get_index(row);
    if (lists.validity.RowIsValid(index)) {
      const auto entry = reinterpret_cast<const duckdb::list_entry_t*>(lists.data)[index];
      for (idx_t i = entry.offset; i < entry.offset + entry.length; ++i) {
        const auto at = children.sel->get_index(i);
        if (children.validity.RowIsValid(at)) add(&bitmap, reinterpret_cast<const T*>(children.data)[at]);
      }
    }
    row_kernel::Write(result, row, bitmap);
  }
  if (arguments.AllConstant()) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

void AddBitmapKernels(duckdb::ExtensionLoader& loader) {
  const auto L = LogicalType::BIGINT;
  AddRowKernel(loader, "spark_bitmap_bit_position", {L}, L, [](int64_t value) -> int64_t {
    if (value > 0) return (value - 1) % kBitmapBits;
    return (-value) % kBitmapBits;
  });
  AddRowKernel(loader, "spark_bitmap_bucket_number", {L}, L, [](int64_t value) -> int64_t {
    if (value > 0) return 1 + (value - 1) / kBitmapBits;
    return value / kBitmapBits;
  });
  AddRowKernel(loader, "spark_bitmap_count", {LogicalType::BLOB}, L, &CountBits);
  const auto add = [&](const char* name, LogicalType element, duckdb::scalar_function_t run) {
    duckdb::ScalarFunction function(name, {LogicalType::LIST(std::move(element))}, LogicalType::BLOB, std::move(run));
    function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
    function.SetFallible();
    loader.RegisterFunction(function);
  };
  add("spark_bitmap_of", LogicalType::BIGINT,
      [](duckdb::DataChunk& arguments, duckdb::ExpressionState&, duckdb::Vector& result) {
        CombineLists<int64_t>(arguments, result, false, [](std::string* bitmap, int64_t position) {
          if (position < 0 || position >= kBitmapBits)
            ThrowSparkError("INVALID_BITMAP_POSITION", {{"bitPosition", std::to_string(position)},
                                                        {"bitmapNumBytes", std::to_string(kBitmapBytes)},
                                                        {"bitmapNumBits", std::to_string(kBitmapBits)}});
          (*bitmap)[static_cast<size_t>(position / 8)] |= static_cast<char>(1 << (position % 8));
        });
      });
  add("spark_bitmap_or", LogicalType::BLOB,
      [](duckdb::DataChunk& arguments, duckdb::ExpressionState&, duckdb::Vector& result) {
        CombineLists<duckdb::string_t>(arguments, result, false,
                                       [](std::string* bitmap, const duckdb::string_t& other) {
                                         for (size_t i = 0; i < std::min<size_t>(other.GetSize(), kBitmapBytes); ++i)
                                           (*bitmap)[i] |= other.GetData()[i];
                                       });
      });
  add("spark_bitmap_and", LogicalType::BLOB,
      [](duckdb::DataChunk& arguments, duckdb::ExpressionState&, duckdb::Vector& result) {
        CombineLists<duckdb::string_t>(arguments, result, true, [](std::string* bitmap, const duckdb::string_t& other) {
          for (size_t i = 0; i < kBitmapBytes; ++i) (*bitmap)[i] &= i < other.GetSize() ? other.GetData()[i] : '\0';
        });
      });
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  const auto V = LogicalType::VARCHAR, Boolean = LogicalType::BOOLEAN, I = LogicalType::INTEGER;
  AddRowKernel(
      loader, "spark_assert_true", {Boolean, V}, I,
      [](std::optional<bool> condition, std::optional<std::string_view> message) -> std::optional<int32_t> {
        if (!condition.value_or(false)) RaiseUserError(message.value_or("null"));
        return std::nullopt;
      },
      KernelTraits{true, true});
  AddRowKernel(
      loader, "spark_raise_error", {V}, I,
      [](std::optional<std::string_view> message) -> std::optional<int32_t> {
        RaiseUserError(message.value_or("null"));
      },
      KernelTraits{true, true});
  duckdb::ScalarFunction number("spark_row_number", {}, LogicalType::BIGINT, NumberRows, BindRowNumbers);
  number.SetVolatile();
  loader.RegisterFunction(number);
}

// raise_error(condition, parameters): any condition of Spark's.
Result<LoweredExpression> LowerRaiseError(LoweringContext&, const CallExpression& call, LoweredArguments arguments) {
  if (call.arguments.size() > 1) {
    const auto& condition = *call.arguments[0];
    const bool is_user = condition.kind == ExpressionKind::kLiteral &&
                         !condition.As<LiteralExpression>().value.is_null() &&
                         condition.As<LiteralExpression>().value.string() == "USER_RAISED_EXCEPTION";
    if (!is_user) return Error::Unsupported("raise_error with an error condition");
    return CallOf("spark_raise_error",
                  CallOf("map_extract_value", std::move(arguments[1]), ConstantOf(duckdb::Value("errorMessage"))));
  }
  return CallOf("spark_raise_error", std::move(arguments));
}

}  // namespace

void RegisterSessionFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  registry.AddKernels(AddBitmapKernels);
  registry.AddScalar("assert_true", Direct("spark_assert_true"));
  registry.AddScalar("raise_error", Build(LowerRaiseError));
  registry.AddScalar(
      "typeof", Build([](LoweringContext&, const CallExpression& call, LoweredArguments) -> Result<LoweredExpression> {
        return ConstantOf(duckdb::Value(call.arguments[0]->type->SimpleString()));
      }));
  registry.AddScalar("spark_partition_id", Template("0"));
  registry.AddScalar("input_file_name", Template("''"));
  registry.AddScalar("input_file_block_start", Template("CAST(-1 AS BIGINT)"));
  registry.AddScalar("input_file_block_length", Template("CAST(-1 AS BIGINT)"));
  for (const char* name : {"bitmap_bit_position", "bitmap_bucket_number", "bitmap_count"})
    registry.AddScalar(name, Direct(std::string("spark_") + name));
  registry.AddAggregate("bitmap_construct_agg", Template("spark_bitmap_of(list($1))"));
  registry.AddAggregate("bitmap_or_agg", Template("spark_bitmap_or(list($1))"));
  registry.AddAggregate("bitmap_and_agg", Template("spark_bitmap_and(list($1))"));
}

}  // namespace frazil::engine
