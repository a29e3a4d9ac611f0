#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/catalogs/metastore/described_tables.h"
#include "frazil/catalogs/owned_tables.h"
#include "frazil/catalogs/pointer_catalog.h"

namespace frazil::catalogs {

/// A catalog of Hive's kind (a Hive Metastore, AWS Glue): Iceberg tables, and, where it stands for spark_catalog, what
/// Spark's session catalog has there beside them: Hive's own tables, those of Spark's data sources, Delta, views.
class MetastoreCatalog : public PointerCatalog, public OwnedTables {
 public:
  Namespace default_namespace() const override { return is_session() ? Namespace{"default"} : Namespace(); }
  Result<tables::TablePtr> CreateTable(const Identifier& identifier,
                                       const tables::TableDefinition& definition) override;
  Result<tables::StagedTable> StageTable(const Identifier& identifier, const tables::TableDefinition& definition,
                                         bool replace) override;
  Status AlterTable(const Identifier& identifier, const std::vector<tables::TableChange>& changes) override;
  Result<bool> OwnsFiles(const Identifier& identifier) override;

 protected:
  /// Before anything else is asked. `entries`: the catalog's tables.
  void UseEntries(std::shared_ptr<TableMetastore> entries, const CatalogContext& context);
  bool is_session() const { return described_ != nullptr; }
  /// Database, name and owner of a table's entry.
  virtual HiveTable NameOfEntry(const Identifier& identifier) const = 0;
  Result<std::optional<HiveTable>> FindEntryOf(const Identifier& identifier);
  /// A table that is not Iceberg's. Error TABLE_OR_VIEW_NOT_FOUND.
  Result<HiveTable> FindDescribed(const Identifier& identifier);
  Result<tables::TablePtr> LoadOther(const Identifier& identifier) override;
  Status DropOther(const Identifier& identifier) override;

  // Spark's own views, of the session catalog.
  Result<std::optional<ViewDefinition>> LoadSparkView(const Identifier& identifier);
  Status CreateSparkView(const Identifier& identifier, const ViewDefinition& view, bool replace);
  /// False: there is none of that name.
  Result<bool> DropSparkView(const Identifier& identifier);

  std::shared_ptr<TableMetastore> entries_;

 private:
  std::unique_ptr<DescribedTables> described_;  ///< Null unless it is the session catalog.
};

}  // namespace frazil::catalogs
