#include "frazil/base/integer_text.h"
#include "frazil/connect/response_log_internal.h"

namespace frazil::connect {
namespace {

constexpr int64_t kMostUnreadBytes = 32LL * 1024 * 1024;
// As Spark's spark.connect.execute.reattachable.observerRetryBufferSize.
constexpr int64_t kMostReadBytes = 10LL * 1024 * 1024;

// The number behind the last '_' of an id that this log made, or -1.
int64_t PositionOf(const std::string& operation_id, const std::string& response_id) {
  if (response_id.size() <= operation_id.size() + 1 || !response_id.starts_with(operation_id) ||
      response_id[operation_id.size()] != '_') {
    return -1;
  }
  return ParseInteger<int64_t>(std::string_view(response_id).substr(operation_id.size() + 1)).value_or(-1);
}

}  // namespace

void ResponseLog::Push(spark::connect::ExecutePlanResponse response) {
  response.set_response_id(operation_id_ + "_" +
                           std::to_string(first_position_ + static_cast<int64_t>(entries_.size())));
  Entry entry;
  entry.bytes = static_cast<int64_t>(response.ByteSizeLong());
  entry.response = std::make_shared<const spark::connect::ExecutePlanResponse>(std::move(response));
  unread_bytes_ += entry.bytes;
  entries_.push_back(std::move(entry));
  changed_.notify_all();
}

bool ResponseLog::Append(spark::connect::ExecutePlanResponse response) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return closed_ || ended_ || unread_bytes_ < kMostUnreadBytes; });
  if (closed_ || ended_) return false;
  Push(std::move(response));
  return true;
}

void ResponseLog::AppendNow(spark::connect::ExecutePlanResponse response) {
  const std::lock_guard lock(mutex_);
  if (!closed_ && !ended_) Push(std::move(response));
}

void ResponseLog::Finish() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void ResponseLog::Fail(std::shared_ptr<const Error> error) {
  const std::lock_guard lock(mutex_);
  if (error->kind == ErrorKind::kCancelled) {
    // Nobody waits for the rest of the rows: who cancelled wants to hear so at once.
    while (first_position_ + static_cast<int64_t>(entries_.size()) > read_position_) {
      unread_bytes_ -= entries_.back().bytes;
      entries_.pop_back();
    }
  }
  if (error_ == nullptr) error_ = std::move(error);
  ended_ = true;
  changed_.notify_all();
}

void ResponseLog::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  entries_.clear();
  unread_bytes_ = 0;
  read_bytes_ = 0;
  changed_.notify_all();
}

bool ResponseLog::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

bool ResponseLog::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

uint64_t ResponseLog::Attach() {
  const std::lock_guard lock(mutex_);
  attached_ = true;
  changed_.notify_all();
  return ++readers_;
}

void ResponseLog::Detach(uint64_t reader) {
  const std::lock_guard lock(mutex_);
  if (reader != readers_) return;
  attached_ = false;
  detached_at_ = std::chrono::steady_clock::now();
}

Result<int64_t> ResponseLog::PositionAfter(const std::string& response_id) const {
  const std::lock_guard lock(mutex_);
  int64_t position = 0;
  if (!response_id.empty()) {
    const int64_t last = PositionOf(operation_id_, response_id);
    if (last < 0 || last >= first_position_ + static_cast<int64_t>(entries_.size())) {
      return Error::Of("INVALID_CURSOR.POSITION_NOT_FOUND", {{"responseId", response_id}});
    }
    position = last + 1;
  }
  if (position < first_position_) {
    return Error::Of("INVALID_CURSOR.POSITION_NOT_AVAILABLE",
                     {{"index", std::to_string(position)}, {"responseId", response_id}});
  }
  return position;
}

ResponseLog::Reading ResponseLog::Read(uint64_t reader, int64_t position, std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  const auto available = [&] { return first_position_ + static_cast<int64_t>(entries_.size()) > position; };
  changed_.wait_for(lock, timeout, [&] { return closed_ || reader != readers_ || available() || ended_; });
  Reading reading;
  if (reader != readers_) {
    reading.state = State::kPreempted;
  } else if (closed_ || position < first_position_) {
    reading.state = State::kFailed;
    reading.error =
        std::make_shared<const Error>(Error::Of("INVALID_HANDLE.OPERATION_ABANDONED", {{"handle", operation_id_}}));
  } else if (available()) {
    reading.state = State::kResponse;
    reading.response = entries_[position - first_position_].response;
    // What comes before the position has been read too.
    for (; read_position_ <= position; ++read_position_) {
      const int64_t bytes = entries_[read_position_ - first_position_].bytes;
      unread_bytes_ -= bytes;
      read_bytes_ += bytes;
    }
    TrimRead();
    changed_.notify_all();
  } else if (error_ != nullptr) {
    reading.state = State::kFailed;
    reading.error = error_;
  } else if (ended_) {
    reading.state = State::kEnd;
  }
  return reading;
}

void ResponseLog::DropFirst() {
  read_bytes_ -= entries_.front().bytes;
  entries_.pop_front();
  ++first_position_;
}

void ResponseLog::TrimRead() {
  // The last response that was read stays: a reader that comes back names it.
  const int64_t most = reattachable_ ? kMostReadBytes : 0;
  while (first_position_ + 1 < read_position_ && read_bytes_ > most) DropFirst();
}

void ResponseLog::ReleaseUntil(const std::string& response_id) {
  const std::lock_guard lock(mutex_);
  const int64_t last = PositionOf(operation_id_, response_id);
  while (!entries_.empty() && first_position_ <= last && first_position_ < read_position_) DropFirst();
}

std::chrono::steady_clock::duration ResponseLog::Unattended() const {
  const std::lock_guard lock(mutex_);
  if (attached_) return std::chrono::steady_clock::duration::zero();
  return std::chrono::steady_clock::now() - detached_at_;
}

}  // namespace frazil::connect
