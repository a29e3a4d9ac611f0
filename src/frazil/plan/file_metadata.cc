#include "frazil/plan/file_metadata.h"

namespace frazil::plan {

namespace {

DataTypePtr TypeOf(bool with_row_index) {
  std::vector<StructField> fields = {
      {"file_path", DataType::String(), false},       {"file_name", DataType::String(), false},
      {"file_size", DataType::Long(), false},         {"file_block_start", DataType::Long(), false},
      {"file_block_length", DataType::Long(), false}, {"file_modification_time", DataType::Timestamp(), false}};
  if (with_row_index) fields.emplace_back("row_index", DataType::Long(), false);
  return DataType::Struct(std::move(fields));
}

}  // namespace

const DataTypePtr& FileMetadataType(bool with_row_index) {
  static const DataTypePtr with = TypeOf(true), without = TypeOf(false);
  return with_row_index ? with : without;
}

}  // namespace frazil::plan
