#include "frazil/catalogs/glue/glue_catalog.h"

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/catalogs/glue/glue_entries.h"
#include "frazil/catalogs/json_members.h"
#include "frazil/catalogs/metastore/described_table.h"
#include "frazil/catalogs/metastore/spark_views.h"

namespace frazil::catalogs {
namespace {

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

}  // namespace

Result<CatalogPtr> GlueCatalog::Make(const CatalogContext& context) {
  std::shared_ptr<GlueCatalog> catalog(new GlueCatalog());
  FRAZIL_RETURN_IF_ERROR(catalog->Initialize(context));
  catalog->glue_ = std::make_shared<AwsJsonClient>(AwsJsonClient::Service{"glue", "AWSGlue"}, context.settings);
  catalog->UseEntries(std::make_shared<GlueEntries>(catalog->glue_, catalog->SettingOf("glue.id")), context);
  const std::string lock = catalog->SettingOf("lock-impl");
  if (lock == "org.apache.iceberg.aws.dynamodb.DynamoDbLockManager" ||
      lock == "org.apache.iceberg.aws.glue.DynamoLockManager") {
    FRAZIL_ASSIGN_OR_RETURN(catalog->lock_, DynamoDbLock::Make(context.settings));
  } else if (!lock.empty() && lock != "org.apache.iceberg.util.LockManagers$InMemoryLockManager") {
    return Error::Unsupported("lock-impl " + lock);
  }
  return CatalogPtr(std::move(catalog));
}

Json GlueCatalog::WithCatalogId(Json body) const {
  return catalogs::WithCatalogId(std::move(body), SettingOf("glue.id"));
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
    FRAZIL_ASSIGN_OR_RETURN(auto views, Names(name_space, Kind::kViews));
    for (const auto& view : views) FRAZIL_RETURN_IF_ERROR(DropView({name_space, view}));
    FRAZIL_ASSIGN_OR_RETURN(auto own, Names(name_space, Kind::kTables));
    for (const auto& table : own) FRAZIL_RETURN_IF_ERROR(DropTable({name_space, table}, false));
  }
  // Glue would drop the tables with it.
  FRAZIL_ASSIGN_OR_RETURN(auto left, Names(name_space, Kind::kAll));
  if (!left.empty()) return NamespaceNotEmpty(*this, name_space);
  FRAZIL_ASSIGN_OR_RETURN(auto answer, glue_->Call("DeleteDatabase", WithCatalogId({{"Name", name_space[0]}}), true));
  if (answer.ok() || answer.error == "EntityNotFoundException") return {};
  return glue_->ErrorOf("DeleteDatabase", answer);
}

// --- tables

Result<std::vector<std::string>> GlueCatalog::Names(const Namespace& name_space, Kind kind) {
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
      bool is_one = kind == Kind::kAll;
      if (kind == Kind::kTables) {
        is_one = MetadataLocationOf(table) || (is_session() && IsDescribedTable(HiveTableOf(table, name_space[0])));
      } else if (kind == Kind::kViews) {
        is_one = is_session() && IsSparkView(HiveTableOf(table, name_space[0]));
      }
      if (is_one) names.push_back(TextMember(table, "Name"));
    }
    token = TextMember(answer.body, "NextToken");
  } while (!token.empty());
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::vector<std::string>> GlueCatalog::ListTables(const Namespace& name_space) {
  return Names(name_space, Kind::kTables);
}

HiveTable GlueCatalog::NameOfEntry(const Identifier& identifier) const {
  const GlueTableName name = NameOf(identifier);
  HiveTable entry;
  entry.database = name.database;
  entry.name = name.table;
  return entry;
}

GlueTableName GlueCatalog::NameOf(const Identifier& identifier) const {
  // Hive's names, and so those of the session catalog, are in lower case.
  if (is_session()) return {SettingOf("glue.id"), AsciiLower(identifier.name_space[0]), AsciiLower(identifier.name)};
  return {SettingOf("glue.id"), identifier.name_space[0], identifier.name};
}

Result<std::optional<PointerCatalog::Named>> GlueCatalog::FindNamed(const Identifier& identifier) {
  if (!HasOneLevel(identifier.name_space)) return std::optional<Named>();
  FRAZIL_ASSIGN_OR_RETURN(auto table, FindGlueTable(*glue_, NameOf(identifier)));
  if (!table) return std::optional<Named>();
  Named named{MetadataLocationOf(*table)};
  // Views have their names, too.
  if (is_session() && !named.metadata_location)
    named.is_table = IsDescribedTable(HiveTableOf(*table, identifier.name_space[0]));
  return std::optional<Named>(std::move(named));
}

std::shared_ptr<TablePointer> GlueCatalog::PointerOf(const Identifier& identifier) {
  const bool skip_archive = !EqualsIgnoreCase(SettingOf("glue.skip-archive"), "false");
  return std::make_shared<GluePointer>(glue_, lock_, NameOf(identifier), DottedName(*this, identifier), skip_archive);
}

Result<std::string> GlueCatalog::DefaultLocation(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(auto database, FindDatabase(identifier.name_space));
  if (!database) return NamespaceNotFound(*this, identifier.name_space);
  const std::string of_database = TextMember(*database, "LocationUri");
  const auto name = NameOf(identifier);
  if (!of_database.empty()) return storage::JoinPath(of_database, name.table);
  const std::string warehouse = SettingOf("warehouse");
  if (warehouse.empty()) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "Cannot derive default warehouse location, warehouse path must not be null or empty");
  }
  return storage::JoinPath(storage::JoinPath(warehouse, name.database + ".db"), name.table);
}

Status GlueCatalog::RemoveName(const Identifier& identifier) {
  const auto name = NameOf(identifier);
  const Json body = WithCatalogId({{"DatabaseName", name.database}, {"Name", name.table}});
  FRAZIL_ASSIGN_OR_RETURN(auto answer, glue_->Call("DeleteTable", body, true));
  if (answer.ok() || answer.error == "EntityNotFoundException") return {};
  return glue_->ErrorOf("DeleteTable", answer);
}

Status GlueCatalog::RenameTable(const Identifier& from, const Identifier& to) {
  if (!HasOneLevel(from.name_space)) return TableNotFound(*this, from);
  if (!HasOneLevel(to.name_space)) return NamespaceNotFound(*this, to.name_space);
  FRAZIL_ASSIGN_OR_RETURN(auto table, FindGlueTable(*glue_, NameOf(from)));
  if (!table) return TableNotFound(*this, from);
  // Glue cannot rename: the entry is made anew under the other name, then the old one goes.
  Json input = {{"Name", NameOf(to).table}};
  for (const char* kept : {"Description", "Owner", "Parameters", "PartitionKeys", "Retention", "StorageDescriptor",
                           "TableType", "ViewExpandedText", "ViewOriginalText"}) {
    if (table->contains(kept) && !(*table)[kept].is_null()) input[kept] = (*table)[kept];
  }
  const Json body = WithCatalogId({{"DatabaseName", NameOf(to).database}, {"TableInput", std::move(input)}});
  FRAZIL_ASSIGN_OR_RETURN(auto answer, glue_->Call("CreateTable", body, /*repeatable=*/false));
  if (answer.error == "AlreadyExistsException") return TableExistsAlready(*this, to);
  if (answer.error == "EntityNotFoundException") return NamespaceNotFound(*this, to.name_space);
  if (!answer.ok()) return glue_->ErrorOf("CreateTable", answer);
  const auto name = NameOf(from);
  const HiveTable former = HiveTableOf(*table, name.database);
  if (is_session() && IsDescribedTable(former) && !former.partition_keys.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(const auto partitions, entries_->ListPartitions(name.database, name.table));
    FRAZIL_RETURN_IF_ERROR(entries_->AddPartitions(NameOf(to).database, NameOf(to).table, partitions));
  }
  return RemoveName(from);
}

// --- views

Result<std::vector<std::string>> GlueCatalog::ListViews(const Namespace& name_space) {
  return Names(name_space, Kind::kViews);
}

Result<std::optional<ViewDefinition>> GlueCatalog::LoadView(const Identifier& identifier) {
  return LoadSparkView(identifier);
}

Status GlueCatalog::CreateView(const Identifier& identifier, const ViewDefinition& view, bool replace) {
  FRAZIL_RETURN_IF_ERROR(LoadNamespace(identifier.name_space).status());
  return CreateSparkView(identifier, view, replace);
}

Status GlueCatalog::DropView(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(const bool dropped, DropSparkView(identifier));
  return dropped ? Status::Ok() : Status(TableNotFound(*this, identifier));
}

}  // namespace frazil::catalogs
