#include "frazil/net/aws/request_authority.h"

#include <map>
#include <mutex>

namespace frazil::net::aws {
namespace {

struct Authorities {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<RequestAuthority>> by_name;
  uint64_t last = 0;
};

/// Never destroyed: threads may still read while the process ends.
Authorities& All() {
  static auto& all = *new Authorities();
  return all;
}

}  // namespace

std::string RegisterAuthority(const std::shared_ptr<RequestAuthority>& authority) {
  Authorities& all = All();
  std::lock_guard lock(all.mutex);
  if (all.by_name.size() >= 256) std::erase_if(all.by_name, [](const auto& entry) { return entry.second.expired(); });
  const std::string name = std::to_string(++all.last);
  all.by_name[name] = authority;
  return name;
}

std::shared_ptr<RequestAuthority> FindAuthority(const std::string& name) {
  Authorities& all = All();
  std::lock_guard lock(all.mutex);
  const auto found = all.by_name.find(name);
  return found == all.by_name.end() ? nullptr : found->second.lock();
}

}  // namespace frazil::net::aws
