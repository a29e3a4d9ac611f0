#include "frazil/engine/functions/spark_functions.h"

namespace frazil::engine {

void RegisterSparkFunctions(FunctionLoweringRegistry& registry) {
  RegisterMathFunctions(registry);
  RegisterRoundingFunctions(registry);
  RegisterStringFunctions(registry);
  RegisterTextMeasureFunctions(registry);
  RegisterPatternFunctions(registry);
  RegisterNumberFormatFunctions(registry);
  RegisterFormatStringFunctions(registry);
  RegisterDatetimeFunctions(registry);
  RegisterDatetimePatternFunctions(registry);
  RegisterIntervalFunctions(registry);
  RegisterArrayFunctions(registry);
  RegisterMapFunctions(registry);
  RegisterSequenceFunctions(registry);
  RegisterHashFunctions(registry);
  RegisterRandomFunctions(registry);
  RegisterSessionFunctions(registry);
  RegisterUrlFunctions(registry);
  RegisterJsonPathFunctions(registry);
  RegisterStructTextFunctions(registry);
  RegisterVariantFunctions(registry);
  RegisterAggregateFunctions(registry);
  RegisterWindowFunctions(registry);
  RegisterTableChecks(registry);
}

}  // namespace frazil::engine
