#include "frazil/tables/iceberg/snapshot_producer.h"

#include <algorithm>
#include <random>

#include "frazil/base/clock.h"
#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/manifest_writer.h"
#include "frazil/tables/iceberg/metadata_update.h"
#include "frazil/tables/iceberg/parallel_for.h"
#include "frazil/tables/iceberg/position_deletes.h"
#include "frazil/tables/iceberg/snapshot_validation.h"

namespace frazil::tables::iceberg {

std::string PartitionKey(int32_t spec_id, const std::vector<Value>& values) {
  std::string key = std::to_string(spec_id);
  for (const auto& written : values) {
    // Files from before a column was widened stay in the same partition.
    const Value value = Promoted(true, written);
    std::string part;
    const auto& storage = value.storage();
    if (const auto* flag = std::get_if<bool>(&storage)) part = *flag ? "t" : "f";
    if (const auto* number = std::get_if<int64_t>(&storage))
      part = ToBytes(*Type::Primitive(TypeKind::kLong), Value(*number));
    if (const auto* number = std::get_if<double>(&storage))
      part = ToBytes(*Type::Primitive(TypeKind::kDouble), Value(*number == 0 ? 0.0 : *number));
    if (std::holds_alternative<Decimal128>(storage)) part = ToBytes(*Type::Decimal(38, 0), value);
    if (const auto* text = std::get_if<std::string>(&storage)) part = *text;
    key += value.is_null() ? "|-" : "|" + std::to_string(part.size()) + ":" + part;
  }
  return key;
}

Snapshot NewSnapshot(const TableMetadata& base, const Snapshot* parent, int64_t snapshot_id, std::string operation,
                     std::map<std::string, std::string> summary) {
  Snapshot snapshot;
  snapshot.snapshot_id = snapshot_id;
  if (parent != nullptr) snapshot.parent_id = parent->snapshot_id;
  snapshot.sequence_number = base.format_version > 1 ? base.last_sequence_number + 1 : 0;
  snapshot.operation = std::move(operation);
  snapshot.summary = std::move(summary);
  snapshot.schema_id = base.current_schema_id;
  // A metadata file that is not older would count as holding this snapshot.
  snapshot.timestamp_ms = std::max(NowMicros() / 1000, base.last_updated_ms + 1);
  if (parent != nullptr) snapshot.timestamp_ms = std::max(snapshot.timestamp_ms, parent->timestamp_ms + 1);
  if (!base.snapshot_log.empty())
    snapshot.timestamp_ms = std::max(snapshot.timestamp_ms, base.snapshot_log.back().timestamp_ms);
  return snapshot;
}

Result<std::string> ListManifests(const TableMetadata& base, std::vector<ManifestFile> manifests, Snapshot* snapshot) {
  int64_t next_row_id = base.next_row_id;
  FRAZIL_ASSIGN_OR_RETURN(std::string list,
                          WriteManifestList(base.format_version, snapshot->snapshot_id, snapshot->parent_id,
                                            snapshot->sequence_number, std::move(manifests), &next_row_id));
  if (base.format_version >= 3) {
    snapshot->first_row_id = base.next_row_id;
    snapshot->added_rows = next_row_id - base.next_row_id;
  }
  return list;
}

int64_t NewSnapshotId() {
  Uuid uuid = Uuid::Random();
  uint64_t high = 0, low = 0;
  for (size_t i = 0; i < 8; ++i) {
    high = high << 8 | uuid.bytes[i];
    low = low << 8 | uuid.bytes[i + 8];
  }
  auto id = static_cast<int64_t>((high ^ low) & 0x7FFFFFFFFFFFFFFFULL);
  return id == 0 ? 1 : id;
}

SnapshotProducer::SnapshotProducer(TableOperationsPtr operations, SnapshotChange change)
    : operations_(std::move(operations)),
      change_(std::move(change)),
      snapshot_id_(NewSnapshotId()),
      commit_uuid_(RandomUuidText()) {}

std::string SnapshotProducer::Operation() const {
  switch (change_.kind) {
    case SnapshotChange::Kind::kAppend:
      return "append";
    case SnapshotChange::Kind::kReplacePartitions:
      return "overwrite";
    case SnapshotChange::Kind::kDelete:
      return "delete";
    case SnapshotChange::Kind::kRewrite:
      return "replace";
    case SnapshotChange::Kind::kRowDelta:
      if (change_.added_deletes.empty()) return change_.added.empty() ? "overwrite" : "append";
      return change_.added.empty() ? "delete" : "overwrite";
    case SnapshotChange::Kind::kOverwrite:
      break;
  }
  bool deletes = !change_.removed_paths.empty() || change_.delete_filter != nullptr;
  bool adds = !change_.added.empty();
  if (deletes && !adds) return "delete";
  return adds && !deletes ? "append" : "overwrite";
}

std::string SnapshotProducer::NewManifestPath(const TableMetadata& base) {
  std::lock_guard lock(mutex_);
  std::string path =
      TableOperations::MetadataPath(base, commit_uuid_ + "-m" + std::to_string(manifest_count_++) + ".avro");
  written_.push_back(path);
  return path;
}

std::string SnapshotProducer::PartitionPathOf(const TableMetadata& base, const DataFile& file) const {
  const PartitionSpec* spec = base.FindSpec(file.spec_id);
  return spec == nullptr ? std::string() : SpecPartitionPath(*spec, *base.SchemaForSpec(*spec), file.partition);
}

Result<ManifestFile> SnapshotProducer::FinishManifest(ManifestWriter* writer) {
  FRAZIL_ASSIGN_OR_RETURN(auto output, writer->Finish());
  std::lock_guard lock(mutex_);
  pending_.emplace_back(output.manifest.path, std::move(output.data));
  return std::move(output.manifest);
}

Status SnapshotProducer::WritePending() {
  // Side by side: each write waits for the disk.
  std::set<std::string> unsynced;
  if (!data_synced_) {
    for (const auto* files : {&change_.added, &change_.added_deletes}) {
      for (const auto& file : *files) unsynced.insert(file->path);
    }
  }
  const std::vector<std::string> to_sync(unsynced.begin(), unsynced.end());
  FRAZIL_RETURN_IF_ERROR(ParallelFor(pending_.size() + to_sync.size(), ReadThreads(), [&](size_t i) -> Status {
    if (i < to_sync.size()) return operations_->store().Sync(to_sync[i]);
    const auto& [path, data] = pending_[i - to_sync.size()];
    return operations_->store().WriteNew(path, data);
  }));
  data_synced_ = true;
  pending_.clear();
  return {};
}

Status SnapshotProducer::WriteNewManifests(const TableMetadata& base) {
  if (new_manifests_) return {};
  FRAZIL_ASSIGN_OR_RETURN(new_manifests_, WriteManifestsOf(base, change_.added, ManifestContent::kData));
  FRAZIL_ASSIGN_OR_RETURN(new_delete_manifests_,
                          WriteManifestsOf(base, change_.added_deletes, ManifestContent::kDeletes));
  return {};
}

Result<std::vector<ManifestFile>> SnapshotProducer::WriteManifestsOf(const TableMetadata& base,
                                                                     const std::vector<DataFilePtr>& added,
                                                                     ManifestContent content) {
  std::vector<ManifestFile> manifests;
  int64_t target = base.PropertyAsLong("commit.manifest.target-size-bytes", 8 * 1024 * 1024);
  std::map<int32_t, std::vector<DataFilePtr>> by_spec;
  for (const auto& file : added) by_spec[file->spec_id].push_back(file);
  for (const auto& [spec_id, files] : by_spec) {
    std::unique_ptr<ManifestWriter> writer;
    for (const auto& file : files) {
      if (writer != nullptr && writer->size() >= target) {
        FRAZIL_ASSIGN_OR_RETURN(ManifestFile manifest, FinishManifest(writer.get()));
        manifests.push_back(std::move(manifest));
        writer.reset();
      }
      if (writer == nullptr) {
        FRAZIL_ASSIGN_OR_RETURN(writer,
                                ManifestWriter::Make(base, spec_id, content, snapshot_id_, NewManifestPath(base)));
      }
      FRAZIL_RETURN_IF_ERROR(
          writer->Added(file, content == ManifestContent::kDeletes ? change_.deletes_sequence_number : std::nullopt));
    }
    FRAZIL_ASSIGN_OR_RETURN(ManifestFile manifest, FinishManifest(writer.get()));
    manifests.push_back(std::move(manifest));
  }
  return manifests;
}

Result<SnapshotProducer::Filtered> SnapshotProducer::FilterManifest(const TableMetadata& base,
                                                                    const ManifestFile& manifest,
                                                                    const FileEvaluator* evaluator,
                                                                    int64_t min_sequence_number,
                                                                    const std::set<std::string>& removed_data_files) {
  {
    std::lock_guard lock(mutex_);
    auto cached = filtered_.find(manifest.path);
    if (cached != filtered_.end()) return cached->second;
  }
  Filtered result;
  result.manifest = manifest;
  bool is_delete = manifest.content == ManifestContent::kDeletes;
  FRAZIL_ASSIGN_OR_RETURN(ManifestEntries entries, operations_->ReadEntries(base, manifest));
  std::vector<bool> goes(entries->size(), false);
  bool any = false;
  for (size_t i = 0; i < entries->size(); ++i) {
    const ManifestEntry& entry = (*entries)[i];
    if (entry.status == EntryStatus::kDeleted) continue;
    const DataFile& file = *entry.file;
    bool marked = !is_delete && change_.removed_paths.count(storage::LocalPath(file.path)) != 0;
    if (!marked && !change_.replaced_partitions.empty()) {
      marked = change_.replaced_partitions.count(PartitionKey(file.spec_id, file.partition)) != 0;
    }
    if (!marked && is_delete) {
      int64_t sequence_number = entry.sequence_number.value_or(0);
      // Delete files older than every data file have nothing left to delete.
      marked = sequence_number > 0 && sequence_number < min_sequence_number;
      marked = marked || change_.removed_deletes.count(DeleteFileKey(file)) != 0;
      marked = marked || (file.is_deletion_vector() && file.referenced_data_file &&
                          removed_data_files.count(*file.referenced_data_file) != 0);
    }
    if (!marked && evaluator != nullptr && evaluator->MayMatch(file)) {
      marked = evaluator->AllMatch(file);
      if (!marked && !is_delete) {
        return Validation("Cannot delete file where some, but not all, rows match filter " +
                          change_.delete_filter->ToString() + ": " + file.path);
      }
    }
    goes[i] = marked;
    any = any || marked;
  }
  if (any) {
    FRAZIL_ASSIGN_OR_RETURN(auto writer, ManifestWriter::Make(base, manifest.spec_id, manifest.content, snapshot_id_,
                                                              NewManifestPath(base)));
    std::set<std::string> seen;
    for (size_t i = 0; i < entries->size(); ++i) {
      const ManifestEntry& entry = (*entries)[i];
      if (entry.status == EntryStatus::kDeleted) continue;
      if (!goes[i]) {
        FRAZIL_RETURN_IF_ERROR(writer->Existing(entry));
        continue;
      }
      FRAZIL_RETURN_IF_ERROR(writer->Deleted(entry));
      if (seen.insert(DeleteFileKey(*entry.file)).second) {
        result.removed.push_back(entry.file);
      } else {
        ++result.duplicates;
      }
    }
    FRAZIL_ASSIGN_OR_RETURN(result.manifest, FinishManifest(writer.get()));
    result.rewritten = true;
  }
  std::lock_guard lock(mutex_);
  filtered_[manifest.path] = result;
  return result;
}

Result<std::vector<SnapshotProducer::Filtered>> SnapshotProducer::FilterManifests(
    const TableMetadata& base, const std::vector<ManifestFile>& manifests, ManifestContent content,
    int64_t min_sequence_number, const std::set<std::string>& removed_data_files) {
  std::optional<FileEvaluators> evaluators;
  if (change_.delete_filter != nullptr) evaluators.emplace(Bind(change_.delete_filter, *base.schema()), base.schema());
  std::vector<Filtered> results;
  std::vector<size_t> to_read;
  std::vector<const FileEvaluator*> evaluator_of;
  for (const auto& manifest : manifests) {
    if (manifest.content != content) continue;
    const FileEvaluator* evaluator = nullptr;
    if (evaluators) {
      const PartitionSpec* spec = base.FindSpec(manifest.spec_id);
      if (spec == nullptr) return Validation("Cannot find partition spec " + std::to_string(manifest.spec_id));
      evaluator = &evaluators->For(*spec);
      if (!evaluator->ManifestMayMatch(manifest)) evaluator = nullptr;
    }
    bool may_change = evaluator != nullptr || !change_.replaced_partitions.empty();
    if (content == ManifestContent::kData) {
      may_change = may_change || !change_.removed_paths.empty();
    } else {
      may_change = may_change || !removed_data_files.empty() || !change_.removed_deletes.empty() ||
                   (manifest.min_sequence_number > 0 && manifest.min_sequence_number < min_sequence_number);
    }
    bool live = manifest.MayHaveAdded() || manifest.MayHaveExisting();
    if (live && may_change) to_read.push_back(results.size());
    evaluator_of.push_back(evaluator);
    results.push_back(Filtered{manifest, false, {}, 0});
  }
  FRAZIL_RETURN_IF_ERROR(ParallelFor(to_read.size(), ReadThreads(), [&](size_t i) -> Status {
    size_t at = to_read[i];
    ManifestFile manifest = results[at].manifest;
    FRAZIL_ASSIGN_OR_RETURN(results[at],
                            FilterManifest(base, manifest, evaluator_of[at], min_sequence_number, removed_data_files));
    return {};
  }));
  return results;
}

Result<ManifestFile> SnapshotProducer::MergeBin(const TableMetadata& base, const std::vector<ManifestFile>& bin) {
  std::string key;
  for (const auto& manifest : bin) key += manifest.path + "\n";
  auto cached = merged_.find(key);
  if (cached != merged_.end()) return cached->second;
  FRAZIL_RETURN_IF_ERROR(WritePending());  // Own manifests are read back below.
  FRAZIL_ASSIGN_OR_RETURN(
      auto writer, ManifestWriter::Make(base, bin[0].spec_id, bin[0].content, snapshot_id_, NewManifestPath(base)));
  for (const auto& manifest : bin) {
    FRAZIL_ASSIGN_OR_RETURN(ManifestEntries entries, operations_->ReadEntries(base, manifest));
    for (const auto& entry : *entries) {
      bool own = entry.snapshot_id == snapshot_id_;
      if (entry.status == EntryStatus::kDeleted) {
        if (own) FRAZIL_RETURN_IF_ERROR(writer->Deleted(entry));
      } else if (entry.status == EntryStatus::kAdded && own) {
        FRAZIL_RETURN_IF_ERROR(writer->Added(entry.file, entry.sequence_number));
      } else {
        FRAZIL_RETURN_IF_ERROR(writer->Existing(entry));
      }
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(ManifestFile merged, FinishManifest(writer.get()));
  merged_[key] = merged;
  return merged;
}

Result<std::vector<ManifestFile>> SnapshotProducer::MergeManifests(const TableMetadata& base,
                                                                   const std::vector<ManifestFile>& manifests) {
  if (manifests.empty() || !base.PropertyAsBoolean("commit.manifest-merge.enabled", true)) return manifests;
  int64_t target = base.PropertyAsLong("commit.manifest.target-size-bytes", 8 * 1024 * 1024);
  auto min_count =
      static_cast<size_t>(std::max<int64_t>(0, base.PropertyAsLong("commit.manifest.min-count-to-merge", 100)));
  const std::string& first = manifests[0].path;
  std::map<int32_t, std::vector<ManifestFile>, std::greater<>> by_spec;
  for (const auto& manifest : manifests) by_spec[manifest.spec_id].push_back(manifest);
  std::vector<ManifestFile> result;
  for (const auto& [spec_id, group] : by_spec) {
    // Bins are filled from the end, so that the one that is not full is the first, which gets the next commit's files.
    std::vector<std::vector<ManifestFile>> bins;
    int64_t weight = 0;
    for (auto it = group.rbegin(); it != group.rend(); ++it) {
      if (bins.empty() || weight + it->length > target) {
        bins.emplace_back();
        weight = 0;
      }
      bins.back().push_back(*it);
      weight += it->length;
    }
    std::reverse(bins.begin(), bins.end());
    for (auto& bin : bins) {
      std::reverse(bin.begin(), bin.end());
      bool has_first = std::any_of(bin.begin(), bin.end(), [&](const ManifestFile& m) { return m.path == first; });
      if (bin.size() == 1 || (has_first && bin.size() < min_count)) {
        result.insert(result.end(), bin.begin(), bin.end());
      } else {
        FRAZIL_ASSIGN_OR_RETURN(ManifestFile merged, MergeBin(base, bin));
        result.push_back(std::move(merged));
      }
    }
  }
  return result;
}

Result<TableMetadata> SnapshotProducer::Apply(const TableMetadata& base) {
  auto ref = base.refs.find(change_.branch);
  if (ref != base.refs.end() && !ref->second.is_branch) {
    return IllegalArgument(change_.branch + " is a tag, not a branch. Tags cannot be targets for producing snapshots");
  }
  if (ref == base.refs.end() && change_.branch != kMainBranch && !change_.create_branch) {
    return IllegalArgument("Cannot use branch (does not exist): " + change_.branch);
  }
  const Snapshot* parent = ref == base.refs.end() ? base.current_snapshot() : base.BranchHead(change_.branch);
  FRAZIL_RETURN_IF_ERROR(ValidateNoConflicts(*operations_, base, parent, change_));

  ManifestCache::Lists before = std::make_shared<const std::vector<ManifestFile>>();
  if (parent != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(before, operations_->ReadManifests(base, *parent));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto data, FilterManifests(base, *before, ManifestContent::kData, 0, {}));
  std::set<std::string> removed_data_files;
  int64_t min_sequence_number = base.last_sequence_number;
  for (const auto& filtered : data) {
    for (const auto& file : filtered.removed) removed_data_files.insert(file->path);
    if (filtered.manifest.min_sequence_number != kUnassignedSequenceNumber) {
      min_sequence_number = std::min(min_sequence_number, filtered.manifest.min_sequence_number);
    }
  }
  std::set<std::string> removed_locally;
  for (const auto& path : removed_data_files) removed_locally.insert(storage::LocalPath(path));
  for (const auto& path : change_.removed_paths) {
    if (removed_locally.count(path) == 0) return ConflictingCommit("Missing required files to delete: " + path);
  }
  FRAZIL_ASSIGN_OR_RETURN(
      auto deletes, FilterManifests(base, *before, ManifestContent::kDeletes, min_sequence_number, removed_data_files));
  if (change_.removed_deletes_must_exist) {
    std::set<std::string> found;
    for (const auto& filtered : deletes) {
      for (const auto& file : filtered.removed) found.insert(DeleteFileKey(*file));
    }
    for (const auto& key : change_.removed_deletes) {
      if (found.count(key) == 0) return ConflictingCommit("Missing required files to delete: " + key);
    }
  }
  FRAZIL_RETURN_IF_ERROR(WriteNewManifests(base));

  SnapshotSummary summary;
  for (const auto& [key, value] : change_.summary) summary.Set(key, value);
  if (change_.kind == SnapshotChange::Kind::kReplacePartitions) summary.Set("replace-partitions", "true");
  summary.SetPartitionLimit(base.PropertyAsLong("write.summary.partition-limit", 0));
  for (const auto* files : {&change_.added, &change_.added_deletes}) {
    for (const auto& file : *files) summary.Added(*file, PartitionPathOf(base, *file));
  }
  int64_t replaced = 0;
  auto keep = [&](const std::vector<Filtered>& filtered, std::vector<ManifestFile>* out) {
    for (const auto& item : filtered) {
      for (const auto& file : item.removed) summary.Removed(*file, PartitionPathOf(base, *file));
      summary.AddDuplicateDeletes(item.duplicates);
      if (item.rewritten) ++replaced;
      if (item.manifest.MayHaveAdded() || item.manifest.MayHaveExisting() ||
          item.manifest.added_snapshot_id == snapshot_id_) {
        out->push_back(item.manifest);
      }
    }
  };
  std::vector<ManifestFile> unmerged = *new_manifests_, unmerged_deletes = *new_delete_manifests_;
  keep(data, &unmerged);
  keep(deletes, &unmerged_deletes);
  FRAZIL_ASSIGN_OR_RETURN(auto manifests, MergeManifests(base, unmerged));
  FRAZIL_ASSIGN_OR_RETURN(auto delete_manifests, MergeManifests(base, unmerged_deletes));
  std::set<std::string> result_paths;
  manifests.insert(manifests.end(), delete_manifests.begin(), delete_manifests.end());
  int64_t created = 0;
  for (const auto& manifest : manifests) {
    result_paths.insert(manifest.path);
    created += manifest.added_snapshot_id == snapshot_id_ ? 1 : 0;
  }
  unmerged.insert(unmerged.end(), unmerged_deletes.begin(), unmerged_deletes.end());
  for (const auto& manifest : unmerged) {
    if (manifest.added_snapshot_id != snapshot_id_ && result_paths.count(manifest.path) == 0) ++replaced;
  }
  summary.Set("manifests-created", std::to_string(created));
  summary.Set("manifests-kept", std::to_string(static_cast<int64_t>(manifests.size()) - created));
  summary.Set("manifests-replaced", std::to_string(replaced));

  Snapshot snapshot = NewSnapshot(base, parent, snapshot_id_, Operation(), summary.Build(parent));
  snapshot.manifest_list = TableOperations::MetadataPath(
      base, "snap-" + std::to_string(snapshot_id_) + "-" + std::to_string(++attempt_) + "-" + commit_uuid_ + ".avro");
  FRAZIL_ASSIGN_OR_RETURN(std::string list, ListManifests(base, std::move(manifests), &snapshot));
  written_.push_back(snapshot.manifest_list);
  pending_.emplace_back(snapshot.manifest_list, std::move(list));
  FRAZIL_RETURN_IF_ERROR(WritePending());
  TableMetadata next = base;
  FRAZIL_RETURN_IF_ERROR(AddSnapshot(&next, std::move(snapshot)));
  if (!change_.stage_only) FRAZIL_RETURN_IF_ERROR(SetBranchSnapshot(&next, snapshot_id_, change_.branch, true));
  return next;
}

void SnapshotProducer::CleanUpAfter(const TableMetadata& committed) {
  const Snapshot* saved = committed.FindSnapshot(snapshot_id_);
  if (saved == nullptr) return;
  // One attempt without merging uses all that it wrote.
  if (attempt_ == 1 && merged_.empty()) return;
  std::set<std::string> used = {saved->manifest_list};
  auto manifests = operations_->ReadManifests(committed, *saved);
  if (!manifests.ok()) return;
  for (const auto& manifest : **manifests) used.insert(manifest.path);
  std::vector<std::string> unused;
  for (const auto& path : written_) {
    if (used.count(path) == 0) unused.push_back(path);
  }
  operations_->DeleteQuietly(unused);
}

void SnapshotProducer::CleanUpAll() {
  operations_->DeleteQuietly(written_);
  written_.clear();
}

}  // namespace frazil::tables::iceberg
