#include "frazil/tables/iceberg/iceberg_table.h"

namespace frazil::tables::iceberg {

Status IcebergTable::Alter(const std::vector<TableChange>&) const { return Error::Unsupported("ALTER TABLE of Iceberg tables"); }
Result<TablePtr> IcebergTable::MetadataTable(const std::string&) const { return TablePtr(); }

}  // namespace frazil::tables::iceberg
