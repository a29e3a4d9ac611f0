#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frazil/expressions/min_max.h"
#include "frazil/tables/delta/delta_log.h"
#include "frazil/tables/delta/schema.h"
#include "frazil/tables/located_scan.h"
#include "frazil/tables/stored_files.h"
#include "frazil/types/time_zone.h"

namespace frazil::tables::delta {

/// The time zone of partition values that name none: the session's.
Result<std::shared_ptr<const TimeZone>> SessionZone(const TableContext& context);

/// Tells which files of a snapshot may hold rows for a filter, by partition values and statistics. Not thread-safe.
class FilePruner {
 public:
  static Result<FilePruner> Make(const Snapshot& snapshot, const TableContext& context);
  /// Partition values by index of the schema.
  Result<std::map<size_t, Value>> PartitionValues(const FileAction& file) const;
  bool MayMatch(const Predicate& filter, const FileAction& file, const std::map<size_t, Value>& partition) const;
  /// Whether the filter is true of all rows. By partition values alone, which are exact.
  bool MustMatch(const Predicate& filter, const std::map<size_t, Value>& partition) const;
  ColumnMapping mapping() const { return mapping_; }

 private:
  std::optional<ColumnBounds> PartitionBounds(const std::vector<std::string>& path,
                                              const std::map<size_t, Value>& partition) const;
  /// How files call a column; empty where the table has none of that name.
  const std::vector<std::string>& PhysicalPath(const std::vector<std::string>& path) const;
  std::vector<std::string> FindPhysicalPath(const std::vector<std::string>& path) const;

  DataTypePtr schema_;
  ColumnMapping mapping_ = ColumnMapping::kNone;
  std::vector<size_t> partition_indexes_;
  std::shared_ptr<const TimeZone> zone_;
  /// Those that were asked for: every file asks for the same.
  mutable std::deque<std::pair<std::vector<std::string>, std::vector<std::string>>> physical_paths_;
};

/// Plans the files of a snapshot. Immutable.
class DeltaScan : public LocatedScan, public StoredFiles {
 public:
  static Result<TableScanPtr> Make(TableContext context, std::string table, SnapshotPtr snapshot);

  const DataTypePtr& schema() const override { return visible_schema_; }
  Result<ScanPlan> Plan(const PredicatePtr& filter) const override;
  std::optional<int64_t> exact_row_count() const override;
  /// The columns of tables/row_lineage.h, where the table tracks rows.
  std::vector<StructField> metadata_columns() const override;
  const std::string& table_location() const override { return table_; }
  storage::ObjectStorePtr file_store() const override { return context_.store; }
  bool tracks_rows() const override { return !row_tracking_columns_.empty(); }
  Result<TableScanPtr> RestrictTo(const std::vector<std::string>& paths) const override;

 private:
  DeltaScan() = default;

  TableContext context_;
  std::string table_;
  SnapshotPtr snapshot_;
  DataTypePtr visible_schema_;
  std::vector<ScanColumn> row_tracking_columns_;
  std::optional<std::set<std::string>> only_paths_;  ///< As storage::LocalPath gives them.
};

}  // namespace frazil::tables::delta
