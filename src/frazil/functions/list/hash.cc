// Hashes and check sums.

#include "frazil/functions/list/topics.h"

namespace frazil::functions {
namespace {

const char* const kGroup = "hash_funcs";

FunctionDefinition RowHash(std::string name, DataTypePtr type, std::string since, std::string usage) {
  auto definition = Custom(name, 1, -1, [name, type](const FunctionCall& call) -> Result<ExpressionPtr> {
    std::string sql = CallSql(name, call.arguments);
    auto legacy = call.settings->lookup ? call.settings->lookup("spark.sql.legacy.allowHashOnMapType") : std::nullopt;
    for (const auto& argument : call.arguments) {
      if (ContainsMap(*argument->type)) {
        if (argument->type->id() == TypeId::kVariant)
          return Mismatch("HASH_VARIANT_TYPE", sql, {{"functionName", QuoteIdentifier(name)}});
        if (legacy.value_or("false") != "true")
          return Mismatch("HASH_MAP_TYPE", sql, {{"functionName", QuoteIdentifier(name)}});
        return Error::Unsupported("hash of maps");
      }
    }
    return MakeCall(name, call.arguments, type, false, ModeOf(call), sql);
  });
  definition.since = std::move(since);
  definition.usage = std::move(usage);
  return definition;
}

}  // namespace

void AddHashFunctions(FunctionList& list) {
  list.Group(kGroup);
  list.Add(RowHash("hash", DataType::Integer(), "2.0.0", "Murmur3 hash of the values, 32 bits."));
  list.Add(RowHash("xxhash64", DataType::Long(), "3.0.0", "XXH64 hash of the values."));
  list.Add(Scalar("md5", {Bytes()}, DataType::String()).Group(kGroup, "1.5.0", "MD5 in hexadecimal digits."));
  list.Add(Scalar("sha1", {Bytes()}, DataType::String())
               .Alias({"sha"})
               .Group(kGroup, "1.5.0", "SHA-1 in hexadecimal digits."));
  list.Add(Scalar("sha2", {Bytes(), Int()}, DataType::String())
               .Nulls(NullRule::kAlways)
               .Group(kGroup, "1.5.0", "SHA-224, 256, 384 or 512 in hexadecimal digits."));
  list.Add(Scalar("crc32", {Bytes()}, DataType::Long()).Group(kGroup, "1.5.0", "CRC-32."));
}

}  // namespace frazil::functions
