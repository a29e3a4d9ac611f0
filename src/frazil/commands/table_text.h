#pragma once

#include <string>
#include <utility>
#include <vector>

#include "frazil/catalogs/catalog.h"
#include "frazil/tables/table.h"

namespace frazil::commands {

/// "MANAGED" or "EXTERNAL", as the table or else its catalog tells. `catalog` null: the table is named by its path.
Result<std::string> TableTypeText(const tables::Table& table, catalogs::Catalog* catalog,
                                  const catalogs::Identifier& identifier);
/// Rows of "# Detailed Table Information": name and value, in Spark's order.
std::vector<std::pair<std::string, std::string>> TableDetails(const tables::Table& table,
                                                              const std::vector<std::string>& full_name,
                                                              const std::string& type);
/// SHOW CREATE TABLE's text. `type`: as TableTypeText gives it.
std::string CreateTableText(const tables::Table& table, const std::vector<std::string>& full_name,
                            const std::string& type);
std::string CreateViewText(const catalogs::ViewDefinition& view, const std::vector<std::string>& full_name);
/// days(started_at), bucket(16, id), city_id.
std::string TransformText(const tables::PartitionField& field);

}  // namespace frazil::commands
