#include "frazil/catalogs/jdbc/postgres_connection.h"

#include <libpq-fe.h>
#include <string_view>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/tables/unknown_commit.h"

namespace frazil::catalogs {
namespace {

constexpr std::string_view kUniqueViolation = "23505";

/// PostgreSQL's messages end with a line break, and never hold a password.
Error PostgresError(pg_conn* connection, const std::string& doing) {
  return Error::Storage("PostgreSQL failed to " + doing + ": " + std::string(TrimControls(PQerrorMessage(connection))));
}

/// `?` as PostgreSQL numbers its parameters. The statements are the catalog's own: none has a `?` in a text.
std::string Numbered(const std::string& statement) {
  std::string numbered;
  int parameter = 0;
  for (char c : statement) {
    if (c == '?') {
      numbered += "$" + std::to_string(++parameter);
    } else {
      numbered += c;
    }
  }
  return numbered;
}

}  // namespace

Result<std::shared_ptr<PostgresConnection>> PostgresConnection::Open(
    const std::string& uri, const std::map<std::string, std::string>& options) {
  std::vector<const char*> keywords = {"connect_timeout", "application_name", "client_encoding", "dbname"};
  std::vector<const char*> values = {"10", "frazil", "UTF8", uri.c_str()};
  // Later ones go before earlier ones.
  for (const auto& [key, value] : options) {
    keywords.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  pg_conn* handle = PQconnectdbParams(keywords.data(), values.data(), /*expand_dbname=*/1);
  if (handle == nullptr) return Error::Storage("PostgreSQL's client is out of memory");
  std::shared_ptr<PostgresConnection> connection(new PostgresConnection(handle));
  if (PQstatus(handle) != CONNECTION_OK) return PostgresError(handle, "connect");
  // Notices ("relation exists already, skipping") are for people at a terminal.
  PQsetNoticeProcessor(
      handle, [](void*, const char*) {}, nullptr);
  return connection;
}

PostgresConnection::~PostgresConnection() { PQfinish(connection_); }

Status PostgresConnection::Revive() {
  if (PQconsumeInput(connection_) == 1 && PQstatus(connection_) == CONNECTION_OK) return {};
  PQreset(connection_);
  if (PQstatus(connection_) != CONNECTION_OK) return PostgresError(connection_, "connect again");
  return {};
}

Result<SqlConnection::Outcome> PostgresConnection::Run(const std::string& statement,
                                                       const std::vector<Text>& parameters) {
  std::lock_guard lock(mutex_);
  FRAZIL_RETURN_IF_ERROR(Revive());
  std::vector<const char*> values;
  for (const auto& parameter : parameters) {
    if (parameter && parameter->find('\0') != std::string::npos)
      return Error::Storage("PostgreSQL keeps no text with a zero byte in it");
    values.push_back(parameter ? parameter->c_str() : nullptr);
  }
  std::unique_ptr<PGresult, void (*)(PGresult*)> result(
      PQexecParams(connection_, Numbered(statement).c_str(), static_cast<int>(values.size()), nullptr, values.data(),
                   nullptr, nullptr, /*resultFormat=*/0),
      PQclear);
  Outcome outcome;
  switch (PQresultStatus(result.get())) {
    case PGRES_COMMAND_OK:
      outcome.changed = ParseInteger<int64_t>(PQcmdTuples(result.get())).value_or(0);
      return outcome;
    case PGRES_TUPLES_OK:
      for (int row = 0; row < PQntuples(result.get()); ++row) {
        std::vector<Text> texts;
        for (int column = 0; column < PQnfields(result.get()); ++column) {
          texts.push_back(PQgetisnull(result.get(), row, column)
                              ? Text()
                              : Text(std::string(PQgetvalue(result.get(), row, column),
                                                 static_cast<size_t>(PQgetlength(result.get(), row, column)))));
        }
        outcome.rows.push_back(std::move(texts));
      }
      return outcome;
    default:
      break;
  }
  const char* state = result ? PQresultErrorField(result.get(), PG_DIAG_SQLSTATE) : nullptr;
  if (state != nullptr && kUniqueViolation == state) {
    outcome.violates_key = true;
    return outcome;
  }
  const Error cause = PostgresError(connection_, "run a statement");
  // The server told what was wrong and is still there: nothing was changed.
  if (PQstatus(connection_) == CONNECTION_OK) return cause;
  return tables::UnknownCommit("a change of the catalog's entries came through", cause);
}

Result<std::vector<std::string>> PostgresConnection::ColumnsOf(const std::string& table) {
  FRAZIL_ASSIGN_OR_RETURN(auto outcome, Run("SELECT column_name FROM information_schema.columns WHERE table_name = ? "
                                            "AND table_schema = ANY (current_schemas(false))",
                                            {table}));
  std::vector<std::string> columns;
  for (auto& row : outcome.rows) columns.push_back(AsciiLower(row[0].value_or("")));
  return columns;
}

}  // namespace frazil::catalogs
