#pragma once

#include <map>
#include <set>
#include <string>

#include "frazil/base/result.h"
#include "frazil/tables/iceberg/manifest.h"
#include "frazil/tables/iceberg/table_metadata.h"
#include "frazil/tables/write.h"

namespace frazil::tables::iceberg {

/// How much of a column's statistics is kept: write.metadata.metrics.* ("none", "counts", "truncate(16)", "full").
struct MetricsMode {
  bool counts = true;
  bool bounds = true;
  size_t length = 16;  ///< Longest bound of strings and binaries; 0: whole.
};

class MetricsConfig {
 public:
  /// Columns without a setting of their own have the default; those beyond
  /// write.metadata.metrics.max-inferred-column-defaults none.
  static MetricsConfig Of(const TableMetadata& metadata);
  const MetricsMode& For(int32_t field_id) const;
  /// Whether the column has no statistics in Parquet files (write.parquet.stats-enabled.column.*), from which Iceberg
  /// has them.
  bool IsBareInParquet(int32_t field_id) const { return bare_in_parquet_.contains(field_id); }

 private:
  std::set<int32_t> bare_in_parquet_;
  std::map<int32_t, MetricsMode> by_field_;
  MetricsMode none_{false, false, 0};
};

/// The entry of a written file of a spec, whose rows are in a sort order (0: in none that the table knows). Of a column
/// with a negative value_count only the size is known.
Result<DataFilePtr> ToDataFile(const WrittenFile& written, const TableMetadata& metadata, const PartitionSpec& spec,
                               int32_t sort_order_id, const MetricsConfig& metrics);

}  // namespace frazil::tables::iceberg
