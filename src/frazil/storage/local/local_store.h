#pragma once

#include "frazil/storage/object_store.h"

namespace frazil::storage {

/// The local disk. Every write goes to a hidden file beside the target, is synced, and then gets its name: a reader
/// sees the whole object or none, also after a crash.
class LocalStore : public ObjectStore {
 public:
  Result<std::string> Read(const std::string& path) override;
  Result<std::unique_ptr<RangeReader>> Open(const std::string& path) override;
  Result<ObjectInfo> Stat(const std::string& path) override;
  Result<bool> Exists(const std::string& path) override;
  Result<std::vector<ObjectInfo>> List(const std::string& prefix, bool recursive) override;
  Status Write(const std::string& path, std::string_view data) override;
  Status WriteNew(const std::string& path, std::string_view data) override;
  Status WriteHint(const std::string& path, std::string_view data) override;
  Status Sync(const std::string& path) override;
  /// By link(2), which fails where the name exists; renameat2(RENAME_NOREPLACE) on file systems without hard links.
  /// Error of kind kUnknownCommit where the name may have been given but this is not certain.
  Result<PutOutcome> WriteIfAbsent(const std::string& path, std::string_view data) override;
  Status Delete(const std::string& path) override;
  Status DeleteRecursively(const std::string& prefix) override;
  Status CreateFolder(const std::string& path) override;
  Status Rename(const std::string& from, const std::string& to) override;
};

/// Registers the local disk for "" and "file".
void RegisterLocalStore(StoreRegistry* registry);

}  // namespace frazil::storage
