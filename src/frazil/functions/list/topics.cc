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
  AddUrlFunctions(list);
  AddHashFunctions(list);
  AddSessionFunctions(list);
  AddRandomFunctions(list);
  AddAggregateFunctions(list);
  AddStatisticalAggregates(list);
  AddPercentileAggregates(list);
  AddBitmapFunctions(list);
  AddWindowFunctions(list);
  AddGeneratorFunctions(list);
  AddVariantFunctions(list);
  AddUnavailableFunctions(list);
}

}  // namespace frazil::functions
