#include "frazil/tables/iceberg/iceberg_format.h"

#include <algorithm>
#include <set>

#include "frazil/base/text.h"
#include "frazil/storage/large_objects.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/iceberg_table.h"
#include "frazil/tables/iceberg/path_commit_point.h"
#include "frazil/tables/iceberg/reachable_files.h"
#include "frazil/tables/iceberg/spark_schema.h"

namespace frazil::tables::iceberg {
namespace {

std::string WithoutEndSlash(std::string location) {
  while (location.size() > 1 && location.back() == '/') location.pop_back();
  return location;
}

}  // namespace

IcebergFormat::IcebergFormat(ColumnarFilesPtr files) : shared_(std::make_shared<SharedState>()) {
  shared_->files = std::move(files);
}
IcebergFormat::~IcebergFormat() = default;

Status IcebergFormat::CheckDefinition(const Table& existing, const TableDefinition& definition) const {
  // Without columns the definition takes the table's own.
  if (definition.schema == nullptr || definition.schema->fields().empty()) return {};
  FRAZIL_ASSIGN_OR_RETURN(TableMetadata metadata,
                          ApplyStaged(StagedCreation{definition, existing.location(), false}, nullptr, ""));
  FRAZIL_ASSIGN_OR_RETURN(auto wanted, ToSparkSchema(*metadata.schema()));
  if (!wanted->EqualsIgnoreNullability(*existing.schema())) {
    return Validation("Cannot create a table with the columns " + wanted->SimpleString() + " at " +
                      existing.location() + ": the table that is there has " + existing.schema()->SimpleString());
  }
  auto same = [](const PartitionField& left, const PartitionField& right) {
    return left.transform == right.transform && left.parameter == right.parameter &&
           EqualsIgnoreCase(Join(left.source, "."), Join(right.source, "."));
  };
  const auto present = existing.partitioning();
  if (!definition.partitioning.empty() && !std::equal(present.begin(), present.end(), definition.partitioning.begin(),
                                                      definition.partitioning.end(), same)) {
    return Validation("Cannot create a table at " + existing.location() +
                      ": the table that is there is partitioned otherwise");
  }
  return {};
}

CommitPointPtr IcebergFormat::PathCommitPoint(const TableContext& context, const std::string& location) const {
  return std::make_shared<iceberg::PathCommitPoint>(context.store, WithoutEndSlash(location));
}

Result<TablePtr> IcebergFormat::Load(const TableContext& context, const std::string&,
                                     CommitPointPtr commit_point) const {
  auto operations = std::make_shared<const TableOperations>(context, std::move(commit_point), shared_);
  FRAZIL_ASSIGN_OR_RETURN(TableMetadataPtr metadata, operations->Load());
  if (metadata == nullptr) {
    return Error::Of("TABLE_OR_VIEW_NOT_FOUND", {{"relationName", QuoteIdentifier(Split(context.name, '.'))}});
  }
  return IcebergTable::Make(std::move(operations), std::move(metadata));
}

Result<TablePtr> IcebergFormat::Create(const TableContext& context, const TableDefinition& definition,
                                       const std::string& location, CommitPointPtr commit_point) const {
  auto operations = std::make_shared<const TableOperations>(context, std::move(commit_point), shared_);
  StagedCreation creation{definition, WithoutEndSlash(location), false};
  FRAZIL_ASSIGN_OR_RETURN(auto existing, operations->commit_point().Current());
  if (existing) return TableExists(context.name);
  FRAZIL_ASSIGN_OR_RETURN(TableMetadata metadata, ApplyStaged(creation, nullptr, context.name));
  TableMetadataPtr committed;
  FRAZIL_ASSIGN_OR_RETURN(CommitState state, operations->Commit(nullptr, std::move(metadata), &committed));
  if (state == CommitState::kConflict) return TableExists(context.name);
  return IcebergTable::Make(std::move(operations), std::move(committed));
}

Result<StagedTable> IcebergFormat::Stage(const TableContext& context, const TableDefinition& definition,
                                         const std::string& location, CommitPointPtr commit_point, bool replace) const {
  auto operations = std::make_shared<const TableOperations>(context, std::move(commit_point), shared_);
  auto staged = std::make_shared<const StagedCreation>(StagedCreation{definition, WithoutEndSlash(location), replace});
  FRAZIL_ASSIGN_OR_RETURN(TableMetadataPtr base, operations->Load());
  FRAZIL_ASSIGN_OR_RETURN(TableMetadata metadata, ApplyStaged(*staged, base.get(), context.name));
  FRAZIL_ASSIGN_OR_RETURN(
      TablePtr table,
      IcebergTable::Make(std::move(operations), std::make_shared<const TableMetadata>(std::move(metadata)), staged));
  return StagedTable{std::move(table)};
}

Result<std::string> IcebergFormat::NewMetadata(const TableDefinition& definition, const std::string& location) const {
  FRAZIL_ASSIGN_OR_RETURN(TableMetadata metadata,
                          ApplyStaged(StagedCreation{definition, WithoutEndSlash(location), false}, nullptr, location));
  return WriteTableMetadata(metadata);
}

Result<DataTypePtr> IcebergFormat::SchemaOfMetadata(const std::string& metadata) const {
  FRAZIL_ASSIGN_OR_RETURN(TableMetadataPtr parsed, ParseTableMetadata(metadata, ""));
  return ToSparkSchema(*parsed->schema());
}

Status IcebergFormat::CheckDeletable(const TableContext& context, const std::string& metadata_location) const {
  const TableOperations operations(context, nullptr, shared_);
  FRAZIL_ASSIGN_OR_RETURN(TableMetadataPtr metadata, operations.ReadMetadata(metadata_location));
  if (metadata->PropertyAsBoolean("gc.enabled", true)) return {};
  return Validation("Cannot purge table: GC is disabled (deleting files may corrupt other tables)");
}

Status IcebergFormat::DeleteFiles(const TableContext& context, const std::string& metadata_location) const {
  const TableOperations operations(context, nullptr, shared_);
  FRAZIL_ASSIGN_OR_RETURN(TableMetadataPtr metadata, operations.ReadMetadata(metadata_location));
  FRAZIL_ASSIGN_OR_RETURN(auto reachable, FindReachableFiles(operations, *metadata));
  std::vector<std::string> paths;
  for (const auto& [local, file] : reachable.content_files) paths.push_back(file.path);
  for (const auto* kind : {&reachable.manifests, &reachable.manifest_lists, &reachable.statistics}) {
    for (const auto& [local, path] : *kind) paths.push_back(path);
  }
  // The metadata goes last: with it the others could still be found.
  std::set<std::string> texts = {metadata_location};
  for (const auto& entry : metadata->metadata_log) texts.insert(entry.file);
  // Of a table that is a folder the versions that the log has forgotten too: one of them would be found as the table.
  if (VersionOfPath(metadata_location) >= 0)
    FRAZIL_RETURN_IF_ERROR(AddVersionFiles(context, metadata_location, &texts));
  paths.insert(paths.end(), texts.begin(), texts.end());
  return storage::DeleteAll(*context.store, paths);
}

}  // namespace frazil::tables::iceberg
