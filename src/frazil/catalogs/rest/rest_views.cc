// Views of a REST catalog: Iceberg's view metadata, https://iceberg.apache.org/view-spec/.

#include "frazil/base/clock.h"
#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/catalogs/rest/rest_catalog.h"
#include "frazil/net/url.h"

namespace frazil::catalogs {
namespace {

// Where Iceberg's Spark keeps the names that the query gives its columns.
constexpr const char* kQueryColumns = "spark.query-column-names";

/// The item of a list whose `id` is `wanted`, or null.
const Json* FindById(const Json& metadata, const char* list, const char* id, std::optional<int64_t> wanted) {
  const Json* items = Member(metadata, list);
  if (items == nullptr || !items->is_array() || !wanted) return nullptr;
  for (const auto& item : *items) {
    if (NumberMember(item, id) == wanted) return &item;
  }
  return nullptr;
}

/// A table's metadata that has this schema and nothing else.
std::string AsTableMetadata(const Json& schema) {
  Json metadata = {{"format-version", 3},
                   {"table-uuid", RandomUuidText()},
                   {"location", ""},
                   {"last-sequence-number", 0},
                   {"last-updated-ms", 0},
                   {"last-column-id", 0},
                   {"current-schema-id", NumberMember(schema, "schema-id").value_or(0)},
                   {"schemas", Json::array({schema})},
                   {"default-spec-id", 0},
                   {"partition-specs", Json::array({{{"spec-id", 0}, {"fields", Json::array()}}})},
                   {"last-partition-id", 999},
                   {"default-sort-order-id", 0},
                   {"sort-orders", Json::array({{{"order-id", 0}, {"fields", Json::array()}}})},
                   {"next-row-id", 0}};
  return metadata.dump();
}

/// The SQL for Spark; nullopt where the view has none.
std::optional<std::string> SparkText(const Json& version) {
  const Json* representations = Member(version, "representations");
  if (representations == nullptr || !representations->is_array()) return std::nullopt;
  for (const auto& representation : *representations) {
    if (TextMember(representation, "type") == "sql" && EqualsIgnoreCase(TextMember(representation, "dialect"), "spark"))
      return TextMember(representation, "sql");
  }
  return std::nullopt;
}

Json VersionOf(const ViewDefinition& view, int64_t version_id, int64_t schema_id) {
  Json version = {
      {"version-id", version_id},
      {"timestamp-ms", NowMicros() / 1000},
      {"schema-id", schema_id},
      {"summary", {{"engine-name", "spark"}, {"app-name", "frazil"}}},
      {"default-namespace", view.current_namespace},
      {"representations", Json::array({{{"type", "sql"}, {"sql", view.query_text}, {"dialect", "spark"}}})}};
  if (!view.current_catalog.empty()) version["default-catalog"] = view.current_catalog;
  return version;
}

Json PropertiesOf(const ViewDefinition& view) {
  Json properties = Json::object();
  for (const auto& [key, value] : view.properties) properties[key] = value;
  if (!view.comment.empty()) properties["comment"] = view.comment;
  if (!view.owner.empty()) properties["owner"] = view.owner;
  properties[kQueryColumns] = Join(view.query_column_names, ",");
  return properties;
}

}  // namespace

std::string RestCatalog::ViewPath(const Identifier& identifier) const {
  return NamespacePath(identifier.name_space) + "/views/" + net::PercentEncode(identifier.name);
}

Result<Json> RestCatalog::SchemaFor(const DataTypePtr& columns) const {
  tables::TableDefinition definition;
  definition.schema = columns;
  definition.properties["format-version"] = "3";  // Views may have any type.
  FRAZIL_ASSIGN_OR_RETURN(auto text, texts_->NewMetadata(definition, ""));
  const Json metadata = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const Json* schemas = Member(metadata, "schemas");
  if (schemas == nullptr || !schemas->is_array() || schemas->empty())
    return Error::Internal("Table metadata without a schema");
  return (*schemas)[0];
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
  const Json* version = FindById(*metadata, "versions", "version-id", NumberMember(*metadata, "current-version-id"));
  const Json* schema =
      version == nullptr ? nullptr : FindById(*metadata, "schemas", "schema-id", NumberMember(*version, "schema-id"));
  if (schema == nullptr) return Error::Storage("The metadata of the view " + identifier.name + " is incomplete");
  const auto text = SparkText(*version);
  if (!text) return Error::Unsupported("the view " + DottedName(*this, identifier) + ", which has no SQL for Spark");
  ViewDefinition view;
  view.query_text = *text;
  FRAZIL_ASSIGN_OR_RETURN(view.schema, texts_->SchemaOfMetadata(AsTableMetadata(*schema)));
  view.current_catalog = TextMember(*version, "default-catalog");
  if (view.current_catalog.empty()) view.current_catalog = name_;
  const Json* name_space = Member(*version, "default-namespace");
  if (name_space != nullptr && name_space->is_array()) {
    for (const auto& part : *name_space) {
      if (part.is_string()) view.current_namespace.push_back(part.get<std::string>());
    }
  }
  view.properties = TextMembers(Member(*metadata, "properties"));
  for (const auto& [key, target] :
       {std::pair<const char*, std::string*>{"comment", &view.comment}, {"owner", &view.owner}}) {
    auto found = view.properties.find(key);
    if (found == view.properties.end()) continue;
    *target = found->second;
    view.properties.erase(found);
  }
  auto columns = view.properties.find(kQueryColumns);
  if (columns != view.properties.end()) {
    if (!columns->second.empty()) view.query_column_names = Split(columns->second, ',');
    view.properties.erase(columns);
  }
  return std::optional<ViewDefinition>(std::move(view));
}

Status RestCatalog::CreateView(const Identifier& identifier, const ViewDefinition& view, bool replace) {
  FRAZIL_ASSIGN_OR_RETURN(Json schema, SchemaFor(view.schema));
  const std::string views = NamespacePath(identifier.name_space) + "/views";
  const Json properties = PropertiesOf(view);
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
      updates.push_back({{"action", "add-view-version"}, {"view-version", VersionOf(view, 1, -1)}});
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
                     {"view-version", VersionOf(view, 1, NumberMember(schema, "schema-id").value_or(0))},
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
