#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "frazil/storage/object_store.h"
#include "frazil/tables/table.h"

namespace frazil::catalogs {

/// Properties that a catalog's settings give to every new table: table-default.KEY, table-override.KEY.
struct TableProperties {
  std::map<std::string, std::string> defaults;
  std::map<std::string, std::string> overrides;

  static TableProperties Of(const std::map<std::string, std::string>& settings) {
    TableProperties result;
    for (const auto& [key, value] : settings) {
      if (key.starts_with("table-default.")) result.defaults[key.substr(14)] = value;
      if (key.starts_with("table-override.")) result.overrides[key.substr(15)] = value;
    }
    return result;
  }

  tables::TableDefinition Complete(tables::TableDefinition definition) const {
    for (const auto& [key, value] : defaults) definition.properties.emplace(key, value);
    for (const auto& [key, value] : overrides) definition.properties[key] = value;
    return definition;
  }
};

/// Settings of a catalog (by their keys without prefix: "s3.endpoint", ...), and of the session where it has none.
inline storage::SettingLookup SettingsWithin(std::map<std::string, std::string> settings,
                                             storage::SettingLookup session) {
  return [settings = std::move(settings),
          session = std::move(session)](std::string_view key) -> std::optional<std::string> {
    auto found = settings.find(std::string(key));
    if (found != settings.end()) return found->second;
    return session ? session(key) : std::nullopt;
  };
}

}  // namespace frazil::catalogs
