#pragma once

// How parse errors show the place in the statement, as Spark's ParseException prints it.

#include <string_view>

#include "frazil/base/error.h"

namespace frazil::sql {

/// Adds " (line 1, pos 7)" and the statement with a caret line to the message.
/// `line` counts from 1, `position` from 0.
Error WithPosition(Error error, std::string_view statement, int line, int position);

}  // namespace frazil::sql
