#pragma once

#include <map>
#include <string>

#include "frazil/base/result.h"
#include "frazil/tables/delta/actions.h"
#include "frazil/tables/table.h"
#include "frazil/tables/table_format.h"

namespace frazil::tables::delta {

/// The metadata of a table that is to be made, or (replaced, which keeps its id) made anew. Errors: columns and
/// properties that Delta does not take, partition transforms.
Result<Metadata> NewMetadata(const TableContext& context, const TableDefinition& definition, const Metadata* replaced);

/// The metadata of a table that takes the files of another one, as that has it but for the properties that the
/// definition names.
Result<Metadata> ClonedMetadata(const TableDefinition& definition, const Metadata& cloned, const Metadata* replaced);

/// Checks the columns of a table and gives the schemaString: CHAR and VARCHAR become strings that note their length, as
/// Spark keeps them. Errors DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES, DELTA_UNSUPPORTED_DATA_TYPES.
Result<std::string> SchemaString(const DataTypePtr& schema, bool has_column_mapping);

/// Error DELTA_UNKNOWN_CONFIGURATION for a property "delta.…" that does not exist.
Status CheckProperty(const std::string& key);
/// The same, and an IllegalArgumentException for a value that the property cannot have.
Status CheckProperty(const std::string& key, const std::string& value);

}  // namespace frazil::tables::delta
