#pragma once

// Chunks of DuckDB as Arrow batches laid out for Spark. Internal to engine/.

#include <duckdb.hpp>

#include "frazil/types/arrow_c.h"

namespace frazil::engine {

/// Gathers chunks (in the mapped types of `schema`) into batches as types/arrow_c.h describes them.
class ArrowBatchBuilder {
 public:
  ArrowBatchBuilder(duckdb::ClientContext& client, DataTypePtr schema, duckdb::vector<duckdb::LogicalType> types);
  ~ArrowBatchBuilder();
  void Append(duckdb::DataChunk& chunk, duckdb::idx_t from, duckdb::idx_t to);
  int64_t rows() const { return rows_; }
  /// Rough size of what was appended.
  int64_t bytes() const { return bytes_; }
  /// The rows so far; the builder is empty afterwards.
  ArrowBatch Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
  DataTypePtr schema_;
  int64_t rows_ = 0;
  int64_t bytes_ = 0;
};

}  // namespace frazil::engine
