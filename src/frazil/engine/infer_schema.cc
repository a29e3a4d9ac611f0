#include "frazil/engine/duckdb_engine.h"

namespace frazil::engine {

Result<DataTypePtr> DuckDbEngine::InferSchema(const std::string& format, const std::vector<std::string>&, const std::map<std::string, std::string>&,
                                              const ExecutionContext&) {
  return Error::Unsupported("schema inference for the format " + format);
}

}  // namespace frazil::engine
