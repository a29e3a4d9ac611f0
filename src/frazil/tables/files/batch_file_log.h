#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/storage/object_store.h"

namespace frazil::tables {

/// The folder in a folder of files into which a streaming query writes.
inline constexpr const char* kSinkLogFolder = "_spark_metadata";

/// A log with a list of entries (JSON texts) for each batch: the files that a streaming query has written
/// (_spark_metadata) or seen (sources/N of its checkpoint). Each tenth file is called N.compact and has all entries up
/// to there. Source: CompactibleFileStreamLog of Spark.
class BatchFileLog {
 public:
  /// `store` outlives the log.
  BatchFileLog(storage::ObjectStore& store, std::string folder) : store_(store), folder_(std::move(folder)) {}

  /// False where the batch is there already. Batches come one after the other, from 0 on.
  Result<bool> Add(int64_t batch, const std::vector<std::string>& entries);
  /// The newest batch.
  Result<std::optional<int64_t>> Latest() const;
  /// All entries, in the order of their batches. Errors, which name the file: a damaged or missing one.
  Result<std::vector<std::string>> Entries() const;
  const std::string& folder() const { return folder_; }

 private:
  struct LogFile {
    int64_t batch = 0;
    bool is_compact = false;
    std::string path;
  };
  /// Those that make up the whole log: the newest compact one and what comes behind it, without gaps: reading one that
  /// is missing fails.
  Result<std::vector<LogFile>> Files() const;

  storage::ObjectStore& store_;
  std::string folder_;
};

/// The lines behind the first of a file in a streaming log, which is the version "v1". Errors: IllegalStateException
/// where the text is empty, MALFORMED_LOG_FILE, INVALID_LOG_VERSION. Source: MetadataVersionUtil of Spark.
/// `exact_version`: of a log that has had no earlier version either.
Result<std::vector<std::string>> LogLines(std::string_view text, bool exact_version = false);
/// The error of a log's file that cannot be read as what it should be, with the file's name.
Error InLogFile(const std::string& path, Error error);

/// The entry of a file that a streaming query has written.
std::string SinkLogEntry(const std::string& path, int64_t size, int64_t modified_ms);
/// Paths (as storage::LocalPath gives them) of the files that a log has. `folder`: the log's.
Result<std::set<std::string>> CommittedSinkFiles(storage::ObjectStore& store, const std::string& folder);

}  // namespace frazil::tables
