#include "frazil/base/byte_text.h"

#include <gtest/gtest.h>

namespace frazil {
namespace {

TEST(ByteTextTest, HexOfEveryByteAndBack) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text(1, static_cast<char>(byte));
    const std::string lower = HexLower(text), upper = HexUpper(text);
    ASSERT_EQ(lower.size(), 2u);
    EXPECT_EQ(HexDigitValue(lower[0]) * 16 + HexDigitValue(lower[1]), byte);
    EXPECT_EQ(HexDigitValue(upper[0]) * 16 + HexDigitValue(upper[1]), byte);
  }
  EXPECT_EQ(HexLower("\x0a\xff"), "0aff");
  EXPECT_EQ(HexUpper("\x0a\xff"), "0AFF");
  EXPECT_EQ(HexDigitValue('g'), -1);
  EXPECT_EQ(HexDigitValue('/'), -1);
}

TEST(ByteTextTest, PercentDecodesWhatUrlEncodeEscapes) {
  for (int byte = 0; byte < 256; ++byte) {
    if (byte == ' ') continue;  // '+', which only forms read as a blank.
    const std::string text(1, static_cast<char>(byte));
    EXPECT_EQ(PercentDecode(UrlEncode(text)), text) << byte;
  }
  EXPECT_EQ(UrlEncode("a b/c*-._~ä"), "a+b%2Fc*-._%7E%C3%A4");
  EXPECT_EQ(PercentDecode("a%2fb%2"), "a/b%2");
  EXPECT_EQ(PercentDecode("100%"), "100%");
  EXPECT_EQ(PercentDecode("%zz%+f"), "%zz%+f");
}

TEST(ByteTextTest, Base64OfEveryRemainder) {
  EXPECT_EQ(Base64Encode(""), "");
  EXPECT_EQ(Base64Encode("f"), "Zg==");
  EXPECT_EQ(Base64Encode("fo"), "Zm8=");
  EXPECT_EQ(Base64Encode("foo"), "Zm9v");
  EXPECT_EQ(Base64Encode("\xff\xef\xbe"), "/+++");
}

}  // namespace
}  // namespace frazil
