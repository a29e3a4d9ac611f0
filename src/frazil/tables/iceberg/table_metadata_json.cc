// Source: Iceberg spec, Appendix C "Table Metadata and Snapshots", and Appendix E for what versions 1 to 3 ask for.
#include <algorithm>

#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/json_access.h"
#include "frazil/tables/iceberg/table_metadata.h"

namespace frazil::tables::iceberg {
namespace {

Error MustExist(const std::string& name, int format_version) {
  return IllegalArgument(name + " must exist in format v" + std::to_string(format_version));
}

bool Has(const JsonValue& json, std::string_view name) {
  const JsonValue* found = json.Find(name);
  return found != nullptr && found->kind != JsonValue::Kind::kNull;
}

Status ParseSchemas(const JsonValue& json, TableMetadata* metadata) {
  if (Has(json, "schemas")) {
    FRAZIL_ASSIGN_OR_RETURN(const auto* items, GetArray(json, "schemas"));
    FRAZIL_ASSIGN_OR_RETURN(metadata->current_schema_id, GetInt(json, "current-schema-id"));
    for (const auto& item : *items) {
      FRAZIL_ASSIGN_OR_RETURN(SchemaPtr schema, Schema::FromJson(item));
      metadata->schemas.push_back(std::move(schema));
    }
    if (metadata->FindSchema(metadata->current_schema_id) == nullptr) {
      return IllegalArgument(
          "Cannot find schema with current-schema-id=" + std::to_string(metadata->current_schema_id) + " from schemas");
    }
    return {};
  }
  if (metadata->format_version > 1) return MustExist("schemas", metadata->format_version);
  const JsonValue* schema_json = json.Find("schema");
  if (schema_json == nullptr) return IllegalArgument("Cannot parse missing field: schema");
  FRAZIL_ASSIGN_OR_RETURN(SchemaPtr schema, Schema::FromJson(*schema_json));
  metadata->current_schema_id = schema->schema_id();
  metadata->schemas.push_back(std::move(schema));
  return {};
}

/// A field that is not void is of a column.
Status CheckSources(const PartitionSpec& spec, const Schema& schema) {
  for (const auto& field : spec.fields) {
    const bool is_void = field.unknown_transform.empty() && field.transform == TransformKind::kVoid;
    if (is_void || schema.Find(field.source_id) != nullptr) continue;
    return Validation("Cannot find source column for partition field: " + std::to_string(field.field_id) + ": " +
                      field.name + ": " + TransformText(field) + "(" + std::to_string(field.source_id) + ")");
  }
  return {};
}

Status ParseSpecs(const JsonValue& json, TableMetadata* metadata) {
  if (Has(json, "partition-specs")) {
    FRAZIL_ASSIGN_OR_RETURN(const auto* items, GetArray(json, "partition-specs"));
    FRAZIL_ASSIGN_OR_RETURN(metadata->default_spec_id, GetInt(json, "default-spec-id"));
    for (const auto& item : *items) {
      FRAZIL_ASSIGN_OR_RETURN(PartitionSpec spec, ParsePartitionSpec(item));
      metadata->specs.push_back(std::move(spec));
    }
    if (metadata->FindSpec(metadata->default_spec_id) == nullptr) {
      return IllegalArgument("Cannot find partition spec with default-spec-id=" +
                             std::to_string(metadata->default_spec_id) + " from partition-specs");
    }
  } else {
    if (metadata->format_version > 1) return MustExist("partition-specs", metadata->format_version);
    const JsonValue* fields = json.Find("partition-spec");
    if (fields == nullptr) return IllegalArgument("Cannot parse missing field: partition-spec");
    PartitionSpec spec;
    FRAZIL_ASSIGN_OR_RETURN(spec.fields, ParseSpecFields(*fields));
    metadata->specs.push_back(std::move(spec));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto last_partition_id, GetOptionalLong(json, "last-partition-id"));
  if (!last_partition_id && metadata->format_version > 1)
    return MustExist("last-partition-id", metadata->format_version);
  // Former specs may be of columns that were dropped since; what is written goes by the default one.
  FRAZIL_RETURN_IF_ERROR(CheckSources(metadata->spec(), *metadata->schema()));
  int32_t highest = kFirstPartitionFieldId - 1;
  for (const auto& spec : metadata->specs) highest = std::max(highest, spec.LastFieldId());
  metadata->last_partition_id = last_partition_id ? static_cast<int32_t>(*last_partition_id) : highest;
  return {};
}

Status ParseSortOrders(const JsonValue& json, TableMetadata* metadata) {
  if (!Has(json, "sort-orders")) {
    if (metadata->format_version > 1) return MustExist("sort-orders", metadata->format_version);
    metadata->sort_orders.push_back(SortOrder{});
    return {};
  }
  FRAZIL_ASSIGN_OR_RETURN(const auto* items, GetArray(json, "sort-orders"));
  FRAZIL_ASSIGN_OR_RETURN(metadata->default_sort_order_id, GetInt(json, "default-sort-order-id"));
  for (const auto& item : *items) {
    FRAZIL_ASSIGN_OR_RETURN(SortOrder order, ParseSortOrder(item));
    metadata->sort_orders.push_back(std::move(order));
  }
  // Order 0 is that of tables that are not sorted, whether it is listed or not.
  if (metadata->default_sort_order_id != 0 && metadata->FindSortOrder(metadata->default_sort_order_id) == nullptr) {
    return IllegalArgument("Cannot find sort order with default-sort-order-id=" +
                           std::to_string(metadata->default_sort_order_id) + " from sort-orders");
  }
  return {};
}

/// "SnapshotRef{snapshotId=1, type=BRANCH, ...}": a reference as Iceberg's messages show it.
std::string Shown(const SnapshotRef& ref) {
  const auto number = [](const std::optional<int64_t>& value) { return value ? std::to_string(*value) : "null"; };
  return "SnapshotRef{snapshotId=" + std::to_string(ref.snapshot_id) + ", type=" + (ref.is_branch ? "BRANCH" : "TAG") +
         ", minSnapshotsToKeep=" + number(ref.min_snapshots_to_keep) +
         ", maxSnapshotAgeMs=" + number(ref.max_snapshot_age_ms) + ", maxRefAgeMs=" + number(ref.max_ref_age_ms) + "}";
}

Status ParseSnapshots(const JsonValue& json, TableMetadata* metadata) {
  FRAZIL_ASSIGN_OR_RETURN(metadata->current_snapshot_id, GetOptionalLong(json, "current-snapshot-id"));
  if (metadata->current_snapshot_id == -1) metadata->current_snapshot_id.reset();
  if (Has(json, "snapshots")) {
    FRAZIL_ASSIGN_OR_RETURN(const auto* items, GetArray(json, "snapshots"));
    metadata->snapshots.reserve(items->size() + 1);
    for (const auto& item : *items) {
      FRAZIL_ASSIGN_OR_RETURN(Snapshot snapshot, ParseSnapshot(item));
      // The next commit would give its files a number that others have already.
      if (metadata->format_version > 1 && snapshot.sequence_number > metadata->last_sequence_number) {
        return Validation("Invalid snapshot with sequence number " + std::to_string(snapshot.sequence_number) +
                          " greater than last sequence number " + std::to_string(metadata->last_sequence_number));
      }
      metadata->snapshots.push_back(std::move(snapshot));
    }
  }
  if (metadata->current_snapshot_id && metadata->current_snapshot() == nullptr) {
    return Validation("Current snapshot ID does not match any snapshot: " +
                      std::to_string(*metadata->current_snapshot_id));
  }
  if (Has(json, "refs")) {
    for (const auto& [name, ref_json] : json.Find("refs")->members) {
      FRAZIL_ASSIGN_OR_RETURN(SnapshotRef ref, ParseSnapshotRef(ref_json));
      if (metadata->FindSnapshot(ref.snapshot_id) == nullptr) {
        return IllegalArgument("Snapshot for reference " + name + " does not exist in the existing snapshots list");
      }
      metadata->refs[name] = ref;
    }
  }
  // Some writers leave the main branch out, though it is where the current snapshot is.
  if (metadata->current_snapshot_id && metadata->refs.count(kMainBranch) == 0) {
    SnapshotRef main;
    main.snapshot_id = *metadata->current_snapshot_id;
    metadata->refs[kMainBranch] = main;
  }
  auto main = metadata->refs.find(kMainBranch);
  if (metadata->current_snapshot_id && main != metadata->refs.end() &&
      main->second.snapshot_id != *metadata->current_snapshot_id) {
    return IllegalArgument("Current snapshot ID does not match main branch (" +
                           std::to_string(*metadata->current_snapshot_id) +
                           " != " + std::to_string(main->second.snapshot_id) + ")");
  }
  if (!metadata->current_snapshot_id && main != metadata->refs.end())
    return IllegalArgument("Current snapshot is not set, but main branch exists: " + Shown(main->second));
  return {};
}

Status ParseLogs(const JsonValue& json, TableMetadata* metadata) {
  if (Has(json, "snapshot-log")) {
    FRAZIL_ASSIGN_OR_RETURN(const auto* items, GetArray(json, "snapshot-log"));
    for (const auto& item : *items) {
      SnapshotLogEntry entry;
      FRAZIL_ASSIGN_OR_RETURN(entry.timestamp_ms, GetLong(item, "timestamp-ms"));
      FRAZIL_ASSIGN_OR_RETURN(entry.snapshot_id, GetLong(item, "snapshot-id"));
      metadata->snapshot_log.push_back(entry);
    }
  }
  if (Has(json, "metadata-log")) {
    FRAZIL_ASSIGN_OR_RETURN(const auto* items, GetArray(json, "metadata-log"));
    for (const auto& item : *items) {
      MetadataLogEntry entry;
      FRAZIL_ASSIGN_OR_RETURN(entry.timestamp_ms, GetLong(item, "timestamp-ms"));
      FRAZIL_ASSIGN_OR_RETURN(entry.file, GetText(item, "metadata-file"));
      metadata->metadata_log.push_back(std::move(entry));
    }
  }
  return {};
}

Status KeepItems(const JsonValue& json, std::string_view name, std::vector<JsonValue>* out) {
  if (!Has(json, name)) return {};
  FRAZIL_ASSIGN_OR_RETURN(const auto* items, GetArray(json, name));
  *out = *items;
  return {};
}

Result<TableMetadata> Parse(const JsonValue& json) {
  if (json.kind != JsonValue::Kind::kObject)
    return IllegalArgument("Cannot parse metadata from a non-object: " + json.Write());
  TableMetadata metadata;
  FRAZIL_ASSIGN_OR_RETURN(metadata.format_version, GetInt(json, "format-version"));
  if (metadata.format_version < 1 || metadata.format_version > kNewestFormatVersion) {
    return IllegalArgument("Cannot read unsupported version " + std::to_string(metadata.format_version));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto uuid, GetOptionalText(json, "table-uuid"));
  if (!uuid && metadata.format_version > 1)
    return IllegalArgument("UUID is required in format v" + std::to_string(metadata.format_version));
  metadata.table_uuid = uuid.value_or("");
  FRAZIL_ASSIGN_OR_RETURN(metadata.location, GetText(json, "location"));
  if (metadata.format_version > 1) {
    FRAZIL_ASSIGN_OR_RETURN(metadata.last_sequence_number, GetLong(json, "last-sequence-number"));
  }
  FRAZIL_ASSIGN_OR_RETURN(metadata.last_updated_ms, GetLong(json, "last-updated-ms"));
  FRAZIL_ASSIGN_OR_RETURN(metadata.last_column_id, GetInt(json, "last-column-id"));
  FRAZIL_RETURN_IF_ERROR(ParseSchemas(json, &metadata));
  FRAZIL_RETURN_IF_ERROR(ParseSpecs(json, &metadata));
  FRAZIL_RETURN_IF_ERROR(ParseSortOrders(json, &metadata));
  FRAZIL_ASSIGN_OR_RETURN(metadata.properties, GetTextMap(json, "properties"));
  FRAZIL_RETURN_IF_ERROR(ParseSnapshots(json, &metadata));
  FRAZIL_RETURN_IF_ERROR(ParseLogs(json, &metadata));
  if (metadata.format_version >= 3) {
    FRAZIL_ASSIGN_OR_RETURN(metadata.next_row_id, GetLong(json, "next-row-id"));
  }
  FRAZIL_RETURN_IF_ERROR(KeepItems(json, "encryption-keys", &metadata.encryption_keys));
  FRAZIL_RETURN_IF_ERROR(KeepItems(json, "statistics", &metadata.statistics));
  FRAZIL_RETURN_IF_ERROR(KeepItems(json, "partition-statistics", &metadata.partition_statistics));
  metadata.unknown = UnknownMembers(
      json, {"format-version",  "table-uuid",      "location",    "last-sequence-number", "last-updated-ms",
             "last-column-id",  "schema",          "schemas",     "current-schema-id",    "partition-spec",
             "partition-specs", "default-spec-id", "sort-orders", "last-partition-id",    "default-sort-order-id",
             "properties",      "snapshots",       "refs",        "current-snapshot-id",  "snapshot-log",
             "metadata-log",    "next-row-id",     "statistics",  "encryption-keys",      "partition-statistics"});
  return metadata;
}

}  // namespace

Result<TableMetadataPtr> ParseTableMetadata(std::string_view json, std::string metadata_location) {
  auto failed = [&](Error error) {
    Error damaged = DamagedMetadata("Cannot read table metadata " + metadata_location + ": " + error.message);
    damaged.exception_class = error.exception_class;
    return std::move(damaged).CausedBy(std::move(error));
  };
  auto value = ParseJson(json);
  if (!value.ok()) return failed(value.error());
  auto metadata = Parse(*value);
  if (!metadata.ok()) return failed(metadata.error());
  metadata->metadata_location = std::move(metadata_location);
  return TableMetadataPtr(std::make_shared<const TableMetadata>(*std::move(metadata)));
}

std::string WriteTableMetadata(const TableMetadata& metadata) {
  JsonObject object;
  object.AddLong("format-version", metadata.format_version);
  if (!metadata.table_uuid.empty()) object.AddText("table-uuid", metadata.table_uuid);
  object.AddText("location", metadata.location);
  if (metadata.format_version > 1) object.AddLong("last-sequence-number", metadata.last_sequence_number);
  object.AddLong("last-updated-ms", metadata.last_updated_ms);
  object.AddLong("last-column-id", metadata.last_column_id);
  // Old readers of v1 want the current schema and spec by themselves.
  if (metadata.format_version == 1) object.Add("schema", metadata.schema()->ToJson());
  object.AddLong("current-schema-id", metadata.current_schema_id);
  std::vector<JsonValue> items;
  for (const auto& schema : metadata.schemas) items.push_back(schema->ToJson());
  object.Add("schemas", JsonArray(std::move(items)));
  if (metadata.format_version == 1) object.Add("partition-spec", SpecFieldsToJson(metadata.spec()));
  object.AddLong("default-spec-id", metadata.default_spec_id);
  items.clear();
  for (const auto& spec : metadata.specs) items.push_back(PartitionSpecToJson(spec));
  object.Add("partition-specs", JsonArray(std::move(items)));
  object.AddLong("last-partition-id", metadata.last_partition_id);
  object.AddLong("default-sort-order-id", metadata.default_sort_order_id);
  items.clear();
  for (const auto& order : metadata.sort_orders) items.push_back(SortOrderToJson(order));
  object.Add("sort-orders", JsonArray(std::move(items)));
  object.AddTextMap("properties", metadata.properties);
  if (metadata.current_snapshot_id) {
    object.AddLong("current-snapshot-id", *metadata.current_snapshot_id);
  } else if (metadata.format_version >= 3) {
    object.Add("current-snapshot-id", JsonValue());
  } else {
    object.AddLong("current-snapshot-id", -1);
  }
  if (metadata.format_version >= 3) object.AddLong("next-row-id", metadata.next_row_id);
  if (!metadata.encryption_keys.empty()) object.Add("encryption-keys", JsonArray(metadata.encryption_keys));
  JsonObject refs;
  for (const auto& [name, ref] : metadata.refs) refs.Add(name, SnapshotRefToJson(ref));
  object.Add("refs", refs.Take());
  items.clear();
  for (const auto& snapshot : metadata.snapshots) items.push_back(SnapshotToJson(snapshot));
  object.Add("snapshots", JsonArray(std::move(items)));
  object.Add("statistics", JsonArray(metadata.statistics));
  object.Add("partition-statistics", JsonArray(metadata.partition_statistics));
  items.clear();
  for (const auto& entry : metadata.snapshot_log) {
    items.push_back(
        JsonObject().AddLong("timestamp-ms", entry.timestamp_ms).AddLong("snapshot-id", entry.snapshot_id).Take());
  }
  object.Add("snapshot-log", JsonArray(std::move(items)));
  items.clear();
  for (const auto& entry : metadata.metadata_log) {
    items.push_back(
        JsonObject().AddLong("timestamp-ms", entry.timestamp_ms).AddText("metadata-file", entry.file).Take());
  }
  object.Add("metadata-log", JsonArray(std::move(items)));
  object.AddUnknown(metadata.unknown);
  return object.Take().Write();
}

}  // namespace frazil::tables::iceberg
