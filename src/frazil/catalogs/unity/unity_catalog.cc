#include "frazil/catalogs/unity/unity_catalog.h"

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/catalogs/catalog_settings.h"
#include "frazil/catalogs/renewed_keys.h"
#include "frazil/catalogs/unity/unity_tables.h"
#include "frazil/net/url.h"
#include "frazil/storage/folder.h"

namespace frazil::catalogs {
namespace {

Error NotSupported(const Catalog& catalog, const Identifier& identifier, const std::string& operation) {
  return Error::Of("UNSUPPORTED_FEATURE.TABLE_OPERATION",
                   {{"tableName", QuoteIdentifier(FullName(catalog, identifier))}, {"operation", operation}});
}

}  // namespace

Result<CatalogPtr> UnityCatalog::Make(const CatalogContext& context) {
  std::shared_ptr<UnityCatalog> catalog(new UnityCatalog());
  catalog->name_ = context.name;
  catalog->settings_ = context.settings;
  catalog->formats_ = context.formats;
  catalog->stores_ = context.stores;
  catalog->session_settings_ = context.session_settings;
  FRAZIL_ASSIGN_OR_RETURN(catalog->client_, UnityClient::Make(context.name, context.settings));
  return CatalogPtr(std::move(catalog));
}

// --- schemas

std::string UnityCatalog::SchemaPath(const Namespace& name_space) const {
  return net::PercentEncode(name_ + "." + name_space[0]);
}

Result<std::optional<Json>> UnityCatalog::FindSchema(const Namespace& name_space) {
  if (name_space.size() != 1) return std::optional<Json>();
  const std::string path = "/schemas/" + SchemaPath(name_space);
  FRAZIL_ASSIGN_OR_RETURN(auto answer, client_->Send("GET", path, nullptr, true));
  if (answer.status == 404) return std::optional<Json>();
  if (!answer.ok()) return client_->ErrorOf("GET", path, answer);
  return std::optional<Json>(std::move(answer.body));
}

Result<std::vector<Namespace>> UnityCatalog::ListNamespaces(const Namespace& parent) {
  std::vector<Namespace> found;
  if (!parent.empty()) return found;
  FRAZIL_ASSIGN_OR_RETURN(const auto items,
                          client_->List("/schemas?catalog_name=" + net::PercentEncode(name_), "schemas"));
  for (const auto& item : items) found.push_back({TextMember(item, "name")});
  std::sort(found.begin(), found.end());
  return found;
}

Result<bool> UnityCatalog::NamespaceExists(const Namespace& name_space) {
  if (name_space.empty()) return true;
  FRAZIL_ASSIGN_OR_RETURN(const auto schema, FindSchema(name_space));
  return schema.has_value();
}

Result<std::map<std::string, std::string>> UnityCatalog::LoadNamespace(const Namespace& name_space) {
  FRAZIL_ASSIGN_OR_RETURN(const auto schema, FindSchema(name_space));
  if (!schema) return NamespaceNotFound(*this, name_space);
  auto properties = TextMembers(Member(*schema, "properties"));
  const std::pair<const char*, const char*> own[] = {
      {"comment", "comment"}, {"owner", "owner"}, {"location", "storage_location"}};
  for (const auto& [key, member] : own) {
    const std::string text = TextMember(*schema, member);
    if (!text.empty()) properties[key] = text;
  }
  return properties;
}

Status UnityCatalog::CreateNamespace(const Namespace& name_space,
                                     const std::map<std::string, std::string>& properties) {
  if (name_space.size() != 1)
    return Error::Of("REQUIRES_SINGLE_PART_NAMESPACE",
                     {{"sessionCatalog", name_}, {"namespace", QuoteIdentifier(name_space)}});
  Json body = {{"catalog_name", name_}, {"name", name_space[0]}, {"properties", Json::object()}};
  for (const auto& [key, value] : properties) {
    if (key == "comment") {
      body["comment"] = value;
    } else if (key == "location") {
      body["storage_root"] = value;
    } else if (key != "owner") {
      body["properties"][key] = value;
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(const auto answer, client_->Send("POST", "/schemas", &body, /*repeatable=*/false));
  if (answer.ok()) return {};
  const bool taken = answer.status == 409 || TextMember(answer.body, "error_code").ends_with("ALREADY_EXISTS");
  if (taken && answer.earlier_unknown) return {};
  if (taken) return NamespaceExistsAlready(*this, name_space);
  return client_->ErrorOf("POST", "/schemas", answer);
}

Status UnityCatalog::AlterNamespace(const Namespace& name_space, const std::map<std::string, std::string>& set,
                                    const std::vector<std::string>& unset) {
  FRAZIL_ASSIGN_OR_RETURN(const auto schema, FindSchema(name_space));
  if (!schema) return NamespaceNotFound(*this, name_space);
  auto properties = TextMembers(Member(*schema, "properties"));
  Json body = Json::object();
  for (const auto& [key, value] : set) {
    if (key == "comment") {
      body["comment"] = value;
    } else {
      properties[key] = value;
    }
  }
  for (const auto& key : unset) properties.erase(key);
  body["properties"] = properties;
  const std::string path = "/schemas/" + SchemaPath(name_space);
  FRAZIL_ASSIGN_OR_RETURN(const auto answer, client_->Send("PATCH", path, &body, /*repeatable=*/true));
  return answer.ok() ? Status::Ok() : Status(client_->ErrorOf("PATCH", path, answer));
}

Status UnityCatalog::DropNamespace(const Namespace& name_space, bool cascade) {
  FRAZIL_ASSIGN_OR_RETURN(const bool exists, NamespaceExists(name_space));
  if (!exists || name_space.empty()) return NamespaceNotFound(*this, name_space);
  if (!cascade) {
    FRAZIL_ASSIGN_OR_RETURN(const auto tables, ListTables(name_space));
    if (!tables.empty()) return NamespaceNotEmpty(*this, name_space);
  }
  const std::string path = "/schemas/" + SchemaPath(name_space) + (cascade ? "?force=true" : "");
  FRAZIL_ASSIGN_OR_RETURN(const auto answer, client_->Send("DELETE", path, nullptr, /*repeatable=*/true));
  if (answer.ok() || (answer.status == 404 && answer.earlier_unknown)) return {};
  if (answer.status == 404) return NamespaceNotFound(*this, name_space);
  return client_->ErrorOf("DELETE", path, answer);
}

// --- tables

Result<std::optional<Json>> UnityCatalog::FindTable(const Identifier& identifier) {
  if (identifier.name_space.size() != 1) return std::optional<Json>();
  const std::string path = "/tables/" + UnityTablePath(*this, identifier);
  FRAZIL_ASSIGN_OR_RETURN(auto answer, client_->Send("GET", path, nullptr, true));
  if (answer.status == 404) return std::optional<Json>();
  if (!answer.ok()) return client_->ErrorOf("GET", path, answer);
  return std::optional<Json>(std::move(answer.body));
}

Result<std::vector<std::string>> UnityCatalog::ListTables(const Namespace& name_space) {
  FRAZIL_ASSIGN_OR_RETURN(const bool exists, NamespaceExists(name_space));
  if (!exists || name_space.empty()) return NamespaceNotFound(*this, name_space);
  const std::string path =
      "/tables?catalog_name=" + net::PercentEncode(name_) + "&schema_name=" + net::PercentEncode(name_space[0]);
  FRAZIL_ASSIGN_OR_RETURN(const auto items, client_->List(path, "tables"));
  std::vector<std::string> names;
  for (const auto& item : items) {
    if (!IsUnityView(item)) names.push_back(TextMember(item, "name"));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<bool> UnityCatalog::TableExists(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(const auto table, FindTable(identifier));
  return table && !IsUnityView(*table);
}

Result<UnityCatalog::Place> UnityCatalog::PlaceOf(const Identifier& identifier, const Json* table,
                                                  const std::string& provider, const std::string& location) {
  Place place;
  place.format = formats_->Find(provider);
  if (place.format == nullptr || provider == "iceberg")
    return Error::Unsupported("tables of provider " + provider + " in Unity Catalog");
  place.location = storage::FolderOf(location);
  Settings settings = settings_;
  std::shared_ptr<RenewedKeys> keys;
  // Files of this disk need no keys; plain ones elsewhere are reached as all plain files are, by the session's
  // settings.
  const std::string scheme = storage::SchemeOf(location);
  if (place.format->self_describing() && !scheme.empty() && scheme != "file") {
    FRAZIL_ASSIGN_OR_RETURN(const auto given, table != nullptr
                                                  ? UnityTableKeys(*client_, TextMember(*table, "table_id"))
                                                  : UnityPathKeys(*client_, location));
    for (const auto& [key, value] : given) settings[key] = value;
    keys = RenewedKeys::Of(
        given, [client = client_, location, id = table != nullptr ? TextMember(*table, "table_id") : std::string()] {
          return id.empty() ? UnityPathKeys(*client, location) : UnityTableKeys(*client, id);
        });
    if (keys != nullptr) settings[net::aws::kAuthoritySetting] = net::aws::RegisterAuthority(keys);
  }
  place.context.name = DottedName(*this, identifier);
  // The keys live as long as the settings that name them.
  place.context.settings = [keys, lookup = SettingsWithin(std::move(settings), session_settings_)](
                               std::string_view key) { return lookup(key); };
  FRAZIL_ASSIGN_OR_RETURN(place.context.store, stores_->StoreFor(location, place.context.settings));
  return place;
}

Result<tables::TablePtr> UnityCatalog::LoadTable(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(const auto table, FindTable(identifier));
  if (!table) return TableNotFound(*this, identifier);
  FRAZIL_ASSIGN_OR_RETURN(auto definition, UnityDefinitionOf(*table));
  FRAZIL_ASSIGN_OR_RETURN(auto place, PlaceOf(identifier, &*table, definition.provider, *definition.location));
  if (!place.format->self_describing()) {
    definition.location = place.location;
    return place.format->LoadDefined(place.context, definition);
  }
  return place.format->Load(place.context, place.location,
                            place.format->PathCommitPoint(place.context, place.location));
}

Result<UnityCatalog::Place> UnityCatalog::PlaceOfNew(const Identifier& identifier,
                                                     const tables::TableDefinition& definition) {
  FRAZIL_ASSIGN_OR_RETURN(const bool known, NamespaceExists(identifier.name_space));
  if (!known || identifier.name_space.empty()) return NamespaceNotFound(*this, identifier.name_space);
  FRAZIL_ASSIGN_OR_RETURN(const auto table, FindTable(identifier));
  if (table) return TableExistsAlready(*this, identifier);
  if (!definition.location) return NotSupported(*this, identifier, "CREATE TABLE without LOCATION");
  return PlaceOf(identifier, nullptr, AsciiLower(definition.provider), *definition.location);
}

tables::CommitPointPtr UnityCatalog::CommitPointFor(const Identifier& identifier, const Place& place,
                                                    const tables::TableDefinition& definition) {
  auto inner = place.format->self_describing() ? place.format->PathCommitPoint(place.context, place.location) : nullptr;
  return std::make_shared<UnityCommitPoint>(client_, UnityTableOf(*this, identifier, definition), std::move(inner),
                                            TableExistsAlready(*this, identifier));
}

Result<tables::TablePtr> UnityCatalog::CreateTable(const Identifier& identifier,
                                                   const tables::TableDefinition& definition) {
  FRAZIL_ASSIGN_OR_RETURN(const auto place, PlaceOfNew(identifier, definition));
  const auto commit_point = CommitPointFor(identifier, place, definition);
  FRAZIL_ASSIGN_OR_RETURN(const auto current, commit_point->Current());
  if (!current) {
    tables::TableDefinition here = definition;
    here.location = place.location;
    return place.format->Create(place.context, here, place.location, commit_point);
  }
  // A folder that is a table already becomes known by this name.
  FRAZIL_ASSIGN_OR_RETURN(auto table, place.format->Load(place.context, place.location, commit_point));
  FRAZIL_RETURN_IF_ERROR(place.format->CheckDefinition(*table, definition));
  tables::TableDefinition found = definition;
  found.schema = table->schema();
  FRAZIL_RETURN_IF_ERROR(
      MakeUnityTable(*client_, UnityTableOf(*this, identifier, found), TableExistsAlready(*this, identifier)));
  return table;
}

Result<tables::StagedTable> UnityCatalog::StageTable(const Identifier& identifier,
                                                     const tables::TableDefinition& definition, bool replace) {
  if (replace) {
    FRAZIL_ASSIGN_OR_RETURN(const bool exists, TableExists(identifier));
    if (exists) return NotSupported(*this, identifier, "REPLACE TABLE");
  }
  FRAZIL_ASSIGN_OR_RETURN(const auto place, PlaceOfNew(identifier, definition));
  tables::TableDefinition here = definition;
  here.location = place.location;
  return place.format->Stage(place.context, here, place.location, CommitPointFor(identifier, place, definition), false);
}

Status UnityCatalog::DropTable(const Identifier& identifier, bool purge) {
  if (purge) return NotSupported(*this, identifier, "DROP TABLE ... PURGE");
  const std::string path = "/tables/" + UnityTablePath(*this, identifier);
  FRAZIL_ASSIGN_OR_RETURN(const auto answer, client_->Send("DELETE", path, nullptr, /*repeatable=*/true));
  if (answer.ok() || (answer.status == 404 && answer.earlier_unknown)) return {};
  if (answer.status == 404) return TableNotFound(*this, identifier);
  return client_->ErrorOf("DELETE", path, answer);
}

Status UnityCatalog::RenameTable(const Identifier& from, const Identifier&) {
  return NotSupported(*this, from, "RENAME TABLE");
}

Status UnityCatalog::AlterTable(const Identifier& identifier, const std::vector<tables::TableChange>& changes) {
  FRAZIL_ASSIGN_OR_RETURN(const auto table, LoadTable(identifier));
  const auto format = formats_->Find(table->provider());
  if (format == nullptr || !format->self_describing()) return NotSupported(*this, identifier, "ALTER TABLE");
  return table->Alter(changes);
}

}  // namespace frazil::catalogs
