// Sketches of distinct values: HLL, Theta, count-min.

#include <cmath>

#include "frazil/engine/functions/murmur3.h"
#include "frazil/engine/functions/object_aggregate.h"
#include "frazil/engine/functions/sketch_functions.h"
#include "frazil/sketches/hll_sketch.h"
#include "frazil/sketches/theta_sketch.h"

namespace frazil::engine {
namespace {

using duckdb::idx_t;
using duckdb::LogicalType;
using sketches::HllSketch;
using sketches::HllUnion;
using sketches::ThetaBuilder;
using sketches::ThetaSketch;

[[noreturn]] void ThrowInvalidSketch(const char* condition, std::string_view function) {
  ThrowSparkError(condition, {{"function", "`" + std::string(function) + "`"}});
}

// --- HLL -------------------------------------------------------------------------------------------------------------

HllSketch ParseHll(std::string_view bytes, std::string_view function) {
  auto sketch = HllSketch::Parse(bytes);
  if (!sketch.has_value()) ThrowInvalidSketch("HLL_INVALID_INPUT_SKETCH_BUFFER", function);
  return *std::move(sketch);
}

void CheckSameLgK(int left, int right, std::string_view function) {
  if (left == right) return;
  ThrowSparkError("HLL_UNION_DIFFERENT_LG_K", {{"left", std::to_string(left)},
                                               {"right", std::to_string(right)},
                                               {"function", "`" + std::string(function) + "`"}});
}

template <typename T>
struct HllAggregate {
  using Object = HllSketch;
  static Object Make(const AggregateConstants& constants) { return HllSketch(constants[0].GetValue<int32_t>()); }
  static void Add(Object& sketch, const AggregateInput& input, idx_t row, const AggregateConstants&) {
    if constexpr (std::is_same_v<T, std::string_view>) {
      sketch.Update(input.GetText(row));
    } else {
      sketch.Update(static_cast<int64_t>(input.Get<T>(row)));
    }
  }
  static void Merge(Object& target, const Object& source, const AggregateConstants&) {
    HllUnion both(target.lg_k());
    both.Update(target);
    both.Update(source);
    target = both.Result();
  }
  static std::optional<std::string> Finish(const Object& sketch, const AggregateConstants&) {
    return sketch.Serialize();
  }
};

// A union begins with the size of its first sketch.
struct HllUnionAggregate {
  using Object = std::optional<HllUnion>;
  static constexpr const char* kName = "hll_union_agg";
  static Object Make(const AggregateConstants&) { return std::nullopt; }
  static void AddSketch(Object& object, const HllSketch& sketch, const AggregateConstants& constants) {
    if (!object.has_value()) {
      object = HllUnion(sketch.lg_k());
    } else if (!constants[0].GetValue<bool>()) {
      CheckSameLgK(object->lg_k(), sketch.lg_k(), kName);
    }
    object->Update(sketch);
  }
  static void Add(Object& object, const AggregateInput& input, idx_t row, const AggregateConstants& constants) {
    AddSketch(object, ParseHll(input.GetText(row), kName), constants);
  }
  static void Merge(Object& target, const Object& source, const AggregateConstants& constants) {
    if (source.has_value()) AddSketch(target, source->Result(), constants);
  }
  static std::optional<std::string> Finish(const Object& object, const AggregateConstants&) {
    return object.has_value() ? object->Result().Serialize() : HllSketch(HllSketch::kDefaultLgK).Serialize();
  }
};

std::string UniteHll(std::string_view first, std::string_view second, bool allow_different) {
  const HllSketch left = ParseHll(first, "hll_union"), right = ParseHll(second, "hll_union");
  if (!allow_different) CheckSameLgK(left.lg_k(), right.lg_k(), "hll_union");
  HllUnion both(std::min(left.lg_k(), right.lg_k()));
  both.Update(left);
  both.Update(right);
  return both.Result().Serialize();
}

int64_t EstimateHll(std::string_view bytes) {
  return static_cast<int64_t>(std::floor(ParseHll(bytes, "hll_sketch_estimate").Estimate() + 0.5));
}

// --- Theta -----------------------------------------------------------------------------------------------------------

ThetaSketch ParseTheta(std::string_view bytes, std::string_view function) {
  auto sketch = ThetaSketch::Parse(bytes);
  if (!sketch.has_value()) ThrowInvalidSketch("THETA_INVALID_INPUT_SKETCH_BUFFER", function);
  return *std::move(sketch);
}

// The base of those that collect in a builder of the constant size.
struct ThetaCollecting {
  using Object = ThetaBuilder;
  static Object Make(const AggregateConstants& constants) { return ThetaBuilder(constants[0].GetValue<int32_t>()); }
  static void Merge(Object& target, const Object& source, const AggregateConstants&) { target.Merge(source); }
  static std::optional<std::string> Finish(const Object& builder, const AggregateConstants&) {
    return builder.Result().Serialize();
  }
};

template <typename T>
struct ThetaAggregate : ThetaCollecting {
  static void Add(Object& builder, const AggregateInput& input, idx_t row, const AggregateConstants&) {
    if constexpr (std::is_same_v<T, std::string_view>) {
      builder.Update(input.GetText(row));
    } else {
      builder.Update(input.Get<T>(row));
    }
  }
};

template <typename T>
struct ThetaListAggregate : ThetaCollecting {
  static void Add(Object& builder, const AggregateInput& input, idx_t row, const AggregateConstants&) {
    builder.Update(input.GetListBytes<T>(row));
  }
};

struct ThetaUnionAggregate : ThetaCollecting {
  static void Add(Object& builder, const AggregateInput& input, idx_t row, const AggregateConstants&) {
    builder.Merge(ParseTheta(input.GetText(row), "theta_union_agg"));
  }
};

struct ThetaIntersectionAggregate {
  using Object = std::optional<ThetaSketch>;
  static Object Make(const AggregateConstants&) { return std::nullopt; }
  static void Merge(Object& target, const Object& source, const AggregateConstants&) {
    if (source.has_value()) target = target.has_value() ? ThetaSketch::Intersection(*target, *source) : source;
  }
  static void Add(Object& object, const AggregateInput& input, idx_t row, const AggregateConstants& constants) {
    Merge(object, ParseTheta(input.GetText(row), "theta_intersection_agg"), constants);
  }
  static std::optional<std::string> Finish(const Object& object, const AggregateConstants&) {
    return object.value_or(ThetaSketch()).Serialize();
  }
};

void CheckLgEntries(int32_t lg_entries, const char* function) {
  if (lg_entries >= ThetaSketch::kMinLgEntries && lg_entries <= ThetaSketch::kMaxLgEntries) return;
  ThrowSparkError("THETA_INVALID_LG_NOM_ENTRIES", {{"function", "`" + std::string(function) + "`"},
                                                   {"min", std::to_string(ThetaSketch::kMinLgEntries)},
                                                   {"max", std::to_string(ThetaSketch::kMaxLgEntries)},
                                                   {"value", std::to_string(lg_entries)}});
}

std::string UniteTheta(std::string_view first, std::string_view second, int32_t lg_entries) {
  CheckLgEntries(lg_entries, "theta_union");
  ThetaBuilder both(lg_entries);
  both.Merge(ParseTheta(first, "theta_union"));
  both.Merge(ParseTheta(second, "theta_union"));
  return both.Result().Serialize();
}

// --- count-min, as Spark's own sketch lays it out (CountMinSketchImpl)
// --------------------------------------------------

// java.util.Random: what its nextInt(2^31 - 1) gives.
class JavaRandom {
 public:
  explicit JavaRandom(int64_t seed) : seed_((static_cast<uint64_t>(seed) ^ kMultiplier) & kMask) {}
  int32_t NextBelowMaximum() {
    constexpr int32_t kBound = INT32_MAX;
    for (;;) {
      const int32_t bits = Next31();
      const int32_t value = bits % kBound;
      // Bits in the last, incomplete round are thrown away.
      if (static_cast<int64_t>(bits) - value + (kBound - 1) <= INT32_MAX) return value;
    }
  }

 private:
  static constexpr uint64_t kMultiplier = 0x5DEECE66DULL, kMask = (1ULL << 48) - 1;
  int32_t Next31() {
    seed_ = (seed_ * kMultiplier + 0xB) & kMask;
    return static_cast<int32_t>(seed_ >> 17);
  }
  uint64_t seed_;
};

class CountMinSketch {
 public:
  CountMinSketch(double eps, double confidence, int32_t seed)
      : width_(static_cast<int32_t>(std::ceil(2 / eps))),
        depth_(static_cast<int32_t>(std::ceil(-std::log1p(-confidence) / std::log(2.0)))) {
    JavaRandom random(seed);
    for (int32_t i = 0; i < depth_; ++i) factors_.push_back(random.NextBelowMaximum());
    counts_.resize(static_cast<size_t>(width_) * static_cast<size_t>(depth_));
  }
  void Add(int64_t value) {
    for (int32_t row = 0; row < depth_; ++row) {
      uint64_t hash = static_cast<uint64_t>(factors_[static_cast<size_t>(row)]) * static_cast<uint64_t>(value);
      hash += static_cast<uint64_t>(static_cast<int64_t>(hash) >> 32);
      Count(row, static_cast<int32_t>(hash & INT32_MAX) % width_);
    }
    ++total_;
  }
  void Add(std::string_view value) {
    const uint32_t first = Murmur3::Bytes(value, 0), second = Murmur3::Bytes(value, first);
    for (int32_t row = 0; row < depth_; ++row) {
      const auto hash = static_cast<int32_t>(first + static_cast<uint32_t>(row) * second);
      Count(row, std::abs(hash % width_));
    }
    ++total_;
  }
  void Merge(const CountMinSketch& other) {
    for (size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
    total_ += other.total_;
  }
  std::string Serialize() const {
    std::string bytes;
    const auto put = [&](auto value) {
      for (int shift = 8 * (static_cast<int>(sizeof(value)) - 1); shift >= 0; shift -= 8)
        bytes += static_cast<char>(value >> shift);
    };
    put(int32_t{1});
    put(total_);
    put(depth_);
    put(width_);
    for (const int64_t factor : factors_) put(factor);
    for (const int64_t count : counts_) put(count);
    return bytes;
  }

 private:
  void Count(int32_t row, int32_t column) {
    ++counts_[static_cast<size_t>(row) * static_cast<size_t>(width_) + static_cast<size_t>(column)];
  }
  int32_t width_, depth_;
  int64_t total_ = 0;
  std::vector<int64_t> factors_, counts_;
};

template <typename T>
struct CountMinAggregate {
  using Object = CountMinSketch;
  static Object Make(const AggregateConstants& constants) {
    return {constants[0].GetValue<double>(), constants[1].GetValue<double>(), constants[2].GetValue<int32_t>()};
  }
  static void Add(Object& sketch, const AggregateInput& input, idx_t row, const AggregateConstants&) {
    if constexpr (std::is_same_v<T, std::string_view>) {
      sketch.Add(input.GetText(row));
    } else {
      sketch.Add(input.Get<T>(row));
    }
  }
  static void Merge(Object& target, const Object& source, const AggregateConstants&) { target.Merge(source); }
  static std::optional<std::string> Finish(const Object& sketch, const AggregateConstants&) {
    return sketch.Serialize();
  }
};

void AddKernels(duckdb::ExtensionLoader& loader) {
  const auto I = LogicalType::INTEGER, L = LogicalType::BIGINT, D = LogicalType::DOUBLE, V = LogicalType::VARCHAR,
             B = LogicalType::BLOB;
  duckdb::AggregateFunctionSet hll("spark_hll_sketch_agg"), theta("spark_theta_sketch_agg"),
      count_min("spark_count_min_sketch");
  hll.AddFunction(MakeObjectAggregate<HllAggregate<int64_t>>(hll.name, {L, I}, B));
  hll.AddFunction(MakeObjectAggregate<HllAggregate<std::string_view>>(hll.name, {V, I}, B));
  hll.AddFunction(MakeObjectAggregate<HllAggregate<std::string_view>>(hll.name, {B, I}, B));
  theta.AddFunction(MakeObjectAggregate<ThetaAggregate<int64_t>>(theta.name, {L, I}, B));
  theta.AddFunction(MakeObjectAggregate<ThetaAggregate<double>>(theta.name, {D, I}, B));
  theta.AddFunction(MakeObjectAggregate<ThetaAggregate<std::string_view>>(theta.name, {V, I}, B));
  theta.AddFunction(MakeObjectAggregate<ThetaAggregate<std::string_view>>(theta.name, {B, I}, B));
  theta.AddFunction(MakeObjectAggregate<ThetaListAggregate<int32_t>>(theta.name, {LogicalType::LIST(I), I}, B));
  theta.AddFunction(MakeObjectAggregate<ThetaListAggregate<int64_t>>(theta.name, {LogicalType::LIST(L), I}, B));
  count_min.AddFunction(MakeObjectAggregate<CountMinAggregate<int64_t>>(count_min.name, {L, D, D, I}, B));
  count_min.AddFunction(MakeObjectAggregate<CountMinAggregate<std::string_view>>(count_min.name, {V, D, D, I}, B));
  count_min.AddFunction(MakeObjectAggregate<CountMinAggregate<std::string_view>>(count_min.name, {B, D, D, I}, B));
  for (auto* set : {&hll, &theta, &count_min}) loader.RegisterFunction(*set);
  loader.RegisterFunction(MakeObjectAggregate<HllUnionAggregate>("spark_hll_union_agg", {B, LogicalType::BOOLEAN}, B));
  loader.RegisterFunction(MakeObjectAggregate<ThetaUnionAggregate>("spark_theta_union_agg", {B, I}, B));
  loader.RegisterFunction(MakeObjectAggregate<ThetaIntersectionAggregate>("spark_theta_intersection_agg", {B}, B));
  AddRowKernel(loader, "spark_hll_union", {B, B, LogicalType::BOOLEAN}, B, &UniteHll, kFallible);
  AddRowKernel(loader, "spark_hll_sketch_estimate", {B}, L, &EstimateHll, kFallible);
  AddRowKernel(loader, "spark_theta_union", {B, B, I}, B, &UniteTheta, kFallible);
  AddRowKernel(
      loader, "spark_theta_intersection", {B, B}, B,
      [](std::string_view first, std::string_view second) {
        constexpr const char* kName = "theta_intersection";
        return ThetaSketch::Intersection(ParseTheta(first, kName), ParseTheta(second, kName)).Serialize();
      },
      kFallible);
  AddRowKernel(
      loader, "spark_theta_difference", {B, B}, B,
      [](std::string_view first, std::string_view second) {
        constexpr const char* kName = "theta_difference";
        return ThetaSketch::Difference(ParseTheta(first, kName), ParseTheta(second, kName)).Serialize();
      },
      kFallible);
  AddRowKernel(
      loader, "spark_theta_sketch_estimate", {B}, L,
      [](std::string_view bytes) {
        return static_cast<int64_t>(std::floor(ParseTheta(bytes, "theta_sketch_estimate").Estimate() + 0.5));
      },
      kFallible);
}

}  // namespace

void RegisterSketchFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  for (const char* name : {"hll_sketch_agg", "hll_union_agg", "theta_sketch_agg", "theta_union_agg",
                           "theta_intersection_agg", "count_min_sketch"})
    registry.AddAggregate(name, Direct(std::string("spark_") + name));
  for (const char* name : {"hll_union", "hll_sketch_estimate", "theta_union", "theta_intersection", "theta_difference",
                           "theta_sketch_estimate"})
    registry.AddScalar(name, Direct(std::string("spark_") + name));
  RegisterKllFunctions(registry);
}

}  // namespace frazil::engine
