#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "frazil/catalogs/rest/rest_table.h"
#include "frazil/net/aws/request_authority.h"

namespace frazil::catalogs {

/// How the files of one table are reached beyond what settings say: by keys that the service hands out and that end, or
/// by signatures that it makes for each request. Null where the settings are all. `settings`: the catalog's, with the
/// table's over them.
std::shared_ptr<net::aws::RequestAuthority> RestAuthorityOf(const std::shared_ptr<RestClient>& client,
                                                            const Identifier& identifier, const RestTableState& state,
                                                            const Settings& settings);

/// Has requests to S3 signed by the service, which alone has the keys.
/// https://github.com/apache/iceberg/blob/main/aws/src/main/resources/s3-signer-open-api.yaml
class RestSigner : public net::aws::RequestAuthority {
 public:
  /// `url`: where signatures are asked for.
  RestSigner(std::shared_ptr<RestClient> client, std::string url) : client_(std::move(client)), url_(std::move(url)) {}

  bool signs() const override { return true; }
  Result<net::aws::Credentials> Keys() override;
  bool Renew() override;
  Status Sign(const std::string& region, net::HttpRequest* request) override;

 private:
  /// A signature that the service allows to be used again.
  struct Signed {
    std::string url;
    std::vector<std::pair<std::string, std::string>> headers;
    int64_t until_micros = 0;
  };

  std::shared_ptr<RestClient> client_;
  std::string url_;
  std::mutex mutex_;
  std::map<std::string, Signed> signed_;
};

}  // namespace frazil::catalogs
