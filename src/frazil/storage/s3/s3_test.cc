#include <map>

#include <gtest/gtest.h>

#include "frazil/net/testing/test_server.h"
#include "frazil/storage/interrupt.h"
#include "frazil/storage/located_stores.h"
#include "frazil/storage/memory/memory_store.h"
#include "frazil/storage/s3/s3_store.h"

namespace frazil::storage {
namespace {

using net::ReceivedRequest;
using net::TestAnswer;
using net::TestServer;

using Values = std::map<std::string, std::string>;

SettingLookup LookUp(Values values) {
  return [values = std::move(values)](std::string_view key) -> std::optional<std::string> {
    auto found = values.find(std::string(key));
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

/// A store at a test server, with waits short enough for tests.
ObjectStorePtr StoreAt(const TestServer& server, Values more = {}) {
  more.insert({{"s3.endpoint", server.url()},
               {"s3.access-key-id", "key"},
               {"s3.secret-access-key", "hidden"},
               {"client.region", "here"},
               {"s3.retry.min-wait-ms", "1"}});
  StoreRegistry registry;
  RegisterS3Store(&registry);
  auto store = registry.StoreFor("s3://bucket/x", LookUp(more));
  EXPECT_TRUE(store.ok());
  return *store;
}

TestAnswer Problem(int status, const std::string& code) {
  return {status, "<Error><Code>" + code + "</Code><Message>why</Message></Error>", {}};
}

TEST(S3Location, TakesPathsApart) {
  auto location = ParseS3Location("s3a://bucket//a//b c/d%2F");
  ASSERT_TRUE(location.ok());
  EXPECT_EQ(location->bucket, "bucket");
  EXPECT_EQ(location->key, "a/b c/d%2F");
  EXPECT_EQ(location->ToString(), "s3a://bucket/a/b c/d%2F");
  EXPECT_EQ(ParseS3Location("s3://bucket")->key, "");
  for (const char* bad : {"s3://", "s3:///key", "/local", "http://h/k", "s3:bucket", "s3://user:pw@bucket/k"})
    EXPECT_FALSE(ParseS3Location(bad).ok()) << bad;
}

TEST(S3Options, AreReadByTheNamesOfIcebergAndHadoop) {
  auto options = ReadS3Options("b", LookUp({{"s3.endpoint", "http://one:9000/"},
                                            {"s3.path-style-access", "true"},
                                            {"s3.access-key-id", "A"},
                                            {"s3.secret-access-key", "a"},
                                            {"s3.session-token", "t"},
                                            {"client.region", "r1"},
                                            {"spark.hadoop.fs.s3a.endpoint", "http://two:9000"},
                                            {"spark.hadoop.fs.s3a.access.key", "B"}}));
  ASSERT_TRUE(options.ok()) << options.error().message;
  EXPECT_EQ(options->endpoint, "http://one:9000");
  EXPECT_TRUE(options->path_style);
  EXPECT_EQ(options->region, "r1");
  auto keys = options->credentials();
  ASSERT_TRUE(keys.ok());
  EXPECT_EQ(keys->access_key_id, "A");
  EXPECT_EQ(keys->session_token, "t");
  EXPECT_EQ(options->fingerprint.size(), 64u);

  options = ReadS3Options("b", LookUp({{"spark.hadoop.fs.s3a.endpoint", "two:9000"},
                                       {"spark.hadoop.fs.s3a.connection.ssl.enabled", "false"},
                                       {"spark.hadoop.fs.s3a.access.key", "B"},
                                       {"spark.hadoop.fs.s3a.secret.key", "b"},
                                       {"fs.s3a.bucket.b.access.key", "C"},
                                       {"spark.hadoop.fs.s3a.multipart.size", "64M"},
                                       {"fs.s3a.endpoint.region", "r2"}}));
  ASSERT_TRUE(options.ok()) << options.error().message;
  EXPECT_EQ(options->endpoint, "http://two:9000");
  EXPECT_EQ(options->part_size, 64 * 1024 * 1024);
  EXPECT_EQ(options->region, "r2");
  EXPECT_EQ(options->credentials()->access_key_id, "C");
  EXPECT_EQ(options->credentials()->Describe(), "access key C (setting fs.s3a.bucket.b.access.key)");

  options = ReadS3Options("b", LookUp({{"spark.hadoop.fs.s3a.aws.credentials.provider",
                                        "org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider"},
                                       {"spark.hadoop.fs.s3a.requester.pays.enabled", "true"},
                                       {"s3.sse.type", "kms"},
                                       {"s3.sse.key", "k"},
                                       {"s3.endpoint", "http://127.0.0.1:1"}}));
  ASSERT_TRUE(options.ok()) << options.error().message;
  EXPECT_TRUE(options->credentials()->anonymous);
  EXPECT_TRUE(options->path_style);
  EXPECT_EQ(options->all_headers.size(), 1u);
  EXPECT_EQ(options->write_headers.size(), 2u);
}

TEST(S3Options, RefuseWhatCannotBeObeyed) {
  EXPECT_FALSE(ReadS3Options("b", LookUp({{"s3.access-key-id", "A"}})).ok());
  EXPECT_FALSE(ReadS3Options("b", LookUp({{"s3.path-style-access", "perhaps"}})).ok());
  const auto signing = ReadS3Options("b", LookUp({{"s3.remote-signing-enabled", "true"}}));
  ASSERT_FALSE(signing.ok());
  EXPECT_EQ(signing.error().kind, ErrorKind::kUnsupported);
  EXPECT_TRUE(ReadS3Options("b", LookUp({{"s3.remote-signing-enabled", "false"}})).ok());
  EXPECT_FALSE(ReadS3Options("b", LookUp({{"s3.multipart.part-size-bytes", "-1"}})).ok());
  EXPECT_FALSE(ReadS3Options("b", LookUp({{"s3.endpoint", "ftp://x"}})).ok());
  EXPECT_FALSE(ReadS3Options("b", LookUp({{"s3.sse.type", "other"}})).ok());
}

/// Keys that end: the second are good.
class TwoKeys : public net::aws::RequestAuthority {
 public:
  bool signs() const override { return false; }
  Result<net::aws::Credentials> Keys() override {
    net::aws::Credentials keys;
    keys.access_key_id = "K" + std::to_string(asked_);
    keys.secret_access_key = "s";
    return keys;
  }
  bool Renew() override { return ++asked_ == 2; }
  Status Sign(const std::string&, net::HttpRequest*) override { return {}; }

 private:
  int asked_ = 1;
};

TEST(S3Store, AsksAnAuthorityForOtherKeys) {
  TestServer server([](const ReceivedRequest& request) {
    const std::string by = request.Header("Authorization");
    if (by.find("Credential=K2/") == std::string::npos)
      return TestAnswer{400, "<Error><Code>ExpiredToken</Code></Error>", {}};
    return TestAnswer{200, "data", {}};
  });
  const auto authority = std::make_shared<TwoKeys>();
  const auto store = StoreAt(server, {{net::aws::kAuthoritySetting, net::aws::RegisterAuthority(authority)}});
  auto read = store->Read("s3://bucket/k");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, "data");
}

TEST(S3Store, ReadsRangesAndMissingObjects) {
  TestServer server([](const ReceivedRequest& request) {
    if (request.target != "/bucket/a%20b") return Problem(404, "NoSuchKey");
    if (request.Header("Range") == "bytes=2-4") return TestAnswer{206, "234", {}};
    return TestAnswer{200, "0123456789", {}};
  });
  auto store = StoreAt(server);
  auto all = store->Read("s3://bucket/a b");
  ASSERT_TRUE(all.ok()) << all.error().message;
  EXPECT_EQ(*all, "0123456789");
  auto reader = OpenSized(*store, "s3://bucket/a b", 10);
  ASSERT_TRUE(reader.ok());
  char room[3];
  ASSERT_TRUE((*reader)->ReadAt(2, 3, room).ok());
  EXPECT_EQ(std::string(room, 3), "234");
  EXPECT_FALSE((*reader)->ReadAt(9, 3, room).ok());
  auto missing = store->Read("s3://bucket/none");
  ASSERT_FALSE(missing.ok());
  EXPECT_TRUE(IsNotFound(missing.error()));
}

TEST(S3Store, ListsByPages) {
  TestServer server([](const ReceivedRequest& request) {
    EXPECT_NE(request.target.find("prefix=t%2F"), std::string::npos) << request.target;
    if (request.target.find("continuation-token") == std::string::npos) {
      return TestAnswer{200,
                        "<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>"
                        "<NextContinuationToken>n</NextContinuationToken>"
                        "<Contents><Key>t/</Key><Size>0</Size></Contents>"
                        "<Contents><Key>t/a%2Bb+c</Key><Size>5</Size>"
                        "<LastModified>2024-01-02T03:04:05.678Z</LastModified></Contents></ListBucketResult>",
                        {}};
    }
    return TestAnswer{200,
                      "<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>"
                      "<CommonPrefixes><Prefix>t/k%3D1/</Prefix></CommonPrefixes></ListBucketResult>",
                      {}};
  });
  auto listed = StoreAt(server)->List("s3a://bucket/t", false);
  ASSERT_TRUE(listed.ok()) << listed.error().message;
  ASSERT_EQ(listed->size(), 2u);
  EXPECT_EQ((*listed)[0].path, "s3a://bucket/t/a+b c");
  EXPECT_EQ((*listed)[0].size, 5);
  EXPECT_EQ((*listed)[0].modified_micros, 1704164645678000);
  EXPECT_EQ((*listed)[1].path, "s3a://bucket/t/k=1");
  EXPECT_TRUE((*listed)[1].is_directory);
}

TEST(S3Store, WritesOnlyWhereNothingIs) {
  std::map<std::string, std::string> objects;
  int lost = 0;
  TestServer server([&](const ReceivedRequest& request) {
    if (request.method == "GET") return TestAnswer{200, objects[request.target], {}};
    EXPECT_EQ(request.Header("If-None-Match"), "*");
    if (objects.contains(request.target)) return Problem(412, "PreconditionFailed");
    objects[request.target] = request.body;
    TestAnswer answer;
    answer.drop = lost-- > 0;
    return answer;
  });
  auto store = StoreAt(server);
  EXPECT_EQ(*store->WriteIfAbsent("s3://bucket/v1", "one"), PutOutcome::kWritten);
  EXPECT_EQ(*store->WriteIfAbsent("s3://bucket/v1", "two"), PutOutcome::kAlreadyExists);
  // The first answer is lost: the second attempt finds the object there, which is ours.
  lost = 1;
  EXPECT_EQ(*store->WriteIfAbsent("s3://bucket/v2", "mine"), PutOutcome::kWritten);
  EXPECT_EQ(objects["/bucket/v2"], "mine");
}

TEST(S3Store, RefusesStoresWithoutConditionalPut) {
  TestServer server([&](const ReceivedRequest&) { return Problem(501, "NotImplemented"); });
  auto written = StoreAt(server)->WriteIfAbsent("s3://bucket/v1", "one");
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().message.find("conditional PUT"), std::string::npos);
}

TEST(S3Store, SaysWhichCredentialsWereRefusedWithoutTheSecret) {
  TestServer server([&](const ReceivedRequest&) { return Problem(403, "SignatureDoesNotMatch"); });
  auto store = StoreAt(server);
  for (const auto& error : {store->Read("s3://bucket/k").error(), store->Stat("s3://bucket/k").error()}) {
    for (const std::string& part :
         {std::string("Access denied"), std::string("access key key (setting s3.access-key-id)"),
          std::string("s3://bucket/k"), server.url(), std::string("SignatureDoesNotMatch")})
      EXPECT_NE(error.message.find(part), std::string::npos) << error.message;
    EXPECT_EQ(error.message.find("hidden"), std::string::npos) << error.message;
  }
}

TEST(S3Store, GoesToTheRegionThatTheBucketNames) {
  TestServer server([&](const ReceivedRequest& request) {
    if (request.Header("Authorization").find("/there/s3/") == std::string::npos) {
      auto answer = Problem(400, "AuthorizationHeaderMalformed");
      answer.headers = {{"x-amz-bucket-region", "there"}};
      return answer;
    }
    return TestAnswer{200, "x", {}};
  });
  auto store = StoreAt(server);
  EXPECT_TRUE(store->Read("s3://bucket/k").ok());
  EXPECT_TRUE(store->Read("s3://bucket/k").ok());
  EXPECT_EQ(server.received().size(), 3u);
}

TEST(S3Store, UploadsLargeObjectsInParts) {
  std::map<std::string, std::string> parts;
  std::string completed;
  bool given_up = false;
  bool answer_lost = true;
  TestServer server([&](const ReceivedRequest& request) {
    if (request.target == "/bucket/big?uploads=") return TestAnswer{200, "<R><UploadId>id</UploadId></R>", {}};
    if (request.method == "PUT") {
      parts[request.target] = request.body;
      return TestAnswer{200, "", {{"ETag", "\"" + std::to_string(request.body.size()) + "\""}}};
    }
    if (request.method == "HEAD") return TestAnswer{200, "", {{"Content-Length", "12582912"}}, false, 0, true};
    if (request.method == "DELETE") {
      given_up = true;
      return TestAnswer{204, "", {}};
    }
    if (!answer_lost) return Problem(404, "NoSuchUpload");
    answer_lost = false;
    completed = request.body;
    TestAnswer answer;
    answer.drop = true;
    return answer;
  });
  auto store = StoreAt(server, {{"s3.multipart.part-size-bytes", "5242880"}});
  {
    auto writer = StartWrite(*store, "s3://bucket/big");
    ASSERT_TRUE(writer.ok());
    for (int i = 0; i < 12; ++i) ASSERT_TRUE((*writer)->Append(std::string(1024 * 1024, 'a')).ok());
    // The answer of the completion is lost, and the upload is gone when it is asked for again.
    auto finished = (*writer)->Finish();
    EXPECT_TRUE(finished.ok()) << finished.error().message;
  }
  EXPECT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts["/bucket/big?partNumber=3&uploadId=id"].size(), 2u * 1024 * 1024);
  EXPECT_NE(completed.find("<PartNumber>3</PartNumber><ETag>&quot;2097152&quot;</ETag>"), std::string::npos);
  EXPECT_FALSE(given_up);
  {
    auto writer = StartWrite(*store, "s3://bucket/big");
    for (int i = 0; i < 6; ++i) ASSERT_TRUE((*writer)->Append(std::string(1024 * 1024, 'a')).ok());
  }
  EXPECT_TRUE(given_up);
}

TEST(S3Store, DeletesManyAtOnce) {
  std::string body;
  TestServer server([&](const ReceivedRequest& request) {
    body = request.body;
    EXPECT_EQ(request.target, "/bucket/?delete=");
    EXPECT_FALSE(request.Header("Content-MD5").empty());
    return TestAnswer{200,
                      "<DeleteResult><Error><Key>b</Key><Code>AccessDenied</Code></Error>"
                      "<Error><Key>c</Key><Code>NoSuchKey</Code></Error></DeleteResult>",
                      {}};
  });
  auto store = StoreAt(server);
  auto deleted = DeleteAll(*store, {"s3://bucket/a&b", "s3://bucket/b", "s3://bucket/c"});
  EXPECT_NE(body.find("<Key>a&amp;b</Key>"), std::string::npos);
  ASSERT_FALSE(deleted.ok());
  EXPECT_NE(deleted.error().message.find("AccessDenied"), std::string::npos);
  EXPECT_FALSE(store->DeleteRecursively("s3://bucket/").ok());
}

TEST(S3Store, EndsWhenTheThreadIsInterrupted) {
  TestServer server([&](const ReceivedRequest&) { return TestAnswer{503, "", {}}; });
  auto store = StoreAt(server);
  InterruptScope scope([] { return true; });
  auto read = store->Read("s3://bucket/k");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().kind, ErrorKind::kCancelled);
}

TEST(LocatedStores, GiveATableItsOwnStore) {
  StoreRegistry registry;
  auto of_table = std::make_shared<MemoryStore>(), of_session = std::make_shared<MemoryStore>();
  registry.Register("s3", [&](const std::string&, const SettingLookup&) -> Result<ObjectStorePtr> {
    return ObjectStorePtr(of_session);
  });
  const auto located = WithLocation(registry, "s3://b/t/data", of_table);
  EXPECT_EQ(*located.StoreFor("s3://b/t/data/f", {}), of_table);
  EXPECT_EQ(*located.StoreFor("s3://b/other", {}), of_session);
}

}  // namespace
}  // namespace frazil::storage
