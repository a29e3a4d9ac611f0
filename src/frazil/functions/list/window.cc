// Window functions.
// https://spark.apache.org/docs/latest/sql-ref-syntax-qry-select-window.html

#include "frazil/functions/constant.h"
#include "frazil/functions/list/topics.h"
#include "frazil/functions/list/window_call.h"

namespace frazil::functions {
namespace {

const char* const kGroup = "window_funcs";

FunctionDefinition Described(FunctionDefinition definition, std::string since, std::string usage) {
  definition.function_class = FunctionClass::kWindow;
  definition.since = std::move(since);
  definition.usage = std::move(usage);
  definition.group = kGroup;
  return definition;
}

// rank() and its kin take the place of their arguments from ORDER BY; written ones are left aside.
FunctionDefinition Ranking(std::string name, std::string shown, DataTypePtr type, bool takes_arguments,
                           std::string usage) {
  return Described(Custom(name, 0, takes_arguments ? -1 : 0,
                          [name, shown, type](const FunctionCall& call) -> Result<ExpressionPtr> {
                            return MakeWindow(call, name, {}, type, false, shown + "()");
                          }),
                   "2.0.0", std::move(usage));
}

Result<ExpressionPtr> BindOffset(const FunctionCall& call) {
  Arguments arguments = call.arguments;
  if (arguments.size() == 1) arguments.push_back(IntLiteral(1));
  if (arguments.size() == 2) arguments.push_back(MakeNull(DataType::Null()));
  std::string sql = CallSql(call.name, arguments);
  FRAZIL_ASSIGN_OR_RETURN(arguments[1], CoerceArgument(call, sql, arguments[1], 1, Int()));
  if (!IsFoldable(*arguments[1])) return NonFoldable(sql, "offset", "INT", *arguments[1]);
  bool has_default = arguments[2]->type->id() != TypeId::kNull;
  if (has_default) {
    DataTypePtr target =
        TypePattern(WithoutLength(arguments[0]->type)).ImplicitTarget(arguments[2]->type, IsAnsi(call));
    if (target == nullptr) {
      return UnexpectedInput(sql, 2, QuotedType(*arguments[0]->type), *arguments[2]);
    }
  }
  DataTypePtr type = arguments[0]->type;
  arguments[2] = CastTo(arguments[2], type, call);
  bool nullable = arguments[0]->nullable || arguments[2]->nullable;
  return MakeWindow(call, call.name, std::move(arguments), type, nullable, sql);
}

Result<ExpressionPtr> BindNtile(const FunctionCall& call) {
  Arguments arguments = call.arguments;
  if (arguments.empty()) arguments.push_back(IntLiteral(1));
  std::string sql = CallSql("ntile", arguments);
  FRAZIL_ASSIGN_OR_RETURN(arguments[0], CoerceArgument(call, sql, arguments[0], 0, Int()));
  if (!IsFoldable(*arguments[0])) return NonFoldable(sql, "buckets", "INT", *arguments[0]);
  auto buckets = ConstantInteger(*arguments[0]);
  if (buckets.has_value() && *buckets <= 0) {
    return Mismatch(
        "VALUE_OUT_OF_RANGE", sql,
        {{"exprName", "buckets"}, {"valueRange", "(0, 2147483647]"}, {"currentValue", std::to_string(*buckets)}});
  }
  return MakeWindow(call, "ntile", std::move(arguments), DataType::Integer(), false, sql);
}

Result<ExpressionPtr> BindNthValue(const FunctionCall& call) {
  std::string sql = CallSql("nth_value", call.arguments);
  Arguments arguments = call.arguments;
  FRAZIL_ASSIGN_OR_RETURN(arguments[1], CoerceArgument(call, sql, arguments[1], 1, Int()));
  if (!IsFoldable(*arguments[1])) return NonFoldable(sql, "offset", "INT", *arguments[1]);
  auto offset = ConstantInteger(*arguments[1]);
  if (!offset.has_value()) return Mismatch("UNEXPECTED_NULL", sql, {{"exprName", "offset"}});
  if (*offset <= 0)
    return Mismatch(
        "VALUE_OUT_OF_RANGE", sql,
        {{"exprName", "offset"}, {"valueRange", "(0, 2147483647]"}, {"currentValue", std::to_string(*offset)}});
  DataTypePtr type = arguments[0]->type;
  if (call.ignore_nulls.value_or(false)) sql += " ignore nulls";
  return MakeWindow(call, "nth_value", std::move(arguments), type, true, sql);
}

}  // namespace

ExpressionPtr MakeWindow(const FunctionCall& call, std::string function, Arguments arguments, DataTypePtr type,
                         bool nullable, std::string sql) {
  auto window = std::make_shared<WindowExpression>();
  window->function = std::move(function);
  window->arguments = std::move(arguments);
  window->type = std::move(type);
  window->nullable = nullable;
  window->ignore_nulls = call.ignore_nulls.value_or(false);
  window->mode = ModeOf(call);
  window->sql = std::move(sql);
  return window;
}

void AddWindowFunctions(FunctionList& list) {
  list.Add(Ranking("row_number", "row_number", DataType::Integer(), false, "Number of the row, from 1."));
  list.Add(Ranking("rank", "RANK", DataType::Integer(), true, "Rank with gaps."));
  list.Add(Ranking("dense_rank", "DENSE_RANK", DataType::Integer(), true, "Rank without gaps."));
  list.Add(Ranking("percent_rank", "PERCENT_RANK", DataType::Double(), true, "Rank from 0 to 1."));
  list.Add(
      Ranking("cume_dist", "cume_dist", DataType::Double(), false, "Share of the rows up to this one and its equals."));
  list.Add(Described(Custom("ntile", 0, 1, BindNtile), "2.0.0", "Number of one of n parts of about the same size."));
  list.Add(Described(Custom("lag", 1, 3, BindOffset), "2.0.0", "The value some rows before."));
  list.Add(Described(Custom("lead", 1, 3, BindOffset), "2.0.0", "The value some rows after."));
  list.Add(Described(Custom("nth_value", 2, 2, BindNthValue), "3.1.0", "The value of the n-th row of the frame."));
}

}  // namespace frazil::functions
