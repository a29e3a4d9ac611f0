#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "frazil/tables/scan.h"

namespace frazil::tables {

/// A streaming relation (readStream): its columns and what it reads, but no rows of its own. A streaming query reads it
/// batch by batch, and puts a bounded scan in its place in each. Whoever reads it otherwise is told so:
/// _LEGACY_ERROR_TEMP_3102.
class StreamingScan : public TableScan {
 public:
  /// `format`: of its files; nullopt: its rows come from no files. `place`: the how-manieth streaming source it is of
  /// those that the analysis of its plan met, from 0 on.
  StreamingScan(DataTypePtr schema, std::optional<FileFormat> format, size_t place)
      : schema_(std::move(schema)), format_(format), place_(place) {}

  const DataTypePtr& schema() const override { return schema_; }
  FileFormat format() const override { return format_.value_or(FileFormat::kParquet); }
  bool has_rows() const override { return !format_.has_value(); }
  Result<std::shared_ptr<const RowSet>> Rows() const override { return Refused(); }
  Result<ScanPlan> Plan(const PredicatePtr& /*filter*/) const override { return Refused(); }
  size_t place() const { return place_; }

 private:
  static Error Refused() {
    return Error::Of(ExceptionClass::kAnalysis, "_LEGACY_ERROR_TEMP_3102",
                     {{"msg",
                       "Queries with streaming sources must be executed with writeStream.start(), or from a streaming "
                       "table or flow definition within a Spark Declarative Pipeline."}});
  }

  DataTypePtr schema_;
  std::optional<FileFormat> format_;
  size_t place_;
};

}  // namespace frazil::tables
