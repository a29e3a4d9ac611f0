#pragma once

#include <memory>
#include <optional>
#include <string>

#include "frazil/catalogs/hive/hive_metastore.h"
#include "frazil/catalogs/pointer_commit_point.h"

namespace frazil::catalogs {

/// Values of the parameter table_type.
inline constexpr const char* kHiveIcebergTable = "ICEBERG";
inline constexpr const char* kHiveIcebergView = "ICEBERG-VIEW";

/// Location of an Iceberg table's (or view's) metadata file; nullopt for entries of other kinds.
std::optional<std::string> HiveMetadataLocation(const ThriftValue& table, const char* kind = kHiveIcebergTable);

/// The table as the Metastore has it; nullopt where there is none of that name.
Result<std::optional<ThriftValue>> FindHiveTable(HiveMetastore& metastore, const std::string& database,
                                                 const std::string& table);

/// The pointer of an Iceberg table in a Hive Metastore: a parameter of its entry, changed under the Metastore's lock on
/// the table, as Iceberg's own Hive catalog does; or, where the table or the catalog says
/// engine.hive.lock-enabled = false, by a change that the Metastore itself only makes to the parameter's former value
/// (HIVE-26882, Metastores from 2.3.10 and 4.0 on).
class HivePointer : public TablePointer {
 public:
  struct Options {
    std::string owner;
    bool lock = true;
    int64_t lock_timeout_ms = 180000;
  };
  HivePointer(std::shared_ptr<HiveMetastore> metastore, std::string database, std::string table, Options options);

  Result<std::optional<std::string>> Read() override;
  Result<bool> Move(const std::optional<std::string>& expected, const std::string& next,
                    const std::string& metadata) override;

 private:
  Result<bool> MoveLocked(const std::optional<std::string>& expected, const std::string& next,
                          const std::string& metadata, bool locked);

  std::shared_ptr<HiveMetastore> metastore_;
  std::string database_;
  std::string table_;
  Options options_;
};

}  // namespace frazil::catalogs
