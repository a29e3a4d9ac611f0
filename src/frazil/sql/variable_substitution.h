#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace frazil::sql {

/// Puts the values of settings in the place of ${name}, ${hiveconf:name}, ${hivevar:name}, ${spark:name} and
/// ${sparkconf:name}, and variables of the environment in that of ${env:name}, before a text is parsed; a setting that
/// is not there is empty, other references stay. Where spark.sql.variable.substitute is false the text stays as it is.
/// https://spark.apache.org/docs/latest/configuration.html, spark.sql.variable.substitute.
std::string SubstituteVariables(std::string_view text,
                                const std::function<std::optional<std::string>(std::string_view)>& setting);

}  // namespace frazil::sql
