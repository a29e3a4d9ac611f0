#pragma once

namespace frazil::catalogs {

/// Marks catalogs whose tables are of the provider that the statement names (else the session's default), as in Spark's
/// own; the others' are Iceberg's.
class TablesOfAnyProvider {
 public:
  virtual ~TablesOfAnyProvider() = default;
};

}  // namespace frazil::catalogs
