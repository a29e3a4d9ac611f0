#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "frazil/storage/object_store.h"

namespace frazil::storage {

/// What a store is asked to do; for faults.
enum class StoreAction { kRead, kStat, kList, kWrite, kWriteIfAbsent, kDelete, kRename };

/// A store that lives in memory: for tests. Faults can be put in front of and behind every action.
class MemoryStore : public ObjectStore {
 public:
  /// Called before an action; an error makes the action fail without effect.
  using Fault = std::function<Status(StoreAction action, const std::string& path)>;

  Result<std::string> Read(const std::string& path) override;
  Result<std::unique_ptr<RangeReader>> Open(const std::string& path) override;
  Result<ObjectInfo> Stat(const std::string& path) override;
  Result<bool> Exists(const std::string& path) override;
  Result<std::vector<ObjectInfo>> List(const std::string& prefix, bool recursive) override;
  Status Write(const std::string& path, std::string_view data) override;
  Result<PutOutcome> WriteIfAbsent(const std::string& path, std::string_view data) override;
  Status Delete(const std::string& path) override;
  Status DeleteRecursively(const std::string& prefix) override;
  Status CreateFolder(const std::string& path) override;
  Status Rename(const std::string& from, const std::string& to) override;

  void SetFaultBefore(Fault fault);
  /// The action has its effect, and then fails all the same: a lost answer.
  void SetFaultAfter(Fault fault);
  /// Paths of all objects, sorted.
  std::vector<std::string> Paths() const;

 private:
  struct Object {
    std::shared_ptr<const std::string> data;
    int64_t modified_micros = 0;
  };
  Status Before(StoreAction action, const std::string& path) const;
  Status After(StoreAction action, const std::string& path) const;

  mutable std::mutex mutex_;
  std::map<std::string, Object> objects_;
  int64_t clock_ = 0;
  Fault before_;
  Fault after_;
};

}  // namespace frazil::storage
