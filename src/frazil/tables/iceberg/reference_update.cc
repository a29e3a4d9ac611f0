#include "frazil/tables/iceberg/reference_update.h"

#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/metadata_update.h"

namespace frazil::tables::iceberg {
namespace {

Error WrongKind(const std::string& name, bool is_branch) {
  return IllegalArgument("Ref " + name + " is a " + (is_branch ? "branch not a tag" : "tag not a branch"));
}

Status Drop(const TableChange& change, TableMetadata* metadata) {
  const std::string& name = change.new_name;
  if (change.is_branch && name == kMainBranch) return IllegalArgument("Cannot remove main branch");
  auto known = metadata->refs.find(name);
  if (known == metadata->refs.end()) {
    if (change.if_exists) return {};
    return IllegalArgument(std::string(change.is_branch ? "Branch" : "Tag") + " does not exist: " + name);
  }
  if (known->second.is_branch != change.is_branch) return WrongKind(name, known->second.is_branch);
  RemoveRef(metadata, name);
  return {};
}

}  // namespace

Status CheckRetention(const SnapshotRef& ref) {
  const auto is_positive = [](const auto& number) { return !number || *number > 0; };
  if (!is_positive(ref.min_snapshots_to_keep)) return IllegalArgument("Min snapshots to keep must be greater than 0");
  if (!is_positive(ref.max_snapshot_age_ms)) return IllegalArgument("Max snapshot age must be greater than 0 ms");
  if (!is_positive(ref.max_ref_age_ms)) return IllegalArgument("Max reference age must be greater than 0");
  return {};
}

Status ApplyReferenceChange(const TableChange& change, const std::string& table_name, TableMetadata* metadata) {
  if (change.type == TableChange::Type::kDropReference) return Drop(change, metadata);
  const std::string& name = change.new_name;
  auto known = metadata->refs.find(name);
  bool exists = known != metadata->refs.end();
  if (exists && !change.replace) {
    if (change.if_not_exists) return {};
    return IllegalArgument("Ref " + name + " already exists");
  }
  if (!exists && !change.create)
    return IllegalArgument(std::string(change.is_branch ? "Branch" : "Tag") + " does not exist: " + name);
  if (exists && known->second.is_branch != change.is_branch) return WrongKind(name, known->second.is_branch);
  SnapshotRef retention;
  retention.min_snapshots_to_keep = change.snapshots_to_keep;
  retention.max_snapshot_age_ms = change.snapshot_retain_ms;
  retention.max_ref_age_ms = change.reference_retain_ms;
  FRAZIL_RETURN_IF_ERROR(CheckRetention(retention));
  SnapshotRef ref;
  if (exists) ref = known->second;
  ref.is_branch = change.is_branch;
  if (change.snapshot_id) {
    if (metadata->FindSnapshot(*change.snapshot_id) == nullptr) {
      return Validation("Cannot set " + name + " to unknown snapshot: " + std::to_string(*change.snapshot_id));
    }
    ref.snapshot_id = *change.snapshot_id;
  } else if (metadata->current_snapshot_id) {
    ref.snapshot_id = *metadata->current_snapshot_id;
  } else {
    return IllegalArgument(std::string("Cannot complete create or replace ") + (change.is_branch ? "branch" : "tag") +
                           " operation on " + table_name + ", main has no snapshot");
  }
  if (change.reference_retain_ms) ref.max_ref_age_ms = change.reference_retain_ms;
  if (change.is_branch) {
    if (change.snapshot_retain_ms) ref.max_snapshot_age_ms = change.snapshot_retain_ms;
    if (change.snapshots_to_keep) ref.min_snapshots_to_keep = change.snapshots_to_keep;
  }
  return SetRef(metadata, name, ref);
}

}  // namespace frazil::tables::iceberg
