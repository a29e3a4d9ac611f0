#pragma once

// What a streaming query reads, and how far it has come in it.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "frazil/analysis/analysis_context.h"
#include "frazil/base/result.h"
#include "frazil/commands/command_context.h"

namespace frazil::streaming {

/// A place in a source, between two rows, as one line of text: what Spark's checkpoints keep of it.
using Offset = std::string;

/// The rows of a source between two offsets.
struct SourceRows {
  analysis::OpenedStream stream;
  std::optional<int64_t> count;  ///< Where it is known without reading them.
};

/// One source of one query. Used by the query's thread alone; `context` is a statement of the query's session.
class Source {
 public:
  virtual ~Source() = default;

  /// As progress reports name it.
  virtual std::string description() const = 0;
  /// Where a query begins that has not read the source yet; nullopt: before the first rows, whenever they come.
  virtual Result<std::optional<Offset>> InitialOffset(commands::CommandContext& /*context*/) {
    return std::optional<Offset>();
  }
  /// The end of the batch that begins at `start`: as far as there are rows and, unless `all`, as the source's limits
  /// go. `start` itself where nothing is new.
  virtual Result<std::optional<Offset>> NextOffset(const std::optional<Offset>& start, bool all,
                                                   commands::CommandContext& context) = 0;
  /// The rows behind `start` up to `end`: always the same ones for the same offsets.
  virtual Result<SourceRows> Rows(const std::optional<Offset>& start, const Offset& end,
                                  commands::CommandContext& context) = 0;
  /// From now on nothing is read beyond what is there at this moment.
  virtual Status StopAtPresent(commands::CommandContext& context) = 0;
  /// The newest place that NextOffset has seen, beyond its limits; nullopt: no rows yet.
  virtual std::optional<Offset> newest() const = 0;
  /// What progress reports tell of a batch that ends there, in the source's own words.
  virtual std::map<std::string, std::string> Metrics(const Offset& /*end*/) const { return {}; }
  /// The query has written all rows up to `end` for good.
  virtual Status Committed(const Offset& /*end*/, commands::CommandContext& /*context*/) { return {}; }
};

}  // namespace frazil::streaming
