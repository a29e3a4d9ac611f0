#include <algorithm>
#include <map>
#include <set>

#include "frazil/base/text.h"
#include "frazil/functions/function.h"
#include "frazil/functions/internal_functions.h"
#include "frazil/functions/list/topics.h"
#include "frazil/functions/signature.h"

namespace frazil::functions {
namespace {

struct Registry {
  std::vector<FunctionDefinition> definitions;
  std::map<std::string, const FunctionDefinition*, std::less<>> by_name;
  std::vector<const FunctionDefinition*> all;

  explicit Registry(void (*add)(FunctionList&)) {
    FunctionList list;
    add(list);
    definitions = list.Take();
    for (const auto& definition : definitions) {
      by_name.emplace(definition.name, &definition);
      for (const auto& alias : definition.aliases) by_name.emplace(alias, &definition);
      all.push_back(&definition);
    }
    std::sort(all.begin(), all.end(), [](const auto* left, const auto* right) { return left->name < right->name; });
  }
};

const Registry& TheRegistry() {
  static const Registry registry(AddAllFunctions);
  return registry;
}

const FunctionDefinition* Find(const Registry& registry, std::string_view name) {
  const auto found = registry.by_name.find(name);
  return found == registry.by_name.end() ? nullptr : found->second;
}

std::string ExpectedCount(const FunctionDefinition& function) {
  if (function.max_arguments < 0) return "> " + std::to_string(function.min_arguments - 1);
  if (function.max_arguments == function.min_arguments) return std::to_string(function.min_arguments);
  std::string text = "[";
  for (int i = function.min_arguments; i <= function.max_arguments; ++i) {
    if (i > function.min_arguments) text += ", ";
    text += std::to_string(i);
  }
  return text + "]";
}

}  // namespace

const FunctionDefinition* FindFunction(std::string_view name) { return Find(TheRegistry(), name); }

const FunctionDefinition* FindInternalFunction(std::string_view name) {
  static const Registry registry(AddInternalFunctions);
  return Find(registry, name);
}

const std::vector<const FunctionDefinition*>& AllFunctions() { return TheRegistry().all; }

Result<ExpressionPtr> BindFunction(const FunctionDefinition& function, const FunctionCall& call) {
  int count = static_cast<int>(call.arguments.size());
  if (count < function.min_arguments || (function.max_arguments >= 0 && count > function.max_arguments)) {
    return WrongArgumentCount(call.name, ExpectedCount(function), call.arguments.size());
  }
  bool takes_nulls_clause =
      function.function_class == FunctionClass::kWindow || function.function_class == FunctionClass::kAggregate;
  auto unsupported = [&](const char* syntax) {
    return Error::Of("INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
                     {{"prettyName", QuoteIdentifier(call.name)}, {"syntax", syntax}});
  };
  if (call.distinct && function.function_class != FunctionClass::kAggregate) return unsupported("DISTINCT");
  if (call.ignore_nulls.has_value() && !takes_nulls_clause) return unsupported("IGNORE NULLS");
  static const std::set<std::string_view> kOrdered = {"listagg", "mode", "percentile_cont", "percentile_disc"};
  if (!call.within_group.empty() && kOrdered.count(function.name) == 0)
    return unsupported("WITHIN GROUP (ORDER BY ...)");
  return function.bind(call);
}

ExpressionPtr Coerce(ExpressionPtr expression, const DataTypePtr& type, const ExpressionSettings& settings) {
  return MakeCast(std::move(expression), type, settings.eval_mode());
}

}  // namespace frazil::functions
