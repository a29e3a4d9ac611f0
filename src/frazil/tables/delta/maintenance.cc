// RESTORE and VACUUM.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "frazil/base/clock.h"
#include "frazil/base/logging.h"
#include "frazil/base/text.h"
#include "frazil/tables/delta/checkpoint.h"
#include "frazil/tables/delta/deletion_vectors.h"
#include "frazil/tables/delta/delta_table.h"
#include "frazil/tables/delta/features.h"
#include "frazil/tables/delta/paths.h"
#include "frazil/tables/delta/schema.h"
#include "frazil/types/datetime.h"

namespace frazil::tables::delta {
namespace {

constexpr int64_t kWeekMs = 604800000;
constexpr int64_t kHourMs = 3600000;

/// Whether a path below the table is none of its data: a folder or file whose name begins with "_" or ".", partition
/// folders aside.
bool IsHidden(std::string_view relative, const std::vector<std::string>& partition_columns) {
  while (!relative.empty()) {
    std::string_view part = relative.substr(0, relative.find('/'));
    relative.remove_prefix(std::min(relative.size(), part.size() + 1));
    bool is_partition = std::any_of(partition_columns.begin(), partition_columns.end(),
                                    [&](const std::string& column) { return part.starts_with(column + "="); });
    if (part == "_change_data") continue;
    if (!is_partition && (part.starts_with('_') || part.starts_with('.'))) return true;
  }
  return false;
}

/// The files below the table that commits until `cutoff_ms` have removed, by the log alone. Error
/// DELTA_CANNOT_VACUUM_LITE where the log has been cleaned up.
Result<std::set<std::string>> RemovedFiles(const CommitTarget& target, int64_t cutoff_ms, int64_t version) {
  const auto& context = target.context;
  const std::string& table = target.log->table();
  FRAZIL_ASSIGN_OR_RETURN(auto listing, ListLog(*context.store, target.log->log()));
  if (listing.commits.empty() || listing.commits.front().version > 0) return Error::Of("DELTA_CANNOT_VACUUM_LITE");
  std::set<std::string> removed;
  const auto add = [&](std::string path) {
    // What stands elsewhere belongs to another table, of which this one is a clone.
    if (path.starts_with(table + "/")) removed.insert(std::move(path));
  };
  for (const auto& commit : listing.commits) {
    if (commit.version > version || commit.modified_micros / 1000 > cutoff_ms) break;
    FRAZIL_ASSIGN_OR_RETURN(std::string text, context.store->Read(commit.path));
    FRAZIL_ASSIGN_OR_RETURN(auto actions, ParseCommit(text, commit.path));
    for (const auto& action : actions) {
      if (const auto* change = std::get_if<ChangeFile>(&action)) add(FilePathOf(table, change->path));
      const auto* file = std::get_if<FileAction>(&action);
      if (file == nullptr || !file->is_removed || file->deletion_timestamp.value_or(0) > cutoff_ms) continue;
      add(FilePathOf(table, file->path));
      if (file->deletion_vector && file->deletion_vector->storage_type != "i") {
        FRAZIL_ASSIGN_OR_RETURN(auto path, DeletionVectorPath(table, *file->deletion_vector));
        add(std::move(path));
      }
    }
  }
  return removed;
}

}  // namespace

Status DeltaTable::GenerateManifest() const {
  FRAZIL_RETURN_IF_ERROR(CheckNotPinned(target_));
  FRAZIL_ASSIGN_OR_RETURN(ColumnMapping mapping, ColumnMappingOf(metadata_));
  if (mapping != ColumnMapping::kNone) return Error::Of("DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING");
  const std::string folder = storage::JoinPath(location(), "_symlink_format_manifest");
  // By partition folder: the paths of its files, one a line. Partitions that are gone have none.
  std::map<std::string, std::string> manifests;
  if (metadata_.partition_columns.empty()) manifests[folder];
  for (const auto& file : snapshot_->LiveFiles()) {
    if (file->deletion_vector) return Error::Of("DELTA_UNSUPPORTED_GENERATE_WITH_DELETION_VECTORS");
    const std::string path = FilePathOf(location(), file->path);
    // The folders of partitions are called as those of the data files.
    if (!path.starts_with(location() + "/"))
      return Error::Unsupported("GENERATE for a table with files of another one");
    const std::string relative = path.substr(location().size() + 1);
    const size_t slash = relative.rfind('/');
    const std::string place =
        slash == std::string::npos ? folder : storage::JoinPath(folder, relative.substr(0, slash));
    manifests[place] += (storage::SchemeOf(path).empty() ? "file:" : "") + path + "\n";
  }
  FRAZIL_ASSIGN_OR_RETURN(bool exists, target_.context.store->Exists(folder));
  if (exists) FRAZIL_RETURN_IF_ERROR(target_.context.store->DeleteRecursively(folder));
  for (const auto& [place, text] : manifests)
    FRAZIL_RETURN_IF_ERROR(target_.context.store->WriteNew(storage::JoinPath(place, "manifest"), text));
  return {};
}

namespace {

/// What RESTORE says of a time at which there was no table, or that is behind the newest version.
Error RestoreError(Error error) {
  std::map<std::string, std::string> known(error.parameters.begin(), error.parameters.end());
  if (error.condition == "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION") {
    return Error::Of("DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER",
                     {{"requestedTimestamp", known["userTimestamp"]}, {"earliestTimestamp", known["commitTs"]}});
  }
  if (error.condition == "DELTA_TIMESTAMP_GREATER_THAN_COMMIT") {
    return Error::Of("DELTA_CANNOT_RESTORE_TIMESTAMP_GREATER", {{"requestedTimestamp", known["providedTimestamp"]},
                                                                {"latestTimestamp", known["lastCommitTimestamp"]}});
  }
  return error;
}

}  // namespace

Result<RowSet> DeltaTable::Restore(const ScanOptions& options) const {
  SnapshotPtr wanted;
  if (options.snapshot_id) {
    auto found = target_.log->At(target_.context, *options.snapshot_id);
    if (!found.ok()) {
      if (found.error().condition != "DELTA_VERSION_NOT_FOUND") return std::move(found).error();
      std::map<std::string, std::string> known(found.error().parameters.begin(), found.error().parameters.end());
      return Error::Of("DELTA_CANNOT_RESTORE_TABLE_VERSION", {{"version", std::to_string(*options.snapshot_id)},
                                                              {"startVersion", known["earliest"]},
                                                              {"endVersion", known["latest"]}});
    }
    wanted = *std::move(found);
  } else {
    auto found = SnapshotFor(options);
    if (!found.ok()) return RestoreError(std::move(found).error());
    wanted = *std::move(found);
  }
  Change change;
  change.base = snapshot_;
  int64_t now_ms = NowMicros() / 1000;
  int64_t restored = 0, restored_bytes = 0, removed = 0, removed_bytes = 0;
  for (const auto& file : wanted->LiveFiles()) {
    FileActionPtr present = snapshot_->files.Find(file->Key());
    if (present != nullptr && !present->is_removed) continue;
    FRAZIL_ASSIGN_OR_RETURN(bool exists, target_.context.store->Exists(FilePathOf(location(), file->path)));
    if (!exists) {
      return Error::Plain(ExceptionClass::kSpark, "Cannot restore the table " + target_.context.name + " to version " +
                                                      std::to_string(wanted->version) + ": its file " + file->path +
                                                      " does not exist any more");
    }
    FileAction again = *file;
    again.data_change = true;
    ++restored;
    restored_bytes += std::max<int64_t>(again.size, 0);
    change.files.push_back(std::move(again));
  }
  for (const auto& file : snapshot_->LiveFiles()) {
    FileActionPtr then = wanted->files.Find(file->Key());
    if (then != nullptr && !then->is_removed) continue;
    ++removed;
    removed_bytes += std::max<int64_t>(file->size, 0);
    change.files.push_back(file->Removed(now_ms, true));
  }
  if (!(*wanted->metadata == *snapshot_->metadata)) change.metadata = *wanted->metadata;
  change.read_filter = Predicate::True();
  change.operation = "RESTORE";
  change.parameters.emplace_back("version", options.snapshot_id ? std::to_string(*options.snapshot_id) : "null");
  change.parameters.emplace_back(
      "timestamp", options.timestamp_micros ? JsonString(FormatTimestampNtz(*options.timestamp_micros)) : "null");
  const std::vector<std::pair<std::string, int64_t>> figures = {{"tableSizeAfterRestore", wanted->files.live_bytes()},
                                                                {"numOfFilesAfterRestore", wanted->files.live_count()},
                                                                {"numRemovedFiles", removed},
                                                                {"numRestoredFiles", restored},
                                                                {"removedFilesSize", removed_bytes},
                                                                {"restoredFilesSize", restored_bytes}};
  for (const auto& [name, value] : figures) change.metrics.emplace_back(name, std::to_string(value));
  FRAZIL_RETURN_IF_ERROR(CommitChange(target_, std::move(change)));
  RowSet rows;
  rows.schema = DataType::Struct({{"table_size_after_restore", DataType::Long()},
                                  {"num_of_files_after_restore", DataType::Long()},
                                  {"num_removed_files", DataType::Long()},
                                  {"num_restored_files", DataType::Long()},
                                  {"removed_files_size", DataType::Long()},
                                  {"restored_files_size", DataType::Long()}});
  rows.rows.emplace_back();
  for (const auto& [name, value] : figures) rows.rows[0].emplace_back(value);
  return rows;
}

namespace {

/// A commit that tells of a VACUUM and changes nothing.
Change VacuumCommit(SnapshotPtr base, const char* operation) {
  Change change;
  change.base = std::move(base);
  change.operation = operation;
  change.changes_data = false;
  return change;
}

}  // namespace

Result<RowSet> DeltaTable::Vacuum(const VacuumOptions& options) const {
  FRAZIL_RETURN_IF_ERROR(CheckNotPinned(target_));
  // PROTOCOL.md, "VACUUM Protocol Check": who does not know all that writers must, may not tell what is needed.
  FRAZIL_RETURN_IF_ERROR(CheckWrite(protocol_, metadata_, *snapshot_->schema, target_.context.name));
  const std::string* property = metadata_.Property("delta.deletedFileRetentionDuration");
  int64_t configured_ms = property != nullptr ? IntervalMillis(*property).value_or(kWeekMs) : kWeekMs;
  int64_t retention_ms =
      options.retention_hours
          ? static_cast<int64_t>(std::llround(*options.retention_hours * static_cast<double>(kHourMs)))
          : configured_ms;
  if (retention_ms < 0)
    return Error::Plain(ExceptionClass::kIllegalArgument, "Retention for Vacuum can't be less than 0.");
  if (options.check_retention && retention_ms < configured_ms) {
    return Error::Of("DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT",
                     {{"configuredRetentionHours", std::to_string(configured_ms / kHourMs)}});
  }
  int64_t cutoff_ms = NowMicros() / 1000 - retention_ms;
  std::set<std::string> needed;
  snapshot_->files.ForEach([&](const FileActionPtr& file) {
    if (file->is_removed && file->deletion_timestamp.value_or(0) < cutoff_ms) return;
    if (file->is_removed && retention_ms == 0) return;
    needed.insert(storage::LocalPath(FilePathOf(location(), file->path)));
    if (file->deletion_vector && file->deletion_vector->storage_type != "i") {
      if (auto path = DeletionVectorPath(location(), *file->deletion_vector); path.ok())
        needed.insert(storage::LocalPath(*path));
    }
  });
  std::vector<std::string> unneeded;
  int64_t unneeded_bytes = 0;
  if (options.lite) {
    FRAZIL_ASSIGN_OR_RETURN(auto removed, RemovedFiles(target_, cutoff_ms, snapshot_->version));
    for (auto& path : removed) {
      if (needed.contains(storage::LocalPath(path))) continue;
      auto info = target_.context.store->Stat(path);
      if (!info.ok() && !storage::IsNotFound(info.error())) return std::move(info).error();
      if (!info.ok()) continue;
      unneeded_bytes += info->size;
      unneeded.push_back(std::move(path));
    }
  } else {
    FRAZIL_ASSIGN_OR_RETURN(auto objects, target_.context.store->List(location(), true));
    std::string prefix = location() + "/";
    for (const auto& object : objects) {
      if (object.is_directory || !object.path.starts_with(prefix)) continue;
      if (IsHidden(std::string_view(object.path).substr(prefix.size()), metadata_.partition_columns)) continue;
      if (needed.contains(storage::LocalPath(object.path)) || object.modified_micros / 1000 > cutoff_ms) continue;
      unneeded_bytes += object.size;
      unneeded.push_back(object.path);
    }
  }
  std::sort(unneeded.begin(), unneeded.end());
  RowSet rows;
  rows.schema = DataType::Struct({{"path", DataType::String()}});
  bool is_local = storage::SchemeOf(location()).empty();
  const auto shown = [&](const std::string& path) { return Value((is_local ? "file:" : "") + path); };
  if (options.dry_run) {
    for (const auto& path : unneeded) rows.rows.push_back({shown(path)});
    return rows;
  }
  // The history tells of it, before the first file goes and after the last one (Delta's VacuumCommand).
  Change change = VacuumCommit(snapshot_, "VACUUM START");
  change.parameters = {{"retentionCheckEnabled", options.check_retention ? "true" : "false"},
                       {"defaultRetentionMillis", std::to_string(configured_ms)}};
  if (options.retention_hours) change.parameters.emplace_back("specifiedRetentionMillis", std::to_string(retention_ms));
  change.metrics = {{"numFilesToDelete", std::to_string(unneeded.size())},
                    {"sizeOfDataToDelete", std::to_string(unneeded_bytes)}};
  FRAZIL_ASSIGN_OR_RETURN(auto begun, CommitChange(target_, std::move(change)));
  size_t deleted_files = 0;
  std::set<std::string> folders = {location()};
  for (const auto& path : unneeded) {
    // What cannot be deleted now is found again by the next VACUUM.
    Status deleted = target_.context.store->Delete(path);
    if (deleted.ok()) {
      ++deleted_files;
    } else {
      Log(LogLevel::kWarn, "A file could not be deleted", {{"path", path}, {"error", deleted.error().message}});
    }
    folders.insert(path.substr(0, path.rfind('/')));
  }
  if (begun != nullptr) {
    change = VacuumCommit(begun, "VACUUM END");
    change.parameters = {{"status", "\"COMPLETED\""}};
    change.metrics = {{"numDeletedFiles", std::to_string(deleted_files)},
                      {"numVacuumedDirectories", std::to_string(folders.size())}};
    FRAZIL_RETURN_IF_ERROR(CommitChange(target_, std::move(change)).status());
  }
  rows.rows.push_back({shown(location())});
  return rows;
}

}  // namespace frazil::tables::delta
