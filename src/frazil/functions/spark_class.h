#pragma once

#include <string>
#include <string_view>

namespace frazil::functions {

/// The class that implements a built-in function in Spark 4.1, as DESCRIBE FUNCTION shows it; empty where it shows
/// none. `name` in lower case.
std::string SparkClassOf(std::string_view name);

}  // namespace frazil::functions
