#include "frazil/storage/cloud/cloud_location.h"

#include "frazil/storage/object_store.h"

namespace frazil::storage {

Result<CloudLocation> ParseCloudLocation(const std::string& path) {
  CloudLocation location;
  location.scheme = SchemeOf(path);
  const bool google = location.scheme == "gs";
  auto malformed = [&] {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "Wanted " +
                            std::string(google ? "gs://BUCKET/KEY"
                                               : location.scheme + "://CONTAINER@ACCOUNT.dfs.core.windows.net/KEY") +
                            ", got " + path);
  };
  const size_t start = location.scheme.size() + 3;
  if (path.compare(location.scheme.size(), 3, "://") != 0) return malformed();
  const size_t slash = std::min(path.find('/', start), path.size());
  const std::string authority = path.substr(start, slash - start);
  const size_t at = authority.find('@');
  location.container = authority.substr(0, google ? std::string::npos : std::min(at, authority.size()));
  if (!google) {
    if (at == std::string::npos) return malformed();
    location.host = authority.substr(at + 1);
    if (location.Account().empty()) return malformed();
  } else if (at != std::string::npos) {
    return malformed();
  }
  if (location.container.empty()) return malformed();
  location.root = path.substr(0, slash);
  size_t first = slash;
  size_t last = path.size();
  while (first < last && path[first] == '/') ++first;
  while (last > first && path[last - 1] == '/') --last;
  location.key = path.substr(first, last - first);
  return location;
}

}  // namespace frazil::storage
