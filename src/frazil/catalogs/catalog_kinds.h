#pragma once

#include "frazil/catalogs/catalog.h"

namespace frazil::catalogs {

/// Registers every kind of catalog under the class names that Spark users write. "" is the built-in session catalog.
void RegisterCatalogKinds(CatalogRegistry* registry);

}  // namespace frazil::catalogs
