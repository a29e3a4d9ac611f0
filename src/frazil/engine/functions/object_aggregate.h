#pragma once

// Aggregates whose state is an object on the heap. Internal to engine/.
//
// A class says what the aggregate does:
//
//   struct CountDistinct {
//     using Object = HllSketch;
//     // The state of no rows; the constants are the arguments behind the first, as values.
//     static Object Make(const AggregateConstants& constants);
//     // Adds the value of a row, which is not NULL.
//     static void Add(Object& object, const AggregateInput& input, duckdb::idx_t row, const AggregateConstants&);
//     static void Merge(Object& target, const Object& source, const AggregateConstants&);
//     // The result, or nothing for NULL. Is called more than once for frames of windows.
//     static std::optional<std::string> Finish(const Object& object, const AggregateConstants&);
//   };
//   loader.RegisterFunction(MakeObjectAggregate<CountDistinct>("spark_hll_agg", {BIGINT, INTEGER}, BLOB));

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <duckdb.hpp>
#include <duckdb/execution/expression_executor.hpp>
#include <duckdb/function/aggregate_function.hpp>

#include "frazil/engine/functions/row_kernel.h"

namespace frazil::engine {

/// The arguments behind the first one, which must be constant.
using AggregateConstants = duckdb::vector<duckdb::Value>;

/// The first argument of some rows; elements of a list too.
class AggregateInput {
 public:
  AggregateInput(duckdb::Vector& vector, duckdb::idx_t count) : vector_(vector) {
    vector.ToUnifiedFormat(count, rows_);
  }

  bool IsValid(duckdb::idx_t row) const { return rows_.validity.RowIsValid(rows_.sel->get_index(row)); }
  template <typename T>
  T Get(duckdb::idx_t row) const {
    return reinterpret_cast<const T*>(rows_.data)[rows_.sel->get_index(row)];
  }
  std::string_view GetText(duckdb::idx_t row) const {
    const auto& text = reinterpret_cast<const duckdb::string_t*>(rows_.data)[rows_.sel->get_index(row)];
    return {text.GetData(), text.GetSize()};
  }
  /// The bytes of a list of numbers; NULLs among them count as zero.
  template <typename T>
  std::string GetListBytes(duckdb::idx_t row) const {
    const auto entry = Get<duckdb::list_entry_t>(row);
    duckdb::UnifiedVectorFormat children;
    duckdb::ListVector::GetEntry(vector_).ToUnifiedFormat(duckdb::ListVector::GetListSize(vector_), children);
    std::string bytes(entry.length * sizeof(T), '\0');
    for (duckdb::idx_t i = 0; i < entry.length; ++i) {
      const auto at = children.sel->get_index(entry.offset + i);
      if (!children.validity.RowIsValid(at)) continue;
      std::memcpy(bytes.data() + i * sizeof(T), reinterpret_cast<const T*>(children.data) + at, sizeof(T));
    }
    return bytes;
  }

 private:
  duckdb::Vector& vector_;
  duckdb::UnifiedVectorFormat rows_;
};

namespace object_aggregate {

struct Constants : duckdb::FunctionData {
  AggregateConstants values;
  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override { return duckdb::make_uniq<Constants>(*this); }
  bool Equals(const duckdb::FunctionData& other) const override { return values == other.Cast<Constants>().values; }
};

inline duckdb::unique_ptr<duckdb::FunctionData> Bind(
    duckdb::ClientContext& context, duckdb::AggregateFunction&,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  auto constants = duckdb::make_uniq<Constants>();
  for (size_t i = 1; i < arguments.size(); ++i)
    constants->values.push_back(duckdb::ExpressionExecutor::EvaluateScalar(context, *arguments[i]));
  return constants;
}

template <typename Traits>
struct Functions {
  using Object = typename Traits::Object;
  struct State {
    Object* object;
  };
  static const AggregateConstants& ConstantsOf(duckdb::AggregateInputData& data) {
    return data.bind_data->Cast<Constants>().values;
  }
  static duckdb::idx_t Size(const duckdb::AggregateFunction&) { return sizeof(State); }
  static void Initialize(const duckdb::AggregateFunction&, duckdb::data_ptr_t state) {
    reinterpret_cast<State*>(state)->object = nullptr;
  }
  static Object& ObjectOf(State& state, const AggregateConstants& constants) {
    if (state.object == nullptr) state.object = new Object(Traits::Make(constants));
    return *state.object;
  }
  static void Update(duckdb::Vector inputs[], duckdb::AggregateInputData& data, duckdb::idx_t, duckdb::Vector& states,
                     duckdb::idx_t count) {
    const auto& constants = ConstantsOf(data);
    const AggregateInput input(inputs[0], count);
    duckdb::UnifiedVectorFormat targets;
    states.ToUnifiedFormat(count, targets);
    auto** state = reinterpret_cast<State**>(targets.data);
    for (duckdb::idx_t row = 0; row < count; ++row) {
      if (input.IsValid(row)) {
        Traits::Add(ObjectOf(*state[targets.sel->get_index(row)], constants), input, row, constants);
      }
    }
  }
  static void SimpleUpdate(duckdb::Vector inputs[], duckdb::AggregateInputData& data, duckdb::idx_t,
                           duckdb::data_ptr_t state, duckdb::idx_t count) {
    const auto& constants = ConstantsOf(data);
    const AggregateInput input(inputs[0], count);
    for (duckdb::idx_t row = 0; row < count; ++row) {
      if (input.IsValid(row)) {
        Traits::Add(ObjectOf(*reinterpret_cast<State*>(state), constants), input, row, constants);
      }
    }
  }
  static void Combine(duckdb::Vector& sources, duckdb::Vector& targets, duckdb::AggregateInputData& data,
                      duckdb::idx_t count) {
    const auto& constants = ConstantsOf(data);
    duckdb::UnifiedVectorFormat source_format;
    sources.ToUnifiedFormat(count, source_format);
    auto** source = reinterpret_cast<State**>(source_format.data);
    auto** target = duckdb::FlatVector::GetData<State*>(targets);
    for (duckdb::idx_t i = 0; i < count; ++i) {
      const State& from = *source[source_format.sel->get_index(i)];
      if (from.object != nullptr) Traits::Merge(ObjectOf(*target[i], constants), *from.object, constants);
    }
  }
  static void Finalize(duckdb::Vector& states, duckdb::AggregateInputData& data, duckdb::Vector& result,
                       duckdb::idx_t count, duckdb::idx_t offset) {
    const auto& constants = ConstantsOf(data);
    duckdb::UnifiedVectorFormat format;
    states.ToUnifiedFormat(count, format);
    auto** state = reinterpret_cast<State**>(format.data);
    for (duckdb::idx_t i = 0; i < count; ++i) {
      const State& from = *state[format.sel->get_index(i)];
      const auto value = from.object != nullptr ? Traits::Finish(*from.object, constants)
                                                : Traits::Finish(Traits::Make(constants), constants);
      row_kernel::Write(result, offset + i, value);
    }
  }
  static void Destroy(duckdb::Vector& states, duckdb::AggregateInputData&, duckdb::idx_t count) {
    duckdb::UnifiedVectorFormat format;
    states.ToUnifiedFormat(count, format);
    auto** state = reinterpret_cast<State**>(format.data);
    for (duckdb::idx_t i = 0; i < count; ++i) {
      State& one = *state[format.sel->get_index(i)];
      delete one.object;
      one.object = nullptr;
    }
  }
};

}  // namespace object_aggregate

template <typename Traits>
duckdb::AggregateFunction MakeObjectAggregate(std::string name, duckdb::vector<duckdb::LogicalType> arguments,
                                              const duckdb::LogicalType& result) {
  using Made = object_aggregate::Functions<Traits>;
  duckdb::AggregateFunction function(name, arguments, result, Made::Size, Made::Initialize, Made::Update, Made::Combine,
                                     Made::Finalize, duckdb::FunctionNullHandling::DEFAULT_NULL_HANDLING,
                                     Made::SimpleUpdate, object_aggregate::Bind, Made::Destroy);
  function.SetOrderDependent(duckdb::AggregateOrderDependent::NOT_ORDER_DEPENDENT);
  function.SetFallible();
  return function;
}

}  // namespace frazil::engine
