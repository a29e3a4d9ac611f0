// aes_encrypt, aes_decrypt: parameters, padding rules and errors as Spark's ExpressionImplUtils has them.

#include "frazil/base/text.h"
#include "frazil/codec/aes_cipher.h"
#include "frazil/engine/functions/encryption_functions.h"
#include "frazil/engine/functions/row_kernel.h"

namespace frazil::engine {
namespace {

using codec::AesMode;
using duckdb::LogicalType;

// The mode, if the padding is one of its own.
std::optional<AesMode> ModeOf(std::string_view mode, std::string_view padding) {
  const bool is_default = EqualsIgnoreCase(padding, "DEFAULT"), is_pkcs = EqualsIgnoreCase(padding, "PKCS");
  if (EqualsIgnoreCase(mode, "ECB") && (is_default || is_pkcs)) return AesMode::kEcb;
  if (EqualsIgnoreCase(mode, "CBC") && (is_default || is_pkcs)) return AesMode::kCbc;
  if (EqualsIgnoreCase(mode, "GCM") && (is_default || EqualsIgnoreCase(padding, "NONE"))) return AesMode::kGcm;
  return std::nullopt;
}

// The mode, after the key is found right.
AesMode CheckedMode(std::string_view mode, std::string_view padding, std::string_view key) {
  if (key.size() != 16 && key.size() != 24 && key.size() != 32) {
    ThrowSparkError("INVALID_PARAMETER_VALUE.AES_KEY_LENGTH", {{"parameter", "`key`"},
                                                               {"functionName", "`aes_encrypt`/`aes_decrypt`"},
                                                               {"actualLength", std::to_string(key.size())}});
  }
  const auto known = ModeOf(mode, padding);
  if (!known.has_value()) {
    ThrowSparkError("UNSUPPORTED_FEATURE.AES_MODE", {{"mode", std::string(mode)},
                                                     {"padding", std::string(padding)},
                                                     {"functionName", "`aes_encrypt`/`aes_decrypt`"}});
  }
  return *known;
}

std::string Encrypt(std::string_view text, std::string_view key, std::string_view mode_name, std::string_view padding,
                    std::string_view vector, std::string_view aad) {
  const AesMode mode = CheckedMode(mode_name, padding, key);
  if (!vector.empty() && mode == AesMode::kEcb) {
    ThrowSparkError("UNSUPPORTED_FEATURE.AES_MODE_IV",
                    {{"mode", std::string(mode_name)}, {"functionName", "`aes_encrypt`"}});
  }
  if (!vector.empty() && vector.size() != codec::AesVectorLength(mode)) {
    ThrowSparkError("INVALID_PARAMETER_VALUE.AES_IV_LENGTH", {{"mode", std::string(mode_name)},
                                                              {"parameter", "`iv`"},
                                                              {"functionName", "`aes_encrypt`"},
                                                              {"actualLength", std::to_string(vector.size())}});
  }
  if (!aad.empty() && mode != AesMode::kGcm) {
    ThrowSparkError("UNSUPPORTED_FEATURE.AES_MODE_AAD",
                    {{"mode", std::string(mode_name)}, {"functionName", "`aes_encrypt`"}});
  }
  const auto given = vector.empty() ? std::nullopt : std::optional<std::string_view>(vector);
  return ValueOrThrow(codec::AesEncrypt(mode, text, key, given, aad));
}

std::string Decrypt(std::string_view encrypted, std::string_view key, std::string_view mode_name,
                    std::string_view padding, std::string_view aad) {
  const AesMode mode = CheckedMode(mode_name, padding, key);
  if (!aad.empty() && mode != AesMode::kGcm) {
    ThrowSparkError("UNSUPPORTED_FEATURE.AES_MODE_AAD",
                    {{"mode", std::string(mode_name)}, {"functionName", "`aes_decrypt`"}});
  }
  auto text = codec::AesDecrypt(mode, encrypted, key, aad);
  if (!text.has_value()) {
    ThrowSparkError("INVALID_PARAMETER_VALUE.AES_CRYPTO_ERROR",
                    {{"parameter", "`expr`, `key`"},
                     {"functionName", "`aes_encrypt`/`aes_decrypt`"},
                     {"detailMessage", "The key, the mode or the data is not what it was encrypted with."}});
  }
  return *std::move(text);
}

std::optional<std::string> TryDecrypt(std::string_view encrypted, std::string_view key, std::string_view mode_name,
                                      std::string_view padding, std::string_view aad) {
  const auto mode = ModeOf(mode_name, padding);
  const bool fits = key.size() == 16 || key.size() == 24 || key.size() == 32;
  if (!fits || !mode.has_value() || (!aad.empty() && *mode != AesMode::kGcm)) return std::nullopt;
  return codec::AesDecrypt(*mode, encrypted, key, aad);
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  const auto V = LogicalType::VARCHAR, B = LogicalType::BLOB;
  // Each call takes a vector of its own unless one is given.
  AddRowKernel(loader, "spark_aes_encrypt", {B, B, V, V, B, B}, B, &Encrypt, KernelTraits{true, true});
  AddRowKernel(loader, "spark_aes_decrypt", {B, B, V, V, B}, B, &Decrypt, kFallible);
  AddRowKernel(loader, "spark_try_aes_decrypt", {B, B, V, V, B}, B, &TryDecrypt);
}

}  // namespace

void RegisterEncryptionFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  registry.AddScalar("aes_encrypt", Direct("spark_aes_encrypt"));
  registry.AddScalar("aes_decrypt",
                     ByMode(Direct("spark_aes_decrypt"), Direct("spark_aes_decrypt"), Direct("spark_try_aes_decrypt")));
}

}  // namespace frazil::engine
