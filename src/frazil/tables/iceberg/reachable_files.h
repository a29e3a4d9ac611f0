#pragma once

#include <map>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/iceberg/table_operations.h"

namespace frazil::tables::iceberg {

/// The files that snapshots need, by the name that storage::LocalPath gives them (tables name one file in several
/// ways), with the path as it is written.
struct ReachableFiles {
  struct ContentFile {
    std::string path;
    FileContent content = FileContent::kData;
  };
  std::map<std::string, ContentFile> content_files;  ///< Data and delete files that are live in a snapshot.
  std::map<std::string, std::string> manifests;
  std::map<std::string, std::string> manifest_lists;
  std::map<std::string, std::string> statistics;

  bool Has(const std::string& local_path) const;
};

/// Files of these snapshots of a state, and the statistics files of that state that belong to them.
Result<ReachableFiles> FindReachableFiles(const TableOperations& operations, const TableMetadata& metadata,
                                          const std::vector<const Snapshot*>& snapshots);
/// Of all snapshots.
Result<ReachableFiles> FindReachableFiles(const TableOperations& operations, const TableMetadata& metadata);

}  // namespace frazil::tables::iceberg
