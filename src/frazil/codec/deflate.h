#pragma once

#include <string>
#include <string_view>

#include "frazil/base/result.h"

namespace frazil::codec {

/// DEFLATE without any frame (RFC 1951), as Avro's codec "deflate" has it. `level` 0..9.
Result<std::string> DeflateRaw(std::string_view data, int level = 6);
Result<std::string> InflateRaw(std::string_view data);

/// A gzip file (RFC 1952), as *.gz.metadata.json. Several members one after the other are one text.
Result<std::string> GzipCompress(std::string_view data, int level = 6);
Result<std::string> GzipDecompress(std::string_view data);
/// Whether the data begins as a gzip file does.
bool IsGzip(std::string_view data);
/// The text of a file that may be a gzip file; others are their own text.
Result<std::string> GunzipIfGzip(std::string data);

}  // namespace frazil::codec
