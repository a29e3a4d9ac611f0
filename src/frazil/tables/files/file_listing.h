#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/storage/object_store.h"
#include "frazil/types/data_type.h"
#include "frazil/types/time_zone.h"

namespace frazil::tables {

/// A file of a folder of plain files, with the values that its partition folders (name=value) give.
struct ListedFile {
  std::string path;
  int64_t size = 0;
  int64_t modified_micros = 0;
  std::vector<std::optional<std::string>>
      partition_texts;  ///< One for each partition column; nullopt: the Hive default partition (NULL).
};

/// All data files below some paths.
struct FileListing {
  std::vector<ListedFile> files;
  std::vector<StructField> partition_columns;              ///< Types inferred from the values as Spark does.
  bool is_of_stream = false;                               ///< The log of a streaming sink says which files there are.
  std::shared_ptr<const TimeZone> zone = TimeZone::Utc();  ///< Of timestamps in partition folders.
};

struct ListingOptions {
  bool recursive_lookup = false;      ///< recursiveFileLookup: every file below, no partition folders.
  bool infer_partition_types = true;  ///< spark.sql.sources.partitionColumnTypeInference.enabled
  std::string path_glob_filter;       ///< pathGlobFilter: on the file's name; empty: all.
  std::string base_path;              ///< basePath: where partition folders begin; empty: each given path.
  std::optional<int64_t> modified_before_micros, modified_after_micros;
  std::shared_ptr<const TimeZone> zone = TimeZone::Utc();  ///< Of timestamps in partition folders.
};

/// The options recursiveFileLookup, pathGlobFilter, basePath, modifiedBefore, modifiedAfter and timeZone of a read;
/// keys in lower case. Times are in `zone` where neither they nor the options name one.
Result<ListingOptions> ReadListingOptions(const std::map<std::string, std::string>& options,
                                          std::shared_ptr<const TimeZone> zone);

/// Lists the files of each path (a file, a folder, or a glob of either). Names that begin with '_' or '.' are left out,
/// as in Spark. Errors: PATH_NOT_FOUND, CONFLICTING_PARTITION_COLUMN_NAMES.
/// https://spark.apache.org/docs/latest/sql-data-sources-parquet.html#partition-discovery
Result<FileListing> ListFiles(storage::ObjectStore& store, const std::vector<std::string>& paths,
                              const ListingOptions& options);

/// Whether a text matches a file-name pattern: * ? [a-z] {x,y} and backslash escapes; `*` does not cross '/'.
bool MatchesGlob(std::string_view text, std::string_view pattern);

}  // namespace frazil::tables
