#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/iceberg/partition_spec.h"
#include "frazil/tables/iceberg/schema.h"
#include "frazil/tables/iceberg/snapshot.h"
#include "frazil/tables/iceberg/sort_order.h"

namespace frazil::tables::iceberg {

constexpr int kNewestFormatVersion = 3;
constexpr int kDefaultFormatVersion = 2;

struct SnapshotLogEntry {
  int64_t timestamp_ms = 0;
  int64_t snapshot_id = 0;
};
struct MetadataLogEntry {
  int64_t timestamp_ms = 0;
  std::string file;
};

/// The whole state of a table, as its metadata file holds it ("Table Metadata Fields"). A value: changes are made on a
/// copy by the functions below, which keep the rules that hold between the fields; the copy becomes the table by a
/// commit.
struct TableMetadata {
  std::string metadata_location;  ///< The file that it was read from; empty: not written yet.

  int format_version = kDefaultFormatVersion;
  std::string table_uuid;
  std::string location;
  int64_t last_sequence_number = 0;
  int64_t last_updated_ms = 0;
  int32_t last_column_id = 0;
  std::vector<SchemaPtr> schemas;
  int32_t current_schema_id = 0;
  std::vector<PartitionSpec> specs;
  int32_t default_spec_id = 0;
  int32_t last_partition_id = kFirstPartitionFieldId - 1;
  std::vector<SortOrder> sort_orders;
  int32_t default_sort_order_id = 0;
  std::map<std::string, std::string> properties;
  std::optional<int64_t> current_snapshot_id;
  std::vector<Snapshot> snapshots;
  std::vector<SnapshotLogEntry> snapshot_log;
  std::vector<MetadataLogEntry> metadata_log;
  std::map<std::string, SnapshotRef> refs;
  int64_t next_row_id = 0;  ///< v3.
  std::vector<JsonValue> encryption_keys;
  std::vector<JsonValue> statistics;
  std::vector<JsonValue> partition_statistics;
  std::vector<std::pair<std::string, JsonValue>> unknown;  ///< Members that are not known here, kept.

  const SchemaPtr& schema() const;
  const PartitionSpec& spec() const;
  const SortOrder& sort_order() const;
  SchemaPtr FindSchema(int32_t schema_id) const;  ///< Null where there is none.
  const PartitionSpec* FindSpec(int32_t spec_id) const;
  const SortOrder* FindSortOrder(int32_t order_id) const;
  const Snapshot* FindSnapshot(int64_t snapshot_id) const;
  const Snapshot* current_snapshot() const;
  /// Newest snapshot of a branch, or null.
  const Snapshot* BranchHead(const std::string& branch) const;
  /// Schema that a snapshot is read with; the current one where the snapshot does not say.
  SchemaPtr SchemaOf(const Snapshot& snapshot) const;
  /// The current schema, or the newest one that still has all source columns of the spec.
  const SchemaPtr& SchemaForSpec(const PartitionSpec& spec) const;

  /// Whether both are states of one table. Tables of early writers get their uuid with the first commit.
  bool IsSameTable(const TableMetadata& other) const { return table_uuid.empty() || table_uuid == other.table_uuid; }

  std::string Property(const std::string& key, const std::string& otherwise) const;
  int64_t PropertyAsLong(const std::string& key, int64_t otherwise) const;
  bool PropertyAsBoolean(const std::string& key, bool otherwise) const;
};
using TableMetadataPtr = std::shared_ptr<const TableMetadata>;

/// Refuses versions above kNewestFormatVersion ("Cannot read unsupported version 4") and inconsistent files.
Result<TableMetadataPtr> ParseTableMetadata(std::string_view json, std::string metadata_location);
std::string WriteTableMetadata(const TableMetadata& metadata);

}  // namespace frazil::tables::iceberg
