#include <chrono>

#include "frazil/connect/client_watch_internal.h"

namespace frazil::connect {
namespace {

constexpr std::chrono::milliseconds kInterval{50};

}  // namespace

ClientWatch::~ClientWatch() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void ClientWatch::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stopping_ || !calls_.empty(); });
    changed_.wait_for(lock, kInterval, [&] { return stopping_; });
    if (stopping_) return;
    for (const auto& [context, cancel] : calls_) {
      if (context->IsCancelled() && !cancel->cancelled()) cancel->Cancel();
    }
  }
}

ClientWatch::Call::Call(ClientWatch* watch, const grpc::ServerContext* context,
                        std::shared_ptr<engine::CancelToken> cancel)
    : watch_(watch), context_(context) {
  const std::lock_guard lock(watch_->mutex_);
  watch_->calls_[context_] = std::move(cancel);
  if (!watch_->thread_.joinable()) watch_->thread_ = std::thread([watch] { watch->Run(); });
  watch_->changed_.notify_all();
}

ClientWatch::Call::~Call() {
  const std::lock_guard lock(watch_->mutex_);
  watch_->calls_.erase(context_);
}

}  // namespace frazil::connect
