#pragma once

// Generators (explode, ...) in places that take none. Internal to analysis/.

#include <string>
#include <utility>

#include "frazil/base/error.h"

namespace frazil::analysis {

constexpr const char* kNestedGenerator = "UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS";

/// The error of a clause outside of the select list: a generator in it is refused as such. `clause`: as in the plan.
inline Error OutsideOfSelect(Error error, const std::string& clause) {
  if (error.condition != kNestedGenerator) return error;
  std::string text = error.parameters.front().second;
  if (text.size() > 1) text = text.substr(1, text.size() - 2);
  return Error::Of("UNSUPPORTED_GENERATOR.OUTSIDE_SELECT", {{"plan", clause + " " + text}});
}

}  // namespace frazil::analysis
