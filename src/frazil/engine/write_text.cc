#include "frazil/engine/write_text.h"

namespace frazil::engine {

Result<std::vector<tables::WrittenFile>> WriteTextRows(Statement&, const FunctionLoweringRegistry&, const plan::LogicalPlanPtr&,
                                                       const tables::WriteTask&) {
  return Error::Unsupported("writing CSV, JSON and text files");
}

}  // namespace frazil::engine
