#include "frazil/catalogs/path/path_catalog.h"

#include <algorithm>
#include <utility>

namespace frazil::catalogs {

namespace {

std::string BaseName(const std::string& path) {
  size_t end = path.find_last_not_of('/');
  if (end == std::string::npos) return {};
  size_t slash = path.rfind('/', end);
  return path.substr(slash == std::string::npos ? 0 : slash + 1,
                     end - (slash == std::string::npos ? 0 : slash + 1) + 1);
}

/// A name becomes a folder of its own, never a way out of the warehouse.
Status CheckPart(const std::string& part) {
  if (part.empty() || part == "." || part == ".." || part.find('/') != std::string::npos) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "Invalid name for a table or namespace of a path catalog: '" + part + "'");
  }
  return Status::Ok();
}

std::string TrimSlashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

PathCatalog::PathCatalog(std::string name, std::string warehouse, storage::ObjectStorePtr store,
                         storage::SettingLookup settings, tables::TableFormatPtr format)
    : name_(std::move(name)),
      warehouse_(std::move(warehouse)),
      store_(std::move(store)),
      settings_(std::move(settings)),
      format_(std::move(format)) {}

Result<CatalogPtr> PathCatalog::Make(const CatalogContext& context) {
  auto warehouse = context.settings.find("warehouse");
  if (warehouse == context.settings.end() || warehouse->second.empty()) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "Cannot initialize HadoopCatalog because warehousePath must not be null or empty");
  }
  const auto settings = SettingsWithin(context.settings, context.session_settings);
  FRAZIL_ASSIGN_OR_RETURN(auto store, context.stores->StoreFor(warehouse->second, settings));
  auto format = context.formats->Find("iceberg");
  if (format == nullptr) return Error::Internal("the table format iceberg is not registered");
  std::string folder =
      storage::SchemeOf(warehouse->second) == "file" ? storage::LocalPath(warehouse->second) : warehouse->second;
  std::shared_ptr<PathCatalog> catalog(
      new PathCatalog(context.name, TrimSlashes(folder), std::move(store), settings, std::move(format)));
  catalog->table_properties_ = TableProperties::Of(context.settings);
  return CatalogPtr(std::move(catalog));
}

Result<std::string> PathCatalog::NamespacePath(const Namespace& name_space) const {
  std::string path = warehouse_;
  for (const auto& part : name_space) {
    FRAZIL_RETURN_IF_ERROR(CheckPart(part));
    path = storage::JoinPath(path, part);
  }
  return path;
}

Result<std::string> PathCatalog::TablePath(const Identifier& identifier) const {
  FRAZIL_RETURN_IF_ERROR(CheckPart(identifier.name));
  FRAZIL_ASSIGN_OR_RETURN(auto folder, NamespacePath(identifier.name_space));
  return storage::JoinPath(folder, identifier.name);
}

tables::TableContext PathCatalog::ContextFor(const Identifier& identifier) const {
  return {store_, settings_, DottedName(*this, identifier)};
}

Result<bool> PathCatalog::HoldsTable(const std::string& folder) const {
  FRAZIL_ASSIGN_OR_RETURN(auto current, format_->PathCommitPoint({store_, settings_, folder}, folder)->Current());
  return current.has_value();
}

Result<std::vector<Namespace>> PathCatalog::ListNamespaces(const Namespace& parent) {
  FRAZIL_ASSIGN_OR_RETURN(auto path, NamespacePath(parent));
  if (!parent.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(bool exists, NamespaceExists(parent));
    if (!exists) return NamespaceNotFound(*this, parent);
  }
  FRAZIL_ASSIGN_OR_RETURN(auto entries, store_->List(path, false));
  std::vector<Namespace> found;
  for (const auto& entry : entries) {
    std::string name = BaseName(entry.path);
    if (!entry.is_directory || name.empty() || name[0] == '.') continue;
    FRAZIL_ASSIGN_OR_RETURN(bool is_table, HoldsTable(storage::JoinPath(path, name)));
    if (is_table) continue;
    Namespace child = parent;
    child.push_back(std::move(name));
    found.push_back(std::move(child));
  }
  std::sort(found.begin(), found.end());
  return found;
}

Result<bool> PathCatalog::NamespaceExists(const Namespace& name_space) {
  if (name_space.empty()) return true;
  FRAZIL_ASSIGN_OR_RETURN(auto path, NamespacePath(name_space));
  FRAZIL_ASSIGN_OR_RETURN(bool exists, store_->Exists(path));
  if (!exists) return false;
  FRAZIL_ASSIGN_OR_RETURN(bool is_table, HoldsTable(path));
  return !is_table;
}

Result<std::map<std::string, std::string>> PathCatalog::LoadNamespace(const Namespace& name_space) {
  FRAZIL_ASSIGN_OR_RETURN(bool exists, NamespaceExists(name_space));
  if (!exists) return NamespaceNotFound(*this, name_space);
  FRAZIL_ASSIGN_OR_RETURN(auto path, NamespacePath(name_space));
  return std::map<std::string, std::string>{{"location", path}};
}

Status PathCatalog::CreateNamespace(const Namespace& name_space, const std::map<std::string, std::string>& properties) {
  for (const auto& [key, value] : properties) {
    // The folder has no place to keep properties; "owner" is what Spark itself adds.
    if (key != "owner") {
      return Error::Of(ExceptionClass::kUnsupportedOperation, "UNSUPPORTED_FEATURE.CATALOG_OPERATION",
                       {{"catalogName", QuoteIdentifier(name_)}, {"operation", "namespace properties (" + key + ")"}});
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(bool exists, NamespaceExists(name_space));
  if (exists) return NamespaceExistsAlready(*this, name_space);
  FRAZIL_ASSIGN_OR_RETURN(auto path, NamespacePath(name_space));
  return store_->CreateFolder(path);
}

Status PathCatalog::AlterNamespace(const Namespace&, const std::map<std::string, std::string>&,
                                   const std::vector<std::string>&) {
  return Error::Of(ExceptionClass::kUnsupportedOperation, "UNSUPPORTED_FEATURE.CATALOG_OPERATION",
                   {{"catalogName", QuoteIdentifier(name_)}, {"operation", "namespace properties"}});
}

Status PathCatalog::DropNamespace(const Namespace& name_space, bool cascade) {
  FRAZIL_ASSIGN_OR_RETURN(bool exists, NamespaceExists(name_space));
  if (!exists) return NamespaceNotFound(*this, name_space);
  FRAZIL_ASSIGN_OR_RETURN(auto tables, ListTables(name_space));
  FRAZIL_ASSIGN_OR_RETURN(auto children, ListNamespaces(name_space));
  if (!cascade && (!tables.empty() || !children.empty())) return NamespaceNotEmpty(*this, name_space);
  for (const auto& table : tables) FRAZIL_RETURN_IF_ERROR(DropTable({name_space, table}, true));
  for (const auto& child : children) FRAZIL_RETURN_IF_ERROR(DropNamespace(child, true));
  FRAZIL_ASSIGN_OR_RETURN(auto path, NamespacePath(name_space));
  return store_->DeleteRecursively(path);
}

Result<std::vector<std::string>> PathCatalog::ListTables(const Namespace& name_space) {
  FRAZIL_ASSIGN_OR_RETURN(bool exists, NamespaceExists(name_space));
  if (!exists) return NamespaceNotFound(*this, name_space);
  FRAZIL_ASSIGN_OR_RETURN(auto path, NamespacePath(name_space));
  FRAZIL_ASSIGN_OR_RETURN(auto entries, store_->List(path, false));
  std::vector<std::string> found;
  for (const auto& entry : entries) {
    if (!entry.is_directory) continue;
    std::string name = BaseName(entry.path);
    FRAZIL_ASSIGN_OR_RETURN(bool is_table, HoldsTable(storage::JoinPath(path, name)));
    if (is_table) found.push_back(std::move(name));
  }
  std::sort(found.begin(), found.end());
  return found;
}

Result<bool> PathCatalog::TableExists(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(auto path, TablePath(identifier));
  return HoldsTable(path);
}

Result<tables::TablePtr> PathCatalog::LoadTable(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(auto path, TablePath(identifier));
  auto context = ContextFor(identifier);
  // Looking for the table first would double the requests to a store.
  auto table = format_->Load(context, path, format_->PathCommitPoint(context, path));
  if (!table.ok() && table.error().condition == "TABLE_OR_VIEW_NOT_FOUND") return TableNotFound(*this, identifier);
  return table;
}

Result<tables::TableDefinition> PathCatalog::Complete(const tables::TableDefinition& definition,
                                                      const std::string& location) const {
  if (definition.location.has_value()) {
    std::string wanted =
        storage::SchemeOf(*definition.location) == "file" || storage::SchemeOf(*definition.location).empty()
            ? storage::LocalPath(*definition.location)
            : *definition.location;
    if (TrimSlashes(wanted) != TrimSlashes(storage::LocalPath(location))) {
      return Error::Plain(ExceptionClass::kIllegalArgument,
                          "Cannot set a custom location for a path-based table. Expected " + location + " but got " +
                              *definition.location);
    }
  }
  return table_properties_.Complete(definition);
}

Result<tables::TablePtr> PathCatalog::CreateTable(const Identifier& identifier,
                                                  const tables::TableDefinition& definition) {
  FRAZIL_ASSIGN_OR_RETURN(auto path, TablePath(identifier));
  FRAZIL_ASSIGN_OR_RETURN(auto complete, Complete(definition, path));
  FRAZIL_ASSIGN_OR_RETURN(bool exists, HoldsTable(path));
  if (exists) return TableExistsAlready(*this, identifier);
  auto context = ContextFor(identifier);
  return format_->Create(context, complete, path, format_->PathCommitPoint(context, path));
}

Result<tables::StagedTable> PathCatalog::StageTable(const Identifier& identifier,
                                                    const tables::TableDefinition& definition, bool replace) {
  FRAZIL_ASSIGN_OR_RETURN(auto path, TablePath(identifier));
  FRAZIL_ASSIGN_OR_RETURN(auto complete, Complete(definition, path));
  auto context = ContextFor(identifier);
  FRAZIL_ASSIGN_OR_RETURN(bool exists, HoldsTable(path));
  if (exists && !replace) return TableExistsAlready(*this, identifier);
  return format_->Stage(context, complete, path, format_->PathCommitPoint(context, path), replace && exists);
}

Status PathCatalog::DropTable(const Identifier& identifier, bool) {
  FRAZIL_ASSIGN_OR_RETURN(auto path, TablePath(identifier));
  FRAZIL_ASSIGN_OR_RETURN(bool exists, HoldsTable(path));
  if (!exists) return TableNotFound(*this, identifier);
  // The folder is the table: without it the name is gone, so its files go too, purge or not (as HadoopCatalog does).
  return store_->DeleteRecursively(path);
}

Status PathCatalog::RenameTable(const Identifier& from, const Identifier&) {
  FRAZIL_ASSIGN_OR_RETURN(bool exists, TableExists(from));
  if (!exists) return TableNotFound(*this, from);
  return Error::Plain(ExceptionClass::kUnsupportedOperation, "Cannot rename Hadoop tables");
}

Status PathCatalog::AlterTable(const Identifier& identifier, const std::vector<tables::TableChange>& changes) {
  FRAZIL_ASSIGN_OR_RETURN(auto table, LoadTable(identifier));
  return table->Alter(changes);
}

}  // namespace frazil::catalogs
