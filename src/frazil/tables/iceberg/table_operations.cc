#include "frazil/tables/iceberg/table_operations.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "frazil/base/clock.h"
#include "frazil/base/logging.h"
#include "frazil/base/text.h"
#include "frazil/codec/avro_file.h"
#include "frazil/codec/deflate.h"
#include "frazil/storage/large_objects.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/metadata_update.h"
#include "frazil/tables/iceberg/path_commit_point.h"
#include "frazil/tables/metadata_text.h"

namespace frazil::tables::iceberg {
namespace {

std::string WithoutEndSlash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

/// Memory that parsed entries take, roughly.
size_t Weight(const std::vector<ManifestEntry>& entries) {
  size_t bytes = 256;
  for (const auto& entry : entries) {
    const DataFile& file = *entry.file;
    bytes += sizeof(ManifestEntry) + sizeof(DataFile) + file.path.size() + file.partition.size() * sizeof(Value);
    bytes +=
        (file.column_sizes.size() + file.value_counts.size() + file.null_counts.size() + file.nan_counts.size()) * 16;
    bytes += (file.lower_bounds.size() + file.upper_bounds.size()) * (sizeof(BoundsById::value_type) + 8);
  }
  return bytes;
}

/// Whether the property write.metadata.compression-codec asks for compressed metadata files.
Result<bool> WantsGzip(const TableMetadata& metadata) {
  const auto codec = metadata.properties.find("write.metadata.compression-codec");
  if (codec == metadata.properties.end() || EqualsIgnoreCase(codec->second, "none")) return false;
  if (EqualsIgnoreCase(codec->second, "gzip")) return true;
  return IllegalArgument("Invalid codec name: " + codec->second);
}

Error CommitFailed(const std::string& name) {
  Error error = Error::Plain(ExceptionClass::kSpark,
                             "org.apache.iceberg.exceptions.CommitFailedException: Cannot commit changes to " + name +
                                 " because other commits came first");
  error.kind = ErrorKind::kConflict;
  return error;
}

}  // namespace

std::shared_ptr<std::mutex> SharedState::CommitLock(const std::string& location) {
  std::lock_guard lock(mutex_);
  std::weak_ptr<std::mutex>& known = locks_[location];
  std::shared_ptr<std::mutex> result = known.lock();
  if (result == nullptr) {
    // Locks of tables that nobody commits to any more are cleared out now and then.
    if (locks_.size() > 1000)
      std::erase_if(locks_, [&](const auto& entry) { return entry.first != location && entry.second.expired(); });
    result = std::make_shared<std::mutex>();
    locks_[location] = result;
  }
  return result;
}

RetryPolicy RetryPolicy::Of(const TableMetadata& metadata) {
  RetryPolicy policy;
  policy.retries = metadata.PropertyAsLong("commit.retry.num-retries", 4);
  policy.min_wait_ms = metadata.PropertyAsLong("commit.retry.min-wait-ms", 100);
  policy.max_wait_ms = metadata.PropertyAsLong("commit.retry.max-wait-ms", 60000);
  policy.total_ms = metadata.PropertyAsLong("commit.retry.total-timeout-ms", 1800000);
  return policy;
}

TableOperations::TableOperations(TableContext context, CommitPointPtr commit_point, std::shared_ptr<SharedState> shared)
    : context_(std::move(context)), commit_point_(std::move(commit_point)), shared_(std::move(shared)) {}

Result<ColumnarFilesPtr> TableOperations::files() const {
  if (shared_->files == nullptr) return Error::Internal("there is no engine for position delete files");
  return shared_->files;
}

std::string TableOperations::MetadataPath(const TableMetadata& metadata, const std::string& name) {
  auto own = metadata.properties.find("write.metadata.path");
  if (own != metadata.properties.end()) return storage::JoinPath(WithoutEndSlash(own->second), name);
  return storage::JoinPath(storage::JoinPath(metadata.location, "metadata"), name);
}

std::string TableOperations::DataLocation(const TableMetadata& metadata) {
  for (const char* key : {"write.data.path", "write.folder-storage.path"}) {
    auto own = metadata.properties.find(key);
    if (own != metadata.properties.end()) return WithoutEndSlash(own->second);
  }
  return storage::JoinPath(metadata.location, "data");
}

std::optional<std::string> TableOperations::HeldMetadata(const std::string& location) const {
  auto* holder = dynamic_cast<MetadataHolder*>(commit_point_.get());
  return holder == nullptr ? std::nullopt : holder->MetadataText(location);
}

Result<TableMetadataPtr> TableOperations::ReadMetadata(const std::string& location) const {
  if (auto known = HeldMetadata(location)) return ParseTableMetadata(*known, location);
  // Compressed or not by its first bytes, not by its name: that has ".gz" in one of two places, or not at all.
  FRAZIL_ASSIGN_OR_RETURN(std::string bytes, store().Read(location));
  FRAZIL_ASSIGN_OR_RETURN(std::string text, codec::GunzipIfGzip(std::move(bytes)));
  return ParseTableMetadata(text, location);
}

Result<TableMetadataPtr> TableOperations::Load() const {
  FRAZIL_ASSIGN_OR_RETURN(auto location, commit_point_->Current());
  if (!location) return TableMetadataPtr();
  return ReadMetadata(*location);
}

Result<std::shared_ptr<const std::vector<ManifestFile>>> TableOperations::ReadManifests(
    const TableMetadata& metadata, const Snapshot& snapshot) const {
  if (snapshot.key_id) return Error::Unsupported("encrypted Iceberg tables");
  if (!snapshot.manifest_list.empty()) {
    if (auto cached = shared_->manifests.FindList(snapshot.manifest_list)) return cached;
    FRAZIL_ASSIGN_OR_RETURN(std::string data, store().Read(snapshot.manifest_list));
    size_t weight = data.size() * 4;
    FRAZIL_ASSIGN_OR_RETURN(auto list, ReadManifestList(std::move(data), snapshot.manifest_list));
    auto shared = std::make_shared<const std::vector<ManifestFile>>(std::move(list));
    shared_->manifests.Put(snapshot.manifest_list, shared, weight);
    return shared;
  }
  // v1 without a list: the manifests say themselves which spec they have and what is in them.
  std::vector<ManifestFile> list;
  for (const auto& path : snapshot.manifests) {
    ManifestFile manifest;
    manifest.path = path;
    manifest.added_snapshot_id = snapshot.snapshot_id;
    FRAZIL_ASSIGN_OR_RETURN(std::string data, store().Read(path));
    manifest.length = static_cast<int64_t>(data.size());
    FRAZIL_ASSIGN_OR_RETURN(auto reader, codec::AvroFileReader::Open(data, path));
    auto spec_id = reader.metadata().find("partition-spec-id");
    if (spec_id != reader.metadata().end()) manifest.spec_id = static_cast<int32_t>(std::atoi(spec_id->second.c_str()));
    const PartitionSpec* spec = metadata.FindSpec(manifest.spec_id);
    if (spec == nullptr) return Validation("Cannot find partition spec " + std::to_string(manifest.spec_id));
    FRAZIL_ASSIGN_OR_RETURN(auto entries, ReadManifest(std::move(data), manifest, *spec));
    manifest.added_files = manifest.existing_files = manifest.deleted_files = 0;
    manifest.added_rows = manifest.existing_rows = manifest.deleted_rows = 0;
    for (const auto& entry : entries) {
      auto& files = entry.status == EntryStatus::kAdded      ? manifest.added_files
                    : entry.status == EntryStatus::kExisting ? manifest.existing_files
                                                             : manifest.deleted_files;
      auto& rows = entry.status == EntryStatus::kAdded      ? manifest.added_rows
                   : entry.status == EntryStatus::kExisting ? manifest.existing_rows
                                                            : manifest.deleted_rows;
      *files += 1;
      *rows += entry.file->record_count;
    }
    list.push_back(std::move(manifest));
  }
  return std::make_shared<const std::vector<ManifestFile>>(std::move(list));
}

Result<ManifestEntries> TableOperations::ReadEntries(const TableMetadata& metadata,
                                                     const ManifestFile& manifest) const {
  // A manifest that is not committed yet inherits other numbers later.
  bool committed = manifest.sequence_number != kUnassignedSequenceNumber;
  std::string key = manifest.path;
  // The same manifest may be in lists of several branches with different first row ids.
  if (manifest.first_row_id) key += "#" + std::to_string(*manifest.first_row_id);
  if (committed) {
    if (auto cached = shared_->manifests.FindEntries(key)) return cached;
  }
  const PartitionSpec* spec = metadata.FindSpec(manifest.spec_id);
  if (spec == nullptr) return Validation("Cannot find partition spec " + std::to_string(manifest.spec_id));
  FRAZIL_ASSIGN_OR_RETURN(std::string data, store().Read(manifest.path));
  FRAZIL_ASSIGN_OR_RETURN(auto read, ReadManifest(std::move(data), manifest, *spec));
  auto entries = std::make_shared<const std::vector<ManifestEntry>>(std::move(read));
  if (committed) shared_->manifests.Put(key, entries, Weight(*entries));
  return entries;
}

Result<CommitState> TableOperations::Commit(const TableMetadataPtr& base, TableMetadata next,
                                            TableMetadataPtr* committed) const {
  // Others look for the metadata of such tables in the table's folder.
  if (dynamic_cast<PathCommitPoint*>(commit_point_.get()) != nullptr &&
      next.properties.count("write.metadata.path") != 0)
    return IllegalArgument("Hadoop path-based tables cannot relocate metadata");
  CompleteForCommit(&next, base.get(), NowMicros() / 1000);
  std::optional<std::string> expected;
  if (base != nullptr) expected = base->metadata_location;
  std::string written;
  FRAZIL_ASSIGN_OR_RETURN(bool gzip, WantsGzip(next));
  // The state that a commit builds on decides how its file is called. If the new one did, a commit that changes the
  // property and another one beside it would take two names for one version, and both succeed.
  if (base != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(gzip, WantsGzip(*base));
  }
  std::string metadata = WriteTableMetadata(next);
  if (gzip && dynamic_cast<MetadataHolder*>(commit_point_.get()) == nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(metadata, codec::GzipCompress(metadata));
  }
  FRAZIL_ASSIGN_OR_RETURN(CommitState state, commit_point_->Swap(expected, metadata, &written));
  if (state == CommitState::kConflict) return state;
  next.metadata_location = written;
  if (base != nullptr && next.PropertyAsBoolean("write.metadata.delete-after-commit.enabled", false)) {
    std::vector<std::string> removed;
    for (const auto& entry : base->metadata_log) {
      bool kept = std::any_of(next.metadata_log.begin(), next.metadata_log.end(),
                              [&](const auto& e) { return e.file == entry.file; });
      if (!kept) removed.push_back(entry.file);
    }
    DeleteQuietly(removed);
  }
  // A catalog that keeps the metadata itself has merged the change into it, and may have added to it.
  if (auto merged = HeldMetadata(written)) {
    FRAZIL_ASSIGN_OR_RETURN(*committed, ParseTableMetadata(*merged, written));
  } else {
    *committed = std::make_shared<const TableMetadata>(std::move(next));
  }
  return state;
}

Result<TableMetadataPtr> TableOperations::CommitChange(
    const std::function<Result<std::optional<TableMetadata>>(const TableMetadataPtr& base)>& change) const {
  thread_local std::minstd_rand random{std::random_device{}()};
  RetryPolicy policy;
  int64_t wait_ms = 0;
  int64_t started = SteadyMillis();
  for (int64_t attempt = 0;; ++attempt) {
    {
      std::shared_ptr<std::mutex> table_lock;
      std::unique_lock<std::mutex> lock;
      FRAZIL_ASSIGN_OR_RETURN(TableMetadataPtr first_look, Load());
      if (first_look != nullptr) {
        table_lock = shared_->CommitLock(first_look->location);
        lock = std::unique_lock(*table_lock);
        FRAZIL_ASSIGN_OR_RETURN(auto location, commit_point_->Current());
        if (!location) return CommitFailed(name());
        if (*location != first_look->metadata_location) {
          FRAZIL_ASSIGN_OR_RETURN(first_look, ReadMetadata(*location));
        }
        policy = RetryPolicy::Of(*first_look);
        if (attempt == 0) wait_ms = policy.min_wait_ms;
      }
      FRAZIL_ASSIGN_OR_RETURN(auto next, change(first_look));
      if (!next) return first_look;
      TableMetadataPtr committed;
      FRAZIL_ASSIGN_OR_RETURN(CommitState state, Commit(first_look, *std::move(next), &committed));
      if (state == CommitState::kCommitted) return committed;
    }
    if (attempt >= policy.retries || SteadyMillis() - started > policy.total_ms) return CommitFailed(name());
    // Up to a tenth more, so that writers that collided do not collide again.
    int64_t jitter = wait_ms / 10 > 0 ? static_cast<int64_t>(random()) % (wait_ms / 10 + 1) : 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms + jitter));
    wait_ms = std::min(std::max<int64_t>(wait_ms, 1) * 2, policy.max_wait_ms);
  }
}

void TableOperations::DeleteQuietly(const std::vector<std::string>& paths) const {
  if (paths.empty()) return;
  Status deleted = storage::DeleteAll(store(), paths);
  if (!deleted.ok())
    Log(LogLevel::kWarn, "Files could not be deleted",
        {{"first", paths[0]}, {"files", paths.size()}, {"error", deleted.error().message}});
}

}  // namespace frazil::tables::iceberg
