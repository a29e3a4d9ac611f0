#pragma once

#include <optional>
#include <string>

#include "frazil/base/result.h"
#include "frazil/tables/table.h"
#include "frazil/tables/table_format.h"

namespace frazil::tables {

/// A commit point whose catalog hands out the metadata itself is also of this type: its files need not be read.
class MetadataHolder {
 public:
  virtual ~MetadataHolder() = default;
  /// The text of a metadata file that the commit point has named; nullopt where it is not at hand.
  virtual std::optional<std::string> MetadataText(const std::string& location) = 0;
};

/// A format whose tables are described by one text (Iceberg's table metadata as JSON) is also of this type: for
/// catalogs that must be told of a table before they say where it lies, and whose views have columns as tables do.
class MetadataText {
 public:
  virtual ~MetadataText() = default;
  /// The metadata that a new table of this definition would have; nothing is written.
  virtual Result<std::string> NewMetadata(const TableDefinition& definition, const std::string& location) const = 0;
  /// The columns that such a text has now, as a struct.
  virtual Result<DataTypePtr> SchemaOfMetadata(const std::string& metadata) const = 0;
  /// Whether a table lets its files be deleted with it: error where it forbids it (gc.enabled).
  virtual Status CheckDeletable(const TableContext& context, const std::string& metadata_location) const = 0;
  /// Deletes all files that a table's metadata file names, and the file itself: of a table that no catalog has any
  /// more, and that CheckDeletable has let pass.
  virtual Status DeleteFiles(const TableContext& context, const std::string& metadata_location) const = 0;
};

}  // namespace frazil::tables
