#pragma once

// The logs of a checkpoint, as Spark lays them out: a folder with one file a batch, called by its number.
// Source: org.apache.spark.sql.execution.streaming.checkpointing (HDFSMetadataLog, OffsetSeqLog, CommitLog) and what
// Spark 4.1 writes.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/storage/object_store.h"
#include "frazil/streaming/source.h"

namespace frazil::streaming {

/// A folder of numbered files, each written once and whole.
class MetadataLog {
 public:
  MetadataLog(storage::ObjectStorePtr store, std::string folder)
      : store_(std::move(store)), folder_(std::move(folder)) {}

  /// False where the batch is there already.
  Result<bool> Add(int64_t batch, std::string_view text);
  Result<std::optional<std::string>> Get(int64_t batch) const;
  /// The numbers, ascending.
  Result<std::vector<int64_t>> Batches() const;
  Result<std::optional<int64_t>> Latest() const;
  /// Deletes all batches before this one.
  Status RemoveBefore(int64_t batch);

  const std::string& folder() const { return folder_; }
  std::string PathOf(int64_t batch) const;
  const storage::ObjectStorePtr& store() const { return store_; }

 private:
  storage::ObjectStorePtr store_;
  std::string folder_;
  std::optional<int64_t> oldest_;  ///< The oldest batch that may still be there; unknown at first.
};

/// offsets/N: what batch N reads, written before it begins.
struct BatchOffsets {
  int64_t watermark_ms = 0;
  int64_t timestamp_ms = 0;
  std::map<std::string, std::string> settings;  ///< Those that a query keeps over restarts.
  std::vector<std::optional<Offset>> ends;      ///< Of each source; nullopt: it has given nothing yet.

  std::string Text() const;
  /// Errors: those of tables::LogLines, or a plain IllegalStateException where the text is no such entry.
  static Result<BatchOffsets> Parse(const std::string& text);
};

/// commits/N: batch N is written for good.
struct BatchCommit {
  int64_t next_watermark_ms = 0;

  std::string Text() const;
  static Result<BatchCommit> Parse(const std::string& text);
};

/// The id of the query whose checkpoint a folder is; a new one where it is none yet.
Result<std::string> CheckpointQueryId(storage::ObjectStore& store, const std::string& folder);

}  // namespace frazil::streaming
