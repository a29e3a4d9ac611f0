// Comparisons, IN, BETWEEN, AND/OR/NOT and tests for NULL.
// https://spark.apache.org/docs/latest/sql-ref-operators.html

#include <cmath>

#include "frazil/functions/constant.h"
#include "frazil/functions/list/topics.h"

namespace frazil::functions {
namespace {

enum class Comparison : uint8_t { kEqual, kNullSafeEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };

const char* Symbol(Comparison comparison) {
  switch (comparison) {
    case Comparison::kEqual:
      return "=";
    case Comparison::kNullSafeEqual:
      return "<=>";
    case Comparison::kLess:
      return "<";
    case Comparison::kLessOrEqual:
      return "<=";
    case Comparison::kGreater:
      return ">";
    case Comparison::kGreaterOrEqual:
      return ">=";
  }
  return "";
}

const char* Implementation(Comparison comparison) {
  switch (comparison) {
    case Comparison::kEqual:
      return "equal";
    case Comparison::kNullSafeEqual:
      return "null_safe_equal";
    case Comparison::kLess:
      return "less";
    case Comparison::kLessOrEqual:
      return "less_or_equal";
    case Comparison::kGreater:
      return "greater";
    case Comparison::kGreaterOrEqual:
      return "greater_or_equal";
  }
  return "";
}

const Value* DecimalLiteral(const Expression& expression) {
  if (expression.kind != ExpressionKind::kLiteral || expression.type->id() != TypeId::kDecimal) return nullptr;
  const Value& value = expression.As<LiteralExpression>().value;
  return value.is_null() ? nullptr : &value;
}

int128 PowerOfTen(int exponent) {
  int128 result = 1;
  for (int i = 0; i < exponent; ++i) result *= 10;
  return result;
}

// The whole number that `integer <comparison> decimal` can be compared with instead; nullopt where it does not fit a
// BIGINT.
std::optional<int64_t> WholeBound(const Value& value, int scale, bool round_up) {
  int128 unit = PowerOfTen(scale);
  int128 unscaled = value.decimal();
  int128 whole = unscaled / unit;
  int128 rest = unscaled % unit;
  if (rest < 0 && !round_up) --whole;
  if (rest > 0 && round_up) ++whole;
  if (whole < std::numeric_limits<int64_t>::min() || whole > std::numeric_limits<int64_t>::max()) return std::nullopt;
  return static_cast<int64_t>(whole);
}

DataTypePtr DecimalForOperand(const Expression& operand) {
  if (operand.kind == ExpressionKind::kLiteral && !operand.As<LiteralExpression>().value.is_null()) {
    int digits = 1;
    for (int64_t rest = operand.As<LiteralExpression>().value.integer() / 10; rest != 0; rest /= 10) ++digits;
    return DataType::Decimal(digits, 0);
  }
  return DecimalForType(*operand.type);
}

Result<ExpressionPtr> BindComparison(const FunctionCall& call, Comparison comparison, std::string sql = {}) {
  ExpressionPtr left = call.arguments[0], right = call.arguments[1];
  bool ansi = IsAnsi(call);
  bool is_equality = comparison == Comparison::kEqual || comparison == Comparison::kNullSafeEqual;
  auto infix = [&]() {
    return sql.empty() ? "(" + left->sql + " " + Symbol(comparison) + " " + right->sql + ")" : sql;
  };
  auto cast = [&](const ExpressionPtr& side, const DataTypePtr& type) { return CastTo(side, type, call); };

  if (auto renamed = WithNamesOf(right->type, *left->type); !renamed->Equals(*right->type))
    right = cast(right, renamed);
  // Text beside another type.
  DataTypePtr promoted = ansi ? PromoteText(left->type, right->type) : LegacyComparisonType(left->type, right->type);
  if (promoted != nullptr) {
    left = cast(left, promoted);
    right = cast(right, promoted);
  }
  // true = 1 without ANSI.
  if (!ansi && is_equality) {
    if (left->type->id() == TypeId::kBoolean && right->type->IsNumeric()) left = cast(left, right->type);
    if (right->type->id() == TypeId::kBoolean && left->type->IsNumeric()) right = cast(right, left->type);
  }
  if (left->type->IsNumeric() && right->type->IsNumeric()) {
    bool left_decimal = left->type->id() == TypeId::kDecimal, right_decimal = right->type->id() == TypeId::kDecimal;
    if (left_decimal && right_decimal) {
      auto type = WiderDecimal(*left->type, *right->type);
      left = cast(left, type);
      right = cast(right, type);
    } else if (left_decimal || right_decimal) {
      const auto& decimal = left_decimal ? left : right;
      const auto& other = left_decimal ? right : left;
      const Value* literal = DecimalLiteral(*decimal);
      bool reduced = false;
      if (literal != nullptr && other->type->IsIntegral() && !is_equality) {
        // integer > 1.5 is integer > 1, and so on: the literal goes down for > and <= with the integer on the left.
        bool integer_left = right_decimal;
        bool down = (comparison == Comparison::kGreater || comparison == Comparison::kLessOrEqual) == integer_left;
        auto bound = WholeBound(*literal, decimal->type->scale(), !down);
        if (bound.has_value()) {
          ExpressionPtr whole = LongLiteral(*bound);
          if (integer_left) {
            right = whole;
            left = WithSql(cast(left, DataType::Long()), left->sql);
          } else {
            left = whole;
            right = cast(right, DataType::Long());
          }
          reduced = true;
        }
      }
      if (!reduced) {
        if (other->type->IsIntegral()) {
          auto type = WiderDecimal(*decimal->type, *DecimalForOperand(*other));
          left = cast(left, type);
          right = cast(right, type);
        } else {
          left = cast(left, DataType::Double());
          right = cast(right, DataType::Double());
        }
      }
    }
  }
  auto common = TightestCommonType(left->type, right->type, ansi);
  // Parts of arrays and structs may differ in decimals.
  if (common == nullptr && left->type->IsComplex()) common = WiderType(left->type, right->type, ansi);
  if (common == nullptr) {
    return Mismatch("BINARY_OP_DIFF_TYPES", infix(),
                    {{"left", QuotedType(*left->type)}, {"right", QuotedType(*right->type)}});
  }
  common = WithoutLength(common);
  std::string shown = infix();
  bool allowed = is_equality ? !ContainsMap(*common) : IsOrderable(*common);
  if (!allowed) {
    return Mismatch(
        "INVALID_ORDERING_TYPE", shown,
        {{"functionName", QuoteIdentifier(std::string(Symbol(comparison)))}, {"dataType", QuotedType(*common)}});
  }
  if (!left->type->EqualsIgnoreNullability(*common)) left = cast(left, common);
  if (!right->type->EqualsIgnoreNullability(*common)) right = cast(right, common);
  bool nullable = comparison != Comparison::kNullSafeEqual && (left->nullable || right->nullable);
  return MakeCall(Implementation(comparison), {left, right}, DataType::Boolean(), nullable, ModeOf(call), shown);
}

ExpressionPtr MakeNot(ExpressionPtr child, EvalMode mode) {
  std::string sql = "(NOT " + child->sql + ")";
  bool nullable = child->nullable;
  return MakeCall("not", {std::move(child)}, DataType::Boolean(), nullable, mode, sql);
}

FunctionDefinition ComparisonFunction(std::string name, Comparison comparison, std::vector<std::string> aliases,
                                      std::string since, std::string usage) {
  auto definition = Custom(std::move(name), 2, 2,
                           [comparison](const FunctionCall& call) { return BindComparison(call, comparison); });
  definition.aliases = std::move(aliases);
  definition.since = std::move(since);
  definition.usage = std::move(usage);
  definition.group = "predicate_funcs";
  return definition;
}

Result<ExpressionPtr> BindNotEqual(const FunctionCall& call) {
  FRAZIL_ASSIGN_OR_RETURN(auto equal, BindComparison(call, Comparison::kEqual));
  return MakeNot(equal, ModeOf(call));
}

Result<ExpressionPtr> LogicOperand(const FunctionCall& call, const std::string& sql, const char* symbol,
                                   const ExpressionPtr& operand, const ExpressionPtr& other) {
  if (operand->type->id() == TypeId::kBoolean) return operand;
  if (operand->type->id() == TypeId::kNull) return CastTo(operand, DataType::Boolean(), call);
  // Text beside a boolean is read as one.
  if (operand->type->IsString() && IsAnsi(call) && other != nullptr && other->type->id() == TypeId::kBoolean)
    return CastTo(operand, DataType::Boolean(), call);
  if (other == nullptr) return UnexpectedInput(sql, 0, "\"BOOLEAN\"", *operand);
  (void)symbol;
  if (other->type->EqualsIgnoreNullability(*operand->type)) {
    return Mismatch("BINARY_OP_WRONG_TYPE", sql,
                    {{"inputType", "\"BOOLEAN\""}, {"actualDataType", QuotedType(*operand->type)}});
  }
  return Mismatch("BINARY_OP_DIFF_TYPES", sql,
                  {{"left", QuotedType(*operand->type)}, {"right", QuotedType(*other->type)}});
}

FunctionDefinition LogicFunction(std::string name, const char* symbol, std::string usage) {
  std::string implementation = name;
  auto definition =
      Custom(std::move(name), 2, 2, [symbol, implementation](const FunctionCall& call) -> Result<ExpressionPtr> {
        const auto& left = call.arguments[0];
        const auto& right = call.arguments[1];
        std::string sql = "(" + left->sql + " " + symbol + " " + right->sql + ")";
        FRAZIL_ASSIGN_OR_RETURN(auto l, LogicOperand(call, sql, symbol, left, right));
        FRAZIL_ASSIGN_OR_RETURN(auto r, LogicOperand(call, sql, symbol, right, left));
        return MakeCall(implementation, {l, r}, DataType::Boolean(), l->nullable || r->nullable, ModeOf(call), sql);
      });
  definition.group = "predicate_funcs";
  definition.since = "1.0.0";
  definition.usage = std::move(usage);
  return definition;
}

Result<ExpressionPtr> BindIn(const FunctionCall& call) {
  const auto& value = call.arguments[0];
  std::string sql = "(" + value->sql + " IN (";
  for (size_t i = 1; i < call.arguments.size(); ++i) sql += (i > 1 ? ", " : "") + call.arguments[i]->sql;
  sql += "))";
  std::vector<DataTypePtr> types;
  for (const auto& argument : call.arguments) types.push_back(WithNamesOf(argument->type, *value->type));
  auto common = WiderCommonType(types, IsAnsi(call));
  if (common == nullptr) {
    std::string names = "[";
    for (size_t i = 0; i < types.size(); ++i) names += (i > 0 ? ", " : "") + QuotedType(*types[i]);
    return Mismatch("DATA_DIFF_TYPES", sql, {{"functionName", "`in`"}, {"dataType", names + "]"}});
  }
  common = WithoutLength(common);
  if (ContainsMap(*common)) {
    return Mismatch("INVALID_ORDERING_TYPE", sql, {{"functionName", "`in`"}, {"dataType", QuotedType(*common)}});
  }
  Arguments arguments;
  for (const auto& argument : call.arguments) {
    arguments.push_back(argument->type->EqualsIgnoreNullability(*common) ? argument : CastTo(argument, common, call));
  }
  bool nullable = AnyNullable(arguments);
  return MakeCall("in", std::move(arguments), DataType::Boolean(), nullable, ModeOf(call), sql);
}

Result<ExpressionPtr> BindBetween(const FunctionCall& call) {
  std::string sql = CallSql("between", call.arguments);
  FunctionCall half = call;
  half.arguments = {call.arguments[0], call.arguments[1]};
  FRAZIL_ASSIGN_OR_RETURN(auto low, BindComparison(half, Comparison::kGreaterOrEqual));
  half.arguments = {call.arguments[0], call.arguments[2]};
  FRAZIL_ASSIGN_OR_RETURN(auto high, BindComparison(half, Comparison::kLessOrEqual));
  bool nullable = low->nullable || high->nullable;
  return MakeCall("and", {low, high}, DataType::Boolean(), nullable, ModeOf(call), sql);
}

FunctionDefinition NullTest(std::string name, std::vector<std::string> aliases, std::string implementation,
                            const char* suffix) {
  auto definition =
      Custom(std::move(name), 1, 1, [implementation, suffix](const FunctionCall& call) -> Result<ExpressionPtr> {
        return MakeCall(implementation, call.arguments, DataType::Boolean(), false, ModeOf(call),
                        "(" + call.arguments[0]->sql + suffix + ")");
      });
  definition.aliases = std::move(aliases);
  definition.group = "predicate_funcs";
  definition.since = "1.0.0";
  definition.usage = implementation == "is_null" ? "Whether the value is NULL." : "Whether the value is not NULL.";
  return definition;
}

// x IS TRUE, x IS FALSE.
FunctionDefinition TruthTest(std::string name, bool wanted, const char* text) {
  return Custom(std::move(name), 1, 1, [wanted, text](const FunctionCall& call) -> Result<ExpressionPtr> {
    std::string sql = "(" + call.arguments[0]->sql + " IS " + text + ")";
    FRAZIL_ASSIGN_OR_RETURN(auto operand, CoerceArgument(call, sql, call.arguments[0], 0, Bool().Strict()));
    std::string equal_sql = "(" + call.arguments[0]->sql + " <=> " + (wanted ? "true" : "false") + ")";
    return MakeCall("null_safe_equal", {operand, BoolLiteral(wanted)}, DataType::Boolean(), false, ModeOf(call),
                    equal_sql);
  });
}

// x IS UNKNOWN, x IS NOT UNKNOWN.
FunctionDefinition UnknownTest(std::string name, const char* implementation, const char* text) {
  return Custom(std::move(name), 1, 1, [implementation, text](const FunctionCall& call) -> Result<ExpressionPtr> {
    std::string sql = "(" + call.arguments[0]->sql + text + ")";
    FRAZIL_ASSIGN_OR_RETURN(auto operand, CoerceArgument(call, sql, call.arguments[0], 0, Bool().Strict()));
    return MakeCall(implementation, {operand}, DataType::Boolean(), false, ModeOf(call), sql);
  });
}

}  // namespace

void AddComparisonFunctions(FunctionList& list) {
  list.Group("predicate_funcs");
  list.Add(ComparisonFunction("=", Comparison::kEqual, {"=="}, "1.0.0",
                              "Whether both values are equal; NULL where one is NULL."));
  list.Add(ComparisonFunction("<=>", Comparison::kNullSafeEqual, {}, "1.1.0",
                              "Whether both values are equal or both are NULL."));
  list.Add(ComparisonFunction("<", Comparison::kLess, {}, "1.0.0", "Whether the first value is less than the second."));
  list.Add(ComparisonFunction("<=", Comparison::kLessOrEqual, {}, "1.0.0",
                              "Whether the first value is at most the second."));
  list.Add(ComparisonFunction(">", Comparison::kGreater, {}, "1.0.0",
                              "Whether the first value is greater than the second."));
  list.Add(ComparisonFunction(">=", Comparison::kGreaterOrEqual, {}, "1.0.0",
                              "Whether the first value is at least the second."));
  auto not_equal = Custom("!=", 2, 2, BindNotEqual);
  not_equal.aliases = {"<>"};
  not_equal.usage = "Whether the values differ; NULL where one is NULL.";
  list.Add(not_equal);
  auto equal_null = Custom("equal_null", 2, 2, [](const FunctionCall& call) {
    return BindComparison(call, Comparison::kNullSafeEqual, CallSql("equal_null", call.arguments));
  });
  equal_null.since = "3.4.0";
  equal_null.usage = "Whether both values are equal or both are NULL.";
  list.Add(equal_null);
  list.Add(Custom("is_distinct_from", 2, 2, [](const FunctionCall& call) -> Result<ExpressionPtr> {
    FRAZIL_ASSIGN_OR_RETURN(auto equal, BindComparison(call, Comparison::kNullSafeEqual));
    return MakeNot(equal, ModeOf(call));
  }));

  list.Add(LogicFunction("and", "AND", "True where both are true."));
  list.Add(LogicFunction("or", "OR", "True where one is true."));
  auto negation = Custom("not", 1, 1, [](const FunctionCall& call) -> Result<ExpressionPtr> {
    std::string sql = "(NOT " + call.arguments[0]->sql + ")";
    FRAZIL_ASSIGN_OR_RETURN(auto operand, CoerceArgument(call, sql, call.arguments[0], 0, Bool()));
    return MakeNot(operand, ModeOf(call));
  });
  negation.aliases = {"!"};
  negation.since = "1.0.0";
  negation.usage = "True where the operand is false.";
  list.Add(negation);

  auto in = Custom("in", 1, -1, BindIn);
  in.since = "1.0.0";
  in.usage = "Whether the first value equals one of the others.";
  list.Add(in);
  auto between = Custom("between", 3, 3, BindBetween);
  between.since = "1.0.0";
  between.usage = "Whether the first value lies between the others, both included.";
  list.Add(between);
  list.Add(NullTest("isnull", {"is_null"}, "is_null", " IS NULL"));
  list.Add(NullTest("isnotnull", {"is_not_null"}, "is_not_null", " IS NOT NULL"));
  list.Add(TruthTest("is_true", true, "TRUE"));
  list.Add(TruthTest("is_false", false, "FALSE"));
  list.Add(UnknownTest("is_unknown", "is_null", " IS UNKNOWN"));
  list.Add(UnknownTest("is_not_unknown", "is_not_null", " IS NOT UNKNOWN"));
}

}  // namespace frazil::functions
