#pragma once

#include <memory>

#include "frazil/engine/engine.h"
#include "frazil/tables/columnar_files.h"

namespace frazil::engine {

/// Parquet files of metadata, read and written by the engine as queries are. `engine` and `stores` outlive the result.
tables::ColumnarFilesPtr MakeColumnarFiles(Engine* engine, const storage::StoreRegistry* stores);

}  // namespace frazil::engine
