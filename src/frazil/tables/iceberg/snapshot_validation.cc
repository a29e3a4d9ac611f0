#include "frazil/tables/iceberg/snapshot_validation.h"

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/tables/iceberg/errors.h"

namespace frazil::tables::iceberg {
namespace {

/// Snapshots after the starting point, newest first.
Result<std::vector<const Snapshot*>> NewSnapshots(const TableMetadata& base, const Snapshot* parent,
                                                  const std::optional<int64_t>& start) {
  std::vector<const Snapshot*> result;
  const Snapshot* current = parent;
  while (current != nullptr) {
    if (start && current->snapshot_id == *start) return result;
    result.push_back(current);
    if (!current->parent_id) break;
    const Snapshot* before = base.FindSnapshot(*current->parent_id);
    if (before == nullptr && start) break;
    current = before;
  }
  if (start && !result.empty()) {
    return ConflictingCommit("Cannot determine history between starting snapshot " + std::to_string(*start) +
                             " and the last known ancestor " + std::to_string(result.back()->snapshot_id));
  }
  return result;
}

struct Checker {
  const TableOperations& operations;
  const TableMetadata& base;
  const std::vector<const Snapshot*>& snapshots;

  /// Calls `visit` for the entries that the new snapshots of the named operations made.
  template <typename Visit>
  Status ForEachNewEntry(const std::vector<std::string>& wanted, ManifestContent content, Visit&& visit) const {
    for (const Snapshot* snapshot : snapshots) {
      if (std::find(wanted.begin(), wanted.end(), snapshot->operation) == wanted.end()) continue;
      FRAZIL_ASSIGN_OR_RETURN(auto manifests, operations.ReadManifests(base, *snapshot));
      for (const auto& manifest : *manifests) {
        if (manifest.content != content || manifest.added_snapshot_id != snapshot->snapshot_id) continue;
        FRAZIL_ASSIGN_OR_RETURN(ManifestEntries entries, operations.ReadEntries(base, manifest));
        for (const auto& entry : *entries) {
          if (entry.snapshot_id == snapshot->snapshot_id) visit(entry);
        }
      }
    }
    return {};
  }

  using Test = std::function<bool(const DataFile&)>;
  Result<std::vector<std::string>> Find(const std::vector<std::string>& wanted, ManifestContent content,
                                        EntryStatus status, const Test& test) const {
    std::vector<std::string> found;
    FRAZIL_RETURN_IF_ERROR(ForEachNewEntry(wanted, content, [&](const ManifestEntry& entry) {
      if (entry.status == status && test(*entry.file)) found.push_back(entry.file->path);
    }));
    return found;
  }
};

std::string List(const std::vector<std::string>& paths) { return "[" + Join(paths, ", ") + "]"; }

/// Rows are deleted of files that are still there, and of which no other commit has said anew which rows are deleted.
Status ValidateReferencedFiles(const Checker& checker, const SnapshotChange& change) {
  if (change.referenced_data_files.empty()) return {};
  std::vector<std::string> removing = {"overwrite", "replace"};
  if (!change.allow_deleted_files) removing.emplace_back("delete");
  FRAZIL_ASSIGN_OR_RETURN(
      auto gone, checker.Find(removing, ManifestContent::kData, EntryStatus::kDeleted, [&](const DataFile& file) {
        return change.referenced_data_files.count(file.path) != 0;
      }));
  if (!gone.empty()) return ConflictingCommit("Cannot commit, missing data files: " + List(gone));
  std::set<std::string> with_vector;
  for (const auto& file : change.added_deletes) {
    if (file->is_deletion_vector()) with_vector.insert(*file->referenced_data_file);
  }
  if (with_vector.empty()) return {};
  FRAZIL_ASSIGN_OR_RETURN(auto vectors, checker.Find({"overwrite", "delete", "replace"}, ManifestContent::kDeletes,
                                                     EntryStatus::kAdded, [&](const DataFile& file) {
                                                       return file.is_deletion_vector() && file.referenced_data_file &&
                                                              with_vector.count(*file.referenced_data_file) != 0;
                                                     }));
  if (!vectors.empty()) return ConflictingCommit("Found concurrently added DV for data files: " + List(vectors));
  return {};
}

}  // namespace

Status ValidateNoConflicts(const TableOperations& operations, const TableMetadata& base, const Snapshot* parent,
                           const SnapshotChange& change) {
  if (!change.validate_no_conflicting_data && !change.validate_no_conflicting_deletes &&
      change.referenced_data_files.empty())
    return {};
  if (parent == nullptr) return {};
  FRAZIL_ASSIGN_OR_RETURN(auto snapshots, NewSnapshots(base, parent, change.validate_from));
  if (snapshots.empty()) return {};
  Checker checker{operations, base, snapshots};

  bool partitions = change.kind == SnapshotChange::Kind::kReplacePartitions && !change.replaced_partitions.empty();
  PredicatePtr filter = change.conflict_filter;
  if (filter == nullptr && change.removed_paths.empty()) filter = change.delete_filter;
  FileEvaluators evaluators(Bind(filter, *base.schema()), base.schema());
  Checker::Test concerned = [&](const DataFile& file) {
    if (partitions) return change.replaced_partitions.count(PartitionKey(file.spec_id, file.partition)) != 0;
    const PartitionSpec* spec = base.FindSpec(file.spec_id);
    return spec == nullptr || evaluators.For(*spec).MayMatch(file);
  };
  std::string shown = filter == nullptr ? "true" : filter->ToString();
  if (partitions) {
    std::vector<std::string> paths;
    for (const auto& [key, partition] : change.replaced_partitions) {
      const PartitionSpec* spec = base.FindSpec(partition.first);
      if (spec != nullptr) paths.push_back(SpecPartitionPath(*spec, *base.SchemaForSpec(*spec), partition.second));
    }
    shown = List(paths);
  }
  const std::string matching = partitions ? "partitions " + shown : shown;

  if (change.validate_no_conflicting_data) {
    FRAZIL_ASSIGN_OR_RETURN(
        auto found, checker.Find({"append", "overwrite"}, ManifestContent::kData, EntryStatus::kAdded, concerned));
    if (!found.empty())
      return ConflictingCommit("Found conflicting files that can contain records matching " + matching + ": " +
                               List(found));
  }
  FRAZIL_RETURN_IF_ERROR(ValidateReferencedFiles(checker, change));
  if (!change.validate_no_conflicting_deletes) return {};

  const bool row_delta = change.kind == SnapshotChange::Kind::kRowDelta;
  bool by_filter = change.delete_filter != nullptr || change.kind == SnapshotChange::Kind::kReplacePartitions;
  if (by_filter || row_delta) {
    FRAZIL_ASSIGN_OR_RETURN(auto new_deletes, checker.Find({"overwrite", "delete"}, ManifestContent::kDeletes,
                                                           EntryStatus::kAdded, concerned));
    if (!new_deletes.empty()) {
      return ConflictingCommit("Found new conflicting delete files that can apply to records matching " + shown + ": " +
                               List(new_deletes));
    }
  }
  if (by_filter) {
    FRAZIL_ASSIGN_OR_RETURN(auto gone, checker.Find({"overwrite", "replace", "delete"}, ManifestContent::kData,
                                                    EntryStatus::kDeleted, concerned));
    if (!gone.empty()) {
      return ConflictingCommit("Found conflicting deleted files that can contain records matching " + shown + ": " +
                               List(gone));
    }
  }
  if (!change.removed_paths.empty()) {
    // A delete file that came since then may delete rows of a file that is being replaced: its partition decides, or
    // the file that it names.
    std::set<std::string> touched;
    FRAZIL_ASSIGN_OR_RETURN(auto manifests, operations.ReadManifests(base, *parent));
    bool has_deletes = std::any_of(manifests->begin(), manifests->end(), [&](const ManifestFile& m) {
      return m.content == ManifestContent::kDeletes &&
             std::any_of(snapshots.begin(), snapshots.end(),
                         [&](const Snapshot* s) { return s->snapshot_id == m.added_snapshot_id; });
    });
    if (!has_deletes) return {};
    for (const auto& manifest : *manifests) {
      if (manifest.content != ManifestContent::kData) continue;
      FRAZIL_ASSIGN_OR_RETURN(ManifestEntries entries, operations.ReadEntries(base, manifest));
      for (const auto& entry : *entries) {
        if (change.removed_paths.count(storage::LocalPath(entry.file->path)) != 0)
          touched.insert(PartitionKey(entry.file->spec_id, entry.file->partition));
      }
    }
    FRAZIL_ASSIGN_OR_RETURN(
        auto new_deletes,
        checker.Find(
            {"overwrite", "delete"}, ManifestContent::kDeletes, EntryStatus::kAdded, [&](const DataFile& file) {
              if (file.referenced_data_file)
                return change.removed_paths.count(storage::LocalPath(*file.referenced_data_file)) != 0;
              const PartitionSpec* spec = base.FindSpec(file.spec_id);
              bool global = file.content == FileContent::kEqualityDeletes && (spec == nullptr || spec->unpartitioned());
              return global || touched.count(PartitionKey(file.spec_id, file.partition)) != 0;
            }));
    if (!new_deletes.empty()) {
      return ConflictingCommit("Cannot commit, found new delete for replaced data file: " +
                               *change.removed_paths.begin());
    }
  }
  return {};
}

}  // namespace frazil::tables::iceberg
