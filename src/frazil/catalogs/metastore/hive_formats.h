#pragma once

#include <map>
#include <string>

#include "frazil/base/result.h"
#include "frazil/catalogs/metastore/table_metastore.h"
#include "frazil/tables/table.h"

namespace frazil::catalogs {

/// The format of files that a SerDe (or, without one that is known, an input format) reads.
struct FileKind {
  std::string provider;                        ///< Spark's name: "parquet", "orc", "avro", "csv".
  std::map<std::string, std::string> options;  ///< Of its reader and writer.
  bool all_text = false;                       ///< The SerDe gives every column as a text, whatever the entry says.
};

/// What the entry of a table or partition says of its files. Error UNSUPPORTED_FEATURE, naming the SerDe, for formats
/// that are not read (sequence files, RCFile, storage handlers).
Result<FileKind> FileKindOf(const HiveStorage& storage, const std::map<std::string, std::string>& parameters);

/// How the rows of a table of provider "hive" are stored, by its options as Spark has them: fileFormat, or inputFormat
/// and outputFormat; serde; fieldDelim and the like; all others are properties of the SerDe. Text where none is told.
/// Errors: of Spark, for a format that Hive does not have.
Result<HiveStorage> StorageOfOptions(const std::map<std::string, std::string>& options);

/// A definition with the provider of its files in the place of "hive", and its options in the place of the SerDe's; any
/// other stays as it is. Errors UNSUPPORTED_FEATURE, by name, for files and columns that are not written as Hive does.
Result<tables::TableDefinition> AsFiles(tables::TableDefinition definition);

/// Text knows no types: what a field holds is told by its delimiters, which is read for plain columns alone. Error
/// UNSUPPORTED_FEATURE for others.
Status CheckTextColumns(const DataType& schema);

/// Input format, output format and SerDe of a table that Spark makes of a provider.
void SetFormat(const std::string& provider, HiveStorage* storage);

}  // namespace frazil::catalogs
