#include "frazil/tables/iceberg/snapshot.h"

#include "frazil/base/text.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/json_access.h"
#include "frazil/tables/iceberg/reference_update.h"

namespace frazil::tables::iceberg {

Result<Snapshot> ParseSnapshot(const JsonValue& json) {
  Snapshot snapshot;
  FRAZIL_ASSIGN_OR_RETURN(auto sequence_number, GetOptionalLong(json, "sequence-number"));
  snapshot.sequence_number = sequence_number.value_or(0);
  FRAZIL_ASSIGN_OR_RETURN(snapshot.snapshot_id, GetLong(json, "snapshot-id"));
  FRAZIL_ASSIGN_OR_RETURN(snapshot.parent_id, GetOptionalLong(json, "parent-snapshot-id"));
  FRAZIL_ASSIGN_OR_RETURN(snapshot.timestamp_ms, GetLong(json, "timestamp-ms"));
  FRAZIL_ASSIGN_OR_RETURN(snapshot.summary, GetTextMap(json, "summary"));
  auto operation = snapshot.summary.find("operation");
  if (operation != snapshot.summary.end()) {
    snapshot.operation = operation->second;
    snapshot.summary.erase(operation);
  } else if (!snapshot.summary.empty()) {
    snapshot.operation = "overwrite";  // As Iceberg reads a summary that lacks it.
  }
  FRAZIL_ASSIGN_OR_RETURN(auto manifest_list, GetOptionalText(json, "manifest-list"));
  if (manifest_list) {
    snapshot.manifest_list = std::move(*manifest_list);
  } else {
    FRAZIL_ASSIGN_OR_RETURN(const auto* manifests, GetArray(json, "manifests"));
    for (const auto& manifest : *manifests) snapshot.manifests.push_back(manifest.text);
  }
  FRAZIL_ASSIGN_OR_RETURN(auto schema_id, GetOptionalLong(json, "schema-id"));
  if (schema_id) snapshot.schema_id = static_cast<int32_t>(*schema_id);
  FRAZIL_ASSIGN_OR_RETURN(snapshot.first_row_id, GetOptionalLong(json, "first-row-id"));
  FRAZIL_ASSIGN_OR_RETURN(snapshot.added_rows, GetOptionalLong(json, "added-rows"));
  FRAZIL_ASSIGN_OR_RETURN(snapshot.key_id, GetOptionalText(json, "key-id"));
  snapshot.unknown =
      UnknownMembers(json, {"sequence-number", "snapshot-id", "parent-snapshot-id", "timestamp-ms", "summary",
                            "manifest-list", "manifests", "schema-id", "first-row-id", "added-rows", "key-id"});
  return snapshot;
}

JsonValue SnapshotToJson(const Snapshot& snapshot) {
  JsonObject object;
  if (snapshot.sequence_number > 0) object.AddLong("sequence-number", snapshot.sequence_number);
  object.AddLong("snapshot-id", snapshot.snapshot_id);
  if (snapshot.parent_id) object.AddLong("parent-snapshot-id", *snapshot.parent_id);
  object.AddLong("timestamp-ms", snapshot.timestamp_ms);
  if (!snapshot.operation.empty()) {
    JsonObject summary;
    summary.AddText("operation", snapshot.operation);
    for (const auto& [key, value] : snapshot.summary) summary.AddText(key, value);
    object.Add("summary", summary.Take());
  }
  if (!snapshot.manifest_list.empty()) {
    object.AddText("manifest-list", snapshot.manifest_list);
  } else {
    std::vector<JsonValue> manifests;
    for (const auto& manifest : snapshot.manifests) manifests.push_back(JsonValue::OfString(manifest));
    object.Add("manifests", JsonArray(std::move(manifests)));
  }
  if (snapshot.schema_id) object.AddLong("schema-id", *snapshot.schema_id);
  if (snapshot.first_row_id) object.AddLong("first-row-id", *snapshot.first_row_id);
  if (snapshot.added_rows) object.AddLong("added-rows", *snapshot.added_rows);
  if (snapshot.key_id) object.AddText("key-id", *snapshot.key_id);
  object.AddUnknown(snapshot.unknown);
  return object.Take();
}

Result<SnapshotRef> ParseSnapshotRef(const JsonValue& json) {
  SnapshotRef ref;
  FRAZIL_ASSIGN_OR_RETURN(ref.snapshot_id, GetLong(json, "snapshot-id"));
  FRAZIL_ASSIGN_OR_RETURN(std::string type, GetText(json, "type"));
  ref.is_branch = EqualsIgnoreCase(type, "branch");
  if (!ref.is_branch && !EqualsIgnoreCase(type, "tag")) return IllegalArgument("Invalid snapshot ref type: " + type);
  FRAZIL_ASSIGN_OR_RETURN(ref.min_snapshots_to_keep, GetOptionalLong(json, "min-snapshots-to-keep"));
  FRAZIL_ASSIGN_OR_RETURN(ref.max_snapshot_age_ms, GetOptionalLong(json, "max-snapshot-age-ms"));
  FRAZIL_ASSIGN_OR_RETURN(ref.max_ref_age_ms, GetOptionalLong(json, "max-ref-age-ms"));
  FRAZIL_RETURN_IF_ERROR(CheckRetention(ref));
  return ref;
}

JsonValue SnapshotRefToJson(const SnapshotRef& ref) {
  JsonObject object;
  object.AddLong("snapshot-id", ref.snapshot_id).AddText("type", ref.is_branch ? "branch" : "tag");
  if (ref.min_snapshots_to_keep) object.AddLong("min-snapshots-to-keep", *ref.min_snapshots_to_keep);
  if (ref.max_snapshot_age_ms) object.AddLong("max-snapshot-age-ms", *ref.max_snapshot_age_ms);
  if (ref.max_ref_age_ms) object.AddLong("max-ref-age-ms", *ref.max_ref_age_ms);
  return object.Take();
}

}  // namespace frazil::tables::iceberg
