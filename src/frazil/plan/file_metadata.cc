#include "frazil/plan/file_metadata.h"

namespace frazil::plan {

namespace {

DataTypePtr TypeOf(FileMetadataKind kind) {
  std::vector<StructField> fields = {
      {"file_path", DataType::String(), false},       {"file_name", DataType::String(), false},
      {"file_size", DataType::Long(), false},         {"file_block_start", DataType::Long(), false},
      {"file_block_length", DataType::Long(), false}, {"file_modification_time", DataType::Timestamp(), false}};
  if (kind != FileMetadataKind::kFile) fields.emplace_back("row_index", DataType::Long(), false);
  if (kind == FileMetadataKind::kTrackedRow) {
    for (const char* name : {"row_id", "base_row_id", "default_row_commit_version", "row_commit_version"})
      fields.emplace_back(name, DataType::Long(), false);
  }
  return DataType::Struct(std::move(fields));
}

}  // namespace

const DataTypePtr& FileMetadataType(FileMetadataKind kind) {
  static const DataTypePtr file = TypeOf(FileMetadataKind::kFile), row = TypeOf(FileMetadataKind::kRow),
                           tracked = TypeOf(FileMetadataKind::kTrackedRow);
  switch (kind) {
    case FileMetadataKind::kFile:
      return file;
    case FileMetadataKind::kRow:
      return row;
    case FileMetadataKind::kTrackedRow:
      return tracked;
  }
  return file;
}

}  // namespace frazil::plan
