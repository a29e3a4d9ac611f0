#pragma once

// Spark types of files. Internal to engine/.

#include <string>
#include <vector>

#include <duckdb.hpp>

#include "frazil/engine/engine.h"
#include "frazil/engine/scan_records.h"

namespace frazil::engine {

// Each of these reads as many records as there are: `cancel` (may be null) ends it with an error of kind kCancelled.

/// The schema of Parquet, ORC or Avro files: Spark's own, where it stands in the file, else from the format's types.
/// The first file decides, unless mergeSchema is set.
Result<DataTypePtr> InferColumnarSchema(duckdb::Connection& connection, tables::FileFormat format,
                                        const std::vector<std::string>& paths, const ReaderOptions& options,
                                        const functions::ExpressionSettings& settings, const CancelToken* cancel);
/// CSV: names by the header or _c0, _c1, ...; STRING, or by inferSchema what the values are.
Result<DataTypePtr> InferCsvSchema(duckdb::Connection& connection, const std::vector<std::string>& paths,
                                   const ReaderOptions& options, const functions::ExpressionSettings& settings,
                                   const CancelToken* cancel);
/// JSON: the union of what the records hold, fields by name.
Result<DataTypePtr> InferJsonSchema(duckdb::Connection& connection, const std::vector<std::string>& paths,
                                    const ReaderOptions& options, const functions::ExpressionSettings& settings,
                                    const CancelToken* cancel);

}  // namespace frazil::engine
