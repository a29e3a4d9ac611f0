#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frazil/catalogs/metastore/table_metastore.h"
#include "frazil/storage/object_store.h"
#include "frazil/tables/table_format.h"

namespace frazil::catalogs {

/// The tables of spark_catalog that a catalog of Hive's kind describes itself, as Spark's session catalog has them:
/// Hive's own and those of Spark's data sources (plain files, Delta). Thread-safe.
class DescribedTables {
 public:
  DescribedTables(std::shared_ptr<TableMetastore> metastore, const tables::FormatRegistry* formats,
                  const storage::StoreRegistry* stores, storage::SettingLookup settings)
      : metastore_(std::move(metastore)), formats_(formats), stores_(stores), settings_(std::move(settings)) {}

  /// `full_name`: for messages.
  Result<tables::TablePtr> Load(const HiveTable& entry, const std::string& full_name) const;
  /// `place`: database, name and owner of the new entry; its location is where the table lies unless it is told.
  /// A folder that is a table already (Delta) becomes known by the name.
  Result<tables::TablePtr> Create(const HiveTable& place, const tables::TableDefinition& definition,
                                  const std::string& full_name) const;
  /// `replaced`: the entry that the first commit replaces; null: the name is free. Error UNSUPPORTED_FEATURE where one
  /// kind of table would take another's place.
  Result<tables::StagedTable> Stage(const HiveTable& place, const tables::TableDefinition& definition,
                                    const HiveTable* replaced, const std::string& full_name) const;
  /// With its files, where they are its own.
  Status Drop(const HiveTable& entry) const;
  Status Alter(const HiveTable& entry, const std::vector<tables::TableChange>& changes,
               const std::string& full_name) const;

 private:
  /// A definition with the format that serves it.
  struct Place {
    tables::TableFormatPtr format;
    tables::TableContext context;
    tables::TableDefinition definition;
    std::string location;
    std::string entry_location;  ///< As the entry says it.
  };
  Result<Place> PlaceOf(tables::TableDefinition definition, const std::string& full_name) const;

  std::shared_ptr<TableMetastore> metastore_;
  const tables::FormatRegistry* formats_;
  const storage::StoreRegistry* stores_;
  storage::SettingLookup settings_;
};

}  // namespace frazil::catalogs
