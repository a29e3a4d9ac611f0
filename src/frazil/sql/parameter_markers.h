#pragma once

// Which kinds of parameter markers a statement has.

#include <string>

namespace frazil::sql {

struct ParameterMarkers {
  bool has_named = false;       ///< :name
  bool has_positional = false;  ///< ?
};

/// Looks at the tokens alone: a colon behind a value is a path into a VARIANT, else it begins a marker.
ParameterMarkers FindParameterMarkers(std::string text);

}  // namespace frazil::sql
