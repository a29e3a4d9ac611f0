#pragma once

// The responses of one execution between the thread that makes them and the RPC that sends them.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include <spark/connect/base.pb.h>

#include "frazil/base/result.h"

namespace frazil::connect {

/// A bounded buffer with positions. One producer; one reader at a time: a new reader takes the place of the old one, as
/// ReattachExecute wants it. Responses that were read are kept for a reader that comes back, up to ten megabytes,
/// unless the log is not reattachable. Thread-safe.
class ResponseLog {
 public:
  using ResponsePtr = std::shared_ptr<const spark::connect::ExecutePlanResponse>;

  ResponseLog(std::string operation_id, bool reattachable)
      : operation_id_(std::move(operation_id)), reattachable_(reattachable) {}

  // --- the producer
  /// Gives the response its id and adds it; waits while too many bytes are unread. False once the log is closed.
  bool Append(spark::connect::ExecutePlanResponse response);
  /// As Append, but never waits: for small messages.
  void AppendNow(spark::connect::ExecutePlanResponse response);
  void Finish();
  /// The first error counts. One of kind kCancelled takes the place of the responses that were not read.
  void Fail(std::shared_ptr<const Error> error);
  /// Nobody will read any more: the producer stops.
  void Close();
  bool closed() const;
  /// Whether Finish or Fail was called.
  bool ended() const;

  // --- the reader
  enum class State { kResponse, kTimeout, kEnd, kFailed, kPreempted };
  struct Reading {
    State state = State::kTimeout;
    ResponsePtr response;                ///< kResponse.
    std::shared_ptr<const Error> error;  ///< kFailed.
  };
  /// Number of the new reader. Earlier readers read kPreempted from now on.
  uint64_t Attach();
  void Detach(uint64_t reader);
  /// Position after the response of that id (the first one for an empty id). Errors INVALID_CURSOR.POSITION_NOT_FOUND,
  /// POSITION_NOT_AVAILABLE.
  Result<int64_t> PositionAfter(const std::string& response_id) const;
  Reading Read(uint64_t reader, int64_t position, std::chrono::milliseconds timeout);
  /// Forgets the responses up to and including that one.
  void ReleaseUntil(const std::string& response_id);
  /// How long there has been no reader; zero while there is one.
  std::chrono::steady_clock::duration Unattended() const;

 private:
  void Push(spark::connect::ExecutePlanResponse response);
  void DropFirst();
  void TrimRead();

  struct Entry {
    ResponsePtr response;
    int64_t bytes = 0;
  };

  const std::string operation_id_;
  const bool reattachable_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> entries_;
  int64_t first_position_ = 0;  // Of entries_.front().
  int64_t read_position_ = 0;   // First one that nobody has read.
  int64_t unread_bytes_ = 0;
  int64_t read_bytes_ = 0;
  bool ended_ = false;
  bool closed_ = false;
  std::shared_ptr<const Error> error_;
  uint64_t readers_ = 0;
  bool attached_ = false;
  std::chrono::steady_clock::time_point detached_at_ = std::chrono::steady_clock::now();
};

}  // namespace frazil::connect
