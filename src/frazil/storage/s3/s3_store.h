#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frazil/storage/large_objects.h"
#include "frazil/storage/object_store.h"
#include "frazil/storage/s3/s3_client.h"

namespace frazil::storage {

/// S3 and stores that speak its protocol. Folders are the parts of keys in front of a '/'; an empty one is kept by an
/// object "folder/", as Hadoop's S3A does. WriteIfAbsent is a PUT with "If-None-Match: *".
class S3Store : public ObjectStore, public LargeObjects {
 public:
  explicit S3Store(S3Options options);

  Result<std::string> Read(const std::string& path) override;
  Result<std::unique_ptr<RangeReader>> Open(const std::string& path) override;
  Result<std::unique_ptr<RangeReader>> OpenSized(const std::string& path, int64_t size) override;
  Result<bool> HasObject(const std::string& path) override;
  Result<ObjectInfo> Stat(const std::string& path) override;
  Result<bool> Exists(const std::string& path) override;
  Result<std::vector<ObjectInfo>> List(const std::string& prefix, bool recursive) override;
  Status Write(const std::string& path, std::string_view data) override;
  Result<std::unique_ptr<ObjectWriter>> StartWrite(const std::string& path) override;
  Result<PutOutcome> WriteIfAbsent(const std::string& path, std::string_view data) override;
  Status Delete(const std::string& path) override;
  Status DeleteAll(const std::vector<std::string>& paths) override;
  Status DeleteRecursively(const std::string& prefix) override;
  Status CreateFolder(const std::string& path) override;
  /// One object, by a copy that the store makes itself; folders: Unsupported.
  Status Rename(const std::string& from, const std::string& to) override;

 private:
  struct Listing {
    std::vector<ObjectInfo> objects;
    bool any = false;  ///< Whether there is anything at all, folder marks too.
  };
  /// `limit` 0: all of it.
  Result<Listing> ListPages(const S3Location& folder, bool recursive, bool with_marks, int limit);
  Result<std::vector<std::string>> DeleteBatch(const std::vector<S3Location>& batch);
  Status DeleteLocations(const std::vector<S3Location>& locations);

  std::shared_ptr<S3Client> client_;
};

/// Registers "s3", "s3a" and "s3n". Stores of equal options share their connections.
void RegisterS3Store(StoreRegistry* registry);

}  // namespace frazil::storage
