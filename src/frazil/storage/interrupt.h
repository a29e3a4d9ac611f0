#pragma once

#include <functional>

namespace frazil::storage {

/// While it lives, stores that wait on a network for this thread ask `interrupted` now and then, and give up with an
/// error of kind kCancelled where it says so. Scopes may be nested; the innermost counts.
class InterruptScope {
 public:
  explicit InterruptScope(std::function<bool()> interrupted);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  /// The question of this thread's innermost scope; empty where there is none.
  static std::function<bool()> Current();

 private:
  std::function<bool()> interrupted_;
  const InterruptScope* outer_;
};

}  // namespace frazil::storage
