#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/iceberg/table_operations.h"

namespace frazil::tables::iceberg {

// Which rows of data files are deleted, by their positions: position delete files (v2) and deletion vectors (v3).
// Source: Iceberg spec, "Position Delete Files", "Deletion Vectors"; Puffin spec, "deletion-vector-v1".

/// Field ids of the columns of position delete files.
inline constexpr int32_t kDeleteFilePathId = 2147483546;
inline constexpr int32_t kDeletePositionId = 2147483545;

/// Positions of rows, ascending, by the path of the data file as the table names it.
using PositionsByFile = std::map<std::string, std::vector<int64_t>>;

/// The one data file that a position delete file or vector is about: named, or by equal bounds of its paths. Bounds
/// that were cut off are never equal, or short.
std::optional<std::string> ReferencedDataFile(const DataFile& file);

/// What tells files of deletes apart: vectors share their Puffin file.
std::string DeleteFileKey(const DataFile& file);

/// The rows of a position delete file or a vector. Errors tell damaged files.
Result<PositionsByFile> ReadPositionDeletes(const TableOperations& operations, const DataFile& file);

/// A data file some of whose rows are deleted; positions ascending.
struct DeletedRows {
  DataFilePtr file;
  std::vector<int64_t> positions;
};

/// The live data files of these paths, as far as the snapshot has them.
Result<std::vector<ManifestEntry>> FindDataFiles(const TableOperations& operations, const TableMetadata& metadata,
                                                 const std::vector<ManifestFile>& manifests,
                                                 const PositionsByFile& paths);

/// Writes vectors (from v3 on), or position delete files by write.delete.granularity, that say nothing but this. Every
/// path that was begun is added to `written`, even on errors.
Result<std::vector<DataFilePtr>> WriteDeletedRows(const TableOperations& operations, const TableMetadata& metadata,
                                                  std::vector<DeletedRows> deleted, std::vector<std::string>* written);

/// A file of position deletes as it must be where the table's files have other names.
struct MovedDeletes {
  std::string path;  ///< Where it was written.
  int64_t size = 0;
  std::optional<std::vector<int64_t>> split_offsets;
};

/// Writes such a file beside `path`, with its own name where the format gives names away (vectors), and in the format
/// of `file`. `moved` tells the new names of data files; those of vectors stay at their offsets. A file without rows
/// stays where it is.
Result<MovedDeletes> WriteMovedDeletes(const TableOperations& operations, const TableMetadata& metadata,
                                       const DataFile& file,
                                       const std::function<Result<std::string>(const std::string&)>& moved,
                                       const std::string& path);

/// Files of deletes that a commit brings and that it makes needless.
struct NewDeletes {
  std::vector<DataFilePtr> added;
  std::vector<DataFilePtr> replaced;
};

/// Writes files that delete rows of data files of a snapshot, over and above what is deleted there already: vectors
/// hold all that was said before, position delete files what was said of their data file alone.
Result<NewDeletes> WritePositionDeletes(const TableOperations& operations, const TableMetadata& metadata,
                                        const Snapshot& snapshot, PositionsByFile deleted,
                                        std::vector<std::string>* written);

}  // namespace frazil::tables::iceberg
