#pragma once

#include <vector>

#include "frazil/tables/iceberg/iceberg_table.h"
#include "frazil/tables/procedure.h"

namespace frazil::tables::iceberg {

/// The procedures by topic. Those whose names begin with '#' cannot be called: procedures that need the engine end with
/// them (compute_table_stats). Names, parameters, results and messages are those of Iceberg's Spark runtime
/// ("Spark Procedures").
std::vector<TableProcedure>
SnapshotProcedures();  ///< rollback_to_snapshot, set_current_snapshot, cherrypick_snapshot, ...
std::vector<TableProcedure> CleaningProcedures();    ///< expire_snapshots, remove_orphan_files.
std::vector<TableProcedure> ManifestProcedures();    ///< rewrite_manifests.
std::vector<TableProcedure> StatisticsProcedures();  ///< compute_partition_stats; #store_table_stats.
std::vector<TableProcedure> PathProcedures();        ///< rewrite_table_path.
std::vector<TableProcedure> DeleteProcedures();      ///< rewrite_position_delete_files, remove_dangling_deletes.

/// The table that a procedure was called on; all tables that reach them are Iceberg's.
inline const IcebergTable& Iceberg(const Table& table) { return static_cast<const IcebergTable&>(table); }

/// Commits what `change` makes of the newest state of the loaded table.
Result<TableMetadataPtr> ChangeTable(
    const IcebergTable& table,
    const std::function<Result<std::optional<TableMetadata>>(const TableMetadata& base)>& change);

/// Fails where the table says that its files are not its own (gc.enabled = false).
Status CheckMayDeleteFiles(const TableMetadata& metadata, const char* what);

}  // namespace frazil::tables::iceberg
