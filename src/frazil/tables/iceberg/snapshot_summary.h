#pragma once

#include <map>
#include <set>
#include <string>

#include "frazil/tables/iceberg/manifest.h"
#include "frazil/tables/iceberg/snapshot.h"

namespace frazil::tables::iceberg {

/// Counts what a commit adds and removes, and makes the snapshot's summary of it, key by key as Iceberg does ("Optional
/// Snapshot Summary Fields").
class SnapshotSummary {
 public:
  /// `partition_path` is the file's partition as a folder name; "" for unpartitioned files.
  void Added(const DataFile& file, const std::string& partition_path) { Count(file, partition_path, true); }
  void Removed(const DataFile& file, const std::string& partition_path) { Count(file, partition_path, false); }
  void Set(const std::string& key, const std::string& value) { properties_[key] = value; }
  void AddDuplicateDeletes(int64_t count) { duplicate_deletes_ += count; }
  /// Most partitions that get an entry of their own: write.summary.partition-limit.
  void SetPartitionLimit(int64_t limit) { partition_limit_ = limit; }

  /// With totals counted on from the branch's newest snapshot; null: from zero.
  std::map<std::string, std::string> Build(const Snapshot* previous) const;

 private:
  struct Metrics {
    int64_t added_size = 0, removed_size = 0;
    int64_t added_files = 0, removed_files = 0;
    int64_t added_eq_delete_files = 0, removed_eq_delete_files = 0;
    int64_t added_pos_delete_files = 0, removed_pos_delete_files = 0;
    int64_t added_dvs = 0, removed_dvs = 0;
    int64_t added_delete_files = 0, removed_delete_files = 0;
    int64_t added_records = 0, deleted_records = 0;
    int64_t added_pos_deletes = 0, removed_pos_deletes = 0;
    int64_t added_eq_deletes = 0, removed_eq_deletes = 0;

    void Count(const DataFile& file, bool added);
    std::map<std::string, std::string> Entries() const;
  };
  void Count(const DataFile& file, const std::string& partition_path, bool added);

  std::map<std::string, std::string> properties_;
  Metrics metrics_;
  std::map<std::string, Metrics> by_partition_;
  int64_t duplicate_deletes_ = 0;
  int64_t partition_limit_ = 0;
};

}  // namespace frazil::tables::iceberg
