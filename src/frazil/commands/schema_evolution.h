#pragma once

#include "frazil/commands/command_context.h"
#include "frazil/tables/table.h"

namespace frazil::commands {

/// What rows with other columns than the table's do to it, by the options mergeSchema and overwriteSchema of the write
/// (keys in lower case) and spark.databricks.delta.schema.autoMerge.enabled: sets options->schema, and for
/// overwriteSchema, where all rows are replaced, the partition columns. Iceberg tables that take any schema evolve by
/// the option merge-schema. Tables that cannot evolve stay as they are.
/// Error of the format where rows have columns that the table lacks.
Status EvolveSchema(const tables::Table& table, const DataType& rows, const std::vector<std::string>& partition_columns,
                    bool by_name, tables::WriteOptions* options, const CommandContext& context);

/// Rows that a DataFrame writes into a Delta table's folder, or by saveAsTable in place of a table's: they are not
/// cast. Errors DELTA_FAILED_TO_MERGE_FIELDS, DELTA_METADATA_MISMATCH.SCHEMA_MISMATCH for wider integers, and
/// DELTA_DUPLICATE_COLUMNS_FOUND.DATA. Other formats' tables pass.
Status CheckMergeable(const tables::Table& table, const DataType& rows,
                      const std::map<std::string, std::string>& options);

/// The columns of both, the second's new ones behind the first's at every level; columns of both keep the first's type,
/// unless `promotes` and the second's is a wider one.
DataTypePtr MergeSchemas(const DataTypePtr& table, const DataTypePtr& rows, bool promotes = false);

}  // namespace frazil::commands
