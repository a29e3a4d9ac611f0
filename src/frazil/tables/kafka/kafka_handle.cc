#include "frazil/tables/kafka/kafka_handle.h"

#include <array>

namespace frazil::tables {
namespace {

using Text = std::array<char, 512>;

struct ConfDeleter {
  void operator()(rd_kafka_conf_t* conf) const { rd_kafka_conf_destroy(conf); }
};

void DropLog(const rd_kafka_t* /*client*/, int /*level*/, const char* /*facility*/, const char* /*text*/) {}

Error InvalidProperty(const std::string& name, const std::string& value) {
  return Error::Plain(ExceptionClass::kSpark, "Invalid value " + value + " for configuration " + name);
}

}  // namespace

Status KafkaHandle::CheckProperty(const std::string& name, const std::string& value) {
  const std::unique_ptr<rd_kafka_conf_t, ConfDeleter> conf(rd_kafka_conf_new());
  Text text{};
  const auto set = rd_kafka_conf_set(conf.get(), name.c_str(), value.c_str(), text.data(), text.size());
  return set == RD_KAFKA_CONF_OK ? Status() : Status(InvalidProperty(name, value));
}

Result<std::unique_ptr<KafkaHandle>> KafkaHandle::Make(Role role, const KafkaProperties& properties,
                                                       KafkaProperties defaults) {
  FRAZIL_ASSIGN_OR_RETURN(auto native, NativeProperties(properties));
  native.merge(defaults);
  std::unique_ptr<KafkaHandle> made(new KafkaHandle());
  std::unique_ptr<rd_kafka_conf_t, ConfDeleter> conf(rd_kafka_conf_new());
  Text text{};
  for (const auto& [name, value] : native) {
    if (rd_kafka_conf_set(conf.get(), name.c_str(), value.c_str(), text.data(), text.size()) != RD_KAFKA_CONF_OK)
      return InvalidProperty(name, value);
  }
  rd_kafka_conf_set_opaque(conf.get(), made.get());
  rd_kafka_conf_set_log_cb(conf.get(), DropLog);
  rd_kafka_conf_set_error_cb(conf.get(), OnError);
  if (role == Role::kProducer) rd_kafka_conf_set_dr_msg_cb(conf.get(), OnDelivered);
  made->handle_ = rd_kafka_new(role == Role::kProducer ? RD_KAFKA_PRODUCER : RD_KAFKA_CONSUMER, conf.get(), text.data(),
                               text.size());
  if (made->handle_ == nullptr)
    return Error::Plain(ExceptionClass::kSpark, std::string("Failed to construct kafka client: ") + text.data());
  // The client owns it now.
  (void)conf.release();
  return made;
}

KafkaHandle::~KafkaHandle() {
  if (handle_ != nullptr) rd_kafka_destroy(handle_);
}

Error KafkaHandle::Failure(rd_kafka_resp_err_t code) const {
  std::string message = std::string("Kafka: ") + rd_kafka_err2str(code);
  const std::lock_guard lock(mutex_);
  if (!last_reason_.empty()) message += " (" + last_reason_ + ")";
  return Error::Plain(ExceptionClass::kSpark, message);
}

void KafkaHandle::OnError(rd_kafka_t* /*client*/, int /*code*/, const char* reason, void* self) {
  auto& handle = *static_cast<KafkaHandle*>(self);
  const std::lock_guard lock(handle.mutex_);
  handle.last_reason_ = reason;
}

void KafkaHandle::OnDelivered(rd_kafka_t* /*client*/, const rd_kafka_message_t* message, void* self) {
  if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) return;
  auto none = RD_KAFKA_RESP_ERR_NO_ERROR;
  static_cast<KafkaHandle*>(self)->undelivered_.compare_exchange_strong(none, message->err);
}

}  // namespace frazil::tables
