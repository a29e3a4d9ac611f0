#include "frazil/session/session_state.h"

#include "frazil/base/text.h"
#include "frazil/session/settings.h"

namespace frazil::session {

namespace {

constexpr std::string_view kCatalogPrefix = "spark.sql.catalog.";
constexpr const char* kSessionCatalog = "spark_catalog";
/// What makes a Metastore of it without a setting of its own.
constexpr const char* kMetastoreSettings[] = {"spark.sql.catalogImplementation", "spark.hadoop.hive.metastore.uris",
                                              "hive.metastore.uris"};

}  // namespace

std::optional<std::string> SessionState::ExplicitSettingLocked(std::string_view key) const {
  if (auto found = settings.find(std::string(key)); found != settings.end()) return found->second;
  if (auto found = shared->options.settings.find(std::string(key)); found != shared->options.settings.end())
    return found->second;
  return std::nullopt;
}

std::optional<std::string> SessionState::ExplicitSetting(std::string_view key) const {
  std::lock_guard lock(mutex);
  return ExplicitSettingLocked(key);
}

std::optional<std::string> SessionState::Setting(std::string_view key) const {
  if (key == "spark.sql.warehouse.dir") return shared->options.warehouse;
  if (auto value = ExplicitSetting(key)) return value;
  if (const auto* known = FindSetting(key)) return std::string(known->default_value);
  return std::nullopt;
}

std::string SessionState::CurrentCatalog() const {
  {
    std::lock_guard lock(mutex);
    if (!current_catalog.empty()) return current_catalog;
  }
  return Setting("spark.sql.defaultCatalog").value_or(kSessionCatalog);
}

std::vector<std::string> SessionState::CatalogNames() const {
  std::set<std::string> names = {kSessionCatalog};
  auto add = [&](const std::map<std::string, std::string>& from) {
    for (auto entry = from.lower_bound(std::string(kCatalogPrefix));
         entry != from.end() && entry->first.starts_with(kCatalogPrefix); ++entry) {
      std::string name = entry->first.substr(kCatalogPrefix.size());
      if (name.find('.') == std::string::npos) names.insert(name);
    }
  };
  std::lock_guard lock(mutex);
  add(settings);
  add(shared->options.settings);
  return {names.begin(), names.end()};
}

Result<catalogs::CatalogPtr> SessionState::Catalog(const std::string& name) {
  catalogs::CatalogContext context;
  context.name = name;
  context.formats = shared->parts.formats.get();
  context.stores = shared->parts.stores.get();
  context.default_warehouse = shared->options.warehouse;
  std::string fingerprint;
  std::map<std::string, std::string> metastore;
  std::string own_key = std::string(kCatalogPrefix) + name;
  {
    std::lock_guard lock(mutex);
    auto read = [&](const std::map<std::string, std::string>& from) {
      for (auto entry = from.lower_bound(own_key); entry != from.end() && entry->first.starts_with(own_key); ++entry) {
        if (entry->first == own_key) {
          context.class_name = entry->second;
        } else if (entry->first[own_key.size()] == '.') {
          context.settings[entry->first.substr(own_key.size() + 1)] = entry->second;
        }
      }
      for (const char* key : kMetastoreSettings) {
        const auto entry = from.find(key);
        if (entry != from.end() && name == kSessionCatalog) metastore[key] = entry->second;
      }
    };
    read(shared->options.settings);
    read(settings);
    if (context.class_name.empty() && name != kSessionCatalog) {
      return Error::Of("CATALOG_NOT_FOUND",
                       {{"catalogName", QuoteIdentifier(name)}, {"config", "\"" + own_key + "\""}});
    }
    fingerprint = context.class_name;
    for (const auto* from : {&context.settings, &metastore}) {
      for (const auto& [key, value] : *from) fingerprint += '\n' + key + '=' + value;
    }
    auto made = catalogs.find(name);
    if (made != catalogs.end() && made->second.fingerprint == fingerprint) return made->second.catalog;
  }
  // A weak look-up: the catalog lives inside the state that it reads.
  context.session_settings = [state = this](std::string_view key) { return state->ExplicitSetting(key); };
  FRAZIL_ASSIGN_OR_RETURN(auto catalog, shared->parts.catalogs->Make(context));
  std::lock_guard lock(mutex);
  auto& made = catalogs[name];
  // Another statement may have made the same one meanwhile.
  if (made.fingerprint != fingerprint || made.catalog == nullptr) made = {fingerprint, std::move(catalog)};
  return made.catalog;
}

SessionStatePtr SessionState::Clone() const {
  auto clone = std::make_shared<SessionState>(shared);
  clone->user_id = user_id;
  clone->session_id = session_id;
  const std::lock_guard lock(mutex);
  clone->settings = settings;
  clone->current_catalog = current_catalog;
  clone->current_namespaces = current_namespaces;
  clone->temp_views = temp_views;
  clone->variables = variables;
  clone->sql_functions = sql_functions;
  clone->python_data_sources = python_data_sources;
  clone->python_table_functions = python_table_functions;
  clone->artifacts = artifacts;
  clone->artifact_folder = artifact_folder;
  return clone;
}

}  // namespace frazil::session
