#include <algorithm>
#include <cctype>
#include <span>
#include <string_view>
#include <vector>

#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>

#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/connect/error_status_internal.h"

namespace frazil::connect {
namespace {

namespace proto = spark::connect;

constexpr size_t kMostErrors = 1000;
constexpr size_t kMostMessageBytes = 1024;
constexpr size_t kMostParameterBytes = 1024;

// Class hierarchies as Java has them, most derived first; clients take the first that they know.
constexpr std::string_view kAnalysisClasses[] = {"org.apache.spark.sql.AnalysisException", "java.lang.Exception",
                                                 "java.lang.Throwable", "java.lang.Object"};
constexpr std::string_view kParseClasses[] = {"org.apache.spark.sql.catalyst.parser.ParseException",
                                              "org.apache.spark.sql.AnalysisException", "java.lang.Exception",
                                              "java.lang.Throwable", "java.lang.Object"};
constexpr std::string_view kIllegalArgumentClasses[] = {"org.apache.spark.SparkIllegalArgumentException",
                                                        "java.lang.IllegalArgumentException",
                                                        "java.lang.RuntimeException",
                                                        "java.lang.Exception",
                                                        "java.lang.Throwable",
                                                        "java.lang.Object"};
constexpr std::string_view kArithmeticClasses[] = {"org.apache.spark.SparkArithmeticException",
                                                   "java.lang.ArithmeticException",
                                                   "java.lang.RuntimeException",
                                                   "java.lang.Exception",
                                                   "java.lang.Throwable",
                                                   "java.lang.Object"};
constexpr std::string_view kArrayIndexClasses[] = {"org.apache.spark.SparkArrayIndexOutOfBoundsException",
                                                   "java.lang.ArrayIndexOutOfBoundsException",
                                                   "java.lang.IndexOutOfBoundsException",
                                                   "java.lang.RuntimeException",
                                                   "java.lang.Exception",
                                                   "java.lang.Throwable",
                                                   "java.lang.Object"};
constexpr std::string_view kDateTimeClasses[] = {"org.apache.spark.SparkDateTimeException",
                                                 "java.time.DateTimeException",
                                                 "java.lang.RuntimeException",
                                                 "java.lang.Exception",
                                                 "java.lang.Throwable",
                                                 "java.lang.Object"};
constexpr std::string_view kNumberFormatClasses[] = {"org.apache.spark.SparkNumberFormatException",
                                                     "java.lang.NumberFormatException",
                                                     "java.lang.IllegalArgumentException",
                                                     "java.lang.RuntimeException",
                                                     "java.lang.Exception",
                                                     "java.lang.Throwable",
                                                     "java.lang.Object"};
constexpr std::string_view kNoSuchElementClasses[] = {"org.apache.spark.SparkNoSuchElementException",
                                                      "java.util.NoSuchElementException",
                                                      "java.lang.RuntimeException",
                                                      "java.lang.Exception",
                                                      "java.lang.Throwable",
                                                      "java.lang.Object"};
constexpr std::string_view kUnsupportedOperationClasses[] = {"org.apache.spark.SparkUnsupportedOperationException",
                                                             "java.lang.UnsupportedOperationException",
                                                             "java.lang.RuntimeException",
                                                             "java.lang.Exception",
                                                             "java.lang.Throwable",
                                                             "java.lang.Object"};
constexpr std::string_view kSparkRuntimeClasses[] = {"org.apache.spark.SparkRuntimeException",
                                                     "java.lang.RuntimeException", "java.lang.Exception",
                                                     "java.lang.Throwable", "java.lang.Object"};
constexpr std::string_view kSparkUpgradeClasses[] = {"org.apache.spark.SparkUpgradeException",
                                                     "java.lang.RuntimeException", "java.lang.Exception",
                                                     "java.lang.Throwable", "java.lang.Object"};
constexpr std::string_view kSparkClasses[] = {"org.apache.spark.SparkException", "java.lang.Exception",
                                              "java.lang.Throwable", "java.lang.Object"};

constexpr std::string_view kPythonClasses[] = {"org.apache.spark.api.python.PythonException",
                                               "java.lang.RuntimeException", "java.lang.Exception",
                                               "java.lang.Throwable", "java.lang.Object"};

constexpr std::string_view kStreamingQueryClasses[] = {"org.apache.spark.sql.streaming.StreamingQueryException",
                                                       "java.lang.Exception", "java.lang.Throwable",
                                                       "java.lang.Object"};

// Errors without a condition whose text is a traceback are those of Python functions (udf::PythonError).
bool IsPythonError(const Error& error) {
  return error.condition.empty() && error.exception_class == ExceptionClass::kSparkRuntime &&
         error.message.starts_with("Traceback (most recent call last):");
}

// Errors without a condition whose text begins with the name of a class of Java ("org.apache.iceberg.exceptions.
// ValidationException: ...") are of that class; "" for others.
std::string_view JavaClassOf(const Error& error) {
  if (!error.condition.empty() || error.exception_class != ExceptionClass::kSpark) return {};
  const std::string_view message = error.message;
  const std::string_view name = message.substr(0, message.find(": "));
  const bool is_name = std::all_of(name.begin(), name.end(),
                                   [](unsigned char letter) { return std::isalnum(letter) != 0 || letter == '.'; });
  const bool is_class = is_name && name.size() < message.size() && name.ends_with("Exception") &&
                        (name.starts_with("java.") || name.starts_with("org.apache.iceberg."));
  return is_class ? name : std::string_view();
}

std::string MessageOf(const Error& error) {
  const std::string_view name = JavaClassOf(error);
  return name.empty() ? error.message : error.message.substr(name.size() + 2);
}

std::span<const std::string_view> FamilyOf(const Error& error) {
  if (IsPythonError(error)) return kPythonClasses;
  if (error.condition == "STREAM_FAILED") return kStreamingQueryClasses;
  switch (error.exception_class) {
    case ExceptionClass::kAnalysis:
      return kAnalysisClasses;
    case ExceptionClass::kParse:
      return kParseClasses;
    case ExceptionClass::kIllegalArgument:
      return kIllegalArgumentClasses;
    case ExceptionClass::kArithmetic:
      return kArithmeticClasses;
    case ExceptionClass::kArrayIndexOutOfBounds:
      return kArrayIndexClasses;
    case ExceptionClass::kDateTime:
      return kDateTimeClasses;
    case ExceptionClass::kNumberFormat:
      return kNumberFormatClasses;
    case ExceptionClass::kNoSuchElement:
      return kNoSuchElementClasses;
    case ExceptionClass::kUnsupportedOperation:
      return kUnsupportedOperationClasses;
    case ExceptionClass::kSparkRuntime:
      return kSparkRuntimeClasses;
    case ExceptionClass::kSparkUpgrade:
      return kSparkUpgradeClasses;
    case ExceptionClass::kSpark:
      return kSparkClasses;
  }
  return kSparkClasses;
}

// The class and those that it extends.
std::vector<std::string_view> ClassesOf(const Error& error) {
  const std::string_view name = JavaClassOf(error);
  const auto family = FamilyOf(error);
  if (name.empty()) return {family.begin(), family.end()};
  return {name, "java.lang.RuntimeException", "java.lang.Exception", "java.lang.Throwable", "java.lang.Object"};
}

// The text with U+FFFD for each byte that is none of it.
std::string WellFormed(std::string_view text) {
  constexpr size_t kLongest = 4;  // Bytes of a character.
  if (IsValidUtf8(text)) return std::string(text);
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t size = 1;
    while (size <= kLongest && at + size <= text.size() && !IsValidUtf8(text.substr(at, size))) ++size;
    const bool is_character = size <= kLongest && at + size <= text.size();
    result += is_character ? text.substr(at, size) : std::string_view("\xEF\xBF\xBD");
    at += is_character ? size : 1;
  }
  return result;
}

// At most `limit` bytes, cut between characters of UTF-8.
std::string Truncate(const std::string& text, size_t limit) {
  if (text.size() <= limit) return text;
  size_t end = limit - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

std::string ParametersJson(const Error::Parameters& parameters) {
  std::string text = "{";
  for (const auto& [name, value] : parameters) {
    if (text.size() > 1) text += ',';
    AppendJsonString(name, &text);
    text += ':';
    AppendJsonString(value, &text);
  }
  text += '}';
  return text;
}

std::string ClassesJson(std::span<const std::string_view> classes) {
  std::string text = "[";
  for (const auto name : classes) {
    if (text.size() > 1) text += ',';
    AppendJsonString(name, &text);
  }
  text += ']';
  return text;
}

void WriteQueryContext(const QueryContext& context, proto::FetchErrorDetailsResponse::QueryContext* message) {
  switch (context.type) {
    case QueryContext::Type::kSql:
      message->set_context_type(proto::FetchErrorDetailsResponse::QueryContext::SQL);
      message->set_object_type(context.object_type);
      message->set_object_name(context.object_name);
      message->set_start_index(context.start_index);
      message->set_stop_index(context.stop_index);
      break;
    case QueryContext::Type::kDataFrame:
      message->set_context_type(proto::FetchErrorDetailsResponse::QueryContext::DATAFRAME);
      message->set_call_site(context.call_site);
      break;
  }
  message->set_fragment(context.fragment);
  message->set_summary(context.summary);
}

}  // namespace

std::string ErrorStore::Add(std::shared_ptr<const Error> error) {
  std::string id = RandomUuidText();
  const std::lock_guard lock(mutex_);
  errors_[id] = std::move(error);
  order_.push_back(id);
  while (order_.size() > kMostErrors) {
    errors_.erase(order_.front());
    order_.pop_front();
  }
  return id;
}

std::shared_ptr<const Error> ErrorStore::Find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = errors_.find(id);
  return found == errors_.end() ? nullptr : found->second;
}

Error AsText(Error error) {
  error.message = WellFormed(error.message);
  for (auto& [name, value] : error.parameters) value = WellFormed(value);
  if (error.cause != nullptr) error.cause = std::make_shared<const Error>(AsText(*error.cause));
  return error;
}

grpc::Status ToGrpcStatus(const Error& error, const std::string& error_id) {
  const auto classes = ClassesOf(error);
  google::rpc::ErrorInfo info;
  info.set_reason(std::string(classes.front()));
  info.set_domain("org.apache.spark");
  auto& metadata = *info.mutable_metadata();
  metadata["classes"] = ClassesJson(classes);
  if (!error_id.empty()) metadata["errorId"] = error_id;
  if (!error.sql_state.empty()) metadata["sqlState"] = error.sql_state;
  if (!error.condition.empty()) {
    metadata["errorClass"] = error.condition;
    std::string parameters = ParametersJson(error.parameters);
    if (parameters.size() <= kMostParameterBytes) metadata["messageParameters"] = std::move(parameters);
  }
  const std::string message = Truncate(MessageOf(error), kMostMessageBytes);
  google::rpc::Status status;
  status.set_code(static_cast<int32_t>(grpc::StatusCode::INTERNAL));
  status.set_message(message);
  status.add_details()->PackFrom(info);
  return {grpc::StatusCode::INTERNAL, message, status.SerializeAsString()};
}

void WriteErrorDetails(const Error& error, proto::FetchErrorDetailsResponse* response) {
  response->set_root_error_idx(0);
  for (const Error* each = &error; each != nullptr; each = each->cause.get()) {
    auto* message = response->add_errors();
    for (const auto name : ClassesOf(*each)) message->add_error_type_hierarchy(std::string(name));
    message->set_message(MessageOf(*each));
    if (!each->condition.empty()) {
      auto* throwable = message->mutable_spark_throwable();
      throwable->set_error_class(each->condition);
      for (const auto& [name, value] : each->parameters) (*throwable->mutable_message_parameters())[name] = value;
      for (const auto& context : each->query_contexts) WriteQueryContext(context, throwable->add_query_contexts());
      if (!each->sql_state.empty()) throwable->set_sql_state(each->sql_state);
    }
    if (each->cause != nullptr) message->set_cause_idx(response->errors_size());
  }
}

}  // namespace frazil::connect
