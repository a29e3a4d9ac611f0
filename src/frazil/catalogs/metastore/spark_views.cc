#include "frazil/catalogs/metastore/spark_views.h"

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/catalogs/metastore/described_table.h"
#include "frazil/catalogs/metastore/hive_types.h"

namespace frazil::catalogs {
namespace {

// Parameters of Spark's views (CatalogTable).
constexpr const char* kNamespace = "view.catalogAndNamespace.";
constexpr const char* kColumns = "view.query.out.";
constexpr const char* kSettings = "view.sqlConfig.";
constexpr const char* kBinding = "view.schemaMode";
constexpr const char* kSchema = "spark.sql.sources.schema";

using Parameters = std::map<std::string, std::string>;

std::string Find(const Parameters& parameters, const std::string& key) {
  const auto found = parameters.find(key);
  return found == parameters.end() ? std::string() : found->second;
}

std::vector<std::string> Parts(const Parameters& parameters, const std::string& count, const std::string& part) {
  std::vector<std::string> parts;
  const int number = ParseInteger<int>(Find(parameters, count)).value_or(0);
  for (int i = 0; i < number; ++i) parts.push_back(Find(parameters, part + std::to_string(i)));
  return parts;
}

}  // namespace

bool IsSparkView(const HiveTable& entry) {
  return entry.type == "VIRTUAL_VIEW" && !EqualsIgnoreCase(Find(entry.parameters, "table_type"), "iceberg-view");
}

Result<ViewDefinition> SparkViewOf(const HiveTable& entry, const std::string& catalog_name) {
  ViewDefinition view;
  view.query_text = entry.view_expanded_text.empty() ? entry.view_original_text : entry.view_expanded_text;
  view.owner = entry.owner;
  view.comment = Find(entry.parameters, "comment");
  const std::string prefix = kNamespace;
  auto place = Parts(entry.parameters, prefix + "numParts", prefix + "part.");
  if (place.size() < 2) place = {catalog_name, entry.database};
  view.current_catalog = place[0];
  view.current_namespace.assign(place.begin() + 1, place.end());
  view.query_column_names = Parts(entry.parameters, std::string(kColumns) + "numCols", std::string(kColumns) + "col.");
  if (const std::string binding = Find(entry.parameters, kBinding); !binding.empty()) view.schema_binding = binding;
  for (const auto& [key, value] : entry.parameters) {
    if (key.starts_with(kSettings)) {
      view.settings[key.substr(std::string_view(kSettings).size())] = value;
    } else if (!key.starts_with("view.") && !key.starts_with("spark.sql.") && key != "comment" &&
               key != "transient_lastDdlTime") {
      view.properties[key] = value;
    }
  }
  if (const std::string text = Find(entry.parameters, kSchema); !text.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(view.schema, DataType::FromJson(text));
    return view;
  }
  std::vector<StructField> fields;
  for (const auto& column : entry.storage.columns) {
    FRAZIL_ASSIGN_OR_RETURN(auto type, ParseHiveType(column.type));
    fields.emplace_back(column.name, std::move(type), true);
    if (!column.comment.empty()) fields.back().SetComment(column.comment);
  }
  view.schema = DataType::Struct(std::move(fields));
  return view;
}

HiveTable SparkViewEntry(const std::string& database, const std::string& name, const ViewDefinition& view) {
  HiveTable entry;
  entry.database = database;
  entry.name = name;
  entry.owner = view.owner;
  entry.type = "VIRTUAL_VIEW";
  entry.view_original_text = view.query_text;
  entry.view_expanded_text = view.query_text;
  entry.parameters = view.properties;
  if (!view.comment.empty()) entry.parameters["comment"] = view.comment;
  std::vector<std::string> place = {view.current_catalog};
  place.insert(place.end(), view.current_namespace.begin(), view.current_namespace.end());
  entry.parameters[std::string(kNamespace) + "numParts"] = std::to_string(place.size());
  for (size_t i = 0; i < place.size(); ++i)
    entry.parameters[std::string(kNamespace) + "part." + std::to_string(i)] = place[i];
  entry.parameters[std::string(kColumns) + "numCols"] = std::to_string(view.query_column_names.size());
  for (size_t i = 0; i < view.query_column_names.size(); ++i)
    entry.parameters[std::string(kColumns) + "col." + std::to_string(i)] = view.query_column_names[i];
  for (const auto& [key, value] : view.settings) entry.parameters[kSettings + key] = value;
  entry.parameters[kBinding] = view.schema_binding;
  if (view.schema != nullptr) {
    entry.parameters[kSchema] = view.schema->Json();
    for (const auto& field : view.schema->fields())
      entry.storage.columns.push_back({AsciiLower(field.name), field.type->SimpleString(), field.Comment()});
  }
  entry.storage.input_format = "org.apache.hadoop.mapred.SequenceFileInputFormat";
  entry.storage.output_format = "org.apache.hadoop.hive.ql.io.HiveSequenceFileOutputFormat";
  entry.storage.serde = "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe";
  return entry;
}

}  // namespace frazil::catalogs
