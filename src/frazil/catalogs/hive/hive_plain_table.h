#pragma once

#include <memory>
#include <string>

#include "frazil/catalogs/hive/hive_metastore.h"
#include "frazil/storage/object_store.h"
#include "frazil/tables/table_format.h"

namespace frazil::catalogs {

/// Whether an entry of the Metastore is a table of plain files that Spark (or Frazil) has made: its parameters say the
/// provider and the columns as Spark writes them.
bool IsPlainHiveTable(const ThriftValue& entry);

/// The table that such an entry describes, and the reverse.
Result<tables::TableDefinition> PlainDefinitionOf(const ThriftValue& entry);
ThriftValue PlainHiveTable(const std::string& database, const std::string& name, const std::string& owner,
                           const tables::TableDefinition& definition);

/// What the commit of a write to plain files does in the Metastore: makes the table's entry where there is none yet,
/// and the entries of partitions whose folders are new.
class PlainTableCommitPoint : public tables::CommitPoint {
 public:
  /// `exists`: the entry is there already.
  PlainTableCommitPoint(std::shared_ptr<HiveMetastore> metastore, storage::ObjectStorePtr store, ThriftValue entry,
                        bool exists);

  Result<std::optional<std::string>> Current() override { return std::optional<std::string>(); }
  Result<tables::CommitState> Swap(const std::optional<std::string>& expected, const std::string& metadata,
                                   std::string* written) override;

 private:
  Status AddPartitions();

  std::shared_ptr<HiveMetastore> metastore_;
  storage::ObjectStorePtr store_;
  ThriftValue entry_;
  bool exists_;
};

}  // namespace frazil::catalogs
