#include "frazil/analysis/analysis_context.h"

#include "frazil/base/text.h"

namespace frazil::analysis {

Result<tables::TablePtr> AnalysisContext::LoadTable(const catalogs::CatalogPtr& catalog,
                                                    const catalogs::Identifier& identifier) {
  const auto name = catalogs::FullName(*catalog, identifier);
  if (auto known = tables_.find(name); known != tables_.end()) return known->second;
  FRAZIL_ASSIGN_OR_RETURN(auto table, catalog->LoadTable(identifier));
  // A table of Delta Lake is its folder, however it is named: delta.`path` beside a name must not be another version.
  // (Of other formats the catalog says which state is the newest.)
  if (table->provider() == "delta") {
    for (const auto& [other, known] : tables_) {
      if (known->provider() != "delta" || known->location() != table->location()) continue;
      table = known;
      break;
    }
  }
  tables_[name] = table;
  return table;
}

AnalysisContext::LocalVariable AnalysisContext::FindLocalVariable(const std::vector<std::string>& name) {
  const auto find = [](LocalScope& scope, const std::string& wanted) -> SessionVariable* {
    for (auto& variable : scope.variables) {
      if (EqualsIgnoreCase(variable.name, wanted)) return &variable;
    }
    return nullptr;
  };
  for (auto scope = local_scopes.rbegin(); scope != local_scopes.rend(); ++scope) {
    if (auto* variable = find(*scope, name[0])) return {variable, 1};
    if (name.size() < 2 || scope->label.empty() || !EqualsIgnoreCase(scope->label, name[0])) continue;
    if (auto* variable = find(*scope, name[1])) return {variable, 2};
  }
  return {};
}

Result<OpenedStream> AnalysisContext::OpenStream(const plan::Plan& source) {
  const size_t place = next_stream_++;
  if (const auto bound = bound_streams.find(place); bound != bound_streams.end()) return bound->second;
  OpenedStream opened;
  FRAZIL_ASSIGN_OR_RETURN(opened.scan, DescribeStream(source, place));
  return opened;
}

}  // namespace frazil::analysis
