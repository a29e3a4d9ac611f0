#pragma once

#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/scan.h"

namespace frazil::tables::iceberg {

/// Fills ScanColumn::names_without_ids from the property schema.name-mapping.default ("Column Projection", "Name
/// Mapping Serialization").
Status ApplyNameMapping(const std::string& json, std::vector<ScanColumn>* columns);

}  // namespace frazil::tables::iceberg
