#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "frazil/catalogs/sql/sql_connection.h"

struct pg_conn;

namespace frazil::catalogs {

/// A connection to PostgreSQL. A connection that broke while nothing was under way is made anew.
class PostgresConnection : public SqlConnection {
 public:
  /// `uri`: postgresql://[user[:password]@]host[:port]/database[?option=value&...], as PostgreSQL's own clients take
  /// it. `options` (user, password, sslmode, ...) are PostgreSQL's keywords and go before those of the address.
  static Result<std::shared_ptr<PostgresConnection>> Open(const std::string& uri,
                                                          const std::map<std::string, std::string>& options);
  ~PostgresConnection() override;

  Result<Outcome> Run(const std::string& statement, const std::vector<Text>& parameters = {}) override;
  Result<std::vector<std::string>> ColumnsOf(const std::string& table) override;

 private:
  explicit PostgresConnection(pg_conn* connection) : connection_(connection) {}
  /// Notices a connection that the server has ended meanwhile, and makes another.
  Status Revive();

  std::mutex mutex_;
  pg_conn* connection_;
};

}  // namespace frazil::catalogs
