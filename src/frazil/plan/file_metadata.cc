#include "frazil/plan/file_metadata.h"

namespace frazil::plan {

const DataTypePtr& FileMetadataType() {
  static const DataTypePtr type = DataType::Struct({{"file_path", DataType::String(), false},
                                                    {"file_name", DataType::String(), false},
                                                    {"file_size", DataType::Long(), false},
                                                    {"file_block_start", DataType::Long(), false},
                                                    {"file_block_length", DataType::Long(), false},
                                                    {"file_modification_time", DataType::Timestamp(), false},
                                                    {"row_index", DataType::Long(), false}});
  return type;
}

}  // namespace frazil::plan
