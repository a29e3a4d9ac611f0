#pragma once

namespace frazil::udf {

/// The text of python/frazil/udf_worker.py, compiled in: the server runs without its Python package.
extern const char* const kWorkerSource;
/// Its part python/frazil/stateful_worker.py, which it gets as an argument.
extern const char* const kStatefulWorkerSource;

}  // namespace frazil::udf
