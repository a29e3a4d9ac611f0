#pragma once

// Reports of a streaming query, as Spark's JSON (StreamingQueryProgress, the events of StreamingQueryListener).

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frazil/engine/engine.h"
#include "frazil/streaming/source.h"

namespace frazil::streaming {

struct SourceProgress {
  std::string description;
  std::optional<Offset> start, end, latest;
  int64_t rows = 0;
  std::map<std::string, std::string> metrics;
};

/// What one trigger of a query did.
struct Progress {
  std::string id, run_id, name;
  int64_t timestamp_ms = 0;
  int64_t batch_id = 0;
  std::optional<int64_t> previous_timestamp_ms;  ///< Of the trigger before; the input's speed follows from it.
  std::map<std::string, int64_t> durations_ms;
  std::map<std::string, std::string> event_time;  ///< "watermark", "max", ...: times in UTC.
  std::vector<std::string> state_operators;       ///< JSON objects.
  std::vector<SourceProgress> sources;
  std::string sink;
  std::optional<int64_t> rows_written;
  std::vector<engine::ObservedMetrics> observed;

  std::string Json() const;
};

/// "2026-01-31T12:00:00.000Z".
std::string IsoTime(int64_t millis);

enum class EventKind : uint8_t { kProgress, kTerminated, kIdle };

/// What happened to a query, for listeners.
struct StreamEvent {
  EventKind kind = EventKind::kProgress;
  std::string json;
};

std::string StartedEventJson(const std::string& id, const std::string& run_id, const std::string& name,
                             int64_t timestamp_ms);
std::string ProgressEventJson(const std::string& progress);
std::string IdleEventJson(const std::string& id, const std::string& run_id, int64_t timestamp_ms);
/// `error`: of a query that failed.
std::string TerminatedEventJson(const std::string& id, const std::string& run_id, const Error* error);

}  // namespace frazil::streaming
