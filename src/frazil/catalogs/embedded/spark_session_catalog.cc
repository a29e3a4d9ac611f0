#include "frazil/catalogs/embedded/spark_session_catalog.h"

#include <algorithm>

#include "frazil/base/text.h"

namespace frazil::catalogs {

Result<Catalog*> SparkSessionCatalog::Owner(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(bool is_iceberg, iceberg_->TableExists(identifier));
  return is_iceberg ? iceberg_.get() : built_in_.get();
}

Result<std::vector<std::string>> SparkSessionCatalog::ListTables(const Namespace& name_space) {
  FRAZIL_ASSIGN_OR_RETURN(auto names, built_in_->ListTables(name_space));
  FRAZIL_ASSIGN_OR_RETURN(bool known, iceberg_->NamespaceExists(name_space));
  if (known) {
    FRAZIL_ASSIGN_OR_RETURN(auto more, iceberg_->ListTables(name_space));
    names.insert(names.end(), more.begin(), more.end());
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
  }
  return names;
}

Status SparkSessionCatalog::DropNamespace(const Namespace& name_space, bool cascade) {
  FRAZIL_ASSIGN_OR_RETURN(bool known, iceberg_->NamespaceExists(name_space));
  if (known) {
    FRAZIL_ASSIGN_OR_RETURN(auto tables, iceberg_->ListTables(name_space));
    if (!tables.empty() && !cascade) return NamespaceNotEmpty(*this, name_space);
    for (const auto& table : tables) FRAZIL_RETURN_IF_ERROR(iceberg_->DropTable({name_space, table}, true));
  }
  return built_in_->DropNamespace(name_space, cascade);
}

Result<bool> SparkSessionCatalog::TableExists(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(bool is_iceberg, iceberg_->TableExists(identifier));
  if (is_iceberg) return true;
  return built_in_->TableExists(identifier);
}

Result<tables::TablePtr> SparkSessionCatalog::LoadTable(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(Catalog * owner, Owner(identifier));
  return owner->LoadTable(identifier);
}

Result<tables::TablePtr> SparkSessionCatalog::CreateTable(const Identifier& identifier,
                                                          const tables::TableDefinition& definition) {
  FRAZIL_ASSIGN_OR_RETURN(bool exists, TableExists(identifier));
  if (exists) return TableExistsAlready(*this, identifier);
  FRAZIL_ASSIGN_OR_RETURN(bool known, NamespaceExists(identifier.name_space));
  if (!known) return NamespaceNotFound(*this, identifier.name_space);
  if (EqualsIgnoreCase(definition.provider, "iceberg")) return iceberg_->CreateTable(identifier, definition);
  return built_in_->CreateTable(identifier, definition);
}

Result<tables::StagedTable> SparkSessionCatalog::StageTable(const Identifier& identifier,
                                                            const tables::TableDefinition& definition, bool replace) {
  FRAZIL_ASSIGN_OR_RETURN(bool exists, TableExists(identifier));
  if (exists && !replace) return TableExistsAlready(*this, identifier);
  if (exists) {
    FRAZIL_ASSIGN_OR_RETURN(Catalog * owner, Owner(identifier));
    return owner->StageTable(identifier, definition, replace);
  }
  FRAZIL_ASSIGN_OR_RETURN(bool known, NamespaceExists(identifier.name_space));
  if (!known) return NamespaceNotFound(*this, identifier.name_space);
  if (EqualsIgnoreCase(definition.provider, "iceberg")) return iceberg_->StageTable(identifier, definition, replace);
  return built_in_->StageTable(identifier, definition, replace);
}

Status SparkSessionCatalog::DropTable(const Identifier& identifier, bool purge) {
  FRAZIL_ASSIGN_OR_RETURN(Catalog * owner, Owner(identifier));
  return owner->DropTable(identifier, purge);
}

Status SparkSessionCatalog::RenameTable(const Identifier& from, const Identifier& to) {
  FRAZIL_ASSIGN_OR_RETURN(Catalog * owner, Owner(from));
  return owner->RenameTable(from, to);
}

Status SparkSessionCatalog::AlterTable(const Identifier& identifier, const std::vector<tables::TableChange>& changes) {
  FRAZIL_ASSIGN_OR_RETURN(Catalog * owner, Owner(identifier));
  return owner->AlterTable(identifier, changes);
}

Result<std::vector<std::string>> SparkSessionCatalog::ListFunctions(const Namespace& name_space) {
  auto* functions = dynamic_cast<FunctionCatalog*>(built_in_.get());
  if (functions == nullptr) return std::vector<std::string>();
  return functions->ListFunctions(name_space);
}

Result<std::optional<FunctionDefinition>> SparkSessionCatalog::LoadFunction(const Identifier& identifier) {
  auto* functions = dynamic_cast<FunctionCatalog*>(built_in_.get());
  if (functions == nullptr) return std::optional<FunctionDefinition>();
  return functions->LoadFunction(identifier);
}

Result<bool> SparkSessionCatalog::CreateFunction(const Identifier& identifier, const FunctionDefinition& function,
                                                 bool replace) {
  auto* functions = dynamic_cast<FunctionCatalog*>(built_in_.get());
  if (functions == nullptr) return Error::Unsupported("functions in the catalog " + name());
  return functions->CreateFunction(identifier, function, replace);
}

Result<bool> SparkSessionCatalog::DropFunction(const Identifier& identifier) {
  auto* functions = dynamic_cast<FunctionCatalog*>(built_in_.get());
  if (functions == nullptr) return false;
  return functions->DropFunction(identifier);
}

}  // namespace frazil::catalogs
