#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "frazil/catalogs/metastore/table_metastore.h"

namespace frazil::catalogs {

/// The columns of the current schema of a table's metadata (Iceberg's JSON).
std::vector<HiveColumn> CurrentHiveColumns(const nlohmann::json& metadata);

}  // namespace frazil::catalogs
