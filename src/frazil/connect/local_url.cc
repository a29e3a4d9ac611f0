#include <mutex>

#include "frazil/connect/local_url_internal.h"

namespace frazil::connect {
namespace {

std::mutex mutex;
std::string& Url() {
  static auto* url = new std::string;
  return *url;
}

}  // namespace

std::string LocalUrl() {
  const std::lock_guard lock(mutex);
  return Url();
}

void SetLocalUrl(const std::string& host, int port, const std::string& token) {
  // A server that listens everywhere is here too.
  std::string name = host == "0.0.0.0" || host.empty() ? "127.0.0.1" : host == "::" || host == "[::]" ? "[::1]" : host;
  if (name.find(':') != std::string::npos && name.front() != '[') name = "[" + name + "]";
  const std::lock_guard lock(mutex);
  Url() = "sc://" + name + ":" + std::to_string(port) + "/" + (token.empty() ? "" : ";token=" + token);
}

}  // namespace frazil::connect
