#include "frazil/storage/s3/s3_options.h"

#include <algorithm>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/net/aws/signature_v4.h"
#include "frazil/net/url.h"

namespace frazil::storage {
namespace {

/// A setting's value and the name under which it was found.
struct Found {
  std::string value;
  std::string key;
};

class Reader {
 public:
  Reader(const std::string& bucket, const SettingLookup& settings) : bucket_(bucket), settings_(settings) {}

  /// By any of Iceberg's names, then by Hadoop's (without "fs.s3a.").
  std::optional<Found> Find(std::initializer_list<const char*> iceberg, const char* hadoop) const {
    for (const char* key : iceberg) {
      if (auto value = Get(key)) return Found{*value, key};
    }
    if (hadoop == nullptr) return std::nullopt;
    for (const std::string& scope : {"fs.s3a.bucket." + bucket_ + ".", std::string("fs.s3a.")}) {
      for (const char* prefix : {"hadoop.", "spark.hadoop.", ""}) {
        const std::string key = prefix + scope + hadoop;
        if (auto value = Get(key)) return Found{*value, key};
      }
    }
    return std::nullopt;
  }

  std::string Text(std::initializer_list<const char*> iceberg, const char* hadoop, std::string otherwise = {}) const {
    auto found = Find(iceberg, hadoop);
    return found ? found->value : std::move(otherwise);
  }

  Result<bool> Flag(std::initializer_list<const char*> iceberg, const char* hadoop, bool otherwise) const {
    auto found = Find(iceberg, hadoop);
    if (!found) return otherwise;
    if (EqualsIgnoreCase(found->value, "true")) return true;
    if (EqualsIgnoreCase(found->value, "false")) return false;
    return Bad(*found, "true or false");
  }

  /// A number; with a unit (K, M, G, T; binary) where `bytes`.
  Result<int64_t> Number(std::initializer_list<const char*> iceberg, const char* hadoop, int64_t otherwise,
                         bool bytes = false) const {
    auto found = Find(iceberg, hadoop);
    if (!found) return otherwise;
    std::string_view text = TrimBlanks(found->value);
    int64_t factor = 1;
    if (bytes && !text.empty()) {
      const size_t unit = std::string_view("KMGT").find(AsciiUpper(text.substr(text.size() - 1)));
      if (unit != std::string_view::npos) {
        for (size_t i = 0; i <= unit; ++i) factor *= 1024;
        text.remove_suffix(1);
      }
    }
    auto number = ParseInteger<int64_t>(text);
    if (!number || *number < 0 || *number > (int64_t{1} << 50) / factor) return Bad(*found, "a number");
    return *number * factor;
  }

  static Error Bad(const Found& found, const std::string& wanted) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "The setting " + found.key + " must be " + wanted + ", not '" + found.value + "'");
  }

 private:
  std::optional<std::string> Get(const std::string& key) const {
    auto value = settings_ ? settings_(key) : std::nullopt;
    return value && !value->empty() ? value : std::nullopt;
  }

  const std::string& bucket_;
  const SettingLookup& settings_;
};

/// Sets options.credentials; adds what tells them apart to `distinct`.
Status ReadCredentials(const Reader& reader, S3Options* options, std::string* distinct) {
  const auto provider =
      reader.Find({"s3.credentials-provider", "client.credentials-provider"}, "aws.credentials.provider");
  if (provider && provider->value.find("Anonymous") != std::string::npos) {
    net::aws::Credentials anonymous;
    anonymous.anonymous = true;
    anonymous.origin = "setting " + provider->key;
    options->credentials = net::aws::StaticCredentials(std::move(anonymous));
    *distinct += "anonymous\n";
    return {};
  }
  auto key = reader.Find({"s3.access-key-id", "client.access-key-id"}, "access.key");
  auto secret = reader.Find({"s3.secret-access-key", "client.secret-access-key"}, "secret.key");
  if (key.has_value() != secret.has_value()) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        key ? "The setting " + key->key + " needs the secret key beside it"
                            : "The setting " + secret->key + " needs the access key's id beside it");
  }
  if (key) {
    net::aws::Credentials keys;
    keys.access_key_id = key->value;
    keys.secret_access_key = secret->value;
    keys.session_token = reader.Text({"s3.session-token", "client.session-token"}, "session.token");
    keys.origin = "setting " + key->key;
    *distinct += keys.access_key_id + "\n" + keys.secret_access_key + "\n" + keys.session_token + "\n" + keys.origin;
    options->credentials = net::aws::StaticCredentials(std::move(keys));
    return {};
  }
  const std::string profile = reader.Text({"s3.profile-name", "client.profile-name"}, nullptr);
  options->credentials = net::aws::DefaultCredentials(profile);
  *distinct += "default " + profile;
  return {};
}

/// Who else signs or gives keys. Adds what tells it apart to `distinct`.
Status ReadAuthority(const Reader& reader, S3Options* options, std::string* distinct) {
  const std::string name = reader.Text({net::aws::kAuthoritySetting}, nullptr);
  if (!name.empty()) options->authority = net::aws::FindAuthority(name);
  if (options->authority == nullptr) {
    // The keys that the requests would be signed with are not those that the service means.
    FRAZIL_ASSIGN_OR_RETURN(const bool remote_signing, reader.Flag({"s3.remote-signing-enabled"}, nullptr, false));
    if (remote_signing) return Error::Unsupported("s3.remote-signing-enabled without a catalog of type rest");
    return {};
  }
  *distinct += "authority " + name;
  if (options->authority->signs()) {
    net::aws::Credentials none;
    none.anonymous = true;
    none.origin = "setting s3.remote-signing-enabled";
    options->credentials = net::aws::StaticCredentials(std::move(none));
  } else {
    options->credentials = [authority = options->authority] { return authority->Keys(); };
  }
  return {};
}

Status ReadEncryption(const Reader& reader, S3Options* options) {
  const auto kind = reader.Find({"s3.sse.type"}, "encryption.algorithm");
  if (!kind || EqualsIgnoreCase(kind->value, "none")) return {};
  const std::string key = reader.Text({"s3.sse.key"}, "encryption.key");
  auto& headers = options->write_headers;
  const std::string name = AsciiLower(kind->value);
  if (name == "s3" || name == "aes256") {
    headers.emplace_back("x-amz-server-side-encryption", "AES256");
  } else if (name == "kms" || name == "sse-kms" || name == "dsse-kms") {
    headers.emplace_back("x-amz-server-side-encryption", name == "dsse-kms" ? "aws:kms:dsse" : "aws:kms");
    if (!key.empty()) headers.emplace_back("x-amz-server-side-encryption-aws-kms-key-id", key);
  } else if (name == "custom" || name == "sse-c") {
    const std::string sum = reader.Text({"s3.sse.md5"}, nullptr);
    std::vector<std::pair<std::string, std::string>> own = {
        {"x-amz-server-side-encryption-customer-algorithm", "AES256"},
        {"x-amz-server-side-encryption-customer-key", key},
        {"x-amz-server-side-encryption-customer-key-md5", sum}};
    headers.insert(headers.end(), own.begin(), own.end());
    options->read_headers = std::move(own);
  } else {
    return Reader::Bad(*kind, "none, s3, kms or custom");
  }
  return {};
}

/// Whether a bucket's name can stand in front of the host.
bool IsNumericHost(std::string_view host) {
  host = host.substr(0, host.rfind(':'));
  return host == "localhost" || host.starts_with('[') ||
         (!host.empty() && host.find_first_not_of("0123456789.") == std::string_view::npos);
}

}  // namespace

Result<S3Options> ReadS3Options(const std::string& bucket, const SettingLookup& settings) {
  const Reader reader(bucket, settings);
  S3Options options;
  std::string distinct;

  FRAZIL_ASSIGN_OR_RETURN(const bool encrypted, reader.Flag({}, "connection.ssl.enabled", true));
  std::string endpoint = reader.Text({"s3.endpoint"}, "endpoint");
  if (endpoint == "s3.amazonaws.com") endpoint.clear();
  if (!endpoint.empty()) {
    if (endpoint.find("://") == std::string::npos) endpoint = (encrypted ? "https://" : "http://") + endpoint;
    FRAZIL_ASSIGN_OR_RETURN(auto url, net::ParseUrl(endpoint));
    options.endpoint = url.scheme + "://" + url.host + (url.path == "/" ? "" : url.path);
    while (options.endpoint.ends_with('/')) options.endpoint.pop_back();
    options.path_style = IsNumericHost(url.host);
  }
  FRAZIL_ASSIGN_OR_RETURN(options.path_style,
                          reader.Flag({"s3.path-style-access"}, "path.style.access", options.path_style));
  const std::string profile = reader.Text({"s3.profile-name", "client.profile-name"}, nullptr);
  options.region = reader.Text({"client.region", "s3.region"}, "endpoint.region");
  if (options.region.empty()) options.region = net::aws::DefaultRegion(profile).value_or("us-east-1");

  FRAZIL_RETURN_IF_ERROR(ReadAuthority(reader, &options, &distinct));
  if (options.authority == nullptr) FRAZIL_RETURN_IF_ERROR(ReadCredentials(reader, &options, &distinct));
  FRAZIL_RETURN_IF_ERROR(ReadEncryption(reader, &options));
  FRAZIL_ASSIGN_OR_RETURN(const bool pays, reader.Flag({"s3.requester-pays"}, "requester.pays.enabled", false));
  if (pays) options.all_headers.emplace_back("x-amz-request-payer", "requester");
  if (auto access = reader.Find({"s3.acl"}, "acl.default")) {
    // Hadoop writes BucketOwnerFullControl for bucket-owner-full-control.
    std::string value;
    for (char c : access->value) {
      if (c >= 'A' && c <= 'Z' && !value.empty()) value += '-';
      value += c;
    }
    options.write_headers.emplace_back("x-amz-acl", AsciiLower(value));
  }
  FRAZIL_ASSIGN_OR_RETURN(options.part_size, reader.Number({"s3.multipart.part-size-bytes"}, "multipart.size",
                                                           options.part_size, /*bytes=*/true));
  options.part_size = std::max<int64_t>(options.part_size, 5 * 1024 * 1024);
  FRAZIL_ASSIGN_OR_RETURN(options.bulk_delete, reader.Flag({}, "multiobjectdelete.enable", true));
  FRAZIL_ASSIGN_OR_RETURN(const int64_t retries,
                          reader.Number({"s3.retry.num-retries"}, "attempts.maximum", options.retry.attempts - 1));
  options.retry.attempts = static_cast<int>(std::min<int64_t>(retries, 100)) + 1;
  FRAZIL_ASSIGN_OR_RETURN(options.retry.first_wait_ms,
                          reader.Number({"s3.retry.min-wait-ms"}, nullptr, options.retry.first_wait_ms));
  FRAZIL_ASSIGN_OR_RETURN(options.retry.longest_wait_ms,
                          reader.Number({"s3.retry.max-wait-ms"}, nullptr, options.retry.longest_wait_ms));
  options.retry.first_wait_ms = std::max<int64_t>(options.retry.first_wait_ms, 1);
  FRAZIL_ASSIGN_OR_RETURN(
      options.http.connect_timeout_ms,
      reader.Number({"http-client.apache.connection-timeout-ms", "http-client.urlconnection.connection-timeout-ms"},
                    nullptr, options.http.connect_timeout_ms));
  FRAZIL_ASSIGN_OR_RETURN(options.http.stall_timeout_ms, reader.Number({"http-client.apache.socket-timeout-ms",
                                                                        "http-client.urlconnection.socket-timeout-ms"},
                                                                       nullptr, options.http.stall_timeout_ms));

  for (const auto& text : {options.endpoint, options.region, std::string(options.path_style ? "path" : "host"),
                           std::to_string(options.part_size), std::to_string(options.bulk_delete)})
    distinct += "\n" + text;
  for (const int64_t number :
       {static_cast<int64_t>(options.retry.attempts), options.retry.first_wait_ms, options.retry.longest_wait_ms,
        options.http.connect_timeout_ms, options.http.stall_timeout_ms})
    distinct += "\n" + std::to_string(number);
  for (const auto* headers : {&options.all_headers, &options.write_headers}) {
    for (const auto& [name, value] : *headers) distinct += "\n" + name + ":" + value;
  }
  options.fingerprint = net::aws::Sha256Hex(distinct);
  return options;
}

}  // namespace frazil::storage
