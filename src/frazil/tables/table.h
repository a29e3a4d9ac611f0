#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/scan.h"
#include "frazil/tables/write.h"

namespace frazil::tables {

/// Which state of a table to read; at most one of snapshot_id, timestamp and reference.
struct ScanOptions {
  std::optional<int64_t> snapshot_id;
  std::optional<int64_t> timestamp_micros;
  std::string reference;                       ///< Branch or tag.
  std::optional<int64_t> start_snapshot_id;    ///< Incremental append scan: after this one ...
  std::optional<int64_t> end_snapshot_id;      ///< ... up to and with this one.
  std::map<std::string, std::string> options;  ///< Other read options, keys in lower case.
};

/// One change of ALTER TABLE, with names resolved to paths.
struct TableChange {
  enum class Type : uint8_t {
    kAddColumn,
    kDropColumn,
    kRenameColumn,
    kUpdateColumnType,
    kUpdateColumnComment,
    kUpdateColumnNullability,
    kUpdateColumnDefault,
    kMoveColumn,
    kSetProperty,
    kRemoveProperty,
    kSetLocation,
    kAddPartitionField,
    kDropPartitionField,
    kReplacePartitionField,
    kSetSortOrder,
    kSetIdentifierFields,
    kDropIdentifierFields,
    kSetReference,
    kDropReference,
    kAddConstraint,  ///< CHECK: name and SQL text. Existing rows are checked by the caller.
    kDropConstraint,
  };
  Type type = Type::kSetProperty;
  std::vector<std::string> column;  ///< Name path.
  std::string new_name;             ///< kRenameColumn; property key; reference name; constraint name.
  std::string value;                ///< Property value; location; comment; SQL text of a constraint.
  DataTypePtr data_type;
  bool nullable = true;
  bool if_exists = false;
  bool if_not_exists = false;
  std::optional<std::string> default_text;  ///< SQL text of the default, as written.
  std::optional<Value> default_value;       ///< Its constant value in the column's type.
  bool first = false;
  std::string after;
  PartitionField field;      ///< kAddPartitionField, kDropPartitionField (by transform, or by name alone),
                             ///< kReplacePartitionField: old.
  PartitionField new_field;  ///< kReplacePartitionField.
  bool has_field_name = false;
  std::vector<SortField> sort;
  std::optional<std::string> distribution_mode;  ///< kSetSortOrder: "none", "hash", "range".
  std::vector<std::vector<std::string>> columns;
  bool is_branch = true;  ///< References.
  bool create = true;
  bool replace = false;
  std::optional<int64_t> snapshot_id;
  std::optional<int64_t> reference_retain_ms, snapshot_retain_ms, snapshots_to_keep;
};

/// What a table can do; everything defaults to "no", and the caller refuses by name what is not there.
struct TableCapabilities {
  bool write = false;
  bool row_level_changes = false;  ///< DELETE, UPDATE, MERGE.
  bool time_travel = false;
  bool alter_columns = false;
  bool any_schema = false;
  bool truncate = false;
  bool schema_evolution = false;  ///< Takes WriteOptions::schema.
  bool deletes_rows = false;      ///< RowChanges::DeleteRows.
  bool change_feed = false;       ///< DELETE, UPDATE and MERGE also write what they changed.
};

/// A condition that every row of a table meets: CHECK (text).
struct RowConstraint {
  std::string name;
  std::string text;  ///< SQL over the table's columns.
};

/// What Vacuum does.
struct VacuumOptions {
  std::optional<double> retention_hours;
  bool dry_run = false;
  bool check_retention = true;  ///< Refuse a retention that is shorter than the table's.
};

class RowChanges;
class Table;
using TablePtr = std::shared_ptr<const Table>;

/// A table as loaded at one moment: immutable. Load it again from its catalog to see later commits.
class Table {
 public:
  virtual ~Table() = default;

  virtual std::string provider() const = 0;  ///< "iceberg", "parquet", ...
  virtual const DataTypePtr& schema() const = 0;
  virtual std::string location() const = 0;
  virtual std::map<std::string, std::string> properties() const = 0;
  virtual std::vector<PartitionField> partitioning() const { return {}; }
  virtual std::vector<SortField> sort_order() const { return {}; }
  virtual std::string comment() const { return {}; }
  virtual TableCapabilities capabilities() const = 0;
  /// Rows of DESCRIBE EXTENDED beyond the usual ones, in order (name, value).
  virtual std::vector<std::pair<std::string, std::string>> details() const { return {}; }
  virtual std::vector<RowConstraint> constraints() const { return {}; }

  virtual Result<TableScanPtr> Scan(const ScanOptions& options) const = 0;
  /// A write based on the loaded state.
  virtual Result<std::unique_ptr<TableWrite>> StartWrite(const WriteOptions& options) const;
  /// The write of a statement that changes rows, where the capabilities name what it does beyond StartWrite.
  virtual Result<std::unique_ptr<RowChanges>> StartRowChanges(const WriteOptions& options) const;
  /// Whether rows with these columns can be written by name without WriteOptions::schema: the format's own error where
  /// not. What passes still has to meet the columns' types.
  virtual Status CheckRows(const DataType& /*rows*/) const { return {}; }
  /// True where all rows matching the filter fill whole files, so that DeleteWhere needs no rewriting.
  virtual Result<bool> CanDeleteByMetadata(const PredicatePtr& filter, const WriteOptions& options = {}) const;
  virtual Result<CommitOutcome> DeleteByMetadata(const PredicatePtr& filter, const WriteOptions& options) const;
  /// All changes in one commit, or none.
  virtual Status Alter(const std::vector<TableChange>& changes) const;
  /// "snapshots", "files", ...: a table of metadata, or null where there is none of that name.
  virtual Result<TablePtr> MetadataTable(const std::string& name) const;
  /// DESCRIBE HISTORY: the commits, newest first.
  virtual Result<RowSet> History(std::optional<int64_t> limit) const;
  /// DESCRIBE DETAIL: one row about the table.
  virtual Result<RowSet> Detail() const;
  /// Makes the state that the options choose the newest one, in one commit. One row of figures.
  virtual Result<RowSet> Restore(const ScanOptions& options) const;
  /// VACUUM: deletes the files that no state within the retention needs. A dry run gives their paths, else one row, the
  /// table's path.
  virtual Result<RowSet> Vacuum(const VacuumOptions& options) const;
};

/// A table to be made.
struct TableDefinition {
  DataTypePtr schema;                        ///< Struct; defaults, comments etc. in the fields' metadata.
  std::vector<PartitionField> partitioning;  ///< source, transform, parameter, (name).
  std::vector<SortField> sort_order;
  std::map<std::string, std::string> properties;
  std::map<std::string, std::string> options;
  std::string provider;
  std::optional<std::string> location;  ///< LOCATION as written: an external table.
  std::string comment;
  bool is_external = false;
};

}  // namespace frazil::tables
