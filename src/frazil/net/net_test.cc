#include <gtest/gtest.h>

#include "frazil/base/byte_text.h"
#include "frazil/net/url.h"
#include "frazil/net/xml.h"

namespace frazil::net {
namespace {

TEST(Url, TakesApartWhatItCanSend) {
  auto url = ParseUrl("HTTP://localhost:9000/a%20b/c?x=1&y#fragment");
  ASSERT_TRUE(url.ok());
  EXPECT_EQ(url->host, "localhost:9000");
  EXPECT_EQ(url->path, "/a%20b/c");
  EXPECT_EQ(url->query, "x=1&y");
  EXPECT_EQ(url->ToString(), "http://localhost:9000/a%20b/c?x=1&y");
  EXPECT_EQ(ParseUrl("https://h")->path, "/");
  EXPECT_EQ(ParseUrl("http://[::1]:80/")->host, "[::1]:80");
  for (const char* bad : {"", "host/path", "ftp://h/", "http://", "http:///p", "http://a b/"})
    EXPECT_FALSE(ParseUrl(bad).ok()) << bad;
}

TEST(Url, ShowsNoPasswordInErrors) {
  auto url = ParseUrl("http://user:secret@host/");
  ASSERT_FALSE(url.ok());
  EXPECT_EQ(url.error().message.find("secret"), std::string::npos);
}

TEST(Url, EncodesAndDecodes) {
  EXPECT_EQ(PercentEncode("a/b c+\xc3\xa9~"), "a%2Fb%20c%2B%C3%A9~");
  EXPECT_EQ(PercentEncode("a/b c", true), "a/b%20c");
  EXPECT_EQ(PercentDecode("a%2Fb%20c%2b%C3%A9%"), "a/b c+\xc3\xa9%");
  EXPECT_EQ(FormEncode({{"a", "1 2"}, {"b", "&"}}), "a=1%202&b=%26");
}

TEST(Url, EncodesBase64) {
  EXPECT_EQ(Base64Encode(""), "");
  EXPECT_EQ(Base64Encode("f"), "Zg==");
  EXPECT_EQ(Base64Encode("fo"), "Zm8=");
  EXPECT_EQ(Base64Encode("foobar\xff"), "Zm9vYmFy/w==");
}

TEST(Xml, ReadsAnswers) {
  auto root = ParseXml(
      "<?xml version=\"1.0\"?><!-- c --><r xmlns=\"u\"><k>a&amp;b&#233;<![CDATA[<x>]]></k><e/>"
      "<n:k>2</n:k></r>");
  ASSERT_TRUE(root.ok()) << root.error().message;
  EXPECT_EQ(root->name, "r");
  EXPECT_EQ(root->TextOf("k"), "a&b\xc3\xa9<x>");
  EXPECT_EQ(root->children.size(), 3u);
  EXPECT_EQ(root->children[2].name, "k");
  EXPECT_EQ(root->TextOf("missing"), "");
  for (const char* bad : {"", "text", "<a>", "<a></b>", "<!DOCTYPE a><a/>", "<a><b></a></b>"})
    EXPECT_FALSE(ParseXml(bad).ok()) << bad;
  EXPECT_FALSE(ParseXml(std::string(1000, '<') + "a").ok());
}

TEST(Xml, Escapes) { EXPECT_EQ(EscapeXml("a<b>&\"'\n"), "a&lt;b&gt;&amp;&quot;&apos;&#10;"); }

}  // namespace
}  // namespace frazil::net
