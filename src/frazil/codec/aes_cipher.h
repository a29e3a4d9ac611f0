#pragma once

// AES in the modes of Spark's aes_encrypt and aes_decrypt (ExpressionImplUtils): what is encrypted carries its
// initialization vector in front (CBC, GCM) and its tag behind (GCM).

#include <optional>
#include <string>
#include <string_view>

#include "frazil/base/result.h"

namespace frazil::codec {

enum class AesMode : uint8_t { kEcb, kCbc, kGcm };

/// The length of the mode's initialization vector in bytes; 0 where it has none.
size_t AesVectorLength(AesMode mode);

/// `key`: 16, 24 or 32 bytes. `vector`: of the mode's length; none: a random one. `aad`: further data that GCM
/// protects.
Result<std::string> AesEncrypt(AesMode mode, std::string_view text, std::string_view key,
                               std::optional<std::string_view> vector, std::string_view aad);

/// Nothing where the key or the further data are others, or the bytes are damaged.
std::optional<std::string> AesDecrypt(AesMode mode, std::string_view encrypted, std::string_view key,
                                      std::string_view aad);

}  // namespace frazil::codec
