#include "frazil/codec/aes_cipher.h"

#include <gtest/gtest.h>

namespace frazil::codec {
namespace {

const std::string kKey = "abcdefghijklmnop12345678ABCDEFGH";

TEST(AesCipherTest, WhatWasEncryptedComesBack) {
  for (const AesMode mode : {AesMode::kEcb, AesMode::kCbc, AesMode::kGcm}) {
    for (const size_t key_length : {16u, 24u, 32u}) {
      for (const std::string& text : {std::string(), std::string("Spark"), std::string(100, 'x')}) {
        const std::string key = kKey.substr(0, key_length);
        const auto encrypted = AesEncrypt(mode, text, key, std::nullopt, "");
        ASSERT_TRUE(encrypted.ok());
        EXPECT_EQ(AesDecrypt(mode, *encrypted, key, ""), text);
      }
    }
  }
}

TEST(AesCipherTest, VectorsDiffer) {
  EXPECT_NE(*AesEncrypt(AesMode::kGcm, "Spark", kKey, std::nullopt, ""),
            *AesEncrypt(AesMode::kGcm, "Spark", kKey, std::nullopt, ""));
}

TEST(AesCipherTest, DamageAndOtherDataAreSeen) {
  std::string encrypted = *AesEncrypt(AesMode::kGcm, "Spark", kKey, std::nullopt, "aad");
  EXPECT_EQ(AesDecrypt(AesMode::kGcm, encrypted, kKey, "aad"), "Spark");
  EXPECT_EQ(AesDecrypt(AesMode::kGcm, encrypted, kKey, "other"), std::nullopt);
  encrypted[13] = static_cast<char>(encrypted[13] ^ 1);
  EXPECT_EQ(AesDecrypt(AesMode::kGcm, encrypted, kKey, "aad"), std::nullopt);
  EXPECT_EQ(AesDecrypt(AesMode::kGcm, "short", kKey, ""), std::nullopt);
  EXPECT_EQ(AesDecrypt(AesMode::kCbc, "short", kKey, ""), std::nullopt);
}

}  // namespace
}  // namespace frazil::codec
