#pragma once

// ORC and Avro data files below DuckDB. Internal to engine/.

#include <memory>
#include <string>

#include <duckdb.hpp>

#include "frazil/codec/data_file.h"
#include "frazil/tables/scan.h"

namespace frazil::engine {

/// Whether files of the format are read and written as Arrow batches, by codec/data_file.h.
bool IsBatchFormat(tables::FileFormat format);
/// Opens such a file by the statement's stores.
Result<std::unique_ptr<codec::DataFileReader>> OpenDataFile(duckdb::ClientContext& client, const std::string& path,
                                                            tables::FileFormat format);
/// The mapped type, but struct members have the names of the type's own fields, as files show them.
duckdb::LogicalType NamedType(const DataType& type);
/// FAILED_READ_FILE.NO_HINT for a file that could not be read; an unsupported feature keeps its name.
Error ReadFailure(Error error, const std::string& path);

}  // namespace frazil::engine
