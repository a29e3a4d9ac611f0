#include "frazil/base/uuid.h"
#include "frazil/connect/plan_reader_internal.h"
#include "frazil/connect/service_internal.h"

namespace frazil::connect {
namespace {

namespace proto = spark::connect;

// How long a reader waits for the next response before it tells how far the query is.
constexpr std::chrono::milliseconds kProgressInterval(200);

bool IsReattachable(const proto::ExecutePlanRequest& request) {
  for (const auto& option : request.request_options()) {
    if (option.has_reattach_options()) return option.reattach_options().reattachable();
  }
  return false;
}

Error NotFound(const std::string& operation_id) {
  return Error::Of(ExceptionClass::kSpark, "INVALID_HANDLE.OPERATION_NOT_FOUND", {{"handle", operation_id}});
}

}  // namespace

Status SparkConnectService::ExecutePlan(grpc::ServerContext* context, const proto::ExecutePlanRequest& request,
                                        ResponseWriter* writer) {
  FRAZIL_ASSIGN_OR_RETURN(const auto session, SessionOf(request));
  const std::string operation_id = request.operation_id().empty() ? RandomUuidText() : request.operation_id();
  FRAZIL_RETURN_IF_ERROR(CheckSessionId(operation_id));
  const ExecutionKey key(request.user_context().user_id(), request.session_id(), operation_id);

  // A client that lost the connection before the first response sends the request again.
  if (const auto running = executions_.Find(key)) {
    if (!running->reattachable() || !running->SamePlan(request)) {
      return Error::Of(ExceptionClass::kSpark, "INVALID_HANDLE.OPERATION_ALREADY_EXISTS", {{"handle", operation_id}});
    }
    return SendResponses(context, key, running, 0, writer);
  }

  for (const auto& tag : request.tags()) {
    if (tag.empty() || tag.find(',') != std::string::npos) return InvalidPlan("the operation tag '" + tag + "'");
  }
  FRAZIL_ASSIGN_OR_RETURN(auto operation,
                          session->StartOperation(operation_id, {request.tags().begin(), request.tags().end()}));
  const auto execution = std::make_shared<Execution>(session, std::move(operation), request, IsReattachable(request));
  if (!executions_.Start(key, execution)) {
    session->EndOperation(operation_id);
    return Error::Of(ExceptionClass::kSpark, "INVALID_HANDLE.OPERATION_ALREADY_EXISTS", {{"handle", operation_id}});
  }
  return SendResponses(context, key, execution, 0, writer);
}

Status SparkConnectService::ReattachExecute(grpc::ServerContext* context, const proto::ReattachExecuteRequest& request,
                                            ResponseWriter* writer) {
  FRAZIL_ASSIGN_OR_RETURN(const auto session, ExistingSessionOf(request));
  const ExecutionKey key(request.user_context().user_id(), request.session_id(), request.operation_id());
  const auto execution = executions_.Find(key);
  if (execution == nullptr) return NotFound(request.operation_id());
  if (!execution->reattachable()) {
    return Error::Of(ExceptionClass::kSpark, "INVALID_CURSOR.NOT_REATTACHABLE");
  }
  FRAZIL_ASSIGN_OR_RETURN(const int64_t position, execution->log().PositionAfter(request.last_response_id()));
  return SendResponses(context, key, execution, position, writer);
}

Status SparkConnectService::SendResponses(grpc::ServerContext* context, const ExecutionKey& key,
                                          const ExecutionPtr& execution, int64_t position, ResponseWriter* writer) {
  ResponseLog& log = execution->log();
  const uint64_t reader = log.Attach();
  bool client_has_gone = false;
  bool preempted = false;
  auto reported = std::chrono::steady_clock::now();
  Status result;
  for (bool more = true; more;) {
    const auto reading = log.Read(reader, position, kProgressInterval);
    switch (reading.state) {
      case ResponseLog::State::kResponse:
        if (writer->Write(*reading.response)) {
          ++position;
        } else {
          client_has_gone = true;
        }
        // Rows that come without a pause leave no time-out to report in.
        if (const auto now = std::chrono::steady_clock::now();
            !client_has_gone && now - reported >= kProgressInterval) {
          execution->ReportProgress();
          reported = now;
        }
        break;
      case ResponseLog::State::kTimeout:
        client_has_gone = context->IsCancelled();
        if (!client_has_gone) execution->ReportProgress();
        reported = std::chrono::steady_clock::now();
        break;
      case ResponseLog::State::kEnd:
        more = false;
        break;
      case ResponseLog::State::kFailed:
        result = *reading.error;
        more = false;
        break;
      case ResponseLog::State::kPreempted:
        preempted = true;
        result = Error::Of(ExceptionClass::kSpark, "INVALID_CURSOR.DISCONNECTED");
        more = false;
        break;
    }
    if (client_has_gone) more = false;
  }
  log.Detach(reader);
  // One who can reattach may come back; otherwise nobody will ever read the rest.
  if (!execution->reattachable() && !preempted) executions_.Remove(key);
  return result;
}

Status SparkConnectService::ReleaseExecute(const proto::ReleaseExecuteRequest& request,
                                           proto::ReleaseExecuteResponse* response) {
  FRAZIL_ASSIGN_OR_RETURN(const auto session, ExistingSessionOf(request, response));
  const ExecutionKey key(request.user_context().user_id(), request.session_id(), request.operation_id());
  const auto execution = executions_.Find(key);
  // It may be gone already: a client releases without waiting for the answer.
  if (execution == nullptr) return Status::Ok();
  if (!execution->reattachable()) {
    return Error::Of(ExceptionClass::kSpark, "INVALID_CURSOR.NOT_REATTACHABLE");
  }
  if (request.has_release_until()) {
    execution->log().ReleaseUntil(request.release_until().response_id());
  } else if (request.has_release_all()) {
    executions_.Remove(key);
  } else {
    return InvalidPlan("a release of nothing");
  }
  response->set_operation_id(request.operation_id());
  return Status::Ok();
}

}  // namespace frazil::connect
