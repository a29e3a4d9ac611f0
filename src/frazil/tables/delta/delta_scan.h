#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frazil/expressions/min_max.h"
#include "frazil/tables/delta/delta_log.h"
#include "frazil/tables/delta/schema.h"
#include "frazil/tables/scan.h"
#include "frazil/types/time_zone.h"

namespace frazil::tables::delta {

/// The time zone of partition values that name none: the session's.
Result<std::shared_ptr<const TimeZone>> SessionZone(const TableContext& context);

/// Tells which files of a snapshot may hold rows for a filter, by partition values and statistics.
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
  std::vector<std::string> PhysicalPath(const std::vector<std::string>& path) const;

  DataTypePtr schema_;
  ColumnMapping mapping_ = ColumnMapping::kNone;
  std::vector<size_t> partition_indexes_;
  std::shared_ptr<const TimeZone> zone_;
};

/// Plans the files of a snapshot. Immutable.
class DeltaScan : public TableScan {
 public:
  static Result<TableScanPtr> Make(TableContext context, std::string table, SnapshotPtr snapshot);

  const DataTypePtr& schema() const override { return visible_schema_; }
  Result<ScanPlan> Plan(const PredicatePtr& filter) const override;
  std::optional<int64_t> exact_row_count() const override;
  Result<TableScanPtr> RestrictTo(const std::vector<std::string>& paths) const override;

 private:
  DeltaScan() = default;

  TableContext context_;
  std::string table_;
  SnapshotPtr snapshot_;
  DataTypePtr visible_schema_;
  std::optional<std::set<std::string>> only_paths_;  ///< As storage::LocalPath gives them.
};

}  // namespace frazil::tables::delta
