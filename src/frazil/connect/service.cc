#include <grpcpp/impl/rpc_service_method.h>
#include <grpcpp/support/method_handler.h>

#include "frazil/base/logging.h"
#include "frazil/base/uuid.h"
#include "frazil/connect/plan_reader_internal.h"
#include "frazil/connect/request_parser_internal.h"
#include "frazil/connect/service_internal.h"

namespace frazil::connect {
namespace {

namespace proto = spark::connect;

constexpr std::string_view kBearer = "Bearer ";
// As Spark's spark.connect.execute.manager.detachedTimeout.
constexpr auto kDetachedTimeout = std::chrono::minutes(5);

// In a time that does not tell how much of the token is right.
bool SameText(std::string_view left, std::string_view right) {
  unsigned char difference = left.size() == right.size() ? 0 : 1;
  for (size_t i = 0; i < left.size(); ++i) {
    difference |= static_cast<unsigned char>(left[i] ^ (i < right.size() ? right[i] : '\0'));
  }
  return difference == 0;
}

}  // namespace

Status CheckSessionId(const std::string& session_id) {
  if (session_id.size() == 36 && Uuid::Parse(session_id).has_value()) return Status::Ok();
  return Error::Of(ExceptionClass::kSpark, "INVALID_HANDLE.FORMAT", {{"handle", session_id}});
}

template <typename Request, typename Response>
void SparkConnectService::AddUnaryCall(const char* path, UnaryCall<Request, Response> call) {
  using Handler = grpc::internal::RpcMethodHandler<SparkConnectService, grpc::ByteBuffer, Response>;
  AddMethod(new grpc::internal::RpcServiceMethod(
      path, grpc::internal::RpcMethod::NORMAL_RPC,
      new Handler(
          [call](SparkConnectService* service, grpc::ServerContext* context, const grpc::ByteBuffer* bytes,
                 Response* response) -> grpc::Status {
            if (auto denied = service->CheckToken(*context); !denied.ok()) return denied;
            Request request;
            Status status = ParseRequest(*bytes, &request);
            if (status.ok()) status = call(service, context, request, response);
            return status.ok() ? grpc::Status::OK : service->StatusOf(status.error());
          },
          this)));
}

template <typename Request, typename Response>
void SparkConnectService::AddUnaryCall(const char* path,
                                       Status (SparkConnectService::*call)(const Request&, Response*)) {
  AddUnaryCall(path, UnaryCall<Request, Response>(
                         [call](SparkConnectService* service, const grpc::ServerContext*, const Request& request,
                                Response* response) { return (service->*call)(request, response); }));
}

template <typename Request, typename Response>
void SparkConnectService::AddUnaryCall(const char* path,
                                       Status (SparkConnectService::*call)(const grpc::ServerContext*, const Request&,
                                                                           Response*)) {
  AddUnaryCall(path, UnaryCall<Request, Response>(std::mem_fn(call)));
}

template <typename Request>
void SparkConnectService::AddStreamingCall(const char* path,
                                           Status (SparkConnectService::*call)(grpc::ServerContext*, const Request&,
                                                                               ResponseWriter*)) {
  using Handler =
      grpc::internal::ServerStreamingHandler<SparkConnectService, grpc::ByteBuffer, proto::ExecutePlanResponse>;
  AddMethod(new grpc::internal::RpcServiceMethod(
      path, grpc::internal::RpcMethod::SERVER_STREAMING,
      new Handler(
          [call](SparkConnectService* service, grpc::ServerContext* context, const grpc::ByteBuffer* bytes,
                 ResponseWriter* writer) -> grpc::Status {
            if (auto denied = service->CheckToken(*context); !denied.ok()) return denied;
            Request request;
            Status status = ParseRequest(*bytes, &request);
            if (status.ok()) status = (service->*call)(context, request, writer);
            return status.ok() ? grpc::Status::OK : service->StatusOf(status.error());
          },
          this)));
}

SparkConnectService::SparkConnectService(std::shared_ptr<session::Server> sessions, std::string token)
    : sessions_(std::move(sessions)), token_(std::move(token)) {
  AddStreamingCall("/spark.connect.SparkConnectService/ExecutePlan", &SparkConnectService::ExecutePlan);
  AddStreamingCall("/spark.connect.SparkConnectService/ReattachExecute", &SparkConnectService::ReattachExecute);
  AddUnaryCall("/spark.connect.SparkConnectService/ReleaseExecute", &SparkConnectService::ReleaseExecute);
  AddUnaryCall("/spark.connect.SparkConnectService/AnalyzePlan", &SparkConnectService::AnalyzePlan);
  AddUnaryCall("/spark.connect.SparkConnectService/Config", &SparkConnectService::Config);
  AddUnaryCall("/spark.connect.SparkConnectService/ArtifactStatus", &SparkConnectService::ArtifactStatus);
  AddUnaryCall("/spark.connect.SparkConnectService/Interrupt", &SparkConnectService::Interrupt);
  AddUnaryCall("/spark.connect.SparkConnectService/ReleaseSession", &SparkConnectService::ReleaseSession);
  AddUnaryCall("/spark.connect.SparkConnectService/FetchErrorDetails", &SparkConnectService::FetchErrorDetails);
  AddUnaryCall("/spark.connect.SparkConnectService/CloneSession", &SparkConnectService::CloneSession);

  using StatusHandler = grpc::internal::RpcMethodHandler<SparkConnectService, grpc::ByteBuffer, grpc::ByteBuffer>;
  AddMethod(new grpc::internal::RpcServiceMethod(
      "/spark.connect.SparkConnectService/GetStatus", grpc::internal::RpcMethod::NORMAL_RPC,
      new StatusHandler(
          [](SparkConnectService* service, grpc::ServerContext* context, const grpc::ByteBuffer* request,
             grpc::ByteBuffer* response) -> grpc::Status {
            if (auto denied = service->CheckToken(*context); !denied.ok()) return denied;
            const Status status = service->GetStatus(*request, response);
            return status.ok() ? grpc::Status::OK : service->StatusOf(status.error());
          },
          this)));

  using ArtifactsHandler =
      grpc::internal::ClientStreamingHandler<SparkConnectService, grpc::ByteBuffer, proto::AddArtifactsResponse>;
  AddMethod(new grpc::internal::RpcServiceMethod(
      "/spark.connect.SparkConnectService/AddArtifacts", grpc::internal::RpcMethod::CLIENT_STREAMING,
      new ArtifactsHandler(
          [](SparkConnectService* service, grpc::ServerContext* context, grpc::ServerReader<grpc::ByteBuffer>* reader,
             proto::AddArtifactsResponse* response) -> grpc::Status {
            if (auto denied = service->CheckToken(*context); !denied.ok()) return denied;
            const Status status = service->AddArtifacts(reader, response);
            return status.ok() ? grpc::Status::OK : service->StatusOf(status.error());
          },
          this)));
}

grpc::Status SparkConnectService::CheckToken(const grpc::ServerContext& context) const {
  if (token_.empty()) return grpc::Status::OK;
  const auto header = context.client_metadata().find("authorization");
  if (header == context.client_metadata().end()) {
    return {grpc::StatusCode::UNAUTHENTICATED, "No authentication token provided"};
  }
  const std::string_view value(header->second.data(), header->second.size());
  if (!value.starts_with(kBearer) || !SameText(value.substr(kBearer.size()), token_)) {
    return {grpc::StatusCode::UNAUTHENTICATED, "Invalid authentication token"};
  }
  return grpc::Status::OK;
}

grpc::Status SparkConnectService::StatusOf(const Error& error) {
  Log(error.kind == ErrorKind::kInternal ? LogLevel::kError : LogLevel::kInfo, "A request failed",
      {{"condition", error.condition}, {"error", error.message}});
  const auto shown = std::make_shared<const Error>(AsText(error));
  return ToGrpcStatus(*shown, errors_.Add(shown));
}

Status SparkConnectService::Interrupt(const proto::InterruptRequest& request, proto::InterruptResponse* response) {
  FRAZIL_ASSIGN_OR_RETURN(const auto session, SessionOf(request, response));
  std::vector<std::string> interrupted;
  switch (request.interrupt_type()) {
    case proto::InterruptRequest::INTERRUPT_TYPE_ALL:
      interrupted = session->InterruptAll();
      break;
    case proto::InterruptRequest::INTERRUPT_TYPE_TAG:
      if (!request.has_operation_tag()) return InvalidPlan("an interrupt by tag without a tag");
      interrupted = session->InterruptTag(request.operation_tag());
      break;
    case proto::InterruptRequest::INTERRUPT_TYPE_OPERATION_ID:
      if (!request.has_operation_id()) return InvalidPlan("an interrupt by operation without an id");
      interrupted = session->InterruptOperation(request.operation_id());
      break;
    default:
      return Error::Unsupported("Interrupt type " + std::to_string(request.interrupt_type()));
  }
  for (auto& id : interrupted) response->add_interrupted_ids(std::move(id));
  return Status::Ok();
}

Status SparkConnectService::ReleaseSession(const proto::ReleaseSessionRequest& request,
                                           proto::ReleaseSessionResponse* response) {
  FRAZIL_RETURN_IF_ERROR(CheckSessionId(request.session_id()));
  const std::string& user_id = request.user_context().user_id();
  response->set_session_id(request.session_id());
  if (const auto session = sessions_->FindSession(user_id, request.session_id())) {
    response->set_server_side_session_id(session->server_side_id());
  }
  sessions_->CloseSession(user_id, request.session_id(), request.allow_reconnect());
  executions_.RemoveSession(user_id, request.session_id());
  return Status::Ok();
}

Status SparkConnectService::FetchErrorDetails(const proto::FetchErrorDetailsRequest& request,
                                              proto::FetchErrorDetailsResponse* response) {
  FRAZIL_RETURN_IF_ERROR(CheckSessionId(request.session_id()));
  response->set_session_id(request.session_id());
  // The session may be the error's very subject (closed, changed): it is not opened for the question.
  if (const auto session = sessions_->FindSession(request.user_context().user_id(), request.session_id())) {
    response->set_server_side_session_id(session->server_side_id());
  }
  if (const auto error = errors_.Find(request.error_id())) WriteErrorDetails(*error, response);
  return Status::Ok();
}

Status SparkConnectService::CloneSession(const proto::CloneSessionRequest& request,
                                         proto::CloneSessionResponse* response) {
  FRAZIL_ASSIGN_OR_RETURN(const auto session, ExistingSessionOf(request));
  const std::string new_id =
      request.has_new_session_id() && !request.new_session_id().empty() ? request.new_session_id() : RandomUuidText();
  if (!CheckSessionId(new_id).ok()) {
    return Error::Of(ExceptionClass::kSpark, "INVALID_CLONE_SESSION_REQUEST.TARGET_SESSION_ID_FORMAT",
                     {{"targetSessionId", new_id}});
  }
  FRAZIL_ASSIGN_OR_RETURN(const auto clone,
                          sessions_->CloneSession(request.user_context().user_id(), request.session_id(), new_id));
  response->set_session_id(request.session_id());
  response->set_server_side_session_id(session->server_side_id());
  response->set_new_session_id(new_id);
  response->set_new_server_side_session_id(clone->server_side_id());
  return Status::Ok();
}

void SparkConnectService::Maintain() {
  executions_.RemoveAbandoned(kDetachedTimeout);
  sessions_->CloseIdleSessions();
}

}  // namespace frazil::connect
