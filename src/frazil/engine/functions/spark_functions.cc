#include "frazil/engine/functions/spark_functions.h"

#include "frazil/engine/functions/encryption_functions.h"
#include "frazil/engine/functions/geospatial_functions.h"
#include "frazil/engine/functions/sketch_functions.h"
#include "frazil/engine/functions/xml_functions.h"

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
  RegisterEncryptionFunctions(registry);
  RegisterRandomFunctions(registry);
  RegisterSessionFunctions(registry);
  RegisterUrlFunctions(registry);
  RegisterJsonPathFunctions(registry);
  RegisterStructTextFunctions(registry);
  RegisterXmlFunctions(registry);
  RegisterGeospatialFunctions(registry);
  RegisterVariantFunctions(registry);
  RegisterAggregateFunctions(registry);
  RegisterSketchFunctions(registry);
  RegisterWindowFunctions(registry);
  RegisterTableChecks(registry);
}

}  // namespace frazil::engine
