#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "frazil/commands/command_context.h"
#include "frazil/engine/engine.h"

namespace frazil::streaming {

/// What a statement of a query runs under.
struct StatementRun {
  std::shared_ptr<engine::CancelToken> cancel;
  std::shared_ptr<engine::ExecutionMetrics> metrics;
  std::function<void(engine::ObservedMetrics)> on_observed;
  std::optional<int64_t> now_micros;  ///< What current_timestamp() gives; absent: the time of the call.
};

/// What a streaming query asks of the session that it was started in. Implemented by the session.
class StreamHost {
 public:
  virtual ~StreamHost() = default;
  /// A statement of the query's own session: settings, views and current names are those at the query's start.
  virtual std::unique_ptr<commands::CommandContext> NewStatement(const StatementRun& run) = 0;
  /// Keeps a relation of the user's session, under an id that is new or known already.
  virtual void PutUserRelation(const std::string& id, analysis::CachedRelation relation) = 0;
  virtual void DropUserRelation(const std::string& id) = 0;
  /// Makes or replaces a temporary view of the user's session.
  virtual void PutUserView(const std::string& name, analysis::TempView view) = 0;
};

}  // namespace frazil::streaming
