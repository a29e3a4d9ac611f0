#pragma once

#include "frazil/catalogs/catalog.h"
#include "frazil/catalogs/catalog_settings.h"

namespace frazil::catalogs {

/// A folder as a catalog: namespaces are folders, a table is a folder with Iceberg metadata in it; the table's version
/// files are its commit point. What Iceberg's HadoopCatalog does:
/// https://iceberg.apache.org/javadoc/latest/org/apache/iceberg/hadoop/HadoopCatalog.html
class PathCatalog : public Catalog {
 public:
  /// `settings["warehouse"]` is the folder.
  static Result<CatalogPtr> Make(const CatalogContext& context);

  const std::string& name() const override { return name_; }
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
  Result<tables::TablePtr> CreateTable(const Identifier& identifier,
                                       const tables::TableDefinition& definition) override;
  Result<tables::StagedTable> StageTable(const Identifier& identifier, const tables::TableDefinition& definition,
                                         bool replace) override;
  Status DropTable(const Identifier& identifier, bool purge) override;
  Status RenameTable(const Identifier& from, const Identifier& to) override;
  Status AlterTable(const Identifier& identifier, const std::vector<tables::TableChange>& changes) override;

 private:
  PathCatalog(std::string name, std::string warehouse, storage::ObjectStorePtr store, storage::SettingLookup settings,
              tables::TableFormatPtr format);

  Result<std::string> NamespacePath(const Namespace& name_space) const;
  Result<std::string> TablePath(const Identifier& identifier) const;
  tables::TableContext ContextFor(const Identifier& identifier) const;
  Result<bool> HoldsTable(const std::string& folder) const;
  /// The definition with catalog-wide table defaults (table-default.*, table-override.*) applied; refuses another
  /// location than the catalog's own.
  Result<tables::TableDefinition> Complete(const tables::TableDefinition& definition,
                                           const std::string& location) const;

  std::string name_;
  std::string warehouse_;
  storage::ObjectStorePtr store_;
  storage::SettingLookup settings_;
  tables::TableFormatPtr format_;
  TableProperties table_properties_;
};

}  // namespace frazil::catalogs
