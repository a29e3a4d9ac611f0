#pragma once

#include <map>
#include <optional>
#include <string>

#include "frazil/tables/scan.h"

namespace frazil::tables {

/// Rows that came into a table between two places of its history.
struct MicroBatch {
  TableScanPtr scan;
  std::optional<int64_t> rows;  ///< How many, where it is known.
};

/// A table whose history can be read bit by bit, as a streaming source: a table that can is also of this type. Places
/// stand between two files of the history; their texts are those that the format's own streaming source keeps in
/// Spark's checkpoints. All answers are those of the table as it is loaded. `options`: those of the read, keys in lower
/// case.
class MicroBatches {
 public:
  virtual ~MicroBatches() = default;

  using Options = std::map<std::string, std::string>;

  /// As Spark's progress reports name the source.
  virtual std::string StreamDescription() const = 0;
  /// Columns of the stream. Checks the options.
  virtual Result<DataTypePtr> StreamSchema(const Options& options) const = 0;
  /// Where a stream begins; nullopt: the table has nothing yet of which a place could be told.
  virtual Result<std::optional<std::string>> FirstPlace(const Options& options) const = 0;
  /// The end of the batch that begins at `start`: the end of the history, or unless `all` as far as the limits among
  /// the options go. `start` where nothing is new. Errors: commits that a stream cannot read, history that is gone.
  virtual Result<std::string> NextPlace(const std::string& start, bool all, const Options& options) const = 0;
  virtual Result<MicroBatch> Between(const std::string& start, const std::string& end,
                                     const Options& options) const = 0;
};

}  // namespace frazil::tables
