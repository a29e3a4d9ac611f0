#pragma once

#include <string>

namespace frazil::tables {

/// The name of a source in lower case, "parquet": users also name it by the class of its implementation.
std::string ShortFormatName(const std::string& format);

}  // namespace frazil::tables
