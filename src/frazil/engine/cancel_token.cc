#include <mutex>

#include "frazil/engine/engine.h"

namespace frazil::engine {

struct CancelToken::State {
  std::mutex mutex;
  std::function<void()> interrupt;
};

CancelToken::CancelToken() : state_(std::make_shared<State>()) {}

void CancelToken::Cancel() {
  cancelled_.store(true);
  std::lock_guard<std::mutex> lock(state_->mutex);
  if (state_->interrupt) state_->interrupt();
}

void CancelToken::SetInterrupt(std::function<void()> interrupt) {
  std::lock_guard<std::mutex> lock(state_->mutex);
  state_->interrupt = std::move(interrupt);
  if (cancelled_.load() && state_->interrupt) state_->interrupt();
}

Status CheckNotCancelled(const CancelToken* cancel) {
  if (cancel != nullptr && cancel->cancelled()) return Error::Cancelled("The query was interrupted.");
  return Status::Ok();
}

}  // namespace frazil::engine
