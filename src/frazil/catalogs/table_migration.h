#pragma once

#include <optional>
#include <string>

#include "frazil/catalogs/catalog.h"

namespace frazil::catalogs {

/// A catalog in which an Iceberg table can take the name of a table of plain files, over the same files, is also of
/// this type.
class TableMigration {
 public:
  struct Aside {
    bool owned_files = false;             ///< The table's files were to go with it.
    std::optional<std::string> location;  ///< Where the other table lies; nullopt: where the catalog says.
  };

  virtual ~TableMigration() = default;
  /// Renames a table of plain files so that its files stay where they are, also when it is dropped by its new name:
  /// they are another's now. Errors TABLE_OR_VIEW_NOT_FOUND, TABLE_OR_VIEW_ALREADY_EXISTS (of `aside`).
  virtual Result<Aside> SetAside(const Identifier& table, const Identifier& aside) = 0;
  /// The reverse: the table is as it was before.
  virtual Status PutBack(const Identifier& aside, const Identifier& table, const Aside& former) = 0;
};

}  // namespace frazil::catalogs
