#include "frazil/net/tcp_connection.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace frazil::net {
namespace {

/// Connects within the time; the error number otherwise.
int Connect(int socket, const addrinfo& address, int64_t timeout_ms) {
  const int flags = ::fcntl(socket, F_GETFL, 0);
  ::fcntl(socket, F_SETFL, flags | O_NONBLOCK);
  int failure = 0;
  if (::connect(socket, address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return errno;
    pollfd wait{socket, POLLOUT, 0};
    const int ready = ::poll(&wait, 1, static_cast<int>(timeout_ms));
    if (ready <= 0) return ready == 0 ? ETIMEDOUT : errno;
    socklen_t length = sizeof(failure);
    ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &failure, &length);
  }
  ::fcntl(socket, F_SETFL, flags);
  return failure;
}

}  // namespace

Result<std::unique_ptr<TcpConnection>> TcpConnection::Open(const std::string& host, int port, int64_t timeout_ms) {
  const std::string name = host + ":" + std::to_string(port);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int problem = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (problem != 0) return Error::Storage("Failed to connect to " + name + ": " + ::gai_strerror(problem));
  int failure = 0;
  for (addrinfo* address = found; address != nullptr; address = address->ai_next) {
    const int socket = ::socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC, address->ai_protocol);
    if (socket < 0) {
      failure = errno;
      continue;
    }
    failure = Connect(socket, *address, timeout_ms);
    if (failure == 0) {
      const timeval patience{static_cast<time_t>(timeout_ms / 1000),
                             static_cast<suseconds_t>(timeout_ms % 1000 * 1000)};
      ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
      ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
      const int on = 1;
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
      ::freeaddrinfo(found);
      return std::unique_ptr<TcpConnection>(new TcpConnection(socket, name));
    }
    ::close(socket);
  }
  ::freeaddrinfo(found);
  return Error::Storage("Failed to connect to " + name + ": " + std::strerror(failure));
}

TcpConnection::~TcpConnection() { ::close(socket_); }

Status TcpConnection::Send(std::string_view data) {
  while (!data.empty()) {
    const ssize_t count = ::send(socket_, data.data(), data.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Error::Storage("Failed to send to " + name_ + ": " + std::strerror(errno));
    data.remove_prefix(static_cast<size_t>(count));
  }
  return {};
}

Status TcpConnection::Receive(char* out, size_t length) {
  while (length > 0) {
    const ssize_t count = ::recv(socket_, out, length, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const bool timed_out = errno == EAGAIN || errno == EWOULDBLOCK;
      return Error::Storage("Failed to receive from " + name_ + ": " +
                            (timed_out ? "no answer in time" : std::strerror(errno)));
    }
    if (count == 0) return Error::Storage(name_ + " has closed the connection");
    out += count;
    length -= static_cast<size_t>(count);
  }
  return {};
}

}  // namespace frazil::net
