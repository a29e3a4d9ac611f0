#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/catalogs/catalog.h"
#include "frazil/catalogs/pointer_commit_point.h"
#include "frazil/catalogs/sql/sql_connection.h"

namespace frazil::catalogs {

/// The two tables in which Iceberg's JDBC catalog keeps names, as Iceberg and PyIceberg write them: `iceberg_tables`
/// (tables, and views where it has the column iceberg_type) and `iceberg_namespace_properties`.
/// https://iceberg.apache.org/docs/latest/jdbc/
class JdbcNames {
 public:
  enum class Kind { kTable, kView };
  /// What a name points to.
  struct Entry {
    Kind kind = Kind::kTable;
    std::string metadata_location;
  };

  /// Looks for the tables of the database. `create`: makes those that are missing; `upgrade`: adds the column that
  /// views need to a table without it.
  static Result<std::shared_ptr<JdbcNames>> Open(std::shared_ptr<SqlConnection> connection, std::string catalog,
                                                 bool create, bool upgrade);

  bool has_views() const { return has_views_; }

  /// Namespaces with tables, views or properties: `within` itself and what lies below it; all where it is empty.
  Result<std::vector<Namespace>> ListNamespaces(const Namespace& within);
  /// Key and value, without the one that says that a namespace is there.
  Result<std::map<std::string, std::string>> PropertiesOf(const Namespace& name_space);
  /// False where the namespace was made meanwhile.
  Result<bool> AddNamespace(const Namespace& name_space, const std::map<std::string, std::string>& properties);
  Status SetProperty(const Namespace& name_space, const std::string& key, const std::string& value);
  Status RemoveProperty(const Namespace& name_space, const std::string& key);
  Status RemoveNamespace(const Namespace& name_space);

  Result<std::vector<std::string>> List(const Namespace& name_space, Kind kind);
  Result<std::optional<Entry>> Find(const Identifier& identifier);
  /// Points a name to `next` if it still points to `expected` (nullopt: if it is free). False: it does not.
  Result<bool> Move(const Identifier& identifier, Kind kind, const std::optional<std::string>& expected,
                    const std::string& next);
  /// False where the new name is taken.
  Result<bool> Rename(const Identifier& from, const Identifier& to);
  Status Remove(const Identifier& identifier, Kind kind);

 private:
  JdbcNames(std::shared_ptr<SqlConnection> connection, std::string catalog)
      : connection_(std::move(connection)), catalog_(std::move(catalog)) {}
  /// " AND iceberg_type = ..." where there is such a column.
  std::string OfKind(Kind kind) const;

  std::shared_ptr<SqlConnection> connection_;
  std::string catalog_;
  bool has_views_ = false;
};

/// Whether the database can keep a namespace: its levels are joined by dots, without a way to escape one.
bool CanBeKept(const Namespace& name_space);

/// The pointer of an Iceberg table in a relational database, moved by an UPDATE of the row that was read.
class JdbcPointer : public TablePointer {
 public:
  JdbcPointer(std::shared_ptr<JdbcNames> names, Identifier identifier)
      : names_(std::move(names)), identifier_(std::move(identifier)) {}

  Result<std::optional<std::string>> Read() override;
  Result<bool> Move(const std::optional<std::string>& expected, const std::string& next,
                    const std::string& metadata) override;

 private:
  std::shared_ptr<JdbcNames> names_;
  Identifier identifier_;
};

}  // namespace frazil::catalogs
