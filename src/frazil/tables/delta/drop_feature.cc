// ALTER TABLE ... DROP FEATURE. Source: Delta's AlterTableDropFeatureDeltaCommand and its pre-downgrade commands;
// PROTOCOL.md, "Checkpoint Protection".

#include <algorithm>
#include <set>

#include "frazil/base/clock.h"
#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/tables/delta/checkpoint.h"
#include "frazil/tables/delta/column_mapping.h"
#include "frazil/tables/delta/deletion_vectors.h"
#include "frazil/tables/delta/delta_table.h"
#include "frazil/tables/delta/features.h"
#include "frazil/tables/delta/log_cleanup.h"
#include "frazil/tables/delta/new_metadata.h"
#include "frazil/tables/delta/paths.h"
#include "frazil/tables/delta/schema.h"

namespace frazil::tables::delta {
namespace {

constexpr const char* kProtectionProperty = "delta.requireCheckpointProtectionBeforeVersion";
constexpr const char* kRetentionProperty = "delta.logRetentionDuration";
constexpr const char* kTruncationProperty = "delta.dropFeatureTruncateHistory.retentionDuration";
constexpr const char* kTypeChanges = "delta.typeChanges";
constexpr int64_t kDayMs = 86400000;
/// So many checkpoints stand between the versions with the feature and those without: readers that cannot read one go
/// back to an earlier one, but not that far.
constexpr int kBarriers = 3;

bool IsTypeWidening(const std::string& feature) { return feature.starts_with("typeWidening"); }

/// The properties that a feature is turned on by, and what they are set to instead; no value: they go.
std::vector<std::pair<std::string, std::optional<std::string>>> PropertiesOf(const std::string& feature) {
  if (feature == "deletionVectors") return {{"delta.enableDeletionVectors", std::nullopt}};
  if (IsTypeWidening(feature)) return {{"delta.enableTypeWidening", std::nullopt}};
  if (feature == "v2Checkpoint") return {{"delta.checkpointPolicy", "classic"}};
  if (feature == "inCommitTimestamp") {
    return {{"delta.enableInCommitTimestamps", "false"},
            {"delta.inCommitTimestampEnablementVersion", std::nullopt},
            {"delta.inCommitTimestampEnablementTimestamp", std::nullopt}};
  }
  return {};
}

DataTypePtr WithoutTypeChanges(const DataTypePtr& type) {
  switch (type->id()) {
    case TypeId::kStruct: {
      std::vector<StructField> fields = type->fields();
      for (auto& field : fields) {
        field.metadata.erase(kTypeChanges);
        field.type = WithoutTypeChanges(field.type);
      }
      return DataType::Struct(std::move(fields));
    }
    case TypeId::kArray:
      return DataType::Array(WithoutTypeChanges(type->element_type()), type->contains_null());
    case TypeId::kMap:
      return DataType::Map(WithoutTypeChanges(type->key_type()), WithoutTypeChanges(type->value_type()),
                           type->value_contains_null());
    default:
      return type;
  }
}

/// Whether a version's actions make use of a feature that readers have to know.
bool Uses(const std::string& feature, const Action& action) {
  if (const auto* metadata = std::get_if<Metadata>(&action)) {
    if (feature == "deletionVectors") return metadata->IsTrue("delta.enableDeletionVectors");
    if (IsTypeWidening(feature)) return metadata->schema_string.find(kTypeChanges) != std::string::npos;
    if (feature == "v2Checkpoint") {
      const std::string* policy = metadata->Property("delta.checkpointPolicy");
      return policy != nullptr && EqualsIgnoreCase(*policy, "v2");
    }
  }
  const auto* file = std::get_if<FileAction>(&action);
  return file != nullptr && feature == "deletionVectors" && file->deletion_vector.has_value();
}

/// Whether any version before `version` that is still there makes use of the feature.
Result<bool> HistoryUses(const CommitTarget& target, const std::string& feature, int64_t version) {
  const auto& context = target.context;
  FRAZIL_ASSIGN_OR_RETURN(auto listing, ListLog(*context.store, target.log->log()));
  const auto earliest = listing.EarliestVersion();
  if (earliest && *earliest < version) {
    FRAZIL_ASSIGN_OR_RETURN(auto state, target.log->At(context, *earliest));
    bool uses = Uses(feature, Action(*state->metadata));
    // Tombstones there matter to nobody who reads on from it.
    for (const auto& file : state->LiveFiles()) uses = uses || Uses(feature, Action(*file));
    if (uses) return true;
  }
  for (const auto& commit : listing.commits) {
    if (commit.version >= version) break;
    if (earliest && commit.version <= *earliest && *earliest > 0) continue;
    FRAZIL_ASSIGN_OR_RETURN(std::string text, context.store->Read(commit.path));
    FRAZIL_ASSIGN_OR_RETURN(auto actions, ParseCommit(text, commit.path));
    if (std::any_of(actions.begin(), actions.end(), [&](const Action& action) { return Uses(feature, action); }))
      return true;
  }
  return false;
}

/// A commit without a change, and a checkpoint of it: what came before is not needed to read on.
Result<SnapshotPtr> CommitBarrier(const CommitTarget& target, const SnapshotPtr& base) {
  Change change;
  change.base = base;
  change.changes_data = false;
  change.operation = "EMPTY COMMIT";
  FRAZIL_ASSIGN_OR_RETURN(auto next, CommitChange(target, std::move(change)));
  FRAZIL_RETURN_IF_ERROR(
      WriteCheckpoint(target.context, target.log->columnar_files(), target.log->log(), *next, NowMicros() / 1000));
  return next;
}

/// Tombstones for the files of deletion vectors that earlier versions need: writers that know none leave such files
/// alone. Nothing to do is a state as it was.
Result<SnapshotPtr> ProtectVectorFiles(const CommitTarget& target, const SnapshotPtr& base) {
  const std::string& table = target.log->table();
  std::set<std::string> vectors, known;
  base->files.ForEach([&](const FileActionPtr& file) {
    if (!file->is_removed) return;
    if (!file->deletion_vector) known.insert(storage::LocalPath(FilePathOf(table, file->path)));
    if (!file->deletion_vector || file->deletion_vector->storage_type == "i") return;
    if (auto path = DeletionVectorPath(table, *file->deletion_vector); path.ok()) vectors.insert(*path);
  });
  Change change;
  change.base = base;
  change.changes_data = false;
  change.operation = "ADD DELETION VECTORS TOMBSTONES";
  for (const auto& path : vectors) {
    if (known.contains(storage::LocalPath(path))) continue;
    FileAction tombstone;
    tombstone.path = LogPathOf(table, path);
    tombstone.is_removed = true;
    tombstone.data_change = false;
    tombstone.deletion_timestamp = NowMicros() / 1000;
    change.files.push_back(std::move(tombstone));
  }
  if (change.files.empty()) return base;
  return CommitChange(target, std::move(change));
}

std::string PropertyOr(const Metadata& metadata, const char* key, const char* otherwise) {
  const std::string* value = metadata.Property(key);
  return value != nullptr ? *value : otherwise;
}

int64_t MillisOf(const std::string& interval, int64_t otherwise) {
  return IntervalMillis(interval).value_or(otherwise);
}

/// The feature of that name, where it can be dropped from the table.
Result<const TableFeature*> CheckDroppable(const std::string& name, const Protocol& protocol, bool truncate_history) {
  const bool is_present = HasFeature(protocol, name);
  const TableFeature* feature = FindFeature(name);
  if (!is_present && AsciiLower(name).starts_with("delta.") && CheckProperty(name).ok())
    return Error::Of("DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY", {{"property", name}});
  if (feature == nullptr) return Error::Of("DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE", {{"feature", name}});
  if (!is_present) return Error::Of("DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT", {{"feature", name}});
  if (!feature->is_removable) return Error::Of("DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE", {{"feature", name}});
  const bool is_protection = name == kCheckpointProtection;
  if (truncate_history && !feature->is_reader_feature && !is_protection)
    return Error::Of("DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED");
  if (is_protection && !truncate_history)
    return Error::Of("DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION");
  std::vector<std::string> dependent;
  for (const auto& other : TableFeatures()) {
    if (other.needs == name && HasFeature(protocol, other.name)) dependent.emplace_back(other.name);
  }
  if (!dependent.empty()) {
    return Error::Of("DELTA_FEATURE_DROP_DEPENDENT_FEATURE",
                     {{"feature", name}, {"dependentFeatures", Join(dependent, ", ")}});
  }
  return feature;
}

}  // namespace

Result<FeatureTraces> DeltaTable::TurnOffFeature(const std::string& feature, bool truncate_history) const {
  FRAZIL_RETURN_IF_ERROR(CheckDroppable(feature, protocol_, truncate_history));
  FeatureTraces traces;
  if (feature == "checkConstraints") {
    std::vector<std::string> names;
    for (const auto& [key, value] : metadata_.configuration) {
      if (key.starts_with("delta.constraints.")) names.push_back(key.substr(18));
    }
    if (!names.empty())
      return Error::Of("DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE", {{"constraints", Join(names, ", ")}});
  }
  Change change;
  change.base = snapshot_;
  change.changes_data = false;
  change.operation = "UNSET TBLPROPERTIES";
  Metadata metadata = *snapshot_->metadata;
  std::vector<std::string> keys;
  for (const auto& [key, value] : PropertiesOf(feature)) {
    const std::string* present = metadata.Property(key);
    const bool is_off = present == nullptr || (value && EqualsIgnoreCase(*present, *value));
    if (is_off) continue;
    keys.push_back(key);
    if (value) {
      metadata.configuration[key] = *value;
    } else {
      metadata.configuration.erase(key);
    }
  }
  if (feature == "domainMetadata") {
    for (const auto& [name, domain] : snapshot_->domains) {
      DomainMetadata removed = domain;
      removed.removed = true;
      change.domains.push_back(std::move(removed));
    }
  }
  const bool widened = IsTypeWidening(feature) && metadata.schema_string.find(kTypeChanges) != std::string::npos;
  for (const auto& file : snapshot_->LiveFiles()) {
    if (widened || (feature == "deletionVectors" && file->deletion_vector))
      traces.files.push_back(FilePathOf(location(), file->path));
  }
  traces.found = widened || !traces.files.empty() || !keys.empty() || !change.domains.empty();
  if (keys.empty() && change.domains.empty()) return traces;
  change.parameters = {{"properties", ListParameter(keys)}, {"ifExists", "\"true\""}};
  if (!keys.empty()) change.metadata = std::move(metadata);
  FRAZIL_RETURN_IF_ERROR(CommitChange(target_, std::move(change)).status());
  return traces;
}

Status DeltaTable::RemoveFeature(const std::string& feature_name, bool truncate_history, bool had_traces) const {
  FRAZIL_ASSIGN_OR_RETURN(const TableFeature* feature, CheckDroppable(feature_name, protocol_, truncate_history));
  const auto& settings = target_.context.settings;
  const auto is_fast =
      settings ? settings("spark.databricks.delta.tableFeatures.fastDropFeature.enabled") : std::nullopt;
  const bool truncates = truncate_history || EqualsIgnoreCase(is_fast.value_or("true"), "false");
  SnapshotPtr base = snapshot_;
  if (feature_name == "deletionVectors") {
    FRAZIL_ASSIGN_OR_RETURN(base, ProtectVectorFiles(target_, base));
  }
  Metadata metadata = *base->metadata;
  const std::string truncation = PropertyOr(metadata, kTruncationProperty, "interval 24 hours");
  const std::string retention = PropertyOr(metadata, kRetentionProperty, "interval 30 days");
  Protocol protocol = WithoutFeature(base->protocol, feature_name);
  if (feature->is_reader_feature && !truncates) {
    for (int i = 0; i < kBarriers; ++i) {
      FRAZIL_ASSIGN_OR_RETURN(base, CommitBarrier(target_, base));
    }
    protocol = WithFeature(std::move(protocol), kCheckpointProtection);
    metadata.configuration[kProtectionProperty] = std::to_string(base->version + 1);
  } else if (truncates && (feature->is_reader_feature || feature_name == kCheckpointProtection)) {
    FRAZIL_ASSIGN_OR_RETURN(base, CommitBarrier(target_, base));
    if (had_traces) {
      return Error::Of("DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD",
                       {{"feature", feature_name},
                        {"logRetentionPeriodKey", kRetentionProperty},
                        {"logRetentionPeriod", retention},
                        {"truncateHistoryLogRetentionPeriod", truncation}});
    }
    const int64_t retention_ms = truncate_history ? MillisOf(truncation, kDayMs) : MillisOf(retention, 30 * kDayMs);
    FRAZIL_RETURN_IF_ERROR(CleanUpLog(target_.context, target_.log->log(), *base, NowMicros() / 1000, retention_ms));
    if (feature_name == kCheckpointProtection) {
      FRAZIL_ASSIGN_OR_RETURN(auto listing, ListLog(*target_.context.store, target_.log->log()));
      const auto protected_before = ParseInteger<int64_t>(PropertyOr(metadata, kProtectionProperty, "0"));
      if (listing.EarliestVersion().value_or(0) < protected_before.value_or(0)) {
        return Error::Of("DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD",
                         {{"truncateHistoryLogRetentionPeriod", truncation}});
      }
      metadata.configuration.erase(kProtectionProperty);
    }
    FRAZIL_ASSIGN_OR_RETURN(bool uses, HistoryUses(target_, feature_name, base->version));
    if (uses) {
      return Error::Of("DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST",
                       {{"feature", feature_name},
                        {"logRetentionPeriodKey", kRetentionProperty},
                        {"logRetentionPeriod", retention},
                        {"truncateHistoryLogRetentionPeriod", truncation}});
    }
  }
  if (IsTypeWidening(feature_name)) {
    FRAZIL_ASSIGN_OR_RETURN(auto schema, ParseSchema(metadata.schema_string));
    FRAZIL_ASSIGN_OR_RETURN(ColumnMapping mapping, ColumnMappingOf(metadata));
    FRAZIL_ASSIGN_OR_RETURN(metadata.schema_string,
                            SchemaString(WithoutTypeChanges(schema), mapping != ColumnMapping::kNone));
  }
  Change change;
  change.base = base;
  change.changes_data = false;
  change.protocol = std::move(protocol);
  change.metadata = std::move(metadata);
  change.operation = "DROP FEATURE";
  change.parameters = {{"featureName", JsonString(feature_name)},
                       {"truncateHistory", truncate_history ? "\"true\"" : "\"false\""}};
  FRAZIL_ASSIGN_OR_RETURN(auto dropped, CommitChange(target_, std::move(change)));
  if (!feature->is_reader_feature || truncates) return {};
  return WriteCheckpoint(target_.context, target_.log->columnar_files(), target_.log->log(), *dropped,
                         NowMicros() / 1000);
}

}  // namespace frazil::tables::delta
