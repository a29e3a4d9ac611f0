#include "frazil/engine/functions/spark_functions.h"

namespace frazil::engine {

void RegisterSparkFunctions(FunctionLoweringRegistry& registry) {
  RegisterMathFunctions(registry);
  RegisterRoundingFunctions(registry);
  RegisterStringFunctions(registry);
  RegisterTextMeasureFunctions(registry);
  RegisterPatternFunctions(registry);
  RegisterDatetimeFunctions(registry);
  RegisterIntervalFunctions(registry);
  RegisterAggregateFunctions(registry);
  RegisterWindowFunctions(registry);
}

}  // namespace frazil::engine
