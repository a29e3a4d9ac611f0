#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/catalogs/metastore/table_metastore.h"
#include "frazil/tables/partition_registry.h"
#include "frazil/tables/table_format.h"

namespace frazil::catalogs {

/// What the commit of a write does in a catalog of Hive's kind, whose entry describes the table: makes the entry where
/// there is none yet, and keeps the table's partitions.
class MetastoreCommitPoint : public tables::CommitPoint, public tables::PartitionRegistry {
 public:
  enum class Entry : uint8_t {
    kExists,    ///< It stays, but for what it says of the table's size.
    kIsNew,     ///< The first commit makes it.
    kReplaces,  ///< The first commit makes it in the place of another.
  };
  /// `inner`: of a format with metadata of its own; may be null.
  MetastoreCommitPoint(std::shared_ptr<TableMetastore> metastore, HiveTable table, Entry entry,
                       tables::CommitPointPtr inner = nullptr);

  Result<std::optional<std::string>> Current() override;
  Result<tables::CommitState> Swap(const std::optional<std::string>& expected, const std::string& metadata,
                                   std::string* written) override;

  bool keeps_partitions() const override;
  Status CheckWritable() const override;
  Result<std::vector<tables::KnownPartition>> ListPartitions() override;
  Status AddPartitions(const std::vector<tables::KnownPartition>& partitions) override;
  Status DropPartitions(const std::vector<tables::PartitionValues>& partitions) override;

 private:
  std::shared_ptr<TableMetastore> metastore_;
  HiveTable table_;
  Entry entry_;
  tables::CommitPointPtr inner_;
};

}  // namespace frazil::catalogs
