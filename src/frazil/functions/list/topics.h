#pragma once

// The topics of the list of functions. Internal to functions/.

#include "frazil/functions/signature.h"

namespace frazil::functions {

void AddArithmeticFunctions(FunctionList& list);
void AddComparisonFunctions(FunctionList& list);
void AddConditionalFunctions(FunctionList& list);
void AddMathFunctions(FunctionList& list);
void AddBitwiseFunctions(FunctionList& list);
void AddStringFunctions(FunctionList& list);
void AddPatternFunctions(FunctionList& list);
void AddFormatFunctions(FunctionList& list);
void AddDatetimeFunctions(FunctionList& list);
void AddDatetimeParsingFunctions(FunctionList& list);
void AddIntervalFunctions(FunctionList& list);
void AddArrayFunctions(FunctionList& list);
void AddMapFunctions(FunctionList& list);
void AddStructFunctions(FunctionList& list);
void AddHigherOrderFunctions(FunctionList& list);
void AddJsonFunctions(FunctionList& list);
void AddUrlFunctions(FunctionList& list);
void AddHashFunctions(FunctionList& list);
void AddSessionFunctions(FunctionList& list);
void AddRandomFunctions(FunctionList& list);
void AddAggregateFunctions(FunctionList& list);
void AddStatisticalAggregates(FunctionList& list);
void AddPercentileAggregates(FunctionList& list);
void AddBitmapFunctions(FunctionList& list);
void AddWindowFunctions(FunctionList& list);
void AddGeneratorFunctions(FunctionList& list);
void AddConversionFunctions(FunctionList& list);
void AddSketchFunctions(FunctionList& list);
void AddEncryptionFunctions(FunctionList& list);
void AddXmlFunctions(FunctionList& list);
void AddGeospatialFunctions(FunctionList& list);

void AddVariantFunctions(FunctionList& list);
void AddUnavailableFunctions(FunctionList& list);

/// All topics, in a fixed order.
void AddAllFunctions(FunctionList& list);

}  // namespace frazil::functions
