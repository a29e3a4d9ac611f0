// The session, the statement, and raising errors.

#include "frazil/functions/constant.h"
#include "frazil/functions/list/topics.h"

namespace frazil::functions {
namespace {

const char* const kGroup = "misc_funcs";
const char* const kVersion = "4.1.3 77bbf77e86ad48f58b5dfbc6ac882b3e70cf1989";

FunctionDefinition Described(FunctionDefinition definition, std::string since, std::string usage,
                             std::vector<std::string> aliases = {}) {
  definition.since = std::move(since);
  definition.usage = std::move(usage);
  definition.aliases = std::move(aliases);
  return definition;
}

FunctionDefinition Name(std::string name, std::string shown,
                        std::function<std::string(const ExpressionSettings&)> value, std::string since,
                        std::string usage, std::vector<std::string> aliases = {}) {
  return Described(Custom(std::move(name), 0, 0,
                          [shown, value](const FunctionCall& call) -> Result<ExpressionPtr> {
                            return TextLiteral(value(*call.settings), (shown.empty() ? call.name : shown) + "()");
                          }),
                   std::move(since), std::move(usage), std::move(aliases));
}

Entry Row(std::string name, DataTypePtr type, std::string since, std::string usage) {
  return Scalar(std::move(name), {}, std::move(type))
      .Nulls(NullRule::kNever)
      .Group(kGroup, std::move(since), std::move(usage));
}

// The type of numbers between two bounds: decimals keep the wider shape, untyped NULL is a double.
DataTypePtr UniformType(const DataTypePtr& left, const DataTypePtr& right) {
  for (TypeId id : {TypeId::kNull, TypeId::kDouble}) {
    if (left->id() != id && right->id() != id) continue;
    const DataTypePtr& other = left->id() == id ? right : left;
    return other->id() == TypeId::kFloat && id == TypeId::kNull ? other : DataType::Double();
  }
  if (left->id() == TypeId::kFloat || right->id() == TypeId::kFloat) return DataType::Float();
  bool decimals = left->id() == TypeId::kDecimal && right->id() == TypeId::kDecimal;
  if (decimals) return left->precision() >= right->precision() ? left : right;
  if (left->id() == TypeId::kDecimal) return left;
  if (right->id() == TypeId::kDecimal) return right;
  return WiderTypeWithoutText(left, right, true);
}

}  // namespace

void AddSessionFunctions(FunctionList& list) {
  list.Group(kGroup);
  list.Add(Name(
      "current_catalog", "", [](const ExpressionSettings& settings) { return settings.current_catalog; }, "3.1.0",
      "The current catalog."));
  list.Add(Name("current_database", "current_schema",
                [](const ExpressionSettings& settings) { return settings.current_database; }, "1.6.0",
                "The current database.", {"current_schema"}));
  list.Add(Name("current_user", "", [](const ExpressionSettings& settings) { return settings.current_user; }, "3.2.0",
                "The user.", {"user", "session_user"}));
  list.Add(Name(
      "version", "", [](const ExpressionSettings&) { return std::string(kVersion); }, "3.0.0",
      "The version of Spark that is followed."));
  list.Add(Described(Custom("typeof", 1, 1,
                            [](const FunctionCall& call) -> Result<ExpressionPtr> {
                              const std::string sql = CallSql("typeof", call.arguments);
                              // The call of an aggregate must stay one, so that the query is an aggregation.
                              if (!IsFoldable(*call.arguments[0]))
                                return MakeCall("typeof", call.arguments, DataType::String(), false, ModeOf(call), sql);
                              return WithSql(TextLiteral(call.arguments[0]->type->SimpleString()), sql);
                            }),
                     "3.0.0", "The value's type."));
  list.Add(Row("monotonically_increasing_id", DataType::Long(), "1.4.0", "A number that grows from row to row."));
  list.Add(Row("spark_partition_id", DataType::Integer(), "1.4.0", "Number of the partition.").ShowUpper());
  list.Add(Row("input_file_name", DataType::String(), "1.5.0", "The file of the row, or empty text."));
  list.Add(Row("input_file_block_start", DataType::Long(), "2.2.0", "Where the row's part of the file begins, or -1."));
  list.Add(Row("input_file_block_length", DataType::Long(), "2.2.0", "Length of the row's part of the file, or -1."));
  list.Add(Described(
      Custom("assert_true", 1, 2,
             [](const FunctionCall& call) -> Result<ExpressionPtr> {
               Arguments arguments = call.arguments;
               if (arguments.size() == 1) arguments.push_back(TextLiteral("'" + arguments[0]->sql + "' is not true!"));
               std::string sql = CallSql("assert_true", arguments);
               FRAZIL_ASSIGN_OR_RETURN(arguments, CoerceArguments(call, sql, std::move(arguments), {Bool(), Text()}));
               return MakeCall("assert_true", arguments, DataType::Null(), true, ModeOf(call), sql);
             }),
      "2.0.0", "NULL where the condition is true, else an error."));
  list.Add(
      Described(Custom("raise_error", 1, 1,
                       [](const FunctionCall& call) -> Result<ExpressionPtr> {
                         std::string sql = CallSql("raise_error", call.arguments);
                         FRAZIL_ASSIGN_OR_RETURN(auto message, CoerceArgument(call, sql, call.arguments[0], 0, Text()));
                         sql = "raise_error(USER_RAISED_EXCEPTION, map(errorMessage, " + call.arguments[0]->sql + "))";
                         return MakeCall("raise_error", {message}, DataType::Null(), true, ModeOf(call), sql);
                       }),
                "3.1.0", "An error with the message."));
}

void AddRandomFunctions(FunctionList& list) {
  list.Group("math_funcs");
  for (const char* name : {"rand", "randn"}) {
    std::string function = name;
    list.Add(Described(
        Custom(function, 0, 1,
               [function](const FunctionCall& call) -> Result<ExpressionPtr> {
                 std::string sql = CallSql(function, call.arguments);
                 Arguments arguments;
                 if (!call.arguments.empty()) {
                   const auto& seed = call.arguments[0];
                   if (!IsFoldable(*seed))
                     return Mismatch("NON_FOLDABLE_INPUT", sql,
                                     {{"inputName", "`seed`"},
                                      {"inputType", "\"INT or BIGINT\""},
                                      {"inputExpr", QuotedSql(seed->sql)}});
                   if (seed->type->id() != TypeId::kNull && !seed->type->IsIntegral())
                     return UnexpectedInput(sql, 0, "(\"INT\" or \"BIGINT\")", *seed);
                   int64_t value = ConstantInteger(*seed).value_or(0);
                   arguments.push_back(LongLiteral(value));
                 }
                 return MakeCall(function, arguments, DataType::Double(), false, ModeOf(call), sql);
               }),
        "1.5.0",
        function == "rand" ? "A random number from 0 to 1." : "A random number of the standard normal distribution.",
        function == "rand" ? std::vector<std::string>{"random"} : std::vector<std::string>{}));
  }
  list.Add(Described(
      Custom("uniform", 2, 3,
             [](const FunctionCall& call) -> Result<ExpressionPtr> {
               std::string sql = CallSql("uniform", call.arguments);
               for (size_t i = 0; i < call.arguments.size(); ++i) {
                 const auto& argument = call.arguments[i];
                 bool fits = argument->type->id() == TypeId::kNull ||
                             (i < 2 ? argument->type->IsNumeric() : argument->type->IsIntegral());
                 if (!fits) return UnexpectedInput(sql, i, i < 2 ? "integer or floating-point" : "integer", *argument);
                 if (!IsFoldable(*argument))
                   return NonFoldable(sql,
                                      i == 0   ? "min"
                                      : i == 1 ? "max"
                                               : "seed",
                                      i < 2 ? "integer or floating-point" : "integer", *argument);
               }
               DataTypePtr type = UniformType(call.arguments[0]->type, call.arguments[1]->type);
               // Decimals are drawn as doubles.
               DataTypePtr drawn = type->id() == TypeId::kDecimal ? DataType::Double() : type;
               Arguments arguments = {CastTo(call.arguments[0], drawn, call), CastTo(call.arguments[1], drawn, call)};
               if (call.arguments.size() == 3)
                 arguments.push_back(LongLiteral(ConstantInteger(*call.arguments[2]).value_or(0)));
               bool nullable = AnyNullable(call.arguments);
               return WithSql(CastTo(MakeCall("uniform", arguments, drawn, nullable, ModeOf(call), sql), type, call),
                              sql);
             }),
      "4.0.0", "A random number between two bounds."));
  list.Group("string_funcs");
  list.Add(Described(
      Custom("randstr", 1, 2,
             [](const FunctionCall& call) -> Result<ExpressionPtr> {
               std::string sql = CallSql("randstr", call.arguments);
               for (size_t i = 0; i < call.arguments.size(); ++i) {
                 const auto& argument = call.arguments[i];
                 bool fits = argument->type->IsIntegral() || argument->type->id() == TypeId::kNull ||
                             (i == 0 && argument->type->IsNumeric());
                 if (!fits) return UnexpectedInput(sql, i, i == 0 ? "INT or SMALLINT" : "INT or BIGINT", *argument);
                 if (!IsFoldable(*argument))
                   return NonFoldable(sql, i == 0 ? "length" : "seed", i == 0 ? "INT or SMALLINT" : "INT or BIGINT",
                                      *argument);
               }
               int64_t length = ConstantInteger(*CastTo(call.arguments[0], DataType::Integer(), call)).value_or(0);
               if (length < 0) {
                 return Error::Of(
                     "INVALID_PARAMETER_VALUE.LENGTH",
                     {{"parameter", "`length`"}, {"functionName", "`randstr`"}, {"length", std::to_string(length)}});
               }
               Arguments arguments = {IntLiteral(static_cast<int>(length))};
               if (call.arguments.size() == 2)
                 arguments.push_back(LongLiteral(ConstantInteger(*call.arguments[1]).value_or(0)));
               return MakeCall("randstr", arguments, DataType::String(), false, ModeOf(call), sql);
             }),
      "4.0.0", "Random letters and digits."));
  list.Group(kGroup);
  list.Add(Described(Custom("uuid", 0, 1,
                            [](const FunctionCall& call) -> Result<ExpressionPtr> {
                              Arguments arguments;
                              if (!call.arguments.empty()) {
                                const auto seed = ConstantInteger(*call.arguments[0]);
                                if (!seed) {
                                  return Error::Of("INVALID_PARAMETER_VALUE.LONG",
                                                   {{"parameter", "`seed`"},
                                                    {"functionName", "`UUID`"},
                                                    {"invalidValue", QuotedSql(call.arguments[0]->sql)}});
                                }
                                arguments.push_back(LongLiteral(*seed));
                              }
                              return MakeCall("uuid", arguments, DataType::String(), false, ModeOf(call), "uuid()");
                            }),
                     "2.3.0", "A random UUID."));
}

}  // namespace frazil::functions
