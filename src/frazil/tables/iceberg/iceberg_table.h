#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/tables/iceberg/table_operations.h"
#include "frazil/tables/micro_batches.h"
#include "frazil/tables/named_states.h"
#include "frazil/tables/row_changes.h"
#include "frazil/tables/table.h"
#include "frazil/tables/table_format.h"

namespace frazil::tables::iceberg {

/// A table that the first commit of its write creates or replaces: what is to be done to the state that the commit
/// finds.
struct StagedCreation {
  TableDefinition definition;
  std::string location;
  bool replace = false;
};

/// An Iceberg table as loaded.
class IcebergTable : public Table, public ChoosesRowChanges, public MicroBatches, public NamesStates {
 public:
  static Result<TablePtr> Make(TableOperationsPtr operations, TableMetadataPtr metadata,
                               std::shared_ptr<const StagedCreation> staged = nullptr);

  std::string provider() const override { return "iceberg"; }
  const DataTypePtr& schema() const override { return schema_; }
  std::string location() const override { return metadata_->location; }
  std::map<std::string, std::string> properties() const override;
  std::vector<PartitionField> partitioning() const override { return partitioning_; }
  std::vector<SortField> sort_order() const override { return sort_order_; }
  std::string comment() const override { return metadata_->Property("comment", ""); }
  TableCapabilities capabilities() const override;
  bool MarksRows(std::string_view operation) const override;
  Result<bool> IsBranch(const std::string& name) const override;

  Result<TableScanPtr> Scan(const ScanOptions& options) const override;
  Result<std::unique_ptr<TableWrite>> StartWrite(const WriteOptions& options) const override;
  Result<std::unique_ptr<RowChanges>> StartRowChanges(const WriteOptions& options) const override;
  Result<bool> CanDeleteByMetadata(const PredicatePtr& filter, const WriteOptions& options = {}) const override;
  Result<CommitOutcome> DeleteByMetadata(const PredicatePtr& filter, const WriteOptions& options) const override;
  Status Alter(const std::vector<TableChange>& changes) const override;
  Result<TablePtr> MetadataTable(const std::string& name) const override;

  // micro_batches.cc
  std::string StreamDescription() const override;
  Result<DataTypePtr> StreamSchema(const Options& options) const override;
  Result<std::optional<std::string>> FirstPlace(const Options& options) const override;
  Result<std::string> NextPlace(const std::string& start, bool all, const Options& options) const override;
  Result<MicroBatch> Between(const std::string& start, const std::string& end, const Options& options) const override;

  const TableMetadata& metadata() const { return *metadata_; }
  const TableOperationsPtr& operations() const { return operations_; }

 private:
  IcebergTable() = default;
  /// The data files that a snapshot added, in the order of its manifests.
  Result<std::vector<ScanFile>> AppendedFiles(int64_t snapshot_id) const;

  TableOperationsPtr operations_;
  TableMetadataPtr metadata_;
  std::shared_ptr<const StagedCreation> staged_;
  DataTypePtr schema_;
  std::vector<PartitionField> partitioning_;
  std::vector<SortField> sort_order_;
};

/// The metadata that a staged creation makes of the state that it finds (null: no table).
Result<TableMetadata> ApplyStaged(const StagedCreation& staged, const TableMetadata* base,
                                  const std::string& table_name);

/// Error TABLE_OR_VIEW_ALREADY_EXISTS.
Error TableExists(const std::string& table_name);

}  // namespace frazil::tables::iceberg
