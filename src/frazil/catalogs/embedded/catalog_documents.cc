#include "frazil/catalogs/embedded/catalog_documents.h"

#include <nlohmann/json.hpp>

namespace frazil::catalogs {

namespace {

using Json = nlohmann::json;

Result<Json> Parse(const std::string& document) {
  Json json = Json::parse(document, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_object())
    return Error::Storage("The catalog's store holds a broken document: " + document);
  return json;
}

Json ToJson(const tables::PartitionField& field) {
  return {{"name", field.name},
          {"source", field.source},
          {"transform", static_cast<int>(field.transform)},
          {"parameter", field.parameter}};
}

tables::PartitionField ToPartitionField(const Json& json) {
  tables::PartitionField field;
  field.name = json.value("name", "");
  field.source = json.value("source", std::vector<std::string>());
  field.transform = static_cast<tables::TransformKind>(json.value("transform", 0));
  field.parameter = json.value("parameter", 0);
  return field;
}

}  // namespace

std::string WriteTableDocument(const tables::TableDefinition& definition) {
  Json json = {{"provider", definition.provider},    {"properties", definition.properties},
               {"options", definition.options},      {"comment", definition.comment},
               {"external", definition.is_external}, {"partitioning", Json::array()}};
  if (definition.schema != nullptr) json["schema"] = Json::parse(definition.schema->Json());
  if (definition.location.has_value()) json["location"] = *definition.location;
  for (const auto& field : definition.partitioning) json["partitioning"].push_back(ToJson(field));
  return json.dump();
}

Result<tables::TableDefinition> ReadTableDocument(const std::string& document) {
  FRAZIL_ASSIGN_OR_RETURN(auto json, Parse(document));
  tables::TableDefinition definition;
  definition.provider = json.value("provider", "");
  definition.properties = json.value("properties", std::map<std::string, std::string>());
  definition.options = json.value("options", std::map<std::string, std::string>());
  definition.comment = json.value("comment", "");
  definition.is_external = json.value("external", false);
  if (json.contains("location")) definition.location = json["location"].get<std::string>();
  if (json.contains("schema")) {
    FRAZIL_ASSIGN_OR_RETURN(definition.schema, DataType::FromJson(json["schema"].dump()));
  }
  for (const auto& field : json["partitioning"]) definition.partitioning.push_back(ToPartitionField(field));
  return definition;
}

std::string WriteViewDocument(const ViewDefinition& view) {
  Json json = {{"text", view.query_text},
               {"catalog", view.current_catalog},
               {"namespace", view.current_namespace},
               {"settings", view.settings},
               {"properties", view.properties},
               {"comment", view.comment},
               {"binding", view.schema_binding},
               {"owner", view.owner},
               {"columns", view.query_column_names}};
  if (view.schema != nullptr) json["schema"] = Json::parse(view.schema->Json());
  return json.dump();
}

Result<ViewDefinition> ReadViewDocument(const std::string& document) {
  FRAZIL_ASSIGN_OR_RETURN(auto json, Parse(document));
  ViewDefinition view;
  view.query_text = json.value("text", "");
  view.current_catalog = json.value("catalog", "");
  view.current_namespace = json.value("namespace", std::vector<std::string>());
  view.settings = json.value("settings", std::map<std::string, std::string>());
  view.properties = json.value("properties", std::map<std::string, std::string>());
  view.comment = json.value("comment", "");
  view.schema_binding = json.value("binding", "COMPENSATION");
  view.owner = json.value("owner", "");
  view.query_column_names = json.value("columns", std::vector<std::string>());
  if (json.contains("schema")) {
    FRAZIL_ASSIGN_OR_RETURN(view.schema, DataType::FromJson(json["schema"].dump()));
  }
  return view;
}

std::string WriteFunctionDocument(const FunctionDefinition& function) {
  return Json{{"statement", function.statement},
              {"catalog", function.current_catalog},
              {"namespace", function.current_namespace},
              {"settings", function.settings},
              {"owner", function.owner},
              {"created", function.created_millis}}
      .dump();
}

Result<FunctionDefinition> ReadFunctionDocument(const std::string& document) {
  FRAZIL_ASSIGN_OR_RETURN(auto json, Parse(document));
  FunctionDefinition function;
  function.statement = json.value("statement", "");
  function.current_catalog = json.value("catalog", "");
  function.current_namespace = json.value("namespace", std::vector<std::string>());
  function.settings = json.value("settings", std::map<std::string, std::string>());
  function.owner = json.value("owner", "");
  function.created_millis = json.value("created", int64_t{0});
  return function;
}

std::string WritePropertiesDocument(const std::map<std::string, std::string>& properties) {
  return Json(properties).dump();
}

Result<std::map<std::string, std::string>> ReadPropertiesDocument(const std::string& document) {
  FRAZIL_ASSIGN_OR_RETURN(auto json, Parse(document));
  std::map<std::string, std::string> properties;
  for (const auto& [key, value] : json.items()) {
    if (value.is_string()) properties[key] = value.get<std::string>();
  }
  return properties;
}

}  // namespace frazil::catalogs
