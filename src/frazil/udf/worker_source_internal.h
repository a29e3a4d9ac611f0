#pragma once

namespace frazil::udf {

/// The text of python/frazil/udf_worker.py, compiled in: the server runs without its Python package.
extern const char* const kWorkerSource;
/// Its parts python/frazil/stateful_worker.py, data_source_worker.py, table_function_worker.py and scalar_worker.py,
/// which it gets as its first arguments.
extern const char* const kStatefulWorkerSource;
extern const char* const kDataSourceWorkerSource;
extern const char* const kTableFunctionWorkerSource;
extern const char* const kScalarWorkerSource;

}  // namespace frazil::udf
