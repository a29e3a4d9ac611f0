#pragma once

#include <string>

#include "frazil/catalogs/catalog.h"

namespace frazil::catalogs {

/// A catalog that can take in a table that is there already, by its metadata file, is also of this type.
class TableRegistrar {
 public:
  virtual ~TableRegistrar() = default;
  /// Error TABLE_OR_VIEW_ALREADY_EXISTS.
  virtual Status RegisterTable(const Identifier& identifier, const std::string& metadata_location) = 0;
};

}  // namespace frazil::catalogs
