// Random numbers, texts and identifiers.

#include <atomic>
#include <cmath>
#include <random>

#include <duckdb/planner/expression/bound_function_expression.hpp>

#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/spark_functions.h"
#include "frazil/engine/functions/xorshift_random.h"

namespace frazil::engine {
namespace {

using duckdb::idx_t;
using duckdb::LogicalType;

int64_t RandomSeed() {
  thread_local std::mt19937_64 random{std::random_device{}()};
  return static_cast<int64_t>(random());
}

// The seed, which is the kernel's last argument; absent (NULL): a new one for each generator. Generators of one seed
// take numbers, as those of Spark's partitions do.
struct SeedData : duckdb::FunctionData {
  bool has_seed = false;
  int64_t seed = 0;
  std::shared_ptr<std::atomic<int64_t>> generators = std::make_shared<std::atomic<int64_t>>(0);
  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override { return duckdb::make_uniq<SeedData>(*this); }
  bool Equals(const duckdb::FunctionData& other_data) const override {
    const auto& other = other_data.Cast<SeedData>();
    return has_seed && other.has_seed && seed == other.seed;
  }
};

duckdb::unique_ptr<duckdb::FunctionData> BindSeed(duckdb::ClientContext& context, duckdb::ScalarFunction& function,
                                                  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  const auto value = ConstantArguments(context, function, arguments, 1)[0];
  auto data = duckdb::make_uniq<SeedData>();
  data->has_seed = !value.IsNull();
  if (data->has_seed) data->seed = value.GetValue<int64_t>();
  return data;
}

// One generator for each thread that runs the expression, as Spark has one for each partition. With a seed one thread
// does, where the row's position is at hand (LoweringContext::RowPosition): the same numbers for the same rows.
struct GeneratorState : duckdb::FunctionLocalState {
  explicit GeneratorState(int64_t seed) : random(seed) {}
  XorShiftRandom random;
  bool has_next_gaussian = false;
  double next_gaussian = 0;
  // java.util.Random.nextGaussian: two numbers of the polar method at a time.
  double NextGaussian() {
    if (has_next_gaussian) {
      has_next_gaussian = false;
      return next_gaussian;
    }
    double v1 = 0, v2 = 0, s = 0;
    do {
      v1 = 2 * random.NextDouble() - 1;
      v2 = 2 * random.NextDouble() - 1;
      s = v1 * v1 + v2 * v2;
    } while (s >= 1 || s == 0);
    const double multiplier = std::sqrt(-2 * std::log(s) / s);
    next_gaussian = v2 * multiplier;
    has_next_gaussian = true;
    return v1 * multiplier;
  }
};

duckdb::unique_ptr<duckdb::FunctionLocalState> InitGenerator(duckdb::ExpressionState&,
                                                             const duckdb::BoundFunctionExpression&,
                                                             duckdb::FunctionData* bind_data) {
  const auto& data = bind_data->Cast<SeedData>();
  return duckdb::make_uniq<GeneratorState>(data.has_seed ? data.seed + data.generators->fetch_add(1) : RandomSeed());
}

GeneratorState& GeneratorOf(duckdb::ExpressionState& state) {
  return duckdb::ExecuteFunctionState::GetFunctionState(state)->Cast<GeneratorState>();
}

void Register(duckdb::ExtensionLoader& loader, const char* name, duckdb::vector<LogicalType> arguments,
              LogicalType result, duckdb::scalar_function_t run) {
  arguments.emplace_back(LogicalType::BIGINT);  // The row's position: only to be there.
  arguments.emplace_back(LogicalType::BIGINT);
  duckdb::ScalarFunction function(name, std::move(arguments), std::move(result), std::move(run), BindSeed);
  function.SetInitStateCallback(InitGenerator);
  function.SetVolatile();
  function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  loader.RegisterFunction(function);
}

std::string Uuid(std::mt19937_64& random) {
  static constexpr char kDigits[] = "0123456789abcdef";
  uint64_t high = random(), low = random();
  high = (high & 0xFFFFFFFFFFFF0FFFULL) | 0x4000;
  low = (low & 0x3FFFFFFFFFFFFFFFULL) | 0x8000000000000000ULL;
  std::string text;
  for (int i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) text += '-';
    text += kDigits[((i < 16 ? high : low) >> (60 - 4 * (i % 16))) & 15];
  }
  return text;
}

template <typename T>
void UniformNumbers(duckdb::DataChunk& arguments, duckdb::ExpressionState& state, duckdb::Vector& result) {
  auto& generator = GeneratorOf(state);
  const idx_t count = arguments.size();
  row_kernel::Reader<T> lows, highs;
  lows.Prepare(arguments.data[0], count);
  highs.Prepare(arguments.data[1], count);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (idx_t row = 0; row < count; ++row) {
    if (!lows.IsValid(row) || !highs.IsValid(row)) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    const auto low = static_cast<double>(lows.Get(row)), high = static_cast<double>(highs.Get(row));
    row_kernel::Write(result, row, static_cast<T>(low + (high - low) * generator.random.NextDouble()));
  }
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  Register(loader, "spark_rand", {}, LogicalType::DOUBLE,
           [](duckdb::DataChunk& arguments, duckdb::ExpressionState& state, duckdb::Vector& result) {
             auto& generator = GeneratorOf(state);
             result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
             for (idx_t row = 0; row < arguments.size(); ++row)
               row_kernel::Write(result, row, generator.random.NextDouble());
           });
  Register(loader, "spark_randn", {}, LogicalType::DOUBLE,
           [](duckdb::DataChunk& arguments, duckdb::ExpressionState& state, duckdb::Vector& result) {
             auto& generator = GeneratorOf(state);
             result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
             for (idx_t row = 0; row < arguments.size(); ++row)
               row_kernel::Write(result, row, generator.NextGaussian());
           });
  Register(loader, "spark_uniform", {LogicalType::TINYINT, LogicalType::TINYINT}, LogicalType::TINYINT,
           UniformNumbers<int8_t>);
  Register(loader, "spark_uniform", {LogicalType::SMALLINT, LogicalType::SMALLINT}, LogicalType::SMALLINT,
           UniformNumbers<int16_t>);
  Register(loader, "spark_uniform", {LogicalType::INTEGER, LogicalType::INTEGER}, LogicalType::INTEGER,
           UniformNumbers<int32_t>);
  Register(loader, "spark_uniform", {LogicalType::BIGINT, LogicalType::BIGINT}, LogicalType::BIGINT,
           UniformNumbers<int64_t>);
  Register(loader, "spark_uniform", {LogicalType::FLOAT, LogicalType::FLOAT}, LogicalType::FLOAT,
           UniformNumbers<float>);
  Register(loader, "spark_uniform", {LogicalType::DOUBLE, LogicalType::DOUBLE}, LogicalType::DOUBLE,
           UniformNumbers<double>);
  Register(loader, "spark_randstr", {LogicalType::INTEGER}, LogicalType::VARCHAR,
           [](duckdb::DataChunk& arguments, duckdb::ExpressionState& state, duckdb::Vector& result) {
             auto& generator = GeneratorOf(state);
             const idx_t count = arguments.size();
             row_kernel::Reader<int32_t> lengths;
             lengths.Prepare(arguments.data[0], count);
             result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
             for (idx_t row = 0; row < count; ++row) {
               std::string text;
               for (int32_t i = 0; i < lengths.Get(row); ++i) {
                 // Digits, small letters, capitals: one of 62.
                 const int64_t draw = std::abs(static_cast<int64_t>(generator.random.Next(32))) % 62;
                 text += static_cast<char>(draw < 10 ? '0' + draw : draw < 36 ? 'a' + draw - 10 : 'A' + draw - 36);
               }
               row_kernel::Write(result, row, text);
             }
           });
  duckdb::ScalarFunction uuid("spark_uuid", {}, LogicalType::VARCHAR,
                              [](duckdb::DataChunk& arguments, duckdb::ExpressionState&, duckdb::Vector& result) {
                                thread_local std::mt19937_64 random{std::random_device{}()};
                                result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
                                for (idx_t row = 0; row < arguments.size(); ++row)
                                  row_kernel::Write(result, row, Uuid(random));
                              });
  uuid.SetVolatile();
  loader.RegisterFunction(uuid);
}

Implementation WithSeed(std::string kernel, size_t plain_arguments) {
  return Build([kernel, plain_arguments](LoweringContext& context, const CallExpression&,
                                         LoweredArguments arguments) -> Result<LoweredExpression> {
    const bool has_seed = arguments.size() > plain_arguments;
    auto seed = has_seed ? std::move(arguments.back()) : CastOf(ConstantOf(duckdb::Value()), LogicalType::BIGINT);
    arguments.resize(plain_arguments);
    arguments.push_back(has_seed ? context.RowPosition() : ConstantOf(duckdb::Value::BIGINT(0)));
    arguments.push_back(std::move(seed));
    return CallOf(kernel, std::move(arguments));
  });
}

}  // namespace

void RegisterRandomFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  registry.AddScalar("rand", WithSeed("spark_rand", 0));
  registry.AddScalar("randn", WithSeed("spark_randn", 0));
  registry.AddScalar("uniform", WithSeed("spark_uniform", 2));
  registry.AddScalar("randstr", WithSeed("spark_randstr", 1));
  registry.AddScalar("uuid", Template("spark_uuid()"));
}

}  // namespace frazil::engine
