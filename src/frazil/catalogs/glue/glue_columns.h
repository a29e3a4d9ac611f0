#pragma once

#include <nlohmann/json.hpp>

namespace frazil::catalogs {

/// The columns of a table's metadata (Iceberg's JSON) as Glue shows them, with Hive's names of types: those of the
/// current schema, then those that only former schemas have. What Iceberg's IcebergToGlueConverter does.
nlohmann::json GlueColumns(const nlohmann::json& metadata);

/// "struct<a:int>", ... of a type in Iceberg's JSON.
std::string HiveTypeText(const nlohmann::json& type);

}  // namespace frazil::catalogs
