// KLL sketches: quantiles.

#include "frazil/sketches/kll_sketch.h"

#include "frazil/engine/functions/object_aggregate.h"
#include "frazil/engine/functions/sketch_functions.h"

namespace frazil::engine {
namespace {

using duckdb::idx_t;
using duckdb::LogicalType;
using sketches::KllSketch;

// The end of the functions' names, the type of the numbers in DuckDB.
template <typename T>
struct KllType;
template <>
struct KllType<int64_t> {
  static constexpr const char* kSuffix = "bigint";
  static LogicalType Type() { return LogicalType::BIGINT; }
};
template <>
struct KllType<float> {
  static constexpr const char* kSuffix = "float";
  static LogicalType Type() { return LogicalType::FLOAT; }
};
template <>
struct KllType<double> {
  static constexpr const char* kSuffix = "double";
  static LogicalType Type() { return LogicalType::DOUBLE; }
};

template <typename T>
std::string NameOf(const char* function) {
  return std::string("`") + function + "_" + KllType<T>::kSuffix + "`";
}

[[noreturn]] void ThrowInvalidSketch(std::string function) {
  ThrowSparkError("KLL_INVALID_INPUT_SKETCH_BUFFER", {{"function", std::move(function)}});
}

template <typename T>
KllSketch<T> Parse(std::string_view bytes, const char* function) {
  auto sketch = KllSketch<T>::Parse(bytes);
  if (!sketch.has_value()) ThrowInvalidSketch(NameOf<T>(function));
  return *std::move(sketch);
}

template <typename T>
struct KllAggregate {
  using Object = KllSketch<T>;
  static Object Make(const AggregateConstants& constants) { return KllSketch<T>(constants[0].GetValue<int32_t>()); }
  static void Add(Object& sketch, const AggregateInput& input, idx_t row, const AggregateConstants&) {
    sketch.Update(input.Get<T>(row));
  }
  static void Merge(Object& target, const Object& source, const AggregateConstants&) { target.Merge(source); }
  static std::optional<std::string> Finish(const Object& sketch, const AggregateConstants&) {
    return sketch.Serialize();
  }
};

// The constant says the size; 0: as the first sketch.
template <typename T>
struct KllMergeAggregate {
  using Object = std::optional<KllSketch<T>>;
  static Object Make(const AggregateConstants&) { return std::nullopt; }
  static void AddSketch(Object& object, const KllSketch<T>& sketch, const AggregateConstants& constants) {
    const int k = constants[0].GetValue<int32_t>();
    if (!object.has_value()) object = KllSketch<T>(k == 0 ? sketch.k() : k);
    object->Merge(sketch);
  }
  static void Add(Object& object, const AggregateInput& input, idx_t row, const AggregateConstants& constants) {
    AddSketch(object, Parse<T>(input.GetText(row), "kll_merge_agg"), constants);
  }
  static void Merge(Object& target, const Object& source, const AggregateConstants& constants) {
    if (source.has_value()) AddSketch(target, *source, constants);
  }
  static std::optional<std::string> Finish(const Object& object, const AggregateConstants& constants) {
    if (object.has_value()) return object->Serialize();
    const int k = constants[0].GetValue<int32_t>();
    return KllSketch<T>(k == 0 ? sketches::kKllDefaultK : k).Serialize();
  }
};

template <typename T>
std::string MergeSketches(std::string_view left, std::string_view right) {
  KllSketch<T> both = Parse<T>(left, "kll_sketch_merge");
  both.Merge(Parse<T>(right, "kll_sketch_merge"));
  return both.Serialize();
}

template <typename T>
T QuantileOf(std::string_view bytes, double rank) {
  constexpr const char* kName = "kll_sketch_get_quantile";
  const auto sketch = Parse<T>(bytes, kName);
  if (!(rank >= 0.0 && rank <= 1.0))
    ThrowSparkError("KLL_SKETCH_INVALID_QUANTILE_RANGE", {{"functionName", NameOf<T>(kName)}});
  const auto value = sketch.Quantile(rank);
  if (!value.has_value()) ThrowInvalidSketch(NameOf<T>(kName));
  return *value;
}

template <typename T>
double RankOf(std::string_view bytes, T value) {
  constexpr const char* kName = "kll_sketch_get_rank";
  const auto rank = Parse<T>(bytes, kName).Rank(value);
  if (!rank.has_value()) ThrowInvalidSketch(NameOf<T>(kName));
  return *rank;
}

template <typename T>
void AddKernelsOf(duckdb::ExtensionLoader& loader) {
  const auto I = LogicalType::INTEGER, L = LogicalType::BIGINT, D = LogicalType::DOUBLE, B = LogicalType::BLOB;
  const LogicalType type = KllType<T>::Type();
  const auto name = [](const char* function) { return std::string("spark_") + function + "_" + KllType<T>::kSuffix; };
  loader.RegisterFunction(MakeObjectAggregate<KllAggregate<T>>(name("kll_sketch_agg"), {type, I}, B));
  loader.RegisterFunction(MakeObjectAggregate<KllMergeAggregate<T>>(name("kll_merge_agg"), {B, I}, B));
  AddRowKernel(loader, name("kll_sketch_merge"), {B, B}, B, &MergeSketches<T>, kFallible);
  AddRowKernel(loader, name("kll_sketch_get_quantile"), {B, D}, type, &QuantileOf<T>, kFallible);
  AddRowKernel(loader, name("kll_sketch_get_rank"), {B, type}, D, &RankOf<T>, kFallible);
  AddRowKernel(
      loader, name("kll_sketch_get_n"), {B}, L,
      [](std::string_view bytes) { return static_cast<int64_t>(Parse<T>(bytes, "kll_sketch_get_n").count()); },
      kFallible);
  AddRowKernel(
      loader, name("kll_sketch_to_string"), {B}, LogicalType::VARCHAR,
      [](std::string_view bytes) { return Parse<T>(bytes, "kll_sketch_to_string").Summary(); }, kFallible);
}

template <typename T>
void Register(FunctionLoweringRegistry& registry) {
  const std::string suffix = std::string("_") + KllType<T>::kSuffix;
  for (const char* name : {"kll_sketch_agg", "kll_merge_agg"})
    registry.AddAggregate(name + suffix, Direct("spark_" + (name + suffix)));
  for (const char* name : {"kll_sketch_merge", "kll_sketch_get_n", "kll_sketch_to_string"})
    registry.AddScalar(name + suffix, Direct("spark_" + (name + suffix)));
  for (const char* name : {"kll_sketch_get_quantile", "kll_sketch_get_rank"}) {
    registry.AddScalar(name + suffix, Direct("spark_" + (name + suffix)));
    // Several at once, each read anew: there are few.
    registry.AddScalar(name + suffix + "_list",
                       Template("list_transform($2, lambda one: spark_" + (name + suffix) + "($1, one))"));
  }
}

}  // namespace

void RegisterKllFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernelsOf<int64_t>);
  registry.AddKernels(AddKernelsOf<float>);
  registry.AddKernels(AddKernelsOf<double>);
  Register<int64_t>(registry);
  Register<float>(registry);
  Register<double>(registry);
}

}  // namespace frazil::engine
