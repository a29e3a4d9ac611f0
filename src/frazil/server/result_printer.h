#pragma once

// Rows as text on the terminal or for another program.

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "frazil/base/result.h"
#include "frazil/engine/engine.h"

namespace frazil::server {

enum class OutputFormat { kTable, kCsv, kJson };

std::optional<OutputFormat> OutputFormatByName(std::string_view name);

/// Reads the stream to its end and prints it; returns the number of rows. A table's widths are those of its first
/// thousand rows. CSV as RFC 4180 with a header, null as nothing and the empty text as "". JSON is one object a line,
/// bytes in base64.
Result<int64_t> PrintResult(engine::ResultStream& stream, OutputFormat format, const std::string& time_zone,
                            std::ostream& out);

}  // namespace frazil::server
