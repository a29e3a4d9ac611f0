#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/catalogs/sql/sqlite_connection.h"

namespace frazil::catalogs {

/// The names of the built-in catalog, kept in one SQLite file so that they survive a restart and may be shared by
/// processes. Entries are JSON documents that the catalog makes and reads. Thread-safe. Names are lower case.
class EmbeddedStore {
 public:
  enum class EntryKind { kTable, kView };
  struct Entry {
    EntryKind kind = EntryKind::kTable;
    std::string name;
    std::string document;
  };

  /// Opens or makes the file (its folder is made too).
  static Result<std::shared_ptr<EmbeddedStore>> Open(const std::string& path);

  Result<std::vector<std::string>> ListDatabases();
  Result<std::optional<std::string>> FindDatabase(const std::string& name);
  /// False where the name is taken.
  Result<bool> InsertDatabase(const std::string& name, const std::string& document);
  Status UpdateDatabase(const std::string& name, const std::string& document);
  Status DeleteDatabase(const std::string& name);

  Result<std::vector<Entry>> ListEntries(const std::string& database);
  Result<std::optional<Entry>> FindEntry(const std::string& database, const std::string& name);
  /// False where the name is taken.
  Result<bool> InsertEntry(const std::string& database, const Entry& entry);
  Status UpdateEntry(const std::string& database, const Entry& entry);
  Status DeleteEntry(const std::string& database, const std::string& name);
  // Functions have names of their own beside tables and views. Entries' kinds do not count here.
  Result<std::vector<std::string>> ListFunctions(const std::string& database);
  Result<std::optional<std::string>> FindFunction(const std::string& database, const std::string& name);
  /// False where the name is taken and `replace` is not said.
  Result<bool> PutFunction(const std::string& database, const std::string& name, const std::string& document,
                           bool replace);
  /// False where there is none.
  Result<bool> DeleteFunction(const std::string& database, const std::string& name);
  /// False where the new name is taken.
  Result<bool> RenameEntry(const std::string& database, const std::string& name, const std::string& new_database,
                           const std::string& new_name);

 private:
  explicit EmbeddedStore(std::shared_ptr<SqliteConnection> connection) : connection_(std::move(connection)) {}

  std::shared_ptr<SqliteConnection> connection_;
};

}  // namespace frazil::catalogs
