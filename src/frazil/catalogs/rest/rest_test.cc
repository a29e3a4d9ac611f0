#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "frazil/catalogs/rest/metadata_changes.h"
#include "frazil/catalogs/rest/rest_table.h"
#include "frazil/net/testing/test_server.h"

namespace frazil::catalogs {
namespace {

using net::ReceivedRequest;
using net::TestAnswer;
using net::TestServer;

Json Table() {
  return Json::parse(R"({"format-version": 2, "table-uuid": "u", "location": "s3://b/t", "last-column-id": 1,
    "schemas": [{"schema-id": 0, "type": "struct", "fields": []}], "current-schema-id": 0,
    "partition-specs": [{"spec-id": 0, "fields": []}], "default-spec-id": 0, "last-partition-id": 999,
    "sort-orders": [{"order-id": 0, "fields": []}], "default-sort-order-id": 0, "properties": {"a": "1", "b": "2"},
    "snapshots": [{"snapshot-id": 1}], "refs": {"main": {"type": "branch", "snapshot-id": 1}}})");
}

std::vector<std::string> Names(const Json& list, const char* member) {
  std::vector<std::string> names;
  for (const auto& item : list) names.push_back(TextMember(item, member));
  return names;
}

using Texts = std::vector<std::string>;

TEST(CommitBody, MakesATable) {
  const Json body = CommitBody(Json(), Table());
  EXPECT_EQ(Names(body["requirements"], "type"), Texts{"assert-create"});
  EXPECT_EQ(Names(body["updates"], "action"),
            (Texts{"assign-uuid", "upgrade-format-version", "add-schema", "set-current-schema", "add-spec",
                   "set-default-spec", "add-sort-order", "set-default-sort-order", "set-location", "set-properties",
                   "add-snapshot", "set-snapshot-ref"}));
  EXPECT_EQ(body["updates"][3]["schema-id"], -1);
  EXPECT_EQ(body["updates"][11]["ref-name"], "main");
}

TEST(CommitBody, TellsWhatChangedAndWhatItBuildsOn) {
  Json next = Table();
  next["snapshots"].push_back({{"snapshot-id", 2}});
  next["refs"]["main"]["snapshot-id"] = 2;
  Json body = CommitBody(Table(), next);
  EXPECT_EQ(Names(body["requirements"], "type"), (Texts{"assert-table-uuid", "assert-ref-snapshot-id"}));
  EXPECT_EQ(body["requirements"][1]["snapshot-id"], 1);
  EXPECT_EQ(Names(body["updates"], "action"), (Texts{"add-snapshot", "set-snapshot-ref"}));

  next = Table();
  next["schemas"].push_back({{"schema-id", 1}, {"type", "struct"}});
  next["current-schema-id"] = 1;
  next["properties"] = {{"a", "9"}};
  body = CommitBody(Table(), next);
  EXPECT_EQ(Names(body["requirements"], "type"),
            (Texts{"assert-table-uuid", "assert-last-assigned-field-id", "assert-current-schema-id"}));
  EXPECT_EQ(Names(body["updates"], "action"),
            (Texts{"add-schema", "set-current-schema", "set-properties", "remove-properties"}));
  EXPECT_EQ(body["updates"][3]["removals"], Json::array({"b"}));

  // Back to a schema that there was: by its number.
  body = CommitBody(next, [&] {
    Json back = next;
    back["current-schema-id"] = 0;
    return back;
  }());
  EXPECT_EQ(body["updates"][0], (Json{{"action", "set-current-schema"}, {"schema-id", 0}}));

  next = Table();
  next["snapshots"] = Json::array();
  next["refs"] = {{"t", {{"type", "tag"}, {"snapshot-id", 1}}}};
  next["statistics"] = Json::array({{{"snapshot-id", 1}, {"statistics-path", "p"}}});
  next["partition-specs"] = Json::array();
  body = CommitBody(Table(), next);
  EXPECT_EQ(Names(body["updates"], "action"), (Texts{"set-snapshot-ref", "remove-snapshot-ref", "remove-snapshots",
                                                     "set-statistics", "remove-partition-specs"}));
  EXPECT_TRUE(body["requirements"][1]["snapshot-id"].is_null());
  EXPECT_TRUE(CommitBody(Table(), Table())["updates"].empty());
}

TEST(CommitBody, IsKnownAgainWhenItHasComeThrough) {
  Json next = Table();
  next["snapshots"].push_back({{"snapshot-id", 2}});
  Json current = next;
  current["snapshots"].push_back({{"snapshot-id", 3}});
  EXPECT_TRUE(IsApplied(Table(), next, current));
  EXPECT_FALSE(IsApplied(Table(), next, Table()));
  next = Table();
  next["properties"]["c"] = "3";
  EXPECT_FALSE(IsApplied(Table(), next, Table()));
  current = next;
  current["properties"]["other"] = "4";
  EXPECT_TRUE(IsApplied(Table(), next, current));
  EXPECT_TRUE(IsApplied(Json(), Table(), Table()));
  current["table-uuid"] = "another";
  EXPECT_FALSE(IsApplied(Json(), Table(), current));
}

TestAnswer JsonAnswer(int status, const Json& body) { return {status, body.dump(), {}}; }

TestAnswer Problem(int status, const std::string& type) {
  return JsonAnswer(status, {{"error", {{"type", type}, {"message", "why"}, {"code", status}}}});
}

Settings At(const TestServer& server, Settings more = {}) {
  more.insert({{"uri", server.url() + "/api/"}, {"rest.client.max-retries", "1"}});
  return more;
}

TEST(RestClient, ObeysTheServicesConfiguration) {
  TestServer server([](const ReceivedRequest& request) {
    if (request.target == "/api/v1/config?warehouse=w%201") {
      return JsonAnswer(200, {{"defaults", {{"a", "service"}, {"b", "service"}}},
                              {"overrides", {{"prefix", "p q"}, {"c", "service"}}},
                              {"endpoints", {"GET /v1/{prefix}/namespaces"}}});
    }
    EXPECT_EQ(request.target, "/api/v1/p%20q/namespaces/x%1Fy%2Fz");
    EXPECT_EQ(request.Header("Authorization"), "Bearer t");
    EXPECT_EQ(request.Header("X-Extra"), "e");
    return Problem(403, "ForbiddenException");
  });
  auto client = RestClient::Connect(
      "c", At(server, {{"warehouse", "w 1"}, {"a", "own"}, {"c", "own"}, {"token", "t"}, {"header.X-Extra", "e"}}));
  ASSERT_TRUE(client.ok()) << client.error().message;
  EXPECT_EQ((*client)->SettingOr("a", ""), "own");
  EXPECT_EQ((*client)->SettingOr("b", ""), "service");
  EXPECT_EQ((*client)->SettingOr("c", ""), "service");
  EXPECT_TRUE((*client)->HasEndpoint("GET /v1/{prefix}/namespaces", false));
  EXPECT_FALSE((*client)->HasEndpoint("GET /v1/{prefix}/else", true));
  auto refused =
      (*client)->SendChecked("GET", "/namespaces/" + (*client)->EncodeNamespace({"x", "y/z"}), nullptr, true);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("Access denied"), std::string::npos) << refused.error().message;
  EXPECT_NE(refused.error().message.find("the setting token"), std::string::npos) << refused.error().message;
}

TEST(RestClient, SignsInAndRenewsItsToken) {
  int tokens = 0;
  TestServer server([&](const ReceivedRequest& request) {
    if (request.target == "/api/v1/oauth/tokens") {
      EXPECT_EQ(request.body,
                "grant_type=client_credentials&scope=PRINCIPAL_ROLE%3AALL&client_id=me&client_secret=hid%3Aden");
      return JsonAnswer(200, {{"access_token", "t" + std::to_string(++tokens)}, {"expires_in", 3600}});
    }
    if (request.target == "/api/v1/config") return JsonAnswer(200, Json::object());
    return request.Header("Authorization") == "Bearer t2" ? JsonAnswer(200, {{"x", 1}})
                                                          : Problem(401, "NotAuthorizedException");
  });
  auto client = RestClient::Connect("c", At(server, {{"credential", "me:hid:den"}, {"scope", "PRINCIPAL_ROLE:ALL"}}));
  ASSERT_TRUE(client.ok()) << client.error().message;
  EXPECT_TRUE((*client)->SendChecked("GET", "/a", nullptr, true).ok());
  EXPECT_TRUE((*client)->SendChecked("GET", "/b", nullptr, true).ok());
  EXPECT_EQ(tokens, 2);
}

TEST(RestClient, ExchangesTokens) {
  std::vector<std::string> forms;
  TestServer server([&](const ReceivedRequest& request) {
    if (request.target == "/api/v1/oauth/tokens") {
      forms.push_back(request.Header("Authorization") + " " + request.body);
      return JsonAnswer(200, {{"access_token", "t" + std::to_string(forms.size())}, {"expires_in", 3600}});
    }
    EXPECT_TRUE(request.Header("Authorization").starts_with("Bearer ")) << request.target;
    return JsonAnswer(200, {{"said", request.Header("Authorization")}});
  });
  // Another's token, with the catalog's own as the actor.
  auto client = RestClient::Connect(
      "c", At(server, {{"urn:ietf:params:oauth:token-type:id_token", "subject"}, {"token", "own"}, {"audience", "a"}}));
  ASSERT_TRUE(client.ok()) << client.error().message;
  EXPECT_EQ(TextMember((*client)->Send("GET", "/a", nullptr, true)->body, "said"), "Bearer t1");
  ASSERT_EQ(forms.size(), 1u);
  EXPECT_EQ(forms[0],
            "Bearer own grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&scope=catalog&"
            "subject_token=subject&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aid_token&"
            "actor_token=own&actor_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token&audience=a");
  // One that ends is exchanged for the next, unless that is not wanted.
  forms.clear();
  client = RestClient::Connect("c", At(server, {{"token", "own"}, {"token-expires-in-ms", "1"}}));
  ASSERT_TRUE(client.ok()) << client.error().message;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(TextMember((*client)->Send("GET", "/a", nullptr, true)->body, "said").substr(0, 8), "Bearer t");
  ASSERT_FALSE(forms.empty());
  EXPECT_NE(forms[0].find("subject_token=own"), std::string::npos);
  forms.clear();
  client = RestClient::Connect(
      "c", At(server, {{"token", "own"}, {"token-expires-in-ms", "1"}, {"token-exchange-enabled", "false"}}));
  ASSERT_TRUE(client.ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(TextMember((*client)->Send("GET", "/a", nullptr, true)->body, "said"), "Bearer own");
  EXPECT_TRUE(forms.empty());
}

TEST(RestClient, SignsInWithANameAndByAwsKeys) {
  std::string said;
  TestServer server([&](const ReceivedRequest& request) {
    said = request.Header("Authorization");
    return JsonAnswer(200, Json::object());
  });
  EXPECT_TRUE(RestClient::Connect("c", At(server, {{"rest.auth.type", "basic"},
                                                   {"rest.auth.basic.username", "me"},
                                                   {"rest.auth.basic.password", "hid:den"}}))
                  .ok());
  EXPECT_EQ(said, "Basic bWU6aGlkOmRlbg==");
  EXPECT_TRUE(RestClient::Connect("c", At(server, {{"rest.sigv4-enabled", "true"},
                                                   {"rest.access-key-id", "AK"},
                                                   {"rest.secret-access-key", "hidden"},
                                                   {"rest.signing-region", "eu-west-1"},
                                                   {"rest.signing-name", "glue"}}))
                  .ok());
  EXPECT_TRUE(said.starts_with("AWS4-HMAC-SHA256 Credential=AK/")) << said;
  EXPECT_NE(said.find("/eu-west-1/glue/aws4_request"), std::string::npos) << said;
  EXPECT_FALSE(RestClient::Connect("c", At(server, {{"rest.auth.type", "kerberos"}})).ok());
}

TEST(RestClient, SendsTheSameKeyAgain) {
  std::vector<std::string> keys;
  bool knows_keys = true;
  TestServer server([&](const ReceivedRequest& request) {
    if (request.target == "/api/v1/config")
      return JsonAnswer(200, knows_keys ? Json{{"idempotency-key-lifetime", "PT30M"}} : Json::object());
    if (request.method == "GET") return JsonAnswer(200, {{"key", request.Header("Idempotency-Key")}});
    keys.push_back(request.Header("Idempotency-Key"));
    TestAnswer lost = JsonAnswer(200, Json::object());
    lost.drop = keys.size() == 1;
    return lost;
  });
  auto client = RestClient::Connect("c", At(server));
  ASSERT_TRUE(client.ok());
  const Json body = Json::object();
  EXPECT_TRUE((*client)->SendChecked("POST", "/a", &body, /*repeatable=*/false).ok());
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys[0], keys[1]);
  ASSERT_EQ(keys[0].size(), 36u);
  EXPECT_EQ(keys[0][14], '7');
  EXPECT_TRUE((*client)->SendChecked("POST", "/a", &body, false).ok());
  EXPECT_NE(keys[2], keys[0]);
  EXPECT_EQ(TextMember((*client)->Send("GET", "/a", nullptr, true)->body, "key"), "");
  // Without, what may have had its effect is not sent again.
  knows_keys = false;
  keys.clear();
  client = RestClient::Connect("c", At(server));
  auto lost = (*client)->Send("POST", "/a", &body, false);
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().kind, ErrorKind::kUnknownCommit);
  EXPECT_EQ(keys, std::vector<std::string>{""});
}

TEST(RestClient, KeepsAnswersAsLongAsTheyHold) {
  int version = 1, unchanged = 0;
  Json more = Json::object();
  TestServer server([&](const ReceivedRequest& request) {
    if (request.target == "/api/v1/config") return JsonAnswer(200, Json::object());
    const std::string etag = "W/\"" + std::to_string(version) + "\"";
    if (request.Header("If-None-Match") == etag) {
      ++unchanged;
      return TestAnswer{304, "", {}};
    }
    TestAnswer answer = JsonAnswer(200, {{"version", version}, {"config", more}});
    answer.headers.emplace_back("ETag", etag);
    return answer;
  });
  auto client = RestClient::Connect("c", At(server));
  ASSERT_TRUE(client.ok());
  auto load = [&] { return NumberMember((*client)->SendCached("/t")->body, "version").value_or(0); };
  EXPECT_EQ(load(), 1);
  EXPECT_EQ(load(), 1);
  EXPECT_EQ(unchanged, 1);
  version = 2;
  EXPECT_EQ(load(), 2);
  EXPECT_EQ(load(), 2);
  EXPECT_EQ(unchanged, 2);
  // Keys to files end: such answers are asked for anew.
  version = 3;
  more["s3.session-token"] = "hidden";
  EXPECT_EQ(load(), 3);
  EXPECT_EQ(load(), 3);
  EXPECT_EQ(unchanged, 2);
}

TEST(RestClient, NamesWhoWasRefusedWithoutTheSecret) {
  TestServer server([&](const ReceivedRequest&) {
    return JsonAnswer(401, {{"error", "invalid_client"}, {"error_description", "unknown client"}});
  });
  auto client = RestClient::Connect("c", At(server, {{"credential", "me:hidden"}}));
  ASSERT_FALSE(client.ok());
  for (const char* part : {"Access denied", "client me", "unknown client", "/v1/oauth/tokens"})
    EXPECT_NE(client.error().message.find(part), std::string::npos) << client.error().message;
  EXPECT_EQ(client.error().message.find("hidden"), std::string::npos);
}

TEST(RestClient, ListsAllPages) {
  TestServer server([&](const ReceivedRequest& request) {
    if (request.target == "/api/v1/config") return JsonAnswer(200, Json::object());
    if (request.target == "/api/v1/l?parent=x") return JsonAnswer(200, {{"n", {1, 2}}, {"next-page-token", "a b"}});
    EXPECT_EQ(request.target, "/api/v1/l?parent=x&pageToken=a%20b");
    return JsonAnswer(200, {{"n", {3}}, {"next-page-token", nullptr}});
  });
  auto client = RestClient::Connect("c", At(server));
  ASSERT_TRUE(client.ok());
  auto items = (*client)->List("/l", "parent=x", "n");
  ASSERT_TRUE(items.ok());
  EXPECT_EQ(items->size(), 3u);
}

/// A table in a service whose answers to commits can be made to fail.
class CommitTest : public testing::Test {
 protected:
  CommitTest()
      : server_([this](const ReceivedRequest& request) {
          if (request.target == "/api/v1/config") return JsonAnswer(200, Json::object());
          EXPECT_EQ(request.target, "/api/v1/namespaces/n/tables/t");
          if (request.method == "GET") return Loaded();
          if (applies_) {
            ++version_;
            table_["snapshots"].push_back({{"snapshot-id", 2}});
          }
          return answer_.status == 0 ? Loaded() : answer_;
        }) {}

  TestAnswer Loaded() {
    return JsonAnswer(200, {{"metadata-location", "m" + std::to_string(version_)}, {"metadata", table_}});
  }

  Result<tables::CommitState> Commit() {
    auto client = RestClient::Connect("c", At(server_, {{"rest.client.max-retries", "0"}}));
    EXPECT_TRUE(client.ok());
    RestCommitPoint point(*client, {{"n"}, "t"}, "c.n.t", std::nullopt);
    auto current = point.Current();
    EXPECT_TRUE(current.ok());
    Json next = Json::parse(*point.MetadataText(**current));
    next["snapshots"].push_back({{"snapshot-id", 2}});
    auto state = point.Swap(*current, next.dump(), &written_);
    if (state.ok() && *state == tables::CommitState::kCommitted) {
      EXPECT_TRUE(point.MetadataText(written_).has_value());
    }
    return state;
  }

  Json table_ = Table();
  int version_ = 1;
  bool applies_ = true;
  TestAnswer answer_{0, "", {}};
  std::string written_;
  TestServer server_;
};

TEST_F(CommitTest, ComesThrough) {
  auto state = Commit();
  ASSERT_TRUE(state.ok()) << state.error().message;
  EXPECT_EQ(*state, tables::CommitState::kCommitted);
  EXPECT_EQ(written_, "m2");
}

TEST_F(CommitTest, LosesToAnother) {
  applies_ = false;
  answer_ = Problem(409, "CommitFailedException");
  EXPECT_EQ(*Commit(), tables::CommitState::kConflict);
}

TEST_F(CommitTest, IsFoundWhenItsAnswerWasLostOrBad) {
  answer_.drop = true;
  answer_.status = 200;
  auto state = Commit();
  ASSERT_TRUE(state.ok()) << state.error().message;
  EXPECT_EQ(*state, tables::CommitState::kCommitted);
  EXPECT_EQ(written_, "m2");
}

TEST_F(CommitTest, IsFoundAfterAGatewaysError) {
  answer_ = TestAnswer{504, "gateway", {}};
  EXPECT_EQ(*Commit(), tables::CommitState::kCommitted);
}

TEST_F(CommitTest, IsUnknownWhereLookingDoesNotTell) {
  applies_ = false;
  answer_ = Problem(500, "InternalServerError");
  auto state = Commit();
  ASSERT_FALSE(state.ok());
  EXPECT_EQ(state.error().kind, ErrorKind::kUnknownCommit);
  EXPECT_NE(state.error().message.find("CommitStateUnknownException"), std::string::npos);
}

TEST_F(CommitTest, FailsWhereTheServiceRefuses) {
  applies_ = false;
  answer_ = Problem(400, "ValidationException");
  auto state = Commit();
  ASSERT_FALSE(state.ok());
  EXPECT_NE(state.error().kind, ErrorKind::kUnknownCommit);
  EXPECT_EQ(state.error().message, "why");
}

}  // namespace
}  // namespace frazil::catalogs
