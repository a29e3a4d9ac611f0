#include <map>

#include <gtest/gtest.h>

#include "frazil/storage/cloud/cloud_stores.h"

namespace frazil::storage {
namespace {

using Values = std::map<std::string, std::string>;

SettingLookup LookUp(Values values) {
  return [values = std::move(values)](std::string_view key) -> std::optional<std::string> {
    auto found = values.find(std::string(key));
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

Result<ObjectStorePtr> StoreFor(const std::string& path, Values values) {
  StoreRegistry registry;
  RegisterCloudStores(&registry);
  return registry.StoreFor(path, LookUp(std::move(values)));
}

constexpr const char* kAzure = "abfss://lake@account.dfs.core.windows.net";
const std::string kKey = "c2VjcmV0";  // Base64 of "secret".

TEST(CloudLocation, TakesPathsApart) {
  auto google = ParseCloudLocation("gs://bucket//a//b c/d%2F/");
  ASSERT_TRUE(google.ok());
  EXPECT_EQ(google->root, "gs://bucket");
  EXPECT_EQ(google->key, "a//b c/d%2F");
  EXPECT_EQ(google->ArrowPath(), "bucket/a//b c/d%2F");
  EXPECT_EQ(ParseCloudLocation("gs://bucket")->ArrowPath(), "bucket");
  auto azure = ParseCloudLocation(std::string(kAzure) + "/a/ü");
  ASSERT_TRUE(azure.ok());
  EXPECT_EQ(azure->root, kAzure);
  EXPECT_EQ(azure->Account(), "account");
  EXPECT_EQ(azure->ArrowPath(), "lake/a/ü");
  for (const char* bad : {"gs://", "gs:///key", "gs:bucket/key", "gs://user@bucket/k", "abfss://lake/k",
                          "abfss://@a.b/k", "abfs://lake@/k", "wasbs:lake@a.b/k"})
    EXPECT_FALSE(ParseCloudLocation(bad).ok()) << bad;
}

TEST(CloudStores, AreSharedByEqualOptions) {
  const Values values = {{"spark.hadoop.fs.azure.account.key.account.dfs.core.windows.net", kKey}};
  auto first = StoreFor(std::string(kAzure) + "/a", values);
  auto second = StoreFor("abfss://other@account.dfs.core.windows.net/b", values);
  auto third = StoreFor(std::string(kAzure) + "/a", {{"adls.auth.shared-key.account.key", "b3RoZXI="}});
  ASSERT_TRUE(first.ok() && second.ok() && third.ok());
  EXPECT_EQ(*first, *second);
  EXPECT_NE(*first, *third);
}

TEST(CloudStores, PathsOfAnotherAccountAreRefused) {
  auto store = StoreFor(std::string(kAzure) + "/a", {{"fs.azure.account.key", kKey}});
  ASSERT_TRUE(store.ok());
  auto other = (*store)->Stat("abfss://lake@other.dfs.core.windows.net/a");
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().message.find("not of the account"), std::string::npos) << other.error().message;
}

TEST(CloudStores, SettingsThatCannotBeObeyedAreNamed) {
  const std::vector<std::pair<Values, std::string>> cases = {
      {{{"fs.azure.account.auth.type", "Kerberos"}}, "fs.azure.account.auth.type"},
      {{{"fs.azure.account.auth.type", "SharedKey"}}, "fs.azure.account.key.account.dfs.core.windows.net"},
      {{{"fs.azure.account.auth.type", "SAS"}}, "fs.azure.sas.fixed.token"},
      {{{"fs.azure.account.auth.type", "OAuth"}}, "fs.azure.account.oauth2.client.id"},
      {{{"fs.azure.account.auth.type", "OAuth"},
        {"fs.azure.account.oauth2.client.id", "i"},
        {"fs.azure.account.oauth2.client.secret", "hidden"},
        {"fs.azure.account.oauth2.client.endpoint", "https://login/"}},
       "client.endpoint"},
      {{{"fs.azure.account.auth.type", "OAuth"},
        {"fs.azure.account.oauth.provider.type", "org.x.UserPasswordTokenProvider"}},
       "UserPasswordTokenProvider"},
      {{{"fs.azure.account.key", kKey}, {"adls.connection-string.account", "localhost"}}, "must be a URL"},
  };
  for (const auto& [values, words] : cases) {
    auto store = StoreFor(std::string(kAzure) + "/a", values);
    ASSERT_FALSE(store.ok()) << words;
    EXPECT_NE(store.error().message.find(words), std::string::npos) << store.error().message;
    EXPECT_EQ(store.error().message.find("hidden"), std::string::npos);
  }
  EXPECT_FALSE(StoreFor("gs://b/a", {{"gcs.oauth2.token", "t"}, {"gcs.oauth2.token-expires-at", "soon"}}).ok());
  EXPECT_FALSE(StoreFor("gs://b/a", {{"fs.gs.auth.service.account.json.keyfile", "/nowhere"}}).ok());
}

TEST(CloudStores, CommitsThatNeedAConditionalWriteAreRefused) {
  auto store = StoreFor("gs://bucket/a", {{"gcs.no-auth", "true"}});
  ASSERT_TRUE(store.ok());
  auto outcome = (*store)->WriteIfAbsent("gs://bucket/a", "data");
  ASSERT_FALSE(outcome.ok());
  EXPECT_NE(outcome.error().message.find("catalog"), std::string::npos);
}

TEST(CloudStores, ErrorsSayWhatForAndShowNoSecret) {
  // Nobody listens on port 1.
  auto store = StoreFor(std::string(kAzure) + "/a", {{"adls.sas-token.account", "sv=1&sig=hidden%3D&se=2"},
                                                     {"adls.connection-string.account", "http://127.0.0.1:1/account"}});
  ASSERT_TRUE(store.ok());
  auto read = (*store)->Stat(std::string(kAzure) + "/a");
  ASSERT_FALSE(read.ok());
  const auto& message = read.error().message;
  EXPECT_NE(message.find(std::string(kAzure) + "/a"), std::string::npos) << message;
  EXPECT_NE(message.find("adls.sas-token.account"), std::string::npos) << message;
  EXPECT_EQ(message.find("hidden"), std::string::npos) << message;
}

}  // namespace
}  // namespace frazil::storage
