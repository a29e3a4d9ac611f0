// VARIANT values.

#include "frazil/functions/constant.h"
#include "frazil/functions/list/topics.h"
#include "frazil/functions/schema_text.h"

namespace frazil::functions {
namespace {

const char* const kGroup = "variant_funcs";

Result<ExpressionPtr> BindGet(const FunctionCall& call) {
  bool is_try = call.name == "try_variant_get";
  std::string sql = CallSql(call.name, {call.arguments[0], call.arguments[1]});
  if (call.arguments[0]->type->id() != TypeId::kVariant && call.arguments[0]->type->id() != TypeId::kNull)
    return UnexpectedInput(sql, 0, "\"VARIANT\"", *call.arguments[0]);
  FRAZIL_ASSIGN_OR_RETURN(const auto path, CoerceArgument(call, sql, call.arguments[1], 1, Text()));
  DataTypePtr type = DataType::Variant();
  if (call.arguments.size() == 3) {
    auto text = ConstantText(*call.arguments[2]);
    if (!text.has_value()) return NonFoldable(sql, "type", "STRING", *call.arguments[2]);
    FRAZIL_ASSIGN_OR_RETURN(type, ParseSchemaText(*text));
  }
  ExpressionPtr variant =
      call.arguments[0]->type->id() == TypeId::kNull ? MakeNull(DataType::Variant()) : call.arguments[0];
  return MakeCall("variant_get", {variant, path}, type, true, is_try ? EvalMode::kTry : EvalMode::kAnsi, sql);
}

FunctionDefinition Described(FunctionDefinition definition, std::string usage,
                             std::vector<std::string> parameters = {}) {
  definition.group = kGroup;
  definition.since = "4.0.0";
  definition.usage = std::move(usage);
  definition.parameter_names = std::move(parameters);
  return definition;
}

}  // namespace

void AddVariantFunctions(FunctionList& list) {
  TypePattern variant(DataType::Variant());
  list.Add(Scalar("parse_json", {Text()}, DataType::Variant())
               .Mode(EvalMode::kAnsi)
               .Group(kGroup, "4.0.0", "JSON text as a variant."));
  list.Add(Scalar("try_parse_json", {Text()}, DataType::Variant())
               .Calls("parse_json")
               .Mode(EvalMode::kTry)
               .Nulls(NullRule::kAlways)
               .Group(kGroup, "4.0.0", "JSON text as a variant; NULL where it is malformed."));
  list.Add(Scalar("is_variant_null", {variant.Strict()}, DataType::Boolean())
               .Nulls(NullRule::kNever)
               .Group(kGroup, "4.0.0", "Whether the variant is JSON's null."));
  list.Add(Scalar("schema_of_variant", {variant.Strict()}, DataType::String())
               .Group(kGroup, "4.0.0", "The type of a variant."));
  list.Add(Aggregate("schema_of_variant_agg", {variant.Strict()}, DataType::String())
               .Nulls(NullRule::kNever)
               .Group("agg_funcs", "4.0.0", "The type that holds all variants."));
  list.Add(Described(Custom("variant_get", 2, 3, BindGet), "The part of a variant at a path, cast to a type."));
  list.Add(Described(Custom("try_variant_get", 2, 3, BindGet), "As variant_get; NULL where the cast fails."));
  list.Add(Described(Custom("to_variant_object", 1, 1,
                            [](const FunctionCall& call) -> Result<ExpressionPtr> {
                              std::string sql = CallSql("to_variant_object", call.arguments);
                              const auto& value = call.arguments[0];
                              if (!value->type->IsComplex()) {
                                return Mismatch("CAST_WITHOUT_SUGGESTION", sql,
                                                {{"srcType", QuotedType(*value->type)}, {"targetType", "\"VARIANT\""}});
                              }
                              return MakeCall("to_variant_object", {value}, DataType::Variant(), value->nullable,
                                              ModeOf(call), sql);
                            }),
                     "A struct, array or map as a variant."));
}

}  // namespace frazil::functions
