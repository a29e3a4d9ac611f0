#include "frazil/catalogs/iceberg_view.h"

#include "frazil/base/clock.h"
#include "frazil/base/text.h"
#include "frazil/base/uuid.h"

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

}  // namespace

Result<Json> ViewSchemaOf(const tables::MetadataText& texts, const DataTypePtr& columns) {
  tables::TableDefinition definition;
  definition.schema = columns;
  definition.properties["format-version"] = "3";  // Views may have any type.
  FRAZIL_ASSIGN_OR_RETURN(auto text, texts.NewMetadata(definition, ""));
  const Json metadata = ParseJsonOrNull(text);
  const Json* schemas = Member(metadata, "schemas");
  if (schemas == nullptr || !schemas->is_array() || schemas->empty())
    return Error::Internal("Table metadata without a schema");
  return (*schemas)[0];
}

Json ViewVersionOf(const ViewDefinition& view, int64_t version_id, int64_t schema_id) {
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

Json ViewPropertiesOf(const ViewDefinition& view) {
  Json properties = Json::object();
  for (const auto& [key, value] : view.properties) properties[key] = value;
  if (!view.comment.empty()) properties["comment"] = view.comment;
  if (!view.owner.empty()) properties["owner"] = view.owner;
  properties[kQueryColumns] = Join(view.query_column_names, ",");
  return properties;
}

Result<Json> ViewMetadataOf(const tables::MetadataText& texts, const ViewDefinition& view, const std::string& location,
                            const Json& former) {
  FRAZIL_ASSIGN_OR_RETURN(Json schema, ViewSchemaOf(texts, view.schema));
  Json metadata = former;
  if (metadata.is_null()) {
    metadata = {{"view-uuid", RandomUuidText()}, {"format-version", 1},          {"location", location},
                {"versions", Json::array()},     {"version-log", Json::array()}, {"schemas", Json::array()}};
  }
  for (const char* list : {"versions", "version-log", "schemas"}) {
    const Json* items = Member(metadata, list);
    if (items == nullptr || !items->is_array()) return Error::Storage("The metadata of a view is incomplete");
  }
  auto after_last = [&](const char* list, const char* id, int64_t first) {
    int64_t next = first;
    for (const auto& item : metadata[list]) next = std::max(next, NumberMember(item, id).value_or(0) + 1);
    return next;
  };
  const int64_t version_id = after_last("versions", "version-id", 1);
  const int64_t schema_id = after_last("schemas", "schema-id", 0);
  schema["schema-id"] = schema_id;
  Json version = ViewVersionOf(view, version_id, schema_id);
  metadata["version-log"].push_back({{"timestamp-ms", version["timestamp-ms"]}, {"version-id", version_id}});
  metadata["schemas"].push_back(std::move(schema));
  metadata["versions"].push_back(std::move(version));
  metadata["current-version-id"] = version_id;
  metadata["properties"] = ViewPropertiesOf(view);
  return metadata;
}

Result<ViewDefinition> ReadViewMetadata(const tables::MetadataText& texts, const Json& metadata,
                                        const std::string& full_name, const std::string& catalog_name) {
  const Json* version = FindById(metadata, "versions", "version-id", NumberMember(metadata, "current-version-id"));
  const Json* schema =
      version == nullptr ? nullptr : FindById(metadata, "schemas", "schema-id", NumberMember(*version, "schema-id"));
  if (schema == nullptr) return Error::Storage("The metadata of the view " + full_name + " is incomplete");
  const auto text = SparkText(*version);
  if (!text) return Error::Unsupported("the view " + full_name + ", which has no SQL for Spark");
  ViewDefinition view;
  view.query_text = *text;
  FRAZIL_ASSIGN_OR_RETURN(view.schema, texts.SchemaOfMetadata(AsTableMetadata(*schema)));
  view.current_catalog = TextMember(*version, "default-catalog");
  if (view.current_catalog.empty()) view.current_catalog = catalog_name;
  const Json* name_space = Member(*version, "default-namespace");
  if (name_space != nullptr && name_space->is_array()) {
    for (const auto& part : *name_space) {
      if (part.is_string()) view.current_namespace.push_back(part.get<std::string>());
    }
  }
  view.properties = TextMembers(Member(metadata, "properties"));
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
  return view;
}

}  // namespace frazil::catalogs
