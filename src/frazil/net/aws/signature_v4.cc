#include "frazil/net/aws/signature_v4.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "frazil/base/byte_text.h"
#include "frazil/base/text.h"
#include "frazil/net/url.h"

namespace frazil::net::aws {
namespace {

using Digest = std::array<unsigned char, 32>;

Digest Sha256(std::string_view data) {
  Digest digest{};
  EVP_Digest(data.data(), data.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  return digest;
}

std::string_view View(const Digest& digest) { return {reinterpret_cast<const char*>(digest.data()), digest.size()}; }

Digest Hmac(std::string_view key, std::string_view data) {
  Digest digest{};
  unsigned int length = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(data.data()),
       data.size(), digest.data(), &length);
  return digest;
}

/// "20150830T123600Z".
std::string DateText(int64_t now_micros) {
  const auto seconds = static_cast<time_t>(now_micros / 1000000);
  struct tm parts {};
  gmtime_r(&seconds, &parts);
  char text[20];
  std::strftime(text, sizeof(text), "%Y%m%dT%H%M%SZ", &parts);
  return text;
}

/// Trimmed, with one blank for each run of blanks.
std::string CanonicalValue(std::string_view value) {
  std::string result;
  for (char c : TrimBlanks(value)) {
    if (c == ' ' && !result.empty() && result.back() == ' ') continue;
    result += c;
  }
  return result;
}

/// Parameters sorted by encoded name and value.
std::string CanonicalQuery(const std::string& query) {
  if (query.empty()) return {};
  std::vector<std::pair<std::string, std::string>> parameters;
  for (const auto& part : Split(query, '&')) {
    if (part.empty()) continue;
    const size_t equals = part.find('=');
    const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
    parameters.emplace_back(PercentEncode(PercentDecode(part.substr(0, equals))), PercentEncode(PercentDecode(value)));
  }
  std::sort(parameters.begin(), parameters.end());
  std::string result;
  for (const auto& [name, value] : parameters) result += (result.empty() ? "" : "&") + name + "=" + value;
  return result;
}

}  // namespace

std::string Sha256Hex(std::string_view data) { return HexLower(View(Sha256(data))); }

std::string Md5Base64(std::string_view data) {
  unsigned char digest[16];
  EVP_Digest(data.data(), data.size(), digest, nullptr, EVP_md5(), nullptr);
  return Base64Encode({reinterpret_cast<const char*>(digest), sizeof(digest)});
}

Status SignRequest(const Credentials& credentials, const SigningScope& scope, const SigningOptions& options,
                   int64_t now_micros, HttpRequest* request) {
  if (credentials.anonymous) return {};
  FRAZIL_ASSIGN_OR_RETURN(const Url url, ParseUrl(request->url));
  const std::string date = DateText(now_micros);
  const std::string payload = options.unsigned_payload ? "UNSIGNED-PAYLOAD" : Sha256Hex(request->body);
  request->SetHeader("Host", url.host);
  request->SetHeader("X-Amz-Date", date);
  if (options.content_hash_header) request->SetHeader("X-Amz-Content-Sha256", payload);
  if (!credentials.session_token.empty()) request->SetHeader("X-Amz-Security-Token", credentials.session_token);

  std::vector<std::pair<std::string, std::string>> headers;
  for (const auto& [name, value] : request->headers) headers.emplace_back(AsciiLower(name), CanonicalValue(value));
  std::sort(headers.begin(), headers.end());
  std::string canonical_headers, signed_headers;
  for (const auto& [name, value] : headers) {
    canonical_headers += name + ":" + value + "\n";
    signed_headers += (signed_headers.empty() ? "" : ";") + name;
  }
  const std::string path = options.encode_path_twice ? PercentEncode(url.path, true) : url.path;
  const std::string canonical = request->method + "\n" + path + "\n" + CanonicalQuery(url.query) + "\n" +
                                canonical_headers + "\n" + signed_headers + "\n" + payload;
  const std::string day = date.substr(0, 8);
  const std::string range = day + "/" + scope.region + "/" + scope.service + "/aws4_request";
  const std::string to_sign = "AWS4-HMAC-SHA256\n" + date + "\n" + range + "\n" + Sha256Hex(canonical);

  Digest key = Hmac("AWS4" + credentials.secret_access_key, day);
  key = Hmac(View(key), scope.region);
  key = Hmac(View(key), scope.service);
  key = Hmac(View(key), "aws4_request");
  request->SetHeader("Authorization", "AWS4-HMAC-SHA256 Credential=" + credentials.access_key_id + "/" + range +
                                          ", SignedHeaders=" + signed_headers +
                                          ", Signature=" + HexLower(View(Hmac(View(key), to_sign))));
  return {};
}

}  // namespace frazil::net::aws
