// Sketches: about how many distinct values (HLL, Theta), how often (count-min), which quantiles (KLL).
// https://spark.apache.org/docs/latest/sql-ref-sketch-aggregates.html

#include <cmath>

#include "frazil/functions/constant.h"
#include "frazil/functions/list/topics.h"

namespace frazil::functions {
namespace {

const char* const kGroup = "agg_funcs";
const char* const kScalarGroup = "misc_funcs";

FunctionDefinition Described(FunctionDefinition definition, FunctionClass function_class, std::string since,
                             std::string usage) {
  definition.function_class = function_class;
  definition.group = function_class == FunctionClass::kAggregate ? kGroup : kScalarGroup;
  definition.since = std::move(since);
  definition.usage = std::move(usage);
  return definition;
}

// The size of a sketch, which must be a constant: its conditions and bounds.
struct SizeRule {
  const char* must_be_constant;
  const char* out_of_range;
  int minimum, maximum;
};
constexpr SizeRule kHllSize = {"HLL_K_MUST_BE_CONSTANT", "HLL_INVALID_LG_K", 4, 21};
constexpr SizeRule kThetaSize = {"THETA_LG_NOM_ENTRIES_MUST_BE_CONSTANT", "THETA_INVALID_LG_NOM_ENTRIES", 4, 26};

Result<ExpressionPtr> ConstantSize(const FunctionCall& call, const Expression& size, const SizeRule& rule) {
  if (!IsFoldable(size)) return Error::Of(rule.must_be_constant, {{"function", QuoteIdentifier(call.name)}});
  const int64_t value = ConstantInteger(size).value_or(0);
  if (value < rule.minimum || value > rule.maximum) {
    return Error::Of(rule.out_of_range, {{"function", QuoteIdentifier(call.name)},
                                         {"min", std::to_string(rule.minimum)},
                                         {"max", std::to_string(rule.maximum)},
                                         {"value", std::to_string(value)}});
  }
  return IntLiteral(static_cast<int>(value));
}

Status RefuseCollation(const FunctionCall& call, const DataType& type) {
  if (!type.IsString() || type.collation().empty()) return Status::Ok();
  return Error::Unsupported(call.name + " under the collation " + type.collation());
}

// hll_sketch_agg, theta_sketch_agg, theta_union_agg: (value, size = 12).
FunctionDefinition SizedAggregate(std::string name, TypePattern value, SizeRule rule, std::string since,
                                  std::string usage) {
  auto bind = [value = value.Strict(), rule](const FunctionCall& call) -> Result<ExpressionPtr> {
    Arguments arguments = call.arguments;
    if (arguments.size() == 1) arguments.push_back(IntLiteral(12));
    const std::string sql = CallSql(call.name, arguments);
    FRAZIL_ASSIGN_OR_RETURN(arguments, CoerceArguments(call, sql, std::move(arguments), {value, Int().Strict()}));
    FRAZIL_RETURN_IF_ERROR(RefuseCollation(call, *arguments[0]->type));
    FRAZIL_ASSIGN_OR_RETURN(arguments[1], ConstantSize(call, *arguments[1], rule));
    return MakeAggregate(call.name, std::move(arguments), DataType::Binary(), false, call, sql);
  };
  return Described(Custom(std::move(name), 1, 2, std::move(bind)), FunctionClass::kAggregate, std::move(since),
                   std::move(usage));
}

Result<ExpressionPtr> BindHllUnionAgg(const FunctionCall& call) {
  Arguments arguments = call.arguments;
  if (arguments.size() == 1) arguments.push_back(BoolLiteral(false));
  const std::string sql = CallSql(call.name, arguments);
  FRAZIL_ASSIGN_OR_RETURN(arguments,
                          CoerceArguments(call, sql, std::move(arguments), {Bytes().Strict(), Bool().Strict()}));
  if (!IsFoldable(*arguments[1])) return Error::Unsupported("hll_union_agg with a flag that is no constant");
  arguments[1] = BoolLiteral(ConstantBoolean(*arguments[1]).value_or(false));
  return MakeAggregate(call.name, std::move(arguments), DataType::Binary(), false, call, sql);
}

// A constant of count_min_sketch.
Result<Value> CountMinConstant(const std::string& sql, const Expression& argument, const char* name, const char* type) {
  if (!IsFoldable(argument)) return NonFoldable(sql, name, type, argument);
  auto value = ConstantValue(argument);
  if (!value.has_value()) return Error::Unsupported("count_min_sketch with a parameter that is no number literal");
  if (value->is_null()) return Mismatch("UNEXPECTED_NULL", sql, {{"exprName", name}});
  return *value;
}

Result<ExpressionPtr> BindCountMin(const FunctionCall& call) {
  const std::string sql = CallSql(call.name, call.arguments);
  const std::vector<TypePattern> patterns = {OneOf({Integral(), Text(), Bytes()}).Strict(), Double().Strict(),
                                             Double().Strict(), Int().Strict()};
  FRAZIL_ASSIGN_OR_RETURN(auto arguments, CoerceArguments(call, sql, call.arguments, patterns));
  FRAZIL_RETURN_IF_ERROR(RefuseCollation(call, *arguments[0]->type));
  FRAZIL_ASSIGN_OR_RETURN(const Value eps, CountMinConstant(sql, *arguments[1], "eps", "DOUBLE"));
  FRAZIL_ASSIGN_OR_RETURN(const Value confidence, CountMinConstant(sql, *arguments[2], "confidence", "DOUBLE"));
  FRAZIL_ASSIGN_OR_RETURN(const Value seed, CountMinConstant(sql, *arguments[3], "seed", "INT"));
  const auto out_of_range = [&](const char* name, const char* range, const Value& value) {
    return Mismatch(
        "VALUE_OUT_OF_RANGE", sql,
        {{"exprName", name}, {"valueRange", range}, {"currentValue", ValueToString(*DataType::Double(), value)}});
  };
  if (!(eps.float64() > 0.0)) return out_of_range("eps", "(0.0, positiveInfinity)", eps);
  if (!(confidence.float64() > 0.0 && confidence.float64() < 1.0))
    return out_of_range("confidence", "(0.0, 1.0)", confidence);
  // The table has 2 / eps times log2(1 / (1 - confidence)) counts: 128 MiB at most.
  const double counts = std::ceil(2 / eps.float64()) * std::ceil(-std::log2(1 - confidence.float64()));
  if (!(counts <= (1 << 24))) return Error::Unsupported("count_min_sketch of more than 16777216 counts");
  arguments[1] = MakeLiteral(DataType::Double(), eps);
  arguments[2] = MakeLiteral(DataType::Double(), confidence);
  arguments[3] = MakeLiteral(DataType::Integer(), seed);
  return MakeAggregate(call.name, std::move(arguments), DataType::Binary(), false, call, sql);
}

// --- KLL -------------------------------------------------------------------------------------------------------------

constexpr int kMinK = 8, kMaxK = 65535, kDefaultK = 200;

Result<ExpressionPtr> ConstantK(const FunctionCall& call, const std::string& sql, const Expression& argument) {
  if (!IsFoldable(argument)) {
    return Mismatch("NON_FOLDABLE_INPUT", sql,
                    {{"inputName", "k"}, {"inputType", argument.type->SimpleString()}, {"inputExpr", argument.sql}});
  }
  const auto value = ConstantInteger(argument);
  if (!value.has_value()) return Mismatch("UNEXPECTED_NULL", sql, {{"exprName", "k"}});
  if (*value < kMinK || *value > kMaxK) {
    const Error reason = Error::Of("KLL_SKETCH_K_OUT_OF_RANGE",
                                   {{"functionName", QuoteIdentifier(call.name)}, {"k", std::to_string(*value)}});
    return Mismatch("TYPE_CHECK_FAILURE_WITH_HINT", sql, {{"msg", reason.message}, {"hint", ""}});
  }
  return IntLiteral(static_cast<int>(*value));
}

// kll_sketch_agg_*, kll_merge_agg_*: (value[, k]).
FunctionDefinition KllAggregate(std::string name, TypePattern value, int default_k, std::string since,
                                std::string usage) {
  auto bind = [value = value.Strict(), default_k](const FunctionCall& call) -> Result<ExpressionPtr> {
    const std::string sql = CallSql(call.name, call.arguments);
    FRAZIL_ASSIGN_OR_RETURN(auto arguments, CoerceArguments(call, sql, call.arguments, {value, Int().Strict()}));
    if (arguments.size() == 1) {
      arguments.push_back(IntLiteral(default_k));
    } else {
      FRAZIL_ASSIGN_OR_RETURN(arguments[1], ConstantK(call, sql, *arguments[1]));
    }
    return MakeAggregate(call.name, std::move(arguments), DataType::Binary(), false, call, sql);
  };
  return Described(Custom(std::move(name), 1, 2, std::move(bind)), FunctionClass::kAggregate, std::move(since),
                   std::move(usage));
}

// kll_sketch_get_quantile_*, kll_sketch_get_rank_*: (sketch, one or several).
FunctionDefinition KllLookup(std::string name, DataTypePtr asked, DataTypePtr answer, const char* asked_name,
                             std::string usage) {
  auto bind = [asked, answer, asked_name](const FunctionCall& call) -> Result<ExpressionPtr> {
    const std::string sql = CallSql(call.name, call.arguments);
    const TypePattern one_or_more = OneOf({TypePattern(asked), ArrayOf(TypePattern(asked))});
    FRAZIL_ASSIGN_OR_RETURN(auto arguments, CoerceArguments(call, sql, call.arguments, {Bytes(), one_or_more}));
    if (!IsFoldable(*arguments[1])) {
      return Mismatch("NON_FOLDABLE_INPUT", sql,
                      {{"inputName", QuoteIdentifier(asked_name)},
                       {"inputType", QuotedType(*arguments[1]->type)},
                       {"inputExpr", QuotedSql(arguments[1]->sql)}});
    }
    const bool is_list = arguments[1]->type->id() == TypeId::kArray;
    const bool nullable = AnyNullable(arguments);
    return MakeCall(call.name + (is_list ? "_list" : ""), std::move(arguments),
                    is_list ? DataType::Array(answer, true) : answer, nullable, ModeOf(call), sql);
  };
  return Described(Custom(std::move(name), 2, 2, std::move(bind)), FunctionClass::kScalar, "4.1.0", std::move(usage));
}

void AddKll(FunctionList& list, const std::string& suffix, TypePattern value, const DataTypePtr& type) {
  list.Add(KllAggregate("kll_sketch_agg_" + suffix, std::move(value), kDefaultK, "4.1.0",
                        "A KLL sketch of the numbers; k is its size."));
  list.Add(KllAggregate("kll_merge_agg_" + suffix, Bytes(), 0, "4.1.2",
                        "KLL sketches merged; k is the size of the result, by default that of the first."));
  list.Add(Scalar("kll_sketch_merge_" + suffix, {Bytes(), Bytes()}, DataType::Binary())
               .Group(kScalarGroup, "4.1.0", "Two KLL sketches merged."));
  list.Add(Scalar("kll_sketch_get_n_" + suffix, {Bytes()}, DataType::Long())
               .Group(kScalarGroup, "4.1.0", "How many numbers a KLL sketch was made of."));
  list.Add(Scalar("kll_sketch_to_string_" + suffix, {Bytes()}, DataType::String())
               .Group(kScalarGroup, "4.1.0", "A summary of a KLL sketch, for people."));
  list.Add(KllLookup("kll_sketch_get_quantile_" + suffix, DataType::Double(), type, "rank",
                     "The number at which a share of the numbers of a KLL sketch lies, or several of them."));
  list.Add(KllLookup("kll_sketch_get_rank_" + suffix, type, DataType::Double(), "quantile",
                     "The share of the numbers of a KLL sketch that lie at or below a number, or several of them."));
}

}  // namespace

void AddSketchFunctions(FunctionList& list) {
  const auto integer = DataType::Integer(), bigint = DataType::Long();
  list.Add(SizedAggregate("hll_sketch_agg", OneOf({Int(), Long(), Text(), Bytes()}), kHllSize, "3.5.0",
                          "A HyperLogLog sketch of the values, with 2^lgConfigK buckets."));
  list.Add(Described(Custom("hll_union_agg", 1, 2, BindHllUnionAgg), FunctionClass::kAggregate, "3.5.0",
                     "HyperLogLog sketches merged."));
  list.Add(Scalar("hll_union", {Bytes().Strict(), Bytes().Strict(), Bool().Strict()}, DataType::Binary())
               .Defaults({BoolLiteral(false)})
               .Group(kScalarGroup, "3.5.0", "Two HyperLogLog sketches merged."));
  list.Add(Scalar("hll_sketch_estimate", {Bytes().Strict()}, DataType::Long())
               .Group(kScalarGroup, "3.5.0", "About how many distinct values a HyperLogLog sketch was made of."));
  list.Add(SizedAggregate("theta_sketch_agg",
                          OneOf({DataType::Array(integer), DataType::Array(bigint), Bytes(), Double(),
                                 DataType::Float(), Int(), Long(), Text()}),
                          kThetaSize, "4.1.0", "A Theta sketch of the values, with 2^lgNomEntries entries."));
  list.Add(SizedAggregate("theta_union_agg", Bytes(), kThetaSize, "4.1.0", "Theta sketches merged."));
  list.Add(Aggregate("theta_intersection_agg", {Bytes().Strict()}, DataType::Binary())
               .Nulls(NullRule::kNever)
               .Group(kGroup, "4.1.0", "A Theta sketch of the values that are in all sketches."));
  list.Add(Scalar("theta_union", {Bytes().Strict(), Bytes().Strict(), Int().Strict()}, DataType::Binary())
               .Defaults({IntLiteral(12)})
               .Group(kScalarGroup, "4.1.0", "Two Theta sketches merged."));
  list.Add(Scalar("theta_intersection", {Bytes().Strict(), Bytes().Strict()}, DataType::Binary())
               .Group(kScalarGroup, "4.1.0", "A Theta sketch of the values that are in both sketches."));
  list.Add(
      Scalar("theta_difference", {Bytes().Strict(), Bytes().Strict()}, DataType::Binary())
          .Group(kScalarGroup, "4.1.0", "A Theta sketch of the first sketch's values that are not in the second."));
  list.Add(Scalar("theta_sketch_estimate", {Bytes().Strict()}, DataType::Long())
               .Group(kScalarGroup, "4.1.0", "About how many distinct values a Theta sketch was made of."));
  list.Add(Described(Custom("count_min_sketch", 4, 4, BindCountMin), FunctionClass::kAggregate, "2.2.0",
                     "A count-min sketch of the values: relative error, confidence, seed."));
  AddKll(list, "bigint", OneOf({DataType::Byte(), Int(), Long(), DataType::Short()}), DataType::Long());
  AddKll(list, "float", DataType::Float(), DataType::Float());
  AddKll(list, "double", OneOf({DataType::Float(), Double()}), DataType::Double());
}

}  // namespace frazil::functions
