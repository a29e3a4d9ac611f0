#include "frazil/storage/http/http_store.h"

#include <cstring>
#include <utility>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/net/url.h"
#include "frazil/storage/interrupt.h"

namespace frazil::storage {
namespace {

constexpr int kRedirects = 10;

/// For messages: a query may be a signature, and a user comes with a password.
std::string Shown(const std::string& url) {
  std::string text = url.substr(0, url.find_first_of("?#"));
  const size_t host = text.find("://");
  const size_t at = text.rfind('@');
  if (host != std::string::npos && at != std::string::npos && at > host) text.erase(host + 3, at - host - 2);
  return text;
}

Error Refused(const std::string& what, const std::string& path) {
  return Error::Unsupported(what + " " + Shown(path) + ": files behind HTTP can only be read");
}

/// The address that a Location header means, from the one it was given for.
Result<std::string> Follow(const std::string& from, const std::string& location) {
  if (location.find("://") != std::string::npos) return location;
  FRAZIL_ASSIGN_OR_RETURN(auto url, net::ParseUrl(from));
  if (location.starts_with("//")) return url.scheme + ":" + location;
  const std::string root = url.scheme + "://" + url.host;
  if (location.starts_with('/')) return root + location;
  return root + url.path.substr(0, url.path.rfind('/') + 1) + location;
}

struct Range {
  int64_t offset = 0;
  int64_t length = 0;
  char* out = nullptr;
};

/// One request, with the redirects that answer it. `url` becomes the address that answered at last.
Result<net::HttpResponse> Ask(net::HttpClient& http, const net::RetryPolicy& retry, const std::string& method,
                              std::string* url, const Range* range = nullptr) {
  const std::string first = *url;
  for (int redirect = 0; redirect <= kRedirects; ++redirect) {
    auto make = [&] {
      net::HttpRequest request;
      request.method = method;
      request.url = *url;
      if (range != nullptr) {
        request.SetHeader("Range", "bytes=" + std::to_string(range->offset) + "-" +
                                       std::to_string(range->offset + range->length - 1));
        request.into = range->out;
        request.into_size = static_cast<size_t>(range->length);
      }
      return request;
    };
    auto sent = net::SendWithRetries(http, retry, /*repeatable=*/true, make, InterruptScope::Current());
    auto& response = sent.response;
    if (response.cancelled) return Error::Cancelled("Reading " + Shown(first) + " was interrupted");
    if (response.status == 0)
      return Error::Storage("Failed to " + method + " " + Shown(*url) + ": " + response.failure);
    if (response.status < 300 || response.status > 399 || response.status == 304) return std::move(response);
    const std::string* location = response.FindHeader("Location");
    if (location == nullptr) return std::move(response);
    FRAZIL_ASSIGN_OR_RETURN(*url, Follow(*url, *location));
    FRAZIL_RETURN_IF_ERROR(net::ParseUrl(*url).status());
  }
  return Error::Storage("Too many redirects from " + Shown(first));
}

Error ErrorOf(const std::string& path, const net::HttpResponse& response) {
  if (response.status == 404 || response.status == 410) return NotFound(Shown(path));
  const std::string status = std::to_string(response.status);
  if (response.status == 401 || response.status == 403)
    return Error::Storage("Access denied: " + Shown(path) + " was refused (" + status + ")");
  return Error::Storage("Failed to read " + Shown(path) + " (" + status + ")");
}

class WholeReader : public RangeReader {
 public:
  WholeReader(std::string path, std::string data) : path_(std::move(path)), data_(std::move(data)) {}
  int64_t size() const override { return static_cast<int64_t>(data_.size()); }
  Status ReadAt(int64_t offset, int64_t length, void* out) override {
    if (offset < 0 || length < 0 || offset + length > size())
      return Error::Storage(Shown(path_) + " ends in front of byte " + std::to_string(offset + length));
    if (length > 0) std::memcpy(out, data_.data() + offset, static_cast<size_t>(length));
    return {};
  }

 private:
  std::string path_;
  std::string data_;
};

class HttpReader : public RangeReader {
 public:
  HttpReader(std::shared_ptr<net::HttpClient> http, net::RetryPolicy retry, std::string path, int64_t size,
             std::string tag)
      : http_(std::move(http)), retry_(retry), path_(std::move(path)), size_(size), tag_(std::move(tag)) {}

  int64_t size() const override { return size_; }

  Status ReadAt(int64_t offset, int64_t length, void* out) override {
    if (length == 0) return {};
    const Range range{offset, length, static_cast<char*>(out)};
    std::string url = path_;
    FRAZIL_ASSIGN_OR_RETURN(const auto response, Ask(*http_, retry_, "GET", &url, &range));
    if (!response.ok()) return ErrorOf(path_, response);
    const std::string* tag = response.FindHeader("ETag");
    if (!tag_.empty() && tag != nullptr && *tag != tag_)
      return Error::Storage("The file " + Shown(path_) + " was replaced while it was read");
    // An answer with the whole file is that range only where it is all that was asked for.
    const bool whole = response.status == 200 && (offset != 0 || length != size_);
    if (whole || response.into_length != static_cast<size_t>(length)) {
      return Error::Storage("Wanted " + std::to_string(length) + " bytes at offset " + std::to_string(offset) + " of " +
                            Shown(path_) + ", got " + std::to_string(response.into_length));
    }
    return {};
  }

 private:
  std::shared_ptr<net::HttpClient> http_;
  net::RetryPolicy retry_;
  std::string path_;
  int64_t size_;
  std::string tag_;
};

}  // namespace

HttpStore::HttpStore(net::HttpOptions options, net::RetryPolicy retry)
    : http_(net::HttpClient::Shared(options)), retry_(retry) {}

Result<std::string> HttpStore::Read(const std::string& path) {
  std::string url = path;
  FRAZIL_ASSIGN_OR_RETURN(auto response, Ask(*http_, retry_, "GET", &url));
  if (!response.ok()) return ErrorOf(path, response);
  return std::move(response.body);
}

Result<std::unique_ptr<RangeReader>> HttpStore::Open(const std::string& path) {
  std::string url = path;
  FRAZIL_ASSIGN_OR_RETURN(auto response, Ask(*http_, retry_, "HEAD", &url));
  const std::string* length = response.FindHeader("Content-Length");
  const std::string* ranges = response.FindHeader("Accept-Ranges");
  const auto size = length == nullptr ? std::nullopt : ParseInteger<int64_t>(*length);
  if (response.ok() && size && ranges != nullptr && EqualsIgnoreCase(*ranges, "bytes")) {
    const std::string* tag = response.FindHeader("ETag");
    return std::unique_ptr<RangeReader>(
        std::make_unique<HttpReader>(http_, retry_, path, *size, tag == nullptr ? std::string() : *tag));
  }
  // A server may not give ranges, or not answer HEAD at all.
  if (!response.ok() && response.status != 405 && response.status != 501 && response.status != 403)
    return ErrorOf(path, response);
  FRAZIL_ASSIGN_OR_RETURN(auto data, Read(path));
  return std::unique_ptr<RangeReader>(std::make_unique<WholeReader>(path, std::move(data)));
}

Result<ObjectInfo> HttpStore::Stat(const std::string& path) {
  FRAZIL_ASSIGN_OR_RETURN(auto reader, Open(path));
  ObjectInfo info;
  info.path = path;
  info.size = reader->size();
  return info;
}

Result<bool> HttpStore::Exists(const std::string& path) {
  auto info = Stat(path);
  if (info.ok()) return true;
  if (IsNotFound(info.error())) return false;
  return std::move(info).error();
}

Result<std::vector<ObjectInfo>> HttpStore::List(const std::string& prefix, bool) {
  return Refused("listing the folder", prefix);
}
Status HttpStore::Write(const std::string& path, std::string_view) { return Refused("writing", path); }
Result<PutOutcome> HttpStore::WriteIfAbsent(const std::string& path, std::string_view) {
  return Refused("writing", path);
}
Status HttpStore::Delete(const std::string& path) { return Refused("deleting", path); }
Status HttpStore::DeleteRecursively(const std::string& prefix) { return Refused("deleting", prefix); }
Status HttpStore::CreateFolder(const std::string& path) { return Refused("making the folder", path); }
Status HttpStore::Rename(const std::string& from, const std::string&) { return Refused("renaming", from); }

void RegisterHttpStore(StoreRegistry* registry) {
  for (const char* scheme : {"http", "https"}) {
    registry->Register(scheme, [](const std::string& path, const SettingLookup&) -> Result<ObjectStorePtr> {
      FRAZIL_RETURN_IF_ERROR(net::ParseUrl(path).status());
      return ObjectStorePtr(std::make_shared<HttpStore>(net::HttpOptions{}));
    });
  }
}

}  // namespace frazil::storage
