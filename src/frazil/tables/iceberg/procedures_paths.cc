// CALL system.rewrite_table_path: the table's metadata as it must be where the table is copied to.
// Source: https://iceberg.apache.org/docs/latest/spark-procedures/#rewrite_table_path

#include <algorithm>
#include <set>

#include "frazil/base/uuid.h"
#include "frazil/codec/deflate.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/manifest_writer.h"
#include "frazil/tables/iceberg/procedures_internal.h"

namespace frazil::tables::iceberg {
namespace {

std::string FileName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// One run; what it writes is in the staging folder alone.
class PathRewrite {
 public:
  PathRewrite(const IcebergTable& table, std::string source, std::string target, std::string staging)
      : operations_(*table.operations()),
        source_(WithSlash(std::move(source))),
        target_(WithSlash(std::move(target))),
        staging_(WithSlash(std::move(staging))) {}

  static std::string WithSlash(std::string folder) {
    if (!folder.ends_with('/')) folder += '/';
    return folder;
  }

  /// All states from the newest one, `end`, back to the first whose file is kept.
  Status Run(const TableMetadata& end) {
    FRAZIL_RETURN_IF_ERROR(RewriteState(end, end.metadata_location));
    for (const auto& entry : end.metadata_log) {
      FRAZIL_ASSIGN_OR_RETURN(auto state, operations_.ReadMetadata(entry.file));
      FRAZIL_RETURN_IF_ERROR(RewriteState(*state, entry.file));
    }
    for (const auto& snapshot : end.snapshots) FRAZIL_RETURN_IF_ERROR(RewriteSnapshot(end, snapshot));
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

  Status RewriteSnapshot(const TableMetadata& state, const Snapshot& snapshot) {
    FRAZIL_ASSIGN_OR_RETURN(auto manifests, operations_.ReadManifests(state, snapshot));
    std::vector<ManifestFile> moved = *manifests;
    for (auto& manifest : moved) FRAZIL_RETURN_IF_ERROR(RewriteManifest(state, &manifest));
    int64_t next_row_id = snapshot.first_row_id.value_or(0);
    FRAZIL_ASSIGN_OR_RETURN(std::string list,
                            WriteManifestList(state.format_version, snapshot.snapshot_id, snapshot.parent_id,
                                              snapshot.sequence_number, std::move(moved), &next_row_id));
    return Stage(snapshot.manifest_list, list);
  }

  Status RewriteManifest(const TableMetadata& state, ManifestFile* manifest) {
    const ManifestFile before = *manifest;
    const std::string& path = before.path;
    FRAZIL_ASSIGN_OR_RETURN(manifest->path, NewPath(path));
    auto known = manifests_.find(path);
    if (known != manifests_.end()) {
      manifest->length = known->second;
      return {};
    }
    // These name data files in their rows.
    if (manifest->content == ManifestContent::kDeletes)
      return Error::Unsupported("rewrite_table_path of tables with delete files");
    FRAZIL_ASSIGN_OR_RETURN(ManifestEntries entries, operations_.ReadEntries(state, before));
    FRAZIL_ASSIGN_OR_RETURN(auto writer, ManifestWriter::Make(state, manifest->spec_id, manifest->content,
                                                              manifest->added_snapshot_id, manifest->path));
    for (const auto& entry : *entries) {
      auto file = std::make_shared<DataFile>(*entry.file);
      FRAZIL_ASSIGN_OR_RETURN(file->path, NewPath(file->path));
      ManifestEntry moved = entry;
      moved.file = file;
      switch (entry.status) {
        case EntryStatus::kAdded:
          FRAZIL_RETURN_IF_ERROR(writer->Added(file, entry.sequence_number));
          break;
        case EntryStatus::kExisting:
          FRAZIL_RETURN_IF_ERROR(writer->Existing(moved));
          break;
        case EntryStatus::kDeleted:
          FRAZIL_RETURN_IF_ERROR(writer->Deleted(moved));
          break;
      }
      if (entry.status != EntryStatus::kDeleted) copies_.emplace(entry.file->path, file->path);
    }
    FRAZIL_ASSIGN_OR_RETURN(auto output, writer->Finish());
    manifest->length = output.manifest.length;
    manifests_[path] = manifest->length;
    return Stage(path, output.data);
  }

  const TableOperations& operations_;
  const std::string source_, target_, staging_;
  std::map<std::string, int64_t> manifests_;              ///< Lengths of those that were rewritten, by their old paths.
  std::set<std::pair<std::string, std::string>> copies_;  ///< From where to where.
};

Result<RowSet> RewriteTablePath(const Table& any, const std::vector<Value>& arguments) {
  const IcebergTable& table = Iceberg(any);
  const TableMetadata& metadata = table.metadata();
  const std::string source = arguments[0].string(), target = arguments[1].string();
  if (source.empty()) return IllegalArgument("Source prefix('') cannot be empty.");
  if (target.empty()) return IllegalArgument("Target prefix('') cannot be empty.");
  if (source == target) return IllegalArgument("Source prefix cannot be the same as target prefix (" + source + ")");
  if (!arguments[2].is_null()) return Error::Unsupported("rewrite_table_path with start_version");
  TableMetadataPtr end;
  if (arguments[3].is_null() || arguments[3].string() == FileName(metadata.metadata_location)) {
    end = std::make_shared<const TableMetadata>(metadata);
  } else {
    for (const auto& entry : metadata.metadata_log) {
      if (FileName(entry.file) != arguments[3].string()) continue;
      FRAZIL_ASSIGN_OR_RETURN(end, table.operations()->ReadMetadata(entry.file));
    }
    if (end == nullptr)
      return IllegalArgument("Cannot find provided version file " + arguments[3].string() + " in metadata log.");
  }
  const std::string staging = arguments[4].is_null()
                                  ? TableOperations::MetadataPath(metadata, "copy-table-staging-" + RandomUuidText())
                                  : arguments[4].string();
  PathRewrite rewrite(table, source, target, staging);
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
                  Value(int64_t{0})}}};
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
