#pragma once

#include "frazil/catalogs/catalog.h"
#include "frazil/catalogs/embedded/embedded_store.h"
#include "frazil/catalogs/function_catalog.h"
#include "frazil/catalogs/owned_tables.h"
#include "frazil/catalogs/table_migration.h"
#include "frazil/catalogs/tables_of_any_provider.h"

namespace frazil::catalogs {

/// The built-in `spark_catalog`: databases, tables of every format and views, one level of namespaces, names without
/// case. Managed tables lie below the warehouse: <warehouse>/<table> in `default`, <warehouse>/<database>.db/<table>
/// else. Names are kept in EmbeddedStore.
class EmbeddedCatalog : public Catalog,
                        public FunctionCatalog,
                        public OwnedTables,
                        public TableMigration,
                        public TablesOfAnyProvider {
 public:
  /// `settings["warehouse"]` or default_warehouse is the folder. The database `default` is made where missing.
  static Result<CatalogPtr> Make(const CatalogContext& context);

  const std::string& name() const override { return name_; }
  Namespace default_namespace() const override { return {"default"}; }
  Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) override;
  Result<bool> NamespaceExists(const Namespace& name_space) override;
  Result<std::map<std::string, std::string>> LoadNamespace(const Namespace& name_space) override;
  Status CreateNamespace(const Namespace& name_space, const std::map<std::string, std::string>& properties) override;
  Status AlterNamespace(const Namespace& name_space, const std::map<std::string, std::string>& set,
                        const std::vector<std::string>& unset) override;
  Status DropNamespace(const Namespace& name_space, bool cascade) override;
  Result<std::vector<std::string>> ListTables(const Namespace& name_space) override;
  Result<bool> TableExists(const Identifier& identifier) override;
  Result<tables::TablePtr> LoadTable(const Identifier& identifier) override;
  Result<bool> OwnsFiles(const Identifier& identifier) override;
  Result<tables::TablePtr> CreateTable(const Identifier& identifier,
                                       const tables::TableDefinition& definition) override;
  Result<tables::StagedTable> StageTable(const Identifier& identifier, const tables::TableDefinition& definition,
                                         bool replace) override;
  Status DropTable(const Identifier& identifier, bool purge) override;
  Result<Aside> SetAside(const Identifier& table, const Identifier& aside) override;
  Status PutBack(const Identifier& aside, const Identifier& table, const Aside& former) override;
  Status RenameTable(const Identifier& from, const Identifier& to) override;
  Status AlterTable(const Identifier& identifier, const std::vector<tables::TableChange>& changes) override;
  bool supports_views() const override { return true; }
  Result<std::vector<std::string>> ListViews(const Namespace& name_space) override;
  Result<std::optional<ViewDefinition>> LoadView(const Identifier& identifier) override;
  Status CreateView(const Identifier& identifier, const ViewDefinition& view, bool replace) override;
  Status DropView(const Identifier& identifier) override;

  // FunctionCatalog
  Result<std::vector<std::string>> ListFunctions(const Namespace& name_space) override;
  Result<std::optional<FunctionDefinition>> LoadFunction(const Identifier& identifier) override;
  Result<bool> CreateFunction(const Identifier& identifier, const FunctionDefinition& function, bool replace) override;
  Result<bool> DropFunction(const Identifier& identifier) override;

 private:
  EmbeddedCatalog(const CatalogContext& context, std::string warehouse, std::shared_ptr<EmbeddedStore> store);

  /// The database's name in lower case; error where the namespace has not one part, or does not exist.
  Result<std::string> Database(const Namespace& name_space);
  /// Where a new table lies: the folder of its name, or one beside it where that holds files already. They are those
  /// of a table that was renamed, or of one whose name is lost: two tables in a folder would read and drop each
  /// other's.
  Result<std::string> FreeLocation(const std::string& database, const std::string& table);
  Result<std::string> DefaultLocation(const std::string& database, const std::string& table);
  /// Keeps whether a table's files go with it.
  Status SetOwnsFiles(const Identifier& identifier, tables::TableDefinition definition, bool owns);
  Result<tables::TableContext> ContextFor(const Identifier& identifier, const std::string& location) const;
  Result<tables::TableFormatPtr> FormatOf(const tables::TableDefinition& definition) const;
  Result<std::optional<tables::TableDefinition>> FindDefinition(const Identifier& identifier);
  /// Definition with its location filled in and made absolute.
  Result<tables::TableDefinition> Complete(const Identifier& identifier, const tables::TableDefinition& definition);

  std::string name_;
  std::string warehouse_;
  std::shared_ptr<EmbeddedStore> store_;
  const tables::FormatRegistry* formats_;
  const storage::StoreRegistry* stores_;
  storage::SettingLookup settings_;
};

}  // namespace frazil::catalogs
