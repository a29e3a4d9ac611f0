#include "frazil/engine/scan_text.h"

#include "frazil/engine/lowering.h"

namespace frazil::engine {

void RegisterTextScanFunctions(duckdb::ExtensionLoader&) {}

Result<Block> Lowering::LowerTextScan(const plan::ScanNode& node, tables::FileFormat) {
  return Error::Unsupported("reading the text files of " + node.table_name);
}

}  // namespace frazil::engine
