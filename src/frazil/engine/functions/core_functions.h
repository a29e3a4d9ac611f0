#pragma once

// The functions that every query stands on: operators, conditions, constructors, element access, higher-order
// functions. Internal to engine/.

#include "frazil/engine/functions/function_lowering.h"

namespace frazil::engine {

void RegisterOperators(FunctionLoweringRegistry& registry);
void RegisterConditionsAndAccess(FunctionLoweringRegistry& registry);
void RegisterHigherOrderFunctions(FunctionLoweringRegistry& registry);

void RegisterArithmeticKernels(duckdb::ExtensionLoader& loader);
/// spark_array_index, spark_element_index, spark_exists, spark_forall, spark_sample_*, spark_recursion_depth.
void RegisterCoreKernels(duckdb::ExtensionLoader& loader);

/// add, subtract, multiply, divide, div, remainder, pmod of decimals, with result type `type` (div: BIGINT by way of
/// DECIMAL(38,0)).
LoweredExpression LowerDecimalOperation(const std::string& name, const DataType& type, EvalMode mode,
                                        LoweredArguments arguments);

}  // namespace frazil::engine
