#pragma once

// Rows on their way to a Python function and back: a batch goes to a worker process as Arrow, a column comes back.
// Internal to engine/.

#include <memory>
#include <string>

#include <duckdb.hpp>
#include <duckdb/function/function.hpp>
#include <duckdb/function/table/arrow.hpp>

#include "frazil/engine/arrow_result.h"
#include "frazil/types/data_type.h"
#include "frazil/udf/python_worker.h"

namespace frazil::engine {

/// DuckDB's functions that call Python: the second one is also called where no column is read.
constexpr const char* kPythonCall = "spark_python_function";
constexpr const char* kPythonCallForEachRow = "spark_python_function_for_each_row";

/// Behind the arguments of such a call: the code (BLOB), the schema of the arguments and the type of the result (JSON
/// of Spark).
constexpr size_t kPythonConstants = 3;

/// What a bound call knows.
struct PythonCallData : duckdb::FunctionData {
  std::string description;  ///< Of the function, as udf::CallPython takes it.
  udf::PythonPlace place;
  DataTypePtr input;
  bool has_arguments = true;  ///< Without, `input` is a column that only counts the rows.
  DataTypePtr output;         ///< A struct of the one result.
  duckdb::vector<duckdb::LogicalType> types;
  std::shared_ptr<duckdb::ArrowTableSchema> result_schema = std::make_shared<duckdb::ArrowTableSchema>();
  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override { return duckdb::make_uniq<PythonCallData>(*this); }
  bool Equals(const duckdb::FunctionData& other) const override {
    return description == other.Cast<PythonCallData>().description;
  }
};

/// The values that a function gave for the rows of a batch, read from the first to the last.
class PythonAnswer {
 public:
  virtual ~PythonAnswer() = default;
  /// The next `count` values, valid until the next call.
  virtual duckdb::Vector& Next(duckdb::idx_t count) = 0;
};

/// Rows of arguments that go to the function at once.
class PythonBatch {
 public:
  PythonBatch(duckdb::ClientContext& client, const PythonCallData& data);
  /// Adds rows. The first columns are the arguments; others are not read.
  void Append(duckdb::DataChunk& arguments);
  /// Rough size of the rows so far.
  int64_t bytes() const { return builder_.bytes(); }
  /// Calls the function; the batch is empty afterwards. Throws its error as DuckDB's.
  std::unique_ptr<PythonAnswer> Call();

 private:
  duckdb::ClientContext& client_;
  const PythonCallData& data_;
  ArrowBatchBuilder builder_;
};

}  // namespace frazil::engine
