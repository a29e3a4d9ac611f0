#include "frazil/analysis/analysis_context.h"

namespace frazil::analysis {

Result<tables::TablePtr> AnalysisContext::LoadTable(const catalogs::CatalogPtr& catalog,
                                                    const catalogs::Identifier& identifier) {
  const auto name = catalogs::FullName(*catalog, identifier);
  if (auto known = tables_.find(name); known != tables_.end()) return known->second;
  FRAZIL_ASSIGN_OR_RETURN(auto table, catalog->LoadTable(identifier));
  tables_[name] = table;
  return table;
}

}  // namespace frazil::analysis
