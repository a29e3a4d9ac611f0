// Functions that yield rows.

#include "frazil/functions/constant.h"
#include "frazil/functions/list/topics.h"

namespace frazil::functions {
namespace {

using Columns = std::vector<GeneratorColumn>;
using GenerateRule = std::function<Result<Columns>(FunctionCall&)>;

FunctionDefinition Generator(std::string name, int min_arguments, int max_arguments, std::string since,
                             std::string usage, GenerateRule generate, std::vector<std::string> parameters = {}) {
  FunctionDefinition definition;
  definition.name = std::move(name);
  definition.function_class = FunctionClass::kGenerator;
  definition.min_arguments = min_arguments;
  definition.max_arguments = max_arguments;
  definition.generate = std::move(generate);
  definition.bind = [](const FunctionCall& call) -> Result<ExpressionPtr> {
    return Error::Of("UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS",
                     {{"expression", QuotedSql(CallSql(call.name, call.arguments))}});
  };
  definition.parameter_names = std::move(parameters);
  definition.group = "generator_funcs";
  definition.since = std::move(since);
  definition.usage = std::move(usage);
  return definition;
}

Result<Columns> Explode(FunctionCall& call, bool with_position) {
  std::string sql = CallSql(call.name, call.arguments);
  const auto& input = call.arguments[0];
  Columns columns;
  if (with_position) columns.push_back({"pos", DataType::Integer(), false});
  if (input->type->id() == TypeId::kArray) {
    columns.push_back({"col", input->type->element_type(), input->type->contains_null()});
  } else if (input->type->id() == TypeId::kMap) {
    columns.push_back({"key", input->type->key_type(), false});
    columns.push_back({"value", input->type->value_type(), input->type->value_contains_null()});
  } else {
    return UnexpectedInput(sql, 0, "(\"ARRAY\" or \"MAP\")", *input);
  }
  return columns;
}

Result<Columns> Inline(FunctionCall& call) {
  std::string sql = CallSql(call.name, call.arguments);
  const auto& input = call.arguments[0];
  if (input->type->id() != TypeId::kArray || input->type->element_type()->id() != TypeId::kStruct)
    return UnexpectedInput(sql, 0, "\"ARRAY<STRUCT>\"", *input);
  Columns columns;
  for (const auto& field : input->type->element_type()->fields()) {
    columns.push_back({field.name, field.type, field.nullable || input->type->contains_null()});
  }
  return columns;
}

Result<Columns> Stack(FunctionCall& call) {
  std::string sql = CallSql(call.name, call.arguments);
  if (call.arguments.size() < 2) return WrongArgumentCount("stack", "> 1", call.arguments.size());
  if (!IsFoldable(*call.arguments[0]) || !call.arguments[0]->type->IsIntegral()) {
    if (call.arguments[0]->type->id() == TypeId::kInteger || call.arguments[0]->type->id() == TypeId::kNull)
      return NonFoldable(sql, "n", "INT", *call.arguments[0]);
    return UnexpectedInput(sql, 0, "\"INT\"", *call.arguments[0]);
  }
  auto rows = ConstantInteger(*call.arguments[0]);
  if (!rows.has_value()) return Mismatch("UNEXPECTED_NULL", sql, {{"exprName", "`n`"}});
  if (*rows <= 0)
    return Mismatch("VALUE_OUT_OF_RANGE", sql,
                    {{"exprName", "`n`"}, {"valueRange", "(0, 2147483647]"}, {"currentValue", std::to_string(*rows)}});
  size_t values = call.arguments.size() - 1;
  size_t row_count = static_cast<size_t>(*rows);
  size_t width = (values + row_count - 1) / row_count;
  Columns columns;
  for (size_t column = 0; column < width; ++column) {
    // The first value that is not NULL gives the column's type.
    DataTypePtr type = DataType::Null();
    bool nullable = false;
    for (size_t row = 0; row < row_count; ++row) {
      size_t index = 1 + row * width + column;
      if (index >= call.arguments.size()) {
        nullable = true;
        continue;
      }
      const auto& value = call.arguments[index];
      nullable = nullable || value->nullable;
      if (type->id() == TypeId::kNull) type = value->type;
    }
    for (size_t row = 0; row < row_count; ++row) {
      size_t index = 1 + row * width + column;
      if (index >= call.arguments.size()) continue;
      auto& value = call.arguments[index];
      if (value->type->id() == TypeId::kNull) {
        value = CastTo(value, type, call);
      } else if (!value->type->EqualsIgnoreNullability(*type)) {
        return Mismatch("STACK_COLUMN_DIFF_TYPES", sql,
                        {{"columnIndex", std::to_string(column)},
                         {"leftParamIndex", std::to_string(column + 1)},
                         {"leftType", QuotedType(*type)},
                         {"rightParamIndex", std::to_string(index)},
                         {"rightType", QuotedType(*value->type)}});
      }
    }
    columns.push_back({"col" + std::to_string(column), type, nullable});
  }
  call.arguments[0] = IntLiteral(static_cast<int>(*rows));
  return columns;
}

Result<Columns> JsonTuple(FunctionCall& call) {
  std::string sql = CallSql(call.name, call.arguments);
  for (const auto& argument : call.arguments) {
    if (!argument->type->IsString()) return Mismatch("NON_STRING_TYPE", sql, {{"funcName", "`json_tuple`"}});
  }
  FRAZIL_ASSIGN_OR_RETURN(call.arguments, CoerceArguments(call, sql, call.arguments, {Text()}));
  Columns columns;
  for (size_t i = 1; i < call.arguments.size(); ++i)
    columns.push_back({"c" + std::to_string(i - 1), DataType::String(), true});
  return columns;
}

Result<Columns> VariantExplode(FunctionCall& call) {
  const auto& input = call.arguments[0];
  if (input->type->id() != TypeId::kVariant && input->type->id() != TypeId::kNull)
    return UnexpectedInput(CallSql(call.name, call.arguments), 0, "\"VARIANT\"", *input);
  if (input->type->id() == TypeId::kNull) call.arguments[0] = MakeNull(DataType::Variant());
  return Columns{
      {"pos", DataType::Integer(), false}, {"key", DataType::String(), true}, {"value", DataType::Variant(), false}};
}

}  // namespace

void AddGeneratorFunctions(FunctionList& list) {
  for (const char* suffix : {"", "_outer"}) {
    std::string outer = suffix[0] == '\0' ? "" : "; a row of NULLs where there is none";
    list.Add(Generator(std::string("explode") + suffix, 1, 1, "1.0.0",
                       "One row for each element of an array or map" + outer + ".",
                       [](FunctionCall& call) { return Explode(call, false); }, {"collection"}));
    list.Add(Generator(std::string("posexplode") + suffix, 1, 1, "2.0.0", "As explode, with the position" + outer + ".",
                       [](FunctionCall& call) { return Explode(call, true); }, {"collection"}));
    list.Add(Generator(std::string("inline") + suffix, 1, 1, "2.0.0",
                       "One row for each struct of an array" + outer + ".", Inline, {"input"}));
    list.Add(Generator(std::string("variant_explode") + suffix, 1, 1, "4.0.0",
                       "One row for each element of an array or object in a variant" + outer + ".", VariantExplode,
                       {"input"}));
  }
  list.Add(Generator("stack", 1, -1, "2.0.0", "The values as n rows.", Stack));
  list.Add(Generator("json_tuple", 2, -1, "1.6.0", "Fields of a JSON object as columns.", JsonTuple));
}

}  // namespace frazil::functions
