#include "frazil/catalogs/embedded/embedded_store.h"

#include <filesystem>

#include <sqlite3.h>

namespace frazil::catalogs {

namespace {

constexpr const char* kSchema =
    "CREATE TABLE IF NOT EXISTS databases (name TEXT PRIMARY KEY, document TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS entries (database TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, document TEXT "
    "NOT NULL,"
    " PRIMARY KEY (database, name));";

Error StoreError(sqlite3* connection, const std::string& doing) {
  return Error::Storage("The catalog's store failed to " + doing + ": " + sqlite3_errmsg(connection));
}

}  // namespace

Result<std::shared_ptr<EmbeddedStore>> EmbeddedStore::Open(const std::string& path) {
  std::error_code failure;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failure);
  if (failure)
    return Error::Storage("Cannot make the folder of the catalog's store " + path + ": " + failure.message());
  sqlite3* connection = nullptr;
  int code = sqlite3_open_v2(path.c_str(), &connection,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, nullptr);
  std::shared_ptr<EmbeddedStore> store(new EmbeddedStore(connection));
  if (code != SQLITE_OK) return StoreError(connection, "open " + path);
  sqlite3_busy_timeout(connection, 10000);
  // WAL: readers do not wait for writers; NORMAL still survives a crash of the process.
  for (const char* statement : {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL", kSchema}) {
    if (sqlite3_exec(connection, statement, nullptr, nullptr, nullptr) != SQLITE_OK) {
      return StoreError(connection, "prepare " + path);
    }
  }
  return store;
}

EmbeddedStore::~EmbeddedStore() { sqlite3_close_v2(connection_); }

Result<std::vector<EmbeddedStore::Row>> EmbeddedStore::Run(const char* statement,
                                                           const std::vector<std::string>& parameters, int* changed) {
  std::lock_guard lock(mutex_);
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(connection_, statement, -1, &prepared, nullptr) != SQLITE_OK) {
    return StoreError(connection_, "prepare a statement");
  }
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> owner(prepared, sqlite3_finalize);
  for (size_t i = 0; i < parameters.size(); ++i) {
    sqlite3_bind_text(prepared, static_cast<int>(i + 1), parameters[i].data(), static_cast<int>(parameters[i].size()),
                      SQLITE_TRANSIENT);
  }
  std::vector<Row> rows;
  int code;
  while ((code = sqlite3_step(prepared)) == SQLITE_ROW) {
    Row row;
    for (int column = 0; column < sqlite3_column_count(prepared); ++column) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(prepared, column));
      row.emplace_back(text == nullptr ? "" : std::string(text, sqlite3_column_bytes(prepared, column)));
    }
    rows.push_back(std::move(row));
  }
  if (code == SQLITE_CONSTRAINT && changed != nullptr) {
    *changed = 0;
    return rows;
  }
  if (code != SQLITE_DONE) return StoreError(connection_, "run a statement");
  if (changed != nullptr) *changed = sqlite3_changes(connection_);
  return rows;
}

Result<std::vector<std::string>> EmbeddedStore::ListDatabases() {
  FRAZIL_ASSIGN_OR_RETURN(auto rows, Run("SELECT name FROM databases ORDER BY name", {}));
  std::vector<std::string> names;
  for (auto& row : rows) names.push_back(std::move(row[0]));
  return names;
}

Result<std::optional<std::string>> EmbeddedStore::FindDatabase(const std::string& name) {
  FRAZIL_ASSIGN_OR_RETURN(auto rows, Run("SELECT document FROM databases WHERE name = ?", {name}));
  if (rows.empty()) return std::optional<std::string>();
  return std::optional<std::string>(std::move(rows[0][0]));
}

Result<bool> EmbeddedStore::InsertDatabase(const std::string& name, const std::string& document) {
  int changed = 0;
  FRAZIL_RETURN_IF_ERROR(Run("INSERT INTO databases VALUES (?, ?)", {name, document}, &changed));
  return changed == 1;
}

Status EmbeddedStore::UpdateDatabase(const std::string& name, const std::string& document) {
  return Run("UPDATE databases SET document = ? WHERE name = ?", {document, name}).status();
}

Status EmbeddedStore::DeleteDatabase(const std::string& name) {
  FRAZIL_RETURN_IF_ERROR(Run("DELETE FROM entries WHERE database = ?", {name}));
  return Run("DELETE FROM databases WHERE name = ?", {name}).status();
}

Result<std::vector<EmbeddedStore::Entry>> EmbeddedStore::ListEntries(const std::string& database) {
  FRAZIL_ASSIGN_OR_RETURN(auto rows,
                          Run("SELECT kind, name, document FROM entries WHERE database = ? ORDER BY name", {database}));
  std::vector<Entry> entries;
  for (auto& row : rows) {
    entries.push_back({row[0] == "view" ? EntryKind::kView : EntryKind::kTable, std::move(row[1]), std::move(row[2])});
  }
  return entries;
}

Result<std::optional<EmbeddedStore::Entry>> EmbeddedStore::FindEntry(const std::string& database,
                                                                     const std::string& name) {
  FRAZIL_ASSIGN_OR_RETURN(
      auto rows, Run("SELECT kind, name, document FROM entries WHERE database = ? AND name = ?", {database, name}));
  if (rows.empty()) return std::optional<Entry>();
  return std::optional<Entry>(
      Entry{rows[0][0] == "view" ? EntryKind::kView : EntryKind::kTable, std::move(rows[0][1]), std::move(rows[0][2])});
}

Result<bool> EmbeddedStore::InsertEntry(const std::string& database, const Entry& entry) {
  int changed = 0;
  FRAZIL_RETURN_IF_ERROR(Run("INSERT INTO entries (database, name, kind, document) VALUES (?, ?, ?, ?)",
                             {database, entry.name, entry.kind == EntryKind::kView ? "view" : "table", entry.document},
                             &changed));
  return changed == 1;
}

Status EmbeddedStore::UpdateEntry(const std::string& database, const Entry& entry) {
  return Run("UPDATE entries SET kind = ?, document = ? WHERE database = ? AND name = ?",
             {entry.kind == EntryKind::kView ? "view" : "table", entry.document, database, entry.name})
      .status();
}

Status EmbeddedStore::DeleteEntry(const std::string& database, const std::string& name) {
  return Run("DELETE FROM entries WHERE database = ? AND name = ?", {database, name}).status();
}

Result<bool> EmbeddedStore::RenameEntry(const std::string& database, const std::string& name,
                                        const std::string& new_database, const std::string& new_name) {
  int changed = 0;
  FRAZIL_RETURN_IF_ERROR(Run("UPDATE entries SET database = ?, name = ? WHERE database = ? AND name = ?",
                             {new_database, new_name, database, name}, &changed));
  return changed == 1;
}

}  // namespace frazil::catalogs
