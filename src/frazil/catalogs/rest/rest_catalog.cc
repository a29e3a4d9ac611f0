#include "frazil/catalogs/rest/rest_catalog.h"

#include <algorithm>

#include "frazil/catalogs/rest/rest_authority.h"
#include "frazil/net/url.h"

namespace frazil::catalogs {

Result<CatalogPtr> RestCatalog::Make(const CatalogContext& context) {
  std::shared_ptr<RestCatalog> catalog(new RestCatalog());
  catalog->name_ = context.name;
  catalog->stores_ = context.stores;
  catalog->session_settings_ = context.session_settings;
  catalog->format_ = context.formats->Find("iceberg");
  catalog->texts_ = dynamic_cast<const tables::MetadataText*>(catalog->format_.get());
  if (catalog->texts_ == nullptr) return Error::Internal("the table format iceberg is not registered");
  FRAZIL_ASSIGN_OR_RETURN(catalog->client_, RestClient::Connect(context.name, context.settings));
  catalog->table_properties_ = TableProperties::Of(catalog->client_->settings());
  return CatalogPtr(std::move(catalog));
}

std::string RestCatalog::NamespacePath(const Namespace& name_space) const {
  return "/namespaces/" + client_->EncodeNamespace(name_space);
}

// --- namespaces

Result<std::vector<Namespace>> RestCatalog::ListNamespaces(const Namespace& parent) {
  const std::string query = parent.empty() ? "" : "parent=" + client_->EncodeNamespace(parent);
  if (!parent.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(bool exists, NamespaceExists(parent));
    if (!exists) return NamespaceNotFound(*this, parent);
  }
  FRAZIL_ASSIGN_OR_RETURN(auto items, client_->List("/namespaces", query, "namespaces"));
  std::vector<Namespace> found;
  for (const auto& item : items) {
    Namespace name_space;
    for (const auto& part : item) {
      if (part.is_string()) name_space.push_back(part.get<std::string>());
    }
    // Some services also list what lies deeper, or the parent itself.
    if (name_space.size() == parent.size() + 1) found.push_back(std::move(name_space));
  }
  std::sort(found.begin(), found.end());
  return found;
}

Result<bool> RestCatalog::NamespaceExists(const Namespace& name_space) {
  if (name_space.empty()) return true;
  const std::string path = NamespacePath(name_space);
  FRAZIL_ASSIGN_OR_RETURN(auto answer, client_->Send("GET", path, nullptr, true));
  if (answer.ok()) return true;
  if (answer.status == 404) return false;
  return client_->ErrorOf("GET", path, answer);
}

Result<std::map<std::string, std::string>> RestCatalog::LoadNamespace(const Namespace& name_space) {
  const std::string path = NamespacePath(name_space);
  FRAZIL_ASSIGN_OR_RETURN(auto answer, client_->Send("GET", path, nullptr, true));
  if (answer.status == 404) return NamespaceNotFound(*this, name_space);
  if (!answer.ok()) return client_->ErrorOf("GET", path, answer);
  return TextMembers(Member(answer.body, "properties"));
}

Status RestCatalog::CreateNamespace(const Namespace& name_space, const std::map<std::string, std::string>& properties) {
  const Json body = {{"namespace", name_space}, {"properties", properties}};
  FRAZIL_ASSIGN_OR_RETURN(auto answer, client_->Send("POST", "/namespaces", &body, /*repeatable=*/false));
  if (answer.ok()) return {};
  if (answer.status == 409) {
    // What an earlier attempt made is ours: there was none before it, or it would have been refused.
    if (answer.earlier_unknown) return {};
    return NamespaceExistsAlready(*this, name_space);
  }
  return client_->ErrorOf("POST", "/namespaces", answer);
}

Status RestCatalog::AlterNamespace(const Namespace& name_space, const std::map<std::string, std::string>& set,
                                   const std::vector<std::string>& unset) {
  const std::string path = NamespacePath(name_space) + "/properties";
  Json body = {{"removals", Json::array()}, {"updates", Json::object()}};
  for (const auto& key : unset) body["removals"].push_back(key);
  for (const auto& [key, value] : set) body["updates"][key] = value;
  FRAZIL_ASSIGN_OR_RETURN(auto answer, client_->Send("POST", path, &body, /*repeatable=*/true));
  if (answer.ok()) return {};
  if (answer.status == 404) return NamespaceNotFound(*this, name_space);
  return client_->ErrorOf("POST", path, answer);
}

Status RestCatalog::DropNamespace(const Namespace& name_space, bool cascade) {
  FRAZIL_ASSIGN_OR_RETURN(bool exists, NamespaceExists(name_space));
  if (!exists) return NamespaceNotFound(*this, name_space);
  if (cascade) {
    FRAZIL_ASSIGN_OR_RETURN(auto children, ListNamespaces(name_space));
    for (const auto& child : children) FRAZIL_RETURN_IF_ERROR(DropNamespace(child, true));
    FRAZIL_ASSIGN_OR_RETURN(auto views, ListViews(name_space));
    for (const auto& view : views) FRAZIL_RETURN_IF_ERROR(DropView({name_space, view}));
    FRAZIL_ASSIGN_OR_RETURN(auto names, ListTables(name_space));
    for (const auto& table : names) FRAZIL_RETURN_IF_ERROR(DropTable({name_space, table}, false));
  }
  const std::string path = NamespacePath(name_space);
  FRAZIL_ASSIGN_OR_RETURN(auto answer, client_->Send("DELETE", path, nullptr, /*repeatable=*/true));
  if (answer.ok() || (answer.status == 404 && answer.earlier_unknown)) return {};
  if (answer.status == 404) return NamespaceNotFound(*this, name_space);
  // The protocol says 409; the reference's own service has said 400 of the same.
  const bool not_empty = answer.error_type == "NamespaceNotEmptyException";
  if (answer.status == 409 || not_empty) return NamespaceNotEmpty(*this, name_space);
  return client_->ErrorOf("DELETE", path, answer);
}

// --- tables

Result<std::vector<std::string>> RestCatalog::ListNames(const Namespace& name_space, const std::string& kind) {
  FRAZIL_ASSIGN_OR_RETURN(bool exists, NamespaceExists(name_space));
  if (!exists) return NamespaceNotFound(*this, name_space);
  FRAZIL_ASSIGN_OR_RETURN(auto items, client_->List(NamespacePath(name_space) + "/" + kind, "", "identifiers"));
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(TextMember(item, "name"));
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::vector<std::string>> RestCatalog::ListTables(const Namespace& name_space) {
  return ListNames(name_space, "tables");
}

Result<bool> RestCatalog::TableExists(const Identifier& identifier) {
  if (identifier.name_space.empty()) return false;
  FRAZIL_ASSIGN_OR_RETURN(auto state, LoadRestTable(*client_, identifier));
  return state.has_value();
}

Result<tables::TableContext> RestCatalog::ContextFor(const Identifier& identifier, const RestTableState& state) const {
  const std::string location = TextMember(state.metadata, "location");
  Settings settings = client_->settings();
  for (const auto& [key, value] : state.SettingsFor(location)) settings[key] = value;
  tables::TableContext context;
  context.name = DottedName(*this, identifier);
  const auto authority = RestAuthorityOf(client_, identifier, state, settings);
  if (authority != nullptr) settings[net::aws::kAuthoritySetting] = net::aws::RegisterAuthority(authority);
  // It lives as long as the settings that name it.
  context.settings = [authority, lookup = SettingsWithin(std::move(settings), session_settings_)](
                         std::string_view key) { return lookup(key); };
  FRAZIL_ASSIGN_OR_RETURN(context.store, stores_->StoreFor(location, context.settings));
  return context;
}

tables::CommitPointPtr RestCatalog::CommitPointFor(const Identifier& identifier,
                                                   std::optional<RestTableState> known) const {
  return std::make_shared<RestCommitPoint>(client_, identifier, DottedName(*this, identifier), std::move(known));
}

Result<tables::TablePtr> RestCatalog::LoadTable(const Identifier& identifier) {
  if (identifier.name_space.empty()) return TableNotFound(*this, identifier);
  FRAZIL_ASSIGN_OR_RETURN(auto state, LoadRestTable(*client_, identifier));
  if (!state) return TableNotFound(*this, identifier);
  FRAZIL_ASSIGN_OR_RETURN(auto context, ContextFor(identifier, *state));
  const std::string location = TextMember(state->metadata, "location");
  return format_->Load(context, location, CommitPointFor(identifier, std::move(state)));
}

Result<RestCatalog::Planned> RestCatalog::Plan(const Identifier& identifier,
                                               const tables::TableDefinition& definition) {
  Planned planned;
  planned.definition = table_properties_.Complete(definition);
  FRAZIL_ASSIGN_OR_RETURN(auto text, texts_->NewMetadata(planned.definition, definition.location.value_or("")));
  const Json metadata = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  auto first = [&](const char* list) {
    const Json* items = Member(metadata, list);
    return items != nullptr && items->is_array() && !items->empty() ? (*items)[0] : Json();
  };
  Json body = {{"name", identifier.name},
               {"schema", first("schemas")},
               {"partition-spec", first("partition-specs")},
               {"write-order", first("sort-orders")},
               {"stage-create", true},
               {"properties", Json::object()}};
  const Json* properties = Member(metadata, "properties");
  if (properties != nullptr) body["properties"] = *properties;
  if (auto version = NumberMember(metadata, "format-version"))
    body["properties"]["format-version"] = std::to_string(*version);
  if (definition.location) body["location"] = *definition.location;
  const std::string path = NamespacePath(identifier.name_space) + "/tables";
  // Nothing comes into being by it, so that it may be asked again.
  FRAZIL_ASSIGN_OR_RETURN(auto answer, client_->Send("POST", path, &body, /*repeatable=*/true));
  if (answer.status == 404) return NamespaceNotFound(*this, identifier.name_space);
  if (answer.status == 409) return TableExistsAlready(*this, identifier);
  if (!answer.ok()) return client_->ErrorOf("POST", path, answer);
  FRAZIL_ASSIGN_OR_RETURN(auto state, RestTableState::Of(answer.body));
  planned.location = TextMember(state.metadata, "location");
  FRAZIL_ASSIGN_OR_RETURN(planned.context, ContextFor(identifier, state));
  return planned;
}

Result<tables::TablePtr> RestCatalog::CreateTable(const Identifier& identifier,
                                                  const tables::TableDefinition& definition) {
  FRAZIL_ASSIGN_OR_RETURN(auto planned, Plan(identifier, definition));
  return format_->Create(planned.context, planned.definition, planned.location,
                         CommitPointFor(identifier, std::nullopt));
}

Result<tables::StagedTable> RestCatalog::StageTable(const Identifier& identifier,
                                                    const tables::TableDefinition& definition, bool replace) {
  if (replace) {
    FRAZIL_ASSIGN_OR_RETURN(auto state, LoadRestTable(*client_, identifier));
    if (state) {
      FRAZIL_ASSIGN_OR_RETURN(auto context, ContextFor(identifier, *state));
      const std::string location = definition.location.value_or(TextMember(state->metadata, "location"));
      return format_->Stage(context, table_properties_.Complete(definition), location,
                            CommitPointFor(identifier, std::move(state)), true);
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(auto planned, Plan(identifier, definition));
  return format_->Stage(planned.context, planned.definition, planned.location, CommitPointFor(identifier, std::nullopt),
                        false);
}

Status RestCatalog::DropTable(const Identifier& identifier, bool purge) {
  const std::string path = RestTablePath(*client_, identifier) + (purge ? "?purgeRequested=true" : "");
  FRAZIL_ASSIGN_OR_RETURN(auto answer, client_->Send("DELETE", path, nullptr, /*repeatable=*/true));
  if (answer.ok() || (answer.status == 404 && answer.earlier_unknown)) return {};
  if (answer.status == 404) return TableNotFound(*this, identifier);
  return client_->ErrorOf("DELETE", path, answer);
}

Status RestCatalog::RenameTable(const Identifier& from, const Identifier& to) {
  const Json body = {{"source", {{"namespace", from.name_space}, {"name", from.name}}},
                     {"destination", {{"namespace", to.name_space}, {"name", to.name}}}};
  FRAZIL_ASSIGN_OR_RETURN(auto is_view, LoadView(from));
  const std::string path = is_view ? "/views/rename" : "/tables/rename";
  FRAZIL_ASSIGN_OR_RETURN(auto answer, client_->Send("POST", path, &body, /*repeatable=*/false));
  if (answer.ok()) return {};
  if (answer.status == 404) {
    FRAZIL_ASSIGN_OR_RETURN(bool moved, TableExists(to));
    if (answer.earlier_unknown && moved) return {};
    if (answer.error_type == "NoSuchNamespaceException") return NamespaceNotFound(*this, to.name_space);
    return TableNotFound(*this, from);
  }
  if (answer.status == 409) {
    FRAZIL_ASSIGN_OR_RETURN(bool still_there, TableExists(from));
    if (answer.earlier_unknown && !still_there) return {};
    return TableExistsAlready(*this, to);
  }
  return client_->ErrorOf("POST", path, answer);
}

Status RestCatalog::AlterTable(const Identifier& identifier, const std::vector<tables::TableChange>& changes) {
  FRAZIL_ASSIGN_OR_RETURN(auto table, LoadTable(identifier));
  return table->Alter(changes);
}

Status RestCatalog::RegisterTable(const Identifier& identifier, const std::string& metadata_location) {
  const Json body = {{"name", identifier.name}, {"metadata-location", metadata_location}};
  const std::string path = NamespacePath(identifier.name_space) + "/register";
  FRAZIL_ASSIGN_OR_RETURN(auto answer, client_->Send("POST", path, &body, /*repeatable=*/false));
  if (answer.ok()) return {};
  if (answer.status == 404) return NamespaceNotFound(*this, identifier.name_space);
  if (answer.status == 409) {
    if (answer.earlier_unknown) {
      FRAZIL_ASSIGN_OR_RETURN(auto state, LoadRestTable(*client_, identifier));
      if (state && state->metadata_location == metadata_location) return {};
    }
    return TableExistsAlready(*this, identifier);
  }
  return client_->ErrorOf("POST", path, answer);
}

}  // namespace frazil::catalogs
