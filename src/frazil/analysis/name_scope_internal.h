#pragma once

#include <utility>

namespace frazil::analysis {

/// Takes a value aside and puts it back at the end of the block.
template <typename T>
class Restored {
 public:
  Restored(T* place, T temporary) : place_(place), saved_(std::exchange(*place, std::move(temporary))) {}
  ~Restored() { *place_ = std::move(saved_); }
  Restored(const Restored&) = delete;
  Restored& operator=(const Restored&) = delete;

 private:
  T* place_;
  T saved_;
};

}  // namespace frazil::analysis
