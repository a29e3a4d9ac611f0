#include "frazil/net/http_client.h"

#include <gtest/gtest.h>

#include "frazil/base/clock.h"
#include "frazil/net/testing/test_server.h"

namespace frazil::net {
namespace {

HttpRequest Get(const std::string& url) {
  HttpRequest request;
  request.url = url;
  return request;
}

RetryPolicy Quick(int attempts) { return {attempts, 1, 5}; }

TEST(HttpClient, SendsMethodHeadersAndBody) {
  TestServer server([](const ReceivedRequest&) { return TestAnswer{201, "made", {{"X-Id", "7"}}}; });
  HttpClient client({});
  HttpRequest request = Get(server.url() + "/a%20b?x=1");
  request.method = "PUT";
  request.SetHeader("X-One", "1");
  request.SetHeader("x-one", "2");
  request.SetHeader("X-Empty", "");
  request.body = "content";
  const auto response = client.Send(request);
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.body, "made");
  EXPECT_EQ(*response.FindHeader("x-id"), "7");
  const auto received = server.received();
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].method, "PUT");
  EXPECT_EQ(received[0].target, "/a%20b?x=1");
  EXPECT_EQ(received[0].body, "content");
  EXPECT_EQ(received[0].Header("X-One"), "2");
  EXPECT_EQ(received[0].Header("Expect"), "");
}

TEST(HttpClient, PutsBodiesWhereTheyBelong) {
  TestServer server([](const ReceivedRequest& request) {
    return request.target == "/error" ? TestAnswer{404, "no", {}} : TestAnswer{206, "12345", {}};
  });
  HttpClient client({});
  char room[5] = {};
  HttpRequest request = Get(server.url() + "/");
  request.into = room;
  request.into_size = sizeof(room);
  auto response = client.Send(request);
  EXPECT_EQ(response.into_length, 5u);
  EXPECT_EQ(std::string(room, 5), "12345");
  EXPECT_TRUE(response.body.empty());
  request.into_size = 4;
  response = client.Send(request);
  EXPECT_EQ(response.status, 0);
  EXPECT_FALSE(response.failure.empty());
  request.url = server.url() + "/error";
  response = client.Send(request);
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.body, "no");
}

TEST(HttpClient, SaysWhetherARequestMayHaveHadItsEffect) {
  HttpClient client({});
  auto response = client.Send(Get("http://127.0.0.1:1/"));
  EXPECT_EQ(response.status, 0);
  EXPECT_FALSE(response.possibly_sent);
  EXPECT_FALSE(response.failure.empty());
  TestServer server([](const ReceivedRequest&) {
    TestAnswer answer;
    answer.drop = true;
    return answer;
  });
  response = client.Send(Get(server.url()));
  EXPECT_EQ(response.status, 0);
  EXPECT_TRUE(response.possibly_sent);
}

TEST(HttpClient, TakesATruncatedAnswerForNone) {
  TestServer server([](const ReceivedRequest&) {
    TestAnswer answer;
    answer.body = "half";
    answer.missing_bytes = 4;
    return answer;
  });
  HttpClient client({});
  const auto response = client.Send(Get(server.url()));
  EXPECT_EQ(response.status, 0);
  EXPECT_TRUE(response.body.empty());
}

TEST(HttpClient, SendsNothingTwiceThatMustNotBe) {
  // Answers, and then closes the kept connection upon the next request, which it has acted on.
  int count = 0;
  TestServer server(
      [&](const ReceivedRequest&) {
        TestAnswer answer;
        answer.drop = ++count == 2;
        return answer;
      },
      /*keep_alive=*/true);
  HttpClient client({});
  EXPECT_TRUE(client.Send(Get(server.url())).ok());
  HttpRequest request = Get(server.url());
  request.method = "POST";
  request.body = "x";
  request.only_once = true;
  const auto response = client.Send(request);
  EXPECT_EQ(response.status, 0);
  EXPECT_TRUE(response.possibly_sent);
  EXPECT_EQ(server.received().size(), 2u);
}

TEST(HttpClient, EndsARequestThatIsCancelled) {
  TestServer server([](const ReceivedRequest&) {
    std::this_thread::sleep_for(std::chrono::seconds(4));
    return TestAnswer{};
  });
  HttpClient client({});
  const int64_t started = SteadyMillis();
  const auto response = client.Send(Get(server.url()), [&] { return SteadyMillis() - started > 50; });
  EXPECT_TRUE(response.cancelled);
  EXPECT_LT(SteadyMillis() - started, 3000);
}

TEST(Retries, TryAgainUntilItWorks) {
  int count = 0;
  TestServer server([&](const ReceivedRequest&) {
    ++count;
    TestAnswer answer;
    if (count == 1) answer.status = 503;
    if (count == 2) answer.drop = true;
    if (count == 3) answer.status = 429;
    return answer;
  });
  HttpClient client({});
  const auto result = SendWithRetries(client, Quick(6), true, [&] { return Get(server.url()); });
  EXPECT_EQ(result.response.status, 200);
  EXPECT_EQ(result.attempts, 4);
  EXPECT_TRUE(result.earlier_unknown);
}

TEST(Retries, DoNotRepeatWhatMayHaveHadItsEffect) {
  for (const int status : {500, 502, 504}) {
    TestServer server([&](const ReceivedRequest&) { return TestAnswer{status, "", {}}; });
    HttpClient client({});
    const auto result = SendWithRetries(client, Quick(6), false, [&] { return Get(server.url()); });
    EXPECT_EQ(result.response.status, status);
    EXPECT_EQ(result.attempts, 1);
  }
  TestServer busy([&](const ReceivedRequest&) { return TestAnswer{429, "", {{"Retry-After", "0"}}}; });
  HttpClient client({});
  const auto result = SendWithRetries(client, Quick(3), false, [&] { return Get(busy.url()); });
  EXPECT_EQ(result.attempts, 3);
  EXPECT_FALSE(result.earlier_unknown);
}

TEST(Retries, EndWhenCancelled) {
  TestServer server([&](const ReceivedRequest&) { return TestAnswer{503, "", {}}; });
  HttpClient client({});
  const int64_t started = SteadyMillis();
  const auto result = SendWithRetries(
      client, {1000, 1000, 20000}, true, [&] { return Get(server.url()); },
      [&] { return SteadyMillis() - started > 100; });
  EXPECT_TRUE(result.response.cancelled);
  EXPECT_LT(SteadyMillis() - started, 3000);
}

}  // namespace
}  // namespace frazil::net
