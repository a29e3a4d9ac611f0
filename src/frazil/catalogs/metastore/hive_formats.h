#pragma once

#include <map>
#include <string>

#include "frazil/base/result.h"
#include "frazil/catalogs/metastore/table_metastore.h"

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

/// Input format, output format and SerDe of a table that Spark makes of a provider.
void SetFormat(const std::string& provider, HiveStorage* storage);

}  // namespace frazil::catalogs
