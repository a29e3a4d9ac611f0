// hash (Murmur3), xxhash64, and digests.

#include <array>
#include <bit>
#include <cstring>

#include <duckdb/common/types/hash.hpp>

#include "frazil/base/byte_text.h"
#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/engine/functions/murmur3.h"
#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/spark_functions.h"

namespace frazil::engine {
namespace {

using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;

// --- XXH64
// ------------------------------------------------------------------------------------------------------------------------------------------------------

struct Xxh64 {
  using Hash = uint64_t;
  static constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87ULL, kPrime2 = 0xC2B2AE3D27D4EB4FULL,
                            kPrime3 = 0x165667B19E3779F9ULL, kPrime4 = 0x85EBCA77C2B2AE63ULL,
                            kPrime5 = 0x27D4EB2F165667C5ULL;
  static uint64_t Mix(uint64_t h) {
    h ^= h >> 33;
    h *= kPrime2;
    h ^= h >> 29;
    h *= kPrime3;
    return h ^ (h >> 32);
  }
  static Hash Int(int32_t value, Hash seed) {
    uint64_t h = seed + kPrime5 + 4;
    h ^= static_cast<uint64_t>(static_cast<uint32_t>(value)) * kPrime1;
    h = std::rotl(h, 23) * kPrime2 + kPrime3;
    return Mix(h);
  }
  static Hash Long(int64_t value, Hash seed) {
    uint64_t h = seed + kPrime5 + 8;
    h ^= std::rotl(static_cast<uint64_t>(value) * kPrime2, 31) * kPrime1;
    h = std::rotl(h, 27) * kPrime1 + kPrime4;
    return Mix(h);
  }
  static Hash Bytes(std::string_view bytes, Hash seed) {
    const auto word = [&](size_t at) {
      uint64_t value = 0;
      std::memcpy(&value, bytes.data() + at, 8);
      return value;
    };
    size_t i = 0;
    uint64_t h = 0;
    if (bytes.size() >= 32) {
      uint64_t v[4] = {seed + kPrime1 + kPrime2, seed + kPrime2, seed, seed - kPrime1};
      for (; i + 32 <= bytes.size(); i += 32) {
        for (size_t j = 0; j < 4; ++j) v[j] = std::rotl(v[j] + word(i + 8 * j) * kPrime2, 31) * kPrime1;
      }
      h = std::rotl(v[0], 1) + std::rotl(v[1], 7) + std::rotl(v[2], 12) + std::rotl(v[3], 18);
      for (uint64_t lane : v) h = (h ^ std::rotl(lane * kPrime2, 31) * kPrime1) * kPrime1 + kPrime4;
    } else {
      h = seed + kPrime5;
    }
    h += bytes.size();
    for (; i + 8 <= bytes.size(); i += 8) {
      h ^= std::rotl(word(i) * kPrime2, 31) * kPrime1;
      h = std::rotl(h, 27) * kPrime1 + kPrime4;
    }
    if (i + 4 <= bytes.size()) {
      uint32_t half = 0;
      std::memcpy(&half, bytes.data() + i, 4);
      h ^= half * kPrime1;
      h = std::rotl(h, 23) * kPrime2 + kPrime3;
      i += 4;
    }
    for (; i < bytes.size(); ++i) {
      h ^= static_cast<unsigned char>(bytes[i]) * kPrime5;
      h = std::rotl(h, 11) * kPrime1;
    }
    return Mix(h);
  }
};

// --- values
// ---------------------------------------------------------------------------------------------------------------------------------------------------

// The bytes of java.math.BigInteger: two's complement, the shortest, most significant first.
std::string BigIntegerBytes(__int128 value) {
  std::string bytes;
  for (int shift = 120; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  size_t skip = 0;
  while (skip + 1 < bytes.size()) {
    const auto byte = static_cast<unsigned char>(bytes[skip]);
    const bool next_negative = (static_cast<unsigned char>(bytes[skip + 1]) & 0x80) != 0;
    if ((byte == 0x00 && !next_negative) || (byte == 0xFF && next_negative)) {
      ++skip;
    } else {
      break;
    }
  }
  return bytes.substr(skip);
}

// Mixes the values of a column into the hashes: `rows[i]` is the place of the value for hash i. NULL leaves the hash as
// it is.
template <typename Algorithm>
void HashColumn(duckdb::Vector& vector, idx_t size, const std::vector<idx_t>& rows,
                std::vector<typename Algorithm::Hash>& hashes) {
  duckdb::UnifiedVectorFormat format;
  vector.ToUnifiedFormat(size, format);
  const auto& type = vector.GetType();
  const auto each = [&](auto example, auto mix) {
    using T = decltype(example);
    const auto* data = reinterpret_cast<const T*>(format.data);
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto at = format.sel->get_index(rows[i]);
      if (format.validity.RowIsValid(at)) hashes[i] = mix(data[at], hashes[i]);
    }
  };
  using Hash = typename Algorithm::Hash;
  const auto as_int = [](auto value, Hash seed) { return Algorithm::Int(static_cast<int32_t>(value), seed); };
  const auto as_long = [](auto value, Hash seed) { return Algorithm::Long(static_cast<int64_t>(value), seed); };
  switch (type.id()) {
    case LogicalTypeId::BOOLEAN:
    case LogicalTypeId::TINYINT:
      each(int8_t{}, as_int);
      return;
    case LogicalTypeId::SMALLINT:
      each(int16_t{}, as_int);
      return;
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::DATE:
      each(int32_t{}, as_int);
      return;
    case LogicalTypeId::BIGINT:
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_TZ:
    case LogicalTypeId::TIME:
      each(int64_t{}, as_long);
      return;
    case LogicalTypeId::FLOAT:
      each(float{}, [](float value, Hash seed) {
        return Algorithm::Int(value == 0 ? 0 : value != value ? 0x7fc00000 : std::bit_cast<int32_t>(value), seed);
      });
      return;
    case LogicalTypeId::DOUBLE:
      each(double{}, [](double value, Hash seed) {
        return Algorithm::Long(value == 0       ? 0
                               : value != value ? 0x7ff8000000000000LL
                                                : std::bit_cast<int64_t>(value),
                               seed);
      });
      return;
    case LogicalTypeId::DECIMAL: {
      const bool fits = duckdb::DecimalType::GetWidth(type) <= 18;
      WithDecimalStorage(type, [&](auto example) {
        each(example, [fits](auto value, Hash seed) {
          const __int128 wide = WideOf(value);
          return fits ? Algorithm::Long(static_cast<int64_t>(wide), seed)
                      : Algorithm::Bytes(BigIntegerBytes(wide), seed);
        });
      });
      return;
    }
    case LogicalTypeId::VARCHAR:
    case LogicalTypeId::BLOB:
      each(duckdb::string_t{}, [](const duckdb::string_t& value, Hash seed) {
        return Algorithm::Bytes({value.GetData(), value.GetSize()}, seed);
      });
      return;
    case LogicalTypeId::INTERVAL:
      each(duckdb::interval_t{}, [](const duckdb::interval_t& value, Hash seed) {
        return Algorithm::Int(value.months, Algorithm::Int(value.days, Algorithm::Long(value.micros, seed)));
      });
      return;
    case LogicalTypeId::LIST: {
      auto& child = duckdb::ListVector::GetEntry(vector);
      const idx_t child_size = duckdb::ListVector::GetListSize(vector);
      const auto* entries = reinterpret_cast<const duckdb::list_entry_t*>(format.data);
      // Elements are mixed in one after the other: a round for each position.
      for (idx_t position = 0;; ++position) {
        std::vector<idx_t> places;
        std::vector<size_t> owners;
        for (size_t i = 0; i < rows.size(); ++i) {
          const auto at = format.sel->get_index(rows[i]);
          if (!format.validity.RowIsValid(at) || position >= entries[at].length) continue;
          places.push_back(entries[at].offset + position);
          owners.push_back(i);
        }
        if (places.empty()) return;
        std::vector<Hash> partial(places.size());
        for (size_t j = 0; j < owners.size(); ++j) partial[j] = hashes[owners[j]];
        HashColumn<Algorithm>(child, child_size, places, partial);
        for (size_t j = 0; j < owners.size(); ++j) hashes[owners[j]] = partial[j];
      }
    }
    case LogicalTypeId::STRUCT: {
      duckdb::Vector flat(vector);
      flat.Flatten(size);
      duckdb::UnifiedVectorFormat flat_format;
      flat.ToUnifiedFormat(size, flat_format);
      std::vector<idx_t> places;
      std::vector<size_t> owners;
      for (size_t i = 0; i < rows.size(); ++i) {
        if (!flat_format.validity.RowIsValid(flat_format.sel->get_index(rows[i]))) continue;
        places.push_back(rows[i]);
        owners.push_back(i);
      }
      std::vector<Hash> partial(places.size());
      for (size_t j = 0; j < owners.size(); ++j) partial[j] = hashes[owners[j]];
      for (auto& member : duckdb::StructVector::GetEntries(flat)) HashColumn<Algorithm>(*member, size, places, partial);
      for (size_t j = 0; j < owners.size(); ++j) hashes[owners[j]] = partial[j];
      return;
    }
    case LogicalTypeId::SQLNULL:
      return;
    default:
      ThrowSparkError(Error::Unsupported("hash of " + type.ToString()));
  }
}

template <typename Algorithm, typename Result>
void HashRows(duckdb::DataChunk& chunk, duckdb::ExpressionState&, duckdb::Vector& result) {
  const bool constant = chunk.AllConstant();
  const idx_t count = constant ? 1 : chunk.size();
  std::vector<idx_t> rows(count);
  for (idx_t i = 0; i < count; ++i) rows[i] = i;
  std::vector<typename Algorithm::Hash> hashes(count, 42);
  for (auto& column : chunk.data) HashColumn<Algorithm>(column, count, rows, hashes);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (idx_t i = 0; i < count; ++i) row_kernel::Write(result, i, static_cast<Result>(hashes[i]));
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

// --- digests
// --------------------------------------------------------------------------------------------------------------------------------------------------

// CRC-32 by eight tables, that is eight bytes a step: table k has the remainders of a byte with k bytes behind it.
int64_t Crc32(std::string_view bytes) {
  using Tables = std::array<std::array<uint32_t, 256>, 8>;
  static const Tables tables = [] {
    Tables made{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = value & 1 ? 0xEDB88320u ^ (value >> 1) : value >> 1;
      made[0][i] = value;
    }
    for (size_t k = 1; k < made.size(); ++k) {
      for (size_t i = 0; i < 256; ++i) made[k][i] = made[0][made[k - 1][i] & 0xFF] ^ (made[k - 1][i] >> 8);
    }
    return made;
  }();
  static_assert(std::endian::native == std::endian::little);
  uint32_t crc = 0xFFFFFFFFu;
  const char* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, sizeof(word));
    word ^= crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= tables[7 - k][(word >> (8 * k)) & 0xFF];
  }
  for (; left > 0; ++at, --left) crc = tables[0][(crc ^ static_cast<unsigned char>(*at)) & 0xFF] ^ (crc >> 8);
  return static_cast<int64_t>(crc ^ 0xFFFFFFFFu);
}

// The first primes' roots give the constants of SHA-2 (FIPS 180-4): computed once instead of listed.
std::vector<int> Primes(int count) {
  std::vector<int> primes;
  for (int n = 2; static_cast<int>(primes.size()) < count; ++n) {
    bool is_prime = true;
    for (int p : primes) {
      if (p * p > n) break;
      if (n % p == 0) {
        is_prime = false;
        break;
      }
    }
    if (is_prime) primes.push_back(n);
  }
  return primes;
}

// The first 64 bits of the fraction of a root: floor(root(n) * 2^64) mod 2^64, by bisection on exact products.
uint64_t RootFraction(int n, int degree) {
  uint64_t whole = 1;
  const auto power = [degree](uint64_t value) { return degree == 2 ? value * value : value * value * value; };
  while (power(whole + 1) <= static_cast<uint64_t>(n)) ++whole;
  // x = whole + fraction / 2^64; compares x^degree with n in 256-bit arithmetic of 32-bit digits.
  const auto at_most = [&](uint64_t fraction) {
    const auto multiply = [](const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
      std::vector<uint32_t> product(a.size() + b.size(), 0);
      for (size_t i = 0; i < a.size(); ++i) {
        uint64_t carry = 0;
        for (size_t j = 0; j < b.size(); ++j) {
          const uint64_t sum = static_cast<uint64_t>(a[i]) * b[j] + product[i + j] + carry;
          product[i + j] = static_cast<uint32_t>(sum);
          carry = sum >> 32;
        }
        product[i + b.size()] += static_cast<uint32_t>(carry);
      }
      return product;
    };
    const std::vector<uint32_t> x = {static_cast<uint32_t>(fraction), static_cast<uint32_t>(fraction >> 32),
                                     static_cast<uint32_t>(whole)};
    auto value = multiply(x, x);
    if (degree == 3) value = multiply(value, x);
    // The whole part begins behind 64 bits for each factor.
    const size_t digits = static_cast<size_t>(degree) * 2;
    uint64_t integer = 0;
    for (size_t i = value.size(); i-- > digits;) integer = integer << 32 | value[i];
    return integer < static_cast<uint64_t>(n);
  };
  uint64_t fraction = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const uint64_t candidate = fraction | 1ULL << bit;
    if (at_most(candidate)) fraction = candidate;
  }
  return fraction;
}

struct Sha2Constants {
  uint64_t rounds[80];
  uint64_t start512[8], start384[8];
  Sha2Constants() {
    const auto primes = Primes(80);
    for (size_t i = 0; i < 80; ++i) rounds[i] = RootFraction(primes[i], 3);
    for (size_t i = 0; i < 8; ++i) {
      start512[i] = RootFraction(primes[i], 2);
      start384[i] = RootFraction(primes[i + 8], 2);
    }
  }
};

// SHA-2 with words of 64 or 32 bits.
template <typename Word>
std::string Sha2(std::string_view bytes, const Word* start, size_t digest_bytes) {
  static const Sha2Constants constants;
  constexpr bool kWide = sizeof(Word) == 8;
  constexpr size_t kBlock = sizeof(Word) * 16;
  constexpr int kRounds = kWide ? 80 : 64;
  std::string padded(bytes);
  padded += '\x80';
  while (padded.size() % kBlock != kBlock - 2 * sizeof(Word)) padded += '\0';
  padded.append(2 * sizeof(Word) - 8, '\0');
  const uint64_t bits = static_cast<uint64_t>(bytes.size()) * 8;
  for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(bits >> shift);
  Word h[8];
  for (int i = 0; i < 8; ++i) h[i] = start[i];
  for (size_t block = 0; block < padded.size(); block += kBlock) {
    Word w[80];
    for (size_t i = 0; i < 16; ++i) {
      Word word = 0;
      for (size_t j = 0; j < sizeof(Word); ++j)
        word = static_cast<Word>(word << 8 | static_cast<unsigned char>(padded[block + i * sizeof(Word) + j]));
      w[i] = word;
    }
    for (size_t i = 16; i < static_cast<size_t>(kRounds); ++i) {
      const Word a = w[i - 15], b = w[i - 2];
      const Word s0 = kWide ? std::rotr(a, 1) ^ std::rotr(a, 8) ^ a >> 7 : std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3;
      const Word s1 =
          kWide ? std::rotr(b, 19) ^ std::rotr(b, 61) ^ b >> 6 : std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10;
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    Word s[8];
    for (int i = 0; i < 8; ++i) s[i] = h[i];
    for (int i = 0; i < kRounds; ++i) {
      const Word s1 = kWide ? std::rotr(s[4], 14) ^ std::rotr(s[4], 18) ^ std::rotr(s[4], 41)
                            : std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25);
      const Word choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
      const Word round = static_cast<Word>(kWide ? constants.rounds[i] : constants.rounds[i] >> 32);
      const Word t1 = s[7] + s1 + choice + round + w[i];
      const Word s0 = kWide ? std::rotr(s[0], 28) ^ std::rotr(s[0], 34) ^ std::rotr(s[0], 39)
                            : std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22);
      const Word majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
      const Word t2 = s0 + majority;
      for (int j = 7; j > 0; --j) s[j] = s[j - 1];
      s[4] += t1;
      s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; ++i) h[i] += s[i];
  }
  std::string digest;
  for (size_t i = 0; i < digest_bytes; ++i) {
    digest += static_cast<char>(h[i / sizeof(Word)] >> (8 * (sizeof(Word) - 1 - i % sizeof(Word))));
  }
  return HexLower(digest);
}

std::optional<std::string> Sha2OfLength(std::string_view bytes, int32_t length) {
  static const Sha2Constants constants;
  switch (length) {
    case 0:
    case 256: {
      uint32_t start[8];
      for (size_t i = 0; i < 8; ++i) start[i] = static_cast<uint32_t>(constants.start512[i] >> 32);
      return Sha2<uint32_t>(bytes, start, 32);
    }
    case 224: {
      // The second halves of SHA-384's.
      uint32_t start[8];
      for (size_t i = 0; i < 8; ++i) start[i] = static_cast<uint32_t>(constants.start384[i]);
      return Sha2<uint32_t>(bytes, start, 28);
    }
    case 384:
      return Sha2<uint64_t>(bytes, constants.start384, 48);
    case 512:
      return Sha2<uint64_t>(bytes, constants.start512, 64);
    default:
      return std::nullopt;
  }
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  const auto add = [&](const char* name, LogicalType type, duckdb::scalar_function_t run) {
    duckdb::ScalarFunction function(name, {}, std::move(type), std::move(run));
    function.varargs = LogicalType::ANY;
    function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
    loader.RegisterFunction(function);
  };
  add("spark_hash", LogicalType::INTEGER, HashRows<Murmur3, int32_t>);
  add("spark_xxhash64", LogicalType::BIGINT, HashRows<Xxh64, int64_t>);
  AddRowKernel(loader, "spark_crc32", {LogicalType::BLOB}, LogicalType::BIGINT, &Crc32);
  AddRowKernel(loader, "spark_sha2", {LogicalType::BLOB, LogicalType::INTEGER}, LogicalType::VARCHAR, &Sha2OfLength);
}

}  // namespace

void RegisterHashFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  registry.AddScalar("hash", Direct("spark_hash"));
  registry.AddScalar("xxhash64", Direct("spark_xxhash64"));
  registry.AddScalar("crc32", Direct("spark_crc32"));
  // DuckDB has the usual length of its own.
  registry.AddScalar(
      "sha2",
      Build([](LoweringContext&, const CallExpression& call, LoweredArguments arguments) -> Result<LoweredExpression> {
        const auto& length = *call.arguments[1];
        const bool is_usual = length.kind == ExpressionKind::kLiteral &&
                              !length.As<LiteralExpression>().value.is_null() &&
                              length.As<LiteralExpression>().value.integer() == 256;
        return is_usual ? CallOf("sha256", std::move(arguments[0])) : CallOf("spark_sha2", std::move(arguments));
      }));
  registry.AddScalar("md5", Direct("md5"));
  registry.AddScalar("sha1", Direct("sha1"));
}

}  // namespace frazil::engine
