#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frazil/storage/cloud/cloud_location.h"
#include "frazil/storage/large_objects.h"
#include "frazil/storage/object_store.h"

namespace arrow::fs {
class FileSystem;
}

namespace frazil::storage {

/// A store of one of Arrow's file systems: Google Cloud Storage or Azure. Arrow tries requests again by itself and
/// cannot be interrupted in one. It has no conditional write: WriteIfAbsent is refused, so that tables whose commits
/// need one (Delta, Iceberg in a folder) cannot be written there, while a catalog's can.
class ArrowStore : public ObjectStore, public LargeObjects {
 public:
  /// `host`: Azure's account, that all paths must have; empty for Google. `credential`: what errors say of it, without
  /// a secret.
  ArrowStore(std::shared_ptr<arrow::fs::FileSystem> files, std::string host, std::string credential);

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
  Result<CloudLocation> Locate(const std::string& path) const;
  Error ErrorOf(const std::string& what, const std::string& path, const std::string& message) const;

  std::shared_ptr<arrow::fs::FileSystem> files_;
  std::string host_;
  std::string credential_;
};

}  // namespace frazil::storage
