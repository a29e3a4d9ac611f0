#pragma once

#include <map>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "frazil/base/result.h"
#include "frazil/net/aws/credentials.h"
#include "frazil/net/http_client.h"

namespace frazil::catalogs {

/// An answer of a service of AWS that speaks JSON.
struct AwsAnswer {
  int status = 0;
  nlohmann::json body;
  std::string error;  ///< "EntityNotFoundException", ...
  std::string message;
  bool earlier_unknown = false;  ///< An attempt before this answer may have had its effect.
  bool ok() const { return status >= 200 && status < 300; }
};

/// Calls operations of a service of AWS by its JSON protocol, signed. Thread-safe.
/// https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html
class AwsJsonClient {
 public:
  struct Service {
    std::string name;             ///< "glue", "dynamodb": in signatures, and the host without an endpoint.
    std::string target;           ///< "AWSGlue", "DynamoDB_20120810".
    std::string version = "1.1";  ///< Of the protocol.
  };

  /// `settings` of a catalog: NAME.endpoint, client.region, client.access-key-id, ...
  AwsJsonClient(Service service, const std::map<std::string, std::string>& settings);

  /// `repeatable`: doing it twice is doing it once. An error where no answer came; for what is not repeatable and may
  /// have had its effect, of kind kUnknownCommit.
  Result<AwsAnswer> Call(const std::string& operation, const nlohmann::json& body, bool repeatable);
  /// What an answer means that no caller knows better; says who was refused.
  Error ErrorOf(const std::string& operation, const AwsAnswer& answer) const;

 private:
  Service service_;
  std::string endpoint_;
  std::string region_;
  net::aws::CredentialsProvider credentials_;
  std::shared_ptr<net::HttpClient> http_;
};

}  // namespace frazil::catalogs
