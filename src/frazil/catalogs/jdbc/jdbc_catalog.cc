#include "frazil/catalogs/jdbc/jdbc_catalog.h"

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/catalogs/jdbc/postgres_connection.h"
#include "frazil/catalogs/sql/sqlite_connection.h"

namespace frazil::catalogs {
namespace {

Error BadSetting(const std::string& message) { return Error::Plain(ExceptionClass::kIllegalArgument, message); }

/// The path of a SQLite database: "/a/b", "b", ":memory:", or "file:..." with SQLite's own options.
std::string SqlitePath(std::string_view rest) {
  // As in PyIceberg: sqlite:///relative and sqlite:////absolute.
  if (rest.starts_with("///")) rest.remove_prefix(3);
  return std::string(rest);
}

Result<std::shared_ptr<SqlConnection>> Connect(const std::string& uri,
                                               const std::map<std::string, std::string>& settings) {
  std::string_view address = uri;
  if (address.starts_with("jdbc:")) address.remove_prefix(5);
  const size_t colon = address.find(':');
  if (colon == std::string_view::npos) return BadSetting("The uri of a JDBC catalog has no scheme: " + uri);
  // A driver that others use for the same database: postgresql+psycopg2.
  const std::string scheme = AsciiLower(address.substr(0, std::min(colon, address.find('+'))));
  const std::string_view rest = address.substr(colon + 1);
  if (scheme == "sqlite") {
    FRAZIL_ASSIGN_OR_RETURN(auto connection, SqliteConnection::Open(SqlitePath(rest)));
    return std::shared_ptr<SqlConnection>(std::move(connection));
  }
  if (scheme == "postgresql" || scheme == "postgres") {
    std::map<std::string, std::string> options;
    for (const auto& [key, value] : settings) {
      if (!key.starts_with("jdbc.")) continue;
      const std::string option = key.substr(5);
      // Iceberg's own settings; the others are the driver's.
      if (option == "schema-version" || option == "strict-mode" || option == "init-catalog-tables") continue;
      if (option == "ssl") {
        if (EqualsIgnoreCase(value, "true")) options.emplace("sslmode", "require");
        continue;
      }
      options[option] = value;
    }
    FRAZIL_ASSIGN_OR_RETURN(auto connection, PostgresConnection::Open("postgresql:" + std::string(rest), options));
    return std::shared_ptr<SqlConnection>(std::move(connection));
  }
  return Error::Unsupported("a JDBC catalog in " + scheme);
}

}  // namespace

Result<CatalogPtr> JdbcCatalog::Make(const CatalogContext& context) {
  std::shared_ptr<JdbcCatalog> catalog(new JdbcCatalog());
  FRAZIL_RETURN_IF_ERROR(catalog->Initialize(context));
  const std::string uri = catalog->SettingOf("uri");
  if (uri.empty()) return BadSetting("JDBC connection URI is required");
  catalog->warehouse_ = catalog->SettingOf("warehouse");
  if (catalog->warehouse_.empty())
    return BadSetting("Cannot initialize JDBCCatalog because warehousePath must not be null or empty");
  while (catalog->warehouse_.size() > 1 && catalog->warehouse_.ends_with('/')) catalog->warehouse_.pop_back();
  catalog->is_strict_ = EqualsIgnoreCase(catalog->SettingOf("jdbc.strict-mode"), "true");
  FRAZIL_ASSIGN_OR_RETURN(auto connection, Connect(uri, context.settings));
  FRAZIL_ASSIGN_OR_RETURN(catalog->names_,
                          JdbcNames::Open(std::move(connection), context.name,
                                          !EqualsIgnoreCase(catalog->SettingOf("jdbc.init-catalog-tables"), "false"),
                                          EqualsIgnoreCase(catalog->SettingOf("jdbc.schema-version"), "V1")));
  return CatalogPtr(std::move(catalog));
}

// --- namespaces

std::string JdbcCatalog::FolderOf(const Namespace& name_space) const {
  std::string folder = warehouse_;
  for (const auto& level : name_space) folder = storage::JoinPath(folder, level);
  return folder;
}

Result<std::vector<Namespace>> JdbcCatalog::ListNamespaces(const Namespace& parent) {
  FRAZIL_ASSIGN_OR_RETURN(auto all, names_->ListNamespaces(parent));
  if (!parent.empty() && all.empty()) return NamespaceNotFound(*this, parent);
  std::vector<Namespace> children;
  for (auto& name_space : all) {
    if (name_space.size() <= parent.size()) continue;
    name_space.resize(parent.size() + 1);
    if (children.empty() || children.back() != name_space) children.push_back(std::move(name_space));
  }
  return children;
}

Result<bool> JdbcCatalog::NamespaceExists(const Namespace& name_space) {
  if (name_space.empty()) return true;
  if (!CanBeKept(name_space)) return false;
  FRAZIL_ASSIGN_OR_RETURN(auto found, names_->ListNamespaces(name_space));
  return !found.empty();
}

Result<std::map<std::string, std::string>> JdbcCatalog::LoadNamespace(const Namespace& name_space) {
  FRAZIL_ASSIGN_OR_RETURN(bool exists, NamespaceExists(name_space));
  if (!exists) return NamespaceNotFound(*this, name_space);
  FRAZIL_ASSIGN_OR_RETURN(auto properties, names_->PropertiesOf(name_space));
  properties.emplace("location", FolderOf(name_space));
  return properties;
}

Status JdbcCatalog::CreateNamespace(const Namespace& name_space, const std::map<std::string, std::string>& properties) {
  if (name_space.empty() || !CanBeKept(name_space)) {
    return BadSetting("Cannot keep the namespace " + Join(name_space, ".") +
                      " in a JDBC catalog: its levels are empty or have a dot");
  }
  FRAZIL_ASSIGN_OR_RETURN(bool exists, NamespaceExists(name_space));
  if (exists) return NamespaceExistsAlready(*this, name_space);
  FRAZIL_ASSIGN_OR_RETURN(bool added, names_->AddNamespace(name_space, properties));
  return added ? Status::Ok() : Status(NamespaceExistsAlready(*this, name_space));
}

Status JdbcCatalog::AlterNamespace(const Namespace& name_space, const std::map<std::string, std::string>& set,
                                   const std::vector<std::string>& unset) {
  FRAZIL_ASSIGN_OR_RETURN(bool exists, NamespaceExists(name_space));
  if (!exists) return NamespaceNotFound(*this, name_space);
  if (set.contains("exists")) return BadSetting("Cannot set reserved property: exists");
  for (const auto& [key, value] : set) FRAZIL_RETURN_IF_ERROR(names_->SetProperty(name_space, key, value));
  for (const auto& key : unset) FRAZIL_RETURN_IF_ERROR(names_->RemoveProperty(name_space, key));
  return {};
}

Status JdbcCatalog::DropNamespace(const Namespace& name_space, bool cascade) {
  FRAZIL_ASSIGN_OR_RETURN(bool exists, NamespaceExists(name_space));
  if (!exists || name_space.empty()) return NamespaceNotFound(*this, name_space);
  FRAZIL_ASSIGN_OR_RETURN(auto children, ListNamespaces(name_space));
  FRAZIL_ASSIGN_OR_RETURN(auto tables, names_->List(name_space, JdbcNames::Kind::kTable));
  FRAZIL_ASSIGN_OR_RETURN(auto views, names_->List(name_space, JdbcNames::Kind::kView));
  if (!cascade && !(children.empty() && tables.empty() && views.empty())) return NamespaceNotEmpty(*this, name_space);
  for (const auto& child : children) FRAZIL_RETURN_IF_ERROR(DropNamespace(child, true));
  for (const auto& table : tables) FRAZIL_RETURN_IF_ERROR(RemoveName({name_space, table}));
  for (const auto& view : views) FRAZIL_RETURN_IF_ERROR(names_->Remove({name_space, view}, JdbcNames::Kind::kView));
  return names_->RemoveNamespace(name_space);
}

// --- tables

Result<std::vector<std::string>> JdbcCatalog::ListTables(const Namespace& name_space) {
  FRAZIL_ASSIGN_OR_RETURN(bool exists, NamespaceExists(name_space));
  if (!exists) return NamespaceNotFound(*this, name_space);
  return names_->List(name_space, JdbcNames::Kind::kTable);
}

Result<std::optional<PointerCatalog::Named>> JdbcCatalog::FindNamed(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(auto entry, names_->Find(identifier));
  if (!entry) return std::optional<Named>();
  if (entry->kind == JdbcNames::Kind::kView) return std::optional<Named>(Named{std::nullopt, false});
  return std::optional<Named>(Named{std::move(entry->metadata_location)});
}

std::shared_ptr<TablePointer> JdbcCatalog::PointerOf(const Identifier& identifier) {
  return std::make_shared<JdbcPointer>(names_, identifier);
}

Result<std::string> JdbcCatalog::DefaultLocation(const Identifier& identifier) {
  bool exists = CanBeKept(identifier.name_space);
  if (exists && is_strict_) {
    FRAZIL_ASSIGN_OR_RETURN(exists, NamespaceExists(identifier.name_space));
  }
  if (!exists) return NamespaceNotFound(*this, identifier.name_space);
  return storage::JoinPath(FolderOf(identifier.name_space), identifier.name);
}

Status JdbcCatalog::RemoveName(const Identifier& identifier) {
  return names_->Remove(identifier, JdbcNames::Kind::kTable);
}

Status JdbcCatalog::RenameTable(const Identifier& from, const Identifier& to) {
  FRAZIL_ASSIGN_OR_RETURN(bool is_there, TableExists(from));
  if (!is_there) return TableNotFound(*this, from);
  FRAZIL_ASSIGN_OR_RETURN(bool known, NamespaceExists(to.name_space));
  if (!known) return NamespaceNotFound(*this, to.name_space);
  FRAZIL_ASSIGN_OR_RETURN(bool renamed, names_->Rename(from, to));
  return renamed ? Status::Ok() : Status(TableExistsAlready(*this, to));
}

// --- views

Result<std::vector<std::string>> JdbcCatalog::ListViews(const Namespace& name_space) {
  FRAZIL_ASSIGN_OR_RETURN(bool exists, NamespaceExists(name_space));
  if (!exists) return NamespaceNotFound(*this, name_space);
  return names_->List(name_space, JdbcNames::Kind::kView);
}

Result<std::optional<ViewDefinition>> JdbcCatalog::LoadView(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(auto entry, names_->Find(identifier));
  if (!entry || entry->kind != JdbcNames::Kind::kView) return std::optional<ViewDefinition>();
  return LoadViewAt(identifier, entry->metadata_location);
}

Status JdbcCatalog::CreateView(const Identifier& identifier, const ViewDefinition& view, bool replace) {
  FRAZIL_ASSIGN_OR_RETURN(auto folder, DefaultLocation(identifier));
  FRAZIL_ASSIGN_OR_RETURN(auto entry, names_->Find(identifier));
  const bool is_view = entry && entry->kind == JdbcNames::Kind::kView;
  if (entry && (!replace || !is_view)) return TableExistsAlready(*this, identifier);
  const auto former = entry ? std::optional<std::string>(entry->metadata_location) : std::nullopt;
  FRAZIL_ASSIGN_OR_RETURN(auto file, WriteView(view, folder, former));
  FRAZIL_ASSIGN_OR_RETURN(bool moved, names_->Move(identifier, JdbcNames::Kind::kView, former, file.location));
  if (moved) return {};
  if (!former) return TableExistsAlready(*this, identifier);
  return Error::Storage("The view " + DottedName(*this, identifier) + " was changed meanwhile; replace it again");
}

Status JdbcCatalog::DropView(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(auto entry, names_->Find(identifier));
  if (!entry || entry->kind != JdbcNames::Kind::kView) return TableNotFound(*this, identifier);
  return names_->Remove(identifier, JdbcNames::Kind::kView);
}

}  // namespace frazil::catalogs
