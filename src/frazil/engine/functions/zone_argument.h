#pragma once

// Kernels that need the session's time zone take it as a constant VARCHAR argument ($tz in templates). This resolves it once per bind.

#include <duckdb.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>

#include <memory>
#include <string>

namespace frazil {
class TimeZone;
}  // namespace frazil

namespace frazil::engine {

/// Bind data of such kernels.
struct ZoneBindData : duckdb::FunctionData {
  std::string name;
  std::shared_ptr<const TimeZone> zone;
  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override;
  bool Equals(const duckdb::FunctionData& other) const override;
};

/// Set as `function.bind` of a kernel whose LAST argument is the zone; the argument is removed from the call. Throws INVALID_TIMEZONE for unknown zones.
duckdb::unique_ptr<duckdb::FunctionData> BindZoneArgument(duckdb::ClientContext& context, duckdb::ScalarFunction& function,
                                                          duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments);

/// The zone, within a kernel.
const TimeZone& ZoneOf(duckdb::ExpressionState& state);

}  // namespace frazil::engine
