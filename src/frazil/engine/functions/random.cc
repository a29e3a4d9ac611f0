// Random numbers, texts and identifiers.

#include <atomic>
#include <cmath>
#include <optional>
#include <random>
#include <tuple>
#include <vector>

#include <duckdb/planner/expression/bound_function_expression.hpp>

#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/seeded_random.h"
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

// java.util.Random.nextGaussian: two numbers of the polar method at a time.
class GaussianRandom {
 public:
  explicit GaussianRandom(int64_t seed) : random_(seed) {}
  double Next() {
    if (has_next_) {
      has_next_ = false;
      return next_;
    }
    double v1 = 0, v2 = 0, s = 0;
    do {
      v1 = 2 * random_.NextDouble() - 1;
      v2 = 2 * random_.NextDouble() - 1;
      s = v1 * v1 + v2 * v2;
    } while (s >= 1 || s == 0);
    const double multiplier = std::sqrt(-2 * std::log(s) / s);
    next_ = v2 * multiplier;
    has_next_ = true;
    return v1 * multiplier;
  }

 private:
  XorShiftRandom random_;
  bool has_next_ = false;
  double next_ = 0;
};

// The numbers of a seed belong to rows by their places: a row that a filter took away has had its numbers, too. Where
// the place is not at hand (LoweringContext::RowPosition), each thread has a generator, as Spark's partitions have.
template <typename Random>
class GeneratorState : public duckdb::FunctionLocalState {
 public:
  explicit GeneratorState(const SeedData& data) : data_(data) {}

  // draw(random) for the row at this place, from 1, or 0 where it is not known. Rows in between have drawn alike.
  template <typename Draw>
  auto DrawFor(int64_t place, Draw&& draw) {
    if (place <= 0) {
      if (!random_) random_.emplace(data_.has_seed ? data_.seed + data_.generators->fetch_add(1) : RandomSeed());
      return draw(*random_);
    }
    if (place <= last_) {
      random_.reset();
      last_ = 0;
    }
    if (!random_) random_.emplace(data_.seed);
    for (; last_ + 1 < place; ++last_) draw(*random_);
    last_ = place;
    return draw(*random_);
  }
  // The row at this place draws nothing.
  void Pass(int64_t place) {
    if (place == last_ + 1) last_ = place;
  }

 private:
  const SeedData& data_;
  std::optional<Random> random_;
  int64_t last_ = 0;
};

// The last arguments of all kernels: the row's place (0: not known) and the seed.
void Register(duckdb::ExtensionLoader& loader, const char* name, duckdb::vector<LogicalType> arguments,
              LogicalType result, duckdb::scalar_function_t run, duckdb::init_local_state_t init) {
  arguments.emplace_back(LogicalType::BIGINT);
  arguments.emplace_back(LogicalType::BIGINT);
  duckdb::ScalarFunction function(name, std::move(arguments), std::move(result), std::move(run), BindSeed);
  function.SetInitStateCallback(init);
  function.SetVolatile();
  function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  loader.RegisterFunction(function);
}

// A kernel of draw(random, arguments of the row...) -> its value. A row with a NULL draws nothing.
template <typename Random, typename... Arguments, typename Draw>
void AddGenerator(duckdb::ExtensionLoader& loader, const char* name, duckdb::vector<LogicalType> types,
                  LogicalType result_type, Draw draw) {
  const auto run = [draw](duckdb::DataChunk& arguments, duckdb::ExpressionState& state, duckdb::Vector& result) {
    auto& generator = duckdb::ExecuteFunctionState::GetFunctionState(state)->Cast<GeneratorState<Random>>();
    const idx_t count = arguments.size();
    row_kernel::Reader<int64_t> places;
    places.Prepare(arguments.data[sizeof...(Arguments)], count);
    std::tuple<row_kernel::Reader<Arguments>...> readers;
    [[maybe_unused]] size_t column = 0;
    std::apply([&](auto&... reader) { (reader.Prepare(arguments.data[column++], count), ...); }, readers);
    result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
    for (idx_t row = 0; row < count; ++row) {
      const bool valid = std::apply([&](auto&... reader) { return (reader.IsValid(row) && ...); }, readers);
      if (!valid) {
        generator.Pass(places.Get(row));
        duckdb::FlatVector::SetNull(result, row, true);
        continue;
      }
      row_kernel::Write(result, row, generator.DrawFor(places.Get(row), [&](Random& random) {
        return std::apply([&](auto&... reader) { return draw(random, reader.Get(row)...); }, readers);
      }));
    }
  };
  const auto init = [](duckdb::ExpressionState&, const duckdb::BoundFunctionExpression&,
                       duckdb::FunctionData* data) -> duckdb::unique_ptr<duckdb::FunctionLocalState> {
    return duckdb::make_uniq<GeneratorState<Random>>(data->Cast<SeedData>());
  };
  Register(loader, name, std::move(types), std::move(result_type), run, init);
}

std::string Uuid(uint64_t high, uint64_t low) {
  static constexpr char kDigits[] = "0123456789abcdef";
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
void AddUniform(duckdb::ExtensionLoader& loader, const LogicalType& type) {
  AddGenerator<XorShiftRandom, T, T>(loader, "spark_uniform", {type, type}, type,
                                     [](XorShiftRandom& random, T from, T to) {
                                       const auto low = static_cast<double>(from), high = static_cast<double>(to);
                                       return static_cast<T>(low + (high - low) * random.NextDouble());
                                     });
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  AddGenerator<XorShiftRandom>(loader, "spark_rand", {}, LogicalType::DOUBLE,
                               [](XorShiftRandom& random) { return random.NextDouble(); });
  AddGenerator<GaussianRandom>(loader, "spark_randn", {}, LogicalType::DOUBLE,
                               [](GaussianRandom& random) { return random.Next(); });
  AddUniform<int8_t>(loader, LogicalType::TINYINT);
  AddUniform<int16_t>(loader, LogicalType::SMALLINT);
  AddUniform<int32_t>(loader, LogicalType::INTEGER);
  AddUniform<int64_t>(loader, LogicalType::BIGINT);
  AddUniform<float>(loader, LogicalType::FLOAT);
  AddUniform<double>(loader, LogicalType::DOUBLE);
  AddGenerator<XorShiftRandom, int32_t>(
      loader, "spark_randstr", {LogicalType::INTEGER}, LogicalType::VARCHAR,
      [](XorShiftRandom& random, int32_t length) {
        std::string text;
        for (int32_t i = 0; i < length; ++i) {
          // Digits, small letters, capitals: one of 62.
          const int64_t draw = std::abs(static_cast<int64_t>(random.Next(32))) % 62;
          text += static_cast<char>(draw < 10 ? '0' + draw : draw < 36 ? 'a' + draw - 10 : 'A' + draw - 36);
        }
        return text;
      });
  AddGenerator<MersenneTwister>(loader, "spark_uuid", {}, LogicalType::VARCHAR, [](MersenneTwister& random) {
    const uint64_t high = random.NextLong();
    return Uuid(high, random.NextLong());
  });
  // The places that the elements of a list of this length go to, from 1. From the inside out: each element goes to a
  // place among those before it, or stays.
  AddGenerator<MersenneTwister, int64_t>(
      loader, "spark_shuffled_places", {LogicalType::BIGINT}, LogicalType::LIST(LogicalType::BIGINT),
      [](MersenneTwister& random, int64_t length) {
        std::vector<int64_t> places(static_cast<size_t>(length));
        for (size_t i = 0; i < places.size(); ++i) {
          places[i] = static_cast<int64_t>(i) + 1;
          std::swap(places[static_cast<size_t>(random.NextInt(static_cast<int32_t>(i) + 1))], places[i]);
        }
        return places;
      });
  duckdb::ScalarFunction uuid("spark_uuid", {}, LogicalType::VARCHAR,
                              [](duckdb::DataChunk& arguments, duckdb::ExpressionState&, duckdb::Vector& result) {
                                thread_local std::mt19937_64 random{std::random_device{}()};
                                result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
                                for (idx_t row = 0; row < arguments.size(); ++row) {
                                  const uint64_t high = random();
                                  row_kernel::Write(result, row, Uuid(high, random()));
                                }
                              });
  uuid.SetVolatile();
  loader.RegisterFunction(uuid);
}

Result<LoweredExpression> LowerShuffle(LoweringContext& context, const CallExpression&, LoweredArguments arguments) {
  if (arguments.size() == 1) return CallOf("spark_shuffle", std::move(arguments));
  auto length = CallOf("len", arguments[0]->Copy());
  return CallOf("list_select", std::move(arguments[0]),
                CallOf("spark_shuffled_places", std::move(length), context.RowPosition(), std::move(arguments[1])));
}

// monotonically_increasing_id(): the row's place, from 0.
Result<LoweredExpression> LowerRowId(LoweringContext& context, const CallExpression&, LoweredArguments) {
  auto place = context.RowPosition();
  if (place->GetExpressionClass() == duckdb::ExpressionClass::CONSTANT) return CallOf("spark_row_number", {});
  return CallOf("-", std::move(place), ConstantOf(duckdb::Value::BIGINT(1)));
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
  registry.AddScalar("uuid", Build([](LoweringContext& context, const CallExpression& call,
                                      LoweredArguments arguments) -> Result<LoweredExpression> {
                       if (arguments.empty()) return CallOf("spark_uuid", {});
                       return WithSeed("spark_uuid", 0).scalar(context, call, std::move(arguments));
                     }));
  registry.AddScalar("shuffle", Build(LowerShuffle));
  registry.AddScalar("monotonically_increasing_id", Build(LowerRowId));
}

}  // namespace frazil::engine
