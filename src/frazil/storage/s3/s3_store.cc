#include "frazil/storage/s3/s3_store.h"

#include <algorithm>
#include <ctime>
#include <future>
#include <map>
#include <mutex>
#include <optional>

#include "frazil/base/byte_text.h"
#include "frazil/base/integer_text.h"
#include "frazil/net/aws/signature_v4.h"
#include "frazil/net/url.h"
#include "frazil/net/xml.h"
#include "frazil/storage/interrupt.h"
#include "frazil/storage/s3/s3_upload.h"
#include "frazil/storage/versioned_reader.h"

namespace frazil::storage {
namespace {

constexpr int64_t kRangeSize = 8 * 1024 * 1024;  // Longer reads are cut into ranges of this size ...
constexpr size_t kRangesUnderWay = 8;            // ... of which so many are under way.
constexpr size_t kBatch = 1000;                  // Most keys of one request to delete.

/// "Wed, 12 Oct 2009 17:50:00 GMT" or "2009-10-12T17:50:30.000Z"; 0 where it is neither.
int64_t MicrosOf(const std::string& text) {
  struct tm parts {};
  if (strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S", &parts) != nullptr)
    return static_cast<int64_t>(timegm(&parts)) * 1000000;
  parts = {};
  const char* rest = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (rest == nullptr) return 0;
  int64_t micros = static_cast<int64_t>(timegm(&parts)) * 1000000;
  if (*rest == '.') {
    int64_t unit = 100000;
    for (const char* digit = rest + 1; *digit >= '0' && *digit <= '9' && unit > 0; ++digit, unit /= 10)
      micros += (*digit - '0') * unit;
  }
  return micros;
}

int64_t LengthOf(const net::HttpResponse& response) {
  const auto* length = response.FindHeader("Content-Length");
  return length == nullptr ? -1 : ParseInteger<int64_t>(*length).value_or(-1);
}

ObjectVersion VersionOf(const net::HttpResponse& response) {
  ObjectVersion version;
  if (const auto* tag = response.FindHeader("ETag")) version.tag = *tag;
  if (const auto* modified = response.FindHeader("Last-Modified")) version.modified_micros = MicrosOf(*modified);
  return version;
}

class S3Reader : public RangeReader, public VersionedReader {
 public:
  /// `version`: what the object must be still; nullopt: what the first answer says.
  S3Reader(std::shared_ptr<S3Client> client, S3Location location, int64_t size, std::optional<ObjectVersion> version)
      : client_(std::move(client)), location_(std::move(location)), size_(size), version_(std::move(version)) {}

  Result<ObjectVersion> Version() override {
    if (const auto known = Known()) return *known;
    S3Request request;
    request.method = "HEAD";
    request.location = location_;
    request.reads_object = true;
    FRAZIL_ASSIGN_OR_RETURN(const auto response, client_->SendChecked(request));
    if (LengthOf(response) != size_)
      return Error::Storage("The object " + location_.ToString() + " was replaced since it was listed");
    return Learn(VersionOf(response));
  }

  int64_t size() const override { return size_; }

  Status ReadAt(int64_t offset, int64_t length, void* out) override {
    if (length == 0) return {};
    if (offset < 0 || length < 0 || offset + length > size_)
      return Error::Storage("Reached the end of " + location_.ToString() + " at offset " + std::to_string(size_));
    auto* target = static_cast<char*>(out);
    if (length < 2 * kRangeSize) return ReadRange(offset, length, target);
    std::vector<std::future<Status>> under_way;
    Status first;
    auto wait_for_one = [&] {
      Status read = under_way.front().get();
      under_way.erase(under_way.begin());
      if (first.ok() && !read.ok()) first = std::move(read);
    };
    const auto interrupted = InterruptScope::Current();
    for (int64_t done = 0; done < length && first.ok(); done += kRangeSize) {
      if (under_way.size() >= kRangesUnderWay) wait_for_one();
      const int64_t part = std::min(kRangeSize, length - done);
      under_way.push_back(std::async(std::launch::async, [=, this] {
        InterruptScope scope(interrupted);
        return ReadRange(offset + done, part, target + done);
      }));
    }
    while (!under_way.empty()) wait_for_one();
    return first;
  }

 private:
  std::optional<ObjectVersion> Known() {
    std::lock_guard lock(mutex_);
    return version_;
  }
  /// The first one to be learned stays.
  ObjectVersion Learn(ObjectVersion version) {
    std::lock_guard lock(mutex_);
    if (!version_) version_ = std::move(version);
    return *version_;
  }

  Status ReadRange(int64_t offset, int64_t length, char* out) {
    S3Request request;
    request.location = location_;
    request.headers = {{"Range", "bytes=" + std::to_string(offset) + "-" + std::to_string(offset + length - 1)}};
    const auto known = Known();
    if (known && !known->tag.empty()) request.headers.emplace_back("If-Match", known->tag);
    request.reads_object = true;
    request.into = out;
    request.into_size = static_cast<size_t>(length);
    FRAZIL_ASSIGN_OR_RETURN(auto sent, client_->Send(request));
    const auto& response = sent.response;
    if (response.status == 412)
      return Error::Storage("The object " + location_.ToString() + " was replaced while it was read");
    if (!response.ok()) return client_->ErrorOf(request, response);
    const auto version = Learn(VersionOf(response));
    if (!known && version.tag != VersionOf(response).tag)
      return Error::Storage("The object " + location_.ToString() + " was replaced while it was read");
    // A store that knows no ranges answers with the whole object.
    const bool whole = response.status == 200 && offset != 0;
    if (whole || response.into_length != request.into_size) {
      return Error::Storage("Wanted " + std::to_string(length) + " bytes at offset " + std::to_string(offset) + " of " +
                            location_.ToString() + ", got " + std::to_string(response.into_length));
    }
    return {};
  }

  std::shared_ptr<S3Client> client_;
  S3Location location_;
  int64_t size_;
  std::mutex mutex_;
  std::optional<ObjectVersion> version_;
};

S3Location FolderOfLocation(S3Location location) {
  if (!location.key.empty() && !location.key.ends_with('/')) location.key += '/';
  return location;
}

}  // namespace

S3Store::S3Store(S3Options options) : client_(std::make_shared<S3Client>(std::move(options))) {}

Result<std::string> S3Store::Read(const std::string& path) {
  S3Request request;
  FRAZIL_ASSIGN_OR_RETURN(request.location, ParseS3Location(path));
  request.reads_object = true;
  FRAZIL_ASSIGN_OR_RETURN(auto response, client_->SendChecked(request));
  return std::move(response.body);
}

Result<std::unique_ptr<RangeReader>> S3Store::Open(const std::string& path) {
  S3Request request;
  request.method = "HEAD";
  FRAZIL_ASSIGN_OR_RETURN(request.location, ParseS3Location(path));
  request.reads_object = true;
  FRAZIL_ASSIGN_OR_RETURN(auto response, client_->SendChecked(request));
  const int64_t size = LengthOf(response);
  if (size < 0) return Error::Storage("The store does not say how long " + path + " is");
  return std::unique_ptr<RangeReader>(std::make_unique<S3Reader>(client_, request.location, size, VersionOf(response)));
}

Result<std::unique_ptr<RangeReader>> S3Store::OpenSized(const std::string& path, int64_t size) {
  FRAZIL_ASSIGN_OR_RETURN(auto location, ParseS3Location(path));
  return std::unique_ptr<RangeReader>(std::make_unique<S3Reader>(client_, std::move(location), size, std::nullopt));
}

Result<bool> S3Store::HasObject(const std::string& path) {
  S3Request request;
  request.method = "HEAD";
  FRAZIL_ASSIGN_OR_RETURN(request.location, ParseS3Location(path));
  request.reads_object = true;
  FRAZIL_ASSIGN_OR_RETURN(auto sent, client_->Send(request));
  if (sent.response.ok()) return true;
  if (sent.response.status == 404) return false;
  return client_->ErrorOf(request, sent.response);
}

Result<ObjectInfo> S3Store::Stat(const std::string& path) {
  S3Request request;
  request.method = "HEAD";
  FRAZIL_ASSIGN_OR_RETURN(request.location, ParseS3Location(path));
  request.reads_object = true;
  ObjectInfo info;
  info.path = path;
  const bool names_folder = request.location.key.empty() || request.location.key.ends_with('/');
  if (!names_folder) {
    FRAZIL_ASSIGN_OR_RETURN(auto sent, client_->Send(request));
    const auto& response = sent.response;
    if (response.ok()) {
      info.size = LengthOf(response);
      const auto* modified = response.FindHeader("Last-Modified");
      if (modified != nullptr) info.modified_micros = MicrosOf(*modified);
      return info;
    }
    if (response.status != 404) return client_->ErrorOf(request, response);
  }
  FRAZIL_ASSIGN_OR_RETURN(auto listing, ListPages(FolderOfLocation(request.location), true, true, 1));
  if (!listing.any && !request.location.key.empty()) return NotFound(path);
  info.is_directory = true;
  return info;
}

Result<bool> S3Store::Exists(const std::string& path) {
  auto info = Stat(path);
  if (info.ok()) return true;
  if (IsNotFound(info.error())) return false;
  return std::move(info).error();
}

Result<S3Store::Listing> S3Store::ListPages(const S3Location& folder, bool recursive, bool with_marks, int limit) {
  Listing listing;
  const std::string base = folder.scheme + "://" + folder.bucket + "/";
  std::string token;
  while (true) {
    S3Request request;
    request.location = folder;
    request.location.key.clear();
    request.query = {{"list-type", "2"}, {"encoding-type", "url"}, {"prefix", folder.key}};
    if (!recursive) request.query.emplace_back("delimiter", "/");
    if (limit > 0) request.query.emplace_back("max-keys", std::to_string(limit));
    if (!token.empty()) request.query.emplace_back("continuation-token", token);
    FRAZIL_ASSIGN_OR_RETURN(auto response, client_->SendChecked(request));
    FRAZIL_ASSIGN_OR_RETURN(auto document, net::ParseXml(response.body));
    const bool encoded = document.TextOf("EncodingType") == "url";
    auto key_of = [&](const std::string& text) {
      if (!encoded) return text;
      std::string spaced = text;
      std::replace(spaced.begin(), spaced.end(), '+', ' ');
      return PercentDecode(spaced);
    };
    for (const auto& element : document.children) {
      const bool is_folder = element.name == "CommonPrefixes";
      if (!is_folder && element.name != "Contents") continue;
      listing.any = true;
      std::string key = key_of(element.TextOf(is_folder ? "Prefix" : "Key"));
      ObjectInfo info;
      if (is_folder) {
        if (key.ends_with('/')) key.pop_back();
        info.is_directory = true;
      } else {
        if (key.ends_with('/') && !with_marks) continue;
        info.size = ParseInteger<int64_t>(element.TextOf("Size")).value_or(0);
        info.modified_micros = MicrosOf(element.TextOf("LastModified"));
      }
      info.path = base + key;
      listing.objects.push_back(std::move(info));
    }
    token = document.TextOf("NextContinuationToken");
    if (limit > 0 || document.TextOf("IsTruncated") != "true" || token.empty()) return listing;
  }
}

Result<std::vector<ObjectInfo>> S3Store::List(const std::string& prefix, bool recursive) {
  FRAZIL_ASSIGN_OR_RETURN(auto location, ParseS3Location(prefix));
  FRAZIL_ASSIGN_OR_RETURN(auto listing, ListPages(FolderOfLocation(std::move(location)), recursive, false, 0));
  return std::move(listing.objects);
}

Status S3Store::Write(const std::string& path, std::string_view data) {
  FRAZIL_ASSIGN_OR_RETURN(auto location, ParseS3Location(path));
  if (static_cast<int64_t>(data.size()) <= client_->options().part_size) return PutObject(*client_, location, data);
  S3Upload upload(client_, std::move(location));
  FRAZIL_RETURN_IF_ERROR(upload.Append(data));
  return upload.Finish();
}

Result<std::unique_ptr<ObjectWriter>> S3Store::StartWrite(const std::string& path) {
  FRAZIL_ASSIGN_OR_RETURN(auto location, ParseS3Location(path));
  return std::unique_ptr<ObjectWriter>(std::make_unique<S3Upload>(client_, std::move(location)));
}

Result<PutOutcome> S3Store::WriteIfAbsent(const std::string& path, std::string_view data) {
  S3Request request;
  request.method = "PUT";
  FRAZIL_ASSIGN_OR_RETURN(request.location, ParseS3Location(path));
  request.headers = {{"If-None-Match", "*"}};
  request.only_once = true;
  request.body = data;
  request.writes_object = true;
  FRAZIL_ASSIGN_OR_RETURN(auto sent, client_->Send(request));
  if (sent.response.ok()) return PutOutcome::kWritten;
  if (sent.response.status == 412) {
    if (!sent.earlier_unknown) return PutOutcome::kAlreadyExists;
    // An attempt of ours whose answer was lost may have written it.
    FRAZIL_ASSIGN_OR_RETURN(auto there, Read(path));
    return there == data ? PutOutcome::kWritten : PutOutcome::kAlreadyExists;
  }
  if (sent.response.status == 501) {
    return Error::Storage("The store has no conditional PUT (If-None-Match), without which commits to " + path +
                          " would overwrite each other: use a catalog that keeps the tables' pointers");
  }
  return client_->ErrorOf(request, sent.response);
}

Status S3Store::Delete(const std::string& path) {
  S3Request request;
  request.method = "DELETE";
  FRAZIL_ASSIGN_OR_RETURN(request.location, ParseS3Location(path));
  FRAZIL_ASSIGN_OR_RETURN(auto sent, client_->Send(request));
  if (sent.response.ok() || sent.response.status == 404) return {};
  return client_->ErrorOf(request, sent.response);
}

Result<std::vector<std::string>> S3Store::DeleteBatch(const std::vector<S3Location>& batch) {
  std::string body = "<Delete><Quiet>true</Quiet>";
  for (const auto& location : batch) body += "<Object><Key>" + net::EscapeXml(location.key) + "</Key></Object>";
  body += "</Delete>";
  S3Request request;
  request.method = "POST";
  request.location = batch[0];
  request.location.key.clear();
  request.query = {{"delete", ""}};
  request.headers = {{"Content-MD5", net::aws::Md5Base64(body)}, {"Content-Type", "application/xml"}};
  request.body = body;
  FRAZIL_ASSIGN_OR_RETURN(auto response, client_->SendChecked(request));
  FRAZIL_ASSIGN_OR_RETURN(auto document, net::ParseXml(response.body));
  std::vector<std::string> problems;
  for (const auto& element : document.children) {
    if (element.name != "Error" || element.TextOf("Code") == "NoSuchKey") continue;
    problems.push_back(element.TextOf("Key") + " (" + element.TextOf("Code") + ": " + element.TextOf("Message") + ")");
  }
  return problems;
}

Status S3Store::DeleteLocations(const std::vector<S3Location>& locations) {
  Status first;
  auto note = [&](Status status) {
    if (first.ok() && !status.ok()) first = std::move(status);
  };
  for (size_t start = 0; start < locations.size();) {
    std::vector<S3Location> batch;
    // One request is for one bucket.
    while (start < locations.size() && batch.size() < kBatch &&
           (batch.empty() || locations[start].bucket == batch[0].bucket))
      batch.push_back(locations[start++]);
    if (batch.size() == 1 || !client_->options().bulk_delete) {
      for (const auto& location : batch) note(Delete(location.ToString()));
      continue;
    }
    auto problems = DeleteBatch(batch);
    if (!problems.ok()) {
      note(problems.status());
    } else if (!problems->empty()) {
      note(Error::Storage("Failed to delete " + std::to_string(problems->size()) + " objects in " + batch[0].bucket +
                          ", the first is " + problems->front()));
    }
  }
  return first;
}

Status S3Store::DeleteAll(const std::vector<std::string>& paths) {
  std::vector<S3Location> locations;
  for (const auto& path : paths) {
    FRAZIL_ASSIGN_OR_RETURN(auto location, ParseS3Location(path));
    locations.push_back(std::move(location));
  }
  return DeleteLocations(locations);
}

Status S3Store::DeleteRecursively(const std::string& prefix) {
  FRAZIL_ASSIGN_OR_RETURN(auto location, ParseS3Location(prefix));
  if (location.key.empty()) return Error::Storage("Will not delete a whole bucket: " + location.ToString());
  FRAZIL_ASSIGN_OR_RETURN(auto listing, ListPages(FolderOfLocation(location), true, true, 0));
  std::vector<S3Location> locations;
  for (const auto& object : listing.objects) {
    S3Location found = location;
    found.key = object.path.substr((location.scheme + "://" + location.bucket + "/").size());
    locations.push_back(std::move(found));
  }
  return DeleteLocations(locations);
}

Status S3Store::CreateFolder(const std::string& path) {
  FRAZIL_ASSIGN_OR_RETURN(auto location, ParseS3Location(path));
  if (location.key.empty()) return {};
  return PutObject(*client_, FolderOfLocation(std::move(location)), "");
}

Status S3Store::Rename(const std::string& from, const std::string& to) {
  FRAZIL_ASSIGN_OR_RETURN(auto source, ParseS3Location(from));
  S3Request request;
  request.method = "PUT";
  FRAZIL_ASSIGN_OR_RETURN(request.location, ParseS3Location(to));
  request.headers = {{"x-amz-copy-source", "/" + source.bucket + "/" + net::PercentEncode(source.key, true)}};
  request.writes_object = true;
  FRAZIL_ASSIGN_OR_RETURN(auto sent, client_->Send(request));
  if (sent.response.status == 404) {
    FRAZIL_ASSIGN_OR_RETURN(auto info, Stat(from));
    if (info.is_directory) return Error::Unsupported("renaming folders of S3");
    return NotFound(from);
  }
  if (!sent.response.ok() || sent.response.body.find("<Error") != std::string::npos)
    return client_->ErrorOf(request, sent.response);
  return Delete(from);
}

void RegisterS3Store(StoreRegistry* registry) {
  struct Stores {
    std::mutex mutex;
    std::map<std::string, std::weak_ptr<S3Store>> by_options;
    std::vector<std::shared_ptr<S3Store>> recent;  ///< Kept a while, so that statement after statement finds them.
  };
  auto stores = std::make_shared<Stores>();
  auto make = [stores](const std::string& path, const SettingLookup& settings) -> Result<ObjectStorePtr> {
    FRAZIL_ASSIGN_OR_RETURN(auto location, ParseS3Location(path));
    FRAZIL_ASSIGN_OR_RETURN(auto options, ReadS3Options(location.bucket, settings));
    std::lock_guard lock(stores->mutex);
    auto& known = stores->by_options[options.fingerprint];
    auto store = known.lock();
    if (store == nullptr) {
      store = std::make_shared<S3Store>(std::move(options));
      known = store;
      stores->recent.push_back(store);
      if (stores->recent.size() > 32) stores->recent.erase(stores->recent.begin());
      if (stores->by_options.size() > 1000)
        std::erase_if(stores->by_options, [](const auto& entry) { return entry.second.expired(); });
    }
    return ObjectStorePtr(store);
  };
  for (const char* scheme : {"s3", "s3a", "s3n"}) registry->Register(scheme, make);
}

}  // namespace frazil::storage
