#include "frazil/streaming/progress.h"

#include <algorithm>

#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/types/datetime.h"
#include "frazil/types/float_text.h"
#include "frazil/types/value.h"

namespace frazil::streaming {
namespace {

JsonValue Object() {
  JsonValue object;
  object.kind = JsonValue::Kind::kObject;
  return object;
}
JsonValue Array() {
  JsonValue array;
  array.kind = JsonValue::Kind::kArray;
  return array;
}
JsonValue Number(int64_t number) { return JsonValue::OfNumber(std::to_string(number)); }

/// A speed as Java's Double.toString; zero where there is no time yet to measure it by.
void AddSpeed(JsonValue* object, const char* name, double rows, std::optional<int64_t> millis) {
  const double speed = millis ? rows / static_cast<double>(std::max<int64_t>(1, *millis)) * 1000.0 : 0;
  object->members.emplace_back(name, JsonValue::OfNumber(DoubleToString(speed)));
}

/// An offset is JSON itself, or a text that is none.
JsonValue OffsetJson(const std::optional<Offset>& offset) {
  if (!offset) return JsonValue();
  auto parsed = ParseJson(*offset);
  return parsed.ok() ? *std::move(parsed) : JsonValue::OfString(*offset);
}

JsonValue ObservedJson(const std::vector<engine::ObservedMetrics>& observed) {
  JsonValue all = Object();
  for (const auto& metrics : observed) {
    JsonValue row = Object();
    for (size_t i = 0; i < metrics.keys.size(); ++i) {
      const auto& value = metrics.values[i];
      const auto& type = *metrics.types[i];
      if (value.is_null()) {
        row.members.emplace_back(metrics.keys[i], JsonValue());
      } else if (type.id() == TypeId::kBoolean || type.IsNumeric()) {
        auto parsed = ParseJson(ValueToString(type, value, "UTC"));
        row.members.emplace_back(metrics.keys[i], parsed.ok() ? *parsed : JsonValue());
      } else {
        row.members.emplace_back(metrics.keys[i], JsonValue::OfString(ValueToString(type, value, "UTC")));
      }
    }
    all.members.emplace_back(metrics.name, std::move(row));
  }
  return all;
}

}  // namespace

std::string IsoTime(int64_t millis) {
  std::string text = FormatTimestampNtz((millis - ((millis % 1000) + 1000) % 1000) * 1000);
  text[text.find(' ')] = 'T';
  const std::string fraction = std::to_string(((millis % 1000) + 1000) % 1000);
  return text + "." + std::string(3 - fraction.size(), '0') + fraction + "Z";
}

std::string Progress::Json() const {
  int64_t rows = 0;
  for (const auto& source : sources) rows += source.rows;
  std::optional<int64_t> since_last, processing;
  if (previous_timestamp_ms) since_last = timestamp_ms - *previous_timestamp_ms;
  if (const auto found = durations_ms.find("triggerExecution"); found != durations_ms.end()) processing = found->second;

  JsonValue json = Object();
  json.members.emplace_back("id", JsonValue::OfString(id));
  json.members.emplace_back("runId", JsonValue::OfString(run_id));
  json.members.emplace_back("name", name.empty() ? JsonValue() : JsonValue::OfString(name));
  json.members.emplace_back("timestamp", JsonValue::OfString(IsoTime(timestamp_ms)));
  json.members.emplace_back("batchId", Number(batch_id));
  json.members.emplace_back("batchDuration", Number(processing.value_or(0)));
  json.members.emplace_back("numInputRows", Number(rows));
  AddSpeed(&json, "inputRowsPerSecond", static_cast<double>(rows), since_last);
  AddSpeed(&json, "processedRowsPerSecond", static_cast<double>(rows), processing);
  JsonValue durations = Object();
  for (const auto& [key, millis] : durations_ms) durations.members.emplace_back(key, Number(millis));
  json.members.emplace_back("durationMs", std::move(durations));
  if (!event_time.empty()) {
    JsonValue times = Object();
    for (const auto& [key, time] : event_time) times.members.emplace_back(key, JsonValue::OfString(time));
    json.members.emplace_back("eventTime", std::move(times));
  }
  JsonValue operators = Array();
  for (const auto& text : state_operators) {
    auto parsed = ParseJson(text);
    if (parsed.ok()) operators.items.push_back(*std::move(parsed));
  }
  json.members.emplace_back("stateOperators", std::move(operators));
  JsonValue source_list = Array();
  for (const auto& source : sources) {
    JsonValue one = Object();
    one.members.emplace_back("description", JsonValue::OfString(source.description));
    one.members.emplace_back("startOffset", OffsetJson(source.start));
    one.members.emplace_back("endOffset", OffsetJson(source.end));
    one.members.emplace_back("latestOffset", OffsetJson(source.latest));
    one.members.emplace_back("numInputRows", Number(source.rows));
    AddSpeed(&one, "inputRowsPerSecond", static_cast<double>(source.rows), since_last);
    AddSpeed(&one, "processedRowsPerSecond", static_cast<double>(source.rows), processing);
    if (!source.metrics.empty()) {
      JsonValue metrics = Object();
      for (const auto& [name, value] : source.metrics) metrics.members.emplace_back(name, JsonValue::OfString(value));
      one.members.emplace_back("metrics", std::move(metrics));
    }
    source_list.items.push_back(std::move(one));
  }
  json.members.emplace_back("sources", std::move(source_list));
  JsonValue written = Object();
  written.members.emplace_back("description", JsonValue::OfString(sink));
  written.members.emplace_back("numOutputRows", Number(rows_written.value_or(-1)));
  json.members.emplace_back("sink", std::move(written));
  if (!observed.empty()) json.members.emplace_back("observedMetrics", ObservedJson(observed));
  return json.Write();
}

std::string StartedEventJson(const std::string& id, const std::string& run_id, const std::string& name,
                             int64_t timestamp_ms) {
  JsonValue json = Object();
  json.members.emplace_back("id", JsonValue::OfString(id));
  json.members.emplace_back("runId", JsonValue::OfString(run_id));
  json.members.emplace_back("name", name.empty() ? JsonValue() : JsonValue::OfString(name));
  json.members.emplace_back("timestamp", JsonValue::OfString(IsoTime(timestamp_ms)));
  json.members.emplace_back("jobTags", Array());
  return json.Write();
}

std::string ProgressEventJson(const std::string& progress) { return "{\"progress\":" + progress + "}"; }

std::string IdleEventJson(const std::string& id, const std::string& run_id, int64_t timestamp_ms) {
  JsonValue json = Object();
  json.members.emplace_back("id", JsonValue::OfString(id));
  json.members.emplace_back("runId", JsonValue::OfString(run_id));
  json.members.emplace_back("timestamp", JsonValue::OfString(IsoTime(timestamp_ms)));
  return json.Write();
}

std::string TerminatedEventJson(const std::string& id, const std::string& run_id, const Error* error) {
  JsonValue json = Object();
  json.members.emplace_back("id", JsonValue::OfString(id));
  json.members.emplace_back("runId", JsonValue::OfString(run_id));
  json.members.emplace_back("exception", error == nullptr ? JsonValue() : JsonValue::OfString(error->message));
  json.members.emplace_back("errorClassOnException", error == nullptr || error->condition.empty()
                                                         ? JsonValue()
                                                         : JsonValue::OfString(error->condition));
  return json.Write();
}

}  // namespace frazil::streaming
