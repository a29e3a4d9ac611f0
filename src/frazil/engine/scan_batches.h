#pragma once

// Data files that come as Arrow batches, as DuckDB's multi-file readers. Internal to engine/.

#include <duckdb.hpp>
#include <duckdb/common/multi_file/multi_file_function.hpp>

#include "frazil/tables/scan.h"

namespace frazil::engine {

/// DuckDB's own interface to Parquet files, with files of other formats opened by readers of ours, so that the files of
/// one scan may have several formats.
duckdb::unique_ptr<duckdb::MultiFileReaderInterface> MakeDataFileInterface(
    duckdb::unique_ptr<duckdb::MultiFileReaderInterface> parquet);
/// Tells that interface the format of a file that is no Parquet file.
void NoteFormat(duckdb::OpenFileInfo& file, tables::FileFormat format);
/// Throws where a column of such a file has a type that no value of the wanted one can be made of; other readers are
/// left alone.
void CheckBatchColumnType(const duckdb::BaseFileReader& reader, const std::string& column, const DataType& wanted);
/// Whether it is a reader of ours.
bool IsBatchReader(const duckdb::BaseFileReader& reader);

}  // namespace frazil::engine
