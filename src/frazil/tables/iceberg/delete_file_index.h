#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/iceberg/table_operations.h"
#include "frazil/tables/scan.h"

namespace frazil::tables::iceberg {

/// The delete files of a snapshot, found by the data file that they may concern ("Scan Planning": partition and
/// sequence number decide). Immutable after building, thread-safe.
class DeleteFileIndex {
 public:
  /// `metadata` outlives the index.
  static Result<DeleteFileIndex> Build(const TableOperations& operations, const TableMetadata& metadata,
                                       const std::vector<ManifestFile>& manifests);

  bool empty() const { return empty_; }
  /// Adds to `scan_file` what deletes rows of the data file. What equality deletes delete is found by a look
  /// into the files.
  Status Apply(const TableOperations& operations, const ManifestEntry& data, ScanFile* scan_file) const;
  /// The vector, or else the position delete files, that may delete rows of the data file.
  std::vector<DataFilePtr> PositionDeletesOf(const ManifestEntry& data) const;

 private:
  struct Item {
    ManifestEntry entry;
    std::shared_ptr<const PositionDeleteFile> reference;
  };
  std::vector<const Item*> PositionItems(const ManifestEntry& data) const;

  const TableMetadata* metadata_ = nullptr;
  bool empty_ = true;
  std::map<std::string, Item> vectors_;                    ///< Deletion vectors by data file.
  std::map<std::string, std::vector<Item>> by_data_file_;  ///< Position deletes of one data file.
  std::map<std::string, std::vector<Item>> by_partition_;
  std::vector<ManifestEntry> global_equality_;
  std::map<std::string, std::vector<ManifestEntry>> equality_by_partition_;
};

}  // namespace frazil::tables::iceberg
