#include <algorithm>
#include <array>

#include "frazil/base/text.h"
#include "frazil/connect/name_parser.h"
#include "frazil/connect/plan_reader_internal.h"
#include "frazil/sql/parser.h"

namespace frazil::connect {
namespace {

namespace proto = spark::connect;

// Functions of the protocol that are operators in SQL (plan::FunctionExpr lists them), in lower case.
constexpr auto kOperators = std::to_array<std::string_view>(
    {"!",      "!=",   "%",        "&",   "*",  "+",        "-",       "/",    "<",     "<=", "<=>",
     "=",      "==",   ">",        ">=",  "^",  "and",      "between", "div",  "ilike", "in", "isnotnull",
     "isnull", "like", "negative", "not", "or", "positive", "rlike",   "when", "|",     "||", "~"});

template <typename T>
std::shared_ptr<T> Make(plan::Origin origin) {
  auto node = std::make_shared<T>();
  node->origin = std::move(origin);
  return node;
}

bool IsLiteralOf(const plan::ExprPtr& expression, TypeId type) {
  if (expression->kind != plan::ExprKind::kLiteral) return false;
  const auto& literal = expression->As<plan::LiteralExpr>();
  return literal.type->id() == type && !literal.value.is_null();
}

// Spark's Connect server turns what some functions take as a last argument into a property of the call.
void TakeIgnoreNulls(plan::FunctionExpr* call) {
  const std::string name = AsciiLower(call->name.back());
  const bool nth_value = name == "nth_value" && call->arguments.size() == 3;
  const bool lead_or_lag = (name == "lag" || name == "lead") && call->arguments.size() == 4;
  if ((nth_value || lead_or_lag) && IsLiteralOf(call->arguments.back(), TypeId::kBoolean)) {
    const bool ignore = call->arguments.back()->As<plan::LiteralExpr>().value.boolean();
    call->arguments.pop_back();
    if (ignore) call->ignore_nulls = true;
  }
}

// from_json and its kin take the JSON text of a type where SQL takes DDL.
Status TakeSchemaText(plan::FunctionExpr* call) {
  const std::string name = AsciiLower(call->name.back());
  if (name != "from_json" && name != "from_xml" && name != "from_csv") return Status::Ok();
  if (call->arguments.size() < 2 || !IsLiteralOf(call->arguments[1], TypeId::kString)) return Status::Ok();
  const std::string& text = call->arguments[1]->As<plan::LiteralExpr>().value.string();
  const std::string_view trimmed = TrimBlanks(text);
  if (trimmed.empty() || (trimmed.front() != '{' && trimmed.front() != '"')) return Status::Ok();
  FRAZIL_ASSIGN_OR_RETURN(auto type, DataType::FromJson(trimmed));
  call->arguments[1] = plan::MakeLiteralExpr(DataType::String(), Value(type->Sql()), call->arguments[1]->origin);
  return Status::Ok();
}

// zipWithIndex of the client: count(1) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - 1, the rows' numbers
// from 0 in the order in which they come.
plan::ExprPtr SequenceNumber(const plan::Origin& origin) {
  const auto one = plan::MakeLiteralExpr(DataType::Long(), Value(int64_t{1}), origin);
  auto count = Make<plan::FunctionExpr>(origin);
  count->name = {"count"};
  count->arguments = {one};
  auto window = Make<plan::WindowExpr>(origin);
  window->function = std::move(count);
  plan::UnresolvedFrame frame;
  frame.type = FrameType::kRows;
  frame.start.type = FrameBoundType::kUnboundedPreceding;
  frame.end.type = FrameBoundType::kCurrentRow;
  window->window.frame = std::move(frame);
  auto number = Make<plan::FunctionExpr>(origin);
  number->name = {"-"};
  number->is_operator = true;
  number->arguments = {std::move(window), one};
  return number;
}

}  // namespace

plan::Origin ReadOrigin(const proto::Origin& message) {
  plan::Origin origin;
  if (message.has_python_origin()) {
    origin.fragment = message.python_origin().fragment();
    origin.call_site = message.python_origin().call_site();
  }
  return origin;
}

Result<plan::ExprPtr> PlanReader::ReadExpression(const proto::Expression& message) {
  plan::Origin origin = ReadOrigin(message.common().origin());
  using Kind = proto::Expression::ExprTypeCase;
  switch (message.expr_type_case()) {
    case Kind::kLiteral:
      return ReadLiteralExpression(message.literal(), std::move(origin));
    case Kind::kUnresolvedAttribute: {
      auto attribute = Make<plan::AttributeExpr>(std::move(origin));
      FRAZIL_ASSIGN_OR_RETURN(attribute->name,
                              ParseAttributeName(message.unresolved_attribute().unparsed_identifier()));
      if (message.unresolved_attribute().has_plan_id()) attribute->plan_id = message.unresolved_attribute().plan_id();
      attribute->is_metadata_column = message.unresolved_attribute().is_metadata_column();
      return plan::ExprPtr(attribute);
    }
    case Kind::kUnresolvedFunction:
      return ReadFunction(message.unresolved_function(), std::move(origin));
    case Kind::kExpressionString: {
      auto text = Make<plan::SqlTextExpr>(std::move(origin));
      text->text = message.expression_string().expression();
      return plan::ExprPtr(text);
    }
    case Kind::kUnresolvedStar:
      return ReadStar(message.unresolved_star(), std::move(origin));
    case Kind::kAlias:
      return ReadAlias(message.alias(), std::move(origin));
    case Kind::kCast:
      return ReadCast(message.cast(), std::move(origin));
    case Kind::kUnresolvedRegex: {
      auto regex = Make<plan::RegexColumnExpr>(std::move(origin));
      regex->pattern = message.unresolved_regex().col_name();
      if (message.unresolved_regex().has_plan_id()) regex->plan_id = message.unresolved_regex().plan_id();
      return plan::ExprPtr(regex);
    }
    case Kind::kSortOrder:
      return ReadSortOrder(message.sort_order(), std::move(origin));
    case Kind::kLambdaFunction: {
      auto lambda = Make<plan::LambdaExpr>(std::move(origin));
      for (const auto& argument : message.lambda_function().arguments()) {
        if (argument.name_parts_size() == 0) return InvalidPlan("a lambda variable without a name");
        lambda->parameters.push_back(argument.name_parts(argument.name_parts_size() - 1));
      }
      FRAZIL_ASSIGN_OR_RETURN(lambda->body, ReadExpression(message.lambda_function().function()));
      return plan::ExprPtr(lambda);
    }
    case Kind::kWindow:
      return ReadWindow(message.window(), std::move(origin));
    case Kind::kUnresolvedExtractValue: {
      auto extract = Make<plan::ExtractValueExpr>(std::move(origin));
      FRAZIL_ASSIGN_OR_RETURN(extract->child, ReadExpression(message.unresolved_extract_value().child()));
      FRAZIL_ASSIGN_OR_RETURN(extract->extraction, ReadExpression(message.unresolved_extract_value().extraction()));
      return plan::ExprPtr(extract);
    }
    case Kind::kUpdateFields: {
      auto update = Make<plan::UpdateFieldExpr>(std::move(origin));
      FRAZIL_ASSIGN_OR_RETURN(update->child, ReadExpression(message.update_fields().struct_expression()));
      update->field = message.update_fields().field_name();
      if (message.update_fields().has_value_expression()) {
        FRAZIL_ASSIGN_OR_RETURN(update->value, ReadExpression(message.update_fields().value_expression()));
      }
      return plan::ExprPtr(update);
    }
    case Kind::kUnresolvedNamedLambdaVariable: {
      if (message.unresolved_named_lambda_variable().name_parts_size() == 0) {
        return InvalidPlan("a lambda variable without a name");
      }
      auto variable = Make<plan::LambdaVariableExpr>(std::move(origin));
      for (const auto& part : message.unresolved_named_lambda_variable().name_parts()) variable->name.push_back(part);
      return plan::ExprPtr(variable);
    }
    case Kind::kCommonInlineUserDefinedFunction:
      return ReadUserFunction(message.common_inline_user_defined_function(), std::move(origin));
    case Kind::kCallFunction: {
      auto call = Make<plan::FunctionExpr>(std::move(origin));
      FRAZIL_ASSIGN_OR_RETURN(call->name, sql::ParseMultipartIdentifier(message.call_function().function_name()));
      FRAZIL_ASSIGN_OR_RETURN(call->arguments, ReadExpressions(message.call_function().arguments()));
      return plan::ExprPtr(call);
    }
    case Kind::kNamedArgumentExpression: {
      auto argument = Make<plan::NamedArgumentExpr>(std::move(origin));
      argument->name = message.named_argument_expression().key();
      FRAZIL_ASSIGN_OR_RETURN(argument->value, ReadExpression(message.named_argument_expression().value()));
      return plan::ExprPtr(argument);
    }
    case Kind::kMergeAction:
      return ReadMergeAction(message.merge_action(), std::move(origin));
    case Kind::kTypedAggregateExpression:
      return Error::Unsupported("Typed aggregates of Scala");
    case Kind::kSubqueryExpression:
      return ReadSubquery(message.subquery_expression(), std::move(origin));
    case Kind::kDirectShufflePartitionId:
      return InvalidPlan("a partition number outside of repartitionById");
    case Kind::kExtension:
      return Error::Unsupported("Expression extension " + message.extension().type_url());
    case Kind::EXPR_TYPE_NOT_SET:
      break;
  }
  return InvalidPlan("an expression without a kind");
}

Result<plan::ExprPtr> PlanReader::ReadLiteralExpression(const proto::Expression::Literal& message,
                                                        plan::Origin origin) {
  FRAZIL_ASSIGN_OR_RETURN(auto read, ReadLiteral(message, parse_ddl_));
  return plan::MakeLiteralExpr(std::move(read.type), std::move(read.value), std::move(origin));
}

Result<plan::ExprPtr> PlanReader::ReadFunction(const proto::Expression::UnresolvedFunction& message,
                                               plan::Origin origin) {
  auto call = Make<plan::FunctionExpr>(std::move(origin));
  if (message.is_user_defined_function()) {
    FRAZIL_ASSIGN_OR_RETURN(call->name, sql::ParseMultipartIdentifier(message.function_name()));
  } else {
    call->name = {message.function_name()};
  }
  FRAZIL_ASSIGN_OR_RETURN(call->arguments, ReadExpressions(message.arguments()));
  if (call->arguments.empty() && AsciiLower(message.function_name()) == "distributed_sequence_id") {
    return SequenceNumber(call->origin);
  }
  call->is_distinct = message.is_distinct();
  // What the DataFrame API names itself, unlike call_function() and texts, may be one of its private functions.
  call->is_internal = !message.is_user_defined_function();
  const std::string lower = AsciiLower(message.function_name());
  call->is_operator =
      !message.is_user_defined_function() && std::find(kOperators.begin(), kOperators.end(), lower) != kOperators.end();
  if (call->is_operator) call->name = {lower};
  TakeIgnoreNulls(call.get());
  FRAZIL_RETURN_IF_ERROR(TakeSchemaText(call.get()));
  return plan::ExprPtr(call);
}

Result<plan::ExprPtr> PlanReader::ReadAlias(const proto::Expression::Alias& message, plan::Origin origin) {
  auto alias = Make<plan::AliasExpr>(std::move(origin));
  FRAZIL_ASSIGN_OR_RETURN(alias->child, ReadExpression(message.expr()));
  for (const auto& name : message.name()) alias->names.push_back(name);
  if (alias->names.empty()) return InvalidPlan("an alias without a name");
  if (message.has_metadata()) {
    if (alias->names.size() > 1) return InvalidPlan("metadata for an alias with several names");
    alias->metadata = message.metadata();
  }
  return plan::ExprPtr(alias);
}

Result<plan::ExprPtr> PlanReader::ReadCast(const proto::Expression::Cast& message, plan::Origin origin) {
  auto cast = Make<plan::CastExpr>(std::move(origin));
  FRAZIL_ASSIGN_OR_RETURN(cast->child, ReadExpression(message.expr()));
  switch (message.cast_to_type_case()) {
    case proto::Expression::Cast::kType: {
      FRAZIL_ASSIGN_OR_RETURN(cast->type, ReadDataType(message.type(), parse_ddl_));
      break;
    }
    case proto::Expression::Cast::kTypeStr:
      cast->type_text = message.type_str();
      break;
    case proto::Expression::Cast::CAST_TO_TYPE_NOT_SET:
      return InvalidPlan("a cast without a type");
  }
  switch (message.eval_mode()) {
    case proto::Expression::Cast::EVAL_MODE_LEGACY:
      cast->mode = EvalMode::kLegacy;
      break;
    case proto::Expression::Cast::EVAL_MODE_ANSI:
      cast->mode = EvalMode::kAnsi;
      break;
    case proto::Expression::Cast::EVAL_MODE_TRY:
      cast->mode = EvalMode::kTry;
      break;
    default:
      break;
  }
  return plan::ExprPtr(cast);
}

Result<plan::ExprPtr> PlanReader::ReadSortOrder(const proto::Expression::SortOrder& message, plan::Origin origin) {
  auto order = Make<plan::SortOrderExpr>(std::move(origin));
  FRAZIL_ASSIGN_OR_RETURN(order->child, ReadExpression(message.child()));
  order->ascending = message.direction() != proto::Expression::SortOrder::SORT_DIRECTION_DESCENDING;
  if (message.null_ordering() == proto::Expression::SortOrder::SORT_NULLS_FIRST) order->nulls_first = true;
  if (message.null_ordering() == proto::Expression::SortOrder::SORT_NULLS_LAST) order->nulls_first = false;
  return plan::ExprPtr(order);
}

Result<plan::UnresolvedFrameBound> PlanReader::ReadFrameBound(
    const proto::Expression::Window::WindowFrame::FrameBoundary& message, FrameBoundType unbounded) {
  plan::UnresolvedFrameBound bound;
  using Kind = proto::Expression::Window::WindowFrame::FrameBoundary::BoundaryCase;
  switch (message.boundary_case()) {
    case Kind::kCurrentRow:
      bound.type = FrameBoundType::kCurrentRow;
      return bound;
    case Kind::kUnbounded:
      bound.type = unbounded;
      return bound;
    case Kind::kValue: {
      bound.type = FrameBoundType::kFollowing;
      FRAZIL_ASSIGN_OR_RETURN(bound.offset, ReadExpression(message.value()));
      return bound;
    }
    case Kind::BOUNDARY_NOT_SET:
      break;
  }
  return InvalidPlan("a window frame without bounds");
}

Result<plan::ExprPtr> PlanReader::ReadWindow(const proto::Expression::Window& message, plan::Origin origin) {
  auto window = Make<plan::WindowExpr>(std::move(origin));
  if (!message.has_window_function()) return InvalidPlan("a window without a function");
  FRAZIL_ASSIGN_OR_RETURN(window->function, ReadExpression(message.window_function()));
  FRAZIL_ASSIGN_OR_RETURN(window->window.partition_by, ReadExpressions(message.partition_spec()));
  for (const auto& order : message.order_spec()) {
    FRAZIL_ASSIGN_OR_RETURN(auto read, ReadSortOrder(order, {}));
    window->window.order_by.push_back(std::move(read));
  }
  if (message.has_frame_spec()) {
    plan::UnresolvedFrame frame;
    switch (message.frame_spec().frame_type()) {
      case proto::Expression::Window::WindowFrame::FRAME_TYPE_ROW:
        frame.type = FrameType::kRows;
        break;
      case proto::Expression::Window::WindowFrame::FRAME_TYPE_RANGE:
        frame.type = FrameType::kRange;
        break;
      default:
        return InvalidPlan("a window frame without a type");
    }
    FRAZIL_ASSIGN_OR_RETURN(frame.start,
                            ReadFrameBound(message.frame_spec().lower(), FrameBoundType::kUnboundedPreceding));
    FRAZIL_ASSIGN_OR_RETURN(frame.end,
                            ReadFrameBound(message.frame_spec().upper(), FrameBoundType::kUnboundedFollowing));
    window->window.frame = std::move(frame);
  }
  return plan::ExprPtr(window);
}

Result<plan::ExprPtr> PlanReader::ReadStar(const proto::Expression::UnresolvedStar& message, plan::Origin origin) {
  auto star = Make<plan::StarExpr>(std::move(origin));
  if (message.has_plan_id()) star->plan_id = message.plan_id();
  if (message.has_unparsed_target()) {
    const std::string& target = message.unparsed_target();
    if (!target.ends_with(".*")) return InvalidPlan("the star \"" + target + "\" does not end with \".*\"");
    FRAZIL_ASSIGN_OR_RETURN(star->target, ParseAttributeName(std::string_view(target).substr(0, target.size() - 2)));
  }
  return plan::ExprPtr(star);
}

Result<plan::ExprPtr> PlanReader::ReadUserFunction(const proto::CommonInlineUserDefinedFunction& message,
                                                   plan::Origin origin) {
  switch (message.function_case()) {
    case proto::CommonInlineUserDefinedFunction::kPythonUdf:
      break;
    case proto::CommonInlineUserDefinedFunction::kScalarScalaUdf:
      return Error::Unsupported("Functions written in Scala");
    case proto::CommonInlineUserDefinedFunction::kJavaUdf:
      return Error::Unsupported("Functions written in Java");
    case proto::CommonInlineUserDefinedFunction::FUNCTION_NOT_SET:
      return InvalidPlan("a user-defined function without code");
  }
  auto function = Make<plan::PythonFunctionExpr>(std::move(origin));
  function->name = message.function_name();
  FRAZIL_ASSIGN_OR_RETURN(function->arguments, ReadExpressions(message.arguments()));
  const auto& code = message.python_udf();
  if (code.output_type().kind_case() == proto::DataType::kUnparsed) {
    function->output_type_text = code.output_type().unparsed().data_type_string();
  } else {
    FRAZIL_ASSIGN_OR_RETURN(function->output_type, ReadDataType(code.output_type(), parse_ddl_));
  }
  function->eval_type = code.eval_type();
  function->command = code.command();
  function->python_version = code.python_ver();
  function->deterministic = message.deterministic();
  function->is_distinct = message.is_distinct();
  return plan::ExprPtr(function);
}

Result<plan::ExprPtr> PlanReader::ReadSubquery(const proto::SubqueryExpression& message, plan::Origin origin) {
  const auto reference = references_.find(message.plan_id());
  const plan::PlanPtr plan = reference == references_.end() ? nullptr : reference->second;
  if (message.subquery_type() == proto::SubqueryExpression::SUBQUERY_TYPE_TABLE_ARG) {
    if (plan == nullptr) return InvalidPlan("a table argument whose relation is missing");
    auto argument = Make<plan::TableArgumentExpr>(std::move(origin));
    argument->plan = plan;
    FRAZIL_ASSIGN_OR_RETURN(argument->partition_by, ReadExpressions(message.table_arg_options().partition_spec()));
    for (const auto& order : message.table_arg_options().order_spec()) {
      FRAZIL_ASSIGN_OR_RETURN(auto read, ReadSortOrder(order, {}));
      argument->order_by.push_back(std::move(read));
    }
    argument->with_single_partition = message.table_arg_options().with_single_partition();
    return plan::ExprPtr(argument);
  }
  auto subquery = Make<plan::SubqueryExpr>(std::move(origin));
  subquery->plan = plan;
  subquery->plan_id = message.plan_id();
  switch (message.subquery_type()) {
    case proto::SubqueryExpression::SUBQUERY_TYPE_SCALAR:
      subquery->subquery_kind = SubqueryKind::kScalar;
      return plan::ExprPtr(subquery);
    case proto::SubqueryExpression::SUBQUERY_TYPE_EXISTS:
      subquery->subquery_kind = SubqueryKind::kExists;
      return plan::ExprPtr(subquery);
    case proto::SubqueryExpression::SUBQUERY_TYPE_IN: {
      subquery->subquery_kind = SubqueryKind::kIn;
      FRAZIL_ASSIGN_OR_RETURN(subquery->values, ReadExpressions(message.in_subquery_values()));
      return plan::ExprPtr(subquery);
    }
    default:
      return InvalidPlan("a subquery without a type");
  }
}

Result<plan::ExprPtr> PlanReader::ReadMergeAction(const proto::MergeAction& message, plan::Origin origin) {
  auto action = Make<plan::MergeActionExpr>(std::move(origin));
  switch (message.action_type()) {
    case proto::MergeAction::ACTION_TYPE_DELETE:
      action->type = plan::MergeActionType::kDelete;
      break;
    case proto::MergeAction::ACTION_TYPE_INSERT:
      action->type = plan::MergeActionType::kInsert;
      break;
    case proto::MergeAction::ACTION_TYPE_INSERT_STAR:
      action->type = plan::MergeActionType::kInsertStar;
      break;
    case proto::MergeAction::ACTION_TYPE_UPDATE:
      action->type = plan::MergeActionType::kUpdate;
      break;
    case proto::MergeAction::ACTION_TYPE_UPDATE_STAR:
      action->type = plan::MergeActionType::kUpdateStar;
      break;
    default:
      return InvalidPlan("a merge action without a type");
  }
  if (message.has_condition()) {
    FRAZIL_ASSIGN_OR_RETURN(action->condition, ReadExpression(message.condition()));
  }
  for (const auto& assignment : message.assignments()) {
    FRAZIL_ASSIGN_OR_RETURN(auto column, ReadExpression(assignment.key()));
    FRAZIL_ASSIGN_OR_RETURN(auto value, ReadExpression(assignment.value()));
    action->assignments.push_back({std::move(column), std::move(value)});
  }
  return plan::ExprPtr(action);
}

}  // namespace frazil::connect
