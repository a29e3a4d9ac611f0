#pragma once

// The options of CSV, JSON and text that Spark checks before it reads or writes anything, for sources, sinks and
// functions alike. Keys are in lower case.
// https://spark.apache.org/docs/latest/sql-data-sources-csv.html and its neighbours for JSON and text

#include <map>
#include <string>

#include "frazil/base/result.h"

namespace frazil::functions {

/// What stands between two cells of CSV (`sep`, `delimiter`), its escapes read; never empty.
/// Errors: IllegalArgumentException for an empty one; INVALID_DELIMITER_VALUE.
Result<std::string> CsvSeparator(const std::map<std::string, std::string>& options);

/// Both also refuse by name, with UNSUPPORTED_FEATURE, what Spark takes and is not done here (singleVariantColumn).
/// Errors: those of CsvSeparator; _LEGACY_ERROR_TEMP_2145 (more than one character), _2146 (no number), _2147 (neither
/// true nor false); IllegalArgumentException for a line separator that there cannot be.
Status CheckCsvOptions(const std::map<std::string, std::string>& options);
/// Errors: IllegalArgumentException for an empty line separator and for flags that are neither true nor false.
Status CheckJsonOptions(const std::map<std::string, std::string>& options);
/// As CheckJsonOptions, for lines of text.
Status CheckTextOptions(const std::map<std::string, std::string>& options);
/// The options as a JSON object of texts, which is how the functions of records take them.
std::string OptionsJson(const std::map<std::string, std::string>& options);
/// The flags that any source of files takes. Errors: IllegalArgumentException for neither true nor false.
Status CheckFileSourceOptions(const std::map<std::string, std::string>& options);

}  // namespace frazil::functions
