#pragma once

#include <vector>

#include "frazil/tables/iceberg/table_operations.h"
#include "frazil/tables/scan.h"

namespace frazil::tables::iceberg {

/// The positions of the rows of a data file that equality delete files delete, ascending: those that are equal to one
/// of their rows in all columns of the file's equality ids, where NULL equals NULL. Which files concern the data file
/// is the caller's matter. Source: Iceberg spec, "Equality Delete Files".
Result<std::vector<int64_t>> FindEqualRows(const TableOperations& operations, const TableMetadata& metadata,
                                           const DataFile& data, const std::vector<DataFilePtr>& deletes);

}  // namespace frazil::tables::iceberg
