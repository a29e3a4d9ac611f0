#include "frazil/engine/changed_files.h"

#include <array>
#include <parquet_file_metadata_cache.hpp>
#include <sys/stat.h>

#include <duckdb/main/database.hpp>
#include <duckdb/storage/external_file_cache.hpp>
#include <duckdb/storage/object_cache.hpp>

#include "frazil/storage/object_store.h"

namespace frazil::engine {
namespace {

// Which file a path named when it was planned last. The time of the last change of the inode is in it, which no program
// can set back.
class FileIdentity : public duckdb::ObjectCacheEntry {
 public:
  explicit FileIdentity(const struct stat& found)
      : parts_{static_cast<int64_t>(found.st_dev),
               static_cast<int64_t>(found.st_ino),
               found.st_size,
               found.st_mtim.tv_sec,
               found.st_mtim.tv_nsec,
               found.st_ctim.tv_sec,
               found.st_ctim.tv_nsec} {}

  bool operator==(const FileIdentity& other) const { return parts_ == other.parts_; }

  static std::string ObjectType() { return "frazil_file_identity"; }
  std::string GetObjectType() override { return ObjectType(); }
  duckdb::optional_idx GetEstimatedCacheMemory() const override { return sizeof(FileIdentity) + 128; }

 private:
  std::array<int64_t, 7> parts_;
};

}  // namespace

void ForgetChangedFiles(duckdb::ClientContext& client, const tables::ScanPlan& plan) {
  auto& objects = duckdb::ObjectCache::GetObjectCache(client);
  auto& ranges = duckdb::ExternalFileCache::Get(client);
  for (const auto& file : plan.files) {
    if (file.record_count >= 0) continue;
    const std::string path = storage::LocalPath(file.path);
    struct stat found {};
    if (!path.starts_with('/') || stat(path.c_str(), &found) != 0) continue;
    // What is noted is never younger than what the caches will hold: a change in between is found the next time.
    auto identity = duckdb::make_shared_ptr<FileIdentity>(found);
    const auto known = objects.GetWithTypePrefix<FileIdentity>(path);
    if (known != nullptr && *known == *identity) continue;
    objects.DeleteWithTypePrefix<duckdb::ParquetFileMetadataCache>(path);
    const auto cached = ranges.GetOrCreateCachedFile(path);
    auto guard = cached->lock.GetExclusiveLock();
    cached->Ranges(guard).clear();
    guard.reset();
    objects.PutWithTypePrefix<FileIdentity>(path, std::move(identity));
  }
}

}  // namespace frazil::engine
