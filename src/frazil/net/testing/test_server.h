#pragma once

#include <arpa/inet.h>
#include <atomic>
#include <functional>
#include <mutex>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "frazil/base/text.h"

namespace frazil::net {

/// A request as it came to a TestServer.
struct ReceivedRequest {
  std::string method;
  std::string target;  ///< Path and query, as sent.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  std::string Header(std::string_view name) const {
    for (const auto& [known, value] : headers) {
      if (EqualsIgnoreCase(known, name)) return value;
    }
    return {};
  }
};

/// What a TestServer answers.
struct TestAnswer {
  int status = 200;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  bool drop = false;  ///< Closes the connection without an answer.
  /// Says that the body is longer by this than it is, and then closes the connection.
  size_t missing_bytes = 0;
  bool without_length = false;  ///< An answer to HEAD brings its own Content-Length.
};

/// An HTTP server on a loopback port, for tests: one answer for each connection, or (`keep_alive`) as many as are asked
/// for.
class TestServer {
 public:
  using Handler = std::function<TestAnswer(const ReceivedRequest&)>;

  explicit TestServer(Handler handler, bool keep_alive = false)
      : handler_(std::move(handler)), keep_alive_(keep_alive) {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), length);
    ::listen(listener_, 64);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }

  ~TestServer() {
    ended_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    ::close(listener_);
    thread_.join();
    for (auto& worker : workers_) worker.join();
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  std::vector<ReceivedRequest> received() {
    std::lock_guard lock(mutex_);
    return received_;
  }

 private:
  void Serve() {
    while (!ended_) {
      const int connection = ::accept(listener_, nullptr, nullptr);
      if (connection < 0) return;
      timeval patience{0, 300000};  // A kept connection must not keep the server from ending.
      ::setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
      workers_.emplace_back([this, connection] {
        while (Answer(connection) && keep_alive_ && !ended_) {
        }
        ::close(connection);
      });
    }
  }

  /// False where the connection is to end.
  bool Answer(int connection) {
    std::string data;
    char buffer[65536];
    size_t end;
    while ((end = data.find("\r\n\r\n")) == std::string::npos) {
      const ssize_t count = ::recv(connection, buffer, sizeof(buffer), 0);
      if (count <= 0) return false;
      data.append(buffer, static_cast<size_t>(count));
    }
    ReceivedRequest request;
    const auto lines = Split(data.substr(0, end), '\n');
    const auto first = Split(TrimBlanks(lines[0]), ' ');
    request.method = first[0];
    request.target = first.size() > 1 ? first[1] : "";
    for (size_t i = 1; i < lines.size(); ++i) {
      const size_t colon = lines[i].find(':');
      if (colon != std::string::npos)
        request.headers.emplace_back(lines[i].substr(0, colon), std::string(TrimBlanks(lines[i].substr(colon + 1))));
    }
    request.body = data.substr(end + 4);
    const std::string length = request.Header("Content-Length");
    const size_t wanted = length.empty() ? 0 : std::stoul(length);
    while (request.body.size() < wanted) {
      const ssize_t count = ::recv(connection, buffer, sizeof(buffer), 0);
      if (count <= 0) return false;
      request.body.append(buffer, static_cast<size_t>(count));
    }
    TestAnswer answer;
    {
      std::lock_guard lock(mutex_);
      received_.push_back(request);
      answer = handler_(request);
    }
    if (answer.drop) return false;
    std::string text = "HTTP/1.1 " + std::to_string(answer.status) + " Status\r\n";
    if (!keep_alive_) text += "Connection: close\r\n";
    for (const auto& [name, value] : answer.headers) text += name + ": " + value + "\r\n";
    if (!answer.without_length)
      text += "Content-Length: " + std::to_string(answer.body.size() + answer.missing_bytes) + "\r\n";
    text += "\r\n";
    if (request.method != "HEAD") text += answer.body;
    for (size_t sent = 0; sent < text.size();) {
      const ssize_t count = ::send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return false;
      sent += static_cast<size_t>(count);
    }
    return answer.missing_bytes == 0;
  }

  Handler handler_;
  bool keep_alive_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> ended_{false};
  std::thread thread_;
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::vector<ReceivedRequest> received_;
};

}  // namespace frazil::net
