#pragma once

#include <map>
#include <string>

#include "frazil/base/result.h"
#include "frazil/tables/table.h"

namespace frazil::tables {

/// Read options of DataFrameReader as a choice of snapshot: snapshot-id, as-of-timestamp (milliseconds), branch, tag,
/// start-snapshot-id, end-snapshot-id, versionAsOf (a snapshot's id, or a branch or tag). Keys in lower case; other
/// options stay in `options`. timestampAsOf is left to the caller, who knows the session's zone. Errors: an option that
/// is no number; several choices at once. https://iceberg.apache.org/docs/latest/spark-configuration/#read-options
Result<ScanOptions> ReadScanOptions(const std::map<std::string, std::string>& options);

}  // namespace frazil::tables
