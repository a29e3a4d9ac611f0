#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frazil/plan/unresolved_plan.h"

namespace frazil::streaming {

/// When the batches of a query begin.
/// https://spark.apache.org/docs/latest/streaming/apis-on-dataframes-and-datasets.html
struct Trigger {
  enum class Kind : uint8_t {
    kProcessingTime,  ///< Every `interval_ms`; 0: one after the other.
    kOnce,            ///< All there is, in one batch; then the query ends.
    kAvailableNow,    ///< All there is, in as many batches as the sources' limits ask for; then the query ends.
  };
  Kind kind = Kind::kProcessingTime;
  int64_t interval_ms = 0;
};

/// Which rows of its result a query gives to its sink.
enum class OutputMode : uint8_t { kAppend, kUpdate, kComplete };

/// "Append", ...
std::string OutputModeName(OutputMode mode);
/// Append where the text is empty. Error STREAMING_OUTPUT_MODE.INVALID.
Result<OutputMode> ParseOutputMode(const std::string& text);
/// "10 seconds" of processingTime as milliseconds: an interval of days and shorter units. Errors as Spark's.
Result<int64_t> ParseTriggerInterval(const std::string& text);

/// A Python function that gets the batches of a query, as the client pickled it.
struct PythonCallback {
  enum class Kind : uint8_t { kBatch, kRows };
  Kind kind = Kind::kBatch;  ///< foreachBatch, or foreach.
  std::string command;
  std::string version;  ///< The client's Python: "3.11"; empty: not told.
  std::string url;      ///< kBatch: where the function gets at the client's session.
};

/// df.writeStream...start(), toTable().
struct StreamWrite {
  plan::PlanPtr input;
  std::string format;  ///< Empty: spark.sql.sources.default.
  plan::Options options;
  std::vector<std::string> partition_columns;
  std::vector<std::string> clustering_columns;
  Trigger trigger;
  std::string output_mode;
  std::string query_name;  ///< Empty: none.
  std::optional<std::string> path;
  std::string table_name;                  ///< toTable; empty: none.
  std::optional<PythonCallback> callback;  ///< Instead of a sink.
};

}  // namespace frazil::streaming
