#pragma once

#include <string>
#include <string_view>

#include "frazil/base/result.h"

namespace frazil::engine {

/// An encoded VARIANT as text: JSON as to_json() writes it, or with `plain` as CAST(... AS STRING) and show() have it,
/// where a text has no quotes. `time_zone`: of timestamps. Error MALFORMED_VARIANT.
/// https://github.com/apache/parquet-format/blob/master/VariantEncoding.md
Result<std::string> VariantText(std::string_view value, std::string_view metadata, const std::string& time_zone,
                                bool plain);

}  // namespace frazil::engine
