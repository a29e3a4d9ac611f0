#include "frazil/tables/delta/changes_scan.h"

#include <set>

#include "frazil/tables/delta/deletion_vectors.h"
#include "frazil/tables/delta/delta_scan.h"
#include "frazil/tables/delta/paths.h"
#include "frazil/tables/row_changes.h"

namespace frazil::tables::delta {
namespace {

class ChangesScan : public TableScan {
 public:
  ChangesScan(DataTypePtr schema, ScanPlan plan) : schema_(std::move(schema)), plan_(std::move(plan)) {}
  const DataTypePtr& schema() const override { return schema_; }
  Result<ScanPlan> Plan(const PredicatePtr&) const override { return plan_; }

 private:
  DataTypePtr schema_;
  ScanPlan plan_;
};

Error Missing(int64_t first, int64_t last, int64_t version) {
  return Error::Of("DELTA_MISSING_CHANGE_DATA", {{"startVersion", std::to_string(first)},
                                                 {"endVersion", std::to_string(last)},
                                                 {"version", std::to_string(version)},
                                                 {"key", "delta.enableChangeDataFeed"}});
}

/// The actions of one version's change feed.
struct VersionChanges {
  std::vector<std::pair<FileAction, const char*>> files;  ///< With the kind of their rows; null: it stands in the file.
};

Result<VersionChanges> ChangesOf(const std::vector<Action>& actions) {
  VersionChanges changes;
  for (const auto& action : actions) {
    const auto* change = std::get_if<ChangeFile>(&action);
    if (change == nullptr) continue;
    FileAction file;
    file.path = change->path;
    file.partition = change->partition;
    file.size = change->size;
    changes.files.emplace_back(std::move(file), nullptr);
  }
  // Where the feed was written, it is all there is to tell.
  if (!changes.files.empty()) return changes;
  std::set<std::string> added, removed;
  for (const auto& action : actions) {
    const auto* file = std::get_if<FileAction>(&action);
    if (file == nullptr || !file->data_change) continue;
    changes.files.emplace_back(*file, file->is_removed ? "delete" : "insert");
    (file->is_removed ? removed : added).insert(file->path);
  }
  for (const auto& path : added) {
    if (removed.contains(path))
      return Error::Unsupported("change feeds of versions that only changed deletion vectors");
  }
  return changes;
}

}  // namespace

Result<TableScanPtr> MakeChangesScan(const TableContext& context, const DeltaLogPtr& log, const SnapshotPtr& newest,
                                     int64_t first_version, int64_t last_version) {
  FRAZIL_ASSIGN_OR_RETURN(FilePruner values, FilePruner::Make(*newest, context));
  ScanPlan plan;
  plan.columns = ToScanColumns(*newest->schema, values.mapping());
  plan.match_by_field_id = values.mapping() == ColumnMapping::kId;
  std::vector<StructField> fields = VisibleSchema(newest->schema)->fields();
  const size_t kind = fields.size(), version_column = kind + 1, time_column = kind + 2;
  fields.emplace_back(kChangeTypeColumn, DataType::String());
  fields.emplace_back("_commit_version", DataType::Long());
  fields.emplace_back("_commit_timestamp", DataType::Timestamp());
  for (size_t i = kind; i < fields.size(); ++i) {
    ScanColumn column;
    column.name = fields[i].name;
    column.type = fields[i].type;
    plan.columns.push_back(std::move(column));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto listing, ListLog(*context.store, log->log()));
  FRAZIL_ASSIGN_OR_RETURN(auto before, log->At(context, first_version));
  bool enabled = before->metadata->IsTrue("delta.enableChangeDataFeed");
  int64_t expected = first_version;
  for (const auto& commit : listing.commits) {
    if (commit.version < first_version || commit.version > last_version) continue;
    if (commit.version != expected) return Missing(first_version, last_version, expected);
    ++expected;
    FRAZIL_ASSIGN_OR_RETURN(std::string text, context.store->Read(commit.path));
    FRAZIL_ASSIGN_OR_RETURN(auto actions, ParseCommit(text, commit.path));
    int64_t time_ms = commit.modified_micros / 1000;
    for (const auto& action : actions) {
      if (const auto* metadata = std::get_if<Metadata>(&action))
        enabled = metadata->IsTrue("delta.enableChangeDataFeed");
      if (const auto* info = std::get_if<CommitInfo>(&action)) time_ms = info->Integer("inCommitTimestamp", time_ms);
    }
    if (!enabled) return Missing(first_version, last_version, commit.version);
    FRAZIL_ASSIGN_OR_RETURN(auto changes, ChangesOf(actions));
    for (const auto& [file, rows] : changes.files) {
      ScanFile scanned;
      scanned.path = FilePathOf(log->table(), file.path);
      scanned.size = file.size;
      if (file.is_removed && !file.has_extended_metadata && !newest->metadata->partition_columns.empty()) {
        return Error::Unsupported("change feeds of versions whose removed files do not tell their partition");
      }
      FRAZIL_ASSIGN_OR_RETURN(scanned.constants, values.PartitionValues(file));
      if (rows != nullptr) scanned.constants[kind] = Value(rows);
      scanned.constants[version_column] = Value(commit.version);
      scanned.constants[time_column] = Value(time_ms * 1000);
      if (file.deletion_vector) {
        FRAZIL_ASSIGN_OR_RETURN(scanned.deleted_positions,
                                ReadDeletionVector(*context.store, log->table(), *file.deletion_vector));
      }
      plan.files.push_back(std::move(scanned));
    }
  }
  if (expected <= last_version) return Missing(first_version, last_version, expected);
  return TableScanPtr(std::make_shared<ChangesScan>(DataType::Struct(std::move(fields)), std::move(plan)));
}

}  // namespace frazil::tables::delta
