// CALL system.rewrite_table_path: the table's metadata as it must be where the table is copied to.
// Source: https://iceberg.apache.org/docs/latest/spark-procedures/#rewrite_table_path

#include <algorithm>
#include <set>

#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/codec/deflate.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/manifest_writer.h"
#include "frazil/tables/iceberg/parallel_for.h"
#include "frazil/tables/iceberg/position_deletes.h"
#include "frazil/tables/iceberg/procedures_internal.h"

namespace frazil::tables::iceberg {
namespace {

std::string FileName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// One run; what it writes is in the staging folder alone.
class PathRewrite {
 public:
  /// `start`: what the target has already; null: nothing.
  PathRewrite(const IcebergTable& table, std::string source, std::string target, std::string staging,
              TableMetadataPtr start)
      : operations_(*table.operations()),
        source_(WithSlash(std::move(source))),
        target_(WithSlash(std::move(target))),
        staging_(WithSlash(std::move(staging))),
        start_(std::move(start)) {
    if (start_ == nullptr) return;
    for (const auto& snapshot : start_->snapshots) start_snapshots_.insert(snapshot.snapshot_id);
  }

  static std::string WithSlash(std::string folder) {
    if (!folder.ends_with('/')) folder += '/';
    return folder;
  }

  /// All states from the newest one, `end`, back to the first whose file is kept, or to the one after the start.
  Status Run(const TableMetadata& end) {
    FRAZIL_RETURN_IF_ERROR(RewriteState(end, end.metadata_location));
    for (auto entry = end.metadata_log.rbegin(); entry != end.metadata_log.rend(); ++entry) {
      if (start_ != nullptr && entry->file == start_->metadata_location) break;
      auto state = operations_.ReadMetadata(entry->file);
      if (!state.ok() && storage::IsNotFound(state.error()))
        return IllegalArgument("Version file " + entry->file + " doesn't exist");
      if (!state.ok()) return std::move(state).error();
      FRAZIL_RETURN_IF_ERROR(RewriteState(**state, entry->file));
    }
    std::vector<const Snapshot*> snapshots;
    for (const auto& snapshot : end.snapshots) {
      if (start_snapshots_.count(snapshot.snapshot_id) == 0) snapshots.push_back(&snapshot);
    }
    for (const auto* snapshot : snapshots) {
      FRAZIL_ASSIGN_OR_RETURN(auto manifests, operations_.ReadManifests(end, *snapshot));
      for (const auto& manifest : *manifests) {
        if (IsNew(manifest.added_snapshot_id)) chosen_.emplace(manifest.path, manifest);
      }
    }
    FRAZIL_RETURN_IF_ERROR(MoveDeletes(end));
    for (const auto& [path, manifest] : chosen_) FRAZIL_RETURN_IF_ERROR(RewriteManifest(end, manifest));
    for (const auto* snapshot : snapshots) FRAZIL_RETURN_IF_ERROR(RewriteSnapshot(end, *snapshot));
    return {};
  }

  Result<std::string> WriteFileList() {
    std::string text;
    for (const auto& [from, to] : copies_) text += from + "," + to + "\n";
    const std::string path = staging_ + "file-list";
    FRAZIL_RETURN_IF_ERROR(operations_.store().Write(path, text));
    return path;
  }
  int64_t manifests() const { return static_cast<int64_t>(manifests_.size()); }
  int64_t delete_files() const { return delete_files_; }

 private:
  Result<std::string> Relative(const std::string& path) const {
    if (!path.starts_with(source_))
      return IllegalArgument("Path " + path + " does not start with " + source_.substr(0, source_.size() - 1));
    return path.substr(source_.size());
  }
  Result<std::string> NewPath(const std::string& path) const {
    // The folder itself is its own prefix.
    if (WithSlash(path) == source_) return target_.substr(0, target_.size() - 1);
    FRAZIL_ASSIGN_OR_RETURN(std::string relative, Relative(path));
    return target_ + relative;
  }
  Status Stage(const std::string& path, const std::string& data) {
    FRAZIL_ASSIGN_OR_RETURN(std::string relative, Relative(path));
    FRAZIL_RETURN_IF_ERROR(operations_.store().Write(staging_ + relative, data));
    copies_.emplace(staging_ + relative, target_ + relative);
    return {};
  }

  Status RewriteState(const TableMetadata& state, const std::string& path) {
    TableMetadata moved = state;
    FRAZIL_ASSIGN_OR_RETURN(moved.location, NewPath(state.location));
    for (auto& snapshot : moved.snapshots) {
      if (snapshot.manifest_list.empty())
        return Error::Unsupported("rewrite_table_path of snapshots without manifest lists");
      FRAZIL_ASSIGN_OR_RETURN(snapshot.manifest_list, NewPath(snapshot.manifest_list));
    }
    for (auto& entry : moved.metadata_log) {
      FRAZIL_ASSIGN_OR_RETURN(entry.file, NewPath(entry.file));
    }
    for (const char* key :
         {"write.object-storage.path", "write.folder-storage.path", "write.data.path", "write.metadata.path"}) {
      auto own = moved.properties.find(key);
      if (own == moved.properties.end()) continue;
      FRAZIL_ASSIGN_OR_RETURN(own->second, NewPath(own->second));
    }
    for (auto* list : {&moved.statistics, &moved.partition_statistics}) {
      for (auto& item : *list) {
        for (auto& [name, value] : item.members) {
          if (name != "statistics-path") continue;
          FRAZIL_ASSIGN_OR_RETURN(std::string to, NewPath(value.text));
          copies_.emplace(value.text, to);
          value.text = std::move(to);
        }
      }
    }
    // As its name says: readers trust that.
    std::string text = WriteTableMetadata(moved);
    if (path.ends_with(".gz.metadata.json") || path.ends_with(".gz")) {
      FRAZIL_ASSIGN_OR_RETURN(text, codec::GzipCompress(text));
    }
    return Stage(path, text);
  }

  /// Whether a snapshot is none of those that the target has.
  bool IsNew(int64_t snapshot_id) const { return start_ == nullptr || start_snapshots_.count(snapshot_id) == 0; }

  /// Position deletes name data files in their rows, vectors in the footer of their Puffin file: they are written anew.
  Status MoveDeletes(const TableMetadata& state) {
    std::set<std::string> keys;
    std::map<std::string, DataFilePtr> by_path;
    for (const auto& [path, manifest] : chosen_) {
      if (manifest.content != ManifestContent::kDeletes) continue;
      FRAZIL_ASSIGN_OR_RETURN(ManifestEntries entries, operations_.ReadEntries(state, manifest));
      for (const auto& entry : *entries) {
        if (entry.status == EntryStatus::kDeleted || entry.file->content != FileContent::kPositionDeletes) continue;
        keys.insert(DeleteFileKey(*entry.file));
        by_path.emplace(entry.file->path, entry.file);
      }
    }
    delete_files_ = static_cast<int64_t>(keys.size());
    std::vector<DataFilePtr> work;
    for (const auto& [path, file] : by_path) {
      moved_[path] = {};  // Before the threads begin: they must not change the map itself.
      work.push_back(file);
    }
    return ParallelFor(work.size(), ReadThreads(), [&](size_t i) -> Status {
      const DataFile& file = *work[i];
      FRAZIL_ASSIGN_OR_RETURN(const std::string relative, Relative(file.path));
      FRAZIL_ASSIGN_OR_RETURN(moved_.find(file.path)->second,
                              WriteMovedDeletes(
                                  operations_, state, file, [this](const std::string& path) { return NewPath(path); },
                                  staging_ + relative));
      return {};
    });
  }

  Status RewriteSnapshot(const TableMetadata& state, const Snapshot& snapshot) {
    FRAZIL_ASSIGN_OR_RETURN(auto manifests, operations_.ReadManifests(state, snapshot));
    std::vector<ManifestFile> moved = *manifests;
    for (auto& manifest : moved) {
      auto known = manifests_.find(manifest.path);
      if (known != manifests_.end()) manifest.length = known->second;
      FRAZIL_ASSIGN_OR_RETURN(manifest.path, NewPath(manifest.path));
    }
    int64_t next_row_id = snapshot.first_row_id.value_or(0);
    FRAZIL_ASSIGN_OR_RETURN(std::string list,
                            WriteManifestList(state.format_version, snapshot.snapshot_id, snapshot.parent_id,
                                              snapshot.sequence_number, std::move(moved), &next_row_id));
    return Stage(snapshot.manifest_list, list);
  }

  /// A data file or file of deletes with its new names. `from`: where it is copied from.
  Result<DataFilePtr> MovedFile(const DataFile& file, std::string* from) const {
    auto moved = std::make_shared<DataFile>(file);
    FRAZIL_ASSIGN_OR_RETURN(moved->path, NewPath(file.path));
    *from = file.path;
    if (file.content != FileContent::kPositionDeletes) return DataFilePtr(std::move(moved));
    if (auto written = moved_.find(file.path); written != moved_.end()) {
      *from = written->second.path;
      moved->size = written->second.size;
      moved->split_offsets = written->second.split_offsets;
    }
    if (file.referenced_data_file) {
      FRAZIL_ASSIGN_OR_RETURN(moved->referenced_data_file, NewPath(*file.referenced_data_file));
    }
    // Bounds of paths serve to name the one data file that the deletes are about; others would be wrong now.
    const auto referenced = ReferencedDataFile(file);
    for (auto* bounds : {&moved->lower_bounds, &moved->upper_bounds}) {
      for (auto& [id, value] : *bounds) {
        if (id != kDeleteFilePathId || !referenced) continue;
        FRAZIL_ASSIGN_OR_RETURN(value, NewPath(*referenced));
      }
      if (!referenced) std::erase_if(*bounds, [](const auto& bound) { return bound.first == kDeleteFilePathId; });
    }
    return DataFilePtr(std::move(moved));
  }

  Status RewriteManifest(const TableMetadata& state, const ManifestFile& before) {
    FRAZIL_ASSIGN_OR_RETURN(const std::string path, NewPath(before.path));
    FRAZIL_ASSIGN_OR_RETURN(ManifestEntries entries, operations_.ReadEntries(state, before));
    FRAZIL_ASSIGN_OR_RETURN(
        auto writer, ManifestWriter::Make(state, before.spec_id, before.content, before.added_snapshot_id, path));
    for (const auto& entry : *entries) {
      std::string from;
      ManifestEntry moved = entry;
      FRAZIL_ASSIGN_OR_RETURN(moved.file, MovedFile(*entry.file, &from));
      switch (entry.status) {
        case EntryStatus::kAdded:
          FRAZIL_RETURN_IF_ERROR(writer->Added(moved.file, entry.sequence_number));
          break;
        case EntryStatus::kExisting:
          FRAZIL_RETURN_IF_ERROR(writer->Existing(moved));
          break;
        case EntryStatus::kDeleted:
          FRAZIL_RETURN_IF_ERROR(writer->Deleted(moved));
          break;
      }
      if (entry.status != EntryStatus::kDeleted && IsNew(entry.snapshot_id)) copies_.emplace(from, moved.file->path);
    }
    FRAZIL_ASSIGN_OR_RETURN(auto output, writer->Finish());
    manifests_[before.path] = output.manifest.length;
    return Stage(before.path, output.data);
  }

  const TableOperations& operations_;
  const std::string source_, target_, staging_;
  const TableMetadataPtr start_;
  std::set<int64_t> start_snapshots_;
  std::map<std::string, ManifestFile> chosen_;  ///< Manifests to rewrite, by their old paths.
  std::map<std::string, MovedDeletes> moved_;   ///< Files of position deletes, by their old paths.
  std::map<std::string, int64_t> manifests_;    ///< Lengths of those that were rewritten, by their old paths.
  int64_t delete_files_ = 0;                    ///< Files of position deletes and vectors that were rewritten.
  std::set<std::pair<std::string, std::string>> copies_;  ///< From where to where.
};

/// The state whose file has this name: the newest one, or one of its log.
Result<TableMetadataPtr> FindVersion(const IcebergTable& table, const std::string& name) {
  const TableMetadata& newest = table.metadata();
  if (FileName(newest.metadata_location) == name) return std::make_shared<const TableMetadata>(newest);
  for (const auto& entry : newest.metadata_log) {
    if (FileName(entry.file) != name) continue;
    auto state = table.operations()->ReadMetadata(entry.file);
    if (!state.ok() && storage::IsNotFound(state.error()))
      return IllegalArgument("Version file " + entry.file + " does not exist.");
    return state;
  }
  return IllegalArgument("Cannot find provided version file " + name + " in metadata log.");
}

Result<RowSet> RewriteTablePath(const Table& any, const std::vector<Value>& arguments) {
  const IcebergTable& table = Iceberg(any);
  const TableMetadata& metadata = table.metadata();
  const std::string source = arguments[0].string(), target = arguments[1].string();
  const auto check_text = [&](size_t argument, const char* what) -> Status {
    if (!arguments[argument].is_null() && TrimBlanks(arguments[argument].string()).empty())
      return IllegalArgument(std::string(what) + "('" + arguments[argument].string() + "') cannot be empty.");
    return {};
  };
  FRAZIL_RETURN_IF_ERROR(check_text(2, "Start version"));
  FRAZIL_RETURN_IF_ERROR(check_text(3, "End version"));
  FRAZIL_RETURN_IF_ERROR(check_text(4, "Staging location"));
  if (source.empty()) return IllegalArgument("Source prefix('') cannot be empty.");
  if (target.empty()) return IllegalArgument("Target prefix('') cannot be empty.");
  if (source == target) return IllegalArgument("Source prefix cannot be the same as target prefix (" + source + ")");
  FRAZIL_ASSIGN_OR_RETURN(
      const TableMetadataPtr end,
      FindVersion(table, arguments[3].is_null() ? FileName(metadata.metadata_location) : arguments[3].string()));
  TableMetadataPtr start;
  if (!arguments[2].is_null()) {
    FRAZIL_ASSIGN_OR_RETURN(start, FindVersion(table, arguments[2].string()));
  }
  const std::string staging = arguments[4].is_null()
                                  ? TableOperations::MetadataPath(metadata, "copy-table-staging-" + RandomUuidText())
                                  : arguments[4].string();
  PathRewrite rewrite(table, source, target, staging, start);
  FRAZIL_RETURN_IF_ERROR(rewrite.Run(*end));
  std::string list = "N/A";
  if (arguments[5].is_null() || arguments[5].boolean()) {
    FRAZIL_ASSIGN_OR_RETURN(list, rewrite.WriteFileList());
  }
  return RowSet{DataType::Struct({{"latest_version", DataType::String()},
                                  {"file_list_location", DataType::String()},
                                  {"rewritten_manifest_file_paths_count", DataType::Integer()},
                                  {"rewritten_delete_file_paths_count", DataType::Integer()}}),
                {{Value(FileName(end->metadata_location)), Value(std::move(list)), Value(rewrite.manifests()),
                  Value(rewrite.delete_files())}}};
}

}  // namespace

std::vector<TableProcedure> PathProcedures() {
  return {{"rewrite_table_path",
           {{"source_prefix", DataType::String(), true},
            {"target_prefix", DataType::String(), true},
            {"start_version", DataType::String()},
            {"end_version", DataType::String()},
            {"staging_location", DataType::String()},
            {"create_file_list", DataType::Boolean()}},
           RewriteTablePath}};
}

}  // namespace frazil::tables::iceberg
