#include "frazil/tables/delta/delta_log.h"

#include <algorithm>

#include "frazil/base/logging.h"
#include "frazil/base/text.h"
#include "frazil/tables/delta/checkpoint.h"
#include "frazil/tables/delta/features.h"
#include "frazil/types/datetime.h"

namespace frazil::tables::delta {
namespace {

Error VersionNotFound(int64_t wanted, const LogListing& listing) {
  return Error::Of("DELTA_VERSION_NOT_FOUND", {{"userVersion", std::to_string(wanted)},
                                               {"earliest", std::to_string(listing.EarliestVersion().value_or(0))},
                                               {"latest", std::to_string(listing.latest_version().value_or(-1))}});
}

const CommitFile* FindCommit(const LogListing& listing, int64_t version) {
  auto found = std::lower_bound(listing.commits.begin(), listing.commits.end(), version,
                                [](const CommitFile& commit, int64_t wanted) { return commit.version < wanted; });
  return found != listing.commits.end() && found->version == version ? &*found : nullptr;
}

/// Reads a commit and applies it.
Status ApplyCommit(const TableContext& context, const CommitFile& commit, SnapshotBuilder* builder) {
  FRAZIL_ASSIGN_OR_RETURN(std::string text, context.store->Read(commit.path));
  FRAZIL_ASSIGN_OR_RETURN(auto actions, ParseCommit(text, commit.path));
  builder->ApplyCommit(std::move(actions));
  builder->snapshot().commit_size = commit.size;
  builder->snapshot().commit_modified_micros = commit.modified_micros;
  return {};
}

/// The state after the commits that were applied. What the protocol says comes first: with features that are unknown
/// nothing else can be trusted.
Result<SnapshotPtr> FinishAt(SnapshotBuilder* builder, const std::string& table, int64_t version) {
  FRAZIL_RETURN_IF_ERROR(CheckRead(builder->snapshot().protocol, table));
  return builder->Finish(version,
                         builder->in_commit_timestamp().value_or(builder->snapshot().commit_modified_micros / 1000));
}

}  // namespace

DeltaLog::DeltaLog(std::string table, ColumnarFilesPtr files)
    : table_(std::move(table)), log_(LogFolder(table_)), files_(std::move(files)) {}

Result<SnapshotPtr> DeltaLog::Follow(const TableContext& context, SnapshotPtr known) {
  auto newest = context.store->Stat(CommitPath(log_, known->version));
  if (!newest.ok() && !storage::IsNotFound(newest.error())) return std::move(newest).error();
  // Another table may have come in this one's place.
  if (!newest.ok() || newest->size != known->commit_size || newest->modified_micros != known->commit_modified_micros)
    return SnapshotPtr();
  std::optional<SnapshotBuilder> builder;
  int64_t version = known->version;
  while (true) {
    std::string path = CommitPath(log_, version + 1);
    auto info = context.store->Stat(path);
    if (!info.ok() && !storage::IsNotFound(info.error())) return std::move(info).error();
    if (!info.ok()) break;
    if (!builder) builder.emplace(*known);
    FRAZIL_RETURN_IF_ERROR(ApplyCommit(context, {version + 1, path, info->size, info->modified_micros}, &*builder));
    ++version;
  }
  if (!builder) return known;
  return FinishAt(&*builder, table_, version);
}

Result<SnapshotPtr> DeltaLog::LoadFrom(const TableContext& context, const LogListing& listing,
                                       const CheckpointFiles* checkpoint, int64_t version) {
  SnapshotBuilder builder;
  int64_t next = 0;
  if (checkpoint != nullptr) {
    FRAZIL_RETURN_IF_ERROR(ReadCheckpoint(context, *files_, log_, *checkpoint, &builder));
    next = checkpoint->version + 1;
    if (const CommitFile* commit = FindCommit(listing, checkpoint->version)) {
      builder.snapshot().commit_size = commit->size;
      builder.snapshot().commit_modified_micros = commit->modified_micros;
      // An in-commit timestamp is in the commit alone. The commit changes nothing that the checkpoint does not have.
      const auto& metadata = builder.snapshot().metadata;
      if (version == checkpoint->version && metadata != nullptr && metadata->IsTrue("delta.enableInCommitTimestamps")) {
        FRAZIL_RETURN_IF_ERROR(ApplyCommit(context, *commit, &builder));
      }
    }
  }
  for (; next <= version; ++next) {
    const CommitFile* commit = FindCommit(listing, next);
    if (commit == nullptr && next == 0) {
      return Error::Of("DELTA_TRUNCATED_TRANSACTION_LOG",
                       {{"path", log_},
                        {"version", std::to_string(version)},
                        {"logRetentionKey", "delta.logRetentionDuration"},
                        {"logRetention", "interval 30 days"},
                        {"checkpointRetentionKey", "delta.checkpointRetentionDuration"},
                        {"checkpointRetention", "interval 2 days"}});
    }
    if (commit == nullptr) {
      std::vector<std::string> versions;
      for (const auto& listed : listing.commits) versions.push_back(std::to_string(listed.version));
      return Error::Of("DELTA_VERSIONS_NOT_CONTIGUOUS", {{"versionList", Join(versions, ", ")},
                                                         {"startVersion", std::to_string(next - 1)},
                                                         {"endVersion", std::to_string(next + 1)},
                                                         {"versionToLoad", std::to_string(version)}});
    }
    FRAZIL_RETURN_IF_ERROR(ApplyCommit(context, *commit, &builder));
  }
  return FinishAt(&builder, table_, version);
}

Result<SnapshotPtr> DeltaLog::Load(const TableContext& context, std::optional<int64_t> wanted) {
  FRAZIL_ASSIGN_OR_RETURN(auto listing, ListLog(*context.store, log_));
  auto latest = listing.latest_version();
  if (!latest) return SnapshotPtr();
  if (wanted && (*wanted > *latest || *wanted < 0)) return VersionNotFound(*wanted, listing);
  int64_t version = wanted.value_or(*latest);
  Status failure;
  // From the newest checkpoint on; an unreadable one costs more commits to read, nothing else.
  for (auto checkpoint = listing.checkpoints.rbegin(); checkpoint != listing.checkpoints.rend(); ++checkpoint) {
    if (checkpoint->version > version) continue;
    auto loaded = LoadFrom(context, listing, &*checkpoint, version);
    if (loaded.ok() || loaded.error().kind == ErrorKind::kUnsupported) return loaded;
    if (failure.ok()) failure = loaded.status();
    Log(LogLevel::kWarn, "A checkpoint of a Delta table cannot be used",
        {{"path", checkpoint->paths[0]}, {"error", loaded.error().message}});
  }
  if (!failure.ok() && FindCommit(listing, 0) == nullptr) return failure;
  if (wanted && FindCommit(listing, 0) == nullptr) return VersionNotFound(*wanted, listing);
  return LoadFrom(context, listing, nullptr, version);
}

Result<SnapshotPtr> DeltaLog::Update(const TableContext& context) {
  std::lock_guard<std::mutex> loading(loading_mutex_);
  SnapshotPtr known;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    known = newest_;
  }
  SnapshotPtr current;
  if (known != nullptr && known->commit_size >= 0) {
    FRAZIL_ASSIGN_OR_RETURN(current, Follow(context, known));
  }
  if (current == nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(current, Load(context, std::nullopt));
  }
  std::lock_guard<std::mutex> lock(mutex_);
  newest_ = current;
  return current;
}

Result<SnapshotPtr> DeltaLog::At(const TableContext& context, int64_t version) {
  FRAZIL_ASSIGN_OR_RETURN(auto newest, Update(context));
  if (newest != nullptr && newest->version == version) return newest;
  return Load(context, version);
}

SnapshotPtr DeltaLog::Advance(const SnapshotPtr& base, std::vector<Action> actions, const CommitFile& commit) {
  if (base != nullptr && base->version + 1 != commit.version) return nullptr;
  if (base == nullptr && commit.version != 0) return nullptr;
  SnapshotBuilder builder = base != nullptr ? SnapshotBuilder(*base) : SnapshotBuilder();
  builder.ApplyCommit(std::move(actions));
  builder.snapshot().commit_size = commit.size;
  builder.snapshot().commit_modified_micros = commit.modified_micros;
  auto next = FinishAt(&builder, table_, commit.version);
  if (!next.ok()) return nullptr;
  std::lock_guard<std::mutex> lock(mutex_);
  if (newest_ == nullptr || newest_ == base || newest_->version < (*next)->version) newest_ = *next;
  return *next;
}

Result<int64_t> DeltaLog::VersionAt(const TableContext& context, int64_t timestamp_micros) {
  FRAZIL_ASSIGN_OR_RETURN(auto newest, Update(context));
  FRAZIL_ASSIGN_OR_RETURN(auto listing, ListLog(*context.store, log_));
  bool in_commit = newest != nullptr && newest->metadata->IsTrue("delta.enableInCommitTimestamps");
  std::optional<int64_t> earliest = listing.EarliestVersion();
  std::optional<int64_t> found;
  int64_t last_ms = INT64_MIN, first_ms = 0;
  int64_t wanted_ms = timestamp_micros / 1000;
  bool any = false;
  for (const auto& commit : listing.commits) {
    if (earliest && commit.version < *earliest) continue;
    int64_t time_ms = commit.modified_micros / 1000;
    if (in_commit) {
      FRAZIL_ASSIGN_OR_RETURN(std::string text, context.store->Read(commit.path));
      FRAZIL_ASSIGN_OR_RETURN(auto action, ParseAction(std::string_view(text).substr(0, text.find('\n'))));
      if (action) {
        if (const auto* info = std::get_if<CommitInfo>(&*action)) time_ms = info->Integer("inCommitTimestamp", time_ms);
      }
    }
    // Clocks of file systems may go back; the times of versions do not.
    time_ms = std::max(time_ms, last_ms == INT64_MIN ? time_ms : last_ms + 1);
    if (!any) first_ms = time_ms;
    any = true;
    last_ms = time_ms;
    if (time_ms <= wanted_ms) found = commit.version;
  }
  const auto text = [](int64_t ms) { return FormatTimestampNtz(ms * 1000); };
  if (!any || !found) {
    return Error::Of(
        "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION",
        {{"userTimestamp", text(wanted_ms)}, {"commitTs", text(first_ms)}, {"timestampString", text(first_ms)}});
  }
  if (wanted_ms > last_ms) {
    return Error::Of("DELTA_TIMESTAMP_GREATER_THAN_COMMIT", {{"providedTimestamp", text(wanted_ms)},
                                                             {"lastCommitTimestamp", text(last_ms)},
                                                             {"maximumTimestamp", text(last_ms)}});
  }
  return *found;
}

DeltaLogPtr DeltaLogs::For(const std::string& table) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = logs_.find(table);
  if (found != logs_.end()) return found->second;
  // Logs in use are kept by those who use them; the others can be read again.
  if (logs_.size() >= kMost) std::erase_if(logs_, [](const auto& entry) { return entry.second.use_count() == 1; });
  return logs_[table] = std::make_shared<DeltaLog>(table, files_);
}

}  // namespace frazil::tables::delta
