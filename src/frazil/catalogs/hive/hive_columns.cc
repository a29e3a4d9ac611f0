#include "frazil/catalogs/hive/hive_columns.h"

#include "frazil/catalogs/glue/glue_columns.h"

namespace frazil::catalogs {

std::vector<HiveColumn> CurrentHiveColumns(const nlohmann::json& metadata) {
  std::vector<HiveColumn> columns;
  for (const auto& column : GlueColumns(metadata)) {
    if (column["Parameters"]["iceberg.field.current"] != "true") continue;
    columns.push_back({column["Name"].get<std::string>(), column["Type"].get<std::string>(),
                       column.contains("Comment") ? column["Comment"].get<std::string>() : std::string()});
  }
  return columns;
}

}  // namespace frazil::catalogs
