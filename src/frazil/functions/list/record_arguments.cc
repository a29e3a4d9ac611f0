#include "frazil/functions/list/record_arguments.h"

#include "frazil/functions/constant.h"
#include "frazil/functions/schema_text.h"
#include "frazil/functions/text_options.h"

namespace frazil::functions {

Result<ExpressionPtr> OptionsArgument(const FunctionCall& call, size_t index) {
  std::map<std::string, std::string> options;
  if (call.arguments.size() > index) {
    const auto& argument = *call.arguments[index];
    bool is_map = argument.type->id() == TypeId::kMap && argument.kind == ExpressionKind::kCall &&
                  argument.As<CallExpression>().function == "map";
    if (!is_map) return Error::Of("INVALID_OPTIONS.NON_MAP_FUNCTION");
    auto constant = ConstantOptions(argument);
    if (!constant.has_value())
      return Error::Of("INVALID_OPTIONS.NON_STRING_TYPE", {{"mapType", QuotedType(*argument.type)}});
    options = *constant;
  }
  return TextLiteral(OptionsJson(options));
}

std::map<std::string, std::string> OptionsOf(const FunctionCall& call, size_t index) {
  if (call.arguments.size() <= index) return {};
  return ConstantOptions(*call.arguments[index]).value_or(std::map<std::string, std::string>());
}

Result<DataTypePtr> SchemaArgument(const ExpressionPtr& argument) {
  auto text = ConstantText(*argument);
  if (!text.has_value()) {
    return Error::Of("INVALID_SCHEMA.NON_STRING_LITERAL", {{"inputSchema", QuotedSql(argument->sql)}});
  }
  return ParseSchemaText(*text);
}

}  // namespace frazil::functions
