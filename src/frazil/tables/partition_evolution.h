#pragma once

#include <cstdint>

namespace frazil::tables {

/// A scan of a table whose partitioning may have changed over time is also of this type.
class PartitionEvolution {
 public:
  virtual ~PartitionEvolution() = default;
  /// The spec (ScanFile::partition_spec_id) that new files get.
  virtual int32_t current_spec_id() const = 0;
};

}  // namespace frazil::tables
