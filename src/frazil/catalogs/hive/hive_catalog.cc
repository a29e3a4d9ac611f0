#include "frazil/catalogs/hive/hive_catalog.h"

#include <algorithm>
#include <cstdlib>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/catalogs/hive/certain_call.h"
#include "frazil/catalogs/hive/hive_entries.h"
#include "frazil/catalogs/hive/hive_pointer.h"
#include "frazil/catalogs/metastore/described_table.h"
#include "frazil/catalogs/metastore/spark_views.h"
#include "frazil/storage/folder.h"

namespace frazil::catalogs {
namespace {

/// Whom new tables and databases belong to where nobody says: as Hadoop sees the process.
std::string ProcessUser() {
  for (const char* variable : {"HADOOP_USER_NAME", "USER", "LOGNAME"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != 0) return value;
  }
  return "frazil";
}

/// Whether the files of an external table are deleted with it.
constexpr const char* kPurge = "external.table.purge";

/// The Metastore folds names.
std::string DatabaseName(const Namespace& name_space) { return AsciiLower(name_space[0]); }

}  // namespace

Result<CatalogPtr> HiveCatalog::Make(const CatalogContext& context) {
  std::shared_ptr<HiveCatalog> catalog(new HiveCatalog());
  FRAZIL_RETURN_IF_ERROR(catalog->Initialize(context));
  auto setting = [&](std::initializer_list<const char*> keys) -> std::string {
    for (const char* key : keys) {
      if (auto value = catalog->lookup_(key); value && !value->empty()) return *value;
    }
    return {};
  };
  const std::string sasl = setting({"hadoop.hive.metastore.sasl.enabled", "spark.hadoop.hive.metastore.sasl.enabled"});
  if (EqualsIgnoreCase(sasl, "true")) return Error::Unsupported("a Hive Metastore with SASL or Kerberos");
  const auto timeout = ParseInteger<int64_t>(setting({"hadoop.hive.metastore.client.socket.timeout"}));
  FRAZIL_ASSIGN_OR_RETURN(catalog->metastore_,
                          HiveMetastore::Make(setting({"uri", "hadoop.hive.metastore.uris",
                                                       "spark.hadoop.hive.metastore.uris", "hive.metastore.uris"}),
                                              timeout.value_or(60) * 1000));
  catalog->warehouse_ =
      setting({"warehouse", "hadoop.hive.metastore.warehouse.dir", "spark.hadoop.hive.metastore.warehouse.dir"});
  if (catalog->warehouse_.empty() && context.name == "spark_catalog") catalog->warehouse_ = context.default_warehouse;
  while (catalog->warehouse_.size() > 1 && catalog->warehouse_.ends_with('/')) catalog->warehouse_.pop_back();
  catalog->UseEntries(std::make_shared<HiveEntries>(catalog->metastore_), context);
  return CatalogPtr(std::move(catalog));
}

// --- namespaces

Result<std::optional<ThriftValue>> HiveCatalog::FindDatabase(const Namespace& name_space) {
  if (!HasOneLevel(name_space)) return std::optional<ThriftValue>();
  FRAZIL_ASSIGN_OR_RETURN(auto answer, metastore_->GetDatabase(DatabaseName(name_space)));
  if (answer.exception == "NoSuchObjectException") return std::optional<ThriftValue>();
  if (!answer.ok()) return metastore_->ErrorOf("get_database", answer);
  return std::optional<ThriftValue>(std::move(answer.result));
}

Result<std::vector<Namespace>> HiveCatalog::ListNamespaces(const Namespace& parent) {
  if (!parent.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(bool exists, NamespaceExists(parent));
    if (!exists) return NamespaceNotFound(*this, parent);
    return std::vector<Namespace>();
  }
  FRAZIL_ASSIGN_OR_RETURN(auto answer, metastore_->GetAllDatabases());
  if (!answer.ok()) return metastore_->ErrorOf("get_all_databases", answer);
  std::vector<Namespace> found;
  for (const auto& name : answer.result.items) found.push_back({name.text});
  std::sort(found.begin(), found.end());
  return found;
}

Result<bool> HiveCatalog::NamespaceExists(const Namespace& name_space) {
  if (name_space.empty()) return true;
  FRAZIL_ASSIGN_OR_RETURN(auto database, FindDatabase(name_space));
  return database.has_value();
}

Result<std::map<std::string, std::string>> HiveCatalog::LoadNamespace(const Namespace& name_space) {
  using namespace hive::database;
  FRAZIL_ASSIGN_OR_RETURN(auto database, FindDatabase(name_space));
  if (!database) return NamespaceNotFound(*this, name_space);
  auto properties = database->At(kParameters).ToStringMap();
  const std::pair<const char*, int16_t> own[] = {
      {"comment", kDescription}, {"location", kLocation}, {"owner", kOwnerName}};
  for (const auto& [key, field] : own) {
    const std::string& text = database->At(field).text;
    if (!text.empty()) properties[key] = text;
  }
  return properties;
}

Result<ThriftValue> HiveCatalog::DatabaseOf(const std::string& name,
                                            const std::map<std::string, std::string>& properties) const {
  using namespace hive::database;
  ThriftValue database = ThriftValue::Struct();
  database.fields[kName] = ThriftValue::String(name);
  std::string owner = ProcessUser(), location;
  std::map<std::string, std::string> parameters;
  for (const auto& [key, value] : properties) {
    if (key == "comment") {
      database.fields[kDescription] = ThriftValue::String(value);
    } else if (key == "location") {
      location = value;
    } else if (key == "owner") {
      if (!value.empty()) owner = value;
    } else {
      parameters[key] = value;
    }
  }
  if (location.empty()) {
    if (warehouse_.empty()) {
      return Error::Plain(ExceptionClass::kIllegalArgument,
                          "Warehouse location is not set: hive.metastore.warehouse.dir=null");
    }
    location = storage::JoinPath(warehouse_, name + ".db");
  }
  // The Metastore's own file system is not ours: a bare path would be taken for one of it.
  if (storage::SchemeOf(location).empty()) location = "file:" + location;
  database.fields[kLocation] = ThriftValue::String(location);
  database.fields[kParameters] = ThriftValue::StringMap(parameters);
  database.fields[kOwnerName] = ThriftValue::String(owner);
  database.fields[kOwnerType] = ThriftValue::I32(1);  // A user.
  return database;
}

Status HiveCatalog::CreateNamespace(const Namespace& name_space, const std::map<std::string, std::string>& properties) {
  if (!HasOneLevel(name_space)) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "Cannot create namespace " + Join(name_space, ".") + " in a Hive Metastore: one level only");
  }
  FRAZIL_ASSIGN_OR_RETURN(auto database, DatabaseOf(DatabaseName(name_space), properties));
  FRAZIL_ASSIGN_OR_RETURN(auto answer, CreateHiveDatabase(*metastore_, database));
  if (answer.ok()) return {};
  if (answer.exception == "AlreadyExistsException") return NamespaceExistsAlready(*this, name_space);
  return metastore_->ErrorOf("create_database", answer);
}

Status HiveCatalog::AlterNamespace(const Namespace& name_space, const std::map<std::string, std::string>& set,
                                   const std::vector<std::string>& unset) {
  FRAZIL_ASSIGN_OR_RETURN(auto properties, LoadNamespace(name_space));
  for (const auto& [key, value] : set) properties[key] = value;
  for (const auto& key : unset) properties.erase(key);
  FRAZIL_ASSIGN_OR_RETURN(auto database, DatabaseOf(DatabaseName(name_space), properties));
  FRAZIL_ASSIGN_OR_RETURN(auto answer, metastore_->AlterDatabase(DatabaseName(name_space), database));
  return answer.ok() ? Status::Ok() : Status(metastore_->ErrorOf("alter_database", answer));
}

Status HiveCatalog::DropNamespace(const Namespace& name_space, bool cascade) {
  FRAZIL_ASSIGN_OR_RETURN(bool exists, NamespaceExists(name_space));
  if (!exists || name_space.empty()) return NamespaceNotFound(*this, name_space);
  if (cascade) {
    FRAZIL_ASSIGN_OR_RETURN(auto views, ListViews(name_space));
    for (const auto& view : views) FRAZIL_RETURN_IF_ERROR(DropView({name_space, view}));
    FRAZIL_ASSIGN_OR_RETURN(auto own, ListTables(name_space));
    for (const auto& table : own) FRAZIL_RETURN_IF_ERROR(DropTable({name_space, table}, false));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto answer, DropHiveDatabase(*metastore_, DatabaseName(name_space)));
  if (answer.ok()) return {};
  if (answer.exception == "InvalidOperationException") return NamespaceNotEmpty(*this, name_space);
  if (answer.exception == "NoSuchObjectException") return NamespaceNotFound(*this, name_space);
  return metastore_->ErrorOf("drop_database", answer);
}

// --- tables

Result<std::vector<std::string>> HiveCatalog::ListNames(const Namespace& name_space, const char* kind) {
  FRAZIL_ASSIGN_OR_RETURN(bool exists, NamespaceExists(name_space));
  if (!exists || name_space.empty()) return NamespaceNotFound(*this, name_space);
  FRAZIL_ASSIGN_OR_RETURN(auto all, metastore_->GetAllTables(DatabaseName(name_space)));
  if (!all.ok()) return metastore_->ErrorOf("get_all_tables", all);
  std::vector<std::string> names, found;
  for (const auto& name : all.result.items) names.push_back(name.text);
  if (names.empty()) return found;
  FRAZIL_ASSIGN_OR_RETURN(auto entries, metastore_->GetTables(DatabaseName(name_space), names));
  if (!entries.ok()) return metastore_->ErrorOf("get_table_objects_by_name", entries);
  for (const auto& entry : entries.result.items) {
    bool is_one = HiveMetadataLocation(entry, kind).has_value();
    if (is_session() && !is_one) {
      const HiveTable table = HiveTableOf(entry);
      is_one = kind == std::string_view(kHiveIcebergTable) ? IsDescribedTable(table) : IsSparkView(table);
    }
    if (is_one) found.push_back(entry.At(hive::table::kName).text);
  }
  std::sort(found.begin(), found.end());
  return found;
}

Result<std::vector<std::string>> HiveCatalog::ListTables(const Namespace& name_space) {
  return ListNames(name_space, kHiveIcebergTable);
}

Result<std::optional<ThriftValue>> HiveCatalog::FindEntry(const Identifier& identifier) {
  if (!HasOneLevel(identifier.name_space)) return std::optional<ThriftValue>();
  return FindHiveTable(*metastore_, DatabaseName(identifier.name_space), AsciiLower(identifier.name));
}

Result<std::optional<PointerCatalog::Named>> HiveCatalog::FindNamed(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(auto entry, FindEntry(identifier));
  if (!entry) return std::optional<Named>();
  Named named;
  named.metadata_location = HiveMetadataLocation(*entry);
  // Entries of other kinds are not this catalog's, but their names are taken: creating says so.
  named.is_table = named.metadata_location || (is_session() && IsDescribedTable(HiveTableOf(*entry)));
  return std::optional<Named>(std::move(named));
}

std::shared_ptr<TablePointer> HiveCatalog::PointerOf(const Identifier& identifier) {
  HivePointer::Options options;
  options.owner = ProcessUser();
  for (const char* key : {"hadoop.iceberg.engine.hive.lock-enabled", "spark.hadoop.iceberg.engine.hive.lock-enabled",
                          "iceberg.engine.hive.lock-enabled"}) {
    if (auto value = lookup_(key)) {
      options.lock = !EqualsIgnoreCase(*value, "false");
      break;
    }
  }
  if (auto value = lookup_("hadoop.iceberg.hive.lock-timeout-ms"))
    options.lock_timeout_ms = ParseInteger<int64_t>(*value).value_or(options.lock_timeout_ms);
  return std::make_shared<HivePointer>(metastore_, DatabaseName(identifier.name_space), AsciiLower(identifier.name),
                                       std::move(options));
}

Result<std::string> HiveCatalog::DefaultLocation(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(auto database, FindDatabase(identifier.name_space));
  if (!database) return NamespaceNotFound(*this, identifier.name_space);
  return storage::JoinPath(database->At(hive::database::kLocation).text, AsciiLower(identifier.name));
}

HiveTable HiveCatalog::NameOfEntry(const Identifier& identifier) const {
  HiveTable entry;
  entry.database = DatabaseName(identifier.name_space);
  entry.name = AsciiLower(identifier.name);
  entry.owner = ProcessUser();
  return entry;
}

Status HiveCatalog::RemoveName(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(auto answer,
                          DropHiveTable(*metastore_, DatabaseName(identifier.name_space), AsciiLower(identifier.name)));
  if (answer.ok()) return {};
  return metastore_->ErrorOf("drop_table", answer);
}

// --- tables of plain files, in the session catalog

Status HiveCatalog::SetOwnsFiles(ThriftValue entry, bool owns) {
  const ThriftValue former = entry;
  auto parameters = entry.At(hive::table::kParameters).ToStringMap();
  if (owns) {
    parameters.erase("EXTERNAL");
    parameters.erase(kPurge);
  } else {
    parameters["EXTERNAL"] = "TRUE";
    // Metastores may hold that an external table that once was managed takes its files with it.
    parameters[kPurge] = "FALSE";
  }
  entry.fields[hive::table::kParameters] = ThriftValue::StringMap(parameters);
  entry.fields[hive::table::kType] = ThriftValue::String(owns ? "MANAGED_TABLE" : "EXTERNAL_TABLE");
  FRAZIL_ASSIGN_OR_RETURN(auto answer, AlterHiveTable(*metastore_, former, entry, {}));
  return answer.ok() ? Status::Ok() : Status(metastore_->ErrorOf("alter_table", answer));
}

Result<TableMigration::Aside> HiveCatalog::SetAside(const Identifier& table, const Identifier& aside) {
  FRAZIL_ASSIGN_OR_RETURN(const auto described, FindDescribed(table));
  FRAZIL_ASSIGN_OR_RETURN(auto definition, DefinitionOf(described));
  FRAZIL_ASSIGN_OR_RETURN(auto entry, FindEntry(table));
  if (!entry) return TableNotFound(*this, table);
  Aside former;
  former.owned_files = !definition.is_external;
  former.location = *definition.location + "-" + RandomUuidText();
  // A Metastore moves the files of tables that own them when they are renamed.
  if (former.owned_files) FRAZIL_RETURN_IF_ERROR(SetOwnsFiles(*entry, false));
  Status renamed = RenameTable(table, aside);
  if (renamed.ok()) return former;
  if (former.owned_files) FRAZIL_RETURN_IF_ERROR(SetOwnsFiles(*std::move(entry), true));
  return renamed.error();
}

Status HiveCatalog::PutBack(const Identifier& aside, const Identifier& table, const Aside& former) {
  FRAZIL_RETURN_IF_ERROR(RenameTable(aside, table));
  if (!former.owned_files) return {};
  FRAZIL_ASSIGN_OR_RETURN(auto entry, FindEntry(table));
  if (!entry) return TableNotFound(*this, table);
  return SetOwnsFiles(*std::move(entry), true);
}

Status HiveCatalog::RenameTable(const Identifier& from, const Identifier& to) {
  if (!HasOneLevel(from.name_space)) return TableNotFound(*this, from);
  const std::string database = DatabaseName(from.name_space), name = AsciiLower(from.name);
  FRAZIL_ASSIGN_OR_RETURN(auto table, FindHiveTable(*metastore_, database, name));
  FRAZIL_ASSIGN_OR_RETURN(bool is_ours, TableExists(from));
  if (!table || !is_ours) return TableNotFound(*this, from);
  FRAZIL_ASSIGN_OR_RETURN(bool known, NamespaceExists(to.name_space));
  if (!known || !HasOneLevel(to.name_space)) return NamespaceNotFound(*this, to.name_space);
  FRAZIL_ASSIGN_OR_RETURN(auto taken, FindHiveTable(*metastore_, DatabaseName(to.name_space), AsciiLower(to.name)));
  if (taken) return TableExistsAlready(*this, to);
  const ThriftValue former = *table;
  table->fields[hive::table::kName] = ThriftValue::String(AsciiLower(to.name));
  table->fields[hive::table::kDatabase] = ThriftValue::String(DatabaseName(to.name_space));
  FRAZIL_ASSIGN_OR_RETURN(auto answer, AlterHiveTable(*metastore_, former, *table, {}));
  return answer.ok() ? Status::Ok() : Status(metastore_->ErrorOf("alter_table", answer));
}

}  // namespace frazil::catalogs
