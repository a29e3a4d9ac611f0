#include "frazil/net/aws/credentials.h"

#include <map>

#include <gtest/gtest.h>

namespace frazil::net::aws {
namespace {

AmbientSources Sources(std::map<std::string, std::string> environment, std::map<std::string, std::string> files = {}) {
  environment.emplace("AWS_EC2_METADATA_DISABLED", "true");
  environment.emplace("HOME", "/home/u");
  auto find = [](const std::map<std::string, std::string>& from, const std::string& key) {
    auto found = from.find(key);
    return found == from.end() ? std::nullopt : std::optional(found->second);
  };
  return {[=](const char* name) { return find(environment, name); },
          [=](const std::string& path) { return find(files, path); }};
}

constexpr const char* kFile = R"(
# comment
[default]
aws_access_key_id = D
aws_secret_access_key=d
[ work ]
aws_access_key_id=W
aws_secret_access_key=w
aws_session_token = t
s3 =
  addressing_style = path
)";

TEST(Credentials, GoesDownTheChain) {
  auto found = DefaultCredentials({}, Sources({{"AWS_ACCESS_KEY_ID", "E"}, {"AWS_SECRET_ACCESS_KEY", "e"}}))();
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->access_key_id, "E");
  EXPECT_EQ(found->Describe(), "access key E (environment variable AWS_ACCESS_KEY_ID)");

  const std::map<std::string, std::string> files = {{"/home/u/.aws/credentials", kFile},
                                                    {"/home/u/.aws/config", "[profile work]\nregion = eu-north-1\n"}};
  found = DefaultCredentials({}, Sources({}, files))();
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->access_key_id, "D");
  // A profile that is named goes before the environment.
  found = DefaultCredentials("work", Sources({{"AWS_ACCESS_KEY_ID", "E"}, {"AWS_SECRET_ACCESS_KEY", "e"}}, files))();
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->session_token, "t");
  EXPECT_EQ(DefaultRegion("work", Sources({}, files)), "eu-north-1");
  EXPECT_EQ(DefaultRegion("", Sources({{"AWS_DEFAULT_REGION", "x"}}, files)), "x");
  EXPECT_EQ(DefaultRegion("", Sources({}, files)), std::nullopt);
}

TEST(Credentials, SaysWhatItLookedFor) {
  auto found = DefaultCredentials("p", Sources({}))();
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.error().message.find("profile p"), std::string::npos) << found.error().message;
  EXPECT_NE(found.error().message.find("AWS_ACCESS_KEY_ID"), std::string::npos);
}

TEST(Credentials, DescribesWithoutTheSecret) {
  Credentials keys{"id", "hidden", "token", 0, false, "setting x"};
  EXPECT_EQ(keys.Describe().find("hidden"), std::string::npos);
  EXPECT_EQ(keys.Describe().find("token"), std::string::npos);
}

}  // namespace
}  // namespace frazil::net::aws
