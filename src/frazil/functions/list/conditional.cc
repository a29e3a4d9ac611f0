// CASE, IF, COALESCE and their kin, greatest and least.

#include "frazil/functions/list/topics.h"

namespace frazil::functions {
namespace {

// Every argument cast to the widest common type. `branches_of`: the name that Spark gives to IF or CASE in the error.
Result<Arguments> SameType(const FunctionCall& call, const std::string& sql, Arguments arguments,
                           bool without_text = false, const char* branches_of = nullptr) {
  std::vector<DataTypePtr> types;
  bool all_same = true;
  for (const auto& argument : arguments) {
    types.push_back(argument->type);
    all_same = all_same && argument->type->Equals(*arguments[0]->type);
  }
  if (all_same) return arguments;
  auto common = without_text ? WiderCommonTypeWithoutText(types, IsAnsi(call)) : WiderCommonType(types, IsAnsi(call));
  if (common == nullptr) {
    const bool is_list = without_text || branches_of != nullptr;
    std::string names;
    for (const auto& type : types) {
      names += (names.empty() ? "" : is_list ? ", " : " or ") + QuotedType(*type);
    }
    names = is_list ? "[" + names + "]" : "(" + names + ")";
    return Mismatch(
        "DATA_DIFF_TYPES", sql,
        {{"functionName", QuoteIdentifier(branches_of != nullptr ? branches_of : call.name)}, {"dataType", names}});
  }
  common = WithoutLength(common);
  for (auto& argument : arguments) argument = CastTo(argument, common, call);
  return arguments;
}

Result<ExpressionPtr> MakeIf(const FunctionCall& call, ExpressionPtr condition, ExpressionPtr then,
                             ExpressionPtr otherwise, const std::string& sql) {
  const bool is_null = condition->type->id() == TypeId::kNull;
  if (!is_null && condition->type->id() != TypeId::kBoolean) return UnexpectedInput(sql, 0, "\"BOOLEAN\"", *condition);
  const std::string shown = "(IF(" + condition->sql + ", " + then->sql + ", " + otherwise->sql + "))";
  auto same = SameType(call, shown, {std::move(then), std::move(otherwise)}, false, "if");
  if (!same.ok()) return is_null ? UnexpectedInput(sql, 0, "\"BOOLEAN\"", *condition) : std::move(same).error();
  auto branches = *std::move(same);
  if (is_null) condition = CastTo(condition, DataType::Boolean(), call);
  bool nullable = AnyNullable(branches);
  DataTypePtr type = branches[0]->type;
  return MakeCall("if", {condition, branches[0], branches[1]}, type, nullable, ModeOf(call), sql);
}

Result<ExpressionPtr> BindIf(const FunctionCall& call) {
  std::string sql =
      "(IF(" + call.arguments[0]->sql + ", " + call.arguments[1]->sql + ", " + call.arguments[2]->sql + "))";
  return MakeIf(call, call.arguments[0], call.arguments[1], call.arguments[2], sql);
}

// when(condition, value, condition, value, ..., [otherwise]).
Result<ExpressionPtr> BindCase(const FunctionCall& call) {
  const auto& arguments = call.arguments;
  bool has_else = arguments.size() % 2 == 1;
  std::string sql = "CASE";
  for (size_t i = 0; i + 1 < arguments.size(); i += 2)
    sql += " WHEN " + arguments[i]->sql + " THEN " + arguments[i + 1]->sql;
  if (has_else) sql += " ELSE " + arguments.back()->sql;
  sql += " END";
  Arguments values;
  for (size_t i = 1; i < arguments.size(); i += 2) values.push_back(arguments[i]);
  if (has_else) values.push_back(arguments.back());
  FRAZIL_ASSIGN_OR_RETURN(values, SameType(call, sql, std::move(values), false, "casewhen"));
  Arguments cased;
  size_t next = 0;
  for (size_t i = 0; i + 1 < arguments.size(); i += 2) {
    // A plain NULL is no condition here, unlike in IF.
    ExpressionPtr condition = arguments[i];
    if (condition->type->id() != TypeId::kBoolean) return UnexpectedInput(sql, i / 2, "\"BOOLEAN\"", *condition);
    cased.push_back(condition);
    cased.push_back(values[next++]);
  }
  if (has_else) cased.push_back(values[next]);
  bool nullable = !has_else || AnyNullable(values);
  return MakeCall("case_when", std::move(cased), values[0]->type, nullable, ModeOf(call), sql);
}

Result<ExpressionPtr> MakeCoalesce(const FunctionCall& call, Arguments arguments, const std::string& sql) {
  FRAZIL_ASSIGN_OR_RETURN(arguments, SameType(call, sql, std::move(arguments)));
  bool nullable = true;
  for (const auto& argument : arguments) nullable = nullable && argument->nullable;
  DataTypePtr type = arguments[0]->type;
  return MakeCall("coalesce", std::move(arguments), type, nullable, ModeOf(call), sql);
}

ExpressionPtr IsNotNull(const ExpressionPtr& child, const FunctionCall& call) {
  return MakeCall("is_not_null", {child}, DataType::Boolean(), false, ModeOf(call), "(" + child->sql + " IS NOT NULL)");
}

Result<ExpressionPtr> BindNvl2(const FunctionCall& call) {
  return MakeIf(call, IsNotNull(call.arguments[0], call), call.arguments[1], call.arguments[2],
                CallSql(call.name, call.arguments));
}

Result<ExpressionPtr> BindNullIf(const FunctionCall& call) {
  std::string sql = CallSql(call.name, call.arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto equal, CallFunction(call, "=", call.arguments));
  const auto& value = call.arguments[0];
  return MakeCall("if", {equal, MakeNull(value->type), value}, value->type, true, ModeOf(call), sql);
}

Result<ExpressionPtr> BindGreatestOrLeast(const FunctionCall& call) {
  std::string sql = CallSql(call.name, call.arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto arguments, SameType(call, sql, call.arguments, true));
  if (!IsOrderable(*arguments[0]->type)) {
    return Mismatch("INVALID_ORDERING_TYPE", sql,
                    {{"functionName", QuoteIdentifier(call.name)}, {"dataType", QuotedType(*arguments[0]->type)}});
  }
  bool nullable = true;
  for (const auto& argument : arguments) nullable = nullable && argument->nullable;
  DataTypePtr type = arguments[0]->type;
  return MakeCall(call.name, std::move(arguments), type, nullable, ModeOf(call), sql);
}

FunctionDefinition Described(FunctionDefinition definition, std::string since, std::string usage,
                             std::vector<std::string> aliases = {}) {
  definition.since = std::move(since);
  definition.usage = std::move(usage);
  definition.aliases = std::move(aliases);
  return definition;
}

}  // namespace

void AddConditionalFunctions(FunctionList& list) {
  list.Group("conditional_funcs");
  list.Add(Described(Custom("if", 3, 3, BindIf), "1.0.0", "The second value where the first is true, else the third."));
  list.Add(Described(Custom("when", 2, -1, BindCase), "1.0.1", "CASE WHEN ... THEN ... ELSE ... END."));
  list.Add(Described(Custom("coalesce", 1, -1,
                            [](const FunctionCall& call) {
                              return MakeCoalesce(call, call.arguments, CallSql(call.name, call.arguments));
                            }),
                     "1.0.0", "The first value that is not NULL."));
  list.Add(Described(Custom("nvl", 2, 2,
                            [](const FunctionCall& call) {
                              return MakeCoalesce(call, call.arguments, CallSql(call.name, call.arguments));
                            }),
                     "2.0.0", "The second value where the first is NULL.", {"ifnull"}));
  list.Add(Described(Custom("nvl2", 3, 3, BindNvl2), "2.0.0",
                     "The second value where the first is not NULL, else the third."));
  list.Add(Described(Custom("nullif", 2, 2, BindNullIf), "2.0.0", "NULL where both values are equal, else the first."));
  list.Add(Described(Custom("nullifzero", 1, 1,
                            [](const FunctionCall& call) -> Result<ExpressionPtr> {
                              const auto& value = call.arguments[0];
                              std::string sql = CallSql(call.name, call.arguments);
                              FRAZIL_ASSIGN_OR_RETURN(auto equal, CallFunction(call, "=", {value, IntLiteral(0)}));
                              return MakeIf(call, equal, MakeNull(value->type), value, sql);
                            }),
                     "4.0.0", "NULL where the number is 0."));
  list.Add(Described(
      Custom("zeroifnull", 1, 1,
             [](const FunctionCall& call) {
               return MakeCoalesce(call, {call.arguments[0], IntLiteral(0)}, CallSql(call.name, call.arguments));
             }),
      "4.0.0", "0 where the number is NULL."));
  list.Add(
      Described(Custom("greatest", 2, -1, BindGreatestOrLeast), "1.5.0", "The greatest value; NULLs are passed over."));
  list.Add(Described(Custom("least", 2, -1, BindGreatestOrLeast), "1.5.0", "The least value; NULLs are passed over."));
  list.Add(Described(Custom("nanvl", 2, 2,
                            [](const FunctionCall& call) -> Result<ExpressionPtr> {
                              std::string sql = CallSql(call.name, call.arguments);
                              TypePattern fraction = OneOf({Double(), DataType::Float()});
                              FRAZIL_ASSIGN_OR_RETURN(auto arguments,
                                                      CoerceArguments(call, sql, call.arguments, {fraction}));
                              FRAZIL_ASSIGN_OR_RETURN(arguments, SameType(call, sql, std::move(arguments)));
                              DataTypePtr type = arguments[0]->type;
                              // The second number is looked at only where the first is NaN.
                              FRAZIL_ASSIGN_OR_RETURN(auto is_nan, CallFunction(call, "isnan", {arguments[0]}));
                              return MakeIf(call, is_nan, arguments[1], arguments[0], sql);
                            }),
                     "1.5.0", "The second number where the first is NaN."));
}

}  // namespace frazil::functions
