// + - * / % div, unary signs and their try_ forms: decimal result types, text, dates, timestamps and intervals.
// https://spark.apache.org/docs/latest/sql-ref-ansi-compliance.html#arithmetic-operations

#include "frazil/functions/constant.h"
#include "frazil/functions/list/topics.h"

namespace frazil::functions {
namespace {

enum class Operator : uint8_t { kAdd, kSubtract, kMultiply, kDivide, kRemainder, kIntegralDivide, kPositiveModulo };

struct Operands {
  const FunctionCall& call;
  Operator op;
  EvalMode mode;
  std::string sql;     ///< How the whole call shows.
  bool named = false;  ///< Shown as a function, not as an operator.
  ExpressionPtr left, right;
};

const char* Symbol(Operator op) {
  switch (op) {
    case Operator::kAdd:
      return "+";
    case Operator::kSubtract:
      return "-";
    case Operator::kMultiply:
      return "*";
    case Operator::kDivide:
      return "/";
    case Operator::kRemainder:
      return "%";
    case Operator::kIntegralDivide:
      return "div";
    case Operator::kPositiveModulo:
      return "pmod";
  }
  return "";
}

const char* Implementation(Operator op) {
  switch (op) {
    case Operator::kAdd:
      return "add";
    case Operator::kSubtract:
      return "subtract";
    case Operator::kMultiply:
      return "multiply";
    case Operator::kDivide:
      return "divide";
    case Operator::kRemainder:
      return "remainder";
    case Operator::kIntegralDivide:
      return "div";
    case Operator::kPositiveModulo:
      return "pmod";
  }
  return "";
}

bool IsInterval(const DataType& type) { return type.IsAnsiInterval() || type.id() == TypeId::kCalendarInterval; }
bool IsTimestamp(const DataType& type) { return type.id() == TypeId::kTimestamp || type.id() == TypeId::kTimestampNtz; }
bool IsDayOnly(const DataType& type) {
  return type.id() == TypeId::kDayTimeInterval && type.start_field() == IntervalField::kDay &&
         type.end_field() == IntervalField::kDay;
}

ExpressionPtr Negate(const Operands& in, const ExpressionPtr& child) {
  return MakeCall(IsInterval(*child->type) ? "interval_negative" : "negative", {child}, child->type, child->nullable,
                  in.mode, "(- " + child->sql + ")");
}

ExpressionPtr Make(const Operands& in, std::string function, Arguments arguments, DataTypePtr type, std::string sql,
                   bool may_be_null = false) {
  bool nullable = may_be_null || in.mode == EvalMode::kTry || AnyNullable(arguments);
  return MakeCall(std::move(function), std::move(arguments), std::move(type), nullable, in.mode,
                  in.named ? in.sql : std::move(sql));
}

// date + INTERVAL 'n' DAY and date + n.
ExpressionPtr AddDays(const Operands& in, ExpressionPtr date, ExpressionPtr interval) {
  auto days = MakeCall("interval_days", {interval}, DataType::Integer(), interval->nullable, in.mode,
                       "extractansiintervaldays(" + interval->sql + ")");
  if (in.op == Operator::kSubtract) days = Negate(in, days);
  std::string sql = "date_add(" + date->sql + ", " + days->sql + ")";
  return Make(in, "date_add", {std::move(date), std::move(days)}, DataType::Date(), std::move(sql));
}

// start + interval; `result` is the type of the sum.
ExpressionPtr AddInterval(const Operands& in, ExpressionPtr start, ExpressionPtr interval, std::string function,
                          DataTypePtr result) {
  std::string sql = start->sql + (in.op == Operator::kSubtract ? " - " : " + ") + interval->sql;
  if (in.op == Operator::kSubtract) interval = Negate(in, interval);
  return Make(in, std::move(function), {std::move(start), std::move(interval)}, std::move(result), std::move(sql));
}

// Seconds of an interval bring microseconds.
DataTypePtr MovedTime(const DataTypePtr& time, const DataType& interval) {
  return interval.end_field() == IntervalField::kSecond ? DataType::Time() : time;
}

// Intervals whose sum with anything else is a moved timestamp.
bool MovesTimestamps(const DataType& type) {
  return type.id() == TypeId::kDayTimeInterval || type.id() == TypeId::kCalendarInterval;
}

// start (date, timestamp, text) + day-time or calendar interval.
Result<ExpressionPtr> AddToTimestamp(const Operands& in, ExpressionPtr start, ExpressionPtr interval) {
  DataTypePtr original = start->type;
  if (start->type->id() == TypeId::kDate || start->type->IsString())
    start = MakeCast(start, DataType::Timestamp(), in.mode);
  if (!IsTimestamp(*start->type)) {
    std::string sql = start->sql + (in.op == Operator::kSubtract ? " - " : " + ") + interval->sql;
    return UnexpectedInput(sql, 0, "\"(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)\"", *start);
  }
  DataTypePtr result = start->type;
  auto sum = AddInterval(in, std::move(start), std::move(interval), "timestamp_add_interval", result);
  // A text operand gives text.
  return original->IsString() ? MakeCast(std::move(sum), original, in.mode) : sum;
}

// nullptr where neither side is a date, a timestamp or an interval that needs more than plain arithmetic.
Result<ExpressionPtr> ResolveDatetime(Operands& in) {
  auto& left = in.left;
  auto& right = in.right;
  TypeId l = left->type->id(), r = right->type->id();
  auto is = [](TypeId id, TypeId wanted) { return id == wanted; };
  std::string infix = "(" + left->sql + " " + Symbol(in.op) + " " + right->sql + ")";
  bool left_datetime = left->type->IsDatetime() || l == TypeId::kTime;
  bool right_datetime = right->type->IsDatetime() || r == TypeId::kTime;

  if (in.op == Operator::kAdd || in.op == Operator::kSubtract) {
    bool add = in.op == Operator::kAdd;
    // Addition commutes: the datetime first.
    if (add && (IsInterval(*left->type) || is(l, TypeId::kNull)) && right_datetime) {
      std::swap(left, right);
      std::swap(l, r);
      std::swap(left_datetime, right_datetime);
    } else if (add && l != r && MovesTimestamps(*left->type) && !is(r, TypeId::kNull) &&
               !MovesTimestamps(*right->type)) {
      std::swap(left, right);
      std::swap(l, r);
    }
    if (is(l, TypeId::kDate) && IsDayOnly(*right->type)) return AddDays(in, left, right);
    if (is(l, TypeId::kDate) && is(r, TypeId::kDayTimeInterval)) return AddToTimestamp(in, left, right);
    if (is(l, TypeId::kDate) && is(r, TypeId::kYearMonthInterval))
      return AddInterval(in, left, right, "date_add_months", DataType::Date());
    if (IsTimestamp(*left->type) && is(r, TypeId::kYearMonthInterval))
      return AddInterval(in, left, right, "timestamp_add_months", left->type);
    if (is(l, TypeId::kDate) && is(r, TypeId::kCalendarInterval))
      return AddInterval(in, left, right, "date_add_interval", DataType::Date());
    if (is(l, TypeId::kTime) && is(r, TypeId::kDayTimeInterval))
      return AddInterval(in, left, right, "time_add_interval", MovedTime(left->type, *right->type));
    if (IsInterval(*left->type) && is(r, TypeId::kNull)) right = MakeCast(right, left->type, in.mode), r = l;
    if (IsInterval(*right->type) && is(l, TypeId::kNull)) left = MakeCast(left, right->type, in.mode), l = r;
    if (IsInterval(*left->type) && l == r) {
      DataTypePtr type = TightestCommonType(left->type, right->type, true);
      return Make(in, add ? "interval_add" : "interval_subtract",
                  {MakeCast(left, type, in.mode), MakeCast(right, type, in.mode)}, type, infix);
    }
    if (add && left_datetime && is(r, TypeId::kNull)) {
      right = MakeCast(right, DataType::DayTimeInterval(), in.mode);
      if (is(l, TypeId::kTime))
        return AddInterval(in, left, right, "time_add_interval", MovedTime(left->type, *right->type));
      return AddToTimestamp(in, left, right);
    }
    if (!add && left_datetime && is(r, TypeId::kNull)) right = MakeCast(right, left->type, in.mode), r = l;
    if (!add && right_datetime && is(l, TypeId::kNull)) left = MakeCast(left, right->type, in.mode), l = r;
    if (is(r, TypeId::kCalendarInterval) || is(r, TypeId::kDayTimeInterval)) {
      if (!add && IsInterval(*left->type)) return ExpressionPtr();
      return AddToTimestamp(in, left, right);
    }
    if (!add) {
      if (IsTimestamp(*left->type) || IsTimestamp(*right->type)) {
        // Both sides to one kind of timestamp.
        DataTypePtr type = IsTimestamp(*left->type) ? left->type : right->type;
        if (IsTimestamp(*left->type) && IsTimestamp(*right->type) && l != r) type = DataType::Timestamp();
        auto to = [&](const ExpressionPtr& side, size_t index) -> Result<ExpressionPtr> {
          if (!side->type->IsDatetime() && !side->type->IsString())
            return UnexpectedInput(infix, index, AnyTimestamp().sql(), *side);
          return MakeCast(side, type, in.mode);
        };
        FRAZIL_ASSIGN_OR_RETURN(auto from, to(left, 0));
        FRAZIL_ASSIGN_OR_RETURN(auto until, to(right, 1));
        return Make(in, "subtract_timestamps", {from, until}, DataType::DayTimeInterval(), infix);
      }
      if (is(r, TypeId::kDate) || (is(l, TypeId::kDate) && right->type->IsString() && IsAnsi(in.call))) {
        auto to = [&](const ExpressionPtr& side, size_t index) -> Result<ExpressionPtr> {
          if (side->type->id() != TypeId::kDate && !side->type->IsString())
            return UnexpectedInput(infix, index, "\"DATE\"", *side);
          return MakeCast(side, DataType::Date(), in.mode);
        };
        FRAZIL_ASSIGN_OR_RETURN(auto from, to(left, 0));
        FRAZIL_ASSIGN_OR_RETURN(auto until, to(right, 1));
        return Make(in, "subtract_dates", {from, until},
                    DataType::DayTimeInterval(IntervalField::kDay, IntervalField::kDay), infix);
      }
      if (is(l, TypeId::kTime) && right->type->IsString()) right = MakeCast(right, DataType::Time(), in.mode), r = l;
      if (is(r, TypeId::kTime) && left->type->IsString()) left = MakeCast(left, DataType::Time(), in.mode), l = r;
      if (is(l, TypeId::kTime) && is(r, TypeId::kTime)) {
        return Make(in, "subtract_times", {left, right},
                    DataType::DayTimeInterval(IntervalField::kHour, IntervalField::kSecond),
                    left->sql + " - " + right->sql);
      }
    }
    if (is(l, TypeId::kDate) || (add && is(r, TypeId::kDate))) {
      if (add && !is(l, TypeId::kDate)) std::swap(left, right);
      if (right->type->IsString()) {
        if (IsAnsi(in.call)) return ExpressionPtr();
        right = MakeCast(right, DataType::Double(), in.mode);
      }
      // Smaller integers only: days do not come as BIGINT.
      std::string name = add ? "date_add" : "date_sub";
      std::string sql = CallSql(name, {left, right});
      TypePattern days = OneOf({Int(), DataType::Short(), DataType::Byte()});
      if (!days.Accepts(*right->type)) return UnexpectedInput(sql, 1, days.sql(), *right);
      return Make(in, name, {left, MakeCast(right, DataType::Integer(), in.mode)}, DataType::Date(), sql);
    }
    return ExpressionPtr();
  }

  if (in.op == Operator::kMultiply || in.op == Operator::kDivide) {
    if (in.op == Operator::kMultiply && !IsInterval(*left->type) && IsInterval(*right->type)) std::swap(left, right);
    if (!IsInterval(*left->type)) return ExpressionPtr();
    infix = "(" + left->sql + " " + Symbol(in.op) + " " + right->sql + ")";
    TypePattern number = left->type->id() == TypeId::kCalendarInterval ? Double() : Numeric();
    DataTypePtr target = number.ImplicitTarget(right->type, IsAnsi(in.call));
    if (target == nullptr) return UnexpectedInput(infix, 1, number.sql(), *right);
    right = MakeCast(right, target, in.mode);
    DataTypePtr type = left->type->id() == TypeId::kYearMonthInterval ? DataType::YearMonthInterval()
                       : left->type->id() == TypeId::kDayTimeInterval ? DataType::DayTimeInterval()
                                                                      : left->type;
    bool divides = in.op == Operator::kDivide;
    return Make(in, divides ? "interval_divide" : "interval_multiply", {left, right}, type, infix,
                divides && in.mode != EvalMode::kAnsi);
  }
  if (in.op == Operator::kIntegralDivide && IsInterval(*left->type)) {
    if (l != r || is(l, TypeId::kCalendarInterval)) return ExpressionPtr();
    return Make(in, "interval_div", {left, right}, DataType::Long(), infix, in.mode != EvalMode::kAnsi);
  }
  return ExpressionPtr();
}

// A literal of an integral type gets just the digits it has.
DataTypePtr DecimalForOperand(const Expression& operand) {
  if (operand.kind == ExpressionKind::kLiteral && !operand.As<LiteralExpression>().value.is_null()) {
    int64_t value = operand.As<LiteralExpression>().value.integer();
    int digits = 1;
    for (int64_t rest = value / 10; rest != 0; rest /= 10) ++digits;
    return DataType::Decimal(digits, 0);
  }
  return DecimalForType(*operand.type);
}

const char* InputTypeSql(Operator op) {
  switch (op) {
    case Operator::kAdd:
    case Operator::kSubtract:
      return "(\"NUMERIC\" or \"INTERVAL DAY TO SECOND\" or \"INTERVAL YEAR TO MONTH\" or \"INTERVAL\")";
    case Operator::kMultiply:
    case Operator::kRemainder:
    case Operator::kPositiveModulo:
      return "\"NUMERIC\"";
    case Operator::kDivide:
      return "(\"DOUBLE\" or \"DECIMAL\")";
    case Operator::kIntegralDivide:
      return "(\"BIGINT\" or \"DECIMAL\" or \"INTERVAL YEAR TO MONTH\" or \"INTERVAL DAY TO SECOND\")";
  }
  return "\"NUMERIC\"";
}

Result<ExpressionPtr> BindArithmetic(Operands in) {
  bool ansi = IsAnsi(in.call);
  FRAZIL_ASSIGN_OR_RETURN(auto datetime, ResolveDatetime(in));
  if (datetime != nullptr) return datetime;

  std::string infix = "(" + in.left->sql + " " + Symbol(in.op) + " " + in.right->sql + ")";
  if (in.op == Operator::kPositiveModulo) infix = in.sql;
  const std::string& shown = in.named ? in.sql : infix;
  auto cast = [&](const ExpressionPtr& operand, const DataTypePtr& type) { return MakeCast(operand, type, in.mode); };

  if (ansi) {
    if (auto type = PromoteText(in.left->type, in.right->type)) {
      in.left = cast(in.left, type);
      in.right = cast(in.right, type);
      if (type->IsDatetime()) {
        FRAZIL_ASSIGN_OR_RETURN(auto again, ResolveDatetime(in));
        if (again != nullptr) return again;
      }
    }
  } else {
    if (in.left->type->IsString() && !IsInterval(*in.right->type)) in.left = cast(in.left, DataType::Double());
    if (in.right->type->IsString() && !IsInterval(*in.left->type)) in.right = cast(in.right, DataType::Double());
  }
  if (in.left->type->id() == TypeId::kNull && in.right->type->id() == TypeId::kNull) {
    DataTypePtr type = in.op == Operator::kIntegralDivide ? DataType::Long() : DataType::Double();
    in.left = cast(in.left, type);
    in.right = cast(in.right, type);
  } else if (in.left->type->id() == TypeId::kNull) {
    in.left = cast(in.left, in.right->type);
  } else if (in.right->type->id() == TypeId::kNull) {
    in.right = cast(in.right, in.left->type);
  }
  bool may_be_null =
      in.mode != EvalMode::kAnsi && (in.op == Operator::kDivide || in.op == Operator::kRemainder ||
                                     in.op == Operator::kIntegralDivide || in.op == Operator::kPositiveModulo);

  if (!in.left->type->IsNumeric() || !in.right->type->IsNumeric()) {
    if (!in.left->type->EqualsIgnoreNullability(*in.right->type)) {
      return Mismatch("BINARY_OP_DIFF_TYPES", shown,
                      {{"left", QuotedType(*in.left->type)}, {"right", QuotedType(*in.right->type)}});
    }
    return Mismatch("BINARY_OP_WRONG_TYPE", shown,
                    {{"inputType", InputTypeSql(in.op)}, {"actualDataType", QuotedType(*in.left->type)}});
  }

  bool any_decimal = in.left->type->id() == TypeId::kDecimal || in.right->type->id() == TypeId::kDecimal;
  if (any_decimal) {
    auto is_float = [](const ExpressionPtr& side) {
      return side->type->id() == TypeId::kFloat || side->type->id() == TypeId::kDouble;
    };
    if (is_float(in.left) || is_float(in.right)) {
      in.left = cast(in.left, DataType::Double());
      in.right = cast(in.right, DataType::Double());
      any_decimal = false;
    } else {
      if (in.left->type->IsIntegral()) in.left = cast(in.left, DecimalForOperand(*in.left));
      if (in.right->type->IsIntegral()) in.right = cast(in.right, DecimalForOperand(*in.right));
    }
  }
  DataTypePtr type;
  if (any_decimal) {
    const DataType& l = *in.left->type;
    const DataType& r = *in.right->type;
    bool loss = in.call.settings->allow_precision_loss;
    switch (in.op) {
      case Operator::kAdd:
      case Operator::kSubtract:
        type = DecimalAdd(l, r, loss);
        break;
      case Operator::kMultiply:
        type = DecimalMultiply(l, r, loss);
        break;
      case Operator::kDivide:
        type = DecimalDivide(l, r, loss);
        break;
      case Operator::kRemainder:
      case Operator::kPositiveModulo:
        type = DecimalRemainder(l, r, loss);
        break;
      case Operator::kIntegralDivide:
        type = DataType::Long();
        break;
    }
    may_be_null = may_be_null || in.mode != EvalMode::kAnsi;
  } else if (in.op == Operator::kDivide) {
    in.left = cast(in.left, DataType::Double());
    in.right = cast(in.right, DataType::Double());
    type = DataType::Double();
  } else if (in.op == Operator::kIntegralDivide) {
    if (!in.left->type->IsIntegral() || !in.right->type->IsIntegral()) {
      if (!in.left->type->EqualsIgnoreNullability(*in.right->type)) {
        auto common = TightestCommonType(in.left->type, in.right->type, ansi);
        in.left = cast(in.left, common);
        in.right = cast(in.right, common);
      }
      return Mismatch("BINARY_OP_WRONG_TYPE", shown,
                      {{"inputType", InputTypeSql(in.op)}, {"actualDataType", QuotedType(*in.left->type)}});
    }
    in.left = cast(in.left, DataType::Long());
    in.right = cast(in.right, DataType::Long());
    type = DataType::Long();
  } else {
    type = TightestCommonType(in.left->type, in.right->type, ansi);
    in.left = cast(in.left, type);
    in.right = cast(in.right, type);
  }
  // With ANSI a division by zero is an error, but Spark calls every quotient and remainder nullable all the same.
  may_be_null = may_be_null || in.op == Operator::kDivide || in.op == Operator::kIntegralDivide ||
                in.op == Operator::kRemainder || in.op == Operator::kPositiveModulo;
  return Make(in, Implementation(in.op), {in.left, in.right}, type, infix, may_be_null);
}

FunctionDefinition BinaryOperator(std::string name, Operator op, std::vector<std::string> aliases, std::string since,
                                  std::string usage, bool named = false, std::optional<EvalMode> mode = std::nullopt) {
  auto definition = Custom(std::move(name), 2, 2, [op, named, mode](const FunctionCall& call) {
    std::string sql = CallSql(call.name, call.arguments);
    // mod(a, b) shows as it was written, a % b as an operator.
    bool shows_name = named || (!call.name.empty() && call.name == "mod");
    return BindArithmetic(
        {call, op, mode.value_or(ModeOf(call)), sql, shows_name, call.arguments[0], call.arguments[1]});
  });
  definition.aliases = std::move(aliases);
  definition.since = std::move(since);
  definition.usage = std::move(usage);
  return definition;
}

// - (one operand or two).
Result<ExpressionPtr> BindMinus(const FunctionCall& call) {
  if (call.arguments.size() == 1) {
    FRAZIL_ASSIGN_OR_RETURN(auto negative, CallFunction(call, "negative", call.arguments));
    return WithSql(negative, "(- " + call.arguments[0]->sql + ")");
  }
  return BindArithmetic({call, Operator::kSubtract, ModeOf(call), "", false, call.arguments[0], call.arguments[1]});
}

Result<ExpressionPtr> BindPlus(const FunctionCall& call) {
  if (call.arguments.size() == 1) return CallFunction(call, "positive", call.arguments);
  return BindArithmetic({call, Operator::kAdd, ModeOf(call), "", false, call.arguments[0], call.arguments[1]});
}

TypePattern NumericOrInterval() {
  return OneOf({Numeric(), DayTime(), YearMonth(), TypePattern(DataType::CalendarInterval())});
}

// Text becomes DOUBLE; NULL too.
Result<ExpressionPtr> SignedOperand(const FunctionCall& call, const std::string& sql) {
  ExpressionPtr operand = call.arguments[0];
  if (operand->type->IsString() || operand->type->id() == TypeId::kNull)
    operand = CastTo(operand, DataType::Double(), call);
  TypePattern pattern = NumericOrInterval();
  if (!pattern.Accepts(*operand->type)) return UnexpectedInput(sql, 0, pattern.sql(), *operand);
  return operand;
}

}  // namespace

void AddArithmeticFunctions(FunctionList& list) {
  list.Group("math_funcs");
  auto plus = Custom("+", 1, 2, BindPlus);
  plus.usage = "Sum of two numbers, or a date or timestamp moved by an interval.";
  plus.since = "1.0.0";
  list.Add(plus);
  auto minus = Custom("-", 1, 2, BindMinus);
  minus.usage = "Difference of two numbers, dates or timestamps, or a date or timestamp moved back by an interval.";
  minus.since = "1.0.0";
  list.Add(minus);
  list.Add(
      BinaryOperator("*", Operator::kMultiply, {}, "1.0.0", "Product of two numbers, or of an interval and a number."));
  list.Add(
      BinaryOperator("/", Operator::kDivide, {}, "1.0.0", "Quotient as a fraction; integers become DOUBLE first."));
  list.Add(BinaryOperator("%", Operator::kRemainder, {"mod"}, "1.0.0",
                          "Remainder of a division, with the sign of the dividend."));
  list.Add(BinaryOperator("div", Operator::kIntegralDivide, {}, "3.0.0", "Quotient without its fraction, as BIGINT."));
  list.Add(BinaryOperator("pmod", Operator::kPositiveModulo, {}, "1.5.0",
                          "Remainder that is never negative for a positive divisor.", true));
  list.Add(BinaryOperator("try_add", Operator::kAdd, {}, "3.2.0", "As +, but NULL where it would overflow.", true,
                          EvalMode::kTry));
  list.Add(BinaryOperator("try_subtract", Operator::kSubtract, {}, "3.3.0", "As -, but NULL where it would overflow.",
                          true, EvalMode::kTry));
  list.Add(BinaryOperator("try_multiply", Operator::kMultiply, {}, "3.3.0", "As *, but NULL where it would overflow.",
                          true, EvalMode::kTry));
  list.Add(BinaryOperator("try_divide", Operator::kDivide, {}, "3.2.0", "As /, but NULL where the divisor is 0.", true,
                          EvalMode::kTry));
  list.Add(BinaryOperator("try_mod", Operator::kRemainder, {}, "4.0.0", "As %, but NULL where the divisor is 0.", true,
                          EvalMode::kTry));

  auto negative = Custom("negative", 1, 1, [](const FunctionCall& call) -> Result<ExpressionPtr> {
    std::string sql = call.is_operator ? "(- " + call.arguments[0]->sql + ")" : CallSql(call.name, call.arguments);
    FRAZIL_ASSIGN_OR_RETURN(auto operand, SignedOperand(call, sql));
    return MakeCall(IsInterval(*operand->type) ? "interval_negative" : "negative", {operand}, operand->type,
                    operand->nullable, ModeOf(call), sql);
  });
  negative.since = "1.5.0";
  negative.usage = "The number or interval with the other sign.";
  list.Add(negative);
  auto positive = Custom("positive", 1, 1, [](const FunctionCall& call) -> Result<ExpressionPtr> {
    std::string sql = "(+ " + call.arguments[0]->sql + ")";
    FRAZIL_ASSIGN_OR_RETURN(auto operand, SignedOperand(call, sql));
    return MakeCall("positive", {operand}, operand->type, operand->nullable, ModeOf(call), sql);
  });
  positive.since = "1.5.0";
  positive.usage = "The number or interval itself.";
  list.Add(positive);
  auto abs = Custom("abs", 1, 1, [](const FunctionCall& call) -> Result<ExpressionPtr> {
    std::string sql = CallSql(call.name, call.arguments);
    ExpressionPtr operand = call.arguments[0];
    if (operand->type->IsString() || operand->type->id() == TypeId::kNull)
      operand = CastTo(operand, DataType::Double(), call);
    TypePattern pattern = OneOf({Numeric(), DayTime(), YearMonth()});
    if (!pattern.Accepts(*operand->type)) return UnexpectedInput(sql, 0, pattern.sql(), *operand);
    return MakeCall(IsInterval(*operand->type) ? "interval_abs" : "abs", {operand}, operand->type, operand->nullable,
                    ModeOf(call), sql);
  });
  abs.since = "1.2.0";
  abs.usage = "The number or interval without its sign.";
  list.Add(abs);
}

}  // namespace frazil::functions
