#include "frazil/catalogs/embedded/embedded_catalog.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/catalogs/definition_changes.h"
#include "frazil/catalogs/embedded/catalog_documents.h"
#include "frazil/catalogs/embedded/entry_commit_point.h"
#include "frazil/catalogs/metastore/hive_formats.h"
#include "frazil/catalogs/session_names.h"
#include "frazil/tables/metadata_text.h"

namespace frazil::catalogs {

namespace {

constexpr const char* kStoreFile = ".frazil/catalog.sqlite";

Namespace Of(std::string database) { return {std::move(database)}; }

}  // namespace

EmbeddedCatalog::EmbeddedCatalog(const CatalogContext& context, std::string warehouse,
                                 std::shared_ptr<EmbeddedStore> store)
    : name_(context.name),
      warehouse_(std::move(warehouse)),
      store_(std::move(store)),
      formats_(context.formats),
      stores_(context.stores),
      settings_(context.session_settings) {}

Result<CatalogPtr> EmbeddedCatalog::Make(const CatalogContext& context) {
  auto configured = context.settings.find("warehouse");
  std::string warehouse =
      storage::LocalPath(configured == context.settings.end() ? context.default_warehouse : configured->second);
  FRAZIL_ASSIGN_OR_RETURN(auto store, EmbeddedStore::Open(storage::JoinPath(warehouse, kStoreFile)));
  std::shared_ptr<EmbeddedCatalog> catalog(new EmbeddedCatalog(context, warehouse, store));
  FRAZIL_RETURN_IF_ERROR(store->InsertDatabase(
      "default", WritePropertiesDocument({{"location", warehouse}, {"comment", "default database"}})));
  return CatalogPtr(std::move(catalog));
}

Result<std::string> EmbeddedCatalog::Database(const Namespace& name_space) {
  if (name_space.size() != 1) return SinglePartNamespace(name_, name_space);
  std::string database = AsciiLower(name_space[0]);
  FRAZIL_ASSIGN_OR_RETURN(auto found, store_->FindDatabase(database));
  if (!found.has_value()) return NamespaceNotFound(*this, name_space);
  return database;
}

Result<std::vector<Namespace>> EmbeddedCatalog::ListNamespaces(const Namespace& parent) {
  if (!parent.empty()) {
    FRAZIL_RETURN_IF_ERROR(Database(parent));
    return std::vector<Namespace>();
  }
  FRAZIL_ASSIGN_OR_RETURN(auto names, store_->ListDatabases());
  std::vector<Namespace> found;
  for (auto& name : names) found.push_back(Of(std::move(name)));
  return found;
}

Result<bool> EmbeddedCatalog::NamespaceExists(const Namespace& name_space) {
  if (name_space.size() != 1) return false;
  FRAZIL_ASSIGN_OR_RETURN(auto found, store_->FindDatabase(AsciiLower(name_space[0])));
  return found.has_value();
}

Result<std::map<std::string, std::string>> EmbeddedCatalog::LoadNamespace(const Namespace& name_space) {
  FRAZIL_ASSIGN_OR_RETURN(auto database, Database(name_space));
  FRAZIL_ASSIGN_OR_RETURN(auto document, store_->FindDatabase(database));
  if (!document.has_value()) return NamespaceNotFound(*this, name_space);
  return ReadPropertiesDocument(*document);
}

Status EmbeddedCatalog::CreateNamespace(const Namespace& name_space,
                                        const std::map<std::string, std::string>& properties) {
  if (name_space.size() != 1) return SinglePartNamespace(name_, name_space);
  std::string database = AsciiLower(name_space[0]);
  auto complete = properties;
  auto location = complete.find("location");
  if (location == complete.end()) {
    complete["location"] = storage::JoinPath(warehouse_, database + ".db");
  } else if (storage::SchemeOf(location->second) == "file") {
    location->second = storage::LocalPath(location->second);
  }
  FRAZIL_ASSIGN_OR_RETURN(bool inserted, store_->InsertDatabase(database, WritePropertiesDocument(complete)));
  if (!inserted) return NamespaceExistsAlready(*this, name_space);
  FRAZIL_ASSIGN_OR_RETURN(auto files, stores_->StoreFor(complete["location"], settings_));
  return files->CreateFolder(complete["location"]);
}

Status EmbeddedCatalog::AlterNamespace(const Namespace& name_space, const std::map<std::string, std::string>& set,
                                       const std::vector<std::string>& unset) {
  FRAZIL_ASSIGN_OR_RETURN(auto database, Database(name_space));
  FRAZIL_ASSIGN_OR_RETURN(auto properties, LoadNamespace(name_space));
  for (const auto& [key, value] : set) properties[key] = value;
  for (const auto& key : unset) properties.erase(key);
  return store_->UpdateDatabase(database, WritePropertiesDocument(properties));
}

Status EmbeddedCatalog::DropNamespace(const Namespace& name_space, bool cascade) {
  FRAZIL_ASSIGN_OR_RETURN(auto database, Database(name_space));
  if (database == "default") {
    return Error::Of("UNSUPPORTED_FEATURE.DROP_DATABASE", {{"database", QuoteIdentifier({name_, "default"})}});
  }
  FRAZIL_ASSIGN_OR_RETURN(auto entries, store_->ListEntries(database));
  FRAZIL_ASSIGN_OR_RETURN(const auto functions, store_->ListFunctions(database));
  if ((!entries.empty() || !functions.empty()) && !cascade) return NamespaceNotEmpty(*this, name_space);
  FRAZIL_ASSIGN_OR_RETURN(auto properties, LoadNamespace(name_space));
  for (const auto& entry : entries) {
    if (entry.kind == EmbeddedStore::EntryKind::kTable)
      FRAZIL_RETURN_IF_ERROR(DropTable({name_space, entry.name}, false));
  }
  FRAZIL_RETURN_IF_ERROR(store_->DeleteDatabase(database));
  // The folder goes as Spark's own warehouse folders do, but only the one that we chose: a folder of the user's may
  // hold other things.
  std::string own = storage::JoinPath(warehouse_, database + ".db");
  if (properties["location"] != own) return Status::Ok();
  FRAZIL_ASSIGN_OR_RETURN(auto files, stores_->StoreFor(own, settings_));
  return files->DeleteRecursively(own);
}

Result<std::vector<std::string>> EmbeddedCatalog::ListTables(const Namespace& name_space) {
  FRAZIL_ASSIGN_OR_RETURN(auto database, Database(name_space));
  FRAZIL_ASSIGN_OR_RETURN(auto entries, store_->ListEntries(database));
  std::vector<std::string> names;
  for (auto& entry : entries) {
    if (entry.kind == EmbeddedStore::EntryKind::kTable) names.push_back(std::move(entry.name));
  }
  return names;
}

Result<std::string> EmbeddedCatalog::DefaultLocation(const std::string& database, const std::string& table) {
  FRAZIL_ASSIGN_OR_RETURN(auto document, store_->FindDatabase(database));
  if (!document.has_value()) return NamespaceNotFound(*this, Of(database));
  FRAZIL_ASSIGN_OR_RETURN(auto properties, ReadPropertiesDocument(*document));
  auto location = properties.find("location");
  return storage::JoinPath(location == properties.end() ? warehouse_ : location->second, table);
}

Result<std::string> EmbeddedCatalog::FreeLocation(const std::string& database, const std::string& table) {
  FRAZIL_ASSIGN_OR_RETURN(auto location, DefaultLocation(database, table));
  FRAZIL_ASSIGN_OR_RETURN(auto files, stores_->StoreFor(location, settings_));
  FRAZIL_ASSIGN_OR_RETURN(auto taken, files->List(location, /*recursive=*/false));
  bool is_taken = !taken.empty();
  FRAZIL_ASSIGN_OR_RETURN(const bool is_there, files->Exists(location));
  if (!is_taken && is_there) {
    // A folder without files may be that of a table without rows, which has another name by now.
    FRAZIL_ASSIGN_OR_RETURN(const auto entries, store_->ListEntries(database));
    for (const auto& entry : entries) {
      if (entry.kind != EmbeddedStore::EntryKind::kTable) continue;
      FRAZIL_ASSIGN_OR_RETURN(const auto other, ReadTableDocument(entry.document));
      is_taken = is_taken || (other.location && storage::LocalPath(*other.location) == storage::LocalPath(location));
    }
  }
  return is_taken ? location + "-" + RandomUuidText() : location;
}

Result<tables::TableContext> EmbeddedCatalog::ContextFor(const Identifier& identifier,
                                                         const std::string& location) const {
  FRAZIL_ASSIGN_OR_RETURN(auto files, stores_->StoreFor(location, settings_));
  return tables::TableContext{std::move(files), settings_, DottedName(*this, identifier)};
}

Result<tables::TableFormatPtr> EmbeddedCatalog::FormatOf(const tables::TableDefinition& definition) const {
  auto format = formats_->Find(AsciiLower(definition.provider));
  if (format == nullptr) return Error::Of("DATA_SOURCE_NOT_FOUND", {{"provider", definition.provider}});
  return format;
}

Result<std::optional<tables::TableDefinition>> EmbeddedCatalog::FindDefinition(const Identifier& identifier) {
  if (identifier.name_space.size() != 1) return std::optional<tables::TableDefinition>();
  FRAZIL_ASSIGN_OR_RETURN(auto entry,
                          store_->FindEntry(AsciiLower(identifier.name_space[0]), AsciiLower(identifier.name)));
  if (!entry.has_value() || entry->kind != EmbeddedStore::EntryKind::kTable)
    return std::optional<tables::TableDefinition>();
  FRAZIL_ASSIGN_OR_RETURN(auto definition, ReadTableDocument(entry->document));
  return std::optional<tables::TableDefinition>(std::move(definition));
}

Result<bool> EmbeddedCatalog::TableExists(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(auto definition, FindDefinition(identifier));
  return definition.has_value();
}

Result<tables::TablePtr> EmbeddedCatalog::LoadTable(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(auto definition, FindDefinition(identifier));
  if (!definition.has_value()) return TableNotFound(*this, identifier);
  FRAZIL_ASSIGN_OR_RETURN(auto format, FormatOf(*definition));
  FRAZIL_ASSIGN_OR_RETURN(auto context, ContextFor(identifier, *definition->location));
  if (!format->self_describing()) return format->LoadDefined(context, *definition);
  return format->Load(context, *definition->location, format->PathCommitPoint(context, *definition->location));
}

Result<bool> EmbeddedCatalog::OwnsFiles(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(auto definition, FindDefinition(identifier));
  if (!definition.has_value()) return TableNotFound(*this, identifier);
  return !definition->is_external;
}

Result<tables::TableDefinition> EmbeddedCatalog::Complete(const Identifier& identifier,
                                                          const tables::TableDefinition& definition) {
  FRAZIL_ASSIGN_OR_RETURN(auto database, Database(identifier.name_space));
  // Without a Metastore nothing is Hive's: what it would store is kept as the files that it would write.
  FRAZIL_ASSIGN_OR_RETURN(auto complete, AsFiles(definition));
  if (complete.location.has_value()) {
    complete.is_external = true;
    if (storage::SchemeOf(*complete.location).empty() || storage::SchemeOf(*complete.location) == "file") {
      std::filesystem::path path = storage::LocalPath(*complete.location);
      if (path.is_relative()) path = std::filesystem::path(warehouse_) / path;
      complete.location = path.lexically_normal().string();
    }
  } else {
    FRAZIL_ASSIGN_OR_RETURN(complete.location, FreeLocation(database, AsciiLower(identifier.name)));
  }
  return complete;
}

Result<tables::TablePtr> EmbeddedCatalog::CreateTable(const Identifier& identifier,
                                                      const tables::TableDefinition& definition) {
  FRAZIL_ASSIGN_OR_RETURN(auto complete, Complete(identifier, definition));
  std::string database = AsciiLower(identifier.name_space[0]);
  std::string name = AsciiLower(identifier.name);
  FRAZIL_ASSIGN_OR_RETURN(auto entry, store_->FindEntry(database, name));
  if (entry.has_value()) return TableExistsAlready(*this, identifier);
  FRAZIL_ASSIGN_OR_RETURN(auto format, FormatOf(complete));
  FRAZIL_ASSIGN_OR_RETURN(auto context, ContextFor(identifier, *complete.location));
  auto inner = format->self_describing() ? format->PathCommitPoint(context, *complete.location) : nullptr;
  if (inner != nullptr) {
    // A folder that is a table already becomes known by this name.
    FRAZIL_ASSIGN_OR_RETURN(auto current, inner->Current());
    if (current.has_value()) {
      FRAZIL_ASSIGN_OR_RETURN(auto table, format->Load(context, *complete.location, inner));
      FRAZIL_RETURN_IF_ERROR(format->CheckDefinition(*table, complete));
      FRAZIL_ASSIGN_OR_RETURN(bool inserted, store_->InsertEntry(database, {EmbeddedStore::EntryKind::kTable, name,
                                                                            WriteTableDocument(complete)}));
      if (!inserted) return TableExistsAlready(*this, identifier);
      return table;
    }
  }
  auto commit_point = std::make_shared<EntryCommitPoint>(
      inner, store_, database,
      EmbeddedStore::Entry{EmbeddedStore::EntryKind::kTable, name, WriteTableDocument(complete)}, false);
  return format->Create(context, complete, *complete.location, std::move(commit_point));
}

Result<tables::StagedTable> EmbeddedCatalog::StageTable(const Identifier& identifier,
                                                        const tables::TableDefinition& definition, bool replace) {
  FRAZIL_ASSIGN_OR_RETURN(auto existing, FindDefinition(identifier));
  if (existing.has_value() && !replace) return TableExistsAlready(*this, identifier);
  tables::TableDefinition wanted = definition;
  if (existing.has_value() && !wanted.location.has_value()) {
    wanted.location = existing->location;
  }
  FRAZIL_ASSIGN_OR_RETURN(auto complete, Complete(identifier, wanted));
  if (existing.has_value() && !definition.location.has_value()) complete.is_external = existing->is_external;
  FRAZIL_ASSIGN_OR_RETURN(auto format, FormatOf(complete));
  FRAZIL_ASSIGN_OR_RETURN(auto context, ContextFor(identifier, *complete.location));
  auto inner = format->self_describing() ? format->PathCommitPoint(context, *complete.location) : nullptr;
  auto commit_point = std::make_shared<EntryCommitPoint>(
      inner, store_, AsciiLower(identifier.name_space[0]),
      EmbeddedStore::Entry{EmbeddedStore::EntryKind::kTable, AsciiLower(identifier.name), WriteTableDocument(complete)},
      replace);
  // A table without its name is what a crash between the two leaves: it is replaced as well.
  bool is_there = existing.has_value();
  if (replace && !is_there && inner != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(auto current, inner->Current());
    is_there = current.has_value();
  }
  return format->Stage(context, complete, *complete.location, std::move(commit_point), replace && is_there);
}

Status EmbeddedCatalog::DropTable(const Identifier& identifier, bool purge) {
  FRAZIL_ASSIGN_OR_RETURN(auto definition, FindDefinition(identifier));
  if (!definition.has_value()) return TableNotFound(*this, identifier);
  FRAZIL_ASSIGN_OR_RETURN(auto context, ContextFor(identifier, *definition->location));
  // The folder of an external table may hold other things: of it only what the table's metadata names is purged, and
  // nothing of tables that have no such metadata.
  const auto format = formats_->Find(AsciiLower(definition->provider));
  const auto* texts = dynamic_cast<const tables::MetadataText*>(format.get());
  std::optional<std::string> metadata;
  if (purge && definition->is_external && texts != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(metadata, format->PathCommitPoint(context, *definition->location)->Current());
    if (metadata) FRAZIL_RETURN_IF_ERROR(texts->CheckDeletable(context, *metadata));
  }
  FRAZIL_RETURN_IF_ERROR(store_->DeleteEntry(AsciiLower(identifier.name_space[0]), AsciiLower(identifier.name)));
  // The name goes first: a crash between the two leaves files without a name, never a name without files.
  if (metadata) return texts->DeleteFiles(context, *metadata);
  return definition->is_external ? Status::Ok() : context.store->DeleteRecursively(*definition->location);
}

Status EmbeddedCatalog::RenameTable(const Identifier& from, const Identifier& to) {
  FRAZIL_ASSIGN_OR_RETURN(auto database, Database(from.name_space));
  FRAZIL_ASSIGN_OR_RETURN(auto new_database, Database(to.name_space));
  // The files stay in the folder of the one database, with which they would go.
  if (database != new_database)
    return Error::Of("_LEGACY_ERROR_TEMP_1073", {{"db", database}, {"newDb", new_database}});
  FRAZIL_ASSIGN_OR_RETURN(auto entry, store_->FindEntry(database, AsciiLower(from.name)));
  if (!entry.has_value()) return TableNotFound(*this, from);
  FRAZIL_ASSIGN_OR_RETURN(bool renamed,
                          store_->RenameEntry(database, AsciiLower(from.name), new_database, AsciiLower(to.name)));
  if (!renamed) return TableExistsAlready(*this, to);
  return Status::Ok();
}

Status EmbeddedCatalog::SetOwnsFiles(const Identifier& identifier, tables::TableDefinition definition, bool owns) {
  definition.is_external = !owns;
  return store_->UpdateEntry(
      AsciiLower(identifier.name_space[0]),
      {EmbeddedStore::EntryKind::kTable, AsciiLower(identifier.name), WriteTableDocument(definition)});
}

Result<TableMigration::Aside> EmbeddedCatalog::SetAside(const Identifier& table, const Identifier& aside) {
  FRAZIL_ASSIGN_OR_RETURN(auto definition, FindDefinition(table));
  if (!definition.has_value()) return TableNotFound(*this, table);
  // Where the other one lies: in a folder of its own, as any new table.
  const Aside former{!definition->is_external, std::nullopt};
  FRAZIL_RETURN_IF_ERROR(RenameTable(table, aside));
  FRAZIL_RETURN_IF_ERROR(SetOwnsFiles(aside, *std::move(definition), false));
  return former;
}

Status EmbeddedCatalog::PutBack(const Identifier& aside, const Identifier& table, const Aside& former) {
  FRAZIL_RETURN_IF_ERROR(RenameTable(aside, table));
  FRAZIL_ASSIGN_OR_RETURN(auto definition, FindDefinition(table));
  if (!definition.has_value()) return TableNotFound(*this, table);
  return SetOwnsFiles(table, *std::move(definition), former.owned_files);
}

Status EmbeddedCatalog::AlterTable(const Identifier& identifier, const std::vector<tables::TableChange>& changes) {
  FRAZIL_ASSIGN_OR_RETURN(auto definition, FindDefinition(identifier));
  if (!definition.has_value()) return TableNotFound(*this, identifier);
  FRAZIL_ASSIGN_OR_RETURN(auto format, FormatOf(*definition));
  if (format->self_describing()) {
    FRAZIL_ASSIGN_OR_RETURN(auto table, LoadTable(identifier));
    return table->Alter(changes);
  }
  FRAZIL_RETURN_IF_ERROR(ApplyChanges(changes, &*definition));
  return store_->UpdateEntry(
      AsciiLower(identifier.name_space[0]),
      {EmbeddedStore::EntryKind::kTable, AsciiLower(identifier.name), WriteTableDocument(*definition)});
}

Result<std::vector<std::string>> EmbeddedCatalog::ListViews(const Namespace& name_space) {
  FRAZIL_ASSIGN_OR_RETURN(auto database, Database(name_space));
  FRAZIL_ASSIGN_OR_RETURN(auto entries, store_->ListEntries(database));
  std::vector<std::string> names;
  for (auto& entry : entries) {
    if (entry.kind == EmbeddedStore::EntryKind::kView) names.push_back(std::move(entry.name));
  }
  return names;
}

Result<std::optional<ViewDefinition>> EmbeddedCatalog::LoadView(const Identifier& identifier) {
  if (identifier.name_space.size() != 1) return std::optional<ViewDefinition>();
  FRAZIL_ASSIGN_OR_RETURN(auto entry,
                          store_->FindEntry(AsciiLower(identifier.name_space[0]), AsciiLower(identifier.name)));
  if (!entry.has_value() || entry->kind != EmbeddedStore::EntryKind::kView) return std::optional<ViewDefinition>();
  FRAZIL_ASSIGN_OR_RETURN(auto view, ReadViewDocument(entry->document));
  return std::optional<ViewDefinition>(std::move(view));
}

Status EmbeddedCatalog::CreateView(const Identifier& identifier, const ViewDefinition& view, bool replace) {
  FRAZIL_ASSIGN_OR_RETURN(auto database, Database(identifier.name_space));
  EmbeddedStore::Entry entry{EmbeddedStore::EntryKind::kView, AsciiLower(identifier.name), WriteViewDocument(view)};
  FRAZIL_ASSIGN_OR_RETURN(auto existing, store_->FindEntry(database, entry.name));
  if (existing.has_value() && existing->kind == EmbeddedStore::EntryKind::kView && replace) {
    return store_->UpdateEntry(database, entry);
  }
  FRAZIL_ASSIGN_OR_RETURN(bool inserted, store_->InsertEntry(database, entry));
  if (!inserted) return TableExistsAlready(*this, identifier);
  return Status::Ok();
}

Status EmbeddedCatalog::DropView(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(auto view, LoadView(identifier));
  if (!view.has_value()) return TableNotFound(*this, identifier);
  return store_->DeleteEntry(AsciiLower(identifier.name_space[0]), AsciiLower(identifier.name));
}

Result<std::vector<std::string>> EmbeddedCatalog::ListFunctions(const Namespace& name_space) {
  FRAZIL_ASSIGN_OR_RETURN(auto database, Database(name_space));
  return store_->ListFunctions(database);
}

Result<std::optional<FunctionDefinition>> EmbeddedCatalog::LoadFunction(const Identifier& identifier) {
  if (identifier.name_space.size() != 1) return std::optional<FunctionDefinition>();
  FRAZIL_ASSIGN_OR_RETURN(const auto document,
                          store_->FindFunction(AsciiLower(identifier.name_space[0]), AsciiLower(identifier.name)));
  if (!document.has_value()) return std::optional<FunctionDefinition>();
  FRAZIL_ASSIGN_OR_RETURN(auto function, ReadFunctionDocument(*document));
  return std::optional<FunctionDefinition>(std::move(function));
}

Result<bool> EmbeddedCatalog::CreateFunction(const Identifier& identifier, const FunctionDefinition& function,
                                             bool replace) {
  FRAZIL_ASSIGN_OR_RETURN(auto database, Database(identifier.name_space));
  return store_->PutFunction(database, AsciiLower(identifier.name), WriteFunctionDocument(function), replace);
}

Result<bool> EmbeddedCatalog::DropFunction(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(auto database, Database(identifier.name_space));
  return store_->DeleteFunction(database, AsciiLower(identifier.name));
}

}  // namespace frazil::catalogs
