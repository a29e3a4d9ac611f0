#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frazil/catalogs/hive/hive_metastore.h"
#include "frazil/catalogs/metastore/table_metastore.h"

namespace frazil::catalogs {

/// An entry of the Metastore as the kinds of catalogs share it.
HiveTable HiveTableOf(const ThriftValue& entry);
/// The reverse; what `former` (may be no value) holds beyond HiveTable stays.
ThriftValue ThriftTableOf(const HiveTable& table, const ThriftValue& former);

/// The tables of a Hive Metastore.
class HiveEntries : public TableMetastore {
 public:
  explicit HiveEntries(std::shared_ptr<HiveMetastore> metastore) : metastore_(std::move(metastore)) {}

  Result<std::optional<HiveTable>> FindTable(const std::string& database, const std::string& name) override;
  Result<bool> CreateTable(const HiveTable& table) override;
  Status AlterTable(const HiveTable& table) override;
  Status DropTable(const std::string& database, const std::string& name) override;
  Result<std::vector<HivePartition>> ListPartitions(const std::string& database, const std::string& name) override;
  Status AddPartitions(const std::string& database, const std::string& name,
                       const std::vector<HivePartition>& partitions) override;
  Status DropPartition(const std::string& database, const std::string& name,
                       const std::vector<std::string>& values) override;

 private:
  /// AddPartitions, once.
  Status AddMissing(const std::string& database, const std::string& name, const std::vector<HivePartition>& partitions);

  std::shared_ptr<HiveMetastore> metastore_;
};

}  // namespace frazil::catalogs
