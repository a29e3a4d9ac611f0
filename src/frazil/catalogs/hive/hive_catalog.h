#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frazil/catalogs/hive/hive_metastore.h"
#include "frazil/catalogs/metastore/metastore_catalog.h"
#include "frazil/catalogs/table_migration.h"

namespace frazil::catalogs {

/// Iceberg tables in a Hive Metastore: a namespace is a database, a table's parameters hold the location of its
/// metadata file. What Iceberg's HiveCatalog does: https://iceberg.apache.org/docs/latest/hive/
class HiveCatalog : public MetastoreCatalog, public TableMigration {
 public:
  /// `settings["uri"]` is the Metastore (or the session's hive.metastore.uris).
  static Result<CatalogPtr> Make(const CatalogContext& context);

  Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) override;
  Result<bool> NamespaceExists(const Namespace& name_space) override;
  Result<std::map<std::string, std::string>> LoadNamespace(const Namespace& name_space) override;
  Status CreateNamespace(const Namespace& name_space, const std::map<std::string, std::string>& properties) override;
  Status AlterNamespace(const Namespace& name_space, const std::map<std::string, std::string>& set,
                        const std::vector<std::string>& unset) override;
  Status DropNamespace(const Namespace& name_space, bool cascade) override;

  Result<std::vector<std::string>> ListTables(const Namespace& name_space) override;
  Status RenameTable(const Identifier& from, const Identifier& to) override;

  /// Of the session catalog alone.
  Result<Aside> SetAside(const Identifier& table, const Identifier& aside) override;
  Status PutBack(const Identifier& aside, const Identifier& table, const Aside& former) override;

  bool supports_views() const override { return true; }
  Result<std::vector<std::string>> ListViews(const Namespace& name_space) override;
  Result<std::optional<ViewDefinition>> LoadView(const Identifier& identifier) override;
  Status CreateView(const Identifier& identifier, const ViewDefinition& view, bool replace) override;
  Status DropView(const Identifier& identifier) override;

 private:
  HiveCatalog() = default;
  Result<std::optional<Named>> FindNamed(const Identifier& identifier) override;
  std::shared_ptr<TablePointer> PointerOf(const Identifier& identifier) override;
  Result<std::string> DefaultLocation(const Identifier& identifier) override;
  Status RemoveName(const Identifier& identifier) override;
  HiveTable NameOfEntry(const Identifier& identifier) const override;

  /// Says in a plain table's entry whether its files go with it.
  Status SetOwnsFiles(ThriftValue entry, bool owns);
  /// Names of the entries of a database whose metadata is of a kind (parameter table_type).
  Result<std::vector<std::string>> ListNames(const Namespace& name_space, const char* kind);
  Result<std::optional<ThriftValue>> FindEntry(const Identifier& identifier);
  Result<std::optional<ThriftValue>> FindDatabase(const Namespace& name_space);
  /// A database as the Metastore keeps it. Error where a location is needed and none is known.
  Result<ThriftValue> DatabaseOf(const std::string& name, const std::map<std::string, std::string>& properties) const;

  std::shared_ptr<HiveMetastore> metastore_;
  std::string warehouse_;
};

}  // namespace frazil::catalogs
