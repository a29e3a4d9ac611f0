#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frazil/catalogs/glue/aws_json_client.h"
#include "frazil/catalogs/glue/dynamodb_lock.h"
#include "frazil/catalogs/glue/glue_pointer.h"
#include "frazil/catalogs/metastore/metastore_catalog.h"

namespace frazil::catalogs {

/// Iceberg tables in the AWS Glue Data Catalog: a namespace is a database, a table's parameters hold the location of
/// its metadata file, and Glue's table versions make commits atomic. What Iceberg's GlueCatalog does:
/// https://iceberg.apache.org/docs/latest/aws/#glue-catalog
class GlueCatalog : public MetastoreCatalog {
 public:
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

  /// In the session catalog alone: Spark's own.
  bool supports_views() const override { return is_session(); }
  Result<std::vector<std::string>> ListViews(const Namespace& name_space) override;
  Result<std::optional<ViewDefinition>> LoadView(const Identifier& identifier) override;
  Status CreateView(const Identifier& identifier, const ViewDefinition& view, bool replace) override;
  Status DropView(const Identifier& identifier) override;

 private:
  GlueCatalog() = default;
  Result<std::optional<Named>> FindNamed(const Identifier& identifier) override;
  std::shared_ptr<TablePointer> PointerOf(const Identifier& identifier) override;
  /// In the database's folder, or the warehouse's.
  Result<std::string> DefaultLocation(const Identifier& identifier) override;
  Status RemoveName(const Identifier& identifier) override;

  HiveTable NameOfEntry(const Identifier& identifier) const override;
  GlueTableName NameOf(const Identifier& identifier) const;
  Result<std::optional<nlohmann::json>> FindDatabase(const Namespace& name_space);
  enum class Kind : uint8_t { kAll, kTables, kViews };
  /// Names of a database's entries: all, or those that this catalog shows as tables or views.
  Result<std::vector<std::string>> Names(const Namespace& name_space, Kind kind);
  nlohmann::json WithCatalogId(nlohmann::json body) const;

  std::shared_ptr<AwsJsonClient> glue_;
  std::shared_ptr<DynamoDbLock> lock_;  ///< Null: Glue's versions alone.
};

}  // namespace frazil::catalogs
