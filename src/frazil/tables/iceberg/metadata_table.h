#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "frazil/tables/iceberg/iceberg_scan.h"
#include "frazil/tables/iceberg/table_operations.h"
#include "frazil/tables/table.h"

namespace frazil::tables::iceberg {

/// What a metadata table is made from.
struct MetadataSource {
  TableOperationsPtr operations;
  TableMetadataPtr metadata;
  UnifiedPartition partition;
};

/// One metadata table ("Inspecting tables" of Iceberg's Spark documentation): its columns, and its rows for a snapshot.
struct MetadataTableKind {
  std::string name;
  bool of_snapshot = false;  ///< Shows the state at a snapshot: time travel has a meaning.
  std::function<Result<DataTypePtr>(const MetadataSource&)> schema;
  /// `snapshot` null: the table is empty.
  std::function<Result<std::vector<std::vector<Value>>>(const MetadataSource&, const Snapshot* snapshot)> rows;
  /// The same with NULL for every column but those of the indexes; empty: `rows` costs little.
  std::function<Result<std::vector<std::vector<Value>>>(const MetadataSource&, const Snapshot* snapshot,
                                                        const std::set<size_t>& columns)>
      chosen = {};
};

/// By name in lower case; null where there is none.
const MetadataTableKind* FindMetadataTable(std::string_view name);

/// The kinds, by topic.
std::vector<MetadataTableKind> HistoryTables();   ///< snapshots, history, refs, metadata_log_entries.
std::vector<MetadataTableKind> FileTables();      ///< files, data_files, delete_files, entries, and all_* of them.
std::vector<MetadataTableKind> DeleteTables();    ///< position_deletes.
std::vector<MetadataTableKind> ManifestTables();  ///< manifests, all_manifests, partitions.

}  // namespace frazil::tables::iceberg
