#include "frazil/tables/iceberg/name_mapping.h"

#include <map>

#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/json_access.h"

namespace frazil::tables::iceberg {
namespace {

Status Collect(const JsonValue& fields, std::map<int32_t, std::vector<std::string>>* names) {
  if (fields.kind != JsonValue::Kind::kArray) return IllegalArgument("Cannot parse name mapping: " + fields.Write());
  for (const auto& field : fields.items) {
    FRAZIL_ASSIGN_OR_RETURN(auto id, GetOptionalLong(field, "field-id"));
    FRAZIL_ASSIGN_OR_RETURN(const auto* list, GetArray(field, "names"));
    if (id) {
      for (const auto& name : *list) (*names)[static_cast<int32_t>(*id)].push_back(name.text);
    }
    if (const JsonValue* nested = field.Find("fields")) FRAZIL_RETURN_IF_ERROR(Collect(*nested, names));
  }
  return {};
}

void Fill(const std::map<int32_t, std::vector<std::string>>& names, std::vector<ScanColumn>* columns) {
  // Some writers leave an old name with a field when another one gets it: it is the other's then.
  std::map<std::string, int32_t> owners;
  for (const auto& column : *columns) {
    auto found = names.find(column.field_id);
    if (found == names.end()) continue;
    for (const auto& name : found->second) {
      auto [owner, is_new] = owners.emplace(name, column.field_id);
      if (!is_new && column.name == name) owner->second = column.field_id;
    }
  }
  for (auto& column : *columns) {
    auto found = names.find(column.field_id);
    if (found != names.end()) {
      for (const auto& name : found->second) {
        if (owners.at(name) == column.field_id) column.names_without_ids.push_back(name);
      }
    }
    Fill(names, &column.children);
  }
}

}  // namespace

Status ApplyNameMapping(const std::string& json, std::vector<ScanColumn>* columns) {
  FRAZIL_ASSIGN_OR_RETURN(JsonValue mapping, ParseJson(json));
  std::map<int32_t, std::vector<std::string>> names;
  FRAZIL_RETURN_IF_ERROR(Collect(mapping, &names));
  Fill(names, columns);
  return {};
}

}  // namespace frazil::tables::iceberg
