#pragma once

#include <map>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/iceberg/table_metadata.h"

namespace frazil::tables::iceberg {

/// Single changes of table metadata, each with the checks that Iceberg makes. They change the copy that they are given;
/// nothing is written.

/// A table that does not exist yet. `fields` may have any ids: they get fresh ones. Names in `partitioning` and `sort`
/// are looked up.
Result<TableMetadata> NewTableMetadata(const std::vector<NestedField>& fields,
                                       const std::vector<PartitionField>& partitioning,
                                       const std::vector<SortField>& sort, std::string location,
                                       const std::map<std::string, std::string>& properties);

/// REPLACE TABLE: new columns (those of the same name keep their ids), spec, order, properties; history stays, the main
/// branch is empty.
Result<TableMetadata> ReplaceTableMetadata(const TableMetadata& base, const std::vector<NestedField>& fields,
                                           const std::vector<PartitionField>& partitioning,
                                           const std::vector<SortField>& sort, std::string location,
                                           const std::map<std::string, std::string>& properties);

/// Adds the schema, or finds an equal one, and makes it the current one.
Status SetCurrentSchema(TableMetadata* metadata, const SchemaPtr& schema, int32_t last_column_id);
/// Adds the spec, or finds a compatible one, and makes it the default.
Status SetDefaultSpec(TableMetadata* metadata, PartitionSpec spec);
Status SetDefaultSortOrder(TableMetadata* metadata, SortOrder order);

Status AddSnapshot(TableMetadata* metadata, Snapshot snapshot);
/// Makes a known snapshot the head of a branch, which comes into being where it is missing.
/// `added_now`: the snapshot comes with this change, so the log of main has its own time; else the present one.
Status SetBranchSnapshot(TableMetadata* metadata, int64_t snapshot_id, const std::string& branch,
                         bool added_now = false);
Status SetRef(TableMetadata* metadata, const std::string& name, const SnapshotRef& ref, bool added_now = false);
void RemoveRef(TableMetadata* metadata, const std::string& name);

Status UpgradeFormatVersion(TableMetadata* metadata, int format_version);
/// "format-version" upgrades, other reserved keys are left out.
Status SetProperties(TableMetadata* metadata, const std::map<std::string, std::string>& properties);
/// Keys that are no properties but fields of the metadata ("format-version", "uuid", "snapshot-count", ...).
bool IsReservedProperty(const std::string& key);

/// What every new metadata file has: the time, and the former file in the metadata log, of which entries beyond
/// write.metadata.previous-versions-max go. `base` null: a new table.
void CompleteForCommit(TableMetadata* metadata, const TableMetadata* base, int64_t now_ms);

}  // namespace frazil::tables::iceberg
