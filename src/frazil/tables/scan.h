#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/expressions/predicate.h"
#include "frazil/storage/object_store.h"
#include "frazil/types/data_type.h"
#include "frazil/types/row_set.h"
#include "frazil/types/value.h"

namespace frazil::tables {

enum class FileFormat : uint8_t { kParquet, kOrc, kAvro, kCsv, kJson, kText, kBinary };

/// A column of a scan with what is needed to find it in files. Children follow the type: struct fields; array: one,
/// "element"; map: two, "key", "value".
struct ScanColumn {
  std::string name;
  DataTypePtr type;
  bool nullable = true;
  int32_t field_id = -1;               ///< -1: columns are matched by name.
  std::optional<Value> missing_value;  ///< Value in files that lack the column (v3 initial default); absent: NULL.
  /// Names of the column in files that carry no field ids at all (Iceberg's name mapping); empty: found by position
  /// there, as Iceberg does.
  std::vector<std::string> names_without_ids;
  std::vector<ScanColumn> children;
};

/// Row positions of a file that are deleted, sorted ascending without repeats.
using DeletedPositions = std::shared_ptr<const std::vector<int64_t>>;

/// An Iceberg v2 position delete file: rows of (file_path string, field id 2147483546; pos long, field id 2147483545),
/// sorted by both. The engine reads those whose file_path is the data file's path, as written.
struct PositionDeleteFile {
  std::string path;
  FileFormat format = FileFormat::kParquet;
  int64_t size = -1;
  int64_t record_count = -1;
};

/// One data file of a scan plan.
struct ScanFile {
  std::string path;
  FileFormat format = FileFormat::kParquet;
  int64_t size = -1;
  int64_t record_count = -1;  ///< -1: unknown.
  int32_t partition_spec_id = 0;
  /// Columns whose value comes from the table's metadata (identity partitions, partition folders), by index of
  /// ScanPlan::columns. They win over what the file holds.
  std::map<size_t, Value> constants;
  DeletedPositions deleted_positions;
  /// Files that may delete rows of this one, over and above deleted_positions; shared by the data files that they
  /// concern.
  std::vector<std::shared_ptr<const PositionDeleteFile>> position_delete_files;
  /// Partition values in the order of ScanPlan::partition_type (the column _partition); empty where that has no fields.
  std::vector<Value> partition;
  int64_t data_sequence_number = 0;
  std::optional<int64_t> first_row_id;
};

/// What to read: the files that may hold matching rows, and how to read them.
struct ScanPlan {
  std::vector<ScanColumn> columns;
  std::vector<ScanFile> files;
  bool match_by_field_id = false;
  DataTypePtr partition_type;  ///< Struct of all partition fields that the table has or had; null: no such column.
  /// For CSV, JSON, text: the options of the reader, keys in lower case.
  std::map<std::string, std::string> format_options;
};

/// One snapshot of a table (or of a folder), ready to be read; immutable and thread-safe.
class TableScan {
 public:
  virtual ~TableScan() = default;
  /// Struct type of the columns, in table order.
  virtual const DataTypePtr& schema() const = 0;
  /// Format of all its files, known before Plan: the engine chooses the reader by it. (Iceberg tables with files of
  /// another format say so in ScanFile; the engine refuses those by name.)
  virtual FileFormat format() const { return FileFormat::kParquet; }
  /// The files that may hold rows for which the filter is true. Reads metadata, prunes partitions and files. `filter`
  /// may be called for with kTrue.
  virtual Result<ScanPlan> Plan(const PredicatePtr& filter) const = 0;
  /// Columns that tell the origin of a row, beside its file and its position in it, which every scan of Parquet files
  /// has.
  virtual std::vector<StructField> metadata_columns() const { return {}; }
  /// For scans whose rows come from metadata instead of files (metadata tables); null otherwise.
  virtual Result<std::shared_ptr<const RowSet>> Rows() const { return std::shared_ptr<const RowSet>(); }
  virtual bool has_rows() const { return false; }
  /// Rows by metadata alone, where known exactly: answers count(*).
  virtual std::optional<int64_t> exact_row_count() const { return std::nullopt; }
  /// Estimate for join ordering.
  virtual std::optional<int64_t> estimated_row_count() const { return exact_row_count(); }
  /// The same snapshot, these files only (paths as in ScanFile): copy-on-write rewrites.
  virtual Result<std::shared_ptr<const TableScan>> RestrictTo(const std::vector<std::string>& paths) const;
};
using TableScanPtr = std::shared_ptr<const TableScan>;

}  // namespace frazil::tables
