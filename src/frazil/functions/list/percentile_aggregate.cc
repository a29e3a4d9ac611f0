// Percentiles, median, mode and histograms.

#include "frazil/functions/constant.h"
#include "frazil/functions/list/topics.h"

namespace frazil::functions {
namespace {

const char* const kGroup = "agg_funcs";

FunctionDefinition Described(FunctionDefinition definition, std::string since, std::string usage,
                             std::vector<std::string> aliases = {}) {
  definition.function_class = FunctionClass::kAggregate;
  definition.since = std::move(since);
  definition.usage = std::move(usage);
  definition.aliases = std::move(aliases);
  definition.group = kGroup;
  return definition;
}

TypePattern Measurable() { return OneOf({Numeric(), YearMonth(), DayTime()}); }

// percentile of intervals is an interval, of numbers DOUBLE.
DataTypePtr PercentileType(const DataType& type) {
  if (type.id() == TypeId::kYearMonthInterval) return DataType::YearMonthInterval();
  if (type.id() == TypeId::kDayTimeInterval) return DataType::DayTimeInterval();
  return DataType::Double();
}

struct Percentages {
  ExpressionPtr expression;  ///< DOUBLE or ARRAY<DOUBLE>.
  bool is_array = false;
};

Result<Percentages> CheckPercentages(const FunctionCall& call, const std::string& sql, const ExpressionPtr& argument,
                                     size_t index) {
  TypePattern pattern = OneOf({Double(), ArrayOf(Double())});
  FRAZIL_ASSIGN_OR_RETURN(auto percentage, CoerceArgument(call, sql, argument, index, pattern));
  if (!IsFoldable(*percentage)) return NonFoldable(sql, "percentage", "DOUBLE", *argument);
  auto value = ConstantValue(*percentage);
  if (!value.has_value()) return Error::Unsupported("percentages of " + call.name + " that are not number literals");
  if (value->is_null()) return Mismatch("UNEXPECTED_NULL", sql, {{"exprName", "percentage"}});
  bool is_array = percentage->type->id() == TypeId::kArray;
  Value::List values = is_array ? value->list() : Value::List{*value};
  Arguments literals;
  for (const auto& one : values) {
    if (one.is_null() || !(one.float64() >= 0.0 && one.float64() <= 1.0)) {
      return Mismatch("VALUE_OUT_OF_RANGE", sql,
                      {{"exprName", "percentage"},
                       {"valueRange", "[0.0, 1.0]"},
                       {"currentValue", one.is_null() ? "NULL" : ValueToString(*DataType::Double(), one)}});
    }
    literals.push_back(MakeLiteral(DataType::Double(), one));
  }
  Percentages result;
  result.is_array = is_array;
  result.expression =
      is_array ? MakeCall("array", literals, DataType::Array(DataType::Double(), false), false) : literals[0];
  return result;
}

DataTypePtr WithArray(DataTypePtr type, bool is_array) {
  return is_array ? DataType::Array(std::move(type), false) : type;
}

Result<ExpressionPtr> BindPercentile(const FunctionCall& call) {
  Arguments arguments = call.arguments;
  if (arguments.size() == 2) arguments.push_back(LongLiteral(1));
  std::string sql = CallSql("percentile", arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto value, CoerceArgument(call, sql, arguments[0], 0, Measurable()));
  FRAZIL_ASSIGN_OR_RETURN(auto percentages, CheckPercentages(call, sql, arguments[1], 1));
  FRAZIL_ASSIGN_OR_RETURN(auto frequency, CoerceArgument(call, sql, arguments[2], 2, Integral()));
  DataTypePtr type = WithArray(PercentileType(*value->type), percentages.is_array);
  bool has_frequency = ConstantInteger(*frequency).value_or(0) != 1;
  Arguments taken = {value, percentages.expression};
  if (has_frequency) taken.push_back(CastTo(frequency, DataType::Long(), call));
  return MakeAggregate("percentile", std::move(taken), type, true, call, sql);
}

Result<ExpressionPtr> BindMedian(const FunctionCall& call) {
  std::string sql = CallSql(call.name, call.arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto value, CoerceArgument(call, sql, call.arguments[0], 0, Measurable()));
  return MakeAggregate("percentile", {value, MakeLiteral(DataType::Double(), Value(0.5))}, PercentileType(*value->type),
                       true, call, sql);
}

// percentile_cont(p) WITHIN GROUP (ORDER BY value [DESC]).
Result<ExpressionPtr> BindInverseDistribution(const FunctionCall& call) {
  std::string sql = CallSql(call.name, call.arguments);
  if (call.within_group.empty()) {
    return Error::Of("INVALID_WITHIN_GROUP_EXPRESSION.WITHIN_GROUP_MISSING",
                     {{"funcName", QuoteIdentifier(call.name)}});
  }
  if (call.within_group.size() != 1) {
    return Error::Of("INVALID_WITHIN_GROUP_EXPRESSION.WRONG_NUM_ORDERINGS",
                     {{"funcName", QuoteIdentifier(call.name)},
                      {"expectedNum", "1"},
                      {"actualNum", std::to_string(call.within_group.size())}});
  }
  if (call.distinct)
    return Error::Of("INVALID_WITHIN_GROUP_EXPRESSION.DISTINCT_UNSUPPORTED",
                     {{"funcName", QuoteIdentifier(call.name)}});
  const SortKey& key = call.within_group[0];
  sql += " WITHIN GROUP (ORDER BY " + key.expression->sql + (key.ascending ? "" : " DESC") + ")";
  FRAZIL_ASSIGN_OR_RETURN(auto value, CoerceArgument(call, sql, key.expression, 0, Measurable()));
  FRAZIL_ASSIGN_OR_RETURN(auto percentages, CheckPercentages(call, sql, call.arguments[0], 1));
  DataTypePtr type = WithArray(PercentileType(*value->type), percentages.is_array);
  FunctionCall without_order = call;
  without_order.within_group.clear();
  std::string function = call.name == "percentile_cont" ? "percentile" : "percentile_disc";
  if (!key.ascending) function += "_descending";
  return MakeAggregate(function, {value, percentages.expression}, type, true, without_order, sql);
}

Result<ExpressionPtr> BindApproxPercentile(const FunctionCall& call) {
  Arguments arguments = call.arguments;
  if (arguments.size() == 2) arguments.push_back(IntLiteral(10000));
  std::string sql = CallSql(call.name, arguments);
  TypePattern value_pattern =
      OneOf({Numeric(), Date(), Timestamp(), TypePattern(DataType::TimestampNtz()), YearMonth(), DayTime()});
  FRAZIL_ASSIGN_OR_RETURN(auto value, CoerceArgument(call, sql, arguments[0], 0, value_pattern));
  FRAZIL_ASSIGN_OR_RETURN(auto accuracy, CoerceArgument(call, sql, arguments[2], 2, Integral()));
  if (!IsFoldable(*accuracy)) return NonFoldable(sql, "accuracy", "BIGINT", *arguments[2]);
  auto accuracy_value = ConstantInteger(*accuracy);
  if (!accuracy_value.has_value()) return Mismatch("UNEXPECTED_NULL", sql, {{"exprName", "accuracy"}});
  if (*accuracy_value <= 0 || *accuracy_value > INT32_MAX) {
    return Mismatch("VALUE_OUT_OF_RANGE", sql,
                    {{"exprName", "accuracy"},
                     {"valueRange", "(0, 2147483647]"},
                     {"currentValue", std::to_string(*accuracy_value)}});
  }
  FRAZIL_ASSIGN_OR_RETURN(auto percentages, CheckPercentages(call, sql, arguments[1], 1));
  DataTypePtr type = WithArray(value->type, percentages.is_array);
  return MakeAggregate("approx_percentile", {value, percentages.expression}, type, true, call, sql);
}

// mode(x), mode(x, deterministic), mode() WITHIN GROUP (ORDER BY x).
Result<ExpressionPtr> BindMode(const FunctionCall& call) {
  if (!call.within_group.empty()) {
    if (!call.arguments.empty()) {
      return Error::Of(
          "INVALID_WITHIN_GROUP_EXPRESSION.WRONG_NUM_ORDERINGS",
          {{"funcName", "`mode`"}, {"expectedNum", "0"}, {"actualNum", std::to_string(call.within_group.size())}});
    }
    if (call.distinct)
      return Error::Of("INVALID_WITHIN_GROUP_EXPRESSION.DISTINCT_UNSUPPORTED", {{"funcName", "`mode`"}});
    if (call.within_group.size() != 1) {
      return Error::Of(
          "INVALID_WITHIN_GROUP_EXPRESSION.WRONG_NUM_ORDERINGS",
          {{"funcName", "`mode`"}, {"expectedNum", "1"}, {"actualNum", std::to_string(call.within_group.size())}});
    }
    if (call.distinct)
      return Error::Of("INVALID_WITHIN_GROUP_EXPRESSION.DISTINCT_UNSUPPORTED", {{"funcName", "`mode`"}});
    const SortKey& key = call.within_group[0];
    FunctionCall without_order = call;
    without_order.within_group.clear();
    std::string sql = "mode() WITHIN GROUP (ORDER BY " + key.expression->sql + (key.ascending ? " DESC" : "") + ")";
    return MakeAggregate(key.ascending ? "mode_least" : "mode_greatest", {key.expression}, key.expression->type, true,
                         without_order, sql);
  }
  if (call.arguments.empty()) {
    return Error::Of("INVALID_WITHIN_GROUP_EXPRESSION.WITHIN_GROUP_MISSING", {{"funcName", "`mode`"}});
  }
  if (call.distinct) return Error::Of("INVALID_WITHIN_GROUP_EXPRESSION.DISTINCT_UNSUPPORTED", {{"funcName", "`mode`"}});
  std::string sql = CallSql("mode", {call.arguments[0]});
  bool deterministic = false;
  if (call.arguments.size() == 2) {
    if (!IsFoldable(*call.arguments[1])) {
      return Error::Of("NON_FOLDABLE_ARGUMENT",
                       {{"funcName", "`mode`"}, {"paramName", "`deterministic`"}, {"paramType", "\"BOOLEAN\""}});
    }
    auto flag = ConstantBoolean(*call.arguments[1]);
    if (!flag.has_value()) {
      if (call.arguments[1]->type->id() == TypeId::kBoolean || call.arguments[1]->type->id() == TypeId::kNull)
        return Mismatch("UNEXPECTED_NULL", sql, {{"exprName", "deterministic"}});
      return Error::Of("UNEXPECTED_INPUT_TYPE", {{"functionName", "`mode`"},
                                                 {"paramIndex", "second"},
                                                 {"requiredType", "\"BOOLEAN\""},
                                                 {"inputSql", "\"" + call.arguments[1]->sql + "\""},
                                                 {"inputType", QuotedType(*call.arguments[1]->type)}});
    }
    deterministic = *flag;
  }
  if (deterministic) sql = "mode() WITHIN GROUP (ORDER BY " + call.arguments[0]->sql + " DESC)";
  return MakeAggregate(deterministic ? "mode_least" : "mode", {call.arguments[0]}, call.arguments[0]->type, true, call,
                       sql);
}

Result<ExpressionPtr> BindHistogram(const FunctionCall& call) {
  std::string sql = CallSql(call.name, call.arguments);
  TypePattern value_pattern =
      OneOf({Numeric(), Date(), Timestamp(), TypePattern(DataType::TimestampNtz()), YearMonth(), DayTime()});
  FRAZIL_ASSIGN_OR_RETURN(auto value, CoerceArgument(call, sql, call.arguments[0], 0, value_pattern));
  FRAZIL_ASSIGN_OR_RETURN(auto bins, CoerceArgument(call, sql, call.arguments[1], 1, Int()));
  if (!IsFoldable(*bins)) return NonFoldable(sql, "nb", "INT", *call.arguments[1]);
  auto count = ConstantInteger(*bins);
  if (!count.has_value()) return Mismatch("UNEXPECTED_NULL", sql, {{"exprName", "nb"}});
  if (*count < 2)
    return Mismatch("VALUE_OUT_OF_RANGE", sql,
                    {{"exprName", "nb"}, {"valueRange", "[2, 2147483647]"}, {"currentValue", std::to_string(*count)}});
  DataTypePtr type = DataType::Array(
      DataType::Struct({StructField("x", value->type, true), StructField("y", DataType::Double(), true)}), true);
  return MakeAggregate("histogram_numeric", {value, bins}, type, true, call, sql);
}

}  // namespace

void AddPercentileAggregates(FunctionList& list) {
  list.Add(Described(Custom("percentile", 2, 3, BindPercentile), "2.1.0", "Exact percentiles, interpolated."));
  list.Add(Described(Custom("median", 1, 1, BindMedian), "3.4.0", "The median, interpolated."));
  list.Add(Described(Custom("percentile_cont", 1, 1, BindInverseDistribution), "4.0.0",
                     "Exact percentiles, interpolated, with WITHIN GROUP."));
  list.Add(Described(Custom("percentile_disc", 1, 1, BindInverseDistribution), "4.0.0",
                     "Exact percentiles out of the values, with WITHIN GROUP."));
  list.Add(Described(Custom("percentile_approx", 2, 3, BindApproxPercentile), "2.1.0", "Percentiles out of the values.",
                     {"approx_percentile"}));
  list.Add(Described(Custom("mode", 0, 2, BindMode), "3.4.0", "The value that occurs most often."));
  list.Add(
      Described(Custom("histogram_numeric", 2, 2, BindHistogram), "3.3.0", "A histogram with at most that many bars."));
}

}  // namespace frazil::functions
