#include "frazil/engine/statement.h"

#include <algorithm>
#include <thread>

#include <duckdb/common/progress_bar/progress_bar.hpp>
#include <duckdb/execution/executor.hpp>
#include <duckdb/main/client_context.hpp>
#include <duckdb/parallel/task_scheduler.hpp>
#include <duckdb/parser/statement/select_statement.hpp>

#include "frazil/base/deep_stack.h"
#include "frazil/engine/lowering.h"

namespace frazil::engine {
namespace {

constexpr std::chrono::milliseconds kProgressInterval{50};
constexpr std::chrono::microseconds kShortestPause{10};
constexpr std::chrono::microseconds kLongestPause{500};

}  // namespace

StatementState& StatementState::Of(duckdb::ClientContext& client) {
  auto state = client.registered_state->Get<StatementState>(kKey);
  if (state == nullptr) ThrowSparkError(Error::Internal("The connection runs no statement of the engine"));
  return *state;
}

Statement::Statement(duckdb::DatabaseInstance& database, const FunctionLoweringRegistry& registry,
                     const ExecutionContext& context)
    : registry_(registry),
      connection_(std::make_shared<duckdb::Connection>(database)),
      state_(duckdb::make_shared_ptr<StatementState>()) {
  state_->context = context;
  auto& client = *connection_->context;
  client.registered_state->Insert(StatementState::kKey, state_);
  if (context.cancel != nullptr) {
    interrupt_id_ = context.cancel->AddInterrupt([weak = std::weak_ptr<duckdb::Connection>(connection_)] {
      if (auto connection = weak.lock()) connection->Interrupt();
    });
  }
}

Statement::~Statement() {
  if (state_->context.cancel != nullptr) state_->context.cancel->RemoveInterrupt(interrupt_id_);
  if (result_ != nullptr || pending_ != nullptr) {
    // A stream that nobody reads on must not keep its tasks running.
    connection_->Interrupt();
    result_.reset();
    pending_.reset();
  }
}

Error Statement::Failure(const duckdb::ErrorData& error) const {
  const Status cancelled = CheckNotCancelled(state_->context.cancel.get());
  return cancelled.ok() ? state_->origins.Locate(ErrorFromDuckDb(error), error) : cancelled.error();
}

Status Statement::StartQuery(const plan::LogicalPlanPtr& plan) {
  plan_ = plan;
  return Start([&](StatementState& state) -> Result<duckdb::unique_ptr<duckdb::SQLStatement>> {
    Lowering lowering(registry_, state);
    FRAZIL_ASSIGN_OR_RETURN(auto statement, lowering.LowerStatement(plan));
    observed_ = lowering.observed();
    return duckdb::unique_ptr<duckdb::SQLStatement>(std::move(statement));
  });
}

Status Statement::Start(const std::function<Result<duckdb::unique_ptr<duckdb::SQLStatement>>(StatementState&)>& make) {
  Status status;
  if (state_->context.metrics != nullptr) state_->context.metrics->progress.store(0);
  RunOnDeepStack([&] {
    try {
      auto statement = make(*state_);
      if (!statement.ok()) {
        status = statement.status();
        return;
      }
      auto owned = *std::move(statement);
      pending_ = connection_->PendingQuery(std::move(owned), duckdb::QueryResultOutputType::ALLOW_STREAMING);
      if (pending_->HasError()) {
        status = Failure(pending_->GetErrorObject());
        pending_.reset();
      }
    } catch (const std::exception& exception) {
      status = Failure(duckdb::ErrorData(exception));
    }
  });
  return status;
}

void Statement::UpdateProgress() {
  auto& metrics = state_->context.metrics;
  const auto now = std::chrono::steady_clock::now();
  if (metrics == nullptr || now < next_progress_) return;
  next_progress_ = now + kProgressInterval;
  // Not DuckDB's own progress bar: it gives up for good at the first pipeline that cannot tell how far it is.
  duckdb::ProgressData progress;
  duckdb::Executor::Get(*connection_->context).GetPipelinesProgress(progress);
  if (progress.total <= 0) return;
  const double part = std::min(progress.done / progress.total, 1.0);
  metrics->progress.store(std::max(metrics->progress.load(), part));
}

void Statement::DropWaitingTasks() {
  // An interrupt reaches the tasks of pipelines only. Those that finish a sink (building the table of a hash join)
  // would run to their end, and DuckDB runs all that wait before it gives a cancelled query up.
  auto& client = *connection_->context;
  auto& scheduler = duckdb::TaskScheduler::GetScheduler(client);
  auto& producer = duckdb::Executor::Get(client).GetToken();
  duckdb::shared_ptr<duckdb::Task> task;
  while (scheduler.GetTaskFromProducer(producer, task)) task.reset();
}

void Statement::Stop() {
  if (pending_ == nullptr) return;
  connection_->Interrupt();
  duckdb::Executor::Get(*connection_->context).CancelTasks();
}

Status Statement::WaitForResult() {
  auto pause = kShortestPause;
  while (true) {
    if (const Status cancelled = CheckNotCancelled(state_->context.cancel.get()); !cancelled.ok()) {
      DropWaitingTasks();
      return cancelled;
    }
    const auto state = pending_->ExecuteTask();
    if (state == duckdb::PendingExecutionResult::EXECUTION_ERROR) {
      const auto failed = std::move(pending_);  // DuckDB has ended the query already.
      return Failure(failed->GetErrorObject());
    }
    if (duckdb::PendingQueryResult::IsResultReady(state)) break;
    if (state == duckdb::PendingExecutionResult::BLOCKED) {
      pending_->WaitForTask();
    } else if (state == duckdb::PendingExecutionResult::NO_TASKS_AVAILABLE) {
      // The other threads have all the work. DuckDB has nothing to wait on here, and asking on and on would cost a
      // core.
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, kLongestPause);
    } else {
      pause = kShortestPause;
    }
    UpdateProgress();
  }
  result_ = pending_->Execute();
  pending_.reset();
  if (result_->HasError()) return Failure(result_->GetErrorObject());
  return Status::Ok();
}

Result<duckdb::unique_ptr<duckdb::DataChunk>> Statement::NextChunk() {
  try {
    if (pending_ != nullptr) FRAZIL_RETURN_IF_ERROR(WaitForResult());
    if (result_ == nullptr) return duckdb::unique_ptr<duckdb::DataChunk>();
    auto chunk = result_->Fetch();
    if (result_->HasError()) return Failure(result_->GetErrorObject());
    if (chunk == nullptr || chunk->size() == 0) {
      result_.reset();
      if (state_->context.metrics != nullptr) state_->context.metrics->progress.store(1);
      return duckdb::unique_ptr<duckdb::DataChunk>();
    }
    // Only a stream that is open has a plan that still runs.
    if (result_->type == duckdb::QueryResultType::STREAM_RESULT &&
        result_->Cast<duckdb::StreamQueryResult>().IsOpen()) {
      UpdateProgress();
    }
    return chunk;
  } catch (const std::exception& exception) {
    return Failure(duckdb::ErrorData(exception));
  }
}

}  // namespace frazil::engine
