#pragma once

// Table functions that read a scan's files. Internal to engine/.

#include <duckdb.hpp>
#include <duckdb/main/extension/extension_loader.hpp>

namespace frazil::engine {

/// spark_range(start, end, step): BIGINTs as Spark's range has them; step is not 0.
void RegisterRangeFunction(duckdb::ExtensionLoader& loader);

/// spark_partitions_scan(index of the statement's scan): rows that a program hands out (tables/partitioned_rows.h).
void RegisterPartitionsFunction(duckdb::ExtensionLoader& loader);

/// spark_parquet_scan(index of the statement's scan), and the readers of text formats.
void RegisterScanFunctions(duckdb::ExtensionLoader& loader);

}  // namespace frazil::engine
