#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "frazil/base/result.h"

namespace frazil::net::aws {

/// Keys of AWS, or of a service that speaks its protocols.
struct Credentials {
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token;
  int64_t expires_at_micros = 0;  ///< 0: never.
  bool anonymous = false;         ///< Requests are not signed.
  std::string origin;             ///< Where they come from, for errors: "setting s3.access-key-id".

  /// For errors: the key's id and its origin, never a secret.
  std::string Describe() const;
};

/// Gives credentials that are good now; may fetch and keep them. Thread-safe.
using CredentialsProvider = std::function<Result<Credentials>()>;

/// Always these.
CredentialsProvider StaticCredentials(Credentials credentials);

/// Environment variables and the files that AWS's own tools read; replaced in tests.
struct AmbientSources {
  std::function<std::optional<std::string>(const char*)> environment;            ///< Null: the process's own.
  std::function<std::optional<std::string>(const std::string& path)> read_file;  ///< Null: the local disk.
};

/// AWS's default chain: AWS_ACCESS_KEY_ID; a web identity token (AWS_WEB_IDENTITY_TOKEN_FILE with AWS_ROLE_ARN); the
/// profile AWS_PROFILE of ~/.aws/credentials and ~/.aws/config; the container's endpoint
/// (AWS_CONTAINER_CREDENTIALS_*_URI); the instance's. Fetched ones are kept until five minutes before their end. Error:
/// names all that was looked for. `profile` empty: AWS_PROFILE or "default".
/// https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html
CredentialsProvider DefaultCredentials(std::string profile = {}, AmbientSources sources = {});

/// AWS_REGION, AWS_DEFAULT_REGION, or the profile's; nullopt where none says it.
std::optional<std::string> DefaultRegion(const std::string& profile = {}, const AmbientSources& sources = {});

}  // namespace frazil::net::aws
