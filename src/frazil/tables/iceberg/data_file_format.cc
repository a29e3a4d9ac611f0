#include "frazil/tables/iceberg/data_file_format.h"

namespace frazil::tables::iceberg {

Result<FileFormat> ParseFileFormat(const std::string& name) {
  if (name == "PARQUET") return FileFormat::kParquet;
  if (name == "ORC") return FileFormat::kOrc;
  if (name == "AVRO") return FileFormat::kAvro;
  return Error::Unsupported("data files of format " + name);
}

Result<std::string> FileFormatName(FileFormat format) {
  switch (format) {
    case FileFormat::kParquet:
      return std::string("PARQUET");
    case FileFormat::kOrc:
      return std::string("ORC");
    case FileFormat::kAvro:
      return std::string("AVRO");
    case FileFormat::kCsv:
    case FileFormat::kJson:
    case FileFormat::kText:
    case FileFormat::kBinary:
      break;
  }
  return Error::Internal("a file of this format cannot be in an Iceberg table");
}

std::string DefaultCodec(FileFormat format) {
  // Iceberg's TableProperties.
  if (format == FileFormat::kOrc) return "zlib";
  return format == FileFormat::kAvro ? "gzip" : "zstd";
}

}  // namespace frazil::tables::iceberg
