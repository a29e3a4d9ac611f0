#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frazil/expressions/predicate.h"
#include "frazil/tables/iceberg/file_evaluator.h"
#include "frazil/tables/iceberg/manifest_writer.h"
#include "frazil/tables/iceberg/single_value.h"
#include "frazil/tables/iceberg/snapshot_summary.h"
#include "frazil/tables/iceberg/table_operations.h"

namespace frazil::tables::iceberg {

/// A partition of one spec in a form that can be compared.
std::string PartitionKey(int32_t spec_id, const std::vector<Value>& values);

/// What a new snapshot changes, and what must hold for it to be made.
struct SnapshotChange {
  enum class Kind : uint8_t {
    kAppend,
    kOverwrite,  ///< "overwrite", "delete" or "append", by what it removes and adds.
    kReplacePartitions,
    kDelete,
    kRewrite,   ///< "replace": other files with the same rows.
    kRowDelta,  ///< Rows are deleted by position and others added: "overwrite", "delete" or "append".
  };
  Kind kind = Kind::kAppend;
  std::string branch = kMainBranch;
  bool create_branch = false;  ///< A branch that is missing comes into being on top of main.
  bool stage_only = false;     ///< The snapshot is added, no branch is moved.

  std::vector<DataFilePtr> added;
  std::vector<DataFilePtr> added_deletes;
  std::optional<int64_t> deletes_sequence_number;  ///< Of added_deletes, where it is not that of the commit.
  std::set<std::string> removed_deletes;           ///< By DeleteFileKey.
  bool removed_deletes_must_exist = false;
  std::set<std::string> removed_paths;  ///< Data files, as storage::LocalPath gives their names; each must be there.
  PredicatePtr delete_filter;           ///< Data files all of whose rows match go; one with some is an error.
  std::map<std::string, std::pair<int32_t, std::vector<Value>>>
      replaced_partitions;                     ///< By PartitionKey. Unpartitioned specs: everything goes.
  std::map<std::string, std::string> summary;  ///< Extra entries.

  /// Conflict checks against snapshots after this one; absent: against the whole history.
  std::optional<int64_t> validate_from;
  PredicatePtr conflict_filter;  ///< What the statement read; null: see the checks.
  bool validate_no_conflicting_data = false;
  bool validate_no_conflicting_deletes = false;
  /// Data files, as the table names them, of which added_deletes delete rows: none may have been removed meanwhile; by
  /// a snapshot of the operation "delete" only where `allow_deleted_files`, since then nothing of them is left to
  /// delete.
  std::set<std::string> referenced_data_files;
  bool allow_deleted_files = false;
};

/// A new snapshot on `parent` (null: the first one), without its manifest list. Its time is later than its parent's and
/// than the metadata file before it, even on a fast or wrong clock: the order of snapshots is told by their times.
Snapshot NewSnapshot(const TableMetadata& base, const Snapshot* parent, int64_t snapshot_id, std::string operation,
                     std::map<std::string, std::string> summary);

/// The manifest list of a snapshot, whose row ids (v3) it counts on from those of the base.
Result<std::string> ListManifests(const TableMetadata& base, std::vector<ManifestFile> manifests, Snapshot* snapshot);

/// Makes the snapshot of a change on a base, once for each attempt of a commit; what was written for one attempt is
/// used again in the next. Source: Iceberg spec "Snapshots", "Manifest Lists"; the rules which manifests are rewritten
/// or merged are those of Iceberg's MergingSnapshotProducer.
class SnapshotProducer {
 public:
  SnapshotProducer(TableOperationsPtr operations, SnapshotChange change);

  /// The base with the new snapshot.
  Result<TableMetadata> Apply(const TableMetadata& base);
  int64_t snapshot_id() const { return snapshot_id_; }

  /// After a commit: deletes what earlier attempts left.
  void CleanUpAfter(const TableMetadata& committed);
  /// After a failure that surely committed nothing: deletes every manifest and list that was written.
  void CleanUpAll();

 private:
  struct Filtered {
    ManifestFile manifest;
    bool rewritten = false;
    std::vector<DataFilePtr> removed;
    int64_t duplicates = 0;
  };

  std::string Operation() const;
  /// Ends the manifest and keeps it for WritePending.
  Result<ManifestFile> FinishManifest(ManifestWriter* writer);
  /// Writes what is finished and not written yet, at once; the first time, the added data files are made durable too.
  Status WritePending();
  Status WriteNewManifests(const TableMetadata& base);
  Result<std::vector<ManifestFile>> WriteManifestsOf(const TableMetadata& base, const std::vector<DataFilePtr>& added,
                                                     ManifestContent content);
  Result<std::vector<Filtered>> FilterManifests(const TableMetadata& base, const std::vector<ManifestFile>& manifests,
                                                ManifestContent content, int64_t min_sequence_number,
                                                const std::set<std::string>& removed_data_files);
  Result<Filtered> FilterManifest(const TableMetadata& base, const ManifestFile& manifest,
                                  const FileEvaluator* evaluator, int64_t min_sequence_number,
                                  const std::set<std::string>& removed_data_files);
  Result<std::vector<ManifestFile>> MergeManifests(const TableMetadata& base,
                                                   const std::vector<ManifestFile>& manifests);
  Result<ManifestFile> MergeBin(const TableMetadata& base, const std::vector<ManifestFile>& bin);
  std::string NewManifestPath(const TableMetadata& base);
  std::string PartitionPathOf(const TableMetadata& base, const DataFile& file) const;

  TableOperationsPtr operations_;
  SnapshotChange change_;
  const int64_t snapshot_id_;
  const std::string commit_uuid_;
  int64_t attempt_ = 0;
  std::mutex mutex_;  ///< Guards the members below while manifests are filtered in parallel.
  int64_t manifest_count_ = 0;
  std::vector<std::string> written_;                          ///< Every manifest and list.
  std::vector<std::pair<std::string, std::string>> pending_;  ///< Path and data.
  bool data_synced_ = false;
  std::optional<std::vector<ManifestFile>> new_manifests_, new_delete_manifests_;
  std::map<std::string, Filtered> filtered_;    ///< By path of the old manifest.
  std::map<std::string, ManifestFile> merged_;  ///< By the paths of the bin.
};

/// A new snapshot id: random and positive.
int64_t NewSnapshotId();

}  // namespace frazil::tables::iceberg
