#pragma once

#include <string_view>

namespace frazil::tables {

/// How the name of a RowConstraint begins that stands for NOT NULL of a struct's field; the field's path follows.
inline constexpr std::string_view kNotNullConstraint = "NOT NULL ";

}  // namespace frazil::tables
