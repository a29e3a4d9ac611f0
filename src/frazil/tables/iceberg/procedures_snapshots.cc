// Procedures that choose among the snapshots that a table has.

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/tables/iceberg/ancestry.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/metadata_update.h"
#include "frazil/tables/iceberg/procedures_internal.h"
#include "frazil/tables/iceberg/snapshot_producer.h"
#include "frazil/types/calendar.h"

namespace frazil::tables::iceberg {
namespace {

using Arguments = std::vector<Value>;

DataTypePtr TwoIds(const char* first, bool first_nullable, const char* second) {
  return DataType::Struct({{first, DataType::Long(), first_nullable}, {second, DataType::Long(), false}});
}

Value IdOrNull(const std::optional<int64_t>& id) { return id ? Value(*id) : Value(); }

/// Moves main to the snapshot that `choose` finds; (previous_snapshot_id, current_snapshot_id).
Result<RowSet> MoveMain(const Table& table, const std::function<Result<int64_t>(const TableMetadata& base)>& choose) {
  std::optional<int64_t> previous;
  int64_t chosen = 0;
  FRAZIL_RETURN_IF_ERROR(
      ChangeTable(Iceberg(table), [&](const TableMetadata& base) -> Result<std::optional<TableMetadata>> {
        previous = base.current_snapshot_id;
        FRAZIL_ASSIGN_OR_RETURN(chosen, choose(base));
        if (previous == chosen) return std::optional<TableMetadata>();
        TableMetadata next = base;
        FRAZIL_RETURN_IF_ERROR(SetBranchSnapshot(&next, chosen, kMainBranch));
        return std::optional<TableMetadata>(std::move(next));
      }).status());
  return RowSet{TwoIds("previous_snapshot_id", true, "current_snapshot_id"), {{IdOrNull(previous), Value(chosen)}}};
}

Result<RowSet> RollbackToSnapshot(const Table& table, const Arguments& arguments) {
  int64_t wanted = arguments[0].integer();
  return MoveMain(table, [&](const TableMetadata& base) -> Result<int64_t> {
    if (base.FindSnapshot(wanted) == nullptr) {
      return Validation("Cannot roll back to unknown snapshot id: " + std::to_string(wanted));
    }
    if (!IsAncestorOf(base, base.current_snapshot(), wanted)) {
      return Validation("Cannot roll back to snapshot, not an ancestor of the current state: " +
                        std::to_string(wanted));
    }
    return wanted;
  });
}

Result<RowSet> RollbackToTimestamp(const Table& table, const Arguments& arguments) {
  int64_t millis = FloorDivide(arguments[0].integer(), 1000);
  return MoveMain(table, [&](const TableMetadata& base) -> Result<int64_t> {
    for (const Snapshot* snapshot : AncestorsOf(base, base.current_snapshot())) {
      if (snapshot->timestamp_ms < millis) return snapshot->snapshot_id;
    }
    return IllegalArgument("Cannot roll back, no valid snapshot older than: " + std::to_string(millis));
  });
}

Result<RowSet> SetCurrentSnapshot(const Table& table, const Arguments& arguments) {
  if (arguments[0].is_null() == arguments[1].is_null()) {
    return IllegalArgument("Either snapshot_id or ref must be provided, not both");
  }
  return MoveMain(table, [&](const TableMetadata& base) -> Result<int64_t> {
    if (arguments[0].is_null()) {
      auto ref = base.refs.find(arguments[1].string());
      if (ref == base.refs.end())
        return Validation("Cannot find matching snapshot ID for ref " + arguments[1].string());
      return ref->second.snapshot_id;
    }
    int64_t wanted = arguments[0].integer();
    if (base.FindSnapshot(wanted) == nullptr) {
      return Validation("Cannot roll back to unknown snapshot id: " + std::to_string(wanted));
    }
    return wanted;
  });
}

Result<RowSet> Ancestors(const Table& table, const Arguments& arguments) {
  const TableMetadata& metadata = Iceberg(table).metadata();
  const Snapshot* from =
      arguments[0].is_null() ? metadata.current_snapshot() : metadata.FindSnapshot(arguments[0].integer());
  if (from == nullptr && !arguments[0].is_null()) {
    return IllegalArgument("Cannot find snapshot: " + std::to_string(arguments[0].integer()));
  }
  RowSet result{TwoIds("snapshot_id", true, "timestamp"), {}};
  for (const Snapshot* snapshot : AncestorsOf(metadata, from)) {
    result.rows.push_back({Value(snapshot->snapshot_id), Value(snapshot->timestamp_ms)});
  }
  return result;
}

Result<RowSet> FastForward(const Table& table, const Arguments& arguments) {
  const std::string& branch = arguments[0].string();
  const std::string& to = arguments[1].string();
  std::optional<int64_t> previous;
  int64_t updated = 0;
  FRAZIL_RETURN_IF_ERROR(
      ChangeTable(Iceberg(table), [&](const TableMetadata& base) -> Result<std::optional<TableMetadata>> {
        auto target = base.refs.find(to);
        if (target == base.refs.end()) return IllegalArgument("Ref does not exist: " + to);
        updated = target->second.snapshot_id;
        auto source = base.refs.find(branch);
        previous.reset();
        if (source != base.refs.end()) {
          if (!source->second.is_branch) return IllegalArgument("Ref " + branch + " is a tag not a branch");
          previous = source->second.snapshot_id;
          if (*previous == updated) return std::optional<TableMetadata>();
          if (!IsAncestorOf(base, base.FindSnapshot(updated), *previous)) {
            return IllegalArgument("Cannot fast-forward: " + branch + " is not an ancestor of " + to);
          }
        }
        TableMetadata next = base;
        FRAZIL_RETURN_IF_ERROR(SetBranchSnapshot(&next, updated, branch));
        return std::optional<TableMetadata>(std::move(next));
      }).status());
  DataTypePtr schema = DataType::Struct({{"branch_updated", DataType::String(), false},
                                         {"previous_ref", DataType::Long(), true},
                                         {"updated_ref", DataType::Long(), false}});
  return RowSet{std::move(schema), {{Value(branch), IdOrNull(previous), Value(updated)}}};
}

const std::string* Entry(const Snapshot& snapshot, const char* key) {
  auto found = snapshot.summary.find(key);
  return found == snapshot.summary.end() || found->second.empty() ? nullptr : &found->second;
}

/// A staged change is published once only: neither the snapshot nor its write-audit-publish id may be in the branch's
/// history.
Status CheckNotPublished(const TableMetadata& base, const Snapshot& picked) {
  if (IsAncestorOf(base, base.current_snapshot(), picked.snapshot_id)) {
    return Error::Plain(ExceptionClass::kSpark,
                        "org.apache.iceberg.exceptions.CherrypickAncestorCommitException: Cannot cherrypick snapshot " +
                            std::to_string(picked.snapshot_id) + ": already an ancestor");
  }
  const std::string* id = Entry(picked, "wap.id");
  if (id == nullptr) return {};
  for (const Snapshot* snapshot : AncestorsOf(base, base.current_snapshot())) {
    const std::string* staged = Entry(*snapshot, "wap.id");
    const std::string* published = Entry(*snapshot, "published-wap-id");
    if ((staged != nullptr && *staged == *id) || (published != nullptr && *published == *id)) {
      return Validation("Duplicate request to cherry pick wap id that was published already: " + *id);
    }
  }
  return {};
}

/// What a snapshot did, as a change on top of another one. `picked` appends, or replaces partitions.
Result<SnapshotChange> ChangeOf(const TableOperations& operations, const TableMetadata& metadata,
                                const Snapshot& picked) {
  SnapshotChange change;
  change.summary["source-snapshot-id"] = std::to_string(picked.snapshot_id);
  if (const std::string* id = Entry(picked, "wap.id")) change.summary["published-wap-id"] = *id;
  FRAZIL_ASSIGN_OR_RETURN(auto manifests, operations.ReadManifests(metadata, picked));
  for (const auto& manifest : *manifests) {
    if (manifest.content != ManifestContent::kData || manifest.added_snapshot_id != picked.snapshot_id) continue;
    FRAZIL_ASSIGN_OR_RETURN(ManifestEntries entries, operations.ReadEntries(metadata, manifest));
    for (const auto& entry : *entries) {
      if (entry.status != EntryStatus::kAdded || entry.snapshot_id != picked.snapshot_id) continue;
      auto file = std::make_shared<DataFile>(*entry.file);
      file->first_row_id.reset();  // The rows get ids by the commit that makes them visible.
      change.added.push_back(std::move(file));
    }
  }
  if (picked.operation == "append") return change;
  change.kind = SnapshotChange::Kind::kReplacePartitions;
  for (const auto& file : change.added) {
    change.replaced_partitions.emplace(PartitionKey(file->spec_id, file->partition),
                                       std::pair(file->spec_id, file->partition));
  }
  // The partitions must be as the staged change found them.
  change.validate_from = picked.parent_id;
  change.validate_no_conflicting_data = change.validate_no_conflicting_deletes = true;
  return change;
}

Result<RowSet> CherryPick(const IcebergTable& table, int64_t picked_id) {
  const TableOperationsPtr& operations = table.operations();
  const Snapshot* known = table.metadata().FindSnapshot(picked_id);
  if (known == nullptr) return Validation("Cannot cherry-pick unknown snapshot ID: " + std::to_string(picked_id));
  const std::string* replaces = Entry(*known, "replace-partitions");
  bool can_apply =
      known->operation == "append" || (known->operation == "overwrite" && replaces != nullptr && *replaces == "true");
  std::unique_ptr<SnapshotProducer> producer;
  auto committed = ChangeTable(table, [&](const TableMetadata& base) -> Result<std::optional<TableMetadata>> {
    const Snapshot* picked = base.FindSnapshot(picked_id);
    if (picked == nullptr) return Validation("Cannot cherry-pick unknown snapshot ID: " + std::to_string(picked_id));
    FRAZIL_RETURN_IF_ERROR(CheckNotPublished(base, *picked));
    if (picked->parent_id == base.current_snapshot_id) {
      TableMetadata next = base;
      FRAZIL_RETURN_IF_ERROR(SetBranchSnapshot(&next, picked_id, kMainBranch));
      return std::optional<TableMetadata>(std::move(next));
    }
    if (!can_apply) {
      return Validation("Cannot cherry-pick snapshot " + std::to_string(picked_id) +
                        ": not append, dynamic overwrite, or fast-forward");
    }
    if (producer == nullptr) {
      FRAZIL_ASSIGN_OR_RETURN(auto change, ChangeOf(*operations, base, *picked));
      producer = std::make_unique<SnapshotProducer>(operations, std::move(change));
    }
    FRAZIL_ASSIGN_OR_RETURN(TableMetadata next, producer->Apply(base));
    return std::optional<TableMetadata>(std::move(next));
  });
  if (!committed.ok()) {
    if (producer != nullptr && committed.error().kind != ErrorKind::kUnknownCommit) producer->CleanUpAll();
    return std::move(committed).error();
  }
  if (producer != nullptr) {
    // A later attempt may have come out as a fast-forward, which uses nothing that was written.
    if ((*committed)->FindSnapshot(producer->snapshot_id()) == nullptr) {
      producer->CleanUpAll();
    } else {
      producer->CleanUpAfter(**committed);
    }
  }
  return RowSet{TwoIds("source_snapshot_id", false, "current_snapshot_id"),
                {{Value(picked_id), Value((*committed)->current_snapshot_id.value_or(picked_id))}}};
}

Result<RowSet> CherryPickSnapshot(const Table& table, const Arguments& arguments) {
  return CherryPick(Iceberg(table), arguments[0].integer());
}

Result<RowSet> PublishChanges(const Table& table, const Arguments& arguments) {
  const std::string& id = arguments[0].string();
  const Snapshot* found = nullptr;
  for (const auto& snapshot : Iceberg(table).metadata().snapshots) {
    const std::string* staged = Entry(snapshot, "wap.id");
    if (staged == nullptr || *staged != id) continue;
    if (found != nullptr)
      return Validation("Cannot apply non-unique WAP ID. Found multiple snapshots with WAP ID '" + id + "'");
    found = &snapshot;
  }
  if (found != nullptr) return CherryPick(Iceberg(table), found->snapshot_id);
  return Validation("Cannot apply unknown WAP ID '" + id + "'");
}

}  // namespace

std::vector<TableProcedure> SnapshotProcedures() {
  return {
      {"rollback_to_snapshot", {{"snapshot_id", DataType::Long(), true}}, RollbackToSnapshot},
      {"rollback_to_timestamp", {{"timestamp", DataType::Timestamp(), true}}, RollbackToTimestamp},
      {"set_current_snapshot", {{"snapshot_id", DataType::Long()}, {"ref", DataType::String()}}, SetCurrentSnapshot},
      {"ancestors_of", {{"snapshot_id", DataType::Long()}}, Ancestors},
      {"fast_forward", {{"branch", DataType::String(), true}, {"to", DataType::String(), true}}, FastForward},
      {"cherrypick_snapshot", {{"snapshot_id", DataType::Long(), true}}, CherryPickSnapshot},
      {"publish_changes", {{"wap_id", DataType::String(), true}}, PublishChanges}};
}

}  // namespace frazil::tables::iceberg
