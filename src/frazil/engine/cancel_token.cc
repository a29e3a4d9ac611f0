#include <map>
#include <mutex>

#include "frazil/engine/engine.h"

namespace frazil::engine {

struct CancelToken::State {
  std::mutex mutex;
  std::map<int64_t, std::function<void()>> interrupts;
  int64_t next_id = 1;
};

CancelToken::CancelToken() : state_(std::make_shared<State>()) {}

void CancelToken::Cancel() {
  cancelled_.store(true);
  std::lock_guard<std::mutex> lock(state_->mutex);
  for (const auto& [id, interrupt] : state_->interrupts) interrupt();
}

int64_t CancelToken::AddInterrupt(std::function<void()> interrupt) {
  std::lock_guard<std::mutex> lock(state_->mutex);
  if (cancelled_.load()) interrupt();
  state_->interrupts.emplace(state_->next_id, std::move(interrupt));
  return state_->next_id++;
}

void CancelToken::RemoveInterrupt(int64_t id) {
  std::lock_guard<std::mutex> lock(state_->mutex);
  state_->interrupts.erase(id);
}

Status CheckNotCancelled(const CancelToken* cancel) {
  if (cancel != nullptr && cancel->cancelled()) return Error::Cancelled("The query was interrupted.");
  return Status::Ok();
}

}  // namespace frazil::engine
