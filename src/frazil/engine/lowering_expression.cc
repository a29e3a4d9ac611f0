#include <algorithm>
#include <optional>
#include <set>

#include <duckdb/parser/expression/case_expression.hpp>
#include <duckdb/parser/expression/columnref_expression.hpp>
#include <duckdb/parser/expression/comparison_expression.hpp>
#include <duckdb/parser/expression/conjunction_expression.hpp>
#include <duckdb/parser/expression/constant_expression.hpp>
#include <duckdb/parser/expression/function_expression.hpp>
#include <duckdb/parser/expression/lambda_expression.hpp>
#include <duckdb/parser/expression/operator_expression.hpp>
#include <duckdb/parser/expression/subquery_expression.hpp>
#include <duckdb/parser/expression/window_expression.hpp>
#include <duckdb/parser/parsed_expression_iterator.hpp>

#include "frazil/engine/functions/cast.h"
#include "frazil/engine/functions/group_key.h"
#include "frazil/engine/functions/order_key.h"
#include "frazil/engine/lowering.h"
#include "frazil/engine/type_mapping.h"

namespace frazil::engine {
namespace {

std::string LambdaParameterName(AttributeId id) { return "l" + std::to_string(id); }

// DuckDB reads integer literals in GROUP BY and ORDER BY as positions; within an expression they are harmless. Callers
// that need it wrap.
bool IsWindowFunctionName(const std::string& name) {
  static const std::set<std::string> kNames = {"row_number",  "rank",       "dense_rank", "percent_rank",
                                               "cume_dist",   "ntile",      "lag",        "lead",
                                               "first_value", "last_value", "nth_value"};
  return kNames.count(name) != 0;
}

LoweredExpression AndOf(LoweredExpression left, LoweredExpression right) {
  if (left == nullptr) return right;
  if (right == nullptr) return left;
  return duckdb::make_uniq<duckdb::ConjunctionExpression>(duckdb::ExpressionType::CONJUNCTION_AND, std::move(left),
                                                          std::move(right));
}

// DuckDB's binder computes each constant argument of a call, with all below it, to see whether it is NULL: of constants
// as deep as a few hundred calls that is a work of the third power. At this depth a constant is one no more.
constexpr int kDeepConstant = 48;

// The height of a constant expression in calls, or nothing. Puts those of that height into `deep`.
std::optional<int> ConstantHeight(const Expression& expression, std::set<const Expression*>* deep) {
  int height = 0;
  bool is_constant = expression.kind == ExpressionKind::kLiteral || expression.kind == ExpressionKind::kCall ||
                     expression.kind == ExpressionKind::kCast;
  for (const auto& child : Children(expression)) {
    const auto below = ConstantHeight(*child, deep);
    is_constant = is_constant && below.has_value();
    if (below) height = std::max(height, *below + 1);
  }
  if (!is_constant) return std::nullopt;
  if (height < kDeepConstant) return height;
  deep->insert(&expression);
  return std::nullopt;
}

// The deep constants of the expression that this thread lowers.
struct DeepConstants {
  int levels = 0;  ///< Calls of Lower on the stack.
  std::set<const Expression*> found;
};
thread_local DeepConstants deep_constants;

struct Level {
  Level() { ++deep_constants.levels; }
  ~Level() { --deep_constants.levels; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;
};

}  // namespace

std::string ColumnName(AttributeId id) { return "c" + std::to_string(id); }

LoweredExpression ColumnRefOf(const std::string& name) { return duckdb::make_uniq<duckdb::ColumnRefExpression>(name); }

Result<LoweredExpression> Lowering::Lower(const Expression& expression) {
  auto& constants = deep_constants;
  if (constants.levels == 0) {
    constants.found.clear();
    ConstantHeight(expression, &constants.found);
  }
  const Level level;
  auto lowered = [&]() -> Result<LoweredExpression> {
    switch (expression.kind) {
      case ExpressionKind::kLiteral:
        return LowerLiteral(expression.As<LiteralExpression>());
      case ExpressionKind::kColumn:
        return ColumnRefOf(ColumnName(expression.As<ColumnExpression>().id));
      case ExpressionKind::kCall:
        return LowerCall(expression.As<CallExpression>());
      case ExpressionKind::kCast:
        return LowerCast(expression.As<CastExpression>());
      case ExpressionKind::kLambda:
        return LowerLambda(expression.As<LambdaExpression>());
      case ExpressionKind::kLambdaVariable:
        return ColumnRefOf(LambdaParameterName(expression.As<LambdaVariableExpression>().id));
      case ExpressionKind::kSubquery:
        return LowerSubquery(expression.As<SubqueryExpression>());
      case ExpressionKind::kAggregate:
        return LowerAggregate(expression.As<AggregateExpression>());
      case ExpressionKind::kWindow:
        return LowerWindow(expression.As<WindowExpression>());
    }
    return Error::Internal("Unknown kind of expression");
  }();
  if (lowered.ok() && constants.found.count(&expression) != 0)
    lowered = CallOf("spark_as_computed", *std::move(lowered));
  if (lowered.ok() && expression.origin != nullptr) state_.origins.Mark(**lowered, expression.origin);
  return lowered;
}

Result<LoweredArguments> Lowering::LowerAll(const std::vector<ExpressionPtr>& expressions) {
  LoweredArguments result;
  for (const auto& expression : expressions) {
    FRAZIL_ASSIGN_OR_RETURN(auto lowered, Lower(*expression));
    result.push_back(std::move(lowered));
  }
  return result;
}

Result<LoweredExpression> Lowering::LowerLiteral(const LiteralExpression& literal) {
  FRAZIL_ASSIGN_OR_RETURN(auto value, ToDuckDbValue(*literal.type, literal.value));
  return ConstantOf(std::move(value));
}

namespace {

const std::string& TextOf(const CallExpression& call, size_t argument) {
  return call.arguments[argument]->As<LiteralExpression>().value.string();
}

// Names the errors of what a call stands around, where the call is there for that.
void NameErrors(const CallExpression& call, duckdb::ParsedExpression& lowered, ErrorOrigins& origins) {
  if (call.function == "store_value" || call.function == "delta_update_value") {
    const bool is_update = call.function == "delta_update_value";
    Error::Parameters parameters = {
        {"sourceType", TextOf(call, 1)}, {"targetType", TextOf(call, 2)}, {"columnName", TextOf(call, 3)}};
    if (is_update) {
      parameters.emplace_back("storeAssignmentPolicyFlag", "spark.sql.storeAssignmentPolicy");
      parameters.emplace_back("updateAndMergeCastingFollowsAnsiEnabledFlag",
                              "spark.databricks.delta.updateAndMergeCastingFollowsAnsiEnabledFlag");
      parameters.emplace_back("ansiEnabledFlag", "spark.sql.ansi.enabled");
    }
    origins.Replace(
        lowered, ErrorOrigins::Errors::kOverflow,
        Error::Of(is_update ? "DELTA_CAST_OVERFLOW_IN_TABLE_WRITE" : "CAST_OVERFLOW_IN_TABLE_INSERT", parameters),
        nullptr);
  }
  if (call.function == "inline_value") {
    origins.Replace(lowered, ErrorOrigins::Errors::kAny,
                    Error::Of("INVALID_INLINE_TABLE.FAILED_SQL_EXPRESSION_EVALUATION", {{"sqlExpr", TextOf(call, 1)}}),
                    call.origin);
  }
}

}  // namespace

Result<LoweredExpression> Lowering::LowerCall(const CallExpression& call) {
  FRAZIL_ASSIGN_OR_RETURN(auto arguments, LowerAll(call.arguments));
  FRAZIL_ASSIGN_OR_RETURN(auto lowered, registry_.LowerScalar(*this, call, std::move(arguments)));
  FRAZIL_RETURN_IF_ERROR(ToDuckDbType(*call.type).status());
  NameErrors(call, *lowered, state_.origins);
  return AsMappedType(std::move(lowered), *call.type);
}

Result<LoweredExpression> Lowering::LowerCast(const CastExpression& cast) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, Lower(*cast.child));
  return LowerSparkCast(std::move(child), *cast.child->type, *cast.type, cast.mode, settings());
}

Result<LoweredExpression> Lowering::LowerLambda(const LambdaExpression& lambda) {
  FRAZIL_ASSIGN_OR_RETURN(auto body, Lower(*lambda.body));
  duckdb::vector<std::string> names;
  for (const auto& parameter : lambda.parameters) names.push_back(LambdaParameterName(parameter->id));
  return LoweredExpression(duckdb::make_uniq<duckdb::LambdaExpression>(std::move(names), std::move(body)));
}

namespace {

// Whether IN of several values may be NULL for want of one of them.
bool MayBeUnknown(const SubqueryExpression& subquery) {
  const auto& output = static_cast<const plan::LogicalPlan&>(*subquery.plan).output;
  return std::any_of(subquery.values.begin(), subquery.values.end(),
                     [](const auto& value) { return value->nullable; }) ||
         std::any_of(output.begin(), output.end(), [](const Attribute& attribute) { return attribute.nullable; });
}

}  // namespace

void Lowering::NoteConjuncts(const Expression& condition) {
  if (condition.kind == ExpressionKind::kSubquery) null_is_false_.insert(&condition);
  if (condition.kind != ExpressionKind::kCall) return;
  const auto& call = condition.As<CallExpression>();
  if (call.function != "and" && call.function != "or") return;
  for (const auto& argument : call.arguments) NoteConjuncts(*argument);
}

Result<LoweredExpression> Lowering::LowerMatch(const SubqueryExpression& subquery, bool or_unknown) {
  const auto& plan = static_cast<const plan::LogicalPlan&>(*subquery.plan);
  FRAZIL_ASSIGN_OR_RETURN(auto block, LowerPlan(plan));
  block = Wrap(std::move(block));
  for (size_t i = 0; i < subquery.values.size(); ++i) {
    FRAZIL_ASSIGN_OR_RETURN(auto value, Lower(*subquery.values[i]));
    LoweredExpression equal = duckdb::make_uniq<duckdb::ComparisonExpression>(
        duckdb::ExpressionType::COMPARE_EQUAL, std::move(value), ColumnRefOf(ColumnName(plan.output[i].id)));
    if (or_unknown) {
      auto known = duckdb::make_uniq<duckdb::OperatorExpression>(duckdb::ExpressionType::OPERATOR_COALESCE);
      known->children.push_back(std::move(equal));
      known->children.push_back(ConstantOf(duckdb::Value::BOOLEAN(true)));
      equal = std::move(known);
    }
    block.where.push_back(std::move(equal));
  }
  auto exists = duckdb::make_uniq<duckdb::SubqueryExpression>();
  exists->subquery_type = duckdb::SubqueryType::EXISTS;
  exists->subquery = duckdb::make_uniq<duckdb::SelectStatement>();
  exists->subquery->node = ToQueryNode(std::move(block));
  return LoweredExpression(std::move(exists));
}

Result<LoweredExpression> Lowering::LowerSubquery(const SubqueryExpression& subquery) {
  const auto& plan = static_cast<const plan::LogicalPlan&>(*subquery.plan);
  if (subquery.values.size() > 1 && null_is_false_.count(&subquery) == 0 && MayBeUnknown(subquery)) {
    // Unknown only if a row might match whatever the NULLs stand for: a member that differs decides. DuckDB takes any
    // NULL for unknown.
    auto result = duckdb::make_uniq<duckdb::CaseExpression>();
    duckdb::CaseCheck match, unknown;
    FRAZIL_ASSIGN_OR_RETURN(match.when_expr, LowerMatch(subquery, false));
    match.then_expr = ConstantOf(duckdb::Value::BOOLEAN(true));
    FRAZIL_ASSIGN_OR_RETURN(unknown.when_expr, LowerMatch(subquery, true));
    unknown.then_expr = ConstantOf(duckdb::Value(duckdb::LogicalType::BOOLEAN));
    result->case_checks.push_back(std::move(match));
    result->case_checks.push_back(std::move(unknown));
    result->else_expr = ConstantOf(duckdb::Value::BOOLEAN(false));
    return LoweredExpression(std::move(result));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto block, LowerPlan(plan));
  const bool is_checked = subquery.subquery_kind == SubqueryKind::kScalar && !subquery.is_correlated;
  if (is_checked && subquery.origin != nullptr) {
    // The check that there is one row is DuckDB's own: it finds the origin at the column.
    block = Wrap(std::move(block));
    block.select = PassThrough(block.columns);
    block.has_select = true;
    for (auto& [name, value] : block.select) state_.origins.Mark(*value, subquery.origin);
  }
  auto result = duckdb::make_uniq<duckdb::SubqueryExpression>();
  result->subquery = duckdb::make_uniq<duckdb::SelectStatement>();
  result->subquery->node = ToQueryNode(std::move(block));
  switch (subquery.subquery_kind) {
    case SubqueryKind::kScalar:
      result->subquery_type = duckdb::SubqueryType::SCALAR;
      break;
    case SubqueryKind::kExists:
      result->subquery_type = duckdb::SubqueryType::EXISTS;
      break;
    case SubqueryKind::kIn: {
      result->subquery_type = duckdb::SubqueryType::ANY;
      result->comparison_type = duckdb::ExpressionType::COMPARE_EQUAL;
      FRAZIL_ASSIGN_OR_RETURN(auto values, LowerAll(subquery.values));
      // DuckDB compares the members of row(...) one by one with the subquery's columns.
      result->child = values.size() == 1 ? std::move(values[0]) : CallOf("row", std::move(values));
      break;
    }
  }
  return LoweredExpression(std::move(result));
}

Result<duckdb::vector<duckdb::OrderByNode>> Lowering::LowerOrder(const std::vector<SortKey>& keys) {
  duckdb::vector<duckdb::OrderByNode> result;
  for (const auto& key : keys) {
    if (key.expression->kind == ExpressionKind::kLiteral)
      continue;  // Orders nothing, and DuckDB would take it for a position.
    FRAZIL_ASSIGN_OR_RETURN(auto expression, Lower(*key.expression));
    // DuckDB takes sorted columns out of their keys, where 0.0 stands for -0.0: the key must not be the column itself.
    const auto& type = *key.expression->type;
    expression = OrderKeyOf(type, (type.id() == TypeId::kFloat || type.id() == TypeId::kDouble)
                                      ? GroupKeyOf(type, std::move(expression))
                                      : std::move(expression));
    result.emplace_back(key.ascending ? duckdb::OrderType::ASCENDING : duckdb::OrderType::DESCENDING,
                        key.nulls_first ? duckdb::OrderByNullType::NULLS_FIRST : duckdb::OrderByNullType::NULLS_LAST,
                        std::move(expression));
  }
  return result;
}

Status Lowering::QualifyAggregates(const AggregateExpression& aggregate, LoweredExpression& expression) {
  if (expression->GetExpressionClass() == duckdb::ExpressionClass::FUNCTION) {
    auto& function = expression->Cast<duckdb::FunctionExpression>();
    if (registry_.IsDuckDbAggregate(function.function_name)) {
      if (aggregate.distinct) function.distinct = true;
      if (aggregate.filter != nullptr) {
        FRAZIL_ASSIGN_OR_RETURN(auto filter, Lower(*aggregate.filter));
        function.filter = AndOf(std::move(function.filter), std::move(filter));
      }
      if (!aggregate.order_by.empty() && (function.order_bys == nullptr || function.order_bys->orders.empty())) {
        FRAZIL_ASSIGN_OR_RETURN(auto orders, LowerOrder(aggregate.order_by));
        function.order_bys = duckdb::make_uniq<duckdb::OrderModifier>();
        function.order_bys->orders = std::move(orders);
      }
      return Status::Ok();
    }
  }
  Status status;
  duckdb::ParsedExpressionIterator::EnumerateChildren(*expression, [&](LoweredExpression& child) {
    if (status.ok()) status = QualifyAggregates(aggregate, child);
  });
  return status;
}

Result<LoweredExpression> Lowering::LowerAggregate(const AggregateExpression& aggregate) {
  FRAZIL_ASSIGN_OR_RETURN(auto arguments, LowerAll(aggregate.arguments));
  FRAZIL_ASSIGN_OR_RETURN(auto lowered, registry_.LowerAggregate(*this, aggregate, std::move(arguments)));
  FRAZIL_RETURN_IF_ERROR(QualifyAggregates(aggregate, lowered));
  FRAZIL_RETURN_IF_ERROR(ToDuckDbType(*aggregate.type).status());
  return AsMappedType(std::move(lowered), *aggregate.type);
}

namespace {

// The offset of a RANGE frame in the type that DuckDB adds to the sort key.
LoweredExpression RangeOffset(LoweredExpression offset, const DataType& offset_type, const DataType& key_type) {
  if (!key_type.IsDatetime()) return offset;
  if (offset_type.id() == TypeId::kYearMonthInterval) return CallOf("to_months", std::move(offset));
  if (offset_type.id() == TypeId::kDayTimeInterval) return CallOf("to_microseconds", std::move(offset));
  if (offset_type.IsIntegral()) return CallOf("to_days", CastOf(std::move(offset), duckdb::LogicalType::INTEGER));
  return offset;
}

}  // namespace

Status Lowering::SetFrame(const WindowExpression& window, duckdb::WindowExpression& target) {
  const bool rows = window.frame.type == FrameType::kRows;
  using duckdb::WindowBoundary;
  const auto bound = [&](const FrameBound& from, WindowBoundary& boundary, LoweredExpression& offset) -> Status {
    switch (from.type) {
      case FrameBoundType::kUnboundedPreceding:
        boundary = WindowBoundary::UNBOUNDED_PRECEDING;
        return Status::Ok();
      case FrameBoundType::kUnboundedFollowing:
        boundary = WindowBoundary::UNBOUNDED_FOLLOWING;
        return Status::Ok();
      case FrameBoundType::kCurrentRow:
        boundary = rows ? WindowBoundary::CURRENT_ROW_ROWS : WindowBoundary::CURRENT_ROW_RANGE;
        return Status::Ok();
      case FrameBoundType::kPreceding:
        boundary = rows ? WindowBoundary::EXPR_PRECEDING_ROWS : WindowBoundary::EXPR_PRECEDING_RANGE;
        break;
      case FrameBoundType::kFollowing:
        boundary = rows ? WindowBoundary::EXPR_FOLLOWING_ROWS : WindowBoundary::EXPR_FOLLOWING_RANGE;
        break;
    }
    FRAZIL_ASSIGN_OR_RETURN(offset, Lower(*from.offset));
    if (!rows && window.order_by.size() == 1) {
      offset = RangeOffset(std::move(offset), *from.offset->type, *window.order_by[0].expression->type);
    }
    return Status::Ok();
  };
  FRAZIL_RETURN_IF_ERROR(bound(window.frame.start, target.start, target.start_expr));
  return bound(window.frame.end, target.end, target.end_expr);
}

Status Lowering::BreakTies(const WindowExpression& window, const std::string& name, duckdb::WindowExpression& target) {
  static const std::set<std::string> kRanks = {"rank", "dense_rank", "percent_rank", "cume_dist"};
  static const std::set<std::string> kByPosition = {"first_value", "last_value", "nth_value", "first",
                                                    "last",        "any_value",  "list",      "string_agg"};
  const auto found = window_ties_.find(&window);
  if (found == window_ties_.end() || kRanks.count(name) != 0) return Status::Ok();
  auto* orders = &target.orders;
  if (window.frame.type == FrameType::kRange) {
    // The frame ends with the last of equal rows, so it must not see what decides among them.
    if (kByPosition.count(name) == 0 || !target.arg_orders.empty()) return Status::Ok();
    FRAZIL_ASSIGN_OR_RETURN(target.arg_orders, LowerOrder(window.order_by));
    orders = &target.arg_orders;
  }
  for (const auto& tie : found->second) orders->emplace_back(tie.type, tie.null_order, tie.expression->Copy());
  return Status::Ok();
}

Status Lowering::MakeWindows(const WindowExpression& window, LoweredExpression& expression) {
  if (expression->GetExpressionClass() == duckdb::ExpressionClass::FUNCTION) {
    auto& function = expression->Cast<duckdb::FunctionExpression>();
    std::string name = duckdb::StringUtil::Lower(function.function_name);
    const bool is_window_function = IsWindowFunctionName(name);
    if (is_window_function || registry_.IsDuckDbAggregate(name)) {
      const auto type = is_window_function ? duckdb::WindowExpression::WindowToExpressionType(name)
                                           : duckdb::ExpressionType::WINDOW_AGGREGATE;
      auto result = duckdb::make_uniq<duckdb::WindowExpression>(type, INVALID_CATALOG, INVALID_SCHEMA, name);
      auto& children = function.children;
      if ((name == "lag" || name == "lead") && is_window_function) {
        if (children.size() > 2) result->default_expr = std::move(children[2]);
        if (children.size() > 1) result->offset_expr = std::move(children[1]);
        children.resize(1);
      }
      result->children = std::move(children);
      result->ignore_nulls = window.ignore_nulls && is_window_function;
      result->distinct = window.distinct || function.distinct;
      if (function.order_bys != nullptr) result->arg_orders = std::move(function.order_bys->orders);
      LoweredExpression filter;
      if (window.filter != nullptr) {
        FRAZIL_ASSIGN_OR_RETURN(filter, Lower(*window.filter));
      }
      result->filter_expr = AndOf(std::move(function.filter), std::move(filter));
      for (const auto& key : window.partition_by) {
        FRAZIL_ASSIGN_OR_RETURN(auto lowered, Lower(*key));
        result->partitions.push_back(GroupKeyOf(*key->type, std::move(lowered)));
      }
      FRAZIL_ASSIGN_OR_RETURN(result->orders, LowerOrder(window.order_by));
      FRAZIL_RETURN_IF_ERROR(SetFrame(window, *result));
      FRAZIL_RETURN_IF_ERROR(BreakTies(window, name, *result));
      expression = std::move(result);
      return Status::Ok();
    }
  }
  Status status;
  duckdb::ParsedExpressionIterator::EnumerateChildren(*expression, [&](LoweredExpression& child) {
    if (status.ok()) status = MakeWindows(window, child);
  });
  return status;
}

Result<LoweredExpression> Lowering::LowerWindow(const WindowExpression& window) {
  FRAZIL_ASSIGN_OR_RETURN(auto arguments, LowerAll(window.arguments));
  LoweredExpression lowered;
  if (registry_.Has(ImplementationClass::kWindow, window.function)) {
    FRAZIL_ASSIGN_OR_RETURN(lowered, registry_.LowerWindow(*this, window, std::move(arguments)));
  } else {
    AggregateExpression aggregate;
    aggregate.function = window.function;
    aggregate.arguments = window.arguments;
    aggregate.type = window.type;
    aggregate.distinct = window.distinct;
    aggregate.ignore_nulls = window.ignore_nulls;
    aggregate.mode = window.mode;
    FRAZIL_ASSIGN_OR_RETURN(lowered, registry_.LowerAggregate(*this, aggregate, std::move(arguments)));
  }
  FRAZIL_RETURN_IF_ERROR(MakeWindows(window, lowered));
  FRAZIL_RETURN_IF_ERROR(ToDuckDbType(*window.type).status());
  return AsMappedType(std::move(lowered), *window.type);
}

}  // namespace frazil::engine
