#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/net/http_client.h"
#include "frazil/storage/s3/s3_options.h"

namespace frazil::storage {

/// An object's place: s3://bucket/key (s3a, s3n too). The key may be empty: the bucket itself.
struct S3Location {
  std::string scheme;
  std::string bucket;
  std::string key;

  std::string ToString() const { return scheme + "://" + bucket + "/" + key; }
};

/// Error IllegalArgument where the path is none of S3 or names no bucket.
Result<S3Location> ParseS3Location(const std::string& path);

/// One request of S3's protocol.
struct S3Request {
  std::string method = "GET";
  S3Location location;
  std::vector<std::pair<std::string, std::string>> query;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string_view body;
  char* into = nullptr;
  size_t into_size = 0;
  bool writes_object = false;  ///< Takes the headers of S3Options::write_headers.
  bool reads_object = false;
  bool only_once = false;  ///< As HttpRequest::only_once: an answer depends on whether it came before.
};

/// Sends signed requests to S3 or a store that speaks its protocol, again and again as the options say.
/// https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
class S3Client {
 public:
  explicit S3Client(S3Options options);

  const S3Options& options() const { return options_; }

  /// The answer, whatever its status; an error where none came, no credentials were found, or the thread was
  /// interrupted.
  Result<net::RetriedResponse> Send(const S3Request& request);

  /// What an answer that is no success means. 404: NotFound of the path.
  Error ErrorOf(const S3Request& request, const net::HttpResponse& response);

  /// Send, and an error for what is no success.
  Result<net::HttpResponse> SendChecked(const S3Request& request);

 private:
  std::string UrlOf(const S3Request& request, const std::string& region) const;
  std::string RegionOf(const std::string& bucket);
  std::string EndpointText() const;

  S3Options options_;
  std::shared_ptr<net::HttpClient> http_;
  std::mutex mutex_;
  std::map<std::string, std::string> regions_;  ///< Of buckets that turned out to lie in another region.
};

}  // namespace frazil::storage
