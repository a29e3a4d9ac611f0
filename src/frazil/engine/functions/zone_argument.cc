#include "frazil/engine/functions/zone_argument.h"

#include <duckdb/execution/expression_executor_state.hpp>

#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/engine/functions/kernel_error.h"
#include "frazil/types/time_zone.h"

namespace frazil::engine {

duckdb::unique_ptr<duckdb::FunctionData> ZoneBindData::Copy() const {
  auto copy = duckdb::make_uniq<ZoneBindData>();
  copy->name = name;
  copy->zone = zone;
  return copy;
}

bool ZoneBindData::Equals(const duckdb::FunctionData& other) const { return other.Cast<ZoneBindData>().name == name; }

duckdb::unique_ptr<duckdb::FunctionData> BindZoneArgument(duckdb::ClientContext& context, duckdb::ScalarFunction& function,
                                                          duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  const auto values = TakeConstantArguments(context, function, arguments, 1);
  auto data = duckdb::make_uniq<ZoneBindData>();
  data->name = values[0].ToString();
  data->zone = ValueOrThrow(TimeZone::Find(data->name));
  return data;
}

const TimeZone& ZoneOf(duckdb::ExpressionState& state) {
  const auto& function = state.expr.Cast<duckdb::BoundFunctionExpression>();
  return *function.bind_info->Cast<ZoneBindData>().zone;
}

}  // namespace frazil::engine
