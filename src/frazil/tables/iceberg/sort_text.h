#pragma once

#include <string>

#include "frazil/tables/iceberg/sort_order.h"

namespace frazil::tables::iceberg {

/// "city_id ASC NULLS FIRST, bucket(16, id) DESC NULLS LAST", as Iceberg shows an order in Spark.
std::string SortOrderText(const SortOrder& order, const Schema& schema);

}  // namespace frazil::tables::iceberg
