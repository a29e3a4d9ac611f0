#include <thread>

#include <google/protobuf/unknown_field_set.h>
#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/client_unary_call.h>
#include <gtest/gtest.h>
#include <spark/connect/base.grpc.pb.h>

#include "frazil/connect/connect_server.h"
#include "frazil/connect/testing/fake_session.h"

namespace frazil::connect {
namespace {

namespace proto = spark::connect;
using namespace std::chrono_literals;

constexpr const char* kSessionId = "00112233-4455-6677-8899-aabbccddeeff";
constexpr const char* kOperationId = "11112222-3333-4444-8555-666677778888";

class ServiceTest : public ::testing::Test {
 protected:
  void Start(const std::string& token = "") {
    sessions_ = std::make_shared<testing::FakeServer>(answers_);
    ConnectServerOptions options;
    options.port = 0;
    options.token = token;
    auto started = ConnectServer::Start(sessions_, options);
    ASSERT_TRUE(started.ok()) << started.error().message;
    server_ = std::move(*started);
    channel_ = grpc::CreateChannel("127.0.0.1:" + std::to_string(server_->port()), grpc::InsecureChannelCredentials());
    stub_ = proto::SparkConnectService::NewStub(channel_);
  }

  static proto::ExecutePlanRequest RangeRequest(bool reattachable) {
    proto::ExecutePlanRequest request;
    request.set_session_id(kSessionId);
    request.set_operation_id(kOperationId);
    request.mutable_plan()->mutable_root()->mutable_range()->set_end(5);
    request.mutable_plan()->mutable_root()->mutable_range()->set_step(1);
    request.add_request_options()->mutable_reattach_options()->set_reattachable(reattachable);
    return request;
  }

  std::vector<proto::ExecutePlanResponse> Execute(const proto::ExecutePlanRequest& request, grpc::Status* status) {
    grpc::ClientContext context;
    const auto reader = stub_->ExecutePlan(&context, request);
    std::vector<proto::ExecutePlanResponse> responses;
    proto::ExecutePlanResponse response;
    while (reader->Read(&response)) responses.push_back(response);
    *status = reader->Finish();
    return responses;
  }

  template <typename Request>
  static Request WithSession() {
    Request request;
    request.set_session_id(kSessionId);
    return request;
  }

  std::shared_ptr<testing::FakeAnswers> answers_ = std::make_shared<testing::FakeAnswers>();
  std::shared_ptr<testing::FakeServer> sessions_;
  std::unique_ptr<ConnectServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<proto::SparkConnectService::Stub> stub_;
};

std::string BytesOf(const google::protobuf::UnknownFieldSet& fields) {
  std::string bytes;
  fields.SerializeToString(&bytes);
  return bytes;
}

google::rpc::ErrorInfo InfoOf(const grpc::Status& status) {
  google::rpc::Status details;
  google::rpc::ErrorInfo info;
  EXPECT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.details_size(), 1);
  if (details.details_size() == 1) {
    EXPECT_TRUE(details.details(0).UnpackTo(&info));
  }
  return info;
}

TEST_F(ServiceTest, SendsSchemaBatchesMetricsAndTheEnd) {
  Start();
  grpc::Status status;
  const auto responses = Execute(RangeRequest(true), &status);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(responses.size(), 6U);
  EXPECT_EQ(responses[0].schema().struct_().fields(0).name(), "id");
  EXPECT_EQ(responses[1].arrow_batch().row_count(), 2);
  EXPECT_EQ(responses[1].arrow_batch().start_offset(), 0);
  EXPECT_EQ(responses[2].arrow_batch().start_offset(), 2);
  EXPECT_EQ(responses[3].arrow_batch().row_count(), 1);
  EXPECT_EQ(responses[4].metrics().metrics(0).execution_metrics().at("numOutputRows").value(), 5);
  EXPECT_TRUE(responses[5].has_result_complete());
  EXPECT_EQ(responses[0].session_id(), kSessionId);
  EXPECT_EQ(responses[0].operation_id(), kOperationId);
  EXPECT_FALSE(responses[0].server_side_session_id().empty());
  EXPECT_NE(responses[0].response_id(), responses[1].response_id());
}

TEST_F(ServiceTest, SendsAnEmptyBatchWhereThereAreNoRows) {
  answers_->rows = 0;
  Start();
  grpc::Status status;
  const auto responses = Execute(RangeRequest(false), &status);
  ASSERT_TRUE(status.ok());
  ASSERT_EQ(responses.size(), 3U);
  EXPECT_TRUE(responses[1].has_arrow_batch());
  EXPECT_EQ(responses[1].arrow_batch().row_count(), 0);
  EXPECT_FALSE(responses[1].arrow_batch().data().empty());
}

TEST_F(ServiceTest, CutsLargeBatchesWhereTheClientAllowsIt) {
  answers_->rows = 1000;
  answers_->rows_in_batch = 1000;
  Start();
  auto request = RangeRequest(false);
  auto* chunking = request.add_request_options()->mutable_result_chunking_options();
  chunking->set_allow_arrow_batch_chunking(true);
  chunking->set_preferred_arrow_chunk_size(1024);
  grpc::Status status;
  const auto responses = Execute(request, &status);
  ASSERT_TRUE(status.ok());
  int64_t chunks = 0;
  for (const auto& response : responses) {
    if (!response.has_arrow_batch()) continue;
    EXPECT_LE(response.arrow_batch().data().size(), 1024U);
    EXPECT_EQ(response.arrow_batch().chunk_index(), chunks++);
    EXPECT_EQ(response.arrow_batch().row_count(), 1000);
  }
  EXPECT_GE(chunks, 8);
  EXPECT_EQ(responses[1].arrow_batch().num_chunks_in_batch(), chunks);
}

TEST_F(ServiceTest, ReattachesBehindTheLastResponseUntilReleased) {
  Start();
  grpc::Status status;
  const auto responses = Execute(RangeRequest(true), &status);
  ASSERT_TRUE(status.ok());

  auto reattach = WithSession<proto::ReattachExecuteRequest>();
  reattach.set_operation_id(kOperationId);
  reattach.set_last_response_id(responses[3].response_id());
  const auto read_again = [&](grpc::Status* finished) {
    grpc::ClientContext context;
    const auto reader = stub_->ReattachExecute(&context, reattach);
    std::vector<proto::ExecutePlanResponse> again;
    proto::ExecutePlanResponse response;
    while (reader->Read(&response)) again.push_back(response);
    *finished = reader->Finish();
    return again;
  };
  const auto again = read_again(&status);
  ASSERT_TRUE(status.ok());
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(again[0].response_id(), responses[4].response_id());

  auto release = WithSession<proto::ReleaseExecuteRequest>();
  release.set_operation_id(kOperationId);
  release.mutable_release_all();
  proto::ReleaseExecuteResponse released;
  grpc::ClientContext context;
  ASSERT_TRUE(stub_->ReleaseExecute(&context, release, &released).ok());
  EXPECT_EQ(released.operation_id(), kOperationId);
  read_again(&status);
  EXPECT_EQ(InfoOf(status).metadata().at("errorClass"), "INVALID_HANDLE.OPERATION_NOT_FOUND");
}

TEST_F(ServiceTest, TellsTheStateOfOperations) {
  Start();
  grpc::Status status;
  Execute(RangeRequest(true), &status);
  google::protobuf::UnknownFieldSet operations;
  operations.AddLengthDelimited(1, kOperationId);
  operations.AddLengthDelimited(1, "another");
  google::protobuf::UnknownFieldSet request;
  request.AddLengthDelimited(1, kSessionId);
  request.AddLengthDelimited(5, BytesOf(operations));
  const grpc::Slice slice(BytesOf(request));
  const grpc::ByteBuffer bytes(&slice, 1);
  grpc::ByteBuffer answer;
  grpc::ClientContext context;
  const grpc::internal::RpcMethod method("/spark.connect.SparkConnectService/GetStatus",
                                         grpc::internal::RpcMethod::NORMAL_RPC, channel_);
  status = grpc::internal::BlockingUnaryCall(channel_.get(), method, &context, bytes, &answer);
  ASSERT_TRUE(status.ok()) << status.error_message();
  grpc::Slice answer_slice;
  ASSERT_TRUE(answer.DumpToSingleSlice(&answer_slice).ok());
  google::protobuf::UnknownFieldSet response;
  ASSERT_TRUE(response.ParseFromArray(answer_slice.begin(), static_cast<int>(answer_slice.size())));
  ASSERT_EQ(response.field_count(), 4);
  EXPECT_EQ(response.field(0).length_delimited(), kSessionId);
  const auto state_of = [&](int index) {
    google::protobuf::UnknownFieldSet operation;
    EXPECT_TRUE(operation.ParseFromString(response.field(index).length_delimited()));
    return std::pair(operation.field(0).length_delimited(), operation.field(1).varint());
  };
  EXPECT_EQ(state_of(2), std::pair(std::string(kOperationId), uint64_t{4}));
  EXPECT_EQ(state_of(3), std::pair(std::string("another"), uint64_t{1}));
}

TEST_F(ServiceTest, ForgetsExecutionsThatCannotBeReattached) {
  Start();
  grpc::Status status;
  Execute(RangeRequest(false), &status);
  ASSERT_TRUE(status.ok());
  Execute(RangeRequest(false), &status);
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST_F(ServiceTest, InterruptEndsARunningQuerySoon) {
  answers_->pause = 30s;
  Start();
  auto request = RangeRequest(true);
  request.add_tags("nightly");
  grpc::Status status;
  std::thread client([&] { Execute(request, &status); });
  std::this_thread::sleep_for(150ms);
  auto interrupt = WithSession<proto::InterruptRequest>();
  interrupt.set_interrupt_type(proto::InterruptRequest::INTERRUPT_TYPE_TAG);
  interrupt.set_operation_tag("nightly");
  proto::InterruptResponse interrupted;
  grpc::ClientContext context;
  const auto before = std::chrono::steady_clock::now();
  ASSERT_TRUE(stub_->Interrupt(&context, interrupt, &interrupted).ok());
  client.join();
  EXPECT_LT(std::chrono::steady_clock::now() - before, 200ms);
  ASSERT_EQ(interrupted.interrupted_ids_size(), 1);
  EXPECT_EQ(interrupted.interrupted_ids(0), kOperationId);
  EXPECT_EQ(InfoOf(status).metadata().at("errorClass"), "OPERATION_CANCELED");
}

TEST_F(ServiceTest, AnAnalysisEndsWithAnInterruptAndWithItsClient) {
  answers_->pause = 30s;
  Start();
  auto request = WithSession<proto::AnalyzePlanRequest>();
  request.mutable_schema()->mutable_plan()->mutable_root()->mutable_range()->set_end(1);
  const auto analyze = [&](grpc::ClientContext* context) {
    proto::AnalyzePlanResponse response;
    return stub_->AnalyzePlan(context, request, &response);
  };
  grpc::ClientContext context;
  grpc::Status status;
  std::thread client([&] { status = analyze(&context); });
  std::this_thread::sleep_for(150ms);
  auto interrupt = WithSession<proto::InterruptRequest>();
  interrupt.set_interrupt_type(proto::InterruptRequest::INTERRUPT_TYPE_ALL);
  proto::InterruptResponse interrupted;
  grpc::ClientContext interrupt_context;
  ASSERT_TRUE(stub_->Interrupt(&interrupt_context, interrupt, &interrupted).ok());
  client.join();
  EXPECT_EQ(interrupted.interrupted_ids_size(), 1);
  EXPECT_EQ(InfoOf(status).metadata().at("errorClass"), "OPERATION_CANCELED");

  grpc::ClientContext leaving;
  std::thread leaving_client([&] { status = analyze(&leaving); });
  std::this_thread::sleep_for(150ms);
  leaving.TryCancel();
  leaving_client.join();
  std::this_thread::sleep_for(500ms);
  // What the client's going has ended is not there to be interrupted.
  EXPECT_TRUE(sessions_->FindSession("", kSessionId)->InterruptAll().empty());
}

TEST_F(ServiceTest, ReportsProgressWhileNothingElseComes) {
  answers_->pause = 350ms;
  answers_->rows = 4;
  Start();
  grpc::Status status;
  const auto responses = Execute(RangeRequest(true), &status);
  ASSERT_TRUE(status.ok());
  std::vector<int64_t> completed;
  for (const auto& response : responses) {
    if (response.has_execution_progress()) {
      completed.push_back(response.execution_progress().stages(0).num_completed_tasks());
    }
  }
  ASSERT_GE(completed.size(), 2U);
  EXPECT_EQ(completed[0], 0);
  EXPECT_EQ(completed[1], 50);
}

TEST_F(ServiceTest, StopsWhileQueriesRun) {
  answers_->pause = 30s;
  Start();
  grpc::Status status;
  std::thread client([&] { Execute(RangeRequest(true), &status); });
  std::this_thread::sleep_for(100ms);
  const auto before = std::chrono::steady_clock::now();
  server_->Stop();
  EXPECT_LT(std::chrono::steady_clock::now() - before, 2s);
  client.join();
  EXPECT_FALSE(status.ok());
}

TEST_F(ServiceTest, ErrorsCarryWhatClientsRead) {
  QueryContext context;
  context.start_index = 7;
  context.stop_index = 9;
  context.fragment = "1/0";
  Error error = Error::Of(ExceptionClass::kArithmetic, "DIVIDE_BY_ZERO", {{"config", "\"spark.sql.ansi.enabled\""}});
  error.message += std::string(5000, 'x');
  answers_->execute_error = std::make_shared<const Error>(
      std::move(std::move(error).With(context)).CausedBy(Error::Plain(ExceptionClass::kSpark, "the cause")));
  Start();
  grpc::Status status;
  Execute(RangeRequest(true), &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INTERNAL);
  EXPECT_LT(status.error_message().size(), 2000U);
  const auto info = InfoOf(status);
  EXPECT_EQ(info.reason(), "org.apache.spark.SparkArithmeticException");
  EXPECT_EQ(info.metadata().at("errorClass"), "DIVIDE_BY_ZERO");
  EXPECT_EQ(info.metadata().at("sqlState"), "22012");
  EXPECT_NE(info.metadata().at("classes").find("\"java.lang.ArithmeticException\""), std::string::npos);
  EXPECT_EQ(info.metadata().at("messageParameters"), R"({"config":"\"spark.sql.ansi.enabled\""})");

  auto fetch = WithSession<proto::FetchErrorDetailsRequest>();
  fetch.set_error_id(info.metadata().at("errorId"));
  proto::FetchErrorDetailsResponse details;
  grpc::ClientContext client_context;
  ASSERT_TRUE(stub_->FetchErrorDetails(&client_context, fetch, &details).ok());
  ASSERT_EQ(details.errors_size(), 2);
  EXPECT_EQ(details.root_error_idx(), 0);
  EXPECT_EQ(details.errors(0).message(), answers_->execute_error->message);
  EXPECT_EQ(details.errors(0).cause_idx(), 1);
  EXPECT_EQ(details.errors(0).spark_throwable().query_contexts(0).start_index(), 7);
  EXPECT_EQ(details.errors(1).message(), "the cause");
  EXPECT_FALSE(details.errors(1).has_cause_idx());
}

TEST_F(ServiceTest, QueriesOfSqlStayRelationsAndCommandsBecomeRows) {
  Start();
  proto::ExecutePlanRequest request = RangeRequest(false);
  auto* input = request.mutable_plan()->mutable_command()->mutable_sql_command()->mutable_input();
  input->mutable_sql()->set_query("SELECT 1");
  input->mutable_common()->set_plan_id(3);
  grpc::Status status;
  auto responses = Execute(request, &status);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(responses[0].sql_command_result().relation().sql().query(), "SELECT 1");

  answers_->sql_is_command = true;
  responses = Execute(request, &status);
  ASSERT_TRUE(status.ok()) << status.error_message();
  const auto& local = responses[0].sql_command_result().relation().local_relation();
  EXPECT_FALSE(local.data().empty());
  EXPECT_NE(local.schema().find("\"id\""), std::string::npos);
}

TEST_F(ServiceTest, ReadsPlansThatNestDeeply) {
  Start();
  proto::ExecutePlanRequest request = RangeRequest(false);
  proto::Relation relation = request.plan().root();
  for (int i = 0; i < 400; ++i) {
    proto::Relation outer;
    outer.mutable_limit()->set_limit(i);
    *outer.mutable_limit()->mutable_input() = std::move(relation);
    relation = std::move(outer);
  }
  *request.mutable_plan()->mutable_root() = std::move(relation);
  grpc::Status status;
  Execute(request, &status);
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST_F(ServiceTest, ConfigSetsGetsAndRefuses) {
  Start();
  const auto call = [&](const proto::ConfigRequest& request, proto::ConfigResponse* response) {
    grpc::ClientContext context;
    response->Clear();
    return stub_->Config(&context, request, response);
  };
  proto::ConfigResponse response;
  auto set = WithSession<proto::ConfigRequest>();
  auto* pair = set.mutable_operation()->mutable_set()->add_pairs();
  pair->set_key("spark.sql.execution.arrow.enabled");
  pair->set_value("true");
  ASSERT_TRUE(call(set, &response).ok());
  ASSERT_EQ(response.warnings_size(), 1);
  EXPECT_NE(response.warnings(0).find("deprecated in Spark v3.0"), std::string::npos);

  auto get = WithSession<proto::ConfigRequest>();
  get.mutable_operation()->mutable_get()->add_keys("spark.sql.execution.arrow.enabled");
  ASSERT_TRUE(call(get, &response).ok());
  EXPECT_EQ(response.pairs(0).value(), "true");
  get.mutable_operation()->mutable_get()->add_keys("no.such.key");
  EXPECT_EQ(InfoOf(call(get, &response)).metadata().at("errorClass"), "SQL_CONF_NOT_FOUND");

  auto option = WithSession<proto::ConfigRequest>();
  option.mutable_operation()->mutable_get_option()->add_keys("no.such.key");
  ASSERT_TRUE(call(option, &response).ok());
  EXPECT_FALSE(response.pairs(0).has_value());

  auto fixed = WithSession<proto::ConfigRequest>();
  pair = fixed.mutable_operation()->mutable_set()->add_pairs();
  pair->set_key("spark.driver.memory");
  pair->set_value("1g");
  EXPECT_EQ(InfoOf(call(fixed, &response)).metadata().at("errorClass"), "CANNOT_MODIFY_CONFIG");
  fixed.mutable_operation()->mutable_set()->set_silent(true);
  EXPECT_TRUE(call(fixed, &response).ok());
}

TEST_F(ServiceTest, KeepsArtifactsWhoseChecksumIsRight) {
  Start();
  grpc::ClientContext context;
  proto::AddArtifactsResponse response;
  const auto writer = stub_->AddArtifacts(&context, &response);
  auto batch = WithSession<proto::AddArtifactsRequest>();
  auto* good = batch.mutable_batch()->add_artifacts();
  good->set_name("cache/good");
  good->mutable_data()->set_data("123456789");
  good->mutable_data()->set_crc(0xCBF43926);
  auto* bad = batch.mutable_batch()->add_artifacts();
  bad->set_name("cache/bad");
  bad->mutable_data()->set_data("123456789");
  bad->mutable_data()->set_crc(1);
  ASSERT_TRUE(writer->Write(batch));
  auto begin = WithSession<proto::AddArtifactsRequest>();
  begin.mutable_begin_chunk()->set_name("cache/long");
  begin.mutable_begin_chunk()->set_total_bytes(18);
  begin.mutable_begin_chunk()->set_num_chunks(2);
  *begin.mutable_begin_chunk()->mutable_initial_chunk() = good->data();
  ASSERT_TRUE(writer->Write(begin));
  auto rest = WithSession<proto::AddArtifactsRequest>();
  *rest.mutable_chunk() = good->data();
  ASSERT_TRUE(writer->Write(rest));
  writer->WritesDone();
  ASSERT_TRUE(writer->Finish().ok());
  ASSERT_EQ(response.artifacts_size(), 3);
  EXPECT_TRUE(response.artifacts(0).is_crc_successful());
  EXPECT_FALSE(response.artifacts(1).is_crc_successful());
  EXPECT_TRUE(response.artifacts(2).is_crc_successful());
  const auto session = sessions_->Find("", kSessionId);
  EXPECT_EQ(*session->LoadArtifact("cache/long"), "123456789123456789");

  auto ask = WithSession<proto::ArtifactStatusesRequest>();
  ask.add_names("cache/good");
  ask.add_names("cache/bad");
  proto::ArtifactStatusesResponse statuses;
  grpc::ClientContext ask_context;
  ASSERT_TRUE(stub_->ArtifactStatus(&ask_context, ask, &statuses).ok());
  EXPECT_TRUE(statuses.statuses().at("cache/good").exists());
  EXPECT_FALSE(statuses.statuses().at("cache/bad").exists());
}

TEST_F(ServiceTest, RefusesArtifactsThatClimbOutOfTheirFolder) {
  Start();
  for (const char* name : {"files/../../etc/passwd", "..", "/etc/passwd", "", "files/.."}) {
    grpc::ClientContext context;
    proto::AddArtifactsResponse response;
    const auto writer = stub_->AddArtifacts(&context, &response);
    auto batch = WithSession<proto::AddArtifactsRequest>();
    batch.mutable_batch()->add_artifacts()->set_name(name);
    writer->Write(batch);
    writer->WritesDone();
    const auto status = writer->Finish();
    ASSERT_FALSE(status.ok()) << name;
    EXPECT_EQ(InfoOf(status).metadata().at("errorClass"), "INVALID_ARTIFACT_PATH") << name;
  }
}

TEST_F(ServiceTest, KeepsAnArtifactThatComesAgainWithOtherBytes) {
  Start();
  const auto add = [&](std::vector<std::pair<std::string, std::string>> artifacts) {
    grpc::ClientContext context;
    proto::AddArtifactsResponse response;
    const auto writer = stub_->AddArtifacts(&context, &response);
    auto batch = WithSession<proto::AddArtifactsRequest>();
    for (const auto& [name, data] : artifacts) {
      auto* artifact = batch.mutable_batch()->add_artifacts();
      artifact->set_name(name);
      artifact->mutable_data()->set_data(data);
      artifact->mutable_data()->set_crc(data == "1" ? 0x83DCEFB7 : 0x1AD5BE0D);
    }
    writer->Write(batch);
    writer->WritesDone();
    return writer->Finish();
  };
  ASSERT_TRUE(add({{"files/a", "1"}}).ok());
  EXPECT_TRUE(add({{"files/./a", "1"}}).ok());
  const auto status = add({{"files/x/../a", "2"}, {"files/b", "2"}});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(InfoOf(status).metadata().at("errorClass"), "ARTIFACT_ALREADY_EXISTS");
  const auto session = sessions_->Find("", kSessionId);
  EXPECT_EQ(*session->LoadArtifact("files/a"), "1");
  EXPECT_EQ(*session->LoadArtifact("files/b"), "2");
}

TEST_F(ServiceTest, MakesNoSessionWhereOneMustBeThere) {
  Start();
  const auto condition = [](const grpc::Status& status) { return InfoOf(status).metadata().at("errorClass"); };
  {
    grpc::ClientContext context;
    proto::CloneSessionResponse response;
    EXPECT_EQ(condition(stub_->CloneSession(&context, WithSession<proto::CloneSessionRequest>(), &response)),
              "INVALID_HANDLE.SESSION_NOT_FOUND");
  }
  {
    grpc::ClientContext context;
    auto request = WithSession<proto::ReattachExecuteRequest>();
    request.set_operation_id(kOperationId);
    const auto reader = stub_->ReattachExecute(&context, request);
    proto::ExecutePlanResponse response;
    EXPECT_FALSE(reader->Read(&response));
    EXPECT_EQ(condition(reader->Finish()), "INVALID_HANDLE.SESSION_NOT_FOUND");
  }
  {
    grpc::ClientContext context;
    auto request = WithSession<proto::ReleaseExecuteRequest>();
    request.set_operation_id(kOperationId);
    request.mutable_release_all();
    proto::ReleaseExecuteResponse response;
    EXPECT_EQ(condition(stub_->ReleaseExecute(&context, request, &response)), "INVALID_HANDLE.SESSION_NOT_FOUND");
  }
  EXPECT_EQ(sessions_->Find("", kSessionId), nullptr);
  grpc::Status status;
  Execute(RangeRequest(false), &status);
  ASSERT_TRUE(status.ok());
  auto request = WithSession<proto::CloneSessionRequest>();
  request.set_new_session_id("zz");
  grpc::ClientContext context;
  proto::CloneSessionResponse response;
  EXPECT_EQ(condition(stub_->CloneSession(&context, request, &response)),
            "INVALID_CLONE_SESSION_REQUEST.TARGET_SESSION_ID_FORMAT");
}

TEST_F(ServiceTest, AsksForTheToken) {
  Start("secret");
  const auto call = [&](const char* header) {
    grpc::ClientContext context;
    if (header != nullptr) context.AddMetadata("authorization", header);
    auto request = WithSession<proto::AnalyzePlanRequest>();
    request.mutable_spark_version();
    proto::AnalyzePlanResponse response;
    return stub_->AnalyzePlan(&context, request, &response).error_code();
  };
  EXPECT_EQ(call(nullptr), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(call("Bearer secre"), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(call("Bearer secret2"), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(call("secret"), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(call("Bearer secret"), grpc::StatusCode::OK);
}

TEST_F(ServiceTest, RefusesSessionsThatAreNotUuidsOrHaveChanged) {
  Start();
  auto request = WithSession<proto::AnalyzePlanRequest>();
  request.mutable_spark_version();
  proto::AnalyzePlanResponse response;
  request.set_session_id("me");
  {
    grpc::ClientContext context;
    EXPECT_EQ(InfoOf(stub_->AnalyzePlan(&context, request, &response)).metadata().at("errorClass"),
              "INVALID_HANDLE.FORMAT");
  }
  request.set_session_id(kSessionId);
  request.set_client_observed_server_side_session_id("another");
  {
    grpc::ClientContext context;
    EXPECT_EQ(InfoOf(stub_->AnalyzePlan(&context, request, &response)).metadata().at("errorClass"),
              "INVALID_HANDLE.SESSION_CHANGED");
  }
}

TEST_F(ServiceTest, AnalysesOfEveryKindAnswer) {
  Start();
  const auto call = [&](proto::AnalyzePlanRequest request) {
    request.set_session_id(kSessionId);
    proto::AnalyzePlanResponse response;
    grpc::ClientContext context;
    const auto status = stub_->AnalyzePlan(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  };
  proto::Plan range;
  range.mutable_root()->mutable_range()->set_end(1);
  proto::AnalyzePlanRequest request;
  *request.mutable_schema()->mutable_plan() = range;
  EXPECT_TRUE(call(request).schema().schema().struct_().fields(0).data_type().has_long_());
  *request.mutable_explain()->mutable_plan() = range;
  request.mutable_explain()->set_explain_mode(proto::AnalyzePlanRequest::Explain::EXPLAIN_MODE_EXTENDED);
  EXPECT_EQ(call(request).explain().explain_string(), "plan in mode 1");
  *request.mutable_tree_string()->mutable_plan() = range;
  EXPECT_EQ(call(request).tree_string().tree_string(), "root\n |-- id: long (nullable = false)\n");
  *request.mutable_is_local()->mutable_plan() = range;
  EXPECT_FALSE(call(request).is_local().is_local());
  *request.mutable_is_streaming()->mutable_plan() = range;
  EXPECT_FALSE(call(request).is_streaming().is_streaming());
  *request.mutable_input_files()->mutable_plan() = range;
  EXPECT_EQ(call(request).input_files().files_size(), 2);
  request.mutable_spark_version();
  EXPECT_EQ(call(request).spark_version().version(), "4.1.3");
  request.mutable_ddl_parse()->set_ddl_string("id BIGINT");
  EXPECT_TRUE(call(request).ddl_parse().parsed().has_struct_());
  *request.mutable_same_semantics()->mutable_target_plan() = range;
  *request.mutable_same_semantics()->mutable_other_plan() = range;
  EXPECT_TRUE(call(request).same_semantics().result());
  *request.mutable_semantic_hash()->mutable_plan() = range;
  EXPECT_NE(call(request).semantic_hash().result(), 0);
  *request.mutable_get_storage_level()->mutable_relation() = range.root();
  EXPECT_FALSE(call(request).get_storage_level().storage_level().use_memory());
  *request.mutable_persist()->mutable_relation() = range.root();
  EXPECT_TRUE(call(request).has_persist());
  *request.mutable_get_storage_level()->mutable_relation() = range.root();
  EXPECT_TRUE(call(request).get_storage_level().storage_level().use_memory());
  *request.mutable_unpersist()->mutable_relation() = range.root();
  EXPECT_TRUE(call(request).has_unpersist());
  request.mutable_json_to_ddl()->set_json_string(
      R"({"type":"struct","fields":[{"name":"a b","type":"integer","nullable":false,"metadata":{"comment":"it's"}}]})");
  EXPECT_EQ(call(request).json_to_ddl().ddl_string(), R"(`a b` INT NOT NULL COMMENT 'it\'s')");
}

}  // namespace
}  // namespace frazil::connect
