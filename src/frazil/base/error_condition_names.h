#pragma once

#include <string_view>

namespace frazil {

/// Whether it is the name of an error condition, whole ("UNRESOLVED_COLUMN.WITHOUT_SUGGESTION") or without the part
/// behind the dot, as handlers of scripts may name it.
bool IsErrorConditionName(std::string_view name);

}  // namespace frazil
