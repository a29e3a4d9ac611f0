#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frazil/net/http_client.h"
#include "frazil/storage/large_objects.h"
#include "frazil/storage/object_store.h"

namespace frazil::storage {

/// Files behind http and https URLs, to be read: single files, since HTTP knows no folders. Ranges are read where the
/// server gives them, else the file is kept whole. Redirects are followed. Errors name the URL without its query and
/// its user, which may be secrets; listing and writing are UNSUPPORTED_FEATURE.
class HttpStore : public ObjectStore {
 public:
  explicit HttpStore(net::HttpOptions options, net::RetryPolicy retry = {});

  Result<std::string> Read(const std::string& path) override;
  Result<std::unique_ptr<RangeReader>> Open(const std::string& path) override;
  Result<ObjectInfo> Stat(const std::string& path) override;
  Result<bool> Exists(const std::string& path) override;
  Result<std::vector<ObjectInfo>> List(const std::string& prefix, bool recursive) override;
  Status Write(const std::string& path, std::string_view data) override;
  Result<PutOutcome> WriteIfAbsent(const std::string& path, std::string_view data) override;
  Status Delete(const std::string& path) override;
  Status DeleteRecursively(const std::string& prefix) override;
  Status CreateFolder(const std::string& path) override;
  Status Rename(const std::string& from, const std::string& to) override;

 private:
  std::shared_ptr<net::HttpClient> http_;
  net::RetryPolicy retry_;
};

/// Registers "http" and "https".
void RegisterHttpStore(StoreRegistry* registry);

}  // namespace frazil::storage
