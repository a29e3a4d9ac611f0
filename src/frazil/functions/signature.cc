#include "frazil/functions/signature.h"

#include <algorithm>

#include "frazil/base/text.h"

namespace frazil::functions {

// --- patterns
// -----------------------------------------------------------------------------------------------------------------------------------------------

namespace {

using Kind = TypePattern::Kind;

TypePattern Named(Kind kind, std::string_view name) { return TypePattern(kind, "\"" + std::string(name) + "\""); }

}  // namespace

TypePattern AnyType() { return Named(Kind::kAny, "ANY"); }
TypePattern Text() { return Named(Kind::kText, "STRING"); }
TypePattern Bytes() { return DataType::Binary(); }
TypePattern Bool() { return DataType::Boolean(); }
TypePattern Int() { return DataType::Integer(); }
TypePattern Long() { return DataType::Long(); }
TypePattern Double() { return DataType::Double(); }
TypePattern Numeric() { return Named(Kind::kNumeric, "NUMERIC"); }
TypePattern Integral() { return Named(Kind::kIntegral, "INTEGRAL"); }
TypePattern AnyDecimal() { return Named(Kind::kDecimal, "DECIMAL"); }
TypePattern Date() { return DataType::Date(); }
TypePattern Timestamp() { return DataType::Timestamp(); }
TypePattern AnyTimestamp() {
  return TypePattern(Kind::kAnyTimestamp, "(\"TIMESTAMP_LTZ\" or \"TIMESTAMP WITHOUT TIME ZONE\")");
}
TypePattern Time() { return Named(Kind::kTime, "TIME"); }
TypePattern YearMonth() { return Named(Kind::kYearMonth, "INTERVAL YEAR TO MONTH"); }
TypePattern DayTime() { return Named(Kind::kDayTime, "INTERVAL DAY TO SECOND"); }
TypePattern AnyArray() { return Named(Kind::kArray, "ARRAY"); }
TypePattern AnyMap() { return Named(Kind::kMap, "MAP"); }
TypePattern AnyStruct() { return Named(Kind::kStruct, "STRUCT"); }
TypePattern Ordered() { return Named(Kind::kOrdered, "ORDERED"); }
TypePattern TextOrBytes() { return OneOf({Text(), Bytes()}); }

TypePattern OneOf(std::vector<TypePattern> alternatives) {
  std::string sql = "(";
  for (size_t i = 0; i < alternatives.size(); ++i) {
    if (i > 0) sql += " or ";
    sql += alternatives[i].sql();
  }
  TypePattern pattern(Kind::kOneOf, sql + ")");
  pattern.alternatives_ = std::move(alternatives);
  return pattern;
}

TypePattern ArrayOf(TypePattern element) {
  std::string inner = element.sql();
  inner.erase(std::remove(inner.begin(), inner.end(), '"'), inner.end());
  TypePattern pattern = Named(Kind::kArray, "ARRAY<" + inner + ">");
  pattern.alternatives_ = {std::move(element)};
  return pattern;
}

TypePattern TypePattern::Strict() const {
  TypePattern copy = *this;
  copy.strict_ = true;
  return copy;
}

bool TypePattern::Accepts(const DataType& type) const {
  switch (kind_) {
    case Kind::kExact:
      return type.EqualsIgnoreNullability(*type_);
    case Kind::kAny:
      return true;
    case Kind::kNumeric:
      return type.IsNumeric();
    case Kind::kIntegral:
      return type.IsIntegral();
    case Kind::kDecimal:
      return type.id() == TypeId::kDecimal;
    case Kind::kText:
      return type.IsString();
    case Kind::kAnyTimestamp:
      return type.id() == TypeId::kTimestamp || type.id() == TypeId::kTimestampNtz;
    case Kind::kArray:
      return type.id() == TypeId::kArray && (alternatives_.empty() || alternatives_[0].Accepts(*type.element_type()));
    case Kind::kMap:
      return type.id() == TypeId::kMap;
    case Kind::kStruct:
      return type.id() == TypeId::kStruct;
    case Kind::kYearMonth:
      return type.id() == TypeId::kYearMonthInterval;
    case Kind::kDayTime:
      return type.id() == TypeId::kDayTimeInterval;
    case Kind::kTime:
      return type.id() == TypeId::kTime;
    case Kind::kOrdered:
      return IsOrderable(type);
    case Kind::kOneOf:
      return std::any_of(alternatives_.begin(), alternatives_.end(),
                         [&](const TypePattern& pattern) { return pattern.Accepts(type); });
  }
  return false;
}

DataTypePtr TypePattern::DefaultType() const {
  switch (kind_) {
    case Kind::kExact:
      return type_;
    case Kind::kAny:
    case Kind::kOrdered:
      return DataType::Null();
    case Kind::kNumeric:
      return DataType::Double();
    case Kind::kIntegral:
      return DataType::Integer();
    case Kind::kDecimal:
      return DataType::Decimal(38, 18);
    case Kind::kText:
      return DataType::String();
    case Kind::kAnyTimestamp:
      return DataType::Timestamp();
    case Kind::kArray:
      return DataType::Array(alternatives_.empty() ? DataType::Null() : alternatives_[0].DefaultType());
    case Kind::kMap:
      return DataType::Map(DataType::Null(), DataType::Null());
    case Kind::kStruct:
      return DataType::Struct({});
    case Kind::kYearMonth:
      return DataType::YearMonthInterval();
    case Kind::kDayTime:
      return DataType::DayTimeInterval();
    case Kind::kTime:
      return DataType::Time();
    case Kind::kOneOf:
      return alternatives_[0].DefaultType();
  }
  return DataType::Null();
}

DataTypePtr TypePattern::ImplicitTarget(const DataTypePtr& from, bool ansi) const {
  if (Accepts(*from)) return from;
  if (from->id() == TypeId::kNull) return DefaultType();
  if (strict_) return nullptr;
  switch (kind_) {
    case Kind::kAny:
      return from;
    case Kind::kExact: {
      const DataType& target = *type_;
      if (from->IsString()) {
        if (target.IsNumeric() || target.IsDatetime() || target.id() == TypeId::kBinary || target.id() == TypeId::kTime)
          return type_;
        if (ansi && (target.id() == TypeId::kBoolean || target.IsAnsiInterval())) return type_;
        if (!ansi && target.IsAnsiInterval()) return type_;
        return nullptr;
      }
      if (from->IsNumeric() && target.IsNumeric()) return type_;
      if (from->IsDatetime() && target.IsDatetime()) return type_;
      if (target.id() == TypeId::kBinary || target.id() == TypeId::kBoolean) return nullptr;
      if (target.id() == TypeId::kArray && from->id() == TypeId::kArray) {
        auto element = TypePattern(target.element_type()).ImplicitTarget(from->element_type(), ansi);
        if (element != nullptr && element->EqualsIgnoreNullability(*target.element_type())) return type_;
        return nullptr;
      }
      if (from->id() == target.id() && (from->IsAnsiInterval() || from->id() == TypeId::kTime)) return type_;
      if (from->id() == TypeId::kMap && target.id() == TypeId::kMap) {
        bool keys = TypePattern(target.key_type()).ImplicitTarget(from->key_type(), ansi) != nullptr;
        bool values = TypePattern(target.value_type()).ImplicitTarget(from->value_type(), ansi) != nullptr;
        return keys && values ? type_ : nullptr;
      }
      return nullptr;
    }
    case Kind::kNumeric:
      return from->IsString() ? DataType::Double() : nullptr;
    case Kind::kIntegral:
      return nullptr;
    case Kind::kDecimal:
      if (from->IsNumeric()) return DecimalForType(*from);
      return from->IsString() ? DataType::Decimal(38, 18) : nullptr;
    case Kind::kText:
      if (from->IsComplex() || from->id() == TypeId::kCalendarInterval || from->id() == TypeId::kVariant ||
          from->id() == TypeId::kGeometry || from->id() == TypeId::kGeography)
        return nullptr;
      return DataType::String();
    case Kind::kAnyTimestamp:
      return from->IsString() || from->id() == TypeId::kDate ? DataType::Timestamp() : nullptr;
    case Kind::kArray:
      if (from->id() == TypeId::kArray && !alternatives_.empty()) {
        auto element = alternatives_[0].ImplicitTarget(from->element_type(), ansi);
        if (element != nullptr) return DataType::Array(element, from->contains_null());
      }
      return nullptr;
    case Kind::kTime:
      return from->IsString() ? DataType::Time() : nullptr;
    case Kind::kYearMonth:
      return from->IsString() ? DataType::YearMonthInterval() : nullptr;
    case Kind::kDayTime:
      return from->IsString() ? DataType::DayTimeInterval() : nullptr;
    case Kind::kMap:
    case Kind::kStruct:
    case Kind::kOrdered:
      return nullptr;
    case Kind::kOneOf:
      for (const auto& alternative : alternatives_) {
        if (auto target = alternative.ImplicitTarget(from, ansi)) return target;
      }
      return nullptr;
  }
  return nullptr;
}

// --- rules
// ----------------------------------------------------------------------------------------------------------------------------------------------------

TypeRule Fixed(DataTypePtr type) {
  return [type = std::move(type)](const Arguments&) -> Result<DataTypePtr> { return type; };
}

TypeRule SameAs(size_t index) {
  return [index](const Arguments& arguments) -> Result<DataTypePtr> { return WithoutLength(arguments[index]->type); };
}

bool AnyNullable(const Arguments& arguments) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const ExpressionPtr& argument) { return argument->nullable; });
}

std::string CallSql(const std::string& name, const Arguments& arguments) {
  std::string sql = name + "(";
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) sql += ", ";
    sql += arguments[i]->sql;
  }
  return sql + ")";
}

ExpressionPtr CastTo(ExpressionPtr expression, const DataTypePtr& type, const FunctionCall& call) {
  return MakeCast(std::move(expression), type, ModeOf(call));
}

ExpressionPtr IntLiteral(int value) { return MakeLiteral(DataType::Integer(), Value(value)); }
ExpressionPtr LongLiteral(int64_t value) { return MakeLiteral(DataType::Long(), Value(value)); }
ExpressionPtr TextLiteral(std::string value) { return MakeLiteral(DataType::String(), Value(std::move(value))); }
ExpressionPtr TextLiteral(std::string value, std::string sql) {
  return WithSql(TextLiteral(std::move(value)), std::move(sql));
}
ExpressionPtr BoolLiteral(bool value) { return MakeLiteral(DataType::Boolean(), Value(value)); }

ExpressionPtr MakeAggregate(std::string function, Arguments arguments, DataTypePtr type, bool nullable,
                            const FunctionCall& call, std::string sql, bool ignore_nulls) {
  auto aggregate = std::make_shared<AggregateExpression>();
  aggregate->function = std::move(function);
  aggregate->arguments = std::move(arguments);
  aggregate->type = std::move(type);
  aggregate->nullable = nullable;
  aggregate->distinct = call.distinct;
  aggregate->ignore_nulls = ignore_nulls;
  aggregate->order_by = call.within_group;
  aggregate->mode = ModeOf(call);
  if (call.distinct) {
    size_t open = sql.find('(');
    if (open != std::string::npos) sql.insert(open + 1, "DISTINCT ");
  }
  aggregate->sql = std::move(sql);
  return aggregate;
}

// --- errors
// ---------------------------------------------------------------------------------------------------------------------------------------------------

std::string QuotedSql(const std::string& sql) { return "\"" + sql + "\""; }
std::string QuotedType(const DataType& type) { return "\"" + type.Sql() + "\""; }

std::string Ordinal(size_t index) {
  static constexpr const char* kNames[] = {"first", "second",  "third",  "fourth", "fifth",
                                           "sixth", "seventh", "eighth", "ninth",  "tenth"};
  return index < std::size(kNames) ? kNames[index] : std::to_string(index + 1) + "th";
}

Error Mismatch(std::string_view sub_condition, const std::string& sql, Error::Parameters parameters) {
  parameters.insert(parameters.begin(), {"sqlExpr", QuotedSql(sql)});
  return Error::Of("DATATYPE_MISMATCH." + std::string(sub_condition), std::move(parameters));
}

Error UnexpectedInput(const std::string& sql, size_t index, const std::string& required, const Expression& argument) {
  return Mismatch("UNEXPECTED_INPUT_TYPE", sql,
                  {{"paramIndex", Ordinal(index)},
                   {"requiredType", required},
                   {"inputSql", QuotedSql(argument.sql)},
                   {"inputType", QuotedType(*argument.type)}});
}

Error WrongArgumentCount(const std::string& name, const std::string& expected, size_t actual) {
  return Error::Of("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", {{"functionName", QuoteIdentifier(name)},
                                                         {"expectedNum", expected},
                                                         {"actualNum", std::to_string(actual)},
                                                         {"docroot", "https://spark.apache.org/docs/latest"}});
}

Error NonFoldable(const std::string& sql, const std::string& input_name, const std::string& input_type,
                  const Expression& input) {
  return Mismatch("NON_FOLDABLE_INPUT", sql,
                  {{"inputName", QuoteIdentifier(input_name)},
                   {"inputType", "\"" + input_type + "\""},
                   {"inputExpr", QuotedSql(input.sql)}});
}

// --- coercion
// -------------------------------------------------------------------------------------------------------------------------------------------------

Result<ExpressionPtr> CoerceArgument(const FunctionCall& call, const std::string& sql, ExpressionPtr argument,
                                     size_t index, const TypePattern& pattern) {
  if (argument->kind == ExpressionKind::kLambda) return argument;
  auto target = pattern.ImplicitTarget(argument->type, IsAnsi(call));
  if (target == nullptr) return UnexpectedInput(sql, index, pattern.sql(), *argument);
  return CastTo(std::move(argument), target, call);
}

Result<Arguments> CoerceArguments(const FunctionCall& call, const std::string& sql, Arguments arguments,
                                  const std::vector<TypePattern>& patterns) {
  for (size_t i = 0; i < arguments.size() && !patterns.empty(); ++i) {
    const TypePattern& pattern = patterns[std::min(i, patterns.size() - 1)];
    FRAZIL_ASSIGN_OR_RETURN(arguments[i], CoerceArgument(call, sql, std::move(arguments[i]), i, pattern));
  }
  return arguments;
}

Result<Arguments> CoerceToCommonType(const FunctionCall& call, const std::string& sql, Arguments arguments) {
  std::vector<DataTypePtr> types;
  for (const auto& argument : arguments) types.push_back(argument->type);
  auto common = WiderCommonType(types, IsAnsi(call));
  if (common == nullptr) {
    std::vector<std::string> names;
    for (const auto& type : types) names.push_back(QuotedType(*type));
    return Mismatch("DATA_DIFF_TYPES", sql,
                    {{"functionName", QuoteIdentifier(call.name)}, {"dataType", "(" + Join(names, " or ") + ")"}});
  }
  common = WithoutLength(common);
  for (auto& argument : arguments) argument = CastTo(std::move(argument), common, call);
  return arguments;
}

Result<ExpressionPtr> CallFunction(const FunctionCall& call, std::string_view name, Arguments arguments) {
  const FunctionDefinition* function = FindFunction(name);
  if (function == nullptr) return Error::Internal("function " + std::string(name) + " is not in the list");
  FunctionCall inner;
  inner.name = std::string(name);
  inner.arguments = std::move(arguments);
  inner.settings = call.settings;
  return BindFunction(*function, inner);
}

// --- entries
// --------------------------------------------------------------------------------------------------------------------------------------------------

struct Entry::State {
  FunctionDefinition definition;
  std::vector<TypePattern> patterns;
  TypeRule result;
  std::string shown_name;
  bool shown_upper = false;
  int optional = 0;
  Arguments defaults;
  bool variadic = false;
  NullRule nulls = NullRule::kAnyNull;
  std::string implementation;
  std::optional<EvalMode> mode;
  CheckRule check;
  MakeRule make;
};

Entry::Entry(FunctionClass function_class, std::string name, std::vector<TypePattern> patterns, TypeRule result)
    : state_(std::make_shared<State>()) {
  state_->definition.name = name;
  state_->definition.function_class = function_class;
  state_->implementation = std::move(name);
  state_->patterns = std::move(patterns);
  state_->result = std::move(result);
  state_->definition.min_arguments = state_->definition.max_arguments = static_cast<int>(state_->patterns.size());
  if (function_class != FunctionClass::kScalar) state_->nulls = NullRule::kAlways;
}

Entry& Entry::Group(std::string group, std::string since, std::string usage) {
  state_->definition.group = std::move(group);
  state_->definition.since = std::move(since);
  state_->definition.usage = std::move(usage);
  return *this;
}
Entry& Entry::Alias(std::vector<std::string> names) {
  state_->definition.aliases = std::move(names);
  return *this;
}
Entry& Entry::ShowAs(std::string name) {
  state_->shown_name = std::move(name);
  return *this;
}
Entry& Entry::ShowUpper() {
  state_->shown_upper = true;
  return *this;
}
Entry& Entry::Optional(int count) {
  state_->definition.min_arguments = state_->definition.max_arguments - count;
  return *this;
}
Entry& Entry::Defaults(Arguments values) {
  state_->definition.min_arguments = state_->definition.max_arguments - static_cast<int>(values.size());
  state_->defaults = std::move(values);
  return *this;
}
Entry& Entry::Variadic(int min_arguments) {
  state_->definition.min_arguments = min_arguments;
  state_->definition.max_arguments = -1;
  state_->variadic = true;
  return *this;
}
Entry& Entry::Nulls(NullRule rule) {
  state_->nulls = rule;
  return *this;
}
Entry& Entry::Calls(std::string implementation) {
  state_->implementation = std::move(implementation);
  return *this;
}
Entry& Entry::Mode(EvalMode mode) {
  state_->mode = mode;
  return *this;
}
Entry& Entry::Parameters(std::vector<std::string> names) {
  state_->definition.parameter_names = std::move(names);
  return *this;
}
Entry& Entry::Check(CheckRule rule) {
  state_->check = std::move(rule);
  return *this;
}
Entry& Entry::Makes(MakeRule rule) {
  state_->make = std::move(rule);
  return *this;
}
Entry& Entry::Lambdas(LambdaTypes types) {
  state_->definition.lambda_types = std::move(types);
  return *this;
}

FunctionDefinition Entry::Build() const {
  FunctionDefinition definition = state_->definition;
  definition.bind = [state = state_](const FunctionCall& call) -> Result<ExpressionPtr> {
    Arguments arguments = call.arguments;
    size_t wanted = state->patterns.size();
    if (!state->variadic && !state->defaults.empty()) {
      size_t first_default = wanted - state->defaults.size();
      for (size_t i = arguments.size(); i < wanted; ++i) arguments.push_back(state->defaults[i - first_default]);
    }
    // Named arguments leave gaps where an optional one was not given.
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i] != nullptr) continue;
      size_t first_default = wanted - state->defaults.size();
      if (i >= first_default && i - first_default < state->defaults.size()) {
        arguments[i] = state->defaults[i - first_default];
      } else {
        return Error::Of("REQUIRED_PARAMETER_NOT_FOUND",
                         {{"routineName", QuoteIdentifier(call.name)},
                          {"parameterName", QuoteIdentifier(i < state->definition.parameter_names.size()
                                                                ? state->definition.parameter_names[i]
                                                                : "")},
                          {"index", std::to_string(i)}});
      }
    }
    std::string shown = state->shown_name.empty() ? call.name : state->shown_name;
    if (state->shown_upper) shown = AsciiUpper(shown);
    std::string sql = CallSql(shown, arguments);
    FRAZIL_ASSIGN_OR_RETURN(arguments, CoerceArguments(call, sql, std::move(arguments), state->patterns));
    if (state->check) FRAZIL_RETURN_IF_ERROR(state->check(call, arguments));
    if (state->make) return state->make(call, std::move(arguments), sql);
    FRAZIL_ASSIGN_OR_RETURN(DataTypePtr type, state->result(arguments));
    bool nullable = state->nulls == NullRule::kAlways || (state->nulls == NullRule::kAnyNull && AnyNullable(arguments));
    EvalMode mode = state->mode.value_or(ModeOf(call));
    switch (state->definition.function_class) {
      case FunctionClass::kAggregate: {
        auto expression = MakeAggregate(state->implementation, std::move(arguments), std::move(type), nullable, call,
                                        std::move(sql), call.ignore_nulls.value_or(false));
        if (state->mode) {
          auto copy = std::make_shared<AggregateExpression>(expression->As<AggregateExpression>());
          copy->mode = *state->mode;
          return ExpressionPtr(std::move(copy));
        }
        return expression;
      }
      case FunctionClass::kWindow: {
        auto window = std::make_shared<WindowExpression>();
        window->function = state->implementation;
        window->arguments = std::move(arguments);
        window->type = std::move(type);
        window->nullable = nullable;
        window->ignore_nulls = call.ignore_nulls.value_or(false);
        window->mode = mode;
        window->sql = std::move(sql);
        return ExpressionPtr(std::move(window));
      }
      case FunctionClass::kScalar:
      case FunctionClass::kGenerator:
      case FunctionClass::kTable:
        break;
    }
    return MakeCall(state->implementation, std::move(arguments), std::move(type), nullable, mode, std::move(sql));
  };
  return definition;
}

Entry Scalar(std::string name, std::vector<TypePattern> patterns, TypeRule result) {
  return Entry(FunctionClass::kScalar, std::move(name), std::move(patterns), std::move(result));
}
Entry Scalar(std::string name, std::vector<TypePattern> patterns, DataTypePtr result) {
  return Scalar(std::move(name), std::move(patterns), Fixed(std::move(result)));
}
Entry Aggregate(std::string name, std::vector<TypePattern> patterns, TypeRule result) {
  return Entry(FunctionClass::kAggregate, std::move(name), std::move(patterns), std::move(result));
}
Entry Aggregate(std::string name, std::vector<TypePattern> patterns, DataTypePtr result) {
  return Aggregate(std::move(name), std::move(patterns), Fixed(std::move(result)));
}
Entry Window(std::string name, std::vector<TypePattern> patterns, TypeRule result) {
  return Entry(FunctionClass::kWindow, std::move(name), std::move(patterns), std::move(result));
}

FunctionDefinition Custom(std::string name, int min_arguments, int max_arguments, BindRule bind) {
  FunctionDefinition definition;
  definition.name = std::move(name);
  definition.min_arguments = min_arguments;
  definition.max_arguments = max_arguments;
  definition.bind = std::move(bind);
  return definition;
}

void FunctionList::Add(FunctionDefinition definition) {
  if (definition.group.empty()) definition.group = group_;
  definitions_.push_back(std::move(definition));
}

}  // namespace frazil::functions
