#include "frazil/base/text.h"
#include "frazil/connect/python_relations_internal.h"
#include "frazil/sql/parser.h"

namespace frazil::connect {
namespace {

namespace proto = spark::connect;

constexpr const char* kResult = "result";

// The function with other arguments than the message has.
Result<plan::ExprPtr> ReadFunction(PlanReader& reader, const proto::CommonInlineUserDefinedFunction& message,
                                   std::vector<plan::ExprPtr> arguments) {
  proto::Expression expression;
  *expression.mutable_common_inline_user_defined_function() = message;
  expression.mutable_common_inline_user_defined_function()->clear_arguments();
  FRAZIL_ASSIGN_OR_RETURN(const auto read, reader.ReadExpression(expression));
  if (read->kind != plan::ExprKind::kPythonFunction) return InvalidPlan("a relation whose function is not of Python");
  auto function = std::make_shared<plan::PythonFunctionExpr>(read->As<plan::PythonFunctionExpr>());
  function->arguments = std::move(arguments);
  return plan::ExprPtr(function);
}

plan::ExprPtr AllColumns() { return plan::MakeFunctionExpr("struct", {std::make_shared<plan::StarExpr>()}); }

std::shared_ptr<plan::Plan> Inline(plan::PlanPtr child, plan::ExprPtr rows) {
  auto project = std::make_shared<plan::ProjectPlan>();
  project->child = std::move(child);
  project->expressions = {plan::MakeFunctionExpr("inline", {std::move(rows)})};
  return project;
}

// SELECT inline(f(collect_list(struct(*)), keys..., more...)) FROM input GROUP BY keys.
Result<std::shared_ptr<plan::Plan>> ReadGroups(PlanReader& reader, const proto::Relation& input,
                                               const google::protobuf::RepeatedPtrField<proto::Expression>& keys,
                                               const proto::CommonInlineUserDefinedFunction& function,
                                               const std::vector<plan::ExprPtr>& more) {
  auto groups = std::make_shared<plan::AggregatePlan>();
  FRAZIL_ASSIGN_OR_RETURN(groups->child, reader.ReadRelation(input));
  std::vector<plan::ExprPtr> arguments = {plan::MakeFunctionExpr("collect_list", {AllColumns()})};
  for (const auto& key_message : keys) {
    FRAZIL_ASSIGN_OR_RETURN(auto key, reader.ReadExpression(key_message));
    if (key->kind == plan::ExprKind::kAlias) key = key->As<plan::AliasExpr>().child;
    groups->grouping.emplace_back().sets = {{key}};
    arguments.push_back(std::move(key));
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  FRAZIL_ASSIGN_OR_RETURN(auto rows, ReadFunction(reader, function, std::move(arguments)));
  groups->aggregates = {plan::MakeAliasExpr(std::move(rows), kResult)};
  return Inline(groups, plan::MakeAttributeExpr({kResult}));
}

// (SELECT collect_list(struct(struct(keys...), struct(*))) FROM the relation of initial states).
Result<plan::ExprPtr> ReadInitialState(PlanReader& reader, const proto::GroupMap& message) {
  if (message.initial_grouping_expressions_size() != message.grouping_expressions_size())
    return InvalidPlan("an initial state that has other keys than its stream");
  auto rows = std::make_shared<plan::AggregatePlan>();
  FRAZIL_ASSIGN_OR_RETURN(rows->child, reader.ReadRelation(message.initial_input()));
  std::vector<plan::ExprPtr> fields;
  for (const auto& key_message : message.initial_grouping_expressions()) {
    FRAZIL_ASSIGN_OR_RETURN(auto key, reader.ReadExpression(key_message));
    if (key->kind == plan::ExprKind::kAlias) key = key->As<plan::AliasExpr>().child;
    fields.push_back(plan::MakeAliasExpr(std::move(key), "k" + std::to_string(fields.size())));
  }
  fields.push_back(plan::MakeAliasExpr(AllColumns(), "initial_row"));
  rows->aggregates = {plan::MakeAliasExpr(
      plan::MakeFunctionExpr("collect_list", {plan::MakeFunctionExpr("struct", std::move(fields))}), "initial_rows")};
  auto subquery = std::make_shared<plan::SubqueryExpr>();
  subquery->plan = std::move(rows);
  return plan::ExprPtr(std::move(subquery));
}

// Behind the keys: the kind of time, the output mode, and the initial state (or NULL).
Result<std::shared_ptr<plan::Plan>> ReadTransformWithState(PlanReader& reader, const proto::GroupMap& message) {
  const auto& about = message.transform_with_state_info();
  const std::string mode = AsciiLower(message.output_mode()), time = AsciiLower(about.time_mode());
  if (mode != "append" && mode != "update" && mode != "complete")
    return Error::Of("STREAMING_OUTPUT_MODE.INVALID", {{"outputMode", message.output_mode()}});
  if (time != "none" && time != "processingtime" && time != "eventtime")
    return Error::Of("STATEFUL_PROCESSOR_UNKNOWN_TIME_MODE", {{"timeMode", about.time_mode()}});
  if (!about.event_time_column_name().empty())
    return Error::Unsupported("transformWithState with an event time column in its result");
  plan::ExprPtr initial = plan::MakeLiteralExpr(DataType::Null(), Value());
  if (message.has_initial_input()) {
    FRAZIL_ASSIGN_OR_RETURN(initial, ReadInitialState(reader, message));
  }
  return ReadGroups(reader, message.input(), message.grouping_expressions(), message.func(),
                    {plan::MakeLiteralExpr(DataType::String(), Value(time)),
                     plan::MakeLiteralExpr(DataType::String(), Value(mode)), std::move(initial)});
}

}  // namespace

Result<std::shared_ptr<plan::Plan>> ReadMapPartitions(PlanReader& reader, const proto::MapPartitions& message) {
  FRAZIL_ASSIGN_OR_RETURN(auto input, reader.ReadRelation(message.input()));
  FRAZIL_ASSIGN_OR_RETURN(auto rows, ReadFunction(reader, message.func(), {AllColumns()}));
  return Inline(std::move(input), std::move(rows));
}

Result<std::shared_ptr<plan::Plan>> ReadGroupMap(PlanReader& reader, const proto::GroupMap& message) {
  if (message.has_transform_with_state_info()) return ReadTransformWithState(reader, message);
  if (message.has_is_map_groups_with_state()) return Error::Unsupported("mapGroupsWithState");
  return ReadGroups(reader, message.input(), message.grouping_expressions(), message.func(), {});
}

Result<std::shared_ptr<plan::Plan>> ReadCoGroupMap(PlanReader& reader, const proto::CoGroupMap& message) {
  if (message.input_sorting_expressions_size() > 0 || message.other_sorting_expressions_size() > 0)
    return Error::Unsupported("Sorted co-groups");
  const int keys = message.input_grouping_expressions_size();
  if (keys != message.other_grouping_expressions_size())
    return InvalidPlan("co-groups whose sides have different numbers of keys");
  const auto key_of = [](const char* side, int i) { return side + std::string("_key") + std::to_string(i); };
  const auto groups_of = [&](const proto::Relation& input, const auto& key_messages,
                             const char* side) -> Result<plan::PlanPtr> {
    auto groups = std::make_shared<plan::AggregatePlan>();
    FRAZIL_ASSIGN_OR_RETURN(groups->child, reader.ReadRelation(input));
    groups->aggregates = {plan::MakeAliasExpr(plan::MakeFunctionExpr("collect_list", {AllColumns()}), side)};
    for (int i = 0; i < keys; ++i) {
      FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr key, reader.ReadExpression(key_messages[i]));
      if (key->kind == plan::ExprKind::kAlias) key = key->As<plan::AliasExpr>().child;
      groups->grouping.emplace_back().sets = {{key}};
      groups->aggregates.push_back(plan::MakeAliasExpr(std::move(key), key_of(side, i)));
    }
    return plan::PlanPtr(std::move(groups));
  };
  auto join = std::make_shared<plan::JoinPlan>();
  FRAZIL_ASSIGN_OR_RETURN(join->left, groups_of(message.input(), message.input_grouping_expressions(), "left_rows"));
  FRAZIL_ASSIGN_OR_RETURN(join->right, groups_of(message.other(), message.other_grouping_expressions(), "right_rows"));
  join->type = plan::JoinType::kFullOuter;
  std::vector<plan::ExprPtr> arguments = {plan::MakeAttributeExpr({"left_rows"}),
                                          plan::MakeAttributeExpr({"right_rows"})};
  for (int i = 0; i < keys; ++i) {
    const auto left = plan::MakeAttributeExpr({key_of("left_rows", i)});
    const auto right = plan::MakeAttributeExpr({key_of("right_rows", i)});
    auto same = plan::MakeFunctionExpr("<=>", {left, right});
    join->condition = i == 0 ? same : plan::MakeFunctionExpr("and", {join->condition, same});
    arguments.push_back(plan::MakeFunctionExpr("coalesce", {left, right}));
  }
  if (keys == 0) join->condition = plan::MakeLiteralExpr(DataType::Boolean(), Value(true));
  FRAZIL_ASSIGN_OR_RETURN(auto rows, ReadFunction(reader, message.func(), std::move(arguments)));
  return Inline(std::move(join), std::move(rows));
}

Result<std::shared_ptr<plan::PythonTableFunctionPlan>> ReadPythonTableFunction(
    PlanReader& reader, const proto::CommonInlineUserDefinedTableFunction& message) {
  if (!message.has_python_udtf()) return InvalidPlan("a table function that is not of Python");
  const auto& code = message.python_udtf();
  auto function = std::make_shared<plan::PythonTableFunctionPlan>();
  function->name = {message.function_name()};
  function->code = code.command();
  function->python_version = code.python_ver();
  function->eval_type = code.eval_type();
  function->deterministic = message.deterministic();
  for (const auto& argument : message.arguments()) {
    FRAZIL_ASSIGN_OR_RETURN(auto read, reader.ReadExpression(argument));
    function->arguments.push_back(std::move(read));
  }
  if (!code.has_return_type()) return function;
  if (code.return_type().kind_case() == proto::DataType::kUnparsed) {
    FRAZIL_ASSIGN_OR_RETURN(function->return_type,
                            sql::ParseSchemaOrDataType(code.return_type().unparsed().data_type_string()));
  } else {
    FRAZIL_ASSIGN_OR_RETURN(function->return_type, ReadDataType(code.return_type(), nullptr));
  }
  if (function->return_type->id() != TypeId::kStruct)
    return InvalidPlan("a Python table function that returns " + function->return_type->SimpleString() + ", no struct");
  return function;
}

Result<std::shared_ptr<plan::Plan>> ReadGroupMapWithState(PlanReader& reader,
                                                          const proto::ApplyInPandasWithState& message) {
  const std::string mode = AsciiLower(message.output_mode());
  if (mode != "append" && mode != "update" && mode != "complete") {
    return Error::Of("STREAMING_OUTPUT_MODE.INVALID", {{"outputMode", message.output_mode()}});
  }
  if (mode == "complete")
    return Error::Plain(ExceptionClass::kIllegalArgument, "The output mode of function should be append or update");
  const std::string& timeout = message.timeout_conf();
  if (timeout != "NoTimeout" && timeout != "ProcessingTimeTimeout" && timeout != "EventTimeTimeout")
    return Error::Plain(ExceptionClass::kSpark, "Invalid string for GroupStateTimeout: " + timeout);
  const std::string& schema = message.state_schema();
  DataTypePtr state;
  if (schema.starts_with('{')) {
    FRAZIL_ASSIGN_OR_RETURN(state, DataType::FromJson(schema));
  } else {
    FRAZIL_ASSIGN_OR_RETURN(state, sql::ParseSchemaOrDataType(schema));
  }
  if (state->id() != TypeId::kStruct) return Error::Unsupported("A state that is not a struct");
  return ReadGroups(reader, message.input(), message.grouping_expressions(), message.func(),
                    {plan::MakeLiteralExpr(DataType::String(), Value(timeout)),
                     plan::MakeLiteralExpr(DataType::String(), Value(mode)), plan::MakeLiteralExpr(state, Value())});
}

}  // namespace frazil::connect
