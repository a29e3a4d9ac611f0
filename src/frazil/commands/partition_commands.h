#pragma once

// Partitions of tables of plain files: those that the table's catalog keeps (a Hive Metastore, Glue), else the folders
// below the table's. Then a partition is there when its folder is, so that there is nothing to recover or repair.

#include <string>
#include <utility>
#include <vector>

#include "frazil/analysis/analyzer.h"
#include "frazil/commands/command_context.h"
#include "frazil/plan/unresolved_command.h"

namespace frazil::commands {

using PartitionSpecification = std::vector<std::pair<std::string, plan::ExprPtr>>;

/// Whether an ALTER TABLE action is one of these.
bool IsPartitionAction(const plan::AlterAction& action);

/// ALTER TABLE ... ADD, DROP, RENAME PARTITION, RECOVER PARTITIONS; MSCK REPAIR TABLE. Errors as Spark's:
/// PARTITIONS_ALREADY_EXIST, PARTITIONS_NOT_FOUND, _LEGACY_ERROR_TEMP_1232 (not all partition columns), _1251 (a table
/// without partitions). UNSUPPORTED_FEATURE, where folders alone are partitions: one elsewhere (LOCATION); dropping and
/// renaming in external tables, whose files would have to stay and yet be no partition.
Status RunPartitionAction(const analysis::ResolvedTable& table, const plan::AlterAction& action,
                          CommandContext& context);

/// The table's partitions, "a=1/b=x", in their order; below `wanted` (some columns' values) where
/// it is not empty. Error INVALID_PARTITION_OPERATION.* where the table has none, PARTITIONS_NOT_FOUND for a column
/// that is none of them.
Result<std::vector<std::string>> ListPartitions(const analysis::ResolvedTable& table,
                                                const PartitionSpecification& wanted, CommandContext& context);

/// What SHOW TABLE EXTENDED ... PARTITION tells of one partition, whose values `wanted` has all. Errors as above.
Result<std::string> DescribePartition(const analysis::ResolvedTable& table, const PartitionSpecification& wanted,
                                      CommandContext& context);

/// Whether TRUNCATE TABLE [PARTITION] may empty the table, or those partitions: Spark refuses external tables.
Status CheckTruncatable(const analysis::ResolvedTable& table, const PartitionSpecification& partition,
                        CommandContext& context);

}  // namespace frazil::commands
