#pragma once

// The hook on which functions are implemented: from the canonical name of a call in the typed plan to DuckDB. Internal
// to engine/ (includes DuckDB).
//
// A topic file defines `void Register<Topic>Functions(FunctionLoweringRegistry& registry)` and is listed in
// function_topics.cc. In it:
//
//   registry.AddScalar("upper", Direct("upper"));                                  // DuckDB's function of the same
//   meaning registry.AddScalar("ascii", Template("CASE WHEN $1 = '' THEN 0 ELSE ord($1) END"));   // DuckDB's
//   expression syntax; $1..$n, $tz, $args registry.AddScalar("element_at", ByMode(legacy, ansi, try_)); // different
//   per EvalMode registry.AddScalar("concat", Build([](LoweringContext& context, const CallExpression& call,
//   LoweredArguments arguments) { ... })); registry.AddAggregate("sum", ...); registry.AddWindow("ntile",
//   Direct("ntile")); registry.AddKernels([](duckdb::ExtensionLoader& loader) {
//   loader.RegisterFunction(duckdb::ScalarFunction("spark_...", ...)); });
//
// Rules
// * Structs are positional in DuckDB: their members are called f0, f1, ... (type_mapping.h). Names are in the Spark
// types of the call's arguments and result. A result whose
//   struct members have other names (map_entries gives key and value) is brought to that form by position afterwards.
// * Values arrive in the DuckDB types of engine/type_mapping.h; the value of a scalar or aggregate is cast to the
// mapped type of the call's Spark type afterwards (no cost where
//   it is that type already), so that a template may yield BIGINT for an INT result. Never rely on that cast to check a
//   range.
// * Kernels are named spark_<name>. Mark those that can throw with `function.SetFallible()` (so that filters are not
// reordered over them), those with a
//   result of their own per row with `function.SetVolatile()`. They get the session's time zone as an argument ($tz:
//   VARCHAR constant).
// * An argument that a template names twice is computed twice (DuckDB merges the equal ones afterwards, but a nest of
// such calls grows without bound, and rand() would
//   differ): arguments named more than once are only for cheap leaf-like functions; else write a kernel.
// * Lambda arguments arrive as DuckDB lambda expressions whose parameters are named l<id>: usable in list_transform,
// list_filter, list_reduce, ...
//   Index parameters of DuckDB start at 1, Spark's at 0.
// * Names that the engine core registers itself (core_functions.cc, operators, constructors, access, casts): and, or,
// not, equal, not_equal, less, less_or_equal, greater,
//   greater_or_equal, null_safe_equal, add, subtract, multiply, divide, remainder, div, negative, positive, abs, pmod,
//   if, case_when, coalesce, in, is_null, is_not_null, is_nan, named_struct, struct, get_field, array, map, element_at,
//   get_item (a[i], m[k]), and the higher-order functions transform, filter, exists, forall, aggregate, zip_with,
//   array_sort with a comparator, map_filter, map_zip_with, transform_keys, transform_values. Everything else belongs
//   to topic files. A name may be registered once a class.

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <duckdb.hpp>
#include <duckdb/main/extension/extension_loader.hpp>
#include <duckdb/parser/parsed_expression.hpp>

#include "frazil/base/result.h"
#include "frazil/engine/functions/kernel_error.h"
#include "frazil/expressions/expression.h"
#include "frazil/functions/function.h"

namespace frazil::engine {

using LoweredExpression = duckdb::unique_ptr<duckdb::ParsedExpression>;
using LoweredArguments = duckdb::vector<LoweredExpression>;

/// What a builder may ask while a statement is lowered.
class LoweringContext {
 public:
  virtual ~LoweringContext() = default;
  virtual const functions::ExpressionSettings& settings() const = 0;
  /// Lowers any expression, for example to lower an argument a second time.
  virtual Result<LoweredExpression> Lower(const Expression& expression) = 0;
  /// A name that no other column or lambda parameter of the statement has.
  virtual std::string FreshName() = 0;
  /// The number of the row in the order of the input, for kernels whose results follow that order (random numbers of a
  /// seed): naming it makes one thread compute them in this order. Where an expression has no rows in order, zero.
  virtual LoweredExpression RowPosition() = 0;
};

using ScalarBuilder =
    std::function<Result<LoweredExpression>(LoweringContext&, const CallExpression&, LoweredArguments)>;
/// Returns an expression over aggregate calls. DISTINCT, FILTER and ORDER BY of the call are put on every aggregate
/// function in it afterwards.
using AggregateBuilder =
    std::function<Result<LoweredExpression>(LoweringContext&, const AggregateExpression&, LoweredArguments)>;
/// Returns an expression over FunctionExpressions that name window functions or aggregates; each becomes a window call
/// with the frame of `window`.
using WindowBuilder =
    std::function<Result<LoweredExpression>(LoweringContext&, const WindowExpression&, LoweredArguments)>;

/// How one function is implemented, for one or all evaluation modes.
class Implementation {
 public:
  enum class Kind : uint8_t { kNone, kDirect, kTemplate, kScalarBuilder, kAggregateBuilder, kWindowBuilder };

  Kind kind = Kind::kNone;
  std::string text;  ///< kDirect: the function's name in DuckDB; kTemplate: the expression.
  ScalarBuilder scalar;
  AggregateBuilder aggregate;
  WindowBuilder window;
};

/// A function of DuckDB or a kernel, called with the same arguments.
Implementation Direct(std::string duckdb_function);
/// An expression in DuckDB's syntax. $1, $2, ...: the arguments; $tz: the session's time zone as VARCHAR; $args as an
/// argument of a function call: all arguments in its place
/// (`concat_ws($args)`); $rest: all but the first. A template that names $n beyond the arguments gets NULL there.
Implementation Template(std::string expression);
Implementation Build(ScalarBuilder builder);
Implementation BuildAggregate(AggregateBuilder builder);
Implementation BuildWindow(WindowBuilder builder);

/// One implementation for each evaluation mode.
struct ImplementationByMode {
  Implementation legacy, ansi, try_mode;
  ImplementationByMode() = default;
  ImplementationByMode(Implementation all)
      : legacy(all), ansi(all), try_mode(std::move(all)) {}  // NOLINT: implicit by design
};
ImplementationByMode ByMode(Implementation legacy, Implementation ansi, Implementation try_mode);
/// The same for legacy and try (which both give NULL), another one for ANSI.
ImplementationByMode NullOrError(Implementation null_result, Implementation error);

enum class ImplementationClass : uint8_t { kScalar, kAggregate, kWindow };

using KernelRegistrar = std::function<void(duckdb::ExtensionLoader&)>;

/// Implementations by name and class. Filled once at the engine's start, then only read; thread-safe from then on.
class FunctionLoweringRegistry {
 public:
  void AddScalar(std::string name, ImplementationByMode implementation);
  void AddAggregate(std::string name, ImplementationByMode implementation);
  /// Window functions proper; aggregates need no second entry.
  void AddWindow(std::string name, ImplementationByMode implementation);
  /// Adds functions to DuckDB's catalog when the engine opens.
  void AddKernels(KernelRegistrar registrar);
  /// Whether the name exists in DuckDB's catalog as an aggregate: set by the engine at its start.
  void SetDuckDbAggregates(std::vector<std::string> names);

  bool Has(ImplementationClass function_class, std::string_view name) const;
  /// Null where there is none.
  const Implementation* Find(ImplementationClass function_class, std::string_view name, EvalMode mode) const;
  bool IsDuckDbAggregate(const std::string& name) const;
  const std::vector<KernelRegistrar>& kernels() const { return kernels_; }

  /// The expression for a call whose arguments are lowered: not yet cast to the result's type. Error INTERNAL_ERROR
  /// where the name is unknown.
  Result<LoweredExpression> LowerScalar(LoweringContext& context, const CallExpression& call,
                                        LoweredArguments arguments) const;
  Result<LoweredExpression> LowerAggregate(LoweringContext& context, const AggregateExpression& call,
                                           LoweredArguments arguments) const;
  Result<LoweredExpression> LowerWindow(LoweringContext& context, const WindowExpression& call,
                                        LoweredArguments arguments) const;

 private:
  using Map = std::map<std::string, ImplementationByMode, std::less<>>;
  const Map& MapOf(ImplementationClass function_class) const;
  Result<LoweredExpression> Instantiate(LoweringContext& context, const std::string& text,
                                        LoweredArguments arguments) const;

  Map scalars_, aggregates_, windows_;
  std::vector<KernelRegistrar> kernels_;
  std::map<std::string, bool> duckdb_aggregates_;
  mutable std::mutex template_mutex_;
  mutable std::map<std::string, std::shared_ptr<const duckdb::ParsedExpression>> templates_;
};

/// Calls every topic's Register function: the one list of topics, in function_topics.cc.
void RegisterAllFunctions(FunctionLoweringRegistry& registry);

// --- making lowered expressions
// -------------------------------------------------------------------------------------------------------------------------

/// name(arguments...)
LoweredExpression CallOf(const std::string& name, LoweredArguments arguments);
template <typename... Expressions>
LoweredExpression CallOf(const std::string& name, LoweredExpression first, Expressions... rest) {
  LoweredArguments arguments;
  arguments.push_back(std::move(first));
  (arguments.push_back(std::move(rest)), ...);
  return CallOf(name, std::move(arguments));
}
LoweredExpression ConstantOf(duckdb::Value value);
LoweredExpression CastOf(LoweredExpression child, duckdb::LogicalType type, bool try_cast = false);

}  // namespace frazil::engine
