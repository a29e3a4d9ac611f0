#include "frazil/tables/delta/delta_table.h"

#include <algorithm>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/tables/delta/changes_scan.h"
#include "frazil/tables/delta/clustering.h"
#include "frazil/tables/delta/delta_scan.h"
#include "frazil/tables/delta/delta_write.h"
#include "frazil/tables/delta/features.h"
#include "frazil/tables/delta/generated_columns.h"
#include "frazil/tables/delta/new_metadata.h"
#include "frazil/tables/delta/row_tracking.h"
#include "frazil/tables/delta/schema.h"
#include "frazil/tables/not_null_constraint.h"
#include "frazil/types/datetime.h"

namespace frazil::tables::delta {

Result<TablePtr> DeltaTable::Make(CommitTarget target, SnapshotPtr snapshot,
                                  std::shared_ptr<const StagedCreation> staged) {
  std::shared_ptr<DeltaTable> table(new DeltaTable());
  DataTypePtr schema;
  if (staged != nullptr) {
    const Metadata* replaced = snapshot != nullptr ? snapshot->metadata.get() : nullptr;
    Protocol former = snapshot != nullptr ? snapshot->protocol : Protocol();
    if (staged->cloned != nullptr) {
      FRAZIL_ASSIGN_OR_RETURN(table->metadata_,
                              ClonedMetadata(staged->definition, *staged->cloned->metadata, replaced));
      former = staged->cloned->protocol;
    } else {
      FRAZIL_ASSIGN_OR_RETURN(table->metadata_, NewMetadata(target.context, staged->definition, replaced));
    }
    FRAZIL_ASSIGN_OR_RETURN(schema, ParseSchema(table->metadata_.schema_string));
    if (!staged->definition.clustering_columns.empty())
      table->metadata_.configuration["delta.feature.clustering"] = "supported";
    NameRowTrackingColumns(replaced, &table->metadata_);
    FRAZIL_ASSIGN_OR_RETURN(table->protocol_, RequiredProtocol(former, &table->metadata_, *schema));
  } else {
    table->metadata_ = *snapshot->metadata;
    table->protocol_ = snapshot->protocol;
    schema = snapshot->schema;
  }
  table->schema_ = VisibleSchema(schema);
  table->generated_ = GeneratedColumnsOf(*schema);
  FRAZIL_ASSIGN_OR_RETURN(auto partitions, PartitionIndexes(table->metadata_, *schema));
  for (size_t index : partitions) {
    const StructField& column = schema->fields()[index];
    PartitionField field;
    field.name = column.name;
    field.source = {column.name};
    field.result_type = column.type;
    table->partitioning_.push_back(std::move(field));
  }
  table->target_ = std::move(target);
  table->snapshot_ = std::move(snapshot);
  table->staged_ = std::move(staged);
  return TablePtr(std::move(table));
}

std::map<std::string, std::string> DeltaTable::properties() const {
  auto properties = metadata_.configuration;
  properties["delta.minReaderVersion"] = std::to_string(protocol_.min_reader_version);
  properties["delta.minWriterVersion"] = std::to_string(protocol_.min_writer_version);
  for (const auto* list : {&protocol_.reader_features, &protocol_.writer_features}) {
    if (!list->has_value()) continue;
    for (const auto& feature : **list) properties["delta.feature." + feature] = "supported";
  }
  return properties;
}

TableCapabilities DeltaTable::capabilities() const {
  TableCapabilities result;
  result.write = true;
  result.row_level_changes = true;
  result.alter_columns = true;
  result.time_travel = true;
  result.truncate = true;
  result.schema_evolution = true;
  result.deletes_rows = metadata_.IsTrue("delta.enableDeletionVectors");
  result.change_feed = metadata_.IsTrue("delta.enableChangeDataFeed");
  return result;
}

namespace {

/// NOT NULL of fields within structs, which a NULL in the struct's place breaks too (Delta's Constraints.NotNull).
void AddNotNull(const DataType& type, const std::vector<std::string>& path, std::vector<RowConstraint>* constraints) {
  if (type.id() != TypeId::kStruct) return;
  for (const auto& field : type.fields()) {
    std::vector<std::string> inner = path;
    inner.push_back(field.name);
    if (!field.nullable && !path.empty())
      constraints->push_back(
          {std::string(kNotNullConstraint) + Join(inner, "."), QuoteIdentifier(inner) + " IS NOT NULL"});
    AddNotNull(*field.type, inner, constraints);
  }
}

}  // namespace

std::vector<RowConstraint> DeltaTable::constraints() const {
  constexpr std::string_view kPrefix = "delta.constraints.";
  std::vector<RowConstraint> constraints;
  for (const auto& [key, value] : metadata_.configuration) {
    if (key.starts_with(kPrefix)) constraints.push_back({key.substr(kPrefix.size()), value});
  }
  AddNotNull(*schema_, {}, &constraints);
  for (const auto& column : generated_) {
    if (!column.is_identity)
      constraints.push_back({"Generated Column", QuoteIdentifier(column.name) + " <=> " + column.text});
  }
  return constraints;
}

std::vector<std::vector<std::string>> DeltaTable::clustering_columns() const {
  if (staged_ != nullptr) return staged_->definition.clustering_columns;
  return ClusteringColumnsOf(*snapshot_);
}

Result<ClusteringChoice> DeltaTable::ChooseFilesToCluster(bool is_full) const {
  return delta::ChooseFilesToCluster(*snapshot_, location(), is_full);
}

bool DeltaTable::MarksRows(std::string_view /*operation*/) const {
  return metadata_.IsTrue("delta.enableDeletionVectors");
}

Result<bool> DeltaTable::CanDeleteByMetadata(const PredicatePtr& filter, const WriteOptions&) const {
  FRAZIL_ASSIGN_OR_RETURN(auto pruner, FilePruner::Make(*snapshot_, target_.context));
  for (const auto& file : snapshot_->LiveFiles()) {
    FRAZIL_ASSIGN_OR_RETURN(auto partition, pruner.PartitionValues(*file));
    if (pruner.MayMatch(*filter, *file, partition) && !pruner.MustMatch(*filter, partition)) return false;
  }
  return true;
}

Result<CommitOutcome> DeltaTable::DeleteByMetadata(const PredicatePtr& filter, const WriteOptions& options) const {
  WriteOptions deletion = options;
  deletion.mode = WriteMode::kOverwriteByFilter;
  deletion.filter = filter;
  deletion.operation = "delete";
  FRAZIL_ASSIGN_OR_RETURN(auto write, StartWrite(deletion));
  return write->Commit();
}

Result<SnapshotPtr> DeltaTable::SnapshotFor(const ScanOptions& options) const {
  if (options.snapshot_id) return target_.log->At(target_.context, *options.snapshot_id);
  if (options.timestamp_micros) {
    FRAZIL_ASSIGN_OR_RETURN(int64_t version, target_.log->VersionAt(target_.context, *options.timestamp_micros));
    return target_.log->At(target_.context, version);
  }
  if (!options.reference.empty()) return Error::Of("DELTA_VERSION_INVALID", {{"version", options.reference}});
  return snapshot_;
}

Result<TablePtr> DeltaTable::AtState(const ScanOptions& options) const {
  FRAZIL_ASSIGN_OR_RETURN(auto snapshot, SnapshotFor(options));
  CommitTarget target = target_;
  target.pinned_version = snapshot->version;
  return Make(std::move(target), std::move(snapshot));
}

Result<TableScanPtr> DeltaTable::ChangesScan(const ScanOptions& options) const {
  const auto find = [&](const char* key) -> const std::string* {
    auto found = options.options.find(key);
    return found == options.options.end() ? nullptr : &found->second;
  };
  FRAZIL_ASSIGN_OR_RETURN(auto zone, SessionZone(target_.context));
  // The first version of a range given by time is the first that was committed at that time or later.
  const auto version_of = [&](const std::string* version, const std::string* timestamp,
                              bool is_first) -> Result<std::optional<int64_t>> {
    if (version != nullptr && timestamp != nullptr) {
      return Error::Plain(ExceptionClass::kAnalysis,
                          "Please either provide a version or a timestamp for the change data feed");
    }
    if (version != nullptr) {
      const auto number = ParseInteger<int64_t>(*version);
      if (!number || *number < 0) return Error::Of("DELTA_VERSION_INVALID", {{"version", *version}});
      return number;
    }
    if (timestamp == nullptr) return std::optional<int64_t>();
    auto micros = ParseTimestamp(*timestamp, *zone);
    if (!micros) return Error::Of("INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.OPTION", {{"expr", "'" + *timestamp + "'"}});
    FRAZIL_ASSIGN_OR_RETURN(int64_t found, target_.log->VersionAt(target_.context, *micros));
    FRAZIL_ASSIGN_OR_RETURN(auto state, target_.log->At(target_.context, found));
    bool is_before = state->timestamp_ms * 1000 < *micros - *micros % 1000;
    return std::optional<int64_t>(is_first && is_before ? found + 1 : found);
  };
  FRAZIL_ASSIGN_OR_RETURN(auto first, version_of(find("startingversion"), find("startingtimestamp"), true));
  FRAZIL_ASSIGN_OR_RETURN(auto last, version_of(find("endingversion"), find("endingtimestamp"), false));
  if (!first) return Error::Of("DELTA_NO_START_FOR_CDC_READ");
  if (*first > snapshot_->version) {
    return Error::Of("DELTA_CDC_START_VERSION_AFTER_LATEST",
                     {{"start", std::to_string(*first)}, {"latest", std::to_string(snapshot_->version)}});
  }
  int64_t end = std::min(last.value_or(snapshot_->version), snapshot_->version);
  if (end < *first)
    return Error::Of("DELTA_INVALID_CDC_RANGE", {{"start", std::to_string(*first)}, {"end", std::to_string(end)}});
  return MakeChangesScan(target_.context, target_.log, snapshot_, *first, end);
}

Result<TableScanPtr> DeltaTable::Scan(const ScanOptions& options) const {
  for (const char* key : {"readchangefeed", "readchangedata"}) {
    auto found = options.options.find(key);
    if (found != options.options.end() && EqualsIgnoreCase(found->second, "true")) return ChangesScan(options);
  }
  FRAZIL_ASSIGN_OR_RETURN(auto snapshot, SnapshotFor(options));
  return DeltaScan::Make(target_.context, location(), std::move(snapshot));
}

namespace {

/// Whether rows have fields of structs that the column lacks.
bool Exceeds(const DataType& rows, const DataType& column) {
  if (rows.id() != column.id() || !rows.IsComplex()) return false;
  if (rows.fields().size() > column.fields().size()) return true;
  for (size_t i = 0; i < rows.fields().size(); ++i) {
    const int named = column.id() == TypeId::kStruct ? column.FieldIndex(rows.fields()[i].name) : -1;
    const size_t index = named >= 0 ? static_cast<size_t>(named) : i;
    if (Exceeds(*rows.fields()[i].type, *column.fields()[index].type)) return true;
  }
  return false;
}

}  // namespace

Status DeltaTable::CheckRows(const DataType& rows) const {
  for (const auto& field : rows.fields()) {
    const int index = schema_->FieldIndex(field.name);
    if (index >= 0 && !Exceeds(*field.type, *schema_->fields()[static_cast<size_t>(index)].type)) continue;
    return Error::Of(
        "DELTA_METADATA_MISMATCH.SCHEMA_MISMATCH",
        {{"id", metadata_.id}, {"tableSchema", SchemaTreeString(*schema_)}, {"dataSchema", SchemaTreeString(rows)}});
  }
  return {};
}

Result<std::unique_ptr<TableWrite>> DeltaTable::StartWrite(const WriteOptions& options) const {
  FRAZIL_ASSIGN_OR_RETURN(auto write, DeltaWrite::Start(target_, snapshot_, metadata_, protocol_, staged_, options));
  return std::unique_ptr<TableWrite>(std::move(write));
}

Result<std::unique_ptr<RowChanges>> DeltaTable::StartRowChanges(const WriteOptions& options) const {
  FRAZIL_ASSIGN_OR_RETURN(auto write,
                          DeltaWrite::Start(target_, snapshot_, metadata_, protocol_, staged_, options, true));
  return std::unique_ptr<RowChanges>(std::move(write));
}

}  // namespace frazil::tables::delta
