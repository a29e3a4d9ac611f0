#include "frazil/functions/list/topics.h"

namespace frazil::functions {

void AddAllFunctions(FunctionList& list) {
  AddArithmeticFunctions(list);
  AddComparisonFunctions(list);
  AddConditionalFunctions(list);
  AddMathFunctions(list);
  AddBitwiseFunctions(list);
  AddStringFunctions(list);
  AddPatternFunctions(list);
  AddFormatFunctions(list);
  AddConversionFunctions(list);
  AddDatetimeFunctions(list);
  AddDatetimeParsingFunctions(list);
  AddIntervalFunctions(list);
  AddArrayFunctions(list);
  AddMapFunctions(list);
  AddStructFunctions(list);
  AddHigherOrderFunctions(list);
  AddJsonFunctions(list);
  AddXmlFunctions(list);
  AddGeospatialFunctions(list);
  AddUrlFunctions(list);
  AddHashFunctions(list);
  AddEncryptionFunctions(list);
  AddSessionFunctions(list);
  AddRandomFunctions(list);
  AddAggregateFunctions(list);
  AddStatisticalAggregates(list);
  AddPercentileAggregates(list);
  AddBitmapFunctions(list);
  AddSketchFunctions(list);
  AddWindowFunctions(list);
  AddGeneratorFunctions(list);
  AddVariantFunctions(list);
  AddUnavailableFunctions(list);
}

}  // namespace frazil::functions
