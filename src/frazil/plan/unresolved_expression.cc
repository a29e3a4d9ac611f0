#include "frazil/plan/unresolved_expression.h"

namespace frazil::plan {

ExprPtr MakeLiteralExpr(DataTypePtr type, Value value, Origin origin) {
  auto literal = std::make_shared<LiteralExpr>();
  literal->type = std::move(type);
  literal->value = std::move(value);
  literal->origin = std::move(origin);
  return literal;
}

ExprPtr MakeAttributeExpr(std::vector<std::string> name, Origin origin) {
  auto attribute = std::make_shared<AttributeExpr>();
  attribute->name = std::move(name);
  attribute->origin = std::move(origin);
  return attribute;
}

ExprPtr MakeFunctionExpr(std::string name, std::vector<ExprPtr> arguments, Origin origin, bool is_operator) {
  auto function = std::make_shared<FunctionExpr>();
  function->name.push_back(std::move(name));
  function->arguments = std::move(arguments);
  function->is_operator = is_operator;
  function->origin = std::move(origin);
  return function;
}

ExprPtr MakeAliasExpr(ExprPtr child, std::string name, Origin origin) {
  auto alias = std::make_shared<AliasExpr>();
  alias->child = std::move(child);
  alias->names.push_back(std::move(name));
  alias->origin = std::move(origin);
  return alias;
}

}  // namespace frazil::plan
