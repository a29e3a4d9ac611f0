#pragma once

// The calls of spark.connect.SparkConnectService. Requests come as bytes and are parsed here, because plans nest deeper
// than gRPC's own parsing allows.

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include <grpcpp/grpcpp.h>
#include <spark/connect/base.pb.h>

#include "frazil/connect/client_watch_internal.h"
#include "frazil/connect/error_status_internal.h"
#include "frazil/connect/execution_internal.h"
#include "frazil/session/session.h"

namespace frazil::connect {

class SparkConnectService final : public grpc::Service {
 public:
  SparkConnectService(std::shared_ptr<session::Server> sessions, std::string token);

  /// Forgets executions that no client has read for five minutes, and sessions that have been idle. To be called every
  /// few seconds.
  void Maintain();
  /// Cancels all executions and waits for their threads.
  bool StopExecutions(std::chrono::milliseconds timeout) { return executions_.StopAll(timeout); }

 private:
  using ResponseWriter = grpc::ServerWriter<spark::connect::ExecutePlanResponse>;

  template <typename Request, typename Response>
  using UnaryCall = std::function<Status(SparkConnectService*, const grpc::ServerContext*, const Request&, Response*)>;
  template <typename Request, typename Response>
  void AddUnaryCall(const char* path, UnaryCall<Request, Response> call);
  template <typename Request, typename Response>
  void AddUnaryCall(const char* path,
                    Status (SparkConnectService::*call)(const grpc::ServerContext*, const Request&, Response*));
  template <typename Request, typename Response>
  void AddUnaryCall(const char* path, Status (SparkConnectService::*call)(const Request&, Response*));
  template <typename Request>
  void AddStreamingCall(const char* path,
                        Status (SparkConnectService::*call)(grpc::ServerContext*, const Request&, ResponseWriter*));

  /// UNAUTHENTICATED where a token is asked for and another one or none came.
  grpc::Status CheckToken(const grpc::ServerContext& context) const;
  grpc::Status StatusOf(const Error& error);
  /// The session that a request names; made where new. Fills in what every response has.
  template <typename Request, typename Response>
  Result<session::SessionPtr> SessionOf(const Request& request, Response* response);
  template <typename Request>
  Result<session::SessionPtr> SessionOf(const Request& request);
  /// The session that a request names, for requests that make none: error INVALID_HANDLE.SESSION_NOT_FOUND.
  template <typename Request>
  Result<session::SessionPtr> ExistingSessionOf(const Request& request);
  template <typename Request, typename Response>
  Result<session::SessionPtr> ExistingSessionOf(const Request& request, Response* response);

  // service_execute.cc
  Status ExecutePlan(grpc::ServerContext* context, const spark::connect::ExecutePlanRequest& request,
                     ResponseWriter* writer);
  Status ReattachExecute(grpc::ServerContext* context, const spark::connect::ReattachExecuteRequest& request,
                         ResponseWriter* writer);
  Status ReleaseExecute(const spark::connect::ReleaseExecuteRequest& request,
                        spark::connect::ReleaseExecuteResponse* response);
  Status SendResponses(grpc::ServerContext* context, const ExecutionKey& key, const ExecutionPtr& execution,
                       int64_t position, ResponseWriter* writer);

  // service_analyze.cc
  Status AnalyzePlan(const grpc::ServerContext* context, const spark::connect::AnalyzePlanRequest& request,
                     spark::connect::AnalyzePlanResponse* response);
  Status Analyze(session::Session* session, const session::OperationPtr& operation,
                 const spark::connect::AnalyzePlanRequest& request, spark::connect::AnalyzePlanResponse* response);

  // service_config.cc
  Status Config(const spark::connect::ConfigRequest& request, spark::connect::ConfigResponse* response);

  // service_artifacts.cc
  Status AddArtifacts(grpc::ServerReader<grpc::ByteBuffer>* reader, spark::connect::AddArtifactsResponse* response);
  Status ArtifactStatus(const spark::connect::ArtifactStatusesRequest& request,
                        spark::connect::ArtifactStatusesResponse* response);

  // service_status.cc
  Status GetStatus(const grpc::ByteBuffer& request, grpc::ByteBuffer* response);

  // service.cc
  Status Interrupt(const spark::connect::InterruptRequest& request, spark::connect::InterruptResponse* response);
  Status ReleaseSession(const spark::connect::ReleaseSessionRequest& request,
                        spark::connect::ReleaseSessionResponse* response);
  Status FetchErrorDetails(const spark::connect::FetchErrorDetailsRequest& request,
                           spark::connect::FetchErrorDetailsResponse* response);
  Status CloneSession(const spark::connect::CloneSessionRequest& request,
                      spark::connect::CloneSessionResponse* response);

  const std::shared_ptr<session::Server> sessions_;
  const std::string token_;
  ErrorStore errors_;
  ClientWatch clients_;
  ExecutionRegistry executions_;
};

/// Error INVALID_HANDLE.FORMAT unless the id is a UUID.
Status CheckSessionId(const std::string& session_id);

template <typename Request>
Result<session::SessionPtr> SparkConnectService::SessionOf(const Request& request) {
  FRAZIL_RETURN_IF_ERROR(CheckSessionId(request.session_id()));
  return sessions_->OpenSession(request.user_context().user_id(), request.session_id(),
                                request.client_observed_server_side_session_id());
}

template <typename Request>
Result<session::SessionPtr> SparkConnectService::ExistingSessionOf(const Request& request) {
  return sessions_->ReopenSession(request.user_context().user_id(), request.session_id(),
                                  request.client_observed_server_side_session_id());
}

/// Names a session in the answer to a request.
template <typename Request, typename Response>
Result<session::SessionPtr> Named(Result<session::SessionPtr> session, const Request& request, Response* response) {
  if (!session.ok()) return session;
  response->set_session_id(request.session_id());
  response->set_server_side_session_id((*session)->server_side_id());
  return session;
}

template <typename Request, typename Response>
Result<session::SessionPtr> SparkConnectService::SessionOf(const Request& request, Response* response) {
  return Named(SessionOf(request), request, response);
}

template <typename Request, typename Response>
Result<session::SessionPtr> SparkConnectService::ExistingSessionOf(const Request& request, Response* response) {
  return Named(ExistingSessionOf(request), request, response);
}

}  // namespace frazil::connect
