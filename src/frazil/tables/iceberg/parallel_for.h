#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "frazil/base/result.h"

namespace frazil::tables::iceberg {

/// Calls run(i) for every i below `count`, by several threads where it pays, and gives the first error. After an error
/// no further call is started.
template <typename Run>
Status ParallelFor(size_t count, size_t max_threads, Run&& run) {
  size_t threads = std::min(count, max_threads);
  if (threads <= 1) {
    for (size_t i = 0; i < count; ++i) FRAZIL_RETURN_IF_ERROR(run(i));
    return {};
  }
  std::atomic<size_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  Status first_error;
  auto work = [&] {
    while (!failed.load(std::memory_order_relaxed)) {
      size_t i = next.fetch_add(1);
      if (i >= count) return;
      Status status = run(i);
      if (status.ok()) continue;
      std::lock_guard lock(mutex);
      if (!failed.exchange(true)) first_error = std::move(status);
    }
  };
  std::vector<std::thread> workers;
  for (size_t i = 1; i < threads; ++i) workers.emplace_back(work);
  work();
  for (auto& worker : workers) worker.join();
  return first_error;
}

/// Threads for reading manifests: reads wait for the store, so a few more than there are processors.
inline size_t ReadThreads() { return std::max<size_t>(4, std::thread::hardware_concurrency()); }

}  // namespace frazil::tables::iceberg
