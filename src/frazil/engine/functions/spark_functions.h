#pragma once

// The topics of Spark's functions on the lowering hook. Internal to engine/.

#include "frazil/engine/functions/function_lowering.h"

namespace frazil::engine {

void RegisterMathFunctions(FunctionLoweringRegistry& registry);
void RegisterRoundingFunctions(FunctionLoweringRegistry& registry);
void RegisterStringFunctions(FunctionLoweringRegistry& registry);
void RegisterTextMeasureFunctions(FunctionLoweringRegistry& registry);
void RegisterPatternFunctions(FunctionLoweringRegistry& registry);
void RegisterNumberFormatFunctions(FunctionLoweringRegistry& registry);
void RegisterFormatStringFunctions(FunctionLoweringRegistry& registry);
void RegisterDatetimeFunctions(FunctionLoweringRegistry& registry);
void RegisterDatetimePatternFunctions(FunctionLoweringRegistry& registry);
void RegisterIntervalFunctions(FunctionLoweringRegistry& registry);
void RegisterArrayFunctions(FunctionLoweringRegistry& registry);
void RegisterMapFunctions(FunctionLoweringRegistry& registry);
void RegisterSequenceFunctions(FunctionLoweringRegistry& registry);
void RegisterHashFunctions(FunctionLoweringRegistry& registry);
void RegisterRandomFunctions(FunctionLoweringRegistry& registry);
void RegisterSessionFunctions(FunctionLoweringRegistry& registry);
void RegisterUrlFunctions(FunctionLoweringRegistry& registry);
void RegisterJsonPathFunctions(FunctionLoweringRegistry& registry);
void RegisterStructTextFunctions(FunctionLoweringRegistry& registry);
void RegisterAggregateFunctions(FunctionLoweringRegistry& registry);
void RegisterMomentAggregates(FunctionLoweringRegistry& registry);
void RegisterVariantFunctions(FunctionLoweringRegistry& registry);
void RegisterWindowFunctions(FunctionLoweringRegistry& registry);
/// Checks of values that INSERT, UPDATE and MERGE write; not callable from SQL.
void RegisterTableChecks(FunctionLoweringRegistry& registry);

/// All of them.
void RegisterSparkFunctions(FunctionLoweringRegistry& registry);

/// Calls `kernel` with all arguments and, behind them, whether a failure is an error (ANSI) or NULL (legacy, try).
inline ImplementationByMode Strictness(const std::string& kernel) {
  return NullOrError(Template(kernel + "($args, false)"), Template(kernel + "($args, true)"));
}

}  // namespace frazil::engine
