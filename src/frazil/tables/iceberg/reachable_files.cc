#include "frazil/tables/iceberg/reachable_files.h"

#include <algorithm>

#include "frazil/base/integer_text.h"
#include "frazil/tables/iceberg/parallel_for.h"

namespace frazil::tables::iceberg {

bool ReachableFiles::Has(const std::string& local_path) const {
  return content_files.count(local_path) != 0 || manifests.count(local_path) != 0 ||
         manifest_lists.count(local_path) != 0 || statistics.count(local_path) != 0;
}

Result<ReachableFiles> FindReachableFiles(const TableOperations& operations, const TableMetadata& metadata,
                                          const std::vector<const Snapshot*>& snapshots) {
  ReachableFiles files;
  std::vector<ManifestFile> manifests;
  for (const Snapshot* snapshot : snapshots) {
    if (!snapshot->manifest_list.empty())
      files.manifest_lists[storage::LocalPath(snapshot->manifest_list)] = snapshot->manifest_list;
    FRAZIL_ASSIGN_OR_RETURN(auto list, operations.ReadManifests(metadata, *snapshot));
    for (const auto& manifest : *list) {
      if (files.manifests.emplace(storage::LocalPath(manifest.path), manifest.path).second)
        manifests.push_back(manifest);
    }
  }
  std::vector<ManifestEntries> read(manifests.size());
  FRAZIL_RETURN_IF_ERROR(ParallelFor(manifests.size(), ReadThreads(), [&](size_t i) -> Status {
    FRAZIL_ASSIGN_OR_RETURN(read[i], operations.ReadEntries(metadata, manifests[i]));
    return {};
  }));
  for (const auto& entries : read) {
    for (const auto& entry : *entries) {
      if (entry.status == EntryStatus::kDeleted) continue;
      files.content_files[storage::LocalPath(entry.file->path)] = {entry.file->path, entry.file->content};
    }
  }
  for (const auto* group : {&metadata.statistics, &metadata.partition_statistics}) {
    for (const auto& item : *group) {
      const JsonValue* id = item.Find("snapshot-id");
      const JsonValue* path = item.Find("statistics-path");
      if (id == nullptr || path == nullptr) continue;
      auto snapshot_id = ParseInteger<int64_t>(id->text);
      if (std::any_of(snapshots.begin(), snapshots.end(),
                      [&](const Snapshot* s) { return s->snapshot_id == snapshot_id; })) {
        files.statistics[storage::LocalPath(path->text)] = path->text;
      }
    }
  }
  return files;
}

Result<ReachableFiles> FindReachableFiles(const TableOperations& operations, const TableMetadata& metadata) {
  std::vector<const Snapshot*> snapshots;
  for (const auto& snapshot : metadata.snapshots) snapshots.push_back(&snapshot);
  return FindReachableFiles(operations, metadata, snapshots);
}

}  // namespace frazil::tables::iceberg
