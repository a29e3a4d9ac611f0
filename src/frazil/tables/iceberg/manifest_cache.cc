#include "frazil/tables/iceberg/manifest_cache.h"

namespace frazil::tables::iceberg {

const ManifestCache::Item* ManifestCache::Touch(const std::string& path) {
  auto found = by_path_.find(path);
  if (found == by_path_.end()) return nullptr;
  items_.splice(items_.begin(), items_, found->second);
  return &*found->second;
}

ManifestEntries ManifestCache::FindEntries(const std::string& path) {
  std::lock_guard lock(mutex_);
  const Item* item = Touch(path);
  return item == nullptr ? nullptr : item->entries;
}

ManifestCache::Lists ManifestCache::FindList(const std::string& path) {
  std::lock_guard lock(mutex_);
  const Item* item = Touch(path);
  return item == nullptr ? nullptr : item->list;
}

void ManifestCache::Put(const std::string& path, ManifestEntries entries, size_t bytes) {
  Insert(Item{path, std::move(entries), nullptr, bytes});
}

void ManifestCache::Put(const std::string& path, Lists list, size_t bytes) {
  Insert(Item{path, nullptr, std::move(list), bytes});
}

void ManifestCache::Insert(Item item) {
  if (item.bytes > max_bytes_) return;
  std::lock_guard lock(mutex_);
  auto found = by_path_.find(item.path);
  if (found != by_path_.end()) {
    bytes_ -= found->second->bytes;
    items_.erase(found->second);
    by_path_.erase(found);
  }
  bytes_ += item.bytes;
  items_.push_front(std::move(item));
  by_path_[items_.front().path] = items_.begin();
  while (bytes_ > max_bytes_) {
    bytes_ -= items_.back().bytes;
    by_path_.erase(items_.back().path);
    items_.pop_back();
  }
}

}  // namespace frazil::tables::iceberg
