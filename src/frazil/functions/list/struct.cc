// Structs.

#include "frazil/functions/constant.h"
#include "frazil/functions/list/topics.h"

namespace frazil::functions {
namespace {

// The name that an unnamed argument of struct(...) gets.
std::string FieldName(const Expression& value, size_t index) {
  switch (value.kind) {
    case ExpressionKind::kColumn:
      return value.As<ColumnExpression>().name;
    case ExpressionKind::kLambdaVariable:
      return value.As<LambdaVariableExpression>().name;
    case ExpressionKind::kCall:
      if (value.As<CallExpression>().function == "get_field") {
        auto name = ConstantText(*value.As<CallExpression>().arguments.back());
        if (name.has_value()) return *name;
      }
      break;
    case ExpressionKind::kLiteral:
    case ExpressionKind::kCast:
    case ExpressionKind::kLambda:
    case ExpressionKind::kSubquery:
    case ExpressionKind::kAggregate:
    case ExpressionKind::kWindow:
      break;
  }
  return "col" + std::to_string(index + 1);
}

// named_struct(name, value, ...).
Result<ExpressionPtr> BindNamedStruct(const FunctionCall& call) {
  std::string sql = CallSql("named_struct", call.arguments);
  if (call.arguments.size() % 2 != 0) {
    return Error::Of("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", {{"functionName", "`named_struct`"},
                                                           {"expectedNum", "2n (n > 0)"},
                                                           {"actualNum", std::to_string(call.arguments.size())},
                                                           {"docroot", "https://spark.apache.org/docs/latest"}});
  }
  std::vector<StructField> fields;
  for (size_t i = 0; i < call.arguments.size(); i += 2) {
    auto name = ConstantText(*call.arguments[i]);
    if (!name.has_value()) {
      auto value = ConstantValue(*call.arguments[i]);
      if (value.has_value() && value->is_null())
        return Mismatch("UNEXPECTED_NULL", sql, {{"exprName", call.arguments[i]->sql}});
      return Mismatch("CREATE_NAMED_STRUCT_WITHOUT_FOLDABLE_STRING", sql,
                      {{"inputExprs", "[" + QuotedSql(call.arguments[i]->sql) + "]"}});
    }
    fields.emplace_back(*name, call.arguments[i + 1]->type, call.arguments[i + 1]->nullable);
  }
  return MakeCall("named_struct", call.arguments, DataType::Struct(std::move(fields)), false, ModeOf(call), sql);
}

// struct(value, ...).
Result<ExpressionPtr> BindStruct(const FunctionCall& call) {
  std::string sql = CallSql("struct", call.arguments);
  std::vector<StructField> fields;
  Arguments arguments;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const auto& value = call.arguments[i];
    std::string name = i < call.argument_names.size() && !call.argument_names[i].empty() ? call.argument_names[i]
                                                                                         : FieldName(*value, i);
    fields.emplace_back(name, value->type, value->nullable);
    arguments.push_back(TextLiteral(name));
    arguments.push_back(value);
  }
  return MakeCall("named_struct", std::move(arguments), DataType::Struct(std::move(fields)), false, ModeOf(call), sql);
}

}  // namespace

void AddStructFunctions(FunctionList& list) {
  list.Group("struct_funcs");
  auto named = Custom("named_struct", 1, -1, BindNamedStruct);
  named.since = "1.5.0";
  named.usage = "A struct of names and values in turn.";
  list.Add(named);
  auto unnamed = Custom("struct", 0, -1, BindStruct);
  unnamed.since = "1.4.0";
  unnamed.usage = "A struct of the values.";
  list.Add(unnamed);
}

}  // namespace frazil::functions
