#pragma once

#include <cstdint>
#include <string>

#include "frazil/base/result.h"

namespace frazil::storage {

/// Which of the objects that a path has named one after the other it is.
struct ObjectVersion {
  std::string tag;  ///< Another one for other bytes; empty: the store gives none.
  int64_t modified_micros = 0;
};

/// What readers of stores that tag their objects also are. A reader sticks to the version that it has seen first.
class VersionedReader {
 public:
  virtual ~VersionedReader() = default;
  /// May ask the store.
  virtual Result<ObjectVersion> Version() = 0;
};

}  // namespace frazil::storage
