#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frazil/analysis/analyzer.h"
#include "frazil/commands/command_context.h"
#include "frazil/tables/table.h"
#include "frazil/types/nullable_type.h"

namespace frazil::commands {

/// PARTITIONED BY item as a partition field. Error for an unknown transform (UNSUPPORTED_FEATURE... names it) or a bad
/// argument.
Result<tables::PartitionField> ToPartitionField(const plan::PartitionTransform& transform);
/// The order of WRITE ORDERED BY; errors as above.
Result<std::vector<tables::SortField>> ToSortFields(const std::vector<plan::AlterAction::OrderField>& order);
/// writeTo().partitionedBy(days("ts")): column or transform call.
Result<plan::PartitionTransform> ToPartitionTransform(const plan::ExprPtr& expression);

/// The definition of a table from its clauses; `schema` is that of the columns or of the query. Checks duplicate
/// columns (COLUMN_ALREADY_EXISTS) and that partition columns exist.
struct DefinitionClauses {
  std::vector<std::string> full_name;  ///< Of the table, for errors.
  DataTypePtr schema;
  std::optional<std::string> provider;
  bool is_stored_as = false;  ///< The provider is "hive" because of ROW FORMAT or STORED AS.
  std::vector<plan::PartitionTransform> partitioning;
  plan::Options options;
  plan::Properties properties;
  std::optional<std::string> comment;
  std::optional<std::string> location;
  bool is_external = false;
};
Result<tables::TableDefinition> MakeDefinition(const DefinitionClauses& clauses, const catalogs::Catalog& catalog,
                                               CommandContext& context);

/// Struct type of column definitions, with comments and defaults as metadata. Partition columns given with types (Hive
/// style) are not here.
Result<DataTypePtr> SchemaOf(const std::vector<plan::ColumnDefinition>& columns);

/// COLUMN_ALREADY_EXISTS where two columns have one name; without `case_sensitive` whatever their case.
/// Refuses properties of TBLPROPERTIES that clauses are for, unless the session does not reserve them.
Status CheckProperties(const std::vector<std::string>& keys, CommandContext& context);

Status CheckNamesDiffer(const DataType& schema, bool case_sensitive = false);

/// Creates (or replaces) a table and writes a query's rows into it, in one commit where the format can.
Status CreateTableAsSelect(const analysis::ResolvedIdentifier& name, const tables::TableDefinition& definition,
                           const plan::LogicalPlanPtr& query, bool replace,
                           const std::map<std::string, std::string>& write_options, CommandContext& context);

}  // namespace frazil::commands
