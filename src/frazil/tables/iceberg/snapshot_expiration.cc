#include "frazil/tables/iceberg/snapshot_expiration.h"

#include <algorithm>
#include <limits>
#include <map>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/tables/iceberg/ancestry.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/metadata_update.h"

namespace frazil::tables::iceberg {

Result<Expiration> PlanExpiration(const TableMetadata& metadata, const ExpirationRequest& request, int64_t now_ms) {
  constexpr int64_t kFiveDays = 5LL * 24 * 60 * 60 * 1000;
  int64_t older_than =
      request.older_than_ms.value_or(now_ms - metadata.PropertyAsLong("history.expire.max-snapshot-age-ms", kFiveDays));
  int64_t keep = request.retain_last.value_or(metadata.PropertyAsLong("history.expire.min-snapshots-to-keep", 1));
  int64_t max_ref_age = metadata.PropertyAsLong("history.expire.max-ref-age-ms", std::numeric_limits<int64_t>::max());

  Expiration result;
  std::map<std::string, SnapshotRef> refs = metadata.refs;
  if (metadata.current_snapshot_id && refs.count(kMainBranch) == 0)
    refs[kMainBranch].snapshot_id = *metadata.current_snapshot_id;
  std::set<int64_t> retained, on_branches;
  for (const auto& [name, ref] : refs) {
    const Snapshot* head = metadata.FindSnapshot(ref.snapshot_id);
    if (name != kMainBranch &&
        (head == nullptr || now_ms - head->timestamp_ms > ref.max_ref_age_ms.value_or(max_ref_age))) {
      result.references.push_back(name);
      continue;
    }
    retained.insert(ref.snapshot_id);
    auto ancestors = AncestorsOf(metadata, head);
    if (ref.is_branch) {
      int64_t limit = ref.max_snapshot_age_ms ? now_ms - *ref.max_snapshot_age_ms : older_than;
      int64_t least = ref.min_snapshots_to_keep.value_or(keep);
      for (size_t i = 0; i < ancestors.size(); ++i) {
        if (static_cast<int64_t>(i) >= least && ancestors[i]->timestamp_ms < limit) break;
        retained.insert(ancestors[i]->snapshot_id);
      }
    }
    for (const Snapshot* ancestor : ancestors) on_branches.insert(ancestor->snapshot_id);
  }
  for (int64_t id : request.snapshot_ids) {
    std::vector<std::string> names;
    for (const auto& [name, ref] : refs) {
      bool goes = std::find(result.references.begin(), result.references.end(), name) != result.references.end();
      if (ref.snapshot_id == id && !goes) names.push_back(name);
    }
    if (!names.empty()) {
      return IllegalArgument("Cannot expire " + std::to_string(id) + ". Still referenced by refs: [" +
                             Join(names, ", ") + "]");
    }
    if (metadata.FindSnapshot(id) != nullptr) result.snapshots.insert(id);
  }
  for (const auto& snapshot : metadata.snapshots) {
    if (retained.count(snapshot.snapshot_id) != 0) continue;
    bool staged = on_branches.count(snapshot.snapshot_id) == 0;
    if (staged && snapshot.timestamp_ms >= older_than) continue;
    result.snapshots.insert(snapshot.snapshot_id);
  }
  return result;
}

void RemoveSnapshots(TableMetadata* metadata, const std::set<int64_t>& snapshots) {
  if (snapshots.empty()) return;
  std::erase_if(metadata->snapshots, [&](const Snapshot& s) { return snapshots.count(s.snapshot_id) != 0; });
  std::vector<std::string> dangling;
  for (const auto& [name, ref] : metadata->refs) {
    if (snapshots.count(ref.snapshot_id) != 0) dangling.push_back(name);
  }
  for (const auto& name : dangling) RemoveRef(metadata, name);
  for (auto* group : {&metadata->statistics, &metadata->partition_statistics}) {
    std::erase_if(*group, [&](const JsonValue& item) {
      const JsonValue* id = item.Find("snapshot-id");
      auto snapshot_id = id == nullptr ? std::nullopt : ParseInteger<int64_t>(id->text);
      return snapshot_id && snapshots.count(*snapshot_id) != 0;
    });
  }
  // The log tells what was current when. What lies before a gap would tell it wrongly.
  std::vector<SnapshotLogEntry> log;
  for (const auto& entry : metadata->snapshot_log) {
    if (metadata->FindSnapshot(entry.snapshot_id) != nullptr) {
      log.push_back(entry);
    } else {
      log.clear();
    }
  }
  metadata->snapshot_log = std::move(log);
}

void RemoveUnusedSchemasAndSpecs(TableMetadata* metadata, const std::set<int32_t>& specs_in_use) {
  std::set<int32_t> schemas = {metadata->current_schema_id};
  for (const auto& snapshot : metadata->snapshots) {
    // One that does not say its schema may be of any.
    if (!snapshot.schema_id) return;
    schemas.insert(*snapshot.schema_id);
  }
  std::erase_if(metadata->schemas, [&](const SchemaPtr& schema) { return schemas.count(schema->schema_id()) == 0; });
  std::erase_if(metadata->specs, [&](const PartitionSpec& spec) {
    return spec.spec_id != metadata->default_spec_id && specs_in_use.count(spec.spec_id) == 0;
  });
}

}  // namespace frazil::tables::iceberg
