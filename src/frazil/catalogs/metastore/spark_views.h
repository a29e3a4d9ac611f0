#pragma once

#include <string>

#include "frazil/catalogs/catalog.h"
#include "frazil/catalogs/metastore/table_metastore.h"

namespace frazil::catalogs {

/// Whether an entry is a view of Hive's or Spark's (not of Iceberg's).
bool IsSparkView(const HiveTable& entry);
/// What such an entry says; views that Hive has made are resolved in `catalog_name` and their own database.
Result<ViewDefinition> SparkViewOf(const HiveTable& entry, const std::string& catalog_name);
/// The entry that Spark makes of a view.
HiveTable SparkViewEntry(const std::string& database, const std::string& name, const ViewDefinition& view);

}  // namespace frazil::catalogs
