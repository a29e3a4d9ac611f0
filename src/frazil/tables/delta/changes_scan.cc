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

/// Collects the files of a change feed, with the columns of a state of the table and the three of the feed.
class FeedBuilder {
 public:
  static Result<FeedBuilder> Make(const TableContext& context, const DeltaLogPtr& log, const SnapshotPtr& newest) {
    FRAZIL_ASSIGN_OR_RETURN(FilePruner values, FilePruner::Make(*newest, context));
    return FeedBuilder(context, log, newest, std::move(values));
  }

  /// `kind`: of all rows of the file; null: it stands in the file.
  Status Add(const FileAction& file, const char* kind, int64_t version, int64_t time_ms) {
    ScanFile scanned;
    scanned.path = FilePathOf(log_->table(), file.path);
    scanned.size = file.size;
    if (file.is_removed && !file.has_extended_metadata && !newest_->metadata->partition_columns.empty()) {
      return Error::Unsupported("change feeds of versions whose removed files do not tell their partition");
    }
    FRAZIL_ASSIGN_OR_RETURN(scanned.constants, values_.PartitionValues(file));
    if (kind != nullptr) scanned.constants[kind_column_] = Value(kind);
    scanned.constants[kind_column_ + 1] = Value(version);
    scanned.constants[kind_column_ + 2] = Value(time_ms * 1000);
    if (file.deletion_vector) {
      FRAZIL_ASSIGN_OR_RETURN(scanned.deleted_positions,
                              ReadDeletionVector(*context_.store, log_->table(), *file.deletion_vector));
    }
    plan_.files.push_back(std::move(scanned));
    return {};
  }

  TableScanPtr Finish() && {
    return std::make_shared<ChangesScan>(DataType::Struct(std::move(fields_)), std::move(plan_));
  }

 private:
  FeedBuilder(const TableContext& context, DeltaLogPtr log, SnapshotPtr newest, FilePruner values)
      : context_(context),
        log_(std::move(log)),
        newest_(std::move(newest)),
        values_(std::move(values)),
        fields_(VisibleSchema(newest_->schema)->fields()),
        kind_column_(fields_.size()) {
    plan_.columns = ToScanColumns(*newest_->schema, values_.mapping());
    plan_.match_by_field_id = values_.mapping() == ColumnMapping::kId;
    for (auto& field : FeedColumns()) fields_.push_back(std::move(field));
    for (size_t i = kind_column_; i < fields_.size(); ++i) {
      ScanColumn column;
      column.name = fields_[i].name;
      column.type = fields_[i].type;
      plan_.columns.push_back(std::move(column));
    }
  }

  const TableContext& context_;
  DeltaLogPtr log_;
  SnapshotPtr newest_;
  FilePruner values_;
  std::vector<StructField> fields_;
  size_t kind_column_;
  ScanPlan plan_;
};

}  // namespace

std::vector<StructField> FeedColumns() {
  return {{kChangeTypeColumn, DataType::String()},
          {"_commit_version", DataType::Long()},
          {"_commit_timestamp", DataType::Timestamp()}};
}

Result<TableScanPtr> MakeInsertsScan(const TableContext& context, const DeltaLogPtr& log, const SnapshotPtr& snapshot,
                                     const std::vector<FileActionPtr>& files) {
  FRAZIL_ASSIGN_OR_RETURN(auto feed, FeedBuilder::Make(context, log, snapshot));
  for (const auto& file : files)
    FRAZIL_RETURN_IF_ERROR(feed.Add(*file, "insert", snapshot->version, snapshot->timestamp_ms));
  return std::move(feed).Finish();
}

Result<TableScanPtr> MakeChangesScan(const TableContext& context, const DeltaLogPtr& log, const SnapshotPtr& newest,
                                     int64_t first_version, int64_t last_version) {
  FRAZIL_ASSIGN_OR_RETURN(auto feed, FeedBuilder::Make(context, log, newest));
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
    for (const auto& [file, kind] : changes.files)
      FRAZIL_RETURN_IF_ERROR(feed.Add(file, kind, commit.version, time_ms));
  }
  if (expected <= last_version) return Missing(first_version, last_version, expected);
  return std::move(feed).Finish();
}

}  // namespace frazil::tables::delta
