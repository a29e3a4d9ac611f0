#include "frazil/storage/memory/memory_store.h"

#include <cstring>
#include <set>

namespace frazil::storage {
namespace {

class MemoryReader : public RangeReader {
 public:
  MemoryReader(std::string path, std::shared_ptr<const std::string> data)
      : path_(std::move(path)), data_(std::move(data)) {}
  int64_t size() const override { return static_cast<int64_t>(data_->size()); }
  Status ReadAt(int64_t offset, int64_t length, void* out) override {
    if (offset < 0 || length < 0 || offset + length > size()) return Error::Storage("Reached the end of " + path_);
    std::memcpy(out, data_->data() + offset, static_cast<size_t>(length));
    return {};
  }

 private:
  std::string path_;
  std::shared_ptr<const std::string> data_;
};

std::string FolderPrefix(const std::string& prefix) {
  return prefix.empty() || prefix.back() == '/' ? prefix : prefix + "/";
}

}  // namespace

void MemoryStore::SetFaultBefore(Fault fault) {
  std::lock_guard lock(mutex_);
  before_ = std::move(fault);
}

void MemoryStore::SetFaultAfter(Fault fault) {
  std::lock_guard lock(mutex_);
  after_ = std::move(fault);
}

std::vector<std::string> MemoryStore::Paths() const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> result;
  for (const auto& [path, object] : objects_) result.push_back(path);
  return result;
}

Status MemoryStore::Before(StoreAction action, const std::string& path) const {
  Fault fault;
  {
    std::lock_guard lock(mutex_);
    fault = before_;
  }
  return fault ? fault(action, path) : Status();
}

Status MemoryStore::After(StoreAction action, const std::string& path) const {
  Fault fault;
  {
    std::lock_guard lock(mutex_);
    fault = after_;
  }
  return fault ? fault(action, path) : Status();
}

Result<std::string> MemoryStore::Read(const std::string& path) {
  FRAZIL_RETURN_IF_ERROR(Before(StoreAction::kRead, path));
  std::lock_guard lock(mutex_);
  auto found = objects_.find(path);
  if (found == objects_.end()) return NotFound(path);
  return *found->second.data;
}

Result<std::unique_ptr<RangeReader>> MemoryStore::Open(const std::string& path) {
  FRAZIL_RETURN_IF_ERROR(Before(StoreAction::kRead, path));
  std::lock_guard lock(mutex_);
  auto found = objects_.find(path);
  if (found == objects_.end()) return NotFound(path);
  return std::unique_ptr<RangeReader>(std::make_unique<MemoryReader>(path, found->second.data));
}

Result<ObjectInfo> MemoryStore::Stat(const std::string& path) {
  FRAZIL_RETURN_IF_ERROR(Before(StoreAction::kStat, path));
  std::lock_guard lock(mutex_);
  auto found = objects_.find(path);
  if (found != objects_.end()) {
    return ObjectInfo{path, static_cast<int64_t>(found->second.data->size()), found->second.modified_micros, false};
  }
  std::string folder = FolderPrefix(path);
  auto below = objects_.lower_bound(folder);
  if (below != objects_.end() && below->first.starts_with(folder)) return ObjectInfo{path, 0, 0, true};
  return NotFound(path);
}

Result<bool> MemoryStore::Exists(const std::string& path) {
  auto info = Stat(path);
  if (info.ok()) return true;
  if (IsNotFound(info.error())) return false;
  return std::move(info).error();
}

Result<std::vector<ObjectInfo>> MemoryStore::List(const std::string& prefix, bool recursive) {
  FRAZIL_RETURN_IF_ERROR(Before(StoreAction::kList, prefix));
  std::lock_guard lock(mutex_);
  std::string folder = FolderPrefix(prefix);
  std::vector<ObjectInfo> result;
  std::set<std::string> folders;
  for (auto it = objects_.lower_bound(folder); it != objects_.end() && it->first.starts_with(folder); ++it) {
    size_t slash = it->first.find('/', folder.size());
    if (!recursive && slash != std::string::npos) {
      std::string name = it->first.substr(0, slash);
      if (folders.insert(name).second) result.push_back(ObjectInfo{name, 0, 0, true});
    } else {
      result.push_back(
          ObjectInfo{it->first, static_cast<int64_t>(it->second.data->size()), it->second.modified_micros, false});
    }
  }
  return result;
}

Status MemoryStore::Write(const std::string& path, std::string_view data) {
  FRAZIL_RETURN_IF_ERROR(Before(StoreAction::kWrite, path));
  {
    std::lock_guard lock(mutex_);
    objects_[path] = Object{std::make_shared<const std::string>(data), ++clock_};
  }
  return After(StoreAction::kWrite, path);
}

Result<PutOutcome> MemoryStore::WriteIfAbsent(const std::string& path, std::string_view data) {
  FRAZIL_RETURN_IF_ERROR(Before(StoreAction::kWriteIfAbsent, path));
  {
    std::lock_guard lock(mutex_);
    if (objects_.count(path) != 0) return PutOutcome::kAlreadyExists;
    objects_[path] = Object{std::make_shared<const std::string>(data), ++clock_};
  }
  FRAZIL_RETURN_IF_ERROR(After(StoreAction::kWriteIfAbsent, path));
  return PutOutcome::kWritten;
}

Status MemoryStore::Delete(const std::string& path) {
  FRAZIL_RETURN_IF_ERROR(Before(StoreAction::kDelete, path));
  {
    std::lock_guard lock(mutex_);
    objects_.erase(path);
  }
  return After(StoreAction::kDelete, path);
}

Status MemoryStore::DeleteRecursively(const std::string& prefix) {
  FRAZIL_RETURN_IF_ERROR(Before(StoreAction::kDelete, prefix));
  std::lock_guard lock(mutex_);
  std::string folder = FolderPrefix(prefix);
  auto it = objects_.lower_bound(folder);
  while (it != objects_.end() && it->first.starts_with(folder)) it = objects_.erase(it);
  objects_.erase(prefix);
  return {};
}

Status MemoryStore::CreateFolder(const std::string&) { return {}; }

Status MemoryStore::Rename(const std::string& from, const std::string& to) {
  FRAZIL_RETURN_IF_ERROR(Before(StoreAction::kRename, from));
  std::lock_guard lock(mutex_);
  auto found = objects_.find(from);
  std::string folder = FolderPrefix(from);
  if (found != objects_.end()) {
    objects_[to] = std::move(found->second);
    objects_.erase(from);
    return {};
  }
  std::map<std::string, Object> moved;
  auto it = objects_.lower_bound(folder);
  while (it != objects_.end() && it->first.starts_with(folder)) {
    moved[FolderPrefix(to) + it->first.substr(folder.size())] = std::move(it->second);
    it = objects_.erase(it);
  }
  if (moved.empty()) return NotFound(from);
  for (auto& [path, object] : moved) objects_[path] = std::move(object);
  return {};
}

}  // namespace frazil::storage
