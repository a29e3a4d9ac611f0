#pragma once

#include <string>
#include <vector>

#include "frazil/base/result.h"

namespace frazil::tables {

/// What of a table makes use of a feature.
struct FeatureTraces {
  bool found = false;              ///< There were any.
  std::vector<std::string> files;  ///< Data files (paths of the scan) that have to be written anew.
};

/// A table whose protocol lists features, of which it can be freed again (ALTER TABLE ... DROP FEATURE).
class RemovesFeatures {
 public:
  virtual ~RemovesFeatures() = default;
  /// First, in a commit of its own: from now on nothing makes use of the feature. Error where the feature cannot be
  /// removed.
  virtual Result<FeatureTraces> TurnOffFeature(const std::string& feature, bool truncate_history) const = 0;
  /// Then, of the table as it is without the traces: takes the feature out of the protocol. Error where versions that
  /// make use of it would be left without protection.
  virtual Status RemoveFeature(const std::string& feature, bool truncate_history, bool had_traces) const = 0;
};

}  // namespace frazil::tables
