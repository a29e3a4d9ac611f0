#pragma once

#include <string>

#include "frazil/base/result.h"
#include "frazil/catalogs/metastore/table_metastore.h"
#include "frazil/tables/table.h"

namespace frazil::catalogs {

/// Whether an entry is a table that its catalog describes itself (plain files, Delta), made by Hive or by Spark: no
/// view, and none of Iceberg's.
bool IsDescribedTable(const HiveTable& entry);
/// Whether it is one of Spark's data sources; else it is Hive's own, whose SerDe says how it is read.
bool HasProvider(const HiveTable& entry);

/// The table that such an entry describes; its location is as the entry has it. Errors UNSUPPORTED_FEATURE, by name,
/// for what cannot be read as Hive or Spark would (transactional tables, SerDes, types).
Result<tables::TableDefinition> DefinitionOf(const HiveTable& entry);

/// The entry that Spark makes of a definition, whose location is set; of provider "hive": one of Hive's own.
Result<HiveTable> EntryOf(const std::string& database, const std::string& name, const std::string& owner,
                          const tables::TableDefinition& definition);
/// Puts what ALTER TABLE may have changed (columns, properties, comment, location) into an entry.
void UpdateEntry(const tables::TableDefinition& definition, HiveTable* entry);

/// Takes what people and engines have noted of the table's size out of its parameters; false: there was nothing.
bool DropStatistics(std::map<std::string, std::string>* parameters);

}  // namespace frazil::catalogs
