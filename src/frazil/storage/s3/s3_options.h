#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/net/aws/credentials.h"
#include "frazil/net/aws/request_authority.h"
#include "frazil/net/http_client.h"
#include "frazil/storage/object_store.h"

namespace frazil::storage {

/// How a bucket is reached.
struct S3Options {
  std::string endpoint;  ///< "http://localhost:9000", without a slash at the end; empty: AWS's of the region.
  std::string region;
  bool path_style = false;  ///< The bucket in the path instead of in front of the host.
  net::aws::CredentialsProvider credentials;
  std::shared_ptr<net::aws::RequestAuthority> authority;  ///< Null: the credentials are all.
  net::HttpOptions http;
  net::RetryPolicy retry;
  int64_t part_size = 32LL * 1024 * 1024;  ///< Of uploads in parts; S3 wants at least 5 MiB.
  bool bulk_delete = true;                 ///< Some stores have no request for it.
  /// Added to all requests (requester pays), and to those that make objects (encryption, access lists).
  std::vector<std::pair<std::string, std::string>> all_headers, write_headers, read_headers;
  /// Equal for equal options; no secret can be read from it.
  std::string fingerprint;
};

/// Reads the settings of a bucket: of a catalog by Iceberg's names (s3.*, client.*), then of the session by Hadoop's
/// (spark.hadoop.fs.s3a.bucket.BUCKET.*, spark.hadoop.fs.s3a.*, both without "spark.hadoop." too), then the environment
/// and the profile files. Errors: IllegalArgument for what cannot be obeyed.
/// https://iceberg.apache.org/docs/latest/aws/#s3-fileio
/// https://hadoop.apache.org/docs/stable/hadoop-aws/tools/hadoop-aws/index.html
Result<S3Options> ReadS3Options(const std::string& bucket, const SettingLookup& settings);

}  // namespace frazil::storage
