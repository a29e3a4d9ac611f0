#include "frazil/base/deep_stack.h"
#include "frazil/base/uuid.h"
#include "frazil/connect/plan_reader_internal.h"
#include "frazil/connect/request_parser_internal.h"
#include "frazil/connect/service_internal.h"
#include "frazil/plan/logical_plan.h"
#include "frazil/plan/streaming.h"

namespace frazil::connect {
namespace {

namespace proto = spark::connect;

// df.cache() without a level.
constexpr std::string_view kDefaultStorageLevel = "1,1,0,1,1";

// The relation of a plan that may be compressed.
Result<plan::PlanPtr> ReadPlan(session::Session* session, const proto::Plan& message) {
  PlanReader reader(session);
  if (message.has_root()) return reader.ReadRelation(message.root());
  if (message.has_compressed_operation() &&
      message.compressed_operation().op_type() == proto::Plan::CompressedOperation::OP_TYPE_RELATION) {
    proto::Relation relation;
    FRAZIL_RETURN_IF_ERROR(DecompressOperation(message.compressed_operation(), &relation));
    return reader.ReadRelation(relation);
  }
  return InvalidPlan("analysis of something that is no relation");
}

Result<plan::PlanPtr> ReadRelation(session::Session* session, const proto::Relation& message) {
  return PlanReader(session).ReadRelation(message);
}

Result<DataTypePtr> SchemaOf(session::Session* session, const proto::Plan& message,
                             const session::OperationPtr& operation) {
  FRAZIL_ASSIGN_OR_RETURN(const auto plan, ReadPlan(session, message));
  FRAZIL_ASSIGN_OR_RETURN(const auto analyzed, session->Analyze(plan, operation));
  std::vector<StructField> fields;
  for (const auto& attribute : analyzed->output) {
    StructField field(attribute.name, attribute.type, attribute.nullable);
    field.metadata = attribute.metadata;
    fields.push_back(std::move(field));
  }
  return DataType::Struct(std::move(fields));
}

Result<plan::ExplainMode> ReadExplainMode(proto::AnalyzePlanRequest::Explain::ExplainMode mode) {
  switch (mode) {
    case proto::AnalyzePlanRequest::Explain::EXPLAIN_MODE_SIMPLE:
      return plan::ExplainMode::kSimple;
    case proto::AnalyzePlanRequest::Explain::EXPLAIN_MODE_EXTENDED:
      return plan::ExplainMode::kExtended;
    case proto::AnalyzePlanRequest::Explain::EXPLAIN_MODE_CODEGEN:
      return plan::ExplainMode::kCodegen;
    case proto::AnalyzePlanRequest::Explain::EXPLAIN_MODE_COST:
      return plan::ExplainMode::kCost;
    case proto::AnalyzePlanRequest::Explain::EXPLAIN_MODE_FORMATTED:
      return plan::ExplainMode::kFormatted;
    default:
      return InvalidPlan("an explain without a mode");
  }
}

}  // namespace

Status SparkConnectService::AnalyzePlan(const grpc::ServerContext* context, const proto::AnalyzePlanRequest& request,
                                        proto::AnalyzePlanResponse* response) {
  FRAZIL_ASSIGN_OR_RETURN(const auto opened, SessionOf(request, response));
  // An operation like any other: interruptAll and a closed session end it, and so does a client that has gone.
  FRAZIL_ASSIGN_OR_RETURN(const auto operation, opened->StartOperation(RandomUuidText(), {}));
  const ClientWatch::Call call(&clients_, context, operation->cancel);
  Status status;
  RunOnDeepStack([&] { status = Analyze(opened.get(), operation, request, response); });
  opened->EndOperation(operation->id);
  return status;
}

Status SparkConnectService::Analyze(session::Session* session, const session::OperationPtr& operation,
                                    const proto::AnalyzePlanRequest& request, proto::AnalyzePlanResponse* response) {
  using Kind = proto::AnalyzePlanRequest::AnalyzeCase;
  switch (request.analyze_case()) {
    case Kind::kSchema: {
      FRAZIL_ASSIGN_OR_RETURN(const auto schema, SchemaOf(session, request.schema().plan(), operation));
      WriteDataType(*schema, response->mutable_schema()->mutable_schema());
      return Status::Ok();
    }
    case Kind::kExplain: {
      FRAZIL_ASSIGN_OR_RETURN(const auto mode, ReadExplainMode(request.explain().explain_mode()));
      FRAZIL_ASSIGN_OR_RETURN(const auto plan, ReadPlan(session, request.explain().plan()));
      FRAZIL_ASSIGN_OR_RETURN(auto text, session->Explain(plan, mode, operation));
      response->mutable_explain()->set_explain_string(std::move(text));
      return Status::Ok();
    }
    case Kind::kTreeString: {
      FRAZIL_ASSIGN_OR_RETURN(const auto schema, SchemaOf(session, request.tree_string().plan(), operation));
      response->mutable_tree_string()->set_tree_string(
          SchemaTreeString(*schema, request.tree_string().has_level() ? request.tree_string().level() : -1));
      return Status::Ok();
    }
    case Kind::kIsLocal: {
      FRAZIL_ASSIGN_OR_RETURN(const auto plan, ReadPlan(session, request.is_local().plan()));
      FRAZIL_ASSIGN_OR_RETURN(const bool is_local, session->IsLocal(plan));
      response->mutable_is_local()->set_is_local(is_local);
      return Status::Ok();
    }
    case Kind::kIsStreaming: {
      FRAZIL_ASSIGN_OR_RETURN(const auto plan, ReadPlan(session, request.is_streaming().plan()));
      FRAZIL_ASSIGN_OR_RETURN(const auto analyzed, session->Analyze(plan, operation));
      response->mutable_is_streaming()->set_is_streaming(plan::IsStreaming(*analyzed));
      return Status::Ok();
    }
    case Kind::kInputFiles: {
      FRAZIL_ASSIGN_OR_RETURN(const auto plan, ReadPlan(session, request.input_files().plan()));
      FRAZIL_ASSIGN_OR_RETURN(const auto files, session->InputFiles(plan, operation));
      response->mutable_input_files();
      for (const auto& file : files) response->mutable_input_files()->add_files(file);
      return Status::Ok();
    }
    case Kind::kSparkVersion:
      response->mutable_spark_version()->set_version(sessions_->spark_version());
      return Status::Ok();
    case Kind::kDdlParse: {
      FRAZIL_ASSIGN_OR_RETURN(const auto type, session->ParseDdl(request.ddl_parse().ddl_string()));
      WriteDataType(*type, response->mutable_ddl_parse()->mutable_parsed());
      return Status::Ok();
    }
    case Kind::kSameSemantics: {
      FRAZIL_ASSIGN_OR_RETURN(const auto target, ReadPlan(session, request.same_semantics().target_plan()));
      FRAZIL_ASSIGN_OR_RETURN(const auto other, ReadPlan(session, request.same_semantics().other_plan()));
      FRAZIL_ASSIGN_OR_RETURN(const bool same, session->SameSemantics(target, other, operation));
      response->mutable_same_semantics()->set_result(same);
      return Status::Ok();
    }
    case Kind::kSemanticHash: {
      FRAZIL_ASSIGN_OR_RETURN(const auto plan, ReadPlan(session, request.semantic_hash().plan()));
      FRAZIL_ASSIGN_OR_RETURN(const int32_t hash, session->SemanticHash(plan, operation));
      response->mutable_semantic_hash()->set_result(hash);
      return Status::Ok();
    }
    case Kind::kPersist: {
      FRAZIL_ASSIGN_OR_RETURN(const auto plan, ReadRelation(session, request.persist().relation()));
      FRAZIL_RETURN_IF_ERROR(session->Persist(plan,
                                              request.persist().has_storage_level()
                                                  ? StorageLevelText(request.persist().storage_level())
                                                  : std::string(kDefaultStorageLevel),
                                              operation));
      response->mutable_persist();
      return Status::Ok();
    }
    case Kind::kUnpersist: {
      FRAZIL_ASSIGN_OR_RETURN(const auto plan, ReadRelation(session, request.unpersist().relation()));
      FRAZIL_RETURN_IF_ERROR(session->Unpersist(plan, operation));
      response->mutable_unpersist();
      return Status::Ok();
    }
    case Kind::kGetStorageLevel: {
      FRAZIL_ASSIGN_OR_RETURN(const auto plan, ReadRelation(session, request.get_storage_level().relation()));
      FRAZIL_ASSIGN_OR_RETURN(const auto level, session->StorageLevel(plan, operation));
      WriteStorageLevel(level, response->mutable_get_storage_level()->mutable_storage_level());
      return Status::Ok();
    }
    case Kind::kJsonToDdl: {
      FRAZIL_ASSIGN_OR_RETURN(const auto type, DataType::FromJson(request.json_to_ddl().json_string()));
      if (type->id() != TypeId::kStruct) return InvalidPlan("a schema that is no struct");
      response->mutable_json_to_ddl()->set_ddl_string(StructToDdl(*type));
      return Status::Ok();
    }
    case Kind::ANALYZE_NOT_SET:
      break;
  }
  return Error::Unsupported("An analysis that this version of the protocol has not");
}

}  // namespace frazil::connect
