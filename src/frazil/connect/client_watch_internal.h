#pragma once

// Notices clients that have given up a call while the server still works for it.

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include <grpcpp/server_context.h>

#include "frazil/engine/engine.h"

namespace frazil::connect {

/// Cancels the work of calls whose client has gone (a closed connection, Ctrl-C in a client). One thread looks after
/// all calls; it sleeps while there are none. Thread-safe.
class ClientWatch {
 public:
  ClientWatch() = default;
  ~ClientWatch();

  /// A call under way, for as long as the object lives.
  class Call {
   public:
    Call(ClientWatch* watch, const grpc::ServerContext* context, std::shared_ptr<engine::CancelToken> cancel);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    ClientWatch* watch_;
    const grpc::ServerContext* context_;
  };

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<const grpc::ServerContext*, std::shared_ptr<engine::CancelToken>> calls_;
  std::thread thread_;
  bool stopping_ = false;
};

}  // namespace frazil::connect
