#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frazil/base/result.h"

namespace frazil::tables {

/// Which files of a clustered table are put in order anew, and what it has of each kind.
struct ClusteringChoice {
  std::vector<std::string> files;  ///< Paths of the scan.
  int64_t cubes = 0;               ///< Groups of files that were put in order together, by the present columns.
  int64_t cube_files = 0, cube_bytes = 0;
  int64_t other_files = 0, other_bytes = 0;
};

/// A table with CLUSTER BY that knows which of its files stand in order already.
class ClusteredFiles {
 public:
  virtual ~ClusteredFiles() = default;
  /// `is_full`: also what is in the order of other columns.
  virtual Result<ClusteringChoice> ChooseFilesToCluster(bool is_full) const = 0;
};

}  // namespace frazil::tables
