#pragma once

namespace frazil::udf {

/// The text of python/frazil/udf_worker.py, compiled in: the server runs without its Python package.
extern const char* const kWorkerSource;

}  // namespace frazil::udf
