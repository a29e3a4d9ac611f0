// Higher-order functions by DuckDB's list lambdas. The lambda's parameters are replaced by what they stand for where
// DuckDB's lambda has others.

#include <duckdb/parser/expression/case_expression.hpp>
#include <duckdb/parser/expression/columnref_expression.hpp>
#include <duckdb/parser/expression/lambda_expression.hpp>
#include <duckdb/parser/expression/operator_expression.hpp>
#include <duckdb/parser/parsed_expression_iterator.hpp>

#include "frazil/engine/functions/cast.h"
#include "frazil/engine/functions/core_functions.h"
#include "frazil/engine/functions/list_room.h"
#include "frazil/engine/type_mapping.h"

namespace frazil::engine {
namespace {

LoweredExpression ColumnOf(const std::string& name) { return duckdb::make_uniq<duckdb::ColumnRefExpression>(name); }
LoweredExpression BigintOf(int64_t value) { return ConstantOf(duckdb::Value::BIGINT(value)); }
LoweredExpression MemberOf(const std::string& name, int64_t member) {
  return CallOf("struct_extract_at", ColumnOf(name), BigintOf(member));
}

LoweredExpression LambdaOf(std::vector<std::string> parameters, LoweredExpression body) {
  duckdb::vector<std::string> names;
  for (auto& parameter : parameters) names.push_back(std::move(parameter));
  // Within one list nothing else looks for an interrupt.
  return duckdb::make_uniq<duckdb::LambdaExpression>(std::move(names), CallOf("spark_interruptible", std::move(body)));
}

// The list, where as many results of that type fit into memory too.
LoweredExpression WithRoomFor(const duckdb::LogicalType& result, LoweredExpression list) {
  return CallOf("spark_list_room", std::move(list), BigintOf(static_cast<int64_t>(ElementBytes(result))));
}

void Replace(LoweredExpression& expression, const std::map<std::string, LoweredExpression>& values) {
  if (expression->GetExpressionClass() == duckdb::ExpressionClass::COLUMN_REF) {
    const auto& names = expression->Cast<duckdb::ColumnRefExpression>().column_names;
    const auto found = names.size() == 1 ? values.find(names[0]) : values.end();
    if (found != values.end()) expression = found->second->Copy();
    return;
  }
  duckdb::ParsedExpressionIterator::EnumerateChildren(*expression,
                                                      [&](LoweredExpression& child) { Replace(child, values); });
}

// The body of a lambda argument, lowered, its parameters replaced.
Result<LoweredExpression> BodyOf(LoweringContext& context, const Expression& argument,
                                 std::vector<LoweredExpression> parameters) {
  if (argument.kind != ExpressionKind::kLambda) return Error::Internal("A higher-order function needs a lambda");
  const auto& lambda = argument.As<LambdaExpression>();
  FRAZIL_ASSIGN_OR_RETURN(auto body, context.Lower(*lambda.body));
  std::map<std::string, LoweredExpression> values;
  for (size_t i = 0; i < lambda.parameters.size() && i < parameters.size(); ++i) {
    values["l" + std::to_string(lambda.parameters[i]->id)] = std::move(parameters[i]);
  }
  Replace(body, values);
  return body;
}

template <typename... Parameters>
Result<LoweredExpression> Body(LoweringContext& context, const Expression& argument, Parameters... parameters) {
  std::vector<LoweredExpression> list;
  (list.push_back(std::move(parameters)), ...);
  return BodyOf(context, argument, std::move(list));
}

size_t ParameterCount(const Expression& argument) { return argument.As<LambdaExpression>().parameters.size(); }

// list_transform or list_filter with (element) or (element, index).
Result<LoweredExpression> OverElements(LoweringContext& context, const CallExpression& call, LoweredArguments arguments,
                                       const std::string& function) {
  if (call.arguments[1]->kind != ExpressionKind::kLambda)
    return Error::Internal("A higher-order function needs a lambda");
  const std::string element = context.FreshName(), index = context.FreshName();
  // DuckDB counts from 1.
  auto position = CastOf(CallOf("-", ColumnOf(index), BigintOf(1)), duckdb::LogicalType::INTEGER);
  FRAZIL_ASSIGN_OR_RETURN(auto body, Body(context, *call.arguments[1], ColumnOf(element), std::move(position)));
  std::vector<std::string> parameters = {element};
  if (ParameterCount(*call.arguments[1]) > 1) parameters.push_back(index);
  FRAZIL_ASSIGN_OR_RETURN(auto type, ToDuckDbType(*call.type));
  if (type.id() == duckdb::LogicalTypeId::LIST) type = duckdb::ListType::GetChildType(type);
  return CallOf(function, WithRoomFor(type, std::move(arguments[0])), LambdaOf(std::move(parameters), std::move(body)));
}

Result<LoweredExpression> Transform(LoweringContext& context, const CallExpression& call, LoweredArguments arguments) {
  return OverElements(context, call, std::move(arguments), "list_transform");
}
Result<LoweredExpression> Filter(LoweringContext& context, const CallExpression& call, LoweredArguments arguments) {
  return OverElements(context, call, std::move(arguments), "list_filter");
}
Result<LoweredExpression> Exists(LoweringContext& context, const CallExpression& call, LoweredArguments arguments) {
  FRAZIL_ASSIGN_OR_RETURN(auto answers, OverElements(context, call, std::move(arguments), "list_transform"));
  return CallOf("spark_exists", std::move(answers));
}
Result<LoweredExpression> ForAll(LoweringContext& context, const CallExpression& call, LoweredArguments arguments) {
  FRAZIL_ASSIGN_OR_RETURN(auto answers, OverElements(context, call, std::move(arguments), "list_transform"));
  return CallOf("spark_forall", std::move(answers));
}

LoweredExpression PairOf(LoweredExpression first, LoweredExpression second) {
  first->SetAlias(StructMemberName(0));
  second->SetAlias(StructMemberName(1));
  return CallOf("struct_pack", std::move(first), std::move(second));
}

duckdb::LogicalType PairType(const duckdb::LogicalType& first, const duckdb::LogicalType& second) {
  return duckdb::LogicalType::STRUCT({{StructMemberName(0), first}, {StructMemberName(1), second}});
}

// The state of aggregate(array, zero, merge, [finish]) behind the last element. list_reduce wants one type for state
// and elements: where they differ, both travel as a pair.
Result<LoweredExpression> Reduce(LoweringContext& context, const CallExpression& call, LoweredArguments arguments) {
  const DataType& element_type = *call.arguments[0]->type->element_type();
  FRAZIL_ASSIGN_OR_RETURN(auto element_null, ToDuckDbType(element_type));
  const DataType& state_type = *call.arguments[1]->type;
  FRAZIL_ASSIGN_OR_RETURN(auto state_null, ToDuckDbType(state_type));
  const std::string element = context.FreshName(), state = context.FreshName();
  if (element_null == state_null) {
    FRAZIL_ASSIGN_OR_RETURN(auto merge, Body(context, *call.arguments[2], ColumnOf(state), ColumnOf(element)));
    return CallOf("list_reduce", std::move(arguments[0]),
                  LambdaOf({state, element}, AsMappedType(std::move(merge), state_type)),
                  AsMappedType(std::move(arguments[1]), state_type));
  }
  auto pairs = CallOf("list_transform", WithRoomFor(PairType(state_null, element_null), std::move(arguments[0])),
                      LambdaOf({element}, PairOf(ConstantOf(duckdb::Value(state_null)),
                                                 AsMappedType(ColumnOf(element), element_type))));
  FRAZIL_ASSIGN_OR_RETURN(auto merge, Body(context, *call.arguments[2], MemberOf(state, 1), MemberOf(element, 2)));
  auto step = LambdaOf({state, element},
                       PairOf(AsMappedType(std::move(merge), state_type), ConstantOf(duckdb::Value(element_null))));
  auto zero = PairOf(AsMappedType(std::move(arguments[1]), state_type), ConstantOf(duckdb::Value(element_null)));
  return CallOf("struct_extract_at", CallOf("list_reduce", std::move(pairs), std::move(step), std::move(zero)),
                BigintOf(1));
}

Result<LoweredExpression> Aggregate(LoweringContext& context, const CallExpression& call, LoweredArguments arguments) {
  FRAZIL_ASSIGN_OR_RETURN(auto reduced, Reduce(context, call, std::move(arguments)));
  if (call.arguments.size() < 4) return reduced;
  const auto& finish = call.arguments[3]->As<LambdaExpression>();
  if (finish.body->kind == ExpressionKind::kLambdaVariable) return reduced;
  // The finishing lambda sees the state once: as the only element of a list.
  const std::string final_state = context.FreshName();
  FRAZIL_ASSIGN_OR_RETURN(auto body, Body(context, *call.arguments[3], ColumnOf(final_state)));
  return CallOf(
      "list_extract",
      CallOf("list_transform", CallOf("list_value", std::move(reduced)), LambdaOf({final_state}, std::move(body))),
      BigintOf(1));
}

// value, or NULL where one of the arguments is.
LoweredExpression UnlessNull(const LoweredArguments& tested, LoweredExpression value, const duckdb::LogicalType& type) {
  auto result = duckdb::make_uniq<duckdb::CaseExpression>();
  for (const auto& argument : tested) {
    duckdb::CaseCheck check;
    check.when_expr =
        duckdb::make_uniq<duckdb::OperatorExpression>(duckdb::ExpressionType::OPERATOR_IS_NULL, argument->Copy());
    check.then_expr = ConstantOf(duckdb::Value(type));
    result->case_checks.push_back(std::move(check));
  }
  result->else_expr = std::move(value);
  return result;
}

Result<LoweredExpression> ZipWith(LoweringContext& context, const CallExpression& call, LoweredArguments arguments) {
  FRAZIL_ASSIGN_OR_RETURN(auto type, ToDuckDbType(*call.type));
  const std::string pair = context.FreshName();
  FRAZIL_ASSIGN_OR_RETURN(auto body, Body(context, *call.arguments[2], MemberOf(pair, 1), MemberOf(pair, 2)));
  LoweredArguments tested;
  tested.push_back(arguments[0]->Copy());
  tested.push_back(arguments[1]->Copy());
  auto zipped = CallOf("list_transform", CallOf("list_zip", std::move(arguments[0]), std::move(arguments[1])),
                       LambdaOf({pair}, std::move(body)));
  return UnlessNull(tested, CastOf(std::move(zipped), type), type);
}

Result<LoweredExpression> MapFilter(LoweringContext& context, const CallExpression& call, LoweredArguments arguments) {
  const std::string entry = context.FreshName();
  FRAZIL_ASSIGN_OR_RETURN(auto body, Body(context, *call.arguments[1], MemberOf(entry, 1), MemberOf(entry, 2)));
  return CallOf("map_from_entries", CallOf("list_filter", CallOf("map_entries", std::move(arguments[0])),
                                           LambdaOf({entry}, std::move(body))));
}

Result<LoweredExpression> TransformMap(LoweringContext& context, const CallExpression& call, LoweredArguments arguments,
                                       bool keys) {
  FRAZIL_ASSIGN_OR_RETURN(auto type, ToDuckDbType(*call.type));
  const std::string entry = context.FreshName();
  FRAZIL_ASSIGN_OR_RETURN(auto body, Body(context, *call.arguments[1], MemberOf(entry, 1), MemberOf(entry, 2)));
  LoweredArguments tested;
  tested.push_back(arguments[0]->Copy());
  auto changed =
      CallOf("list_transform", CallOf("map_entries", arguments[0]->Copy()), LambdaOf({entry}, std::move(body)));
  auto result = keys ? CallOf("map", std::move(changed), CallOf("map_values", std::move(arguments[0])))
                     : CallOf("map", CallOf("map_keys", std::move(arguments[0])), std::move(changed));
  return UnlessNull(tested, AsMappedType(std::move(result), *call.type), type);
}

Result<LoweredExpression> MapZipWith(LoweringContext& context, const CallExpression& call, LoweredArguments arguments) {
  FRAZIL_ASSIGN_OR_RETURN(auto type, ToDuckDbType(*call.type));
  const std::string key = context.FreshName(), other = context.FreshName();
  auto& left = arguments[0];
  auto& right = arguments[1];
  FRAZIL_ASSIGN_OR_RETURN(auto body, Body(context, *call.arguments[2], ColumnOf(key),
                                          CallOf("map_extract_value", left->Copy(), ColumnOf(key)),
                                          CallOf("map_extract_value", right->Copy(), ColumnOf(key))));
  // The keys of the first map, then those that only the second one has.
  auto is_new = duckdb::make_uniq<duckdb::OperatorExpression>(
      duckdb::ExpressionType::OPERATOR_NOT, CallOf("list_contains", CallOf("map_keys", left->Copy()), ColumnOf(other)));
  auto keys = CallOf("list_concat", CallOf("map_keys", left->Copy()),
                     CallOf("list_filter", CallOf("map_keys", right->Copy()), LambdaOf({other}, std::move(is_new))));
  auto values = CallOf("list_transform", keys->Copy(), LambdaOf({key}, std::move(body)));
  LoweredArguments tested;
  tested.push_back(std::move(left));
  tested.push_back(std::move(right));
  return UnlessNull(tested, AsMappedType(CallOf("map", std::move(keys), std::move(values)), *call.type), type);
}

}  // namespace

void RegisterHigherOrderFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(RegisterListRoomKernels);
  registry.AddScalar("transform", Build(Transform));
  registry.AddScalar("filter", Build(Filter));
  registry.AddScalar("exists", Build(Exists));
  registry.AddScalar("forall", Build(ForAll));
  registry.AddScalar("aggregate", Build(Aggregate));
  registry.AddScalar("reduce", Build(Aggregate));
  registry.AddScalar("zip_with", Build(ZipWith));
  registry.AddScalar("map_filter", Build(MapFilter));
  registry.AddScalar("map_zip_with", Build(MapZipWith));
  registry.AddScalar("transform_keys",
                     Build([](LoweringContext& context, const CallExpression& call, LoweredArguments arguments) {
                       return TransformMap(context, call, std::move(arguments), true);
                     }));
  registry.AddScalar("transform_values",
                     Build([](LoweringContext& context, const CallExpression& call, LoweredArguments arguments) {
                       return TransformMap(context, call, std::move(arguments), false);
                     }));
}

}  // namespace frazil::engine
