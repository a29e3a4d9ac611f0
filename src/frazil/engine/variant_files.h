#pragma once

#include <duckdb/common/multi_file/base_file_reader.hpp>
#include <duckdb/main/client_context.hpp>
#include <duckdb/main/extension/extension_loader.hpp>

namespace frazil::engine {

/// A reader of a Parquet file in which groups that the file annotates as VARIANT are plain groups of their members:
/// DuckDB would decode them into values of its own. Readers of other files as they are. Source: parquet-format,
/// LogicalTypes.md, "VARIANT".
duckdb::shared_ptr<duckdb::BaseFileReader> WithVariantsAsGroups(duckdb::ClientContext& context,
                                                                duckdb::shared_ptr<duckdb::BaseFileReader> reader);

/// Whether a column of a file is a VARIANT that is shredded: parts of its values stand in columns of their own.
bool IsShreddedVariant(const duckdb::LogicalType& in_file);

/// Registers the cast from shredded groups to the mapped type of VARIANT. Error of rows whose value
/// and typed parts contradict each other: MALFORMED_VARIANT. Source: parquet-format, VariantShredding.md.
void RegisterVariantFileCasts(duckdb::ExtensionLoader& loader);

}  // namespace frazil::engine
