#include <cmath>
#include <cstring>

#include <duckdb/common/vector_operations/binary_executor.hpp>
#include <duckdb/common/vector_operations/generic_executor.hpp>
#include <duckdb/common/vector_operations/ternary_executor.hpp>
#include <duckdb/execution/expression_executor_state.hpp>

#include "frazil/engine/functions/core_functions.h"
#include "frazil/engine/functions/seeded_random.h"
#include "frazil/engine/functions/xorshift_random.h"

namespace frazil::engine {
namespace {

using duckdb::DataChunk;
using duckdb::ExpressionState;
using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::ScalarFunction;
using duckdb::ValidityMask;
using duckdb::Vector;

// (array's length, index from 0, error?) -> index from 1 for list_extract, NULL where it is out of range.
void ArrayIndex(DataChunk& input, ExpressionState&, Vector& result) {
  duckdb::TernaryExecutor::ExecuteWithNulls<int64_t, int64_t, bool, int64_t>(
      input.data[0], input.data[1], input.data[2], result, input.size(),
      [](int64_t length, int64_t index, bool error, ValidityMask& mask, idx_t row) -> int64_t {
        if (index >= 0 && index < length) return index + 1;
        if (error) ThrowInvalidArrayIndex(index, length);
        mask.SetInvalid(row);
        return 0;
      });
}

// element_at: from 1, or negative from the end.
void ElementIndex(DataChunk& input, ExpressionState&, Vector& result) {
  duckdb::TernaryExecutor::ExecuteWithNulls<int64_t, int64_t, bool, int64_t>(
      input.data[0], input.data[1], input.data[2], result, input.size(),
      [](int64_t length, int64_t index, bool error, ValidityMask& mask, idx_t row) -> int64_t {
        if (index == 0) ThrowSparkError("INVALID_INDEX_OF_ZERO");
        const int64_t distance = index < 0 ? -index : index;
        if (distance <= length) return index > 0 ? index : length + index + 1;
        if (error) {
          ThrowSparkError("INVALID_ARRAY_INDEX_IN_ELEMENT_AT",
                          {{"indexValue", std::to_string(index)}, {"arraySize", std::to_string(length)}});
        }
        mask.SetInvalid(row);
        return 0;
      });
}

// Three-valued any (kWanted true: exists) or all (kWanted false: forall) over an array of booleans.
template <bool kWanted>
void Quantify(DataChunk& input, ExpressionState&, Vector& result) {
  const bool constant = input.AllConstant();
  const idx_t count = constant ? 1 : input.size();
  auto& source = input.data[0];
  duckdb::UnifiedVectorFormat lists, elements;
  source.ToUnifiedFormat(count, lists);
  auto& child = duckdb::ListVector::GetEntry(source);
  child.ToUnifiedFormat(duckdb::ListVector::GetListSize(source), elements);
  const auto* entries = duckdb::UnifiedVectorFormat::GetData<duckdb::list_entry_t>(lists);
  const auto* values = duckdb::UnifiedVectorFormat::GetData<bool>(elements);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* out = duckdb::FlatVector::GetData<bool>(result);
  for (idx_t row = 0; row < count; ++row) {
    const auto list_row = lists.sel->get_index(row);
    if (!lists.validity.RowIsValid(list_row)) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    bool found = false, unknown = false;
    for (idx_t i = 0; i < entries[list_row].length && !found; ++i) {
      const auto at = elements.sel->get_index(entries[list_row].offset + i);
      if (!elements.validity.RowIsValid(at)) {
        unknown = true;
      } else {
        found = values[at] == kWanted;
      }
    }
    if (!found && unknown) {
      duckdb::FlatVector::SetNull(result, row, true);
    } else {
      out[row] = found == kWanted;
    }
  }
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

// --- sampling
// ---------------------------------------------------------------------------------------------------------------------------------------------

// Draws come in the order of the rows, as in Spark's sampler over one partition: the state remembers which row is next.
struct SampleState : duckdb::FunctionLocalState {
  XorShiftRandom random{0};
  int64_t seed = 0;
  int64_t next = 0;  ///< 0: not begun.

  XorShiftRandom& At(int64_t wanted_seed, int64_t row, int draws_per_row) {
    if (next == 0 || wanted_seed != seed || row < next) {
      seed = wanted_seed;
      random = XorShiftRandom(seed);
      next = 1;
    }
    for (; next < row; ++next) {
      for (int i = 0; i < draws_per_row; ++i) random.NextDouble();
    }
    next = row + 1;
    return random;
  }
};

duckdb::unique_ptr<duckdb::FunctionLocalState> MakeSampleState(ExpressionState&, const duckdb::BoundFunctionExpression&,
                                                               duckdb::FunctionData*) {
  return duckdb::make_uniq<SampleState>();
}

// (seed, row from 1, lower, upper)
void SampleKeep(DataChunk& input, ExpressionState& state, Vector& result) {
  auto& sample = duckdb::ExecuteFunctionState::GetFunctionState(state)->Cast<SampleState>();
  const idx_t count = input.size();
  for (auto& column : input.data) column.Flatten(count);
  const auto* seeds = duckdb::FlatVector::GetData<int64_t>(input.data[0]);
  const auto* rows = duckdb::FlatVector::GetData<int64_t>(input.data[1]);
  const auto* lower = duckdb::FlatVector::GetData<double>(input.data[2]);
  const auto* upper = duckdb::FlatVector::GetData<double>(input.data[3]);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* out = duckdb::FlatVector::GetData<bool>(result);
  for (idx_t i = 0; i < count; ++i) {
    const double draw = sample.At(seeds[i], rows[i], 1).NextDouble();
    out[i] = draw >= lower[i] && draw < upper[i];
  }
}

// The copies of one row after the other, drawn by one generator.
struct CopiesState : duckdb::FunctionLocalState {
  WellRandom random{0};
  int64_t next = 0;  ///< 0: not begun.

  int64_t At(int64_t seed, int64_t row, double mean) {
    if (next == 0 || row < next) {
      // A sampler's seed is the first number that its seed draws, as for Spark's first partition.
      random = WellRandom(JavaRandom(seed).NextLong());
      next = 1;
    }
    for (; next < row; ++next) random.NextPoisson(mean);
    next = row + 1;
    return random.NextPoisson(mean);
  }
};

duckdb::unique_ptr<duckdb::FunctionLocalState> MakeCopiesState(ExpressionState&, const duckdb::BoundFunctionExpression&,
                                                               duckdb::FunctionData*) {
  return duckdb::make_uniq<CopiesState>();
}

// (seed, row from 1, mean): how often the row is taken, by Poisson's distribution.
void SampleCopies(DataChunk& input, ExpressionState& state, Vector& result) {
  auto& sample = duckdb::ExecuteFunctionState::GetFunctionState(state)->Cast<CopiesState>();
  duckdb::TernaryExecutor::Execute<int64_t, int64_t, double, int64_t>(
      input.data[0], input.data[1], input.data[2], result, input.size(),
      [&](int64_t seed, int64_t row, double mean) -> int64_t { return sample.At(seed, row, mean); });
}

// (depth, limit) -> depth + 1
void RecursionDepth(DataChunk& input, ExpressionState&, Vector& result) {
  duckdb::BinaryExecutor::Execute<int64_t, int64_t, int64_t>(
      input.data[0], input.data[1], result, input.size(), [](int64_t depth, int64_t limit) -> int64_t {
        if (limit >= 0 && depth + 1 >= limit)
          ThrowSparkError("RECURSION_LEVEL_LIMIT_EXCEEDED", {{"levelLimit", std::to_string(limit)}});
        return depth + 1;
      });
}

// A value as it is, which DuckDB does not compute while it binds: Lowering puts it on top of deep constants.
duckdb::unique_ptr<duckdb::FunctionData> BindAsComputed(
    duckdb::ClientContext&, ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  function.arguments[0] = arguments[0]->return_type;
  function.SetReturnType(arguments[0]->return_type);
  return nullptr;
}

void AsComputed(DataChunk& input, ExpressionState&, Vector& result) { result.Reference(input.data[0]); }

}  // namespace

void RegisterCoreKernels(duckdb::ExtensionLoader& loader) {
  const auto fallible = [&](ScalarFunction function) {
    function.SetFallible();
    loader.RegisterFunction(function);
  };
  fallible(ScalarFunction("spark_array_index", {LogicalType::BIGINT, LogicalType::BIGINT, LogicalType::BOOLEAN},
                          LogicalType::BIGINT, ArrayIndex));
  fallible(ScalarFunction("spark_element_index", {LogicalType::BIGINT, LogicalType::BIGINT, LogicalType::BOOLEAN},
                          LogicalType::BIGINT, ElementIndex));
  const auto booleans = LogicalType::LIST(LogicalType::BOOLEAN);
  loader.RegisterFunction(ScalarFunction("spark_exists", {booleans}, LogicalType::BOOLEAN, Quantify<true>));
  loader.RegisterFunction(ScalarFunction("spark_forall", {booleans}, LogicalType::BOOLEAN, Quantify<false>));

  ScalarFunction keep("spark_sample_keep",
                      {LogicalType::BIGINT, LogicalType::BIGINT, LogicalType::DOUBLE, LogicalType::DOUBLE},
                      LogicalType::BOOLEAN, SampleKeep, nullptr, nullptr, nullptr, MakeSampleState);
  keep.SetVolatile();
  loader.RegisterFunction(keep);
  ScalarFunction copies("spark_sample_copies", {LogicalType::BIGINT, LogicalType::BIGINT, LogicalType::DOUBLE},
                        LogicalType::BIGINT, SampleCopies, nullptr, nullptr, nullptr, MakeCopiesState);
  copies.SetVolatile();
  loader.RegisterFunction(copies);
  ScalarFunction depth("spark_recursion_depth", {LogicalType::BIGINT, LogicalType::BIGINT}, LogicalType::BIGINT,
                       RecursionDepth);
  depth.SetFallible();
  depth.SetVolatile();
  loader.RegisterFunction(depth);
  ScalarFunction as_computed("spark_as_computed", {LogicalType::ANY}, LogicalType::ANY, AsComputed, BindAsComputed);
  as_computed.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  as_computed.SetVolatile();
  loader.RegisterFunction(as_computed);
}

}  // namespace frazil::engine
