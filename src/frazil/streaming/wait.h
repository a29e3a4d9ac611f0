#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

#include "frazil/engine/engine.h"

namespace frazil::streaming {

/// Waits until `over()` holds, the time (milliseconds) is up or the token is cancelled; then calls `read()`. Both are
/// called with the lock held, and `changed` is told of every change that matters to `over`.
template <typename Over, typename Read>
void AwaitOrCancel(std::mutex& mutex, std::condition_variable& changed, std::optional<int64_t> timeout_ms,
                   engine::CancelToken* cancel, Over over, Read read) {
  const int64_t interrupt = cancel->AddInterrupt([&] {
    const std::lock_guard lock(mutex);
    changed.notify_all();
  });
  {
    std::unique_lock lock(mutex);
    const auto ends = [&] { return over() || cancel->cancelled(); };
    if (timeout_ms) {
      changed.wait_for(lock, std::chrono::milliseconds(*timeout_ms), ends);
    } else {
      changed.wait(lock, ends);
    }
    read();
  }
  cancel->RemoveInterrupt(interrupt);
}

}  // namespace frazil::streaming
