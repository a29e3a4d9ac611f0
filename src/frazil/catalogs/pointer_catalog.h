#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "frazil/catalogs/catalog.h"
#include "frazil/catalogs/catalog_settings.h"
#include "frazil/catalogs/pointer_commit_point.h"
#include "frazil/catalogs/table_registrar.h"
#include "frazil/tables/metadata_text.h"

namespace frazil::catalogs {

/// The Iceberg tables of a catalog that keeps, for each name, the location of the newest metadata file, and nothing
/// else that matters (Glue, a Hive Metastore, a relational database). A kind adds its namespaces, its pointers and
/// what else lies under its names. What Iceberg's BaseMetastoreCatalog does.
class PointerCatalog : public Catalog, public TableRegistrar {
 public:
  const std::string& name() const override { return name_; }
  Result<bool> TableExists(const Identifier& identifier) override;
  Result<tables::TablePtr> LoadTable(const Identifier& identifier) override;
  Result<tables::TablePtr> CreateTable(const Identifier& identifier,
                                       const tables::TableDefinition& definition) override;
  Result<tables::StagedTable> StageTable(const Identifier& identifier, const tables::TableDefinition& definition,
                                         bool replace) override;
  Status DropTable(const Identifier& identifier, bool purge) override;
  Status AlterTable(const Identifier& identifier, const std::vector<tables::TableChange>& changes) override;
  Status RegisterTable(const Identifier& identifier, const std::string& metadata_location) override;

 protected:
  /// What a name stands for.
  struct Named {
    std::optional<std::string> metadata_location;  ///< Of the Iceberg table; nullopt: it is something else.
    bool is_table = true;                          ///< Something that this catalog shows as a table.
  };

  static bool HasOneLevel(const Namespace& name_space) { return name_space.size() == 1 && !name_space[0].empty(); }
  /// Takes over what every kind needs of a catalog's settings.
  Status Initialize(const CatalogContext& context);
  /// The catalog's own setting; "" where there is none.
  std::string SettingOf(const std::string& key) const;

  /// Nullopt where the name is free, and where it can be none of this catalog's.
  virtual Result<std::optional<Named>> FindNamed(const Identifier& identifier) = 0;
  virtual std::shared_ptr<TablePointer> PointerOf(const Identifier& identifier) = 0;
  /// Where a new table of that name lies unless it is told. Error SCHEMA_NOT_FOUND.
  virtual Result<std::string> DefaultLocation(const Identifier& identifier) = 0;
  /// Takes an Iceberg table's name away; no error where it is gone already.
  virtual Status RemoveName(const Identifier& identifier) = 0;
  /// Tables that are not Iceberg's: none, unless a kind has some.
  virtual Result<tables::TablePtr> LoadOther(const Identifier& identifier);
  virtual Status DropOther(const Identifier& identifier);

  /// The view whose metadata lies at `location`.
  Result<std::optional<ViewDefinition>> LoadViewAt(const Identifier& identifier, const std::string& location);
  struct ViewFile {
    nlohmann::json metadata;
    std::string location;
  };
  /// Writes the metadata of a view below `folder`, as the next version of the one at `former`. No name points to it
  /// yet.
  Result<ViewFile> WriteView(const ViewDefinition& view, const std::string& folder,
                             const std::optional<std::string>& former);

  std::string name_;
  std::map<std::string, std::string> settings_;
  const storage::StoreRegistry* stores_ = nullptr;
  storage::SettingLookup lookup_;  ///< The catalog's settings, and the session's where it has none.
  const tables::MetadataText* texts_ = nullptr;

 private:
  /// How a table's files are reached, and how its commits are made.
  struct Place {
    tables::TableContext context;
    tables::CommitPointPtr commit_point;
  };
  Result<Place> PlaceAt(const Identifier& identifier, const std::string& location);

  tables::TableFormatPtr format_;
  TableProperties table_properties_;
};

}  // namespace frazil::catalogs
