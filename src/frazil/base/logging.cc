#include "frazil/base/logging.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <mutex>

#include "frazil/base/text.h"

namespace frazil {
namespace {

std::atomic<LogLevel> minimum_level{LogLevel::kWarn};

struct Sink {
  std::mutex mutex;
  std::function<void(std::string_view)> write;
};

// Never destroyed: threads may log while the process ends.
Sink& GlobalSink() {
  static auto* sink = new Sink();
  return *sink;
}

std::string TimeText() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char date[32];
  std::strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &parts);
  char text[48];
  std::snprintf(text, sizeof(text), "%s.%03dZ", date, static_cast<int>(millis));
  return text;
}

void AppendEscaped(std::string_view text, std::string* line) {
  for (const char character : text) {
    if (character == '\n') {
      *line += "\\n";
    } else if (character == '\r') {
      *line += "\\r";
    } else {
      *line += character;
    }
  }
}

void AppendField(const LogField& field, std::string* line) {
  line->append(" ").append(field.key).append("=");
  if (!field.value.empty() && field.value.find_first_of(" \"=\t\n\r") == std::string::npos) {
    line->append(field.value);
    return;
  }
  std::string quoted = ReplaceAll(ReplaceAll(field.value, "\\", "\\\\"), "\"", "\\\"");
  line->append("\"");
  AppendEscaped(quoted, line);
  line->append("\"");
}

}  // namespace

std::optional<LogLevel> LogLevelByName(std::string_view name) {
  const std::string upper = AsciiUpper(name);
  if (upper == "TRACE" || upper == "ALL") return LogLevel::kTrace;
  if (upper == "DEBUG") return LogLevel::kDebug;
  if (upper == "INFO") return LogLevel::kInfo;
  if (upper == "WARN" || upper == "WARNING") return LogLevel::kWarn;
  if (upper == "ERROR" || upper == "FATAL") return LogLevel::kError;
  if (upper == "OFF") return LogLevel::kOff;
  return std::nullopt;
}

std::string_view LogLevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kTrace:
      return "TRACE";
    case LogLevel::kDebug:
      return "DEBUG";
    case LogLevel::kInfo:
      return "INFO";
    case LogLevel::kWarn:
      return "WARN";
    case LogLevel::kError:
      return "ERROR";
    case LogLevel::kOff:
      return "OFF";
  }
  return {};
}

void SetLogLevel(LogLevel level) { minimum_level.store(level, std::memory_order_relaxed); }

bool IsLogged(LogLevel level) {
  return level >= minimum_level.load(std::memory_order_relaxed) && level != LogLevel::kOff;
}

void Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (!IsLogged(level)) return;
  std::string line = TimeText();
  line.append(" ").append(LogLevelName(level)).append(" ");
  AppendEscaped(message, &line);
  for (const auto& field : fields) AppendField(field, &line);
  Sink& sink = GlobalSink();
  const std::lock_guard lock(sink.mutex);
  if (sink.write) {
    sink.write(line);
    return;
  }
  line += '\n';
  // Nothing sensible is left to do where standard error cannot be written.
  static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
}

void SetLogSink(std::function<void(std::string_view)> sink) {
  Sink& global = GlobalSink();
  const std::lock_guard lock(global.mutex);
  global.write = std::move(sink);
}

}  // namespace frazil
