// Functions of bits.

#include "frazil/functions/list/topics.h"

namespace frazil::functions {
namespace {

FunctionDefinition BitOperator(std::string symbol, std::string implementation, std::string usage) {
  auto definition = Custom(symbol, 2, 2, [symbol, implementation](const FunctionCall& call) -> Result<ExpressionPtr> {
    ExpressionPtr left = call.arguments[0], right = call.arguments[1];
    std::string sql = "(" + left->sql + " " + symbol + " " + right->sql + ")";
    if (IsAnsi(call)) {
      if (auto type = PromoteText(left->type, right->type)) {
        left = CastTo(left, type, call);
        right = CastTo(right, type, call);
      }
    } else {
      if (left->type->IsString()) left = CastTo(left, DataType::Double(), call);
      if (right->type->IsString()) right = CastTo(right, DataType::Double(), call);
    }
    if (left->type->id() == TypeId::kNull && right->type->id() == TypeId::kNull) {
      left = CastTo(left, DataType::Integer(), call);
      right = CastTo(right, DataType::Integer(), call);
    }
    auto common = TightestCommonType(left->type, right->type, IsAnsi(call));
    if (common == nullptr)
      return Mismatch("BINARY_OP_DIFF_TYPES", sql,
                      {{"left", QuotedType(*left->type)}, {"right", QuotedType(*right->type)}});
    if (!common->IsIntegral())
      return Mismatch("BINARY_OP_WRONG_TYPE", sql,
                      {{"inputType", "\"INTEGRAL\""}, {"actualDataType", QuotedType(*common)}});
    left = CastTo(left, common, call);
    right = CastTo(right, common, call);
    return MakeCall(implementation, {left, right}, common, left->nullable || right->nullable, ModeOf(call), sql);
  });
  definition.group = "bitwise_funcs";
  definition.since = "1.4.0";
  definition.usage = std::move(usage);
  return definition;
}

FunctionDefinition Shift(std::string name, std::string symbol, std::string usage) {
  auto definition = Custom(name, 2, 2, [name, symbol](const FunctionCall& call) -> Result<ExpressionPtr> {
    bool is_operator = call.is_operator || call.name == symbol;
    std::string sql = is_operator ? "(" + call.arguments[0]->sql + " " + symbol + " " + call.arguments[1]->sql + ")"
                                  : CallSql(call.name, call.arguments);
    FRAZIL_ASSIGN_OR_RETURN(auto arguments,
                            CoerceArguments(call, sql, call.arguments, {OneOf({Int(), Long()}), Int()}));
    DataTypePtr type = arguments[0]->type;
    return MakeCall(name, arguments, type, AnyNullable(arguments), ModeOf(call), sql);
  });
  definition.aliases = {symbol};
  definition.group = "bitwise_funcs";
  definition.since = "1.5.0";
  definition.usage = std::move(usage);
  return definition;
}

}  // namespace

void AddBitwiseFunctions(FunctionList& list) {
  list.Group("bitwise_funcs");
  list.Add(BitOperator("&", "bitwise_and", "Bits set in both numbers."));
  list.Add(BitOperator("|", "bitwise_or", "Bits set in either number."));
  list.Add(BitOperator("^", "bitwise_xor", "Bits set in one number only."));
  auto invert = Custom("~", 1, 1, [](const FunctionCall& call) -> Result<ExpressionPtr> {
    std::string sql = "~" + call.arguments[0]->sql;
    FRAZIL_ASSIGN_OR_RETURN(auto argument, CoerceArgument(call, sql, call.arguments[0], 0, Integral().Strict()));
    return MakeCall("bitwise_not", {argument}, argument->type, argument->nullable, ModeOf(call), sql);
  });
  invert.since = "1.4.0";
  invert.usage = "Every bit inverted.";
  list.Add(invert);
  list.Add(Shift("shiftleft", "<<", "Bits moved to the left."));
  list.Add(Shift("shiftright", ">>", "Bits moved to the right, the sign kept."));
  list.Add(Shift("shiftrightunsigned", ">>>", "Bits moved to the right, filled with 0."));
  list.Add(Scalar("bit_count", {OneOf({Integral(), Bool()}).Strict()}, DataType::Integer())
               .Group("bitwise_funcs", "3.0.0", "Number of bits set."));
  list.Add(Scalar("bit_get", {Integral().Strict(), Int()}, DataType::Byte())
               .Alias({"getbit"})
               .Group("bitwise_funcs", "3.2.0", "The bit (0 or 1) at a position, counted from the right from 0."));
}

}  // namespace frazil::functions
