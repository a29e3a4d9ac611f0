#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "frazil/tables/scan.h"
#include "frazil/types/arrow_c.h"

namespace frazil::tables {

/// What can stop a read from another thread: it is given a function that ends the read, and returns what takes it back.
using ReadWatch = std::function<std::function<void()>(std::function<void()>)>;

/// A scan whose rows come from a program and not from files (data sources of Python), partition by partition, so that
/// several threads may read. Nothing is read before the statement runs.
class PartitionedRows : public TableScan {
 public:
  /// What is to be read, in the words of the program.
  struct Partitions {
    std::string reader;
    std::vector<std::string> partitions;
  };

  /// The partitions that may hold rows for which the filter is true; rows are filtered once more above.
  virtual Result<Partitions> PlanPartitions(const PredicatePtr& filter, const ReadWatch& watch) const = 0;
  /// The rows of one of them, with the columns of `schema()`.
  virtual Result<ArrowTablePtr> ReadPartition(const Partitions& planned, size_t index,
                                              const ReadWatch& watch) const = 0;

  bool has_rows() const override { return true; }
  Result<ScanPlan> Plan(const PredicatePtr& /*filter*/) const override {
    return Error::Internal("a program has rows, not files");
  }
};

}  // namespace frazil::tables
