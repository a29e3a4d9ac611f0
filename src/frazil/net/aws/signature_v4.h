#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "frazil/net/aws/credentials.h"
#include "frazil/net/http_client.h"

namespace frazil::net::aws {

/// What a signature is good for.
struct SigningScope {
  std::string region;
  std::string service;  ///< "s3", "glue", ...
};

struct SigningOptions {
  /// S3 signs the path as it is sent; the other services sign it encoded once more.
  bool encode_path_twice = true;
  /// Adds x-amz-content-sha256, which S3 wants.
  bool content_hash_header = false;
  /// The body is not part of the signature ("UNSIGNED-PAYLOAD"): for S3 over TLS.
  bool unsigned_payload = false;
};

/// Adds what AWS Signature Version 4 asks for: Host, X-Amz-Date, X-Amz-Security-Token, Authorization. All headers that
/// the request has by then are signed. Anonymous credentials: nothing is added.
/// https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html
Status SignRequest(const Credentials& credentials, const SigningScope& scope, const SigningOptions& options,
                   int64_t now_micros, HttpRequest* request);

/// Lower-case hexadecimal.
std::string Sha256Hex(std::string_view data);
/// Base64 of the MD5 sum: the header Content-MD5.
std::string Md5Base64(std::string_view data);

}  // namespace frazil::net::aws
