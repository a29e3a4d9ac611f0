// Functions that take lambdas.

#include <algorithm>

#include "frazil/functions/list/topics.h"

namespace frazil::functions {
namespace {

const char* const kGroup = "lambda_funcs";

FunctionDefinition Described(FunctionDefinition definition, std::string since, std::string usage, LambdaTypes types,
                             std::vector<std::string> aliases = {}) {
  definition.since = std::move(since);
  definition.usage = std::move(usage);
  definition.lambda_types = std::move(types);
  definition.aliases = std::move(aliases);
  return definition;
}

bool IsLambda(const ExpressionPtr& expression) {
  return expression != nullptr && expression->kind == ExpressionKind::kLambda;
}
const DataTypePtr& BodyType(const ExpressionPtr& lambda) { return lambda->As<LambdaExpression>().body->type; }
bool BodyNullable(const ExpressionPtr& lambda) { return lambda->As<LambdaExpression>().body->nullable; }

Error NotLambda(const std::string& sql, size_t index, const Expression& argument) {
  return UnexpectedInput(sql, index, "\"LAMBDA\"", argument);
}

Result<DataTypePtr> ContainerType(const FunctionCall& call, size_t index, TypeId wanted) {
  const auto& argument = call.arguments[index];
  if (argument->type->id() == wanted) return argument->type;
  std::string shown = call.name + "(" + argument->sql + ", ...)";
  return UnexpectedInput(shown, index, wanted == TypeId::kArray ? "\"ARRAY\"" : "\"MAP\"", *argument);
}

// Types of the parameters, for each argument: (element), (element, index), (key, value), ...
LambdaTypes OfElement(bool with_index) {
  return [with_index](const FunctionCall& call) -> Result<std::vector<std::vector<StructField>>> {
    FRAZIL_ASSIGN_OR_RETURN(auto array, ContainerType(call, 0, TypeId::kArray));
    std::vector<StructField> parameters = {StructField("x", array->element_type(), array->contains_null())};
    if (with_index) parameters.emplace_back("i", DataType::Integer(), false);
    return std::vector<std::vector<StructField>>{{}, parameters};
  };
}

LambdaTypes OfPair() {
  return [](const FunctionCall& call) -> Result<std::vector<std::vector<StructField>>> {
    FRAZIL_ASSIGN_OR_RETURN(auto map, ContainerType(call, 0, TypeId::kMap));
    return std::vector<std::vector<StructField>>{
        {},
        {StructField("k", map->key_type(), false), StructField("v", map->value_type(), map->value_contains_null())}};
  };
}

LambdaTypes OfComparator() {
  return [](const FunctionCall& call) -> Result<std::vector<std::vector<StructField>>> {
    FRAZIL_ASSIGN_OR_RETURN(auto array, ContainerType(call, 0, TypeId::kArray));
    StructField element("x", array->element_type(), array->contains_null());
    return std::vector<std::vector<StructField>>{{}, {element, element}};
  };
}

LambdaTypes OfTwoArrays() {
  return [](const FunctionCall& call) -> Result<std::vector<std::vector<StructField>>> {
    FRAZIL_ASSIGN_OR_RETURN(auto left, ContainerType(call, 0, TypeId::kArray));
    FRAZIL_ASSIGN_OR_RETURN(auto right, ContainerType(call, 1, TypeId::kArray));
    return std::vector<std::vector<StructField>>{
        {}, {}, {StructField("x", left->element_type(), true), StructField("y", right->element_type(), true)}};
  };
}

LambdaTypes OfTwoMaps() {
  return [](const FunctionCall& call) -> Result<std::vector<std::vector<StructField>>> {
    FRAZIL_ASSIGN_OR_RETURN(auto left, ContainerType(call, 0, TypeId::kMap));
    FRAZIL_ASSIGN_OR_RETURN(auto right, ContainerType(call, 1, TypeId::kMap));
    auto key = WiderTypeWithoutText(left->key_type(), right->key_type(), IsAnsi(call));
    if (key == nullptr) {
      return Mismatch("MAP_ZIP_WITH_DIFF_TYPES", CallSql(call.name, {call.arguments[0], call.arguments[1]}),
                      {{"functionName", "`map_zip_with`"},
                       {"leftType", QuotedType(*left->key_type())},
                       {"rightType", QuotedType(*right->key_type())}});
    }
    return std::vector<std::vector<StructField>>{
        {},
        {},
        {StructField("k", key, false), StructField("v1", left->value_type(), true),
         StructField("v2", right->value_type(), true)}};
  };
}

LambdaTypes OfAccumulator() {
  return [](const FunctionCall& call) -> Result<std::vector<std::vector<StructField>>> {
    FRAZIL_ASSIGN_OR_RETURN(auto array, ContainerType(call, 0, TypeId::kArray));
    StructField accumulator("acc", call.arguments[1]->type, true);
    return std::vector<std::vector<StructField>>{
        {}, {}, {accumulator, StructField("x", array->element_type(), array->contains_null())}, {accumulator}};
  };
}

Status MustBeBoolean(const FunctionCall& call, const std::string& sql, const ExpressionPtr& lambda) {
  if (BodyType(lambda)->id() == TypeId::kBoolean || BodyType(lambda)->id() == TypeId::kNull) return Status::Ok();
  (void)call;
  return UnexpectedInput(sql, 1, "\"BOOLEAN\"", *lambda);
}

// A lambda whose body is cast to a type.
ExpressionPtr WithBodyType(const ExpressionPtr& lambda, const DataTypePtr& type, const FunctionCall& call) {
  auto copy = std::make_shared<LambdaExpression>(lambda->As<LambdaExpression>());
  copy->body = CastTo(copy->body, type, call);
  copy->type = copy->body->type;
  return copy;
}

}  // namespace

void AddHigherOrderFunctions(FunctionList& list) {
  list.Group(kGroup);
  list.Add(Described(Custom("transform", 2, 2,
                            [](const FunctionCall& call) -> Result<ExpressionPtr> {
                              std::string sql = CallSql(call.name, call.arguments);
                              const auto& array = call.arguments[0];
                              const auto& lambda = call.arguments[1];
                              if (!IsLambda(lambda)) return NotLambda(sql, 1, *lambda);
                              return MakeCall("transform", call.arguments,
                                              DataType::Array(BodyType(lambda), BodyNullable(lambda)), array->nullable,
                                              ModeOf(call), sql);
                            }),
                     "2.4.0", "The function's value of every element.", OfElement(true)));
  list.Add(Described(Custom("filter", 2, 2,
                            [](const FunctionCall& call) -> Result<ExpressionPtr> {
                              std::string sql = CallSql(call.name, call.arguments);
                              if (!IsLambda(call.arguments[1])) return NotLambda(sql, 1, *call.arguments[1]);
                              FRAZIL_RETURN_IF_ERROR(MustBeBoolean(call, sql, call.arguments[1]));
                              return MakeCall(
                                  "filter",
                                  {call.arguments[0], WithBodyType(call.arguments[1], DataType::Boolean(), call)},
                                  call.arguments[0]->type, call.arguments[0]->nullable, ModeOf(call), sql);
                            }),
                     "2.4.0", "The elements for which the function is true.", OfElement(true)));
  for (const char* name : {"exists", "forall"}) {
    list.Add(Described(Custom(name, 2, 2,
                              [](const FunctionCall& call) -> Result<ExpressionPtr> {
                                std::string sql = CallSql(call.name, call.arguments);
                                if (!IsLambda(call.arguments[1])) return NotLambda(sql, 1, *call.arguments[1]);
                                FRAZIL_RETURN_IF_ERROR(MustBeBoolean(call, sql, call.arguments[1]));
                                return MakeCall(
                                    call.name,
                                    {call.arguments[0], WithBodyType(call.arguments[1], DataType::Boolean(), call)},
                                    DataType::Boolean(), call.arguments[0]->nullable || BodyNullable(call.arguments[1]),
                                    ModeOf(call), sql);
                              }),
                       "2.4.0", "Whether the function is true for one (all) of the elements.", OfElement(false)));
  }
  list.Add(Described(Custom("aggregate", 3, 4,
                            [](const FunctionCall& call) -> Result<ExpressionPtr> {
                              Arguments arguments = call.arguments;
                              std::string sql = CallSql(call.name, arguments);
                              if (arguments.size() == 3) {
                                // The finish function that is not written is the identity.
                                sql.pop_back();
                                sql += ", lambdafunction(namedlambdavariable(), namedlambdavariable()))";
                              }
                              for (size_t i = 2; i < arguments.size(); ++i) {
                                if (!IsLambda(arguments[i])) return NotLambda(sql, i, *arguments[i]);
                              }
                              const DataTypePtr& accumulator = arguments[1]->type;
                              if (!BodyType(arguments[2])->EqualsIgnoreNullability(*accumulator)) {
                                if (accumulator->id() == TypeId::kNull ||
                                    BodyType(arguments[2])->id() == TypeId::kNull) {
                                  arguments[2] = WithBodyType(arguments[2], accumulator, call);
                                } else {
                                  return UnexpectedInput(sql, 2, QuotedType(*accumulator), *arguments[2]);
                                }
                              }
                              DataTypePtr type = arguments.size() == 4 ? BodyType(arguments[3]) : accumulator;
                              return MakeCall("aggregate", arguments, type, true, ModeOf(call), sql);
                            }),
                     "2.4.0", "Folds the elements into one value.", OfAccumulator(), {"reduce"}));
  list.Add(
      Described(Custom("zip_with", 3, 3,
                       [](const FunctionCall& call) -> Result<ExpressionPtr> {
                         std::string sql = CallSql(call.name, call.arguments);
                         if (!IsLambda(call.arguments[2])) return NotLambda(sql, 2, *call.arguments[2]);
                         bool nullable = call.arguments[0]->nullable || call.arguments[1]->nullable;
                         return MakeCall("zip_with", call.arguments,
                                         DataType::Array(BodyType(call.arguments[2]), BodyNullable(call.arguments[2])),
                                         nullable, ModeOf(call), sql);
                       }),
                "2.4.0", "The function's value of the elements of two arrays at the same position.", OfTwoArrays()));
  list.Add(Described(
      Custom("array_sort", 1, 2,
             [](const FunctionCall& call) -> Result<ExpressionPtr> {
               const auto& array = call.arguments[0];
               std::string sql = CallSql(call.name, call.arguments);
               if (call.arguments.size() == 1) {
                 const std::string v = "namedlambdavariable()";
                 sql = "array_sort(" + array->sql + ", lambdafunction((IF(((" + v + " IS NULL) AND (" + v +
                       " IS NULL)), 0, (IF((" + v + " IS NULL), 1, (IF((" + v + " IS NULL), -1, (IF((" + v + " < " + v +
                       "), -1, (IF((" + v + " > " + v + "), 1, 0)))))))))), " + v + ", " + v + "))";
                 if (array->type->id() != TypeId::kArray) return UnexpectedInput(sql, 0, "\"ARRAY\"", *array);
                 if (!IsOrderable(*array->type->element_type())) {
                   return Mismatch(
                       "INVALID_ORDERING_TYPE", sql,
                       {{"functionName", "`array_sort`"}, {"dataType", QuotedType(*array->type->element_type())}});
                 }
                 return MakeCall("array_sort_default", {array}, array->type, array->nullable, ModeOf(call), sql);
               }
               if (!IsLambda(call.arguments[1])) return NotLambda(sql, 1, *call.arguments[1]);
               if (BodyType(call.arguments[1])->id() != TypeId::kInteger) {
                 return Mismatch("UNEXPECTED_RETURN_TYPE", sql,
                                 {{"functionName", "`array_sort`"},
                                  {"expectedType", "\"INT\""},
                                  {"actualType", QuotedType(*BodyType(call.arguments[1]))}});
               }
               return MakeCall("array_sort", call.arguments, array->type, array->nullable, ModeOf(call), sql);
             }),
      "2.4.0", "The array sorted by a comparison, NULLs last without one.", OfComparator()));
  list.Add(Described(Custom("map_filter", 2, 2,
                            [](const FunctionCall& call) -> Result<ExpressionPtr> {
                              std::string sql = CallSql(call.name, call.arguments);
                              if (!IsLambda(call.arguments[1])) return NotLambda(sql, 1, *call.arguments[1]);
                              FRAZIL_RETURN_IF_ERROR(MustBeBoolean(call, sql, call.arguments[1]));
                              return MakeCall("map_filter", call.arguments, call.arguments[0]->type,
                                              call.arguments[0]->nullable, ModeOf(call), sql);
                            }),
                     "3.0.0", "The entries for which the function is true.", OfPair()));
  list.Add(Described(
      Custom("transform_keys", 2, 2,
             [](const FunctionCall& call) -> Result<ExpressionPtr> {
               std::string sql = CallSql(call.name, call.arguments);
               if (!IsLambda(call.arguments[1])) return NotLambda(sql, 1, *call.arguments[1]);
               const auto& map = *call.arguments[0]->type;
               if (ContainsMap(*BodyType(call.arguments[1])))
                 return Mismatch("INVALID_MAP_KEY_TYPE", sql, {{"keyType", QuotedType(*BodyType(call.arguments[1]))}});
               return MakeCall("transform_keys", call.arguments,
                               DataType::Map(BodyType(call.arguments[1]), map.value_type(), map.value_contains_null()),
                               call.arguments[0]->nullable, ModeOf(call), sql);
             }),
      "3.0.0", "The map with other keys.", OfPair()));
  list.Add(Described(Custom("transform_values", 2, 2,
                            [](const FunctionCall& call) -> Result<ExpressionPtr> {
                              std::string sql = CallSql(call.name, call.arguments);
                              if (!IsLambda(call.arguments[1])) return NotLambda(sql, 1, *call.arguments[1]);
                              const auto& map = *call.arguments[0]->type;
                              return MakeCall("transform_values", call.arguments,
                                              DataType::Map(map.key_type(), BodyType(call.arguments[1]),
                                                            BodyNullable(call.arguments[1])),
                                              call.arguments[0]->nullable, ModeOf(call), sql);
                            }),
                     "3.0.0", "The map with other values.", OfPair()));
  list.Add(Described(
      Custom("map_zip_with", 3, 3,
             [](const FunctionCall& call) -> Result<ExpressionPtr> {
               std::string sql = CallSql(call.name, call.arguments);
               const auto& lambda = call.arguments[2];
               if (!IsLambda(lambda)) return NotLambda(sql, 2, *lambda);
               ExpressionPtr left = call.arguments[0], right = call.arguments[1];
               auto key = WiderTypeWithoutText(left->type->key_type(), right->type->key_type(), IsAnsi(call));
               auto cast = [&](const ExpressionPtr& map) {
                 return map->type->key_type()->EqualsIgnoreNullability(*key)
                            ? map
                            : CastTo(map, DataType::Map(key, map->type->value_type(), map->type->value_contains_null()),
                                     call);
               };
               bool nullable = left->nullable || right->nullable;
               return MakeCall("map_zip_with", {cast(left), cast(right), lambda},
                               DataType::Map(key, BodyType(lambda), BodyNullable(lambda)), nullable, ModeOf(call), sql);
             }),
      "3.0.0", "One map of two, the function's value of both values.", OfTwoMaps()));
}

}  // namespace frazil::functions
