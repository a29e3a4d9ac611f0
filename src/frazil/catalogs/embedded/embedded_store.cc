#include "frazil/catalogs/embedded/embedded_store.h"

namespace frazil::catalogs {

namespace {

constexpr const char* kDatabases =
    "CREATE TABLE IF NOT EXISTS databases (name TEXT PRIMARY KEY, document TEXT NOT NULL)";
constexpr const char* kEntries =
    "CREATE TABLE IF NOT EXISTS entries (database TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, document TEXT "
    "NOT NULL, PRIMARY KEY (database, name))";
constexpr const char* kFunctions =
    "CREATE TABLE IF NOT EXISTS functions (database TEXT NOT NULL, name TEXT NOT NULL, document TEXT NOT NULL, PRIMARY "
    "KEY (database, name))";

std::string TextOf(SqlConnection::Text& text) { return std::move(text).value_or(""); }

}  // namespace

Result<std::shared_ptr<EmbeddedStore>> EmbeddedStore::Open(const std::string& path) {
  FRAZIL_ASSIGN_OR_RETURN(auto connection, SqliteConnection::Open(path));
  // WAL: readers do not wait for writers; NORMAL still survives a crash of the process.
  for (const char* statement :
       {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL", kDatabases, kEntries, kFunctions})
    FRAZIL_RETURN_IF_ERROR(connection->Run(statement));
  return std::shared_ptr<EmbeddedStore>(new EmbeddedStore(std::move(connection)));
}

Result<std::vector<std::string>> EmbeddedStore::ListDatabases() {
  FRAZIL_ASSIGN_OR_RETURN(auto found, connection_->Run("SELECT name FROM databases ORDER BY name"));
  std::vector<std::string> names;
  for (auto& row : found.rows) names.push_back(TextOf(row[0]));
  return names;
}

Result<std::optional<std::string>> EmbeddedStore::FindDatabase(const std::string& name) {
  FRAZIL_ASSIGN_OR_RETURN(auto found, connection_->Run("SELECT document FROM databases WHERE name = ?", {name}));
  if (found.rows.empty()) return std::optional<std::string>();
  return std::optional<std::string>(TextOf(found.rows[0][0]));
}

Result<bool> EmbeddedStore::InsertDatabase(const std::string& name, const std::string& document) {
  FRAZIL_ASSIGN_OR_RETURN(auto outcome, connection_->Run("INSERT INTO databases VALUES (?, ?)", {name, document}));
  return !outcome.violates_key;
}

Status EmbeddedStore::UpdateDatabase(const std::string& name, const std::string& document) {
  return connection_->Run("UPDATE databases SET document = ? WHERE name = ?", {document, name}).status();
}

Status EmbeddedStore::DeleteDatabase(const std::string& name) {
  FRAZIL_RETURN_IF_ERROR(connection_->Run("DELETE FROM entries WHERE database = ?", {name}));
  FRAZIL_RETURN_IF_ERROR(connection_->Run("DELETE FROM functions WHERE database = ?", {name}));
  return connection_->Run("DELETE FROM databases WHERE name = ?", {name}).status();
}

Result<std::vector<EmbeddedStore::Entry>> EmbeddedStore::ListEntries(const std::string& database) {
  FRAZIL_ASSIGN_OR_RETURN(
      auto found,
      connection_->Run("SELECT kind, name, document FROM entries WHERE database = ? ORDER BY name", {database}));
  std::vector<Entry> entries;
  for (auto& row : found.rows) {
    entries.push_back({row[0] == "view" ? EntryKind::kView : EntryKind::kTable, TextOf(row[1]), TextOf(row[2])});
  }
  return entries;
}

Result<std::optional<EmbeddedStore::Entry>> EmbeddedStore::FindEntry(const std::string& database,
                                                                     const std::string& name) {
  FRAZIL_ASSIGN_OR_RETURN(
      auto found,
      connection_->Run("SELECT kind, name, document FROM entries WHERE database = ? AND name = ?", {database, name}));
  if (found.rows.empty()) return std::optional<Entry>();
  auto& row = found.rows[0];
  return std::optional<Entry>(
      Entry{row[0] == "view" ? EntryKind::kView : EntryKind::kTable, TextOf(row[1]), TextOf(row[2])});
}

Result<bool> EmbeddedStore::InsertEntry(const std::string& database, const Entry& entry) {
  FRAZIL_ASSIGN_OR_RETURN(
      auto outcome,
      connection_->Run("INSERT INTO entries (database, name, kind, document) VALUES (?, ?, ?, ?)",
                       {database, entry.name, entry.kind == EntryKind::kView ? "view" : "table", entry.document}));
  return !outcome.violates_key;
}

Status EmbeddedStore::UpdateEntry(const std::string& database, const Entry& entry) {
  return connection_
      ->Run("UPDATE entries SET kind = ?, document = ? WHERE database = ? AND name = ?",
            {entry.kind == EntryKind::kView ? "view" : "table", entry.document, database, entry.name})
      .status();
}

Status EmbeddedStore::DeleteEntry(const std::string& database, const std::string& name) {
  return connection_->Run("DELETE FROM entries WHERE database = ? AND name = ?", {database, name}).status();
}

Result<bool> EmbeddedStore::RenameEntry(const std::string& database, const std::string& name,
                                        const std::string& new_database, const std::string& new_name) {
  FRAZIL_ASSIGN_OR_RETURN(auto outcome,
                          connection_->Run("UPDATE entries SET database = ?, name = ? WHERE database = ? AND name = ?",
                                           {new_database, new_name, database, name}));
  return outcome.changed == 1;
}

Result<std::vector<std::string>> EmbeddedStore::ListFunctions(const std::string& database) {
  FRAZIL_ASSIGN_OR_RETURN(auto found,
                          connection_->Run("SELECT name FROM functions WHERE database = ? ORDER BY name", {database}));
  std::vector<std::string> names;
  for (auto& row : found.rows) names.push_back(TextOf(row[0]));
  return names;
}

Result<std::optional<std::string>> EmbeddedStore::FindFunction(const std::string& database, const std::string& name) {
  FRAZIL_ASSIGN_OR_RETURN(
      auto found, connection_->Run("SELECT document FROM functions WHERE database = ? AND name = ?", {database, name}));
  if (found.rows.empty()) return std::optional<std::string>();
  return std::optional<std::string>(TextOf(found.rows[0][0]));
}

Result<bool> EmbeddedStore::PutFunction(const std::string& database, const std::string& name,
                                        const std::string& document, bool replace) {
  const char* statement =
      replace ? "INSERT OR REPLACE INTO functions VALUES (?, ?, ?)" : "INSERT INTO functions VALUES (?, ?, ?)";
  FRAZIL_ASSIGN_OR_RETURN(auto outcome, connection_->Run(statement, {database, name, document}));
  return !outcome.violates_key;
}

Result<bool> EmbeddedStore::DeleteFunction(const std::string& database, const std::string& name) {
  FRAZIL_ASSIGN_OR_RETURN(auto outcome,
                          connection_->Run("DELETE FROM functions WHERE database = ? AND name = ?", {database, name}));
  return outcome.changed > 0;
}

}  // namespace frazil::catalogs
