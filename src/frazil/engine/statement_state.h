#pragma once

// What belongs to one running statement and is found again inside DuckDB's callbacks. Internal to engine/.

#include <duckdb.hpp>
#include <duckdb/main/client_context_state.hpp>

#include <memory>
#include <vector>

#include "frazil/engine/engine.h"
#include "frazil/plan/logical_plan.h"

namespace frazil::engine {

/// A scan of the statement, by the index that its table function gets as argument.
struct StatementScan {
  plan::LogicalPlanPtr owner;  ///< Keeps `node` alive.
  const plan::ScanNode* node = nullptr;
};

struct StatementState : duckdb::ClientContextState {
  ExecutionContext context;
  std::vector<StatementScan> scans;
  /// Arrow tables and the like that DuckDB reads by address.
  std::vector<std::shared_ptr<void>> kept;

  static constexpr const char* kKey = "frazil_statement";
  /// The state of the statement that runs on this connection; throws where there is none.
  static StatementState& Of(duckdb::ClientContext& client);
};

}  // namespace frazil::engine
