#include <gtest/gtest.h>

#include "frazil/net/testing/test_server.h"
#include "frazil/storage/http/http_store.h"

namespace frazil::storage {
namespace {

using net::ReceivedRequest;
using net::TestAnswer;
using net::TestServer;

HttpStore Store() { return HttpStore(net::HttpOptions{}, net::RetryPolicy{2, 1, 2}); }

/// A server with one file, /a.txt; `ranges`: it gives parts of it.
TestServer::Handler FileServer(bool ranges) {
  return [ranges](const ReceivedRequest& request) -> TestAnswer {
    const std::string data = "0123456789";
    if (request.target == "/moved") return {302, "", {{"Location", "/a.txt"}}};
    if (request.target == "/round") return {302, "", {{"Location", "/round"}}};
    if (request.target == "/secret?sig=hidden") return {403, "", {}};
    if (request.target != "/a.txt") return {404, "", {}};
    TestAnswer answer{200, request.method == "HEAD" ? "" : data, {{"ETag", "\"1\""}}};
    if (ranges) answer.headers.emplace_back("Accept-Ranges", "bytes");
    if (request.method == "HEAD") {
      answer.headers.emplace_back("Content-Length", "10");
      answer.without_length = true;
    }
    const std::string range(request.Header("Range"));
    if (ranges && range == "bytes=2-4") return {206, data.substr(2, 3), {{"ETag", "\"1\""}}};
    return answer;
  };
}

TEST(HttpStore, ReadsFilesAndTheirParts) {
  for (const bool ranges : {true, false}) {
    TestServer server(FileServer(ranges));
    auto store = Store();
    for (const char* name : {"/a.txt", "/moved"}) {
      EXPECT_EQ(*store.Read(server.url() + name), "0123456789");
      auto reader = store.Open(server.url() + name);
      ASSERT_TRUE(reader.ok()) << reader.error().message;
      EXPECT_EQ((*reader)->size(), 10);
      std::string part(3, ' ');
      ASSERT_TRUE((*reader)->ReadAt(2, 3, part.data()).ok());
      EXPECT_EQ(part, "234");
      EXPECT_FALSE((*reader)->ReadAt(8, 3, part.data()).ok());
    }
    EXPECT_EQ(store.Stat(server.url() + "/a.txt")->size, 10);
    EXPECT_FALSE(*store.Exists(server.url() + "/b.txt"));
    EXPECT_TRUE(IsNotFound(store.Read(server.url() + "/b.txt").error()));
    EXPECT_FALSE(store.Read(server.url() + "/round").ok());
  }
}

TEST(HttpStore, NamesWhatRefusedWithoutItsSecrets) {
  TestServer server(FileServer(true));
  auto store = Store();
  auto refused = store.Read(server.url() + "/secret?sig=hidden");
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("Access denied: " + server.url() + "/secret was"), std::string::npos)
      << refused.error().message;
  auto nobody = store.Read("http://me:hidden@127.0.0.1:1/a?sig=hidden");
  ASSERT_FALSE(nobody.ok());
  EXPECT_EQ(nobody.error().message.find("hidden"), std::string::npos) << nobody.error().message;
}

TEST(HttpStore, OnlyReads) {
  auto store = Store();
  const std::string path = "http://127.0.0.1:1/a";
  EXPECT_EQ(store.Write(path, "x").error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(store.WriteIfAbsent(path, "x").error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(store.Delete(path).error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(store.List(path, true).error().kind, ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace frazil::storage
