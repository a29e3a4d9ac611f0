#include "frazil/catalogs/glue/glue_columns.h"

#include <algorithm>
#include <set>
#include <string>

#include "frazil/catalogs/json_members.h"

namespace frazil::catalogs {
namespace {

const Json kNone;

const Json& At(const Json& value, const char* name) {
  if (!value.is_object()) return kNone;
  auto found = value.find(name);
  return found == value.end() ? kNone : *found;
}

void AddColumns(const Json& schema, bool is_current, std::set<std::string>* seen, Json* columns) {
  const Json& fields = At(schema, "fields");
  if (!fields.is_array()) return;
  for (const auto& field : fields) {
    const std::string name = TextMember(field, "name");
    if (!seen->insert(name).second) continue;
    const Json& id = At(field, "id");
    const Json& required = At(field, "required");
    Json column = {{"Name", name},
                   {"Type", HiveTypeText(At(field, "type"))},
                   {"Parameters",
                    {{"iceberg.field.id", id.is_number_integer() ? std::to_string(id.get<int64_t>()) : ""},
                     {"iceberg.field.optional", required.is_boolean() && required.get<bool>() ? "false" : "true"},
                     {"iceberg.field.current", is_current ? "true" : "false"}}}};
    const std::string comment = TextMember(field, "doc");
    if (!comment.empty()) column["Comment"] = comment.substr(0, 255);  // Glue takes no longer ones.
    columns->push_back(std::move(column));
  }
}

}  // namespace

std::string HiveTypeText(const Json& type) {
  if (type.is_object()) {
    const std::string kind = TextMember(type, "type");
    if (kind == "list") return "array<" + HiveTypeText(At(type, "element")) + ">";
    if (kind == "map") return "map<" + HiveTypeText(At(type, "key")) + "," + HiveTypeText(At(type, "value")) + ">";
    std::string text;
    for (const auto& field : At(type, "fields"))
      text += (text.empty() ? "" : ",") + TextMember(field, "name") + ":" + HiveTypeText(At(field, "type"));
    return "struct<" + text + ">";
  }
  std::string name = type.is_string() ? type.get<std::string>() : std::string();
  if (name == "long") return "bigint";
  if (name.starts_with("timestamp")) return "timestamp";
  if (name == "time" || name == "uuid") return "string";
  if (name.starts_with("fixed")) return "binary";
  std::erase(name, ' ');  // "decimal(7, 2)"
  return name;
}

Json GlueColumns(const Json& metadata) {
  Json columns = Json::array();
  std::set<std::string> seen;
  const Json& schemas = At(metadata, "schemas");
  if (!schemas.is_array()) return columns;
  const Json& current = At(metadata, "current-schema-id");
  for (const bool is_current : {true, false}) {
    for (const auto& schema : schemas) {
      if ((At(schema, "schema-id") == current) == is_current) AddColumns(schema, is_current, &seen, &columns);
    }
  }
  return columns;
}

}  // namespace frazil::catalogs
