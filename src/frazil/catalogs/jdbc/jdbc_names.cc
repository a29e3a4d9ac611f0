#include "frazil/catalogs/jdbc/jdbc_names.h"

#include <algorithm>

#include "frazil/base/text.h"

namespace frazil::catalogs {
namespace {

constexpr const char* kTables = "iceberg_tables";
constexpr const char* kProperties = "iceberg_namespace_properties";
/// The property that keeps a namespace without others.
constexpr const char* kExists = "exists";

constexpr const char* kCreateTables =
    "CREATE TABLE IF NOT EXISTS iceberg_tables (catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT "
    "NULL, table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000), previous_metadata_location "
    "VARCHAR(1000), iceberg_type VARCHAR(5), PRIMARY KEY (catalog_name, table_namespace, table_name))";
constexpr const char* kCreateProperties =
    "CREATE TABLE IF NOT EXISTS iceberg_namespace_properties (catalog_name VARCHAR(255) NOT NULL, namespace "
    "VARCHAR(255) NOT NULL, property_key VARCHAR(255), property_value VARCHAR(1000), PRIMARY KEY (catalog_name, "
    "namespace, property_key))";
/// Which row of iceberg_tables.
constexpr const char* kOfName = " WHERE catalog_name = ? AND table_namespace = ? AND table_name = ?";

std::string TextOf(const Namespace& name_space) { return Join(name_space, "."); }

/// A pattern for LIKE ... ESCAPE '!'.
std::string BelowPattern(const Namespace& name_space) {
  std::string pattern;
  for (char c : TextOf(name_space)) {
    if (c == '!' || c == '%' || c == '_') pattern += '!';
    pattern += c;
  }
  return pattern + ".%";
}

}  // namespace

bool CanBeKept(const Namespace& name_space) {
  return std::all_of(name_space.begin(), name_space.end(),
                     [](const std::string& level) { return !level.empty() && level.find('.') == std::string::npos; });
}

Result<std::shared_ptr<JdbcNames>> JdbcNames::Open(std::shared_ptr<SqlConnection> connection, std::string catalog,
                                                   bool create, bool upgrade) {
  std::shared_ptr<JdbcNames> names(new JdbcNames(std::move(connection), std::move(catalog)));
  SqlConnection& database = *names->connection_;
  FRAZIL_ASSIGN_OR_RETURN(auto columns, database.ColumnsOf(kTables));
  if (create && columns.empty()) {
    FRAZIL_RETURN_IF_ERROR(database.Run(kCreateTables));
    FRAZIL_ASSIGN_OR_RETURN(columns, database.ColumnsOf(kTables));
  }
  if (create) {
    FRAZIL_ASSIGN_OR_RETURN(auto of_properties, database.ColumnsOf(kProperties));
    if (of_properties.empty()) FRAZIL_RETURN_IF_ERROR(database.Run(kCreateProperties));
  }
  if (columns.empty())
    return Error::Storage(std::string("The database has no table ") + kTables +
                          ", and jdbc.init-catalog-tables = false");
  names->has_views_ = std::find(columns.begin(), columns.end(), "iceberg_type") != columns.end();
  if (!names->has_views_ && upgrade) {
    FRAZIL_RETURN_IF_ERROR(database.Run("ALTER TABLE iceberg_tables ADD COLUMN iceberg_type VARCHAR(5)"));
    names->has_views_ = true;
  }
  return names;
}

std::string JdbcNames::OfKind(Kind kind) const {
  if (!has_views_) return "";
  return kind == Kind::kView ? " AND iceberg_type = 'VIEW'" : " AND (iceberg_type = 'TABLE' OR iceberg_type IS NULL)";
}

Result<std::vector<Namespace>> JdbcNames::ListNamespaces(const Namespace& within) {
  std::string select;
  std::vector<SqlConnection::Text> parameters;
  for (const auto& [column, table] : {std::pair{"table_namespace", kTables}, {"namespace", kProperties}}) {
    if (!select.empty()) select += " UNION ";
    select += std::string("SELECT ") + column + " FROM " + table + " WHERE catalog_name = ?";
    parameters.push_back(catalog_);
    if (within.empty()) continue;
    select += std::string(" AND (") + column + " = ? OR " + column + " LIKE ? ESCAPE '!')";
    parameters.push_back(TextOf(within));
    parameters.push_back(BelowPattern(within));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto outcome, connection_->Run(select, parameters));
  std::vector<Namespace> found;
  for (const auto& row : outcome.rows) {
    if (row[0].value_or("").empty()) continue;  // Tables of the catalog itself.
    Namespace name_space = Split(*row[0], '.');
    // Some databases do not tell capitals from small letters in LIKE.
    if (name_space.size() >= within.size() && std::equal(within.begin(), within.end(), name_space.begin()))
      found.push_back(std::move(name_space));
  }
  std::sort(found.begin(), found.end());
  return found;
}

Result<std::map<std::string, std::string>> JdbcNames::PropertiesOf(const Namespace& name_space) {
  FRAZIL_ASSIGN_OR_RETURN(
      auto outcome, connection_->Run("SELECT property_key, property_value FROM iceberg_namespace_properties WHERE "
                                     "catalog_name = ? AND namespace = ?",
                                     {catalog_, TextOf(name_space)}));
  std::map<std::string, std::string> properties;
  for (const auto& row : outcome.rows) {
    if (row[0].value_or("") != kExists) properties[row[0].value_or("")] = row[1].value_or("");
  }
  return properties;
}

Result<bool> JdbcNames::AddNamespace(const Namespace& name_space,
                                     const std::map<std::string, std::string>& properties) {
  // One statement, so that nobody sees a part of it.
  std::string insert =
      "INSERT INTO iceberg_namespace_properties (catalog_name, namespace, property_key, property_value) VALUES "
      "(?, ?, ?, ?)";
  std::vector<SqlConnection::Text> parameters = {catalog_, TextOf(name_space), kExists, "true"};
  for (const auto& [key, value] : properties) {
    insert += ", (?, ?, ?, ?)";
    parameters.insert(parameters.end(), {catalog_, TextOf(name_space), key, value});
  }
  FRAZIL_ASSIGN_OR_RETURN(auto outcome, connection_->Run(insert, parameters));
  return !outcome.violates_key;
}

Status JdbcNames::SetProperty(const Namespace& name_space, const std::string& key, const std::string& value) {
  const std::string update =
      "UPDATE iceberg_namespace_properties SET property_value = ? WHERE catalog_name = ? AND namespace = ? AND "
      "property_key = ?";
  FRAZIL_ASSIGN_OR_RETURN(auto updated, connection_->Run(update, {value, catalog_, TextOf(name_space), key}));
  if (updated.changed > 0) return {};
  FRAZIL_ASSIGN_OR_RETURN(auto inserted,
                          connection_->Run("INSERT INTO iceberg_namespace_properties (catalog_name, namespace, "
                                           "property_key, property_value) VALUES (?, ?, ?, ?)",
                                           {catalog_, TextOf(name_space), key, value}));
  if (!inserted.violates_key) return {};
  // Somebody set it in between: the later one counts.
  return connection_->Run(update, {value, catalog_, TextOf(name_space), key}).status();
}

Status JdbcNames::RemoveProperty(const Namespace& name_space, const std::string& key) {
  return connection_
      ->Run("DELETE FROM iceberg_namespace_properties WHERE catalog_name = ? AND namespace = ? AND property_key = ?",
            {catalog_, TextOf(name_space), key})
      .status();
}

Status JdbcNames::RemoveNamespace(const Namespace& name_space) {
  return connection_
      ->Run("DELETE FROM iceberg_namespace_properties WHERE catalog_name = ? AND namespace = ?",
            {catalog_, TextOf(name_space)})
      .status();
}

Result<std::vector<std::string>> JdbcNames::List(const Namespace& name_space, Kind kind) {
  std::vector<std::string> names;
  if (kind == Kind::kView && !has_views_) return names;
  FRAZIL_ASSIGN_OR_RETURN(
      auto outcome,
      connection_->Run("SELECT table_name FROM iceberg_tables WHERE catalog_name = ? AND table_namespace = ?" +
                           OfKind(kind) + " ORDER BY table_name",
                       {catalog_, TextOf(name_space)}));
  for (const auto& row : outcome.rows) names.push_back(row[0].value_or(""));
  return names;
}

Result<std::optional<JdbcNames::Entry>> JdbcNames::Find(const Identifier& identifier) {
  if (!CanBeKept(identifier.name_space)) return std::optional<Entry>();
  const std::string type = has_views_ ? "iceberg_type" : "NULL";
  FRAZIL_ASSIGN_OR_RETURN(auto outcome,
                          connection_->Run("SELECT metadata_location, " + type + " FROM iceberg_tables" + kOfName,
                                           {catalog_, TextOf(identifier.name_space), identifier.name}));
  if (outcome.rows.empty()) return std::optional<Entry>();
  const auto& row = outcome.rows[0];
  if (!row[0]) return Error::Storage("The catalog's entry of " + identifier.name + " has no metadata_location");
  return std::optional<Entry>(Entry{row[1] == "VIEW" ? Kind::kView : Kind::kTable, *row[0]});
}

Result<bool> JdbcNames::Move(const Identifier& identifier, Kind kind, const std::optional<std::string>& expected,
                             const std::string& next) {
  const std::string name_space = TextOf(identifier.name_space);
  if (expected) {
    FRAZIL_ASSIGN_OR_RETURN(
        auto outcome,
        connection_->Run(
            std::string("UPDATE iceberg_tables SET metadata_location = ?, previous_metadata_location = ?") + kOfName +
                " AND metadata_location = ?" + OfKind(kind),
            {next, *expected, catalog_, name_space, identifier.name, *expected}));
    return outcome.changed == 1;
  }
  std::string insert = "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, metadata_location";
  insert += has_views_ ? ", iceberg_type) VALUES (?, ?, ?, ?, ?)" : ") VALUES (?, ?, ?, ?)";
  std::vector<SqlConnection::Text> parameters = {catalog_, name_space, identifier.name, next};
  if (has_views_) parameters.push_back(kind == Kind::kView ? "VIEW" : "TABLE");
  FRAZIL_ASSIGN_OR_RETURN(auto outcome, connection_->Run(insert, parameters));
  return !outcome.violates_key;
}

Result<bool> JdbcNames::Rename(const Identifier& from, const Identifier& to) {
  FRAZIL_ASSIGN_OR_RETURN(
      auto outcome,
      connection_->Run(std::string("UPDATE iceberg_tables SET table_namespace = ?, table_name = ?") + kOfName,
                       {TextOf(to.name_space), to.name, catalog_, TextOf(from.name_space), from.name}));
  return !outcome.violates_key;
}

Status JdbcNames::Remove(const Identifier& identifier, Kind kind) {
  return connection_
      ->Run(std::string("DELETE FROM iceberg_tables") + kOfName + OfKind(kind),
            {catalog_, TextOf(identifier.name_space), identifier.name})
      .status();
}

Result<std::optional<std::string>> JdbcPointer::Read() {
  FRAZIL_ASSIGN_OR_RETURN(auto entry, names_->Find(identifier_));
  if (!entry || entry->kind != JdbcNames::Kind::kTable) return std::optional<std::string>();
  return std::optional<std::string>(std::move(entry->metadata_location));
}

Result<bool> JdbcPointer::Move(const std::optional<std::string>& expected, const std::string& next,
                               const std::string& /*metadata*/) {
  return names_->Move(identifier_, JdbcNames::Kind::kTable, expected, next);
}

}  // namespace frazil::catalogs
