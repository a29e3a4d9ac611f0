#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frazil/catalogs/catalog.h"
#include "frazil/catalogs/catalog_settings.h"
#include "frazil/catalogs/glue/aws_json_client.h"
#include "frazil/catalogs/glue/dynamodb_lock.h"
#include "frazil/catalogs/table_registrar.h"
#include "frazil/tables/metadata_text.h"

namespace frazil::catalogs {

/// Iceberg tables in the AWS Glue Data Catalog: a namespace is a database, a table's parameters hold the location of
/// its metadata file, and Glue's table versions make commits atomic. What Iceberg's GlueCatalog does:
/// https://iceberg.apache.org/docs/latest/aws/#glue-catalog
class GlueCatalog : public Catalog, public TableRegistrar {
 public:
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

 private:
  GlueCatalog() = default;
  /// A table's place: how its files are reached, and its pointer.
  struct Place {
    std::string location;
    tables::TableContext context;
    tables::CommitPointPtr commit_point;
  };
  Result<Place> PlaceAt(const Identifier& identifier, const std::string& location);
  /// Where a new table lies: in its database's folder, or the warehouse's.
  Result<std::string> DefaultLocation(const Identifier& identifier);
  Result<std::optional<nlohmann::json>> FindDatabase(const Namespace& name_space);
  /// All tables of a database; `iceberg_only`: names of Iceberg tables.
  Result<std::vector<std::string>> TableNames(const Namespace& name_space, bool iceberg_only);
  nlohmann::json WithCatalogId(nlohmann::json body) const;

  std::string name_;
  std::map<std::string, std::string> settings_;
  std::shared_ptr<AwsJsonClient> glue_;
  std::shared_ptr<DynamoDbLock> lock_;  ///< Null: Glue's versions alone.
  const storage::StoreRegistry* stores_ = nullptr;
  storage::SettingLookup lookup_;
  tables::TableFormatPtr format_;
  const tables::MetadataText* texts_ = nullptr;
  TableProperties table_properties_;
};

}  // namespace frazil::catalogs
