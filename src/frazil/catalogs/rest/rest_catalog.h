#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frazil/catalogs/catalog.h"
#include "frazil/catalogs/catalog_settings.h"
#include "frazil/catalogs/rest/rest_table.h"
#include "frazil/catalogs/table_registrar.h"

namespace frazil::catalogs {

/// Iceberg tables and views behind a service that speaks Iceberg's REST protocol. Tables come with the settings (keys,
/// endpoint) by which their files are reached.
/// https://iceberg.apache.org/rest-catalog-spec/
class RestCatalog : public Catalog, public TableRegistrar {
 public:
  /// `settings["uri"]` is the service.
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
  Status RegisterTable(const Identifier& identifier, const std::string& metadata_location) override;

  bool supports_views() const override { return true; }
  Result<std::vector<std::string>> ListViews(const Namespace& name_space) override;
  Result<std::optional<ViewDefinition>> LoadView(const Identifier& identifier) override;
  Status CreateView(const Identifier& identifier, const ViewDefinition& view, bool replace) override;
  Status DropView(const Identifier& identifier) override;

 private:
  /// A table that is to be made: where it will lie, and how its files are reached.
  struct Planned {
    tables::TableContext context;
    std::string location;
    tables::TableDefinition definition;
  };

  RestCatalog() = default;
  std::string NamespacePath(const Namespace& name_space) const;
  std::string ViewPath(const Identifier& identifier) const;
  Result<std::vector<std::string>> ListNames(const Namespace& name_space, const std::string& kind);
  /// What a format needs for a table, by the settings that came with it.
  Result<tables::TableContext> ContextFor(const Identifier& identifier, const RestTableState& state) const;
  Result<Planned> Plan(const Identifier& identifier, const tables::TableDefinition& definition);
  tables::CommitPointPtr CommitPointFor(const Identifier& identifier, std::optional<RestTableState> known) const;

  std::string name_;
  std::shared_ptr<RestClient> client_;
  const storage::StoreRegistry* stores_ = nullptr;
  storage::SettingLookup session_settings_;
  tables::TableFormatPtr format_;
  const tables::MetadataText* texts_ = nullptr;  ///< The format, as what describes tables by a text.
  TableProperties table_properties_;
};

}  // namespace frazil::catalogs
