#include <duckdb/parser/expression/case_expression.hpp>
#include <duckdb/parser/expression/columnref_expression.hpp>
#include <duckdb/parser/expression/comparison_expression.hpp>
#include <duckdb/parser/expression/conjunction_expression.hpp>
#include <duckdb/parser/expression/lambda_expression.hpp>
#include <duckdb/parser/expression/operator_expression.hpp>

#include "frazil/engine/functions/core_functions.h"
#include "frazil/engine/type_mapping.h"

namespace frazil::engine {
namespace {

LoweredExpression BigintOf(int64_t value) { return ConstantOf(duckdb::Value::BIGINT(value)); }

// case_when(condition, value, condition, value, ..., [else])
Result<LoweredExpression> CaseWhen(LoweringContext&, const CallExpression& call, LoweredArguments arguments) {
  auto result = duckdb::make_uniq<duckdb::CaseExpression>();
  size_t i = 0;
  for (; i + 1 < arguments.size(); i += 2) {
    duckdb::CaseCheck check;
    check.when_expr = std::move(arguments[i]);
    check.then_expr = std::move(arguments[i + 1]);
    result->case_checks.push_back(std::move(check));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto type, ToDuckDbType(*call.type));
  result->else_expr = i < arguments.size() ? std::move(arguments[i]) : ConstantOf(duckdb::Value(type));
  return LoweredExpression(std::move(result));
}

Result<LoweredExpression> In(LoweringContext&, const CallExpression&, LoweredArguments arguments) {
  // Nothing is in an empty list, not even NULL (Column.isin of no values).
  if (arguments.size() == 1) return ConstantOf(duckdb::Value::BOOLEAN(false));
  return LoweredExpression(
      duckdb::make_uniq<duckdb::OperatorExpression>(duckdb::ExpressionType::COMPARE_IN, std::move(arguments)));
}

LoweredExpression StructOf(LoweredArguments values) {
  if (values.empty())
    return ConstantOf(duckdb::Value::STRUCT({{StructMemberName(0), duckdb::Value(duckdb::LogicalType::BOOLEAN)}}));
  for (size_t i = 0; i < values.size(); ++i) values[i]->SetAlias(StructMemberName(i));
  return CallOf("struct_pack", std::move(values));
}

Result<LoweredExpression> NamedStruct(LoweringContext&, const CallExpression& call, LoweredArguments arguments) {
  LoweredArguments values;
  for (size_t i = 1; i < arguments.size(); i += 2) {
    // A bare parameter of a lambda would lose its name when it is bound.
    if (call.arguments[i]->kind == ExpressionKind::kLambdaVariable) {
      FRAZIL_ASSIGN_OR_RETURN(auto type, ToDuckDbType(*call.arguments[i]->type));
      arguments[i] = CastOf(std::move(arguments[i]), std::move(type));
    }
    values.push_back(std::move(arguments[i]));
  }
  return StructOf(std::move(values));
}

Result<LoweredExpression> Struct(LoweringContext&, const CallExpression&, LoweredArguments arguments) {
  return StructOf(std::move(arguments));
}

Result<LoweredExpression> Array(LoweringContext&, const CallExpression& call, LoweredArguments arguments) {
  if (arguments.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(auto value, ToDuckDbValue(*call.type, Value(Value::List{})));
    return ConstantOf(std::move(value));
  }
  return CallOf("list_value", std::move(arguments));
}

Result<LoweredExpression> Map(LoweringContext&, const CallExpression& call, LoweredArguments arguments) {
  if (arguments.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(auto value, ToDuckDbValue(*call.type, Value(Value::List{})));
    return ConstantOf(std::move(value));
  }
  LoweredArguments keys, values;
  for (size_t i = 0; i + 1 < arguments.size(); i += 2) {
    keys.push_back(std::move(arguments[i]));
    values.push_back(std::move(arguments[i + 1]));
  }
  return CallOf("map", CallOf("list_value", std::move(keys)), CallOf("list_value", std::move(values)));
}

// get_field(struct, name or position): of an array of structs the array of the field's values.
Result<LoweredExpression> GetField(LoweringContext& context, const CallExpression& call, LoweredArguments arguments) {
  const DataType& source = *call.arguments[0]->type;
  const bool of_array = source.id() == TypeId::kArray;
  const DataType& type = of_array ? *source.element_type() : source;
  if (type.id() != TypeId::kStruct || call.arguments[1]->kind != ExpressionKind::kLiteral) {
    return Error::Internal("get_field needs a struct and a constant name");
  }
  const Value& key = call.arguments[1]->As<LiteralExpression>().value;
  int64_t index = -1;
  if (std::holds_alternative<std::string>(key.storage())) {
    index = type.FieldIndex(key.string(), true);
    if (index < 0) index = type.FieldIndex(key.string(), false);
  } else {
    index = key.integer();
  }
  if (index < 0 || index >= static_cast<int64_t>(type.fields().size()))
    return Error::Internal("get_field of an unknown field");
  if (!of_array) return CallOf("struct_extract_at", std::move(arguments[0]), BigintOf(index + 1));
  const std::string parameter = context.FreshName();
  auto body = CallOf("struct_extract_at", LoweredExpression(duckdb::make_uniq<duckdb::ColumnRefExpression>(parameter)),
                     BigintOf(index + 1));
  duckdb::vector<std::string> names;
  names.push_back(parameter);
  return CallOf("list_transform", std::move(arguments[0]),
                LoweredExpression(duckdb::make_uniq<duckdb::LambdaExpression>(std::move(names), std::move(body))));
}

// a[i] and element_at(a, i): the index is checked, and made one that list_extract takes, by a kernel.
Implementation ArrayAccess(const std::string& kernel) {
  return Build(
      [kernel](LoweringContext&, const CallExpression& call, LoweredArguments arguments) -> Result<LoweredExpression> {
        if (call.arguments[0]->type->id() == TypeId::kMap)
          return CallOf("map_extract_value", std::move(arguments[0]), std::move(arguments[1]));
        auto length = CallOf("len", arguments[0]->Copy());
        auto index = CallOf(kernel, std::move(length), CastOf(std::move(arguments[1]), duckdb::LogicalType::BIGINT),
                            ConstantOf(duckdb::Value::BOOLEAN(call.mode == EvalMode::kAnsi)));
        return CallOf("list_extract", std::move(arguments[0]), std::move(index));
      });
}

}  // namespace

void RegisterConditionsAndAccess(FunctionLoweringRegistry& registry) {
  registry.AddScalar("case_when", Build(CaseWhen));
  registry.AddScalar("if", Build(CaseWhen));
  registry.AddScalar("coalesce", Build([](LoweringContext&, const CallExpression&,
                                          LoweredArguments arguments) -> Result<LoweredExpression> {
                       return LoweredExpression(duckdb::make_uniq<duckdb::OperatorExpression>(
                           duckdb::ExpressionType::OPERATOR_COALESCE, std::move(arguments)));
                     }));
  registry.AddScalar("in", Build(In));
  registry.AddScalar("is_null", Template("$1 IS NULL"));
  registry.AddScalar("is_not_null", Template("$1 IS NOT NULL"));
  registry.AddScalar("is_nan", Template("coalesce(isnan($1), false)"));
  registry.AddScalar("named_struct", Build(NamedStruct));
  registry.AddScalar("struct", Build(Struct));
  registry.AddScalar("array", Build(Array));
  registry.AddScalar("map", Build(Map));
  registry.AddScalar("get_field", Build(GetField));
  registry.AddScalar("get_item", ArrayAccess("spark_array_index"));
  registry.AddScalar("element_at", ArrayAccess("spark_element_index"));
  registry.AddKernels(RegisterCoreKernels);
}

}  // namespace frazil::engine
