// Functions of numbers.

#include <algorithm>

#include "frazil/functions/constant.h"
#include "frazil/functions/list/topics.h"

namespace frazil::functions {
namespace {

Entry Unary(std::string name, std::string since, std::string usage) {
  return Scalar(std::move(name), {Double()}, DataType::Double())
      .ShowUpper()
      .Group("math_funcs", std::move(since), std::move(usage));
}

// Where log and its kin have no value, Spark gives NULL.
Entry Logarithm(std::string name, std::string since, std::string usage) {
  return Unary(std::move(name), std::move(since), std::move(usage)).Nulls(NullRule::kAlways);
}

Result<int> RoundingScale(const FunctionCall& call, const std::string& sql, const ExpressionPtr& scale) {
  if (!IsFoldable(*scale)) return NonFoldable(sql, "scale", "INT", *scale);
  auto value = ConstantInteger(*scale);
  if (!value.has_value()) {
    if (auto constant = ConstantValue(*scale); constant.has_value() && constant->is_null()) return INT32_MIN;
    return Error::Unsupported("a scale of " + call.name + " that is not a number literal");
  }
  return static_cast<int>(*value);
}

// Result of round(decimal(p,s), scale) and the like.
DataTypePtr RoundedDecimal(const DataType& type, int scale) {
  int digits = type.precision() - type.scale() + 1;
  if (scale < 0) {
    int precision = std::max(digits, -scale + 1);
    return DataType::Decimal(std::min(precision, kMaxDecimalPrecision), 0);
  }
  int new_scale = std::min(type.scale(), scale);
  return DataType::Decimal(std::min(digits + new_scale, kMaxDecimalPrecision), new_scale);
}

Result<ExpressionPtr> BindRound(const FunctionCall& call) {
  Arguments arguments = call.arguments;
  if (arguments.size() == 1) arguments.push_back(IntLiteral(0));
  std::string sql = CallSql(call.name, arguments);
  FRAZIL_ASSIGN_OR_RETURN(arguments, CoerceArguments(call, sql, std::move(arguments), {Numeric(), Int()}));
  FRAZIL_ASSIGN_OR_RETURN(int scale, RoundingScale(call, sql, arguments[1]));
  DataTypePtr type = arguments[0]->type;
  if (scale == INT32_MIN) return MakeNull(type)->sql.empty() ? MakeNull(type) : WithSql(MakeNull(type), sql);
  if (type->id() == TypeId::kDecimal) type = RoundedDecimal(*type, scale);
  return MakeCall(call.name, {arguments[0], IntLiteral(scale)}, type, AnyNullable(arguments) || !IsAnsi(call),
                  ModeOf(call), sql);
}

// ceil(x) and floor(x), and with a scale.
Result<ExpressionPtr> BindCeilOrFloor(const FunctionCall& call) {
  std::string implementation = call.name == "floor" ? "floor" : "ceil";
  if (call.arguments.size() == 1) {
    std::string name = call.name == "ceiling" ? "ceiling" : implementation == "floor" ? "FLOOR" : "CEIL";
    std::string sql = CallSql(name, call.arguments);
    FRAZIL_ASSIGN_OR_RETURN(auto argument,
                            CoerceArgument(call, sql, call.arguments[0], 0, OneOf({Double(), AnyDecimal(), Long()})));
    DataTypePtr type = DataType::Long();
    if (argument->type->id() == TypeId::kDecimal) {
      int scale = argument->type->scale(), precision = argument->type->precision();
      type = scale == 0 ? argument->type : DataType::Decimal(std::min(precision - scale + 1, kMaxDecimalPrecision), 0);
    }
    if (argument->type->IsIntegral()) return WithSql(MakeCast(argument, type, ModeOf(call)), sql);
    return MakeCall(implementation, {argument}, type, argument->nullable, ModeOf(call), sql);
  }
  std::string sql = CallSql(call.name, call.arguments);
  if (!ConstantInteger(*call.arguments[1]).has_value()) {
    return Error::Of("NON_FOLDABLE_ARGUMENT",
                     {{"funcName", QuoteIdentifier(call.name)}, {"paramName", "`scale`"}, {"paramType", "\"INT\""}});
  }
  FRAZIL_ASSIGN_OR_RETURN(auto arguments,
                          CoerceArguments(call, sql, call.arguments, {OneOf({AnyDecimal(), Double(), Long()}), Int()}));
  FRAZIL_ASSIGN_OR_RETURN(int scale, RoundingScale(call, sql, arguments[1]));
  if (arguments[0]->type->id() != TypeId::kDecimal)
    arguments[0] = CastTo(arguments[0], DecimalForType(*arguments[0]->type), call);
  DataTypePtr type = RoundedDecimal(*arguments[0]->type, std::max(scale, -38));
  if (scale == INT32_MIN) return WithSql(MakeNull(type), sql);
  return MakeCall(implementation + "_scale", {arguments[0], IntLiteral(scale)}, type, AnyNullable(arguments),
                  ModeOf(call), sql);
}

FunctionDefinition Described(FunctionDefinition definition, std::string since, std::string usage,
                             std::vector<std::string> aliases = {}) {
  definition.since = std::move(since);
  definition.usage = std::move(usage);
  definition.aliases = std::move(aliases);
  return definition;
}

}  // namespace

void AddMathFunctions(FunctionList& list) {
  list.Group("math_funcs");
  list.Add(Unary("acos", "1.4.0", "Arc cosine."));
  list.Add(Unary("acosh", "3.0.0", "Inverse hyperbolic cosine."));
  list.Add(Unary("asin", "1.4.0", "Arc sine."));
  list.Add(Unary("asinh", "3.0.0", "Inverse hyperbolic sine."));
  list.Add(Unary("atan", "1.4.0", "Arc tangent."));
  list.Add(Unary("atanh", "3.0.0", "Inverse hyperbolic tangent."));
  list.Add(Scalar("atan2", {Double(), Double()}, DataType::Double())
               .ShowUpper()
               .Group("math_funcs", "1.4.0", "Angle of the point (y, x)."));
  list.Add(Unary("cbrt", "1.4.0", "Cube root."));
  list.Add(Unary("cos", "1.4.0", "Cosine."));
  list.Add(Unary("cosh", "1.4.0", "Hyperbolic cosine."));
  list.Add(Unary("cot", "2.3.0", "Cotangent."));
  list.Add(Unary("csc", "3.3.0", "Cosecant."));
  list.Add(Unary("degrees", "1.4.0", "Radians as degrees."));
  list.Add(Unary("exp", "1.4.0", "e to the power of the number."));
  list.Add(Unary("expm1", "1.4.0", "e to the power of the number, less 1."));
  list.Add(Logarithm("log10", "1.4.0", "Logarithm to the base 10; NULL for numbers up to 0."));
  list.Add(Logarithm("log1p", "1.4.0", "Natural logarithm of the number plus 1; NULL for numbers up to -1."));
  list.Add(Logarithm("log2", "1.4.0", "Logarithm to the base 2; NULL for numbers up to 0."));
  list.Add(Scalar("ln", {Double()}, DataType::Double())
               .Nulls(NullRule::kAlways)
               .Group("math_funcs", "1.4.0", "Natural logarithm; NULL for numbers up to 0."));
  list.Add(Described(Custom("log", 1, 2,
                            [](const FunctionCall& call) -> Result<ExpressionPtr> {
                              if (call.arguments.size() == 1) {
                                FRAZIL_ASSIGN_OR_RETURN(auto logarithm, CallFunction(call, "ln", call.arguments));
                                return WithSql(std::move(logarithm), "LOG(E(), " + call.arguments[0]->sql + ")");
                              }
                              std::string sql = CallSql("LOG", call.arguments);
                              FRAZIL_ASSIGN_OR_RETURN(auto arguments,
                                                      CoerceArguments(call, sql, call.arguments, {Double()}));
                              return MakeCall("log", arguments, DataType::Double(), true, ModeOf(call), sql);
                            }),
                     "1.5.0", "Logarithm of the second number to the base of the first; NULL outside its domain."));
  list.Add(Scalar("pow", {Double(), Double()}, DataType::Double())
               .Group("math_funcs", "1.4.0", "The first number to the power of the second."));
  list.Add(Scalar("power", {Double(), Double()}, DataType::Double())
               .Calls("pow")
               .ShowUpper()
               .Group("math_funcs", "1.4.0", "The first number to the power of the second."));
  list.Add(Scalar("hypot", {Double(), Double()}, DataType::Double())
               .ShowUpper()
               .Group("math_funcs", "1.4.0", "Square root of the sum of squares."));
  list.Add(Unary("radians", "1.4.0", "Degrees as radians."));
  list.Add(Scalar("rint", {Double()}, DataType::Double())
               .Group("math_funcs", "1.4.0", "The nearest whole number, ties to even."));
  list.Add(Unary("sec", "3.3.0", "Secant."));
  list.Add(Scalar("signum", {OneOf({Double(), YearMonth(), DayTime()})}, DataType::Double())
               .ShowUpper()
               .Group("math_funcs", "1.4.0", "-1.0, 0.0 or 1.0 by the sign."));
  list.Add(Scalar("sign", {OneOf({Double(), YearMonth(), DayTime()})}, DataType::Double())
               .Calls("signum")
               .Group("math_funcs", "1.4.0", "-1.0, 0.0 or 1.0 by the sign."));
  list.Add(Unary("sin", "1.4.0", "Sine."));
  list.Add(Unary("sinh", "1.4.0", "Hyperbolic sine."));
  list.Add(Unary("sqrt", "1.1.1", "Square root; NaN for negative numbers."));
  list.Add(Unary("tan", "1.4.0", "Tangent."));
  list.Add(Unary("tanh", "1.4.0", "Hyperbolic tangent."));
  list.Add(Scalar("e", {}, DataType::Double())
               .ShowUpper()
               .Nulls(NullRule::kNever)
               .Group("math_funcs", "1.5.0", "Euler's number."));
  list.Add(Scalar("pi", {}, DataType::Double())
               .ShowUpper()
               .Nulls(NullRule::kNever)
               .Group("math_funcs", "1.5.0", "The number pi."));
  list.Add(Described(Custom("round", 1, 2, BindRound), "1.5.0",
                     "Rounds half away from zero to that many digits after the point."));
  list.Add(Described(Custom("bround", 1, 2, BindRound), "2.0.0",
                     "Rounds half to even to that many digits after the point."));
  list.Add(Described(Custom("ceil", 1, 2, BindCeilOrFloor), "3.3.0",
                     "The least whole number (or decimal of that scale) that is not less.", {"ceiling"}));
  list.Add(Described(Custom("floor", 1, 2, BindCeilOrFloor), "3.3.0",
                     "The greatest whole number (or decimal of that scale) that is not greater."));
  list.Add(Scalar("factorial", {Int()}, DataType::Long())
               .Nulls(NullRule::kAlways)
               .Group("math_funcs", "1.5.0", "n!, for 0 to 20; else NULL."));
  list.Add(Scalar("bin", {Long()}, DataType::String()).Group("math_funcs", "1.5.0", "Binary digits of a BIGINT."));
  list.Add(Scalar("hex", {OneOf({Long(), Bytes(), Text()})}, DataType::String())
               .Group("math_funcs", "1.5.0", "Hexadecimal digits of a number, text or binary."));
  list.Add(Scalar("unhex", {Text()}, DataType::Binary())
               .Nulls(NullRule::kAlways)
               .Group("math_funcs", "1.5.0", "The bytes that hexadecimal digits stand for; NULL where they are none."));
  list.Add(Scalar("conv", {Text(), Int(), Int()}, DataType::String())
               .Nulls(NullRule::kAlways)
               .Group("math_funcs", "1.5.0", "A number's digits in another base."));
  list.Add(Scalar("isnan", {OneOf({Double(), DataType::Float()})}, DataType::Boolean())
               .Calls("is_nan")
               .Nulls(NullRule::kNever)
               .Group("predicate_funcs", "1.5.0", "Whether the number is NaN."));
  list.Add(Described(Custom("width_bucket", 4, 4,
                            [](const FunctionCall& call) -> Result<ExpressionPtr> {
                              std::string sql = CallSql(call.name, call.arguments);
                              TypePattern value = OneOf({Double(), YearMonth(), DayTime()});
                              FRAZIL_ASSIGN_OR_RETURN(auto arguments, CoerceArguments(call, sql, call.arguments,
                                                                                      {value, value, value, Long()}));
                              for (size_t i = 1; i < 3; ++i) {
                                if (arguments[i]->type->id() != arguments[0]->type->id())
                                  return UnexpectedInput(sql, i, QuotedType(*arguments[0]->type), *arguments[i]);
                              }
                              return MakeCall("width_bucket", arguments, DataType::Long(), true, ModeOf(call), sql);
                            }),
                     "3.1.0", "Number of the equally wide bucket that a value falls in."));
}

}  // namespace frazil::functions
