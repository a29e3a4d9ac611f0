#include "frazil/storage/interrupt.h"

namespace frazil::storage {
namespace {

thread_local const InterruptScope* innermost = nullptr;

}  // namespace

InterruptScope::InterruptScope(std::function<bool()> interrupted)
    : interrupted_(std::move(interrupted)), outer_(innermost) {
  innermost = this;
}

InterruptScope::~InterruptScope() { innermost = outer_; }

std::function<bool()> InterruptScope::Current() {
  return innermost == nullptr ? std::function<bool()>() : innermost->interrupted_;
}

}  // namespace frazil::storage
