#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/catalogs/catalog.h"
#include "frazil/catalogs/tables_of_any_provider.h"
#include "frazil/catalogs/unity/unity_client.h"

namespace frazil::catalogs {

/// One catalog of an open-source Unity Catalog: schemas, Delta tables and plain files, reached by the keys that the
/// service hands out for each table. New tables are external ones. The service's Iceberg tables are those of its REST
/// catalog (`type` = rest).
/// https://docs.unitycatalog.io/integrations/unity-catalog-spark/
class UnityCatalog : public Catalog, public TablesOfAnyProvider {
 public:
  /// `settings["uri"]` is the service; the catalog's name is the one there.
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
  Result<tables::TablePtr> CreateTable(const Identifier& identifier,
                                       const tables::TableDefinition& definition) override;
  Result<tables::StagedTable> StageTable(const Identifier& identifier, const tables::TableDefinition& definition,
                                         bool replace) override;
  Status DropTable(const Identifier& identifier, bool purge) override;
  Status RenameTable(const Identifier& from, const Identifier& to) override;
  Status AlterTable(const Identifier& identifier, const std::vector<tables::TableChange>& changes) override;

 private:
  /// What a format needs for a table.
  struct Place {
    tables::TableFormatPtr format;
    tables::TableContext context;
    std::string location;
  };

  UnityCatalog() = default;
  /// Of a schema, as one part of a path: "catalog.schema".
  std::string SchemaPath(const Namespace& name_space) const;
  Result<std::optional<Json>> FindSchema(const Namespace& name_space);
  Result<std::optional<Json>> FindTable(const Identifier& identifier);
  /// How the files of a table (null: that is not known yet) at a location are reached.
  Result<Place> PlaceOf(const Identifier& identifier, const Json* table, const std::string& provider,
                        const std::string& location);
  /// The place of a new table; only external ones can be made. Error where the name is taken.
  Result<Place> PlaceOfNew(const Identifier& identifier, const tables::TableDefinition& definition);
  tables::CommitPointPtr CommitPointFor(const Identifier& identifier, const Place& place,
                                        const tables::TableDefinition& definition);

  std::string name_;
  std::shared_ptr<UnityClient> client_;
  Settings settings_;
  const tables::FormatRegistry* formats_ = nullptr;
  const storage::StoreRegistry* stores_ = nullptr;
  storage::SettingLookup session_settings_;
};

}  // namespace frazil::catalogs
