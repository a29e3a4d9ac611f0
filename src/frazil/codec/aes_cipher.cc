#include "frazil/codec/aes_cipher.h"

#include <memory>
#include <openssl/evp.h>
#include <openssl/rand.h>

namespace frazil::codec {
namespace {

constexpr size_t kBlockLength = 16, kTagLength = 16;

using Context = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

const EVP_CIPHER* CipherOf(AesMode mode, size_t key_length) {
  switch (mode) {
    case AesMode::kEcb:
      return key_length == 16 ? EVP_aes_128_ecb() : key_length == 24 ? EVP_aes_192_ecb() : EVP_aes_256_ecb();
    case AesMode::kCbc:
      return key_length == 16 ? EVP_aes_128_cbc() : key_length == 24 ? EVP_aes_192_cbc() : EVP_aes_256_cbc();
    case AesMode::kGcm:
      return key_length == 16 ? EVP_aes_128_gcm() : key_length == 24 ? EVP_aes_192_gcm() : EVP_aes_256_gcm();
  }
  return nullptr;
}

const unsigned char* BytesOf(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* BytesOf(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

// One way through the cipher; `tag`: read when deciphering, written when enciphering (GCM).
std::optional<std::string> Run(AesMode mode, bool encrypt, std::string_view input, std::string_view key,
                               std::string_view vector, std::string_view aad, std::string* tag) {
  const Context context(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
  const int direction = encrypt ? 1 : 0;
  if (context == nullptr || input.size() > static_cast<size_t>(INT32_MAX) - kBlockLength) return std::nullopt;
  if (EVP_CipherInit_ex(context.get(), CipherOf(mode, key.size()), nullptr, BytesOf(key),
                        vector.empty() ? nullptr : BytesOf(vector), direction) != 1)
    return std::nullopt;
  int written = 0, last = 0;
  if (!aad.empty() &&
      EVP_CipherUpdate(context.get(), nullptr, &written, BytesOf(aad), static_cast<int>(aad.size())) != 1)
    return std::nullopt;
  std::string output(input.size() + kBlockLength, '\0');
  if (EVP_CipherUpdate(context.get(), BytesOf(output), &written, BytesOf(input), static_cast<int>(input.size())) != 1)
    return std::nullopt;
  if (mode == AesMode::kGcm && !encrypt &&
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, static_cast<int>(kTagLength), tag->data()) != 1)
    return std::nullopt;
  if (EVP_CipherFinal_ex(context.get(), BytesOf(output) + written, &last) != 1) return std::nullopt;
  output.resize(static_cast<size_t>(written) + static_cast<size_t>(last));
  if (mode == AesMode::kGcm && encrypt) {
    tag->resize(kTagLength);
    if (EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, static_cast<int>(kTagLength), tag->data()) != 1)
      return std::nullopt;
  }
  return output;
}

}  // namespace

size_t AesVectorLength(AesMode mode) {
  switch (mode) {
    case AesMode::kEcb:
      return 0;
    case AesMode::kCbc:
      return 16;
    case AesMode::kGcm:
      return 12;
  }
  return 0;
}

Result<std::string> AesEncrypt(AesMode mode, std::string_view text, std::string_view key,
                               std::optional<std::string_view> vector, std::string_view aad) {
  std::string start(vector.value_or(std::string_view()));
  if (!vector.has_value()) {
    start.resize(AesVectorLength(mode));
    if (!start.empty() && RAND_bytes(BytesOf(start), static_cast<int>(start.size())) != 1)
      return Error::Internal("no random numbers for an initialization vector");
  }
  std::string tag;
  auto encrypted = Run(mode, true, text, key, start, aad, &tag);
  if (!encrypted.has_value()) return Error::Internal("AES failed");
  return start + *encrypted + tag;
}

std::optional<std::string> AesDecrypt(AesMode mode, std::string_view encrypted, std::string_view key,
                                      std::string_view aad) {
  const size_t vector_length = AesVectorLength(mode), tag_length = mode == AesMode::kGcm ? kTagLength : 0;
  if (encrypted.size() < vector_length + tag_length) return std::nullopt;
  std::string tag(encrypted.substr(encrypted.size() - tag_length));
  const auto body = encrypted.substr(vector_length, encrypted.size() - vector_length - tag_length);
  return Run(mode, false, body, key, encrypted.substr(0, vector_length), aad, &tag);
}

}  // namespace frazil::codec
