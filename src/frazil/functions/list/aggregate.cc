// Aggregates: sums, counts, extremes, collections.
// https://spark.apache.org/docs/latest/api/sql/#aggregate-functions

#include <algorithm>

#include "frazil/base/text.h"
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

TypePattern Summable() { return OneOf({Numeric(), YearMonth(), DayTime()}); }

Result<DataTypePtr> SumType(const Arguments& arguments) {
  const DataType& type = *arguments[0]->type;
  if (type.id() == TypeId::kDecimal) return BoundedDecimal(type.precision() + 10, type.scale());
  if (type.IsIntegral()) return DataType::Long();
  if (type.IsAnsiInterval()) return arguments[0]->type;
  return DataType::Double();
}

Result<DataTypePtr> AverageType(const Arguments& arguments) {
  const DataType& type = *arguments[0]->type;
  if (type.id() == TypeId::kDecimal) return BoundedDecimal(type.precision() + 4, type.scale() + 4);
  if (type.id() == TypeId::kYearMonthInterval) return DataType::YearMonthInterval();
  if (type.id() == TypeId::kDayTimeInterval) return DataType::DayTimeInterval();
  return DataType::Double();
}

Result<ExpressionPtr> BindCount(const FunctionCall& call) {
  // count(*) comes as count(1).
  constexpr const char* kLegacy = "spark.sql.legacy.allowParameterlessCount";
  const auto allowed = call.settings->lookup ? call.settings->lookup(kLegacy) : std::nullopt;
  if (call.arguments.empty() && !EqualsIgnoreCase(allowed.value_or("false"), "true")) {
    return Error::Of("WRONG_NUM_ARGS.WITH_SUGGESTION", {{"functionName", QuoteIdentifier("count")},
                                                        {"expectedNum", " >= 1"},
                                                        {"actualNum", "0"},
                                                        {"legacyNum", "0"},
                                                        {"legacyConfKey", "\"" + std::string(kLegacy) + "\""},
                                                        {"legacyConfValue", "\"true\""}});
  }
  std::string sql = CallSql(call.name, call.arguments);
  // The legacy count() counts nothing.
  Arguments arguments = call.arguments;
  if (arguments.empty()) arguments.push_back(MakeNull(DataType::Integer()));
  return MakeAggregate("count", arguments, DataType::Long(), false, call, sql);
}

CheckRule MustBeOrdered(size_t index) {
  return [index](const FunctionCall& call, const Arguments& arguments) -> Status {
    if (IsOrderable(*arguments[index]->type)) return Status::Ok();
    return Mismatch("INVALID_ORDERING_TYPE", CallSql(call.name, arguments),
                    {{"functionName", QuoteIdentifier(call.name)}, {"dataType", QuotedType(*arguments[index]->type)}});
  };
}

// first, last, any_value: the second argument says whether NULLs are passed over.
FunctionDefinition Position(std::string name, std::string implementation, std::string since, std::string usage,
                            std::vector<std::string> aliases = {}) {
  return Described(Custom(name, 1, 2,
                          [name, implementation](const FunctionCall& call) -> Result<ExpressionPtr> {
                            bool ignore_nulls = call.ignore_nulls.value_or(false);
                            // IGNORE NULLS makes Spark forget the alias.
                            std::string sql = CallSql(ignore_nulls ? name : call.name, {call.arguments[0]});
                            if (call.arguments.size() == 2) {
                              if (!IsFoldable(*call.arguments[1]))
                                return NonFoldable(sql, "ignoreNulls", "BOOLEAN", *call.arguments[1]);
                              auto flag = ConstantBoolean(*call.arguments[1]);
                              if (call.arguments[1]->type->id() != TypeId::kBoolean)
                                return UnexpectedInput(sql, 1, "\"BOOLEAN\"", *call.arguments[1]);
                              if (!flag.has_value())
                                return Mismatch("UNEXPECTED_NULL", sql, {{"exprName", "ignoreNulls"}});
                              ignore_nulls = *flag;
                            }
                            return MakeAggregate(implementation, {call.arguments[0]}, call.arguments[0]->type, true,
                                                 call, sql, ignore_nulls);
                          }),
                   std::move(since), std::move(usage), std::move(aliases));
}

FunctionDefinition Collect(std::string name, bool is_set, std::string usage, std::vector<std::string> aliases = {}) {
  return Described(Custom(name, 1, 1,
                          [name, is_set](const FunctionCall& call) -> Result<ExpressionPtr> {
                            std::string sql = CallSql(name, call.arguments);
                            const auto& type = call.arguments[0]->type;
                            if (is_set && ContainsMap(*type)) {
                              return Mismatch("UNSUPPORTED_INPUT_TYPE", sql,
                                              {{"functionName", QuoteIdentifier(name)}, {"dataType", "\"MAP\""}});
                            }
                            return MakeAggregate(name, call.arguments, DataType::Array(type, false), false, call, sql,
                                                 !call.ignore_nulls.has_value() || *call.ignore_nulls);
                          }),
                   "2.0.0", std::move(usage), std::move(aliases));
}

std::string WithinGroupSql(const FunctionCall& call) {
  std::string sql = " WITHIN GROUP (ORDER BY ";
  for (size_t i = 0; i < call.within_group.size(); ++i) {
    const SortKey& key = call.within_group[i];
    if (i > 0) sql += ", ";
    sql +=
        key.expression->sql + (key.ascending ? " ASC" : " DESC") + (key.nulls_first ? " NULLS FIRST" : " NULLS LAST");
  }
  return sql + ")";
}

Result<ExpressionPtr> BindListAgg(const FunctionCall& call) {
  Arguments arguments = call.arguments;
  if (arguments.size() == 1) arguments.push_back(MakeNull(DataType::Null()));
  // WITHIN GROUP shows the function under its first name.
  std::string sql = CallSql(call.within_group.empty() ? call.name : "listagg", arguments);
  TypePattern value = arguments[0]->type->id() == TypeId::kBinary ? Bytes() : Text();
  std::string original = arguments[0]->sql;
  bool was_text = value.Accepts(*arguments[0]->type);
  FRAZIL_ASSIGN_OR_RETURN(arguments, CoerceArguments(call, sql, std::move(arguments), {value}));
  if (!IsFoldable(*arguments[1])) return NonFoldable(sql, "delimiter", "STRING", *arguments[1]);
  if (call.distinct && !call.within_group.empty()) {
    bool same = call.within_group.size() == 1 && (call.within_group[0].expression->sql == original);
    if (!same || !was_text) {
      return Error::Of("INVALID_WITHIN_GROUP_EXPRESSION.MISMATCH_WITH_DISTINCT_INPUT",
                       {{"funcName", QuoteIdentifier(call.name)},
                        {"funcArg", arguments[0]->sql},
                        {"orderingExpr", call.within_group[0].expression->sql}});
    }
  }
  DataTypePtr type = WithoutLength(arguments[0]->type);
  auto expression = MakeAggregate("listagg", arguments, type, true, call, sql);
  return call.within_group.empty() ? expression : WithSql(expression, expression->sql + WithinGroupSql(call));
}

Result<ExpressionPtr> BindApproxCountDistinct(const FunctionCall& call) {
  std::string sql = CallSql(call.name, {call.arguments[0]});
  double deviation = 0.05;
  if (call.arguments.size() == 2) {
    if (!IsFoldable(*call.arguments[1])) return NonFoldable(sql, "relativeSD", "DOUBLE", *call.arguments[1]);
    auto value = ConstantValue(*MakeCast(call.arguments[1], DataType::Double(), EvalMode::kAnsi));
    if (!value.has_value() || value->is_null()) return Mismatch("UNEXPECTED_NULL", sql, {{"exprName", "relativeSD"}});
    deviation = value->float64();
    if (!(deviation > 0.00001 && deviation <= 0.39)) {
      return Mismatch(
          "VALUE_OUT_OF_RANGE", sql,
          {{"exprName", "relativeSD"}, {"valueRange", "(0.0, 0.39]"}, {"currentValue", std::to_string(deviation)}});
    }
  }
  Arguments arguments = {call.arguments[0], MakeLiteral(DataType::Double(), Value(deviation))};
  return MakeAggregate("approx_count_distinct", arguments, DataType::Long(), false, call, sql);
}

Result<ExpressionPtr> BindExtremeBy(const FunctionCall& call) {
  std::string sql = CallSql(call.name, call.arguments);
  const auto& key = call.arguments[1];
  if (!IsOrderable(*key->type))
    return Mismatch("INVALID_ORDERING_TYPE", sql,
                    {{"functionName", QuoteIdentifier(call.name)}, {"dataType", QuotedType(*key->type)}});
  return MakeAggregate(call.name, call.arguments, call.arguments[0]->type, true, call, sql);
}

}  // namespace

void AddAggregateFunctions(FunctionList& list) {
  list.Group(kGroup);
  list.Add(Described(Custom("count", 0, -1, BindCount), "1.0.0",
                     "Number of rows, or of rows in which no argument is NULL."));
  list.Add(Aggregate("sum", {Summable()}, SumType).Group(kGroup, "1.0.0", "Sum."));
  list.Add(Aggregate("try_sum", {Summable()}, SumType)
               .Calls("sum")
               .Mode(EvalMode::kTry)
               .Group(kGroup, "3.3.0", "Sum; NULL where it would overflow."));
  list.Add(Aggregate("avg", {Summable()}, AverageType).Alias({"mean"}).Group(kGroup, "1.0.0", "Mean."));
  list.Add(Aggregate("try_avg", {Summable()}, AverageType)
               .Calls("avg")
               .Mode(EvalMode::kTry)
               .Group(kGroup, "3.3.0", "Mean; NULL where it would overflow."));
  list.Add(Aggregate("min", {AnyType()}, SameAs(0)).Check(MustBeOrdered(0)).Group(kGroup, "1.0.0", "Least value."));
  list.Add(Aggregate("max", {AnyType()}, SameAs(0)).Check(MustBeOrdered(0)).Group(kGroup, "1.0.0", "Greatest value."));
  list.Add(Described(Custom("max_by", 2, 2, BindExtremeBy), "3.0.0",
                     "The first value in the row with the greatest second value."));
  list.Add(Described(Custom("min_by", 2, 2, BindExtremeBy), "3.0.0",
                     "The first value in the row with the least second value."));
  list.Add(Position("first", "first", "2.0.0", "A value of the first row.", {"first_value"}));
  list.Add(Position("last", "last", "2.0.0", "A value of the last row.", {"last_value"}));
  list.Add(Position("any_value", "first", "3.4.0", "A value of some row."));
  list.Add(Collect("collect_list", false, "All values but NULL as an array.", {"array_agg"}));
  list.Add(Collect("collect_set", true, "The distinct values but NULL as an array."));
  list.Add(Aggregate("count_if", {Bool().Strict()}, DataType::Long())
               .Nulls(NullRule::kNever)
               .Group(kGroup, "3.0.0", "Number of rows in which the condition is true."));
  list.Add(Aggregate("bool_and", {Bool()}, DataType::Boolean())
               .Alias({"every"})
               .Group(kGroup, "3.0.0", "Whether all are true."));
  list.Add(Aggregate("bool_or", {Bool()}, DataType::Boolean())
               .Alias({"any", "some"})
               .Group(kGroup, "3.0.0", "Whether one is true."));
  list.Add(Aggregate("bit_and", {Integral().Strict()}, SameAs(0)).Group(kGroup, "3.0.0", "Bits set in all numbers."));
  list.Add(Aggregate("bit_or", {Integral().Strict()}, SameAs(0)).Group(kGroup, "3.0.0", "Bits set in any number."));
  list.Add(Aggregate("bit_xor", {Integral().Strict()}, SameAs(0))
               .Group(kGroup, "3.0.0", "Bits set in an odd count of numbers."));
  list.Add(Described(Custom("listagg", 1, 2, BindListAgg), "4.0.0", "Texts joined by a delimiter.", {"string_agg"}));
  list.Add(Described(Custom("approx_count_distinct", 1, 2, BindApproxCountDistinct), "1.6.0",
                     "About how many distinct values there are."));
}

}  // namespace frazil::functions
