#include "frazil/catalogs/catalog.h"

#include "frazil/catalogs/session_names.h"

namespace frazil::catalogs {

namespace {

Error NoViews(const Catalog& catalog) {
  return Error::Of("UNSUPPORTED_FEATURE.CATALOG_OPERATION",
                   {{"catalogName", QuoteIdentifier(catalog.name())}, {"operation", "views"}});
}

}  // namespace

Result<std::vector<std::string>> Catalog::ListViews(const Namespace&) { return std::vector<std::string>(); }

Result<std::optional<ViewDefinition>> Catalog::LoadView(const Identifier&) { return std::optional<ViewDefinition>(); }

Status Catalog::CreateView(const Identifier&, const ViewDefinition&, bool) { return NoViews(*this); }

Status Catalog::DropView(const Identifier&) { return NoViews(*this); }

void CatalogRegistry::Register(std::string class_name, Factory factory) {
  factories_[std::move(class_name)] = std::move(factory);
}

Result<CatalogPtr> CatalogRegistry::Make(const CatalogContext& context) const {
  auto found = factories_.find(context.class_name);
  if (found == factories_.end()) {
    return Error::Plain(ExceptionClass::kSpark,
                        "Cannot find catalog plugin class for catalog '" + context.name + "': " + context.class_name);
  }
  return found->second(context);
}

Error SinglePartNamespace(const std::string& catalog, const Namespace& name_space) {
  return Error::Of("REQUIRES_SINGLE_PART_NAMESPACE",
                   {{"sessionCatalog", catalog}, {"namespace", QuoteIdentifier(name_space)}});
}

Error TableNotFound(const Catalog& catalog, const Identifier& identifier) {
  if (catalog.name() == kSessionCatalog && identifier.name_space.size() > 1)
    return SinglePartNamespace(kSessionCatalog, identifier.name_space);
  return Error::Of("TABLE_OR_VIEW_NOT_FOUND", {{"relationName", QuoteIdentifier(FullName(catalog, identifier))}});
}

Error TableExistsAlready(const Catalog& catalog, const Identifier& identifier) {
  return Error::Of("TABLE_OR_VIEW_ALREADY_EXISTS", {{"relationName", QuoteIdentifier(FullName(catalog, identifier))}});
}

Error NamespaceNotFound(const Catalog& catalog, const Namespace& name_space) {
  std::vector<std::string> parts = {catalog.name()};
  parts.insert(parts.end(), name_space.begin(), name_space.end());
  return Error::Of("SCHEMA_NOT_FOUND", {{"schemaName", QuoteIdentifier(parts)}});
}

Error NamespaceExistsAlready(const Catalog& catalog, const Namespace& name_space) {
  std::vector<std::string> parts = {catalog.name()};
  parts.insert(parts.end(), name_space.begin(), name_space.end());
  return Error::Of("SCHEMA_ALREADY_EXISTS", {{"schemaName", QuoteIdentifier(parts)}});
}

Error NamespaceNotEmpty(const Catalog& catalog, const Namespace& name_space) {
  std::vector<std::string> parts = {catalog.name()};
  parts.insert(parts.end(), name_space.begin(), name_space.end());
  return Error::Of("SCHEMA_NOT_EMPTY", {{"schemaName", QuoteIdentifier(parts)}});
}

std::vector<std::string> FullName(const Catalog& catalog, const Identifier& identifier) {
  std::vector<std::string> parts = {catalog.name()};
  parts.insert(parts.end(), identifier.name_space.begin(), identifier.name_space.end());
  parts.push_back(identifier.name);
  return parts;
}

std::string DottedName(const Catalog& catalog, const Identifier& identifier) {
  std::string name;
  for (const auto& part : FullName(catalog, identifier)) {
    if (!name.empty()) name += '.';
    name += part;
  }
  return name;
}

}  // namespace frazil::catalogs
