// Functions that Spark itself has only with a further module: the same errors as without it.

#include "frazil/functions/list/topics.h"

namespace frazil::functions {
namespace {

FunctionDefinition NotLoaded(const char* name, const char* condition, int min_arguments, int max_arguments) {
  auto definition =
      Custom(name, min_arguments, max_arguments, [condition](const FunctionCall& call) -> Result<ExpressionPtr> {
        std::string upper = call.name;
        for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
        return Error::Of(condition, {{"functionName", upper}});
      });
  definition.group = "misc_funcs";
  definition.since = "4.0.0";
  definition.usage = "Needs a module that is not there.";
  return definition;
}

}  // namespace

void AddUnavailableFunctions(FunctionList& list) {
  for (const char* name : {"from_avro", "to_avro", "schema_of_avro"})
    list.Add(NotLoaded(name, "AVRO_NOT_LOADED_SQL_FUNCTIONS_UNUSABLE", 1, 3));
}

}  // namespace frazil::functions
