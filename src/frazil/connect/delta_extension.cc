#include <delta/connect/commands.pb.h>
#include <delta/connect/relations.pb.h>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "frazil/connect/delta_extension_internal.h"
#include "frazil/connect/request_parser_internal.h"
#include "frazil/plan/delta_command.h"
#include "frazil/sql/parser.h"

namespace frazil::connect {
namespace {

namespace proto = ::delta::connect;
using NodePtr = std::shared_ptr<plan::Plan>;
using Maintenance = plan::MaintenanceCommand;

constexpr const char* kDelta = "delta";

/// The message in an extension, which nests as deep as any other.
Status ParseExtension(const google::protobuf::Any& extension, google::protobuf::Message* message) {
  const std::string& bytes = extension.value();
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  google::protobuf::io::CodedInputStream coded(&stream);
  coded.SetRecursionLimit(kMostNestedMessages);
  if (message->ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage()) return Status::Ok();
  return Error::Of("CONNECT_INVALID_PLAN.CANNOT_PARSE", {{"errorMsg", "the extension of Delta Lake is malformed"}});
}

/// delta.`path`. A path of one part is one below the working directory, and not a table's name.
std::vector<std::string> PathName(const std::string& path) {
  return {kDelta, path.find('/') == std::string::npos ? "./" + path : path};
}

Result<plan::NameClause> ReadName(const proto::DeltaTable& table) {
  plan::NameClause name;
  switch (table.access_type_case()) {
    case proto::DeltaTable::kPath:
      if (!table.path().hadoop_conf().empty())
        return Error::Unsupported("DeltaTable.forPath with a Hadoop configuration");
      name.parts = PathName(table.path().path());
      return name;
    case proto::DeltaTable::kTableOrViewName: {
      FRAZIL_ASSIGN_OR_RETURN(name.parts, sql::ParseMultipartIdentifier(table.table_or_view_name()));
      return name;
    }
    case proto::DeltaTable::ACCESS_TYPE_NOT_SET:
      break;
  }
  return InvalidPlan("a Delta table with neither path nor name");
}

plan::ExprPtr TextLiteral(const std::string& text) { return plan::MakeLiteralExpr(DataType::String(), Value(text)); }

/// The table that a DELETE, UPDATE or MERGE changes: a scan, with or without an alias around it.
struct Target {
  plan::NameClause name;
  std::string alias;
};

Result<Target> ReadTarget(const spark::connect::Relation& message) {
  const auto* relation = &message;
  Target target;
  if (relation->has_subquery_alias()) {
    target.alias = relation->subquery_alias().alias();
    relation = &relation->subquery_alias().input();
  }
  proto::DeltaRelation delta;
  if (relation->has_extension() && relation->extension().Is<proto::DeltaRelation>()) {
    FRAZIL_RETURN_IF_ERROR(ParseExtension(relation->extension(), &delta));
  }
  if (!delta.has_scan()) return InvalidPlan("a change of a relation that is no Delta table");
  FRAZIL_ASSIGN_OR_RETURN(target.name, ReadName(delta.scan().table()));
  return target;
}

template <typename Messages>
Result<std::vector<plan::Assignment>> ReadAssignments(PlanReader& reader, const Messages& messages) {
  std::vector<plan::Assignment> assignments;
  for (const auto& message : messages) {
    FRAZIL_ASSIGN_OR_RETURN(auto column, reader.ReadExpression(message.field()));
    FRAZIL_ASSIGN_OR_RETURN(auto value, reader.ReadExpression(message.value()));
    assignments.push_back({std::move(column), std::move(value)});
  }
  return assignments;
}

Result<std::shared_ptr<const plan::MergeActionExpr>> ReadAction(PlanReader& reader,
                                                                const proto::MergeIntoTable::Action& message) {
  using Type = plan::MergeActionType;
  auto action = std::make_shared<plan::MergeActionExpr>();
  switch (message.action_type_case()) {
    case proto::MergeIntoTable::Action::kDeleteAction:
      action->type = Type::kDelete;
      break;
    case proto::MergeIntoTable::Action::kUpdateAction: {
      action->type = Type::kUpdate;
      FRAZIL_ASSIGN_OR_RETURN(action->assignments, ReadAssignments(reader, message.update_action().assignments()));
      break;
    }
    case proto::MergeIntoTable::Action::kUpdateStarAction:
      action->type = Type::kUpdateStar;
      break;
    case proto::MergeIntoTable::Action::kInsertAction: {
      action->type = Type::kInsert;
      FRAZIL_ASSIGN_OR_RETURN(action->assignments, ReadAssignments(reader, message.insert_action().assignments()));
      break;
    }
    case proto::MergeIntoTable::Action::kInsertStarAction:
      action->type = Type::kInsertStar;
      break;
    case proto::MergeIntoTable::Action::ACTION_TYPE_NOT_SET:
      return InvalidPlan("a merge action without a type");
  }
  if (message.has_condition()) {
    FRAZIL_ASSIGN_OR_RETURN(action->condition, reader.ReadExpression(message.condition()));
  }
  return std::shared_ptr<const plan::MergeActionExpr>(std::move(action));
}

/// Actions of one kind of rows. All but the last need a condition: `condition_name` is the error's.
template <typename Messages>
Status ReadActions(PlanReader& reader, const Messages& messages, const char* condition_name, bool inserts,
                   std::vector<std::shared_ptr<const plan::MergeActionExpr>>* actions) {
  for (const auto& message : messages) {
    FRAZIL_ASSIGN_OR_RETURN(auto action, ReadAction(reader, message));
    const bool is_insert =
        action->type == plan::MergeActionType::kInsert || action->type == plan::MergeActionType::kInsertStar;
    if (is_insert != inserts) return InvalidPlan("a merge action for rows of another kind");
    if (!actions->empty() && actions->back()->condition == nullptr) return Error::Of(condition_name);
    actions->push_back(std::move(action));
  }
  return Status::Ok();
}

Result<NodePtr> ReadMerge(PlanReader& reader, const proto::MergeIntoTable& message) {
  auto command = std::make_shared<plan::MergeCommand>();
  FRAZIL_ASSIGN_OR_RETURN(auto target, ReadTarget(message.target()));
  command->target = std::move(target.name);
  command->target_alias = std::move(target.alias);
  FRAZIL_ASSIGN_OR_RETURN(command->source, reader.ReadRelation(message.source()));
  FRAZIL_ASSIGN_OR_RETURN(command->condition, reader.ReadExpression(message.condition()));
  FRAZIL_RETURN_IF_ERROR(ReadActions(reader, message.matched_actions(), "NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION", false,
                                     &command->matched));
  FRAZIL_RETURN_IF_ERROR(ReadActions(reader, message.not_matched_actions(),
                                     "NON_LAST_NOT_MATCHED_BY_TARGET_CLAUSE_OMIT_CONDITION", true,
                                     &command->not_matched));
  FRAZIL_RETURN_IF_ERROR(ReadActions(reader, message.not_matched_by_source_actions(),
                                     "NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION", false,
                                     &command->not_matched_by_source));
  if (command->matched.empty() && command->not_matched.empty() && command->not_matched_by_source.empty())
    return Error::Of("DELTA_MERGE_MISSING_WHEN");
  command->with_schema_evolution = message.with_schema_evolution();
  return NodePtr(command);
}

Result<NodePtr> ReadConvert(PlanReader& reader, const proto::ConvertToDelta& message) {
  auto command = std::make_shared<plan::ConvertToDeltaCommand>();
  FRAZIL_ASSIGN_OR_RETURN(command->table.parts, sql::ParseMultipartIdentifier(message.identifier()));
  DataTypePtr partitions;
  switch (message.partition_schema_case()) {
    case proto::ConvertToDelta::kPartitionSchemaString: {
      FRAZIL_ASSIGN_OR_RETURN(partitions, reader.parse_ddl()(message.partition_schema_string()));
      break;
    }
    case proto::ConvertToDelta::kPartitionSchemaStruct: {
      FRAZIL_ASSIGN_OR_RETURN(partitions, ReadDataType(message.partition_schema_struct(), reader.parse_ddl()));
      break;
    }
    case proto::ConvertToDelta::PARTITION_SCHEMA_NOT_SET:
      return NodePtr(command);
  }
  if (partitions->id() != TypeId::kStruct) return InvalidPlan("partition columns that are no struct");
  for (const auto& field : partitions->fields()) {
    plan::ColumnDefinition column;
    column.name = {field.name};
    column.type = field.type;
    column.nullable = field.nullable;
    command->partition_columns.push_back(std::move(column));
  }
  return NodePtr(command);
}

Result<NodePtr> ReadOptimize(const proto::OptimizeTable& message) {
  auto command = std::make_shared<Maintenance>();
  command->type = Maintenance::Type::kOptimize;
  FRAZIL_ASSIGN_OR_RETURN(command->table, ReadName(message.table()));
  for (const auto& filter : message.partition_filters()) {
    command->condition_text += (command->condition_text.empty() ? "(" : " AND (") + filter + ")";
  }
  if (!command->condition_text.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(command->condition, sql::ParseExpression(command->condition_text));
  }
  for (const auto& column : message.zorder_columns()) {
    FRAZIL_ASSIGN_OR_RETURN(auto name, sql::ParseMultipartIdentifier(column));
    command->order_by.push_back(std::move(name));
  }
  return NodePtr(command);
}

Result<NodePtr> ReadDescribe(const proto::DeltaTable& table, plan::DescribeCommand::Type type) {
  auto command = std::make_shared<plan::DescribeCommand>();
  command->type = type;
  FRAZIL_ASSIGN_OR_RETURN(command->name, ReadName(table));
  return NodePtr(command);
}

Result<NodePtr> ReadKnownRelation(PlanReader& reader, const proto::DeltaRelation& message) {
  switch (message.relation_type_case()) {
    case proto::DeltaRelation::kScan: {
      auto node = std::make_shared<plan::DeltaTablePlan>();
      FRAZIL_ASSIGN_OR_RETURN(auto name, ReadName(message.scan().table()));
      node->name = std::move(name.parts);
      return NodePtr(node);
    }
    case proto::DeltaRelation::kDescribeHistory:
      return ReadDescribe(message.describe_history().table(), plan::DescribeCommand::Type::kHistory);
    case proto::DeltaRelation::kDescribeDetail:
      return ReadDescribe(message.describe_detail().table(), plan::DescribeCommand::Type::kDetail);
    case proto::DeltaRelation::kConvertToDelta:
      return ReadConvert(reader, message.convert_to_delta());
    case proto::DeltaRelation::kRestoreTable: {
      const auto& restore = message.restore_table();
      auto command = std::make_shared<Maintenance>();
      command->type = Maintenance::Type::kRestore;
      FRAZIL_ASSIGN_OR_RETURN(command->table, ReadName(restore.table()));
      if (restore.has_version()) {
        command->version = restore.version();
      } else if (restore.has_timestamp()) {
        command->timestamp = TextLiteral(restore.timestamp());
      } else {
        return InvalidPlan("a restore to neither a version nor a timestamp");
      }
      return NodePtr(command);
    }
    case proto::DeltaRelation::kIsDeltaTable: {
      auto call = std::make_shared<plan::CatalogCallPlan>();
      call->call = "IsDeltaTable";
      call->arguments["path"] = message.is_delta_table().path();
      return NodePtr(call);
    }
    case proto::DeltaRelation::kDeleteFromTable: {
      auto command = std::make_shared<plan::DeleteCommand>();
      FRAZIL_ASSIGN_OR_RETURN(auto target, ReadTarget(message.delete_from_table().target()));
      command->table = std::move(target.name);
      command->alias = std::move(target.alias);
      if (message.delete_from_table().has_condition()) {
        FRAZIL_ASSIGN_OR_RETURN(command->condition, reader.ReadExpression(message.delete_from_table().condition()));
      }
      return NodePtr(command);
    }
    case proto::DeltaRelation::kUpdateTable: {
      const auto& update = message.update_table();
      auto command = std::make_shared<plan::UpdateCommand>();
      FRAZIL_ASSIGN_OR_RETURN(auto target, ReadTarget(update.target()));
      command->table = std::move(target.name);
      command->alias = std::move(target.alias);
      FRAZIL_ASSIGN_OR_RETURN(command->assignments, ReadAssignments(reader, update.assignments()));
      if (update.has_condition()) {
        FRAZIL_ASSIGN_OR_RETURN(command->condition, reader.ReadExpression(update.condition()));
      }
      return NodePtr(command);
    }
    case proto::DeltaRelation::kMergeIntoTable:
      return ReadMerge(reader, message.merge_into_table());
    case proto::DeltaRelation::kOptimizeTable:
      return ReadOptimize(message.optimize_table());
    case proto::DeltaRelation::RELATION_TYPE_NOT_SET:
      break;
  }
  return InvalidPlan("a relation of Delta Lake that this version has not");
}

Result<plan::PlanPtr> ReadClone(const proto::CloneTable& message) {
  if (!message.is_shallow()) return Error::Of("DELTA_UNSUPPORTED_DEEP_CLONE");
  auto command = std::make_shared<plan::CreateTableCommand>();
  using Mode = plan::CreateTableCommand::Mode;
  command->mode = message.replace() ? Mode::kCreateOrReplace : Mode::kCreate;
  FRAZIL_ASSIGN_OR_RETURN(command->clone_of, ReadName(message.table()));
  if (message.target().starts_with('/') || message.target().find("://") != std::string::npos) {
    command->name.parts = PathName(message.target());
  } else {
    FRAZIL_ASSIGN_OR_RETURN(command->name.parts, sql::ParseMultipartIdentifier(message.target()));
  }
  if (message.has_version()) command->clone_version = message.version();
  if (message.has_timestamp()) command->clone_timestamp = TextLiteral(message.timestamp());
  command->properties = {message.properties().begin(), message.properties().end()};
  return plan::PlanPtr(command);
}

Result<plan::ColumnDefinition> ReadColumn(PlanReader& reader, const proto::CreateDeltaTable::Column& message) {
  plan::ColumnDefinition column;
  column.name = {message.name()};
  FRAZIL_ASSIGN_OR_RETURN(column.type, ReadDataType(message.data_type(), reader.parse_ddl()));
  column.nullable = message.nullable();
  if (message.has_comment()) column.comment = message.comment();
  if (message.has_generated_always_as()) column.generation_text = message.generated_always_as();
  if (message.has_identity_info()) {
    column.is_identity = true;
    column.identity_by_default = message.identity_info().allow_explicit_insert();
    column.identity_start = message.identity_info().start();
    column.identity_step = message.identity_info().step();
    if (column.identity_step == 0) return Error::Of("DELTA_IDENTITY_COLUMNS_ILLEGAL_STEP");
  }
  return column;
}

Result<plan::PlanPtr> ReadCreate(PlanReader& reader, const proto::CreateDeltaTable& message) {
  auto command = std::make_shared<plan::CreateTableCommand>();
  using Mode = plan::CreateTableCommand::Mode;
  switch (message.mode()) {
    case proto::CreateDeltaTable::MODE_CREATE:
      break;
    case proto::CreateDeltaTable::MODE_CREATE_IF_NOT_EXISTS:
      command->if_not_exists = true;
      break;
    case proto::CreateDeltaTable::MODE_REPLACE:
      command->mode = Mode::kReplace;
      break;
    case proto::CreateDeltaTable::MODE_CREATE_OR_REPLACE:
      command->mode = Mode::kCreateOrReplace;
      break;
    default:
      return InvalidPlan("a creation of unknown mode");
  }
  command->provider = kDelta;
  if (message.has_table_name()) {
    FRAZIL_ASSIGN_OR_RETURN(command->name.parts, sql::ParseMultipartIdentifier(message.table_name()));
    if (message.has_location()) command->location = message.location();
  } else if (message.has_location()) {
    command->name.parts = PathName(message.location());
  } else {
    return Error::Of("DELTA_CREATE_TABLE_MISSING_TABLE_NAME_OR_LOCATION");
  }
  if (message.has_comment()) command->comment = message.comment();
  for (const auto& column : message.columns()) {
    FRAZIL_ASSIGN_OR_RETURN(auto definition, ReadColumn(reader, column));
    command->columns.push_back(std::move(definition));
  }
  for (const auto& column : message.partitioning_columns()) {
    plan::PartitionTransform transform;
    transform.column = {column};
    command->partitioning.push_back(std::move(transform));
  }
  for (const auto& column : message.clustering_columns()) {
    FRAZIL_ASSIGN_OR_RETURN(auto name, sql::ParseMultipartIdentifier(column));
    command->cluster_by.push_back(std::move(name));
  }
  command->properties = {message.properties().begin(), message.properties().end()};
  return plan::PlanPtr(command);
}

/// ALTER TABLE with one action.
Result<plan::PlanPtr> Alter(const proto::DeltaTable& table, plan::AlterAction action) {
  auto command = std::make_shared<plan::AlterTableCommand>();
  FRAZIL_ASSIGN_OR_RETURN(command->name, ReadName(table));
  command->actions.push_back(std::move(action));
  return plan::PlanPtr(command);
}

Result<plan::PlanPtr> SetProperties(const proto::DeltaTable& table, plan::Properties properties) {
  plan::AlterAction action;
  action.type = plan::AlterAction::Type::kSetProperties;
  action.properties = std::move(properties);
  return Alter(table, std::move(action));
}

Result<plan::PlanPtr> ReadKnownCommand(PlanReader& reader, const proto::DeltaCommand& message) {
  switch (message.command_type_case()) {
    case proto::DeltaCommand::kCloneTable:
      return ReadClone(message.clone_table());
    case proto::DeltaCommand::kVacuumTable: {
      auto command = std::make_shared<Maintenance>();
      command->type = Maintenance::Type::kVacuum;
      FRAZIL_ASSIGN_OR_RETURN(command->table, ReadName(message.vacuum_table().table()));
      if (message.vacuum_table().has_retention_hours())
        command->retain_hours = message.vacuum_table().retention_hours();
      return plan::PlanPtr(command);
    }
    case proto::DeltaCommand::kUpgradeTableProtocol: {
      const auto& upgrade = message.upgrade_table_protocol();
      return SetProperties(upgrade.table(), {{"delta.minReaderVersion", std::to_string(upgrade.reader_version())},
                                             {"delta.minWriterVersion", std::to_string(upgrade.writer_version())}});
    }
    case proto::DeltaCommand::kGenerate: {
      if (message.generate().mode() != "symlink_format_manifest") {
        return Error::Of("DELTA_MODE_NOT_SUPPORTED",
                         {{"mode", message.generate().mode()}, {"supportedModes", "symlink_format_manifest"}});
      }
      auto command = std::make_shared<Maintenance>();
      command->type = Maintenance::Type::kGenerateManifest;
      FRAZIL_ASSIGN_OR_RETURN(command->table, ReadName(message.generate().table()));
      return plan::PlanPtr(command);
    }
    case proto::DeltaCommand::kCreateDeltaTable:
      return ReadCreate(reader, message.create_delta_table());
    case proto::DeltaCommand::kAddFeatureSupport: {
      const auto& add = message.add_feature_support();
      return SetProperties(add.table(), {{"delta.feature." + add.feature_name(), "supported"}});
    }
    case proto::DeltaCommand::kDropFeatureSupport: {
      const auto& drop = message.drop_feature_support();
      auto command = std::make_shared<plan::DropFeatureCommand>();
      FRAZIL_ASSIGN_OR_RETURN(command->table, ReadName(drop.table()));
      command->feature = drop.feature_name();
      command->truncate_history = drop.truncate_history();
      return plan::PlanPtr(command);
    }
    case proto::DeltaCommand::COMMAND_TYPE_NOT_SET:
      break;
  }
  return InvalidPlan("a command of Delta Lake that this version has not");
}

}  // namespace

Result<std::shared_ptr<plan::Plan>> ReadDeltaRelation(PlanReader& reader, const google::protobuf::Any& message) {
  if (!message.Is<proto::DeltaRelation>()) return NodePtr();
  proto::DeltaRelation relation;
  FRAZIL_RETURN_IF_ERROR(ParseExtension(message, &relation));
  return ReadKnownRelation(reader, relation);
}

Result<plan::PlanPtr> ReadDeltaCommand(PlanReader& reader, const google::protobuf::Any& message) {
  if (!message.Is<proto::DeltaCommand>()) return plan::PlanPtr();
  proto::DeltaCommand command;
  FRAZIL_RETURN_IF_ERROR(ParseExtension(message, &command));
  return ReadKnownCommand(reader, command);
}

}  // namespace frazil::connect
