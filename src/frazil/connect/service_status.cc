// GetStatus came with Spark 4.2, after the messages that this is built from: its fields are read and written by number.
#include <google/protobuf/unknown_field_set.h>

#include "frazil/connect/request_parser_internal.h"
#include "frazil/connect/service_internal.h"

namespace frazil::connect {
namespace {

namespace proto = spark::connect;
using google::protobuf::UnknownField;
using google::protobuf::UnknownFieldSet;

// GetStatusRequest { session_id = 1, user_context = 2, client_observed_server_side_session_id = 4, operation_status = 5
// { operation_ids = 1 } }
struct StatusRequest {
  proto::UserContext context;
  std::string session;
  std::string observed_session;
  bool asks_for_operations = false;
  std::vector<std::string> operation_ids;

  const std::string& session_id() const { return session; }
  const proto::UserContext& user_context() const { return context; }
  const std::string& client_observed_server_side_session_id() const { return observed_session; }
};

// GetStatusResponse.OperationStatus.OperationState
enum class OperationState { kUnknown = 1, kRunning = 2, kTerminating = 3, kSucceeded = 4, kFailed = 5, kCancelled = 6 };

OperationState StateOf(const Execution& execution) {
  switch (execution.state()) {
    case Execution::State::kRunning:
      return OperationState::kRunning;
    case Execution::State::kTerminating:
      return OperationState::kTerminating;
    case Execution::State::kSucceeded:
      return OperationState::kSucceeded;
    case Execution::State::kFailed:
      return OperationState::kFailed;
    case Execution::State::kCancelled:
      return OperationState::kCancelled;
  }
  return OperationState::kUnknown;
}

bool ReadRequest(const std::string& bytes, StatusRequest* request) {
  UnknownFieldSet fields;
  if (!fields.ParseFromString(bytes)) return false;
  for (int i = 0; i < fields.field_count(); ++i) {
    const UnknownField& field = fields.field(i);
    if (field.type() != UnknownField::TYPE_LENGTH_DELIMITED) continue;
    const std::string& value = field.length_delimited();
    if (field.number() == 1) request->session = value;
    if (field.number() == 2 && !request->context.ParseFromString(value)) return false;
    if (field.number() == 4) request->observed_session = value;
    if (field.number() == 5) {
      request->asks_for_operations = true;
      UnknownFieldSet operations;
      if (!operations.ParseFromString(value)) return false;
      for (int j = 0; j < operations.field_count(); ++j) {
        const UnknownField& id = operations.field(j);
        if (id.number() == 1 && id.type() == UnknownField::TYPE_LENGTH_DELIMITED) {
          request->operation_ids.push_back(id.length_delimited());
        }
      }
    }
  }
  return true;
}

// operation_statuses = 3 { operation_id = 1, state = 2 }
void AddStatus(const std::string& operation_id, OperationState state, UnknownFieldSet* response) {
  UnknownFieldSet status;
  status.AddLengthDelimited(1, operation_id);
  status.AddVarint(2, static_cast<uint64_t>(state));
  std::string bytes;
  status.SerializeToString(&bytes);
  response->AddLengthDelimited(3, bytes);
}

}  // namespace

Status SparkConnectService::GetStatus(const grpc::ByteBuffer& bytes, grpc::ByteBuffer* response) {
  grpc::Slice slice;
  StatusRequest request;
  if (!bytes.DumpToSingleSlice(&slice).ok() ||
      !ReadRequest(std::string(reinterpret_cast<const char*>(slice.begin()), slice.size()), &request)) {
    return Error::Of("CONNECT_INVALID_PLAN.CANNOT_PARSE", {{"errorMsg", "the message is malformed"}});
  }
  FRAZIL_ASSIGN_OR_RETURN(const auto session, SessionOf(request));
  UnknownFieldSet answer;
  answer.AddLengthDelimited(1, request.session);
  answer.AddLengthDelimited(2, session->server_side_id());
  const std::string& user_id = request.context.user_id();
  if (request.asks_for_operations && request.operation_ids.empty()) {
    for (const auto& execution : executions_.OfSession(user_id, request.session)) {
      AddStatus(execution->operation_id(), StateOf(*execution), &answer);
    }
  }
  for (const auto& id : request.operation_ids) {
    const auto execution = executions_.Find({user_id, request.session, id});
    AddStatus(id, execution == nullptr ? OperationState::kUnknown : StateOf(*execution), &answer);
  }
  std::string answer_bytes;
  answer.SerializeToString(&answer_bytes);
  const grpc::Slice answer_slice(answer_bytes);
  *response = grpc::ByteBuffer(&answer_slice, 1);
  return Status::Ok();
}

}  // namespace frazil::connect
