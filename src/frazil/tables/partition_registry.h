#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frazil/base/result.h"

namespace frazil::tables {

/// The values of one partition, in the order of the table's partition columns; nullopt: NULL.
using PartitionValues = std::vector<std::optional<std::string>>;

/// A partition of a table of plain files that a catalog keeps.
struct KnownPartition {
  PartitionValues values;
  std::string location;  ///< Its folder, which may lie anywhere.
  std::map<std::string, std::string> parameters;
};

/// Keeps the partitions of one table of plain files: a folder that it does not know is no partition. The commit points
/// of tables whose catalogs do so (a Hive Metastore, AWS Glue) are also of this type. Thread-safe.
class PartitionRegistry {
 public:
  virtual ~PartitionRegistry() = default;
  /// False: the folders alone say which partitions there are.
  virtual bool keeps_partitions() const = 0;
  /// Error where rows must not be written: the catalog promises more of the files than we would keep to (buckets).
  virtual Status CheckWritable() const = 0;
  virtual Result<std::vector<KnownPartition>> ListPartitions() = 0;
  /// Those that are there already stay as they are.
  virtual Status AddPartitions(const std::vector<KnownPartition>& partitions) = 0;
  /// Their files stay. Those that are gone already are no error.
  virtual Status DropPartitions(const std::vector<PartitionValues>& partitions) = 0;
};

}  // namespace frazil::tables
