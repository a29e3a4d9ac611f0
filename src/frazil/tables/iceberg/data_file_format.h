#pragma once

#include <string>

#include "frazil/base/result.h"
#include "frazil/tables/scan.h"

namespace frazil::tables::iceberg {

/// A format by the name that manifests have, "PARQUET", "ORC", "AVRO"; others are unsupported by name.
Result<FileFormat> ParseFileFormat(const std::string& name);
/// The reverse; an internal error for formats that cannot be in an Iceberg table.
Result<std::string> FileFormatName(FileFormat format);
/// The codec of files of a format where the table's properties name none.
std::string DefaultCodec(FileFormat format);

}  // namespace frazil::tables::iceberg
