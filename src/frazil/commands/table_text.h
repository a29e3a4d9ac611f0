#pragma once

#include <string>
#include <utility>
#include <vector>

#include "frazil/catalogs/catalog.h"
#include "frazil/tables/table.h"

namespace frazil::commands {

/// Rows of "# Detailed Table Information": name and value, in Spark's order.
std::vector<std::pair<std::string, std::string>> TableDetails(const tables::Table& table,
                                                              const std::vector<std::string>& full_name);
/// SHOW CREATE TABLE's text.
std::string CreateTableText(const tables::Table& table, const std::vector<std::string>& full_name);
std::string CreateViewText(const catalogs::ViewDefinition& view, const std::vector<std::string>& full_name);
/// days(started_at), bucket(16, id), city_id.
std::string TransformText(const tables::PartitionField& field);

}  // namespace frazil::commands
