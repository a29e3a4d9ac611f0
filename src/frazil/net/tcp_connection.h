#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "frazil/base/result.h"

namespace frazil::net {

/// A connection to a port, with time-outs. Not thread-safe.
class TcpConnection {
 public:
  static Result<std::unique_ptr<TcpConnection>> Open(const std::string& host, int port, int64_t timeout_ms);
  ~TcpConnection();
  TcpConnection(const TcpConnection&) = delete;
  TcpConnection& operator=(const TcpConnection&) = delete;

  Status Send(std::string_view data);
  /// Exactly `length` bytes; an error where the other side ends before.
  Status Receive(char* out, size_t length);

 private:
  TcpConnection(int socket, std::string name) : socket_(socket), name_(std::move(name)) {}
  int socket_;
  std::string name_;
};

}  // namespace frazil::net
