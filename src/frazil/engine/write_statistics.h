#pragma once

// Bounds, nulls and NaNs of written columns, typed and exact. Internal to engine/.

#include <map>
#include <memory>
#include <vector>

#include <duckdb.hpp>

#include "frazil/tables/write.h"

namespace frazil::engine {

/// Gathers statistics of the leaf columns that stand at the top or within structs (not within arrays and maps, which
/// have no bounds).
class StatisticsCollector {
 public:
  /// Columns in the order of the chunks; those without a field id are left out.
  explicit StatisticsCollector(const std::vector<tables::ScanColumn>& columns);
  ~StatisticsCollector();
  void Update(duckdb::DataChunk& chunk);
  /// Takes in what another one of the same columns has gathered.
  void Merge(const StatisticsCollector& other);
  /// By field id.
  std::map<int32_t, tables::ColumnStatistics> Finish() const;

  struct Leaf;

 private:
  void UpdateColumn(const tables::ScanColumn& column, duckdb::Vector& vector, duckdb::idx_t count);

  const std::vector<tables::ScanColumn>& columns_;
  std::map<int32_t, std::unique_ptr<Leaf>> leaves_;
};

}  // namespace frazil::engine
