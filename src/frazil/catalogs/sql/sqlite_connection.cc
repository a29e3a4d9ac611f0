#include "frazil/catalogs/sql/sqlite_connection.h"

#include <filesystem>

#include <sqlite3.h>

#include "frazil/base/text.h"

namespace frazil::catalogs {

namespace {

Error SqliteError(sqlite3* connection, const std::string& doing) {
  return Error::Storage("The catalog's store failed to " + doing + ": " + sqlite3_errmsg(connection));
}

}  // namespace

Result<std::shared_ptr<SqliteConnection>> SqliteConnection::Open(const std::string& path) {
  std::error_code failure;
  const auto folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, failure);
  if (failure)
    return Error::Storage("Cannot make the folder of the catalog's store " + path + ": " + failure.message());
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, nullptr);
  std::shared_ptr<SqliteConnection> connection(new SqliteConnection(handle));
  if (code != SQLITE_OK) return SqliteError(handle, "open " + path);
  sqlite3_busy_timeout(handle, 10000);
  return connection;
}

SqliteConnection::~SqliteConnection() { sqlite3_close_v2(connection_); }

Result<SqlConnection::Outcome> SqliteConnection::Run(const std::string& statement,
                                                     const std::vector<Text>& parameters) {
  std::lock_guard lock(mutex_);
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(connection_, statement.c_str(), -1, &prepared, nullptr) != SQLITE_OK) {
    return SqliteError(connection_, "prepare a statement");
  }
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> owner(prepared, sqlite3_finalize);
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i]) continue;  // Unbound: NULL.
    sqlite3_bind_text(prepared, static_cast<int>(i + 1), parameters[i]->data(), static_cast<int>(parameters[i]->size()),
                      SQLITE_TRANSIENT);
  }
  Outcome outcome;
  int code;
  while ((code = sqlite3_step(prepared)) == SQLITE_ROW) {
    std::vector<Text> row;
    for (int column = 0; column < sqlite3_column_count(prepared); ++column) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(prepared, column));
      row.push_back(text == nullptr ? Text() : Text(std::string(text, sqlite3_column_bytes(prepared, column))));
    }
    outcome.rows.push_back(std::move(row));
  }
  if (code == SQLITE_CONSTRAINT) {
    outcome.violates_key = true;
    return outcome;
  }
  if (code != SQLITE_DONE) return SqliteError(connection_, "run a statement");
  outcome.changed = sqlite3_changes(connection_);
  return outcome;
}

Result<std::vector<std::string>> SqliteConnection::ColumnsOf(const std::string& table) {
  FRAZIL_ASSIGN_OR_RETURN(auto outcome, Run("SELECT name FROM pragma_table_info(?)", {table}));
  std::vector<std::string> columns;
  for (auto& row : outcome.rows) columns.push_back(AsciiLower(row[0].value_or("")));
  return columns;
}

}  // namespace frazil::catalogs
