#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/expressions/predicate.h"
#include "frazil/tables/scan.h"

namespace frazil::tables {

enum class TransformKind : uint8_t { kIdentity, kBucket, kTruncate, kYear, kMonth, kDay, kHour, kVoid };

/// A partition field, or the term of a sort order: transform of one column. Source: Iceberg spec, "Partition
/// Transforms".
struct PartitionField {
  std::string name;                 ///< "city_id", "started_at_day", ...
  std::vector<std::string> source;  ///< Name path of the column.
  int32_t source_id = -1;
  int32_t field_id = -1;
  TransformKind transform = TransformKind::kIdentity;
  int32_t parameter = 0;    ///< Buckets or width.
  DataTypePtr result_type;  ///< bucket: int; truncate: as source; year, month, hour: int; day: date (int days);
                            ///< identity: as source.
};

struct SortField {
  PartitionField term;
  bool ascending = true;
  bool nulls_first = true;
};

/// How the rows of one write become files. The engine writes; the table only says where and how.
struct WriteTask {
  std::string
      location;  ///< Folder for new data files ("…/data"); partition folders are made below it: name=value/name=value.
  FileFormat format = FileFormat::kParquet;
  std::vector<ScanColumn> columns;         ///< In the order of the rows given to the engine, with field ids.
  std::vector<PartitionField> partitions;  ///< Empty: unpartitioned.
  /// Partition columns stay out of the files (plain Hive-style folders) instead of being written too (Iceberg).
  bool drop_partition_columns = false;
  /// Whether the columns' field ids go into the files. Without, they only name the statistics.
  bool write_field_ids = true;
  std::vector<SortField> sort;
  std::string file_name_prefix;  ///< Files are called PREFIX-NNNNN.parquet, unique within the write; a '*' in it: the
                                 ///< number goes there instead.
  std::string compression = "zstd";
  int64_t target_file_size = 512LL * 1024 * 1024;
  int64_t row_group_size = 128LL * 1024 * 1024;  ///< Bytes.
  std::map<std::string, std::string> format_options;
};

/// Statistics of one leaf column of a written file.
struct ColumnStatistics {
  int64_t value_count = 0;  ///< Nulls included.
  int64_t null_count = 0;
  std::optional<int64_t> nan_count;
  std::optional<Value> lower;
  std::optional<Value> upper;
  int64_t compressed_size = 0;
};

/// A data file that the engine has written.
struct WrittenFile {
  std::string path;
  FileFormat format = FileFormat::kParquet;
  int64_t record_count = 0;
  int64_t size = 0;
  std::vector<Value> partition;                 ///< One for each partition field of the task.
  std::map<int32_t, ColumnStatistics> columns;  ///< By field id of the leaf.
  std::vector<int64_t> split_offsets;           ///< Offsets of the row groups, ascending.
};

enum class CommitState : uint8_t { kCommitted, kConflict };

/// A commit that came through, or lost to another commit in a way that rebasing cannot mend. An unknown outcome is an
/// Error of kind kUnknownCommit.
struct CommitOutcome {
  CommitState state = CommitState::kCommitted;
  std::optional<int64_t> snapshot_id;
  std::string conflict;  ///< Why, for people.
};

enum class WriteMode : uint8_t {
  kAppend,
  kOverwriteByFilter,  ///< INSERT OVERWRITE static, writeTo().overwrite(condition), REPLACE WHERE: rows matching the
                       ///< filter go.
  kOverwriteDynamic,   ///< Every partition that gets rows is replaced.
  kReplaceTable,       ///< CREATE OR REPLACE ... AS SELECT: all rows go.
  kRewriteFiles,       ///< Copy-on-write DELETE, UPDATE, MERGE: read files are replaced.
};

struct WriteOptions {
  WriteMode mode = WriteMode::kAppend;
  PredicatePtr filter;  ///< kOverwriteByFilter; kRewriteFiles: what the statement looked at, for conflict checks.
  std::optional<std::vector<SortField>> sort;  ///< Order of the rows in the new files; absent: the table's own.
  /// "append", "insert", "create" (CREATE and REPLACE ... AS SELECT), "delete", "update", "merge", "rewrite": for
  /// summaries and isolation checks. Empty, for a staged table and without files: only the definition is committed
  /// (CREATE and REPLACE TABLE without a query).
  std::string operation;
  std::map<std::string, std::string> options;  ///< Write options, keys in lower case.
  std::map<std::string, std::string> summary;  ///< Extra entries of the snapshot's summary.
  std::string branch;
  std::string filter_text;  ///< The filter as SQL, for the table's history.
  /// The table's schema from this write on (mergeSchema, overwriteSchema); null: it stays. Only where
  /// TableCapabilities::schema_evolution says so.
  DataTypePtr schema;
  /// With `schema` and a mode that replaces all rows: the names of the partition columns from this write on.
  std::optional<std::vector<std::string>> partition_columns;
};

/// How many rows a statement changed, as far as it knows: for the table's history.
struct RowCounts {
  std::optional<int64_t> source, inserted, updated, deleted, copied;
};

/// A write in progress. Nothing is visible before Commit. Either Commit or Abort ends it; destruction without Commit
/// aborts.
class TableWrite {
 public:
  virtual ~TableWrite() = default;
  virtual const WriteTask& task() const = 0;
  virtual void AddFiles(std::vector<WrittenFile> files) = 0;
  /// kRewriteFiles: data files (paths of the scan) that the added files replace.
  virtual void RemoveFiles(std::vector<std::string> paths) = 0;
  virtual void SetRowCounts(const RowCounts& /*counts*/) {}
  /// Retries and rebases as the format says. On a conflict or error that is certain not to have committed, the added
  /// files are deleted.
  virtual Result<CommitOutcome> Commit() = 0;
  virtual void Abort() = 0;
};

}  // namespace frazil::tables
