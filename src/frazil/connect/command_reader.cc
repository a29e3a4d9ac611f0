#include "frazil/connect/delta_extension_internal.h"
#include "frazil/connect/plan_reader_internal.h"
#include "frazil/connect/python_relations_internal.h"
#include "frazil/sql/parser.h"

// Fields that the protocol calls deprecated are what clients of Spark 3.5 and 4.0 send.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace frazil::connect {
namespace {

namespace proto = spark::connect;

template <typename Names>
std::vector<std::string> NamesOf(const Names& names) {
  return {names.begin(), names.end()};
}

Result<plan::WriteCommand::Mode> ReadMode(proto::WriteOperation::SaveMode mode) {
  switch (mode) {
    case proto::WriteOperation::SAVE_MODE_UNSPECIFIED:
      return plan::WriteCommand::Mode::kUnspecified;
    case proto::WriteOperation::SAVE_MODE_APPEND:
      return plan::WriteCommand::Mode::kAppend;
    case proto::WriteOperation::SAVE_MODE_OVERWRITE:
      return plan::WriteCommand::Mode::kOverwrite;
    case proto::WriteOperation::SAVE_MODE_ERROR_IF_EXISTS:
      return plan::WriteCommand::Mode::kErrorIfExists;
    case proto::WriteOperation::SAVE_MODE_IGNORE:
      return plan::WriteCommand::Mode::kIgnore;
    default:
      return InvalidPlan("a write of unknown mode");
  }
}

Result<plan::WriteV2Command::Mode> ReadModeV2(proto::WriteOperationV2::Mode mode) {
  switch (mode) {
    case proto::WriteOperationV2::MODE_CREATE:
      return plan::WriteV2Command::Mode::kCreate;
    case proto::WriteOperationV2::MODE_OVERWRITE:
      return plan::WriteV2Command::Mode::kOverwrite;
    case proto::WriteOperationV2::MODE_OVERWRITE_PARTITIONS:
      return plan::WriteV2Command::Mode::kOverwritePartitions;
    case proto::WriteOperationV2::MODE_APPEND:
      return plan::WriteV2Command::Mode::kAppend;
    case proto::WriteOperationV2::MODE_REPLACE:
      return plan::WriteV2Command::Mode::kReplace;
    case proto::WriteOperationV2::MODE_CREATE_OR_REPLACE:
      return plan::WriteV2Command::Mode::kCreateOrReplace;
    default:
      return InvalidPlan("a write of unknown mode");
  }
}

}  // namespace

Result<plan::PlanPtr> PlanReader::ReadCommand(const proto::Command& message) {
  using Kind = proto::Command::CommandTypeCase;
  switch (message.command_type_case()) {
    case Kind::kWriteOperation:
      return ReadWrite(message.write_operation());
    case Kind::kWriteOperationV2:
      return ReadWriteV2(message.write_operation_v2());
    case Kind::kCreateDataframeView: {
      auto command = std::make_shared<plan::CreateDataFrameViewCommand>();
      FRAZIL_ASSIGN_OR_RETURN(command->input, ReadRelation(message.create_dataframe_view().input()));
      command->name = message.create_dataframe_view().name();
      command->is_global = message.create_dataframe_view().is_global();
      command->replace = message.create_dataframe_view().replace();
      return plan::PlanPtr(command);
    }
    case Kind::kCheckpointCommand: {
      auto command = std::make_shared<plan::CheckpointCommand>();
      FRAZIL_ASSIGN_OR_RETURN(command->input, ReadRelation(message.checkpoint_command().relation()));
      command->is_local = message.checkpoint_command().local();
      command->eager = message.checkpoint_command().eager();
      return plan::PlanPtr(command);
    }
    case Kind::kMergeIntoTableCommand:
      return ReadMerge(message.merge_into_table_command());
    case Kind::kRegisterFunction: {
      // A temporary function whose body is the code; calls give it their arguments.
      auto command = std::make_shared<plan::FunctionDdlCommand>();
      command->temporary = true;
      command->or_replace = true;
      command->name.parts = {message.register_function().function_name()};
      FRAZIL_ASSIGN_OR_RETURN(command->body, ReadUserFunction(message.register_function(), {}));
      return plan::PlanPtr(command);
    }
    case Kind::kRegisterTableFunction: {
      FRAZIL_ASSIGN_OR_RETURN(const auto function, ReadPythonTableFunction(*this, message.register_table_function()));
      auto command = std::make_shared<plan::RegisterPythonCommand>();
      command->type = plan::RegisterPythonCommand::Type::kTableFunction;
      command->name = message.register_table_function().function_name();
      command->code = function->code;
      command->python_version = function->python_version;
      command->eval_type = function->eval_type;
      command->return_type = function->return_type;
      command->deterministic = function->deterministic;
      return plan::PlanPtr(command);
    }
    case Kind::kRegisterDataSource: {
      const auto& source = message.register_data_source();
      if (!source.has_python_data_source()) return InvalidPlan("a data source that is not of Python");
      auto command = std::make_shared<plan::RegisterPythonCommand>();
      command->name = source.name();
      command->code = source.python_data_source().command();
      command->python_version = source.python_data_source().python_ver();
      return plan::PlanPtr(command);
    }
    case Kind::kCreateResourceProfileCommand:
      return Error::Unsupported("Resource profiles");
    case Kind::kMlCommand:
      return Error::Unsupported("Spark ML");
    case Kind::kExecuteExternalCommand:
      return Error::Unsupported("EXECUTE of external commands (" + message.execute_external_command().runner() + ")");
    case Kind::kPipelineCommand:
      return Error::Unsupported("Declarative pipelines");
    case Kind::kExtension: {
      FRAZIL_ASSIGN_OR_RETURN(auto command, ReadDeltaCommand(*this, message.extension()));
      if (command != nullptr) return command;
      return Error::Unsupported("Command extension " + message.extension().type_url());
    }
    case Kind::kSqlCommand:
    case Kind::kWriteStreamOperationStart:
    case Kind::kStreamingQueryCommand:
    case Kind::kStreamingQueryManagerCommand:
    case Kind::kStreamingQueryListenerBusCommand:
    case Kind::kGetResourcesCommand:
    case Kind::kRemoveCachedRemoteRelationCommand:
      return Error::Internal("This command is not a plan.");
    case Kind::COMMAND_TYPE_NOT_SET:
      break;
  }
  return Error::Unsupported("A command that this version of the protocol has not");
}

Result<std::shared_ptr<const plan::SqlQueryPlan>> PlanReader::ReadSqlCommand(const proto::SqlCommand& message,
                                                                             proto::Relation* relation) {
  // Clients before 4.0 put the text into the command itself.
  if (message.has_input()) {
    *relation = message.input();
  } else {
    auto* sql = relation->mutable_sql();
    sql->set_query(message.sql());
    *sql->mutable_args() = message.args();
    *sql->mutable_pos_args() = message.pos_args();
    *sql->mutable_named_arguments() = message.named_arguments();
    *sql->mutable_pos_arguments() = message.pos_arguments();
  }
  const proto::Relation* text = relation;
  std::vector<plan::PlanPtr> references;
  if (text->has_with_relations()) {
    for (const auto& reference : text->with_relations().references()) {
      FRAZIL_ASSIGN_OR_RETURN(auto plan, ReadRelation(reference));
      if (plan->plan_id.has_value()) references_[*plan->plan_id] = plan;
      references.push_back(std::move(plan));
    }
    text = &text->with_relations().root();
  }
  if (!text->has_sql()) return InvalidPlan("a SQL command without SQL");
  FRAZIL_ASSIGN_OR_RETURN(auto node, ReadSql(text->sql()));
  auto result = std::static_pointer_cast<plan::SqlQueryPlan>(std::move(node));
  result->references = std::move(references);
  return std::shared_ptr<const plan::SqlQueryPlan>(std::move(result));
}

Result<plan::PlanPtr> PlanReader::ReadWrite(const proto::WriteOperation& message) {
  auto command = std::make_shared<plan::WriteCommand>();
  FRAZIL_ASSIGN_OR_RETURN(command->input, ReadRelation(message.input()));
  if (message.has_source() && !message.source().empty()) command->format = message.source();
  FRAZIL_ASSIGN_OR_RETURN(command->mode, ReadMode(message.mode()));
  switch (message.save_type_case()) {
    case proto::WriteOperation::kPath:
      command->path = message.path();
      break;
    case proto::WriteOperation::kTable: {
      FRAZIL_ASSIGN_OR_RETURN(command->table, sql::ParseMultipartIdentifier(message.table().table_name()));
      switch (message.table().save_method()) {
        case proto::WriteOperation::SaveTable::TABLE_SAVE_METHOD_SAVE_AS_TABLE:
          break;
        case proto::WriteOperation::SaveTable::TABLE_SAVE_METHOD_INSERT_INTO:
          command->insert_into = true;
          break;
        default:
          return InvalidPlan("a write to a table without a method");
      }
      break;
    }
    case proto::WriteOperation::SAVE_TYPE_NOT_SET:
      break;
  }
  command->sort_columns = NamesOf(message.sort_column_names());
  command->partition_columns = NamesOf(message.partitioning_columns());
  command->clustering_columns = NamesOf(message.clustering_columns());
  if (message.has_bucket_by()) {
    plan::BucketSpecification buckets;
    buckets.count = message.bucket_by().num_buckets();
    buckets.columns = NamesOf(message.bucket_by().bucket_column_names());
    command->bucketing = std::move(buckets);
  }
  command->options = {message.options().begin(), message.options().end()};
  return plan::PlanPtr(command);
}

Result<plan::PlanPtr> PlanReader::ReadWriteV2(const proto::WriteOperationV2& message) {
  auto command = std::make_shared<plan::WriteV2Command>();
  FRAZIL_ASSIGN_OR_RETURN(command->input, ReadRelation(message.input()));
  FRAZIL_ASSIGN_OR_RETURN(command->table, sql::ParseMultipartIdentifier(message.table_name()));
  if (message.has_provider()) command->provider = message.provider();
  FRAZIL_ASSIGN_OR_RETURN(command->partitioning, ReadExpressions(message.partitioning_columns()));
  command->clustering_columns = NamesOf(message.clustering_columns());
  command->options = {message.options().begin(), message.options().end()};
  command->properties = {message.table_properties().begin(), message.table_properties().end()};
  FRAZIL_ASSIGN_OR_RETURN(command->mode, ReadModeV2(message.mode()));
  if (message.has_overwrite_condition()) {
    FRAZIL_ASSIGN_OR_RETURN(command->overwrite_condition, ReadExpression(message.overwrite_condition()));
  } else if (command->mode == plan::WriteV2Command::Mode::kOverwrite) {
    return InvalidPlan("an overwrite without a condition");
  }
  return plan::PlanPtr(command);
}

Result<plan::PlanPtr> PlanReader::ReadMerge(const proto::MergeIntoTableCommand& message) {
  auto command = std::make_shared<plan::MergeCommand>();
  FRAZIL_ASSIGN_OR_RETURN(command->target.parts, sql::ParseMultipartIdentifier(message.target_table_name()));
  FRAZIL_ASSIGN_OR_RETURN(command->source, ReadRelation(message.source_table_plan()));
  FRAZIL_ASSIGN_OR_RETURN(command->condition, ReadExpression(message.merge_condition()));
  const auto read_actions = [&](const auto& messages,
                                std::vector<std::shared_ptr<const plan::MergeActionExpr>>* actions) -> Status {
    for (const auto& action : messages) {
      if (!action.has_merge_action()) return InvalidPlan("a merge action that is another expression");
      FRAZIL_ASSIGN_OR_RETURN(auto read, ReadMergeAction(action.merge_action(), {}));
      actions->push_back(std::static_pointer_cast<const plan::MergeActionExpr>(std::move(read)));
    }
    return Status::Ok();
  };
  FRAZIL_RETURN_IF_ERROR(read_actions(message.match_actions(), &command->matched));
  FRAZIL_RETURN_IF_ERROR(read_actions(message.not_matched_actions(), &command->not_matched));
  FRAZIL_RETURN_IF_ERROR(read_actions(message.not_matched_by_source_actions(), &command->not_matched_by_source));
  command->with_schema_evolution = message.with_schema_evolution();
  return plan::PlanPtr(command);
}

}  // namespace frazil::connect
