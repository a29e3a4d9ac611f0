#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "frazil/tables/iceberg/manifest_reader.h"

namespace frazil::tables::iceberg {

/// Parsed manifests and manifest lists by path, least recently used ones out first. The files never change, so nothing
/// in it gets old. Shared by all sessions; thread-safe.
class ManifestCache {
 public:
  explicit ManifestCache(size_t max_bytes = 128 << 20) : max_bytes_(max_bytes) {}

  using Lists = std::shared_ptr<const std::vector<ManifestFile>>;
  ManifestEntries FindEntries(const std::string& path);
  Lists FindList(const std::string& path);
  void Put(const std::string& path, ManifestEntries entries, size_t bytes);
  void Put(const std::string& path, Lists list, size_t bytes);

 private:
  struct Item {
    std::string path;
    ManifestEntries entries;
    Lists list;
    size_t bytes = 0;
  };
  const Item* Touch(const std::string& path);
  void Insert(Item item);

  const size_t max_bytes_;
  std::mutex mutex_;
  std::list<Item> items_;  ///< Most recently used first.
  std::unordered_map<std::string, std::list<Item>::iterator> by_path_;
  size_t bytes_ = 0;
};

}  // namespace frazil::tables::iceberg
