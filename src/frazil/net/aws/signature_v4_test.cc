#include "frazil/net/aws/signature_v4.h"

#include <gtest/gtest.h>

namespace frazil::net::aws {
namespace {

// 2015-08-30T12:36:00Z and 2013-05-24T00:00:00Z, the times of AWS's examples.
constexpr int64_t kSuiteTime = 1440938160LL * 1000000;
constexpr int64_t kS3Time = 1369353600LL * 1000000;

std::string SignatureOf(const HttpRequest& request) {
  const auto* header = request.FindHeader("Authorization");
  if (header == nullptr) return {};
  return header->substr(header->find("Signature=") + 10);
}

/// AWS's Signature Version 4 test suite.
std::string Suite(HttpRequest request) {
  Credentials keys{"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "", 0, false, ""};
  EXPECT_TRUE(SignRequest(keys, {"us-east-1", "service"}, {}, kSuiteTime, &request).ok());
  return SignatureOf(request);
}

HttpRequest Of(std::string method, std::string path, std::vector<std::pair<std::string, std::string>> headers = {},
               std::string_view body = {}) {
  HttpRequest request;
  request.method = std::move(method);
  request.url = "https://example.amazonaws.com" + path;
  request.headers = std::move(headers);
  request.body = body;
  return request;
}

TEST(SignatureV4, SignsTheRequestsOfTheTestSuite) {
  EXPECT_EQ(Suite(Of("GET", "/")), "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
  EXPECT_EQ(Suite(Of("GET", "/?Param2=value2&Param1=value1")),
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500");
  EXPECT_EQ(Suite(Of("POST", "/")), "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
  EXPECT_EQ(Suite(Of("POST", "/", {{"Content-Type", "application/x-www-form-urlencoded"}}, "Param1=value1")),
            "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a");
  EXPECT_EQ(Suite(Of("GET", "/", {{"My-Header1", " value1"}, {"My-Header2", " \"a   b   c\""}})),
            "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736");
  EXPECT_EQ(Suite(Of("GET", "/\xe1\x88\xb4")), "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85");
}

/// The examples of S3's documentation.
std::string S3(std::string method, std::string path, std::vector<std::pair<std::string, std::string>> headers = {},
               std::string_view body = {}) {
  HttpRequest request;
  request.method = std::move(method);
  request.url = "https://examplebucket.s3.amazonaws.com" + path;
  request.headers = std::move(headers);
  request.body = body;
  Credentials keys{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "", 0, false, ""};
  EXPECT_TRUE(SignRequest(keys, {"us-east-1", "s3"}, {false, true, false}, kS3Time, &request).ok());
  return SignatureOf(request);
}

TEST(SignatureV4, SignsTheRequestsOfS3sDocumentation) {
  EXPECT_EQ(S3("GET", "/test.txt", {{"Range", "bytes=0-9"}}),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
  EXPECT_EQ(S3("PUT", "/test%24file.text",
               {{"Date", "Fri, 24 May 2013 00:00:00 GMT"}, {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
               "Welcome to Amazon S3."),
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
  EXPECT_EQ(S3("GET", "/?lifecycle"), "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
  EXPECT_EQ(S3("GET", "/?max-keys=2&prefix=J"), "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST(SignatureV4, SendsTheTokenAndLeavesAnonymousRequestsAlone) {
  HttpRequest request;
  request.url = "http://localhost:9000/b/k";
  ASSERT_TRUE(SignRequest({"id", "secret", "token", 0, false, ""}, {"r", "s3"}, {}, kS3Time, &request).ok());
  EXPECT_EQ(*request.FindHeader("x-amz-security-token"), "token");
  EXPECT_NE(request.FindHeader("Authorization")->find("x-amz-security-token"), std::string::npos);
  HttpRequest anonymous;
  anonymous.url = request.url;
  ASSERT_TRUE(SignRequest({"", "", "", 0, true, ""}, {"r", "s3"}, {}, kS3Time, &anonymous).ok());
  EXPECT_TRUE(anonymous.headers.empty());
}

TEST(SignatureV4, GivesTheSumsThatHeadersHold) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Md5Base64("hello"), "XUFAKrxLKna5cZ2REBfFkg==");
}

}  // namespace
}  // namespace frazil::net::aws
