#pragma once

#include <string>

#include "frazil/base/result.h"

namespace frazil::tables {

/// A table whose states have names: branches, which statements may write, and tags.
class NamesStates {
 public:
  virtual ~NamesStates() = default;
  /// Whether the name is a branch's; false for a tag's. An error where it is neither's.
  virtual Result<bool> IsBranch(const std::string& name) const = 0;
};

}  // namespace frazil::tables
