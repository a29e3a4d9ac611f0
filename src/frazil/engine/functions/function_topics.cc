// The one list of topics: a topic file is linked in here, and nowhere else.

#include "frazil/engine/functions/cast.h"
#include "frazil/engine/functions/core_functions.h"
#include "frazil/engine/functions/python_function.h"
#include "frazil/engine/functions/spark_functions.h"

namespace frazil::engine {

void RegisterAllFunctions(FunctionLoweringRegistry& registry) {
  RegisterOperators(registry);
  RegisterConditionsAndAccess(registry);
  RegisterHigherOrderFunctions(registry);
  registry.AddKernels(RegisterCastKernels);
  RegisterPythonFunctions(registry);
  RegisterSparkFunctions(registry);
}

}  // namespace frazil::engine
