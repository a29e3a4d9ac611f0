#pragma once

// Names in Spark's session catalog, whose namespaces have one part.

#include <string>

#include "frazil/catalogs/catalog.h"

namespace frazil::catalogs {

inline constexpr const char* kSessionCatalog = "spark_catalog";

/// REQUIRES_SINGLE_PART_NAMESPACE, of a catalog that has no nested namespaces.
Error SinglePartNamespace(const std::string& catalog, const Namespace& name_space);

}  // namespace frazil::catalogs
