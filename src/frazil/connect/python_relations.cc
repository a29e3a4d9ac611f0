#include "frazil/connect/python_relations_internal.h"

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

}  // namespace

Result<std::shared_ptr<plan::Plan>> ReadMapPartitions(PlanReader& reader, const proto::MapPartitions& message) {
  FRAZIL_ASSIGN_OR_RETURN(auto input, reader.ReadRelation(message.input()));
  FRAZIL_ASSIGN_OR_RETURN(auto rows, ReadFunction(reader, message.func(), {AllColumns()}));
  return Inline(std::move(input), std::move(rows));
}

Result<std::shared_ptr<plan::Plan>> ReadGroupMap(PlanReader& reader, const proto::GroupMap& message) {
  if (message.has_transform_with_state_info() || message.has_is_map_groups_with_state()) {
    return Error::Unsupported("Functions over groups with state");
  }
  auto groups = std::make_shared<plan::AggregatePlan>();
  FRAZIL_ASSIGN_OR_RETURN(groups->child, reader.ReadRelation(message.input()));
  std::vector<plan::ExprPtr> arguments = {plan::MakeFunctionExpr("collect_list", {AllColumns()})};
  for (const auto& key_message : message.grouping_expressions()) {
    FRAZIL_ASSIGN_OR_RETURN(auto key, reader.ReadExpression(key_message));
    if (key->kind == plan::ExprKind::kAlias) key = key->As<plan::AliasExpr>().child;
    groups->grouping.emplace_back().sets = {{key}};
    arguments.push_back(std::move(key));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto rows, ReadFunction(reader, message.func(), std::move(arguments)));
  groups->aggregates = {plan::MakeAliasExpr(std::move(rows), kResult)};
  return Inline(groups, plan::MakeAttributeExpr({kResult}));
}

}  // namespace frazil::connect
