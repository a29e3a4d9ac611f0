#pragma once

// Processes that run the user's Python functions (python/frazil/udf_worker.py has the protocol).

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "frazil/base/result.h"

namespace frazil::udf {

/// Where a function runs.
struct PythonPlace {
  std::string program;  ///< The interpreter: a path, or a name that is looked up in PATH.
  std::string user;     ///< Functions of different users never share a process.
  /// The folder with the files that the client sent (addArtifact), a line break, and how often it was changed; empty:
  /// none. Functions run in it, and find modules there. A process knows the files of its start alone.
  std::string artifacts = {};
  bool operator==(const PythonPlace&) const = default;
};

/// What can stop a call from another thread: `watch` is given a function that ends the call, and returns what takes it
/// back.
using CallWatch = std::function<std::function<void()>(std::function<void()>)>;

/// Calls a function over one batch of rows in a worker process of that place: one that waits, else a new one. Workers
/// are kept for later calls (a few, for a minute); what one of them prints goes to the server's standard error.
///
/// `function` is the description and `rows` the Arrow IPC stream of the protocol; the answer is an Arrow IPC stream.
/// Errors: what the function raises, as `PythonError` says it; a worker that cannot be started or that ends in the
/// middle is a plain SparkException with the reason. Thread-safe.
Result<std::string> CallPython(const PythonPlace& place, const std::string& function, std::string_view rows,
                               const CallWatch& watch);

/// The interpreter that runs functions: spark.pyspark.python, else FRAZIL_PYTHON or PYSPARK_PYTHON of the server's
/// environment, else python3. `settings` gives the session's settings by key; it may be null.
std::string PythonProgram(const std::function<std::optional<std::string>(std::string_view)>& settings);

/// What a session's settings answer under this key, which is none of its settings, is PythonPlace::artifacts.
inline constexpr std::string_view kArtifactsKey = "frazil.session.artifacts";

/// Where the functions of a session run. `settings` as for PythonProgram.
PythonPlace PlaceOf(const std::function<std::optional<std::string>(std::string_view)>& settings, std::string user);

/// A function's description as workers read it: the length of the header (JSON), the header, the function's pickle.
std::string DescribeFunction(const std::string& header, const std::string& command);

/// The error of a Python exception: Spark's PythonException, whose text is the traceback.
Error PythonError(std::string traceback);

}  // namespace frazil::udf
