#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace frazil::catalogs {

/// A column as the Hive Metastore and Glue show it.
struct HiveColumn {
  std::string name;
  std::string type;  ///< Hive's name of it.
  std::string comment;
};

/// The columns of the current schema of a table's metadata (Iceberg's JSON).
std::vector<HiveColumn> CurrentHiveColumns(const nlohmann::json& metadata);

}  // namespace frazil::catalogs
