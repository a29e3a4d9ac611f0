#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/catalogs/json_members.h"
#include "frazil/net/http_client.h"

namespace frazil::catalogs {

/// An answer of Unity Catalog.
struct UnityAnswer {
  int status = 0;
  Json body;                     ///< Null where there is none, or it is no JSON.
  bool earlier_unknown = false;  ///< An attempt before this answer may have had its effect.
  bool ok() const { return status >= 200 && status < 300; }
};

/// Speaks the open-source Unity Catalog's REST protocol, signed in by a token. Thread-safe.
/// https://github.com/unitycatalog/unitycatalog/blob/main/api/all.yaml
class UnityClient {
 public:
  /// `uri`: of the service, without the path of its API.
  static Result<std::shared_ptr<UnityClient>> Make(const std::string& catalog_name, const Settings& settings);

  /// `path` begins with '/' behind /api/2.1/unity-catalog, and is encoded. `repeatable`: doing it twice is doing it
  /// once.
  Result<UnityAnswer> Send(const std::string& method, const std::string& path, const Json* body, bool repeatable);
  /// All pages of a list: `member` of each answer, together. `path` has a query already.
  Result<std::vector<Json>> List(const std::string& path, const char* member);
  /// What an answer means that no caller knows better.
  Error ErrorOf(const std::string& method, const std::string& path, const UnityAnswer& answer) const;

 private:
  UnityClient() = default;

  std::string base_, token_;
  std::shared_ptr<net::HttpClient> http_;
};

}  // namespace frazil::catalogs
