#pragma once

#include "frazil/catalogs/catalog.h"

namespace frazil::catalogs {

/// A catalog that knows whether the files of a table go with it when it is dropped (MANAGED) or stay (EXTERNAL), where
/// the table itself cannot tell.
class OwnedTables {
 public:
  virtual ~OwnedTables() = default;
  /// Error TABLE_OR_VIEW_NOT_FOUND.
  virtual Result<bool> OwnsFiles(const Identifier& identifier) = 0;
};

}  // namespace frazil::catalogs
