#pragma once

// A client of librdkafka. Only the files of this folder include it: its header reaches no other.

#include <atomic>
#include <cstdint>
#include <functional>
#include <librdkafka/rdkafka.h>
#include <memory>
#include <mutex>
#include <string>

#include "frazil/base/result.h"
#include "frazil/tables/kafka/kafka_options.h"
#include "frazil/tables/partitioned_rows.h"

namespace frazil::tables {

/// Whether a statement was stopped while one of its calls runs.
class StopFlag {
 public:
  explicit StopFlag(const ReadWatch& watch) {
    if (watch) take_back_ = watch([this] { stopped_ = true; });
  }
  ~StopFlag() {
    if (take_back_) take_back_();
  }
  StopFlag(const StopFlag&) = delete;
  StopFlag& operator=(const StopFlag&) = delete;
  bool stopped() const { return stopped_; }
  Status Check() const { return stopped_ ? Status(Error::Cancelled("The query was cancelled.")) : Status(); }

 private:
  std::atomic<bool> stopped_{false};
  std::function<void()> take_back_;
};

class KafkaHandle {
 public:
  enum class Role : uint8_t { kConsumer, kProducer };
  /// `properties`: of the Java clients. `defaults`: librdkafka's, where the properties do not say otherwise.
  static Result<std::unique_ptr<KafkaHandle>> Make(Role role, const KafkaProperties& properties,
                                                   KafkaProperties defaults);
  ~KafkaHandle();
  KafkaHandle(const KafkaHandle&) = delete;
  KafkaHandle& operator=(const KafkaHandle&) = delete;

  /// Error: the property, of librdkafka, takes no such value.
  static Status CheckProperty(const std::string& name, const std::string& value);

  rd_kafka_t* get() const { return handle_; }
  /// An error of a call, with what the client has said last of its connections.
  Error Failure(rd_kafka_resp_err_t code) const;
  /// Producers: the first record that could not be written; an error of none where all is well.
  rd_kafka_resp_err_t undelivered() const { return undelivered_.load(); }

 private:
  KafkaHandle() = default;
  static void OnError(rd_kafka_t* client, int code, const char* reason, void* self);
  static void OnDelivered(rd_kafka_t* client, const rd_kafka_message_t* message, void* self);

  rd_kafka_t* handle_ = nullptr;
  std::atomic<rd_kafka_resp_err_t> undelivered_{RD_KAFKA_RESP_ERR_NO_ERROR};
  mutable std::mutex mutex_;
  std::string last_reason_;
};

}  // namespace frazil::tables
