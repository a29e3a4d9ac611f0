#include "frazil/tables/iceberg/metadata_update.h"

#include <algorithm>

#include "frazil/base/clock.h"
#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/tables/iceberg/errors.h"

namespace frazil::tables::iceberg {
namespace {

Result<int> FormatVersionIn(const std::map<std::string, std::string>& properties, int otherwise) {
  auto found = properties.find("format-version");
  if (found == properties.end()) return otherwise;
  auto version = ParseInteger<int>(TrimBlanks(found->second));
  if (!version) return Error::Plain(ExceptionClass::kNumberFormat, "For input string: \"" + found->second + "\"");
  return *version;
}

/// The fields with the ids of fields of the same name in `base`, others with new ones. Source: Iceberg's rule for
/// replaced tables.
std::vector<NestedField> ReuseIds(const std::vector<NestedField>& fields, const Schema& base,
                                  const std::vector<std::string>& path, int32_t* last_id) {
  std::vector<NestedField> result = fields;
  auto path_of = [&](const NestedField& field) {
    std::vector<std::string> full = path;
    full.push_back(field.name);
    return full;
  };
  for (auto& field : result) {
    const Schema::Located* known = base.Find(path_of(field), true);
    field.id = known != nullptr ? known->field->id : ++*last_id;
  }
  for (auto& field : result) {
    if (!field.type->IsNested()) continue;
    auto copy = std::make_shared<Type>(*field.type);
    copy->fields = ReuseIds(field.type->fields, base, path_of(field), last_id);
    field.type = copy;
  }
  return result;
}

Snapshot* MutableSnapshot(TableMetadata* metadata, int64_t snapshot_id) {
  for (auto& snapshot : metadata->snapshots) {
    if (snapshot.snapshot_id == snapshot_id) return &snapshot;
  }
  return nullptr;
}

}  // namespace

bool IsReservedProperty(const std::string& key) {
  static const std::vector<std::string> reserved = {"format-version",           "uuid",
                                                    "snapshot-count",           "current-snapshot-id",
                                                    "current-snapshot-summary", "current-snapshot-timestamp-ms",
                                                    "current-schema",           "default-partition-spec",
                                                    "default-sort-order"};
  return std::find(reserved.begin(), reserved.end(), key) != reserved.end();
}

namespace {

/// Commits go by these numbers: a table whose numbers cannot be could not be changed any more.
Status CheckCommitProperties(const std::map<std::string, std::string>& properties) {
  for (const char* key : {"commit.retry.num-retries", "commit.retry.min-wait-ms", "commit.retry.max-wait-ms",
                          "commit.retry.total-timeout-ms"}) {
    auto own = properties.find(key);
    if (own == properties.end()) continue;
    const auto number = ParseInteger<int32_t>(own->second);
    if (!number) return Validation(std::string("Table property ") + key + " must have integer value");
    if (*number < 0) return Validation(std::string("Table property ") + key + " must have non negative integer value");
  }
  return {};
}

}  // namespace

Result<TableMetadata> NewTableMetadata(const std::vector<NestedField>& fields,
                                       const std::vector<PartitionField>& partitioning,
                                       const std::vector<SortField>& sort, std::string location,
                                       const std::map<std::string, std::string>& properties) {
  FRAZIL_RETURN_IF_ERROR(CheckCommitProperties(properties));
  TableMetadata metadata;
  FRAZIL_ASSIGN_OR_RETURN(metadata.format_version, FormatVersionIn(properties, kDefaultFormatVersion));
  if (metadata.format_version < 1 || metadata.format_version > kNewestFormatVersion) {
    return IllegalArgument("Unsupported format version: v" + std::to_string(metadata.format_version) +
                           " (supported: v" + std::to_string(kNewestFormatVersion) + ")");
  }
  metadata.table_uuid = RandomUuidText();
  metadata.location = std::move(location);
  int32_t last_id = 0;
  auto fresh = AssignFreshIds(fields, [&] { return ++last_id; });
  SchemaPtr schema = Schema::Make(0, std::move(fresh));
  FRAZIL_RETURN_IF_ERROR(CheckCompatibility(*schema, metadata.format_version));
  metadata.last_column_id = last_id;
  metadata.schemas.push_back(schema);
  FRAZIL_ASSIGN_OR_RETURN(PartitionSpec spec, BuildSpec(*schema, partitioning));
  metadata.last_partition_id = spec.LastFieldId();
  metadata.specs.push_back(std::move(spec));
  FRAZIL_ASSIGN_OR_RETURN(SortOrder order, BuildSortOrder(*schema, sort));
  metadata.default_sort_order_id = order.order_id;
  metadata.sort_orders.push_back(std::move(order));
  // A default that holds for new tables only, and is therefore written down in them.
  metadata.properties["write.parquet.compression-codec"] = "zstd";
  for (const auto& [key, value] : properties) {
    if (!IsReservedProperty(key)) metadata.properties[key] = value;
  }
  return metadata;
}

Result<TableMetadata> ReplaceTableMetadata(const TableMetadata& base, const std::vector<NestedField>& fields,
                                           const std::vector<PartitionField>& partitioning,
                                           const std::vector<SortField>& sort, std::string location,
                                           const std::map<std::string, std::string>& properties) {
  TableMetadata metadata = base;
  FRAZIL_ASSIGN_OR_RETURN(int format_version, FormatVersionIn(properties, base.format_version));
  FRAZIL_RETURN_IF_ERROR(UpgradeFormatVersion(&metadata, format_version));
  RemoveRef(&metadata, kMainBranch);
  int32_t last_id = base.last_column_id;
  SchemaPtr schema = Schema::Make(0, ReuseIds(fields, *base.schema(), {}, &last_id));
  FRAZIL_ASSIGN_OR_RETURN(PartitionSpec spec, BuildSpec(*schema, partitioning));
  if (format_version == 1) {
    // v1 counts the ids of partition fields by position: fields that go leave a void field in their place.
    PartitionSpec kept;
    std::vector<bool> used(spec.fields.size(), false);
    for (const auto& old : base.spec().fields) {
      SpecField field = old;
      bool matched = false;
      for (size_t i = 0; i < spec.fields.size() && !matched; ++i) {
        if (!used[i] && spec.fields[i].source_id == old.source_id &&
            TransformText(spec.fields[i]) == TransformText(old)) {
          field.name = spec.fields[i].name;
          used[i] = matched = true;
        }
      }
      if (!matched) {
        field.transform = TransformKind::kVoid;
        field.parameter = 0;
        bool name_taken =
            std::any_of(spec.fields.begin(), spec.fields.end(), [&](const SpecField& f) { return f.name == old.name; });
        if (name_taken) field.name = old.name + "_" + std::to_string(old.field_id);
      }
      kept.fields.push_back(std::move(field));
    }
    for (size_t i = 0; i < spec.fields.size(); ++i) {
      if (!used[i]) kept.fields.push_back(spec.fields[i]);
    }
    for (size_t i = 0; i < kept.fields.size(); ++i)
      kept.fields[i].field_id = kFirstPartitionFieldId + static_cast<int32_t>(i);
    spec = std::move(kept);
  } else {
    int32_t last_partition_id = base.last_partition_id;
    for (auto& field : spec.fields) {
      field.field_id = -1;
      for (const auto& old_spec : base.specs) {
        for (const auto& old : old_spec.fields) {
          if (old.source_id == field.source_id && TransformText(old) == TransformText(field))
            field.field_id = old.field_id;
        }
      }
      if (field.field_id < 0) field.field_id = ++last_partition_id;
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(SortOrder order, BuildSortOrder(*schema, sort));
  FRAZIL_RETURN_IF_ERROR(SetCurrentSchema(&metadata, schema, last_id));
  FRAZIL_RETURN_IF_ERROR(SetDefaultSpec(&metadata, std::move(spec)));
  FRAZIL_RETURN_IF_ERROR(SetDefaultSortOrder(&metadata, std::move(order)));
  metadata.location = std::move(location);
  std::map<std::string, std::string> others = properties;
  others.erase("format-version");
  FRAZIL_RETURN_IF_ERROR(SetProperties(&metadata, others));
  return metadata;
}

Status SetCurrentSchema(TableMetadata* metadata, const SchemaPtr& schema, int32_t last_column_id) {
  FRAZIL_RETURN_IF_ERROR(CheckCompatibility(*schema, metadata->format_version));
  int32_t id = metadata->current_schema_id;
  for (const auto& known : metadata->schemas) {
    if (known->SameAs(*schema)) {
      metadata->current_schema_id = known->schema_id();
      metadata->last_column_id = std::max(metadata->last_column_id, last_column_id);
      return {};
    }
    if (known->schema_id() >= id) id = known->schema_id() + 1;
  }
  metadata->schemas.push_back(schema->WithId(id));
  metadata->current_schema_id = id;
  metadata->last_column_id = std::max(metadata->last_column_id, last_column_id);
  return {};
}

Status SetDefaultSpec(TableMetadata* metadata, PartitionSpec spec) {
  int32_t id = 0;
  for (const auto& known : metadata->specs) {
    if (CompatibleSpecs(known, spec)) {
      metadata->default_spec_id = known.spec_id;
      return {};
    }
    if (id <= known.spec_id) id = known.spec_id + 1;
  }
  FRAZIL_RETURN_IF_ERROR(CheckSpec(spec, *metadata->schema()));
  if (metadata->format_version == 1) {
    for (size_t i = 0; i < spec.fields.size(); ++i) {
      if (spec.fields[i].field_id != kFirstPartitionFieldId + static_cast<int32_t>(i)) {
        return Validation("Spec does not use sequential IDs that are required in v1");
      }
    }
  }
  spec.spec_id = id;
  metadata->last_partition_id = std::max(metadata->last_partition_id, spec.LastFieldId());
  metadata->specs.push_back(std::move(spec));
  metadata->default_spec_id = id;
  return {};
}

Status SetDefaultSortOrder(TableMetadata* metadata, SortOrder order) {
  if (order.fields.empty()) {
    if (metadata->FindSortOrder(0) == nullptr) metadata->sort_orders.push_back(SortOrder{});
    metadata->default_sort_order_id = 0;
    return {};
  }
  FRAZIL_RETURN_IF_ERROR(CheckSortOrder(order, *metadata->schema()));
  int32_t id = 1;
  for (const auto& known : metadata->sort_orders) {
    if (SameSortOrder(known, order)) {
      metadata->default_sort_order_id = known.order_id;
      return {};
    }
    if (id <= known.order_id) id = known.order_id + 1;
  }
  order.order_id = id;
  metadata->sort_orders.push_back(std::move(order));
  metadata->default_sort_order_id = id;
  return {};
}

Status AddSnapshot(TableMetadata* metadata, Snapshot snapshot) {
  if (metadata->FindSnapshot(snapshot.snapshot_id) != nullptr) {
    return Validation("Snapshot already exists for id: " + std::to_string(snapshot.snapshot_id));
  }
  if (metadata->format_version > 1 && snapshot.sequence_number <= metadata->last_sequence_number &&
      snapshot.parent_id) {
    return Validation("Cannot add snapshot with sequence number " + std::to_string(snapshot.sequence_number) +
                      " older than last sequence number " + std::to_string(metadata->last_sequence_number));
  }
  if (metadata->format_version >= 3) {
    if (!snapshot.first_row_id) return Validation("Cannot add a snapshot: first-row-id is null");
    if (*snapshot.first_row_id < metadata->next_row_id) {
      return Validation("Cannot add a snapshot, first-row-id is behind table next-row-id: " +
                        std::to_string(*snapshot.first_row_id) + " < " + std::to_string(metadata->next_row_id));
    }
    metadata->next_row_id += snapshot.added_rows.value_or(0);
  }
  metadata->last_sequence_number = std::max(metadata->last_sequence_number, snapshot.sequence_number);
  metadata->snapshots.push_back(std::move(snapshot));
  return {};
}

Status SetBranchSnapshot(TableMetadata* metadata, int64_t snapshot_id, const std::string& branch, bool added_now) {
  SnapshotRef ref;
  auto known = metadata->refs.find(branch);
  if (known != metadata->refs.end()) {
    if (!known->second.is_branch) return Validation("Cannot update branch: " + branch + " is a tag");
    ref = known->second;
  }
  ref.snapshot_id = snapshot_id;
  return SetRef(metadata, branch, ref, added_now);
}

Status SetRef(TableMetadata* metadata, const std::string& name, const SnapshotRef& ref, bool added_now) {
  auto known = metadata->refs.find(name);
  if (known != metadata->refs.end() && known->second == ref) return {};
  Snapshot* snapshot = MutableSnapshot(metadata, ref.snapshot_id);
  if (snapshot == nullptr)
    return Validation("Cannot set " + name + " to unknown snapshot: " + std::to_string(ref.snapshot_id));
  if (name == kMainBranch) {
    if (!ref.is_branch) return Validation("Cannot set main to a tag, it must be a branch");
    metadata->current_snapshot_id = ref.snapshot_id;
    int64_t time = added_now ? snapshot->timestamp_ms : NowMicros() / 1000;
    if (!metadata->snapshot_log.empty()) time = std::max(time, metadata->snapshot_log.back().timestamp_ms);
    metadata->snapshot_log.push_back({time, ref.snapshot_id});
  }
  metadata->refs[name] = ref;
  return {};
}

void RemoveRef(TableMetadata* metadata, const std::string& name) {
  if (name == kMainBranch) metadata->current_snapshot_id.reset();
  metadata->refs.erase(name);
}

Status UpgradeFormatVersion(TableMetadata* metadata, int format_version) {
  if (format_version > kNewestFormatVersion) {
    return IllegalArgument("Cannot upgrade table to unsupported format version: v" + std::to_string(format_version) +
                           " (supported: v" + std::to_string(kNewestFormatVersion) + ")");
  }
  if (format_version < metadata->format_version) {
    return IllegalArgument("Cannot downgrade v" + std::to_string(metadata->format_version) + " table to v" +
                           std::to_string(format_version));
  }
  if (metadata->format_version < 3 && format_version >= 3) metadata->next_row_id = 0;
  if (metadata->table_uuid.empty()) metadata->table_uuid = RandomUuidText();
  metadata->format_version = format_version;
  return {};
}

Status SetProperties(TableMetadata* metadata, const std::map<std::string, std::string>& properties) {
  FRAZIL_RETURN_IF_ERROR(CheckCommitProperties(properties));
  FRAZIL_ASSIGN_OR_RETURN(int format_version, FormatVersionIn(properties, metadata->format_version));
  if (properties.count("format-version") != 0) FRAZIL_RETURN_IF_ERROR(UpgradeFormatVersion(metadata, format_version));
  for (const auto& [key, value] : properties) {
    if (!IsReservedProperty(key)) metadata->properties[key] = value;
  }
  return {};
}

void CompleteForCommit(TableMetadata* metadata, const TableMetadata* base, int64_t now_ms) {
  if (metadata->table_uuid.empty()) metadata->table_uuid = RandomUuidText();
  // Time does not go back from one version to the next, whatever the clock says.
  int64_t earliest = base == nullptr ? 0 : base->last_updated_ms;
  for (const auto& entry : metadata->snapshot_log) earliest = std::max(earliest, entry.timestamp_ms);
  metadata->last_updated_ms = std::max(now_ms, earliest);
  metadata->metadata_location.clear();
  if (base == nullptr || base->metadata_location.empty()) return;
  auto limit =
      static_cast<size_t>(std::max<int64_t>(1, metadata->PropertyAsLong("write.metadata.previous-versions-max", 100)));
  auto& log = metadata->metadata_log;
  log.push_back({base->last_updated_ms, base->metadata_location});
  if (log.size() > limit) log.erase(log.begin(), log.end() - static_cast<std::ptrdiff_t>(limit));
}

}  // namespace frazil::tables::iceberg
