#pragma once

#include <string>
#include <vector>

#include "frazil/commands/command_context.h"
#include "frazil/tables/table.h"
#include "frazil/tables/write.h"

namespace frazil::commands {

// What add_files, snapshot and migrate share: Parquet files that are there become files of an Iceberg table, where
// they lie.

/// The property by which an Iceberg table reads files without field ids.
inline constexpr const char* kNameMapping = "schema.name-mapping.default";

/// The files that are to be added: of parquet.`folder`, or of a table of Parquet files.
struct ImportSource {
  tables::TableScanPtr scan;
  std::vector<std::string> partition_columns;  ///< Of a table.
  std::string location;
};

/// `name` as the user gave it to the procedure.
Result<ImportSource> OpenImportSource(const std::string& name, CommandContext& context);

/// The value of kNameMapping for a table of these columns: the names that they have now.
std::string NameMappingOf(const std::vector<tables::ScanColumn>& columns);

/// The table that files are added to.
struct ImportTarget {
  std::string name;
  std::vector<tables::PartitionField> fields;
  std::vector<tables::ScanColumn> columns;  ///< With field ids.
};

/// The threads that `parallelism` (an argument of the procedures, or null) asks for. Error for less than one.
Result<size_t> ThreadsOf(const Value& parallelism);

/// The files of a scan (called `name` in errors) that pass a filter on their folders (a map, or null: all of them), as
/// the table has them, with the statistics of Parquet files' footers. Error where the folders do not say a partition
/// field's value.
Result<std::vector<tables::WrittenFile>> ImportedFiles(const tables::TableScanPtr& scan, const std::string& name,
                                                       const ImportTarget& target, const Value& filter, size_t threads,
                                                       CommandContext& context);

}  // namespace frazil::commands
