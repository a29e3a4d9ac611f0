#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "frazil/catalogs/sql/sql_connection.h"

struct sqlite3;

namespace frazil::catalogs {

/// A SQLite file, which several processes may share.
class SqliteConnection : public SqlConnection {
 public:
  /// Opens or makes the file (its folder is made too). A file that others hold is waited for, ten seconds at most.
  static Result<std::shared_ptr<SqliteConnection>> Open(const std::string& path);
  ~SqliteConnection() override;

  Result<Outcome> Run(const std::string& statement, const std::vector<Text>& parameters = {}) override;
  Result<std::vector<std::string>> ColumnsOf(const std::string& table) override;

 private:
  explicit SqliteConnection(sqlite3* connection) : connection_(connection) {}

  std::mutex mutex_;
  sqlite3* connection_;
};

}  // namespace frazil::catalogs
