#include <algorithm>
#include <cstring>
#include <thread>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/util/message_differencer.h>

#include "frazil/base/deep_stack.h"
#include "frazil/base/text.h"
#include "frazil/codec/arrow_ipc.h"
#include "frazil/connect/execution_internal.h"
#include "frazil/connect/plan_reader_internal.h"
#include "frazil/connect/request_parser_internal.h"
#include "frazil/types/shared_batch.h"

namespace frazil::connect {
namespace {

namespace proto = spark::connect;

constexpr int64_t kLargestChunk = 4 * 1024 * 1024;
constexpr int64_t kSmallestChunk = 1024;
constexpr int64_t kProgressTasks = 100;

codec::IpcOptions IpcOptionsOf(const session::Session& session) {
  codec::IpcOptions options;
  options.time_zone = session.GetConfig("spark.sql.session.timeZone").value_or("UTC");
  const std::string compression =
      AsciiLower(session.GetConfig("spark.sql.execution.arrow.compression.codec").value_or("none"));
  if (compression == "zstd") options.compression = codec::IpcCompression::kZstd;
  if (compression == "lz4") options.compression = codec::IpcCompression::kLz4;
  return options;
}

int64_t ChunkBytesOf(const proto::ExecutePlanRequest& request) {
  for (const auto& option : request.request_options()) {
    if (!option.has_result_chunking_options()) continue;
    const auto& chunking = option.result_chunking_options();
    if (!chunking.allow_arrow_batch_chunking()) return 0;
    if (!chunking.has_preferred_arrow_chunk_size()) return kLargestChunk;
    return std::clamp<int64_t>(chunking.preferred_arrow_chunk_size(), kSmallestChunk, kLargestChunk);
  }
  return 0;
}

// The first string column of a batch's first row.
std::string FirstString(const ArrowBatch& batch) {
  const ArrowArray& array = batch.array();
  if (array.length == 0 || array.n_children == 0) return "";
  const ArrowArray& column = *array.children[0];
  if (column.n_buffers != 3) return "";
  const auto* offsets = static_cast<const int32_t*>(column.buffers[1]) + column.offset;
  return {static_cast<const char*>(column.buffers[2]) + offsets[0], static_cast<size_t>(offsets[1] - offsets[0])};
}

// Reads what is left of a result and drops it.
Status Drain(engine::ResultStream& stream) {
  while (true) {
    FRAZIL_ASSIGN_OR_RETURN(auto batch, stream.Next());
    if (batch == nullptr) return Status::Ok();
  }
}

void AddMetric(proto::ExecutePlanResponse::Metrics::MetricObject* object, const std::string& key,
               const std::string& name, const std::string& type, int64_t value) {
  auto& metric = (*object->mutable_execution_metrics())[key];
  metric.set_name(name);
  metric.set_value(value);
  metric.set_metric_type(type);
}

}  // namespace

Execution::Execution(session::SessionPtr session, session::OperationPtr operation, proto::ExecutePlanRequest request,
                     bool reattachable)
    : session_(std::move(session)),
      operation_(std::move(operation)),
      request_(std::move(request)),
      reattachable_(reattachable),
      chunk_bytes_(ChunkBytesOf(request_)),
      log_(operation_->id, reattachable) {}

bool Execution::SamePlan(const proto::ExecutePlanRequest& other) const {
  return google::protobuf::util::MessageDifferencer::Equals(request_.plan(), other.plan());
}

proto::ExecutePlanResponse Execution::NewResponse() const {
  proto::ExecutePlanResponse response;
  response.set_session_id(request_.session_id());
  response.set_server_side_session_id(session_->server_side_id());
  response.set_operation_id(operation_->id);
  return response;
}

Status Execution::Send(proto::ExecutePlanResponse response) {
  if (log_.Append(std::move(response))) return Status::Ok();
  return Error::Cancelled("The client has gone.");
}

void Execution::Run() {
  const Status status = RunPlan();
  // Before the client hears of the end: it may use the operation's id again at once.
  session_->EndOperation(operation_id());
  if (!status.ok()) {
    end_state_ = operation_->cancel->cancelled() ? State::kCancelled : State::kFailed;
    log_.Fail(std::make_shared<const Error>(status.error()));
    return;
  }
  end_state_ = State::kSucceeded;
  if (reattachable_) {
    auto response = NewResponse();
    response.mutable_result_complete();
    log_.AppendNow(std::move(response));
  }
  log_.Finish();
}

Execution::State Execution::state() const {
  const State end = end_state_;
  if (end != State::kRunning) return end;
  return operation_->cancel->cancelled() ? State::kTerminating : State::kRunning;
}

Status Execution::RunPlan() {
  switch (request_.plan().op_type_case()) {
    case proto::Plan::kRoot:
      return RunRelation(request_.plan().root());
    case proto::Plan::kCommand:
      return RunCommand(request_.plan().command());
    case proto::Plan::kCompressedOperation: {
      const auto& operation = request_.plan().compressed_operation();
      if (operation.op_type() == proto::Plan::CompressedOperation::OP_TYPE_RELATION) {
        proto::Relation relation;
        FRAZIL_RETURN_IF_ERROR(DecompressOperation(operation, &relation));
        return RunRelation(relation);
      }
      proto::Command command;
      FRAZIL_RETURN_IF_ERROR(DecompressOperation(operation, &command));
      return RunCommand(command);
    }
    case proto::Plan::OP_TYPE_NOT_SET:
      break;
  }
  return InvalidPlan("neither a relation nor a command");
}

Status Execution::RunRelation(const proto::Relation& relation) {
  PlanReader reader(session_.get());
  FRAZIL_ASSIGN_OR_RETURN(const auto plan, reader.ReadRelation(relation));
  FRAZIL_ASSIGN_OR_RETURN(auto result, session_->Execute(plan, operation_));
  FRAZIL_RETURN_IF_ERROR(SendRows(std::move(result)));
  return SendMetrics();
}

Status Execution::SendRows(session::StatementResult result) {
  const DataTypePtr schema = result.schema;
  auto schema_response = NewResponse();
  WriteDataType(*schema, schema_response.mutable_schema());
  FRAZIL_RETURN_IF_ERROR(Send(std::move(schema_response)));

  // Rows change nothing: who cancels them need not wait until the engine has come to rest.
  auto& cancel = *operation_->cancel;
  const int64_t interrupt = cancel.AddInterrupt([this] {
    log_.Fail(std::make_shared<const Error>(engine::CheckNotCancelled(operation_->cancel.get()).error()));
  });
  const Status status = SendBatches(schema, *result.stream);
  cancel.RemoveInterrupt(interrupt);
  return status;
}

Status Execution::SendBatches(const DataTypePtr& schema, engine::ResultStream& stream) {
  const codec::IpcOptions options = IpcOptionsOf(*session_);
  int64_t rows_sent = 0;
  bool any = false;
  while (true) {
    FRAZIL_ASSIGN_OR_RETURN(auto batch, stream.Next());
    if (batch == nullptr) break;
    const int64_t rows = batch->num_rows();
    if (rows == 0) continue;
    FRAZIL_ASSIGN_OR_RETURN(auto data, codec::EncodeBatch(*schema, std::move(*batch), options));
    FRAZIL_RETURN_IF_ERROR(SendBatch(std::move(data), rows, rows_sent));
    rows_sent += rows;
    any = true;
  }
  // The client makes its table from the batches: without rows it still needs one.
  if (!any) {
    FRAZIL_ASSIGN_OR_RETURN(auto data, codec::EncodeSchema(*schema, options));
    FRAZIL_RETURN_IF_ERROR(SendBatch(std::move(data), 0, 0));
  }
  return Status::Ok();
}

Status Execution::SendBatch(std::string data, int64_t rows, int64_t start_offset) {
  const auto size = static_cast<int64_t>(data.size());
  const int64_t pieces = chunk_bytes_ > 0 ? std::max<int64_t>(1, (size + chunk_bytes_ - 1) / chunk_bytes_) : 1;
  for (int64_t piece = 0; piece < pieces; ++piece) {
    auto response = NewResponse();
    auto* batch = response.mutable_arrow_batch();
    batch->set_row_count(rows);
    batch->set_start_offset(start_offset);
    if (chunk_bytes_ > 0) {
      batch->set_chunk_index(piece);
      batch->set_num_chunks_in_batch(pieces);
    }
    if (pieces == 1) {
      batch->set_data(std::move(data));
    } else {
      batch->set_data(data.substr(piece * chunk_bytes_, chunk_bytes_));
    }
    FRAZIL_RETURN_IF_ERROR(Send(std::move(response)));
  }
  return Status::Ok();
}

Status Execution::SendMetrics() {
  const auto& figures = *operation_->metrics;
  auto response = NewResponse();
  auto* object = response.mutable_metrics()->add_metrics();
  object->set_name("Execute");
  AddMetric(object, "numOutputRows", "number of output rows", "sum", figures.rows_out.load());
  AddMetric(object, "numInputRows", "number of input rows", "sum", figures.rows_read.load());
  AddMetric(object, "numFiles", "number of files read", "sum", figures.files_read.load());
  AddMetric(object, "filesSize", "size of files read", "size", figures.bytes_read.load());
  FRAZIL_RETURN_IF_ERROR(Send(std::move(response)));

  std::vector<engine::ObservedMetrics> observed;
  {
    const std::lock_guard lock(operation_->observed_mutex);
    observed = operation_->observed;
  }
  if (observed.empty()) return Status::Ok();
  auto observed_response = NewResponse();
  for (const auto& metrics : observed) {
    auto* message = observed_response.add_observed_metrics();
    message->set_name(metrics.name);
    message->set_plan_id(metrics.plan_id);
    for (const auto& key : metrics.keys) message->add_keys(key);
    for (size_t i = 0; i < metrics.values.size() && i < metrics.types.size(); ++i) {
      WriteLiteral(*metrics.types[i], metrics.values[i], message->add_values());
    }
  }
  return Send(std::move(observed_response));
}

Status Execution::RunCommand(const proto::Command& command) {
  switch (command.command_type_case()) {
    case proto::Command::kSqlCommand:
      return RunSqlCommand(command.sql_command());
    case proto::Command::kGetResourcesCommand: {
      auto response = NewResponse();
      response.mutable_get_resources_command_result();
      return Send(std::move(response));
    }
    case proto::Command::kRemoveCachedRemoteRelationCommand:
      session_->RemoveCachedRelation(command.remove_cached_remote_relation_command().relation().relation_id());
      return Status::Ok();
    case proto::Command::kMlCommand:
      // Clients empty the cache of models when they end, whether they made any or not.
      if (command.ml_command().has_clean_cache()) {
        auto response = NewResponse();
        response.mutable_ml_command_result()->mutable_param()->set_boolean(true);
        return Send(std::move(response));
      }
      return RunPlanCommand(command);
    case proto::Command::kWriteStreamOperationStart:
      return StartStream(command.write_stream_operation_start());
    case proto::Command::kStreamingQueryCommand:
      return RunStreamCommand(command.streaming_query_command());
    case proto::Command::kStreamingQueryManagerCommand:
      return RunStreamsCommand(command.streaming_query_manager_command());
    case proto::Command::kStreamingQueryListenerBusCommand:
      return RunListenerCommand(command.streaming_query_listener_bus_command());
    default:
      return RunPlanCommand(command);
  }
}

Status Execution::RunSqlCommand(const proto::SqlCommand& command) {
  PlanReader reader(session_.get());
  auto response = NewResponse();
  auto* relation = response.mutable_sql_command_result()->mutable_relation();
  FRAZIL_ASSIGN_OR_RETURN(const auto query, reader.ReadSqlCommand(command, relation));
  FRAZIL_ASSIGN_OR_RETURN(auto result, session_->Sql(*query, operation_));
  if (!result.was_command) return Send(std::move(response));

  // A command has run; what it answered goes to the client as rows that it may ask for.
  if (result.relation->kind != plan::PlanKind::kLocalRelation) {
    return Error::Internal("A command's answer is no local relation.");
  }
  const auto& local = result.relation->As<plan::LocalRelationPlan>();
  const DataTypePtr schema = local.schema != nullptr ? local.schema : local.data->schema;
  relation->Clear();
  auto* message = relation->mutable_local_relation();
  message->set_schema(schema->Json());
  const codec::IpcOptions options = IpcOptionsOf(*session_);
  std::vector<ArrowBatch> batches;
  if (local.data != nullptr) {
    for (const auto& batch : local.data->batches) batches.push_back(ShareBatch(local.data, batch));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto data, codec::EncodeBatches(*schema, std::move(batches), options));
  message->set_data(std::move(data));
  FRAZIL_RETURN_IF_ERROR(Send(std::move(response)));
  return SendMetrics();
}

Status Execution::RunPlanCommand(const proto::Command& command) {
  PlanReader reader(session_.get());
  FRAZIL_ASSIGN_OR_RETURN(const auto plan, reader.ReadCommand(command));
  FRAZIL_ASSIGN_OR_RETURN(auto result, session_->Execute(plan, operation_));
  if (command.has_checkpoint_command()) {
    FRAZIL_ASSIGN_OR_RETURN(const auto batch, result.stream->Next());
    if (batch == nullptr) return Error::Internal("A checkpoint answered without an id.");
    auto response = NewResponse();
    response.mutable_checkpoint_command_result()->mutable_relation()->set_relation_id(FirstString(*batch));
    FRAZIL_RETURN_IF_ERROR(Send(std::move(response)));
  }
  if (result.stream != nullptr) FRAZIL_RETURN_IF_ERROR(Drain(*result.stream));
  return SendMetrics();
}

void Execution::ReportProgress() {
  if (log_.ended()) return;
  const auto& figures = *operation_->metrics;
  const double progress = figures.progress.load();
  const int64_t bytes = figures.bytes_read.load();
  {
    const std::lock_guard lock(progress_mutex_);
    if (progress == last_progress_ && bytes == last_bytes_) return;
    last_progress_ = progress;
    last_bytes_ = bytes;
  }
  auto response = NewResponse();
  auto* message = response.mutable_execution_progress();
  auto* stage = message->add_stages();
  stage->set_stage_id(0);
  stage->set_num_tasks(kProgressTasks);
  stage->set_num_completed_tasks(static_cast<int64_t>(std::clamp(progress, 0.0, 1.0) * kProgressTasks));
  stage->set_input_bytes_read(bytes);
  stage->set_done(false);
  message->set_num_inflight_tasks(1);
  log_.AppendNow(std::move(response));
}

ExecutionRegistry::~ExecutionRegistry() { StopAll(std::chrono::seconds(10)); }

bool ExecutionRegistry::Start(const ExecutionKey& key, const ExecutionPtr& execution) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_ || !executions_.emplace(key, execution).second) return false;
    ++running_;
  }
  std::thread([this, execution] {
    RunOnDeepStack([&] { execution->Run(); });
    const std::lock_guard lock(mutex_);
    --running_;
    idle_.notify_all();
  }).detach();
  return true;
}

ExecutionPtr ExecutionRegistry::Find(const ExecutionKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = executions_.find(key);
  return found == executions_.end() ? nullptr : found->second;
}

std::vector<ExecutionPtr> ExecutionRegistry::OfSession(const std::string& user_id,
                                                       const std::string& session_id) const {
  const std::lock_guard lock(mutex_);
  std::vector<ExecutionPtr> found;
  for (const auto& [key, execution] : executions_) {
    if (std::get<0>(key) == user_id && std::get<1>(key) == session_id) found.push_back(execution);
  }
  return found;
}

void ExecutionRegistry::RemoveLocked(std::map<ExecutionKey, ExecutionPtr>::iterator entry) {
  if (!entry->second->log().ended()) entry->second->Cancel();
  entry->second->log().Close();
  executions_.erase(entry);
}

bool ExecutionRegistry::Remove(const ExecutionKey& key) {
  const std::lock_guard lock(mutex_);
  const auto found = executions_.find(key);
  if (found == executions_.end()) return false;
  RemoveLocked(found);
  return true;
}

void ExecutionRegistry::RemoveSession(const std::string& user_id, const std::string& session_id) {
  const std::lock_guard lock(mutex_);
  for (auto entry = executions_.begin(); entry != executions_.end();) {
    const auto current = entry++;
    if (std::get<0>(current->first) == user_id && std::get<1>(current->first) == session_id) RemoveLocked(current);
  }
}

void ExecutionRegistry::RemoveAbandoned(std::chrono::steady_clock::duration timeout) {
  const std::lock_guard lock(mutex_);
  for (auto entry = executions_.begin(); entry != executions_.end();) {
    const auto current = entry++;
    if (current->second->log().Unattended() > timeout) RemoveLocked(current);
  }
}

bool ExecutionRegistry::StopAll(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  stopped_ = true;
  while (!executions_.empty()) RemoveLocked(executions_.begin());
  return idle_.wait_for(lock, timeout, [&] { return running_ == 0; });
}

}  // namespace frazil::connect
