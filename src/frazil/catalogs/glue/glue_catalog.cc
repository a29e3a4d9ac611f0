#include "frazil/catalogs/glue/glue_catalog.h"

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/catalogs/glue/glue_pointer.h"
#include "frazil/catalogs/json_members.h"
#include "frazil/catalogs/pointer_commit_point.h"

namespace frazil::catalogs {
namespace {

std::string SettingOf(const std::map<std::string, std::string>& settings, const std::string& key) {
  auto found = settings.find(key);
  return found == settings.end() ? std::string() : found->second;
}

/// Comment and location have members of their own in Glue, the others are parameters.
Json DatabaseInput(const std::string& name, const std::map<std::string, std::string>& properties) {
  Json input = {{"Name", name}, {"Parameters", Json::object()}};
  for (const auto& [key, value] : properties) {
    if (key == "comment") {
      input["Description"] = value;
    } else if (key == "location") {
      input["LocationUri"] = value;
    } else {
      input["Parameters"][key] = value;
    }
  }
  return input;
}

bool HasOneLevel(const Namespace& name_space) { return name_space.size() == 1 && !name_space[0].empty(); }

}  // namespace

Result<CatalogPtr> GlueCatalog::Make(const CatalogContext& context) {
  std::shared_ptr<GlueCatalog> catalog(new GlueCatalog());
  catalog->name_ = context.name;
  catalog->settings_ = context.settings;
  catalog->stores_ = context.stores;
  catalog->lookup_ = SettingsWithin(context.settings, context.session_settings);
  catalog->format_ = context.formats->Find("iceberg");
  catalog->texts_ = dynamic_cast<const tables::MetadataText*>(catalog->format_.get());
  if (catalog->texts_ == nullptr) return Error::Internal("the table format iceberg is not registered");
  catalog->table_properties_ = TableProperties::Of(context.settings);
  catalog->glue_ = std::make_shared<AwsJsonClient>(AwsJsonClient::Service{"glue", "AWSGlue"}, context.settings);
  const std::string lock = SettingOf(context.settings, "lock-impl");
  if (lock == "org.apache.iceberg.aws.dynamodb.DynamoDbLockManager" ||
      lock == "org.apache.iceberg.aws.glue.DynamoLockManager") {
    FRAZIL_ASSIGN_OR_RETURN(catalog->lock_, DynamoDbLock::Make(context.settings));
  } else if (!lock.empty() && lock != "org.apache.iceberg.util.LockManagers$InMemoryLockManager") {
    return Error::Unsupported("lock-impl " + lock);
  }
  return CatalogPtr(std::move(catalog));
}

Json GlueCatalog::WithCatalogId(Json body) const {
  return catalogs::WithCatalogId(std::move(body), SettingOf(settings_, "glue.id"));
}

// --- namespaces

Result<std::optional<Json>> GlueCatalog::FindDatabase(const Namespace& name_space) {
  if (!HasOneLevel(name_space)) return std::optional<Json>();
  FRAZIL_ASSIGN_OR_RETURN(auto answer, glue_->Call("GetDatabase", WithCatalogId({{"Name", name_space[0]}}), true));
  if (answer.error == "EntityNotFoundException") return std::optional<Json>();
  if (!answer.ok()) return glue_->ErrorOf("GetDatabase", answer);
  if (!answer.body.is_object()) return Error::Storage("Glue's answer holds no database");
  return std::optional<Json>(answer.body.value("Database", Json::object()));
}

Result<std::vector<Namespace>> GlueCatalog::ListNamespaces(const Namespace& parent) {
  if (!parent.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(bool exists, NamespaceExists(parent));
    if (!exists) return NamespaceNotFound(*this, parent);
    return std::vector<Namespace>();
  }
  std::vector<Namespace> found;
  std::string token;
  do {
    Json body = WithCatalogId(Json::object());
    if (!token.empty()) body["NextToken"] = token;
    FRAZIL_ASSIGN_OR_RETURN(auto answer, glue_->Call("GetDatabases", body, true));
    if (!answer.ok()) return glue_->ErrorOf("GetDatabases", answer);
    if (!answer.body.is_object()) return Error::Storage("Glue's answer holds no databases");
    for (const auto& database : answer.body.value("DatabaseList", Json::array()))
      found.push_back({TextMember(database, "Name")});
    token = TextMember(answer.body, "NextToken");
  } while (!token.empty());
  std::sort(found.begin(), found.end());
  return found;
}

Result<bool> GlueCatalog::NamespaceExists(const Namespace& name_space) {
  if (name_space.empty()) return true;
  FRAZIL_ASSIGN_OR_RETURN(auto database, FindDatabase(name_space));
  return database.has_value();
}

Result<std::map<std::string, std::string>> GlueCatalog::LoadNamespace(const Namespace& name_space) {
  FRAZIL_ASSIGN_OR_RETURN(auto database, FindDatabase(name_space));
  if (!database) return NamespaceNotFound(*this, name_space);
  std::map<std::string, std::string> properties;
  const Json parameters = database->value("Parameters", Json::object());
  if (parameters.is_object()) {
    for (const auto& [key, value] : parameters.items()) {
      if (value.is_string()) properties[key] = value.get<std::string>();
    }
  }
  if (const std::string comment = TextMember(*database, "Description"); !comment.empty())
    properties["comment"] = comment;
  if (const std::string location = TextMember(*database, "LocationUri"); !location.empty())
    properties["location"] = location;
  return properties;
}

Status GlueCatalog::CreateNamespace(const Namespace& name_space, const std::map<std::string, std::string>& properties) {
  if (!HasOneLevel(name_space)) {
    return Error::Plain(ExceptionClass::kIllegalArgument, "Cannot convert namespace " + Join(name_space, ".") +
                                                              " to a Glue database name: one level only");
  }
  const Json body = WithCatalogId({{"DatabaseInput", DatabaseInput(name_space[0], properties)}});
  FRAZIL_ASSIGN_OR_RETURN(auto answer, glue_->Call("CreateDatabase", body, /*repeatable=*/true));
  if (answer.ok()) return {};
  if (answer.error == "AlreadyExistsException") {
    if (answer.earlier_unknown) return {};
    return NamespaceExistsAlready(*this, name_space);
  }
  return glue_->ErrorOf("CreateDatabase", answer);
}

Status GlueCatalog::AlterNamespace(const Namespace& name_space, const std::map<std::string, std::string>& set,
                                   const std::vector<std::string>& unset) {
  FRAZIL_ASSIGN_OR_RETURN(auto properties, LoadNamespace(name_space));
  for (const auto& [key, value] : set) properties[key] = value;
  for (const auto& key : unset) properties.erase(key);
  const Json body =
      WithCatalogId({{"Name", name_space[0]}, {"DatabaseInput", DatabaseInput(name_space[0], properties)}});
  FRAZIL_ASSIGN_OR_RETURN(auto answer, glue_->Call("UpdateDatabase", body, /*repeatable=*/true));
  return answer.ok() ? Status::Ok() : Status(glue_->ErrorOf("UpdateDatabase", answer));
}

Status GlueCatalog::DropNamespace(const Namespace& name_space, bool cascade) {
  FRAZIL_ASSIGN_OR_RETURN(bool exists, NamespaceExists(name_space));
  if (!exists || name_space.empty()) return NamespaceNotFound(*this, name_space);
  if (cascade) {
    FRAZIL_ASSIGN_OR_RETURN(auto own, TableNames(name_space, true));
    for (const auto& table : own) FRAZIL_RETURN_IF_ERROR(DropTable({name_space, table}, false));
  }
  // Glue would drop the tables with it.
  FRAZIL_ASSIGN_OR_RETURN(auto left, TableNames(name_space, false));
  if (!left.empty()) return NamespaceNotEmpty(*this, name_space);
  FRAZIL_ASSIGN_OR_RETURN(auto answer, glue_->Call("DeleteDatabase", WithCatalogId({{"Name", name_space[0]}}), true));
  if (answer.ok() || answer.error == "EntityNotFoundException") return {};
  return glue_->ErrorOf("DeleteDatabase", answer);
}

// --- tables

Result<std::vector<std::string>> GlueCatalog::TableNames(const Namespace& name_space, bool iceberg_only) {
  if (!HasOneLevel(name_space)) return NamespaceNotFound(*this, name_space);
  std::vector<std::string> names;
  std::string token;
  do {
    Json body = WithCatalogId({{"DatabaseName", name_space[0]}});
    if (!token.empty()) body["NextToken"] = token;
    FRAZIL_ASSIGN_OR_RETURN(auto answer, glue_->Call("GetTables", body, true));
    if (answer.error == "EntityNotFoundException") return NamespaceNotFound(*this, name_space);
    if (!answer.ok()) return glue_->ErrorOf("GetTables", answer);
    if (!answer.body.is_object()) return Error::Storage("Glue's answer holds no tables");
    for (const auto& table : answer.body.value("TableList", Json::array())) {
      if (!iceberg_only || MetadataLocationOf(table)) names.push_back(TextMember(table, "Name"));
    }
    token = TextMember(answer.body, "NextToken");
  } while (!token.empty());
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::vector<std::string>> GlueCatalog::ListTables(const Namespace& name_space) {
  return TableNames(name_space, true);
}

Result<GlueCatalog::Place> GlueCatalog::PlaceAt(const Identifier& identifier, const std::string& location) {
  Place place;
  place.location = location;
  place.context.name = DottedName(*this, identifier);
  place.context.settings = lookup_;
  FRAZIL_ASSIGN_OR_RETURN(place.context.store, stores_->StoreFor(location, lookup_));
  const GlueTableName name{SettingOf(settings_, "glue.id"), identifier.name_space[0], identifier.name};
  const bool skip_archive = !EqualsIgnoreCase(SettingOf(settings_, "glue.skip-archive"), "false");
  auto pointer = std::make_shared<GluePointer>(glue_, lock_, name, place.context.name, skip_archive);
  place.commit_point =
      std::make_shared<PointerCommitPoint>(std::move(pointer), place.context.store, place.context.name);
  return place;
}

Result<bool> GlueCatalog::TableExists(const Identifier& identifier) {
  if (!HasOneLevel(identifier.name_space)) return false;
  FRAZIL_ASSIGN_OR_RETURN(
      auto table, FindGlueTable(*glue_, {SettingOf(settings_, "glue.id"), identifier.name_space[0], identifier.name}));
  return table.has_value();
}

Result<tables::TablePtr> GlueCatalog::LoadTable(const Identifier& identifier) {
  if (!HasOneLevel(identifier.name_space)) return TableNotFound(*this, identifier);
  FRAZIL_ASSIGN_OR_RETURN(
      auto table, FindGlueTable(*glue_, {SettingOf(settings_, "glue.id"), identifier.name_space[0], identifier.name}));
  const auto location = table ? MetadataLocationOf(*table) : std::nullopt;
  // Tables of other kinds are not Iceberg's to load.
  if (!location) return TableNotFound(*this, identifier);
  FRAZIL_ASSIGN_OR_RETURN(auto place, PlaceAt(identifier, *location));
  return format_->Load(place.context, *location, place.commit_point);
}

Result<std::string> GlueCatalog::DefaultLocation(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(auto database, FindDatabase(identifier.name_space));
  if (!database) return NamespaceNotFound(*this, identifier.name_space);
  const std::string of_database = TextMember(*database, "LocationUri");
  if (!of_database.empty()) return storage::JoinPath(of_database, identifier.name);
  const std::string warehouse = SettingOf(settings_, "warehouse");
  if (warehouse.empty()) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "Cannot derive default warehouse location, warehouse path must not be null or empty");
  }
  return storage::JoinPath(storage::JoinPath(warehouse, identifier.name_space[0] + ".db"), identifier.name);
}

Result<tables::TablePtr> GlueCatalog::CreateTable(const Identifier& identifier,
                                                  const tables::TableDefinition& definition) {
  if (!HasOneLevel(identifier.name_space)) return NamespaceNotFound(*this, identifier.name_space);
  FRAZIL_ASSIGN_OR_RETURN(bool exists, TableExists(identifier));
  if (exists) return TableExistsAlready(*this, identifier);
  FRAZIL_ASSIGN_OR_RETURN(auto location, DefaultLocation(identifier));
  FRAZIL_ASSIGN_OR_RETURN(auto place, PlaceAt(identifier, definition.location.value_or(location)));
  return format_->Create(place.context, table_properties_.Complete(definition), place.location, place.commit_point);
}

Result<tables::StagedTable> GlueCatalog::StageTable(const Identifier& identifier,
                                                    const tables::TableDefinition& definition, bool replace) {
  if (!HasOneLevel(identifier.name_space)) return NamespaceNotFound(*this, identifier.name_space);
  FRAZIL_ASSIGN_OR_RETURN(bool exists, TableExists(identifier));
  if (exists && !replace) return TableExistsAlready(*this, identifier);
  std::string location;
  if (definition.location) {
    location = *definition.location;
  } else if (exists) {
    FRAZIL_ASSIGN_OR_RETURN(auto table, LoadTable(identifier));
    location = table->location();
  } else {
    FRAZIL_ASSIGN_OR_RETURN(location, DefaultLocation(identifier));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto place, PlaceAt(identifier, location));
  return format_->Stage(place.context, table_properties_.Complete(definition), place.location, place.commit_point,
                        exists);
}

Status GlueCatalog::DropTable(const Identifier& identifier, bool purge) {
  if (!HasOneLevel(identifier.name_space)) return TableNotFound(*this, identifier);
  const GlueTableName name{SettingOf(settings_, "glue.id"), identifier.name_space[0], identifier.name};
  FRAZIL_ASSIGN_OR_RETURN(auto table, FindGlueTable(*glue_, name));
  if (!table) return TableNotFound(*this, identifier);
  const auto location = MetadataLocationOf(*table);
  Place place;
  if (purge && location) {
    FRAZIL_ASSIGN_OR_RETURN(place, PlaceAt(identifier, *location));
    FRAZIL_RETURN_IF_ERROR(texts_->CheckDeletable(place.context, *location));
  }
  const Json body = WithCatalogId({{"DatabaseName", name.database}, {"Name", name.table}});
  FRAZIL_ASSIGN_OR_RETURN(auto answer, glue_->Call("DeleteTable", body, true));
  if (!answer.ok() && answer.error != "EntityNotFoundException") return glue_->ErrorOf("DeleteTable", answer);
  // The name goes first: what stays after a crash is files without a name.
  return purge && location ? texts_->DeleteFiles(place.context, *location) : Status::Ok();
}

Status GlueCatalog::RenameTable(const Identifier& from, const Identifier& to) {
  if (!HasOneLevel(from.name_space)) return TableNotFound(*this, from);
  if (!HasOneLevel(to.name_space)) return NamespaceNotFound(*this, to.name_space);
  const std::string id = SettingOf(settings_, "glue.id");
  FRAZIL_ASSIGN_OR_RETURN(auto table, FindGlueTable(*glue_, {id, from.name_space[0], from.name}));
  if (!table) return TableNotFound(*this, from);
  // Glue cannot rename: the entry is made anew under the other name, then the old one goes.
  Json input = {{"Name", to.name}};
  for (const char* kept : {"Description", "Owner", "Parameters", "PartitionKeys", "Retention", "StorageDescriptor",
                           "TableType", "ViewExpandedText", "ViewOriginalText"}) {
    if (table->contains(kept) && !(*table)[kept].is_null()) input[kept] = (*table)[kept];
  }
  const Json body = WithCatalogId({{"DatabaseName", to.name_space[0]}, {"TableInput", std::move(input)}});
  FRAZIL_ASSIGN_OR_RETURN(auto answer, glue_->Call("CreateTable", body, /*repeatable=*/false));
  if (answer.error == "AlreadyExistsException") return TableExistsAlready(*this, to);
  if (answer.error == "EntityNotFoundException") return NamespaceNotFound(*this, to.name_space);
  if (!answer.ok()) return glue_->ErrorOf("CreateTable", answer);
  return DropTable(from, false);
}

Status GlueCatalog::AlterTable(const Identifier& identifier, const std::vector<tables::TableChange>& changes) {
  FRAZIL_ASSIGN_OR_RETURN(auto table, LoadTable(identifier));
  return table->Alter(changes);
}

Status GlueCatalog::RegisterTable(const Identifier& identifier, const std::string& metadata_location) {
  if (!HasOneLevel(identifier.name_space)) return NamespaceNotFound(*this, identifier.name_space);
  FRAZIL_ASSIGN_OR_RETURN(bool known, NamespaceExists(identifier.name_space));
  if (!known) return NamespaceNotFound(*this, identifier.name_space);
  FRAZIL_ASSIGN_OR_RETURN(auto place, PlaceAt(identifier, metadata_location));
  FRAZIL_ASSIGN_OR_RETURN(auto metadata, place.context.store->Read(metadata_location));
  GluePointer pointer(glue_, lock_, {SettingOf(settings_, "glue.id"), identifier.name_space[0], identifier.name},
                      place.context.name, true);
  FRAZIL_ASSIGN_OR_RETURN(bool registered, pointer.Move(std::nullopt, metadata_location, metadata));
  return registered ? Status::Ok() : Status(TableExistsAlready(*this, identifier));
}

}  // namespace frazil::catalogs
