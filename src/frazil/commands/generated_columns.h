#pragma once

#include <functional>
#include <string>

#include "frazil/analysis/analyzer.h"
#include "frazil/commands/command_context.h"
#include "frazil/plan/unresolved_command.h"
#include "frazil/tables/table.h"

namespace frazil::commands {

// Columns whose values the table gives to rows that come without: GENERATED ALWAYS AS (expression), and identity
// columns. https://docs.delta.io/latest/delta-batch.html#use-generated-columns

/// Notes in a new Delta table's column what its definition says of it; checks that expressions can be kept. Error
/// UNSUPPORTED_FEATURE.TABLE_OPERATION for tables of other formats, DELTA_*GENERATED_COLUMN*, DELTA_IDENTITY_*.
Status NoteGeneratedColumns(const std::vector<plan::ColumnDefinition>& columns, const std::string& table_name,
                            tables::TableDefinition* definition, CommandContext& context);

/// The table's schema as rows must meet it that may come without the columns that the table gives: these take NULL.
DataTypePtr WithOptionalColumns(const tables::Table& table, const DataTypePtr& schema);

/// The rows (the columns of `schema`, in its order, and perhaps more) with the values of the columns that the table
/// gives and for which `is_given` is false. Their names are noted in the write's summary for identity columns. Error
/// DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED for a given one that takes no values.
Result<plan::LogicalPlanPtr> WithGeneratedValues(const tables::Table& table, const DataTypePtr& schema,
                                                 const plan::LogicalPlanPtr& rows,
                                                 const std::function<bool(const std::string&)>& is_given,
                                                 tables::WriteOptions* options, CommandContext& context);

/// The same for rows that a statement has changed: generated columns follow the others, identity columns stay.
Result<plan::LogicalPlanPtr> WithFollowingValues(const tables::Table& table, const DataTypePtr& schema,
                                                 const plan::LogicalPlanPtr& rows,
                                                 const std::function<bool(const std::string&)>& is_given,
                                                 CommandContext& context);

}  // namespace frazil::commands
