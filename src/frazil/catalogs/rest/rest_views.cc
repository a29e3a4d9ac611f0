// Views of a REST catalog: Iceberg's view metadata, https://iceberg.apache.org/view-spec/.

#include "frazil/catalogs/iceberg_view.h"
#include "frazil/catalogs/rest/rest_catalog.h"
#include "frazil/net/url.h"

namespace frazil::catalogs {
std::string RestCatalog::ViewPath(const Identifier& identifier) const {
  return NamespacePath(identifier.name_space) + "/views/" + net::PercentEncode(identifier.name);
}

Result<std::vector<std::string>> RestCatalog::ListViews(const Namespace& name_space) {
  if (!client_->HasEndpoint("GET /v1/{prefix}/namespaces/{namespace}/views", true)) return std::vector<std::string>();
  return ListNames(name_space, "views");
}

Result<std::optional<ViewDefinition>> RestCatalog::LoadView(const Identifier& identifier) {
  if (identifier.name_space.empty() ||
      !client_->HasEndpoint("GET /v1/{prefix}/namespaces/{namespace}/views/{view}", true))
    return std::optional<ViewDefinition>();
  const std::string path = ViewPath(identifier);
  FRAZIL_ASSIGN_OR_RETURN(auto answer, client_->Send("GET", path, nullptr, true));
  // Services without views know no such path.
  if (answer.status == 404 || answer.status == 405 || answer.status == 406 || answer.status == 501)
    return std::optional<ViewDefinition>();
  if (!answer.ok()) return client_->ErrorOf("GET", path, answer);
  const Json* metadata = Member(answer.body, "metadata");
  if (metadata == nullptr) return Error::Storage("The catalog's answer holds no view metadata");
  FRAZIL_ASSIGN_OR_RETURN(auto view, ReadViewMetadata(*texts_, *metadata, DottedName(*this, identifier), name_));
  return std::optional<ViewDefinition>(std::move(view));
}

Status RestCatalog::CreateView(const Identifier& identifier, const ViewDefinition& view, bool replace) {
  FRAZIL_ASSIGN_OR_RETURN(Json schema, ViewSchemaOf(*texts_, view.schema));
  const std::string views = NamespacePath(identifier.name_space) + "/views";
  const Json properties = ViewPropertiesOf(view);
  if (replace) {
    const std::string path = ViewPath(identifier);
    FRAZIL_ASSIGN_OR_RETURN(auto existing, client_->Send("GET", path, nullptr, true));
    if (!existing.ok() && existing.status != 404) return client_->ErrorOf("GET", path, existing);
    if (existing.ok()) {
      const Json* metadata = Member(existing.body, "metadata");
      const std::string uuid = metadata == nullptr ? "" : TextMember(*metadata, "view-uuid");
      Json updates = Json::array();
      Json removals = Json::array();
      for (const auto& [key, value] : TextMembers(metadata == nullptr ? nullptr : Member(*metadata, "properties"))) {
        if (!properties.contains(key)) removals.push_back(key);
      }
      if (!removals.empty()) updates.push_back({{"action", "remove-properties"}, {"removals", removals}});
      updates.push_back({{"action", "set-properties"}, {"updates", properties}});
      updates.push_back({{"action", "add-schema"}, {"schema", schema}});
      // -1: the schema that comes with it; the service numbers the version itself.
      updates.push_back({{"action", "add-view-version"}, {"view-version", ViewVersionOf(view, 1, -1)}});
      updates.push_back({{"action", "set-current-view-version"}, {"view-version-id", -1}});
      Json body = {{"identifier", {{"namespace", identifier.name_space}, {"name", identifier.name}}},
                   {"requirements", Json::array({{{"type", "assert-view-uuid"}, {"uuid", uuid}}})},
                   {"updates", updates}};
      // The same version twice is one version.
      FRAZIL_ASSIGN_OR_RETURN(auto answer, client_->Send("POST", path, &body, /*repeatable=*/true));
      return answer.ok() ? Status::Ok() : Status(client_->ErrorOf("POST", path, answer));
    }
  }
  const Json body = {{"name", identifier.name},
                     {"schema", schema},
                     {"view-version", ViewVersionOf(view, 1, NumberMember(schema, "schema-id").value_or(0))},
                     {"properties", properties}};
  FRAZIL_ASSIGN_OR_RETURN(auto answer, client_->Send("POST", views, &body, /*repeatable=*/false));
  if (answer.ok()) return {};
  if (answer.status == 404) return NamespaceNotFound(*this, identifier.name_space);
  if (answer.status == 409 && !answer.earlier_unknown) return TableExistsAlready(*this, identifier);
  if (answer.status == 409) {
    FRAZIL_ASSIGN_OR_RETURN(auto there, LoadView(identifier));
    if (there && there->query_text == view.query_text) return {};
    return TableExistsAlready(*this, identifier);
  }
  return client_->ErrorOf("POST", views, answer);
}

Status RestCatalog::DropView(const Identifier& identifier) {
  const std::string path = ViewPath(identifier);
  FRAZIL_ASSIGN_OR_RETURN(auto answer, client_->Send("DELETE", path, nullptr, /*repeatable=*/true));
  if (answer.ok() || (answer.status == 404 && answer.earlier_unknown)) return {};
  if (answer.status == 404) return TableNotFound(*this, identifier);
  return client_->ErrorOf("DELETE", path, answer);
}

}  // namespace frazil::catalogs
