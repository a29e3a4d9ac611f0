#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace frazil {

enum class LogLevel { kTrace, kDebug, kInfo, kWarn, kError, kOff };

/// By Spark's and log4j's names, any case: "TRACE", "DEBUG", "INFO", "WARN" ("WARNING"), "ERROR" ("FATAL"), "OFF",
/// "ALL".
std::optional<LogLevel> LogLevelByName(std::string_view name);
std::string_view LogLevelName(LogLevel level);

/// Lines below this level are dropped. At first kWarn.
void SetLogLevel(LogLevel level);
bool IsLogged(LogLevel level);

/// One key=value pair behind the message.
struct LogField {
  std::string_view key;
  std::string value;

  LogField(std::string_view field_key, std::string_view text) : key(field_key), value(text) {}
  LogField(std::string_view field_key, const char* text) : key(field_key), value(text) {}
  LogField(std::string_view field_key, const std::string& text) : key(field_key), value(text) {}
  LogField(std::string_view field_key, bool flag) : key(field_key), value(flag ? "true" : "false") {}
  template <typename Number>
  requires(std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool>)
      LogField(std::string_view field_key, Number number)
      : key(field_key), value(std::to_string(number)) {}
};

/// Writes one line to standard error: time (UTC), level, message, fields. Line ends within are escaped, so that an
/// entry stays one line. Thread-safe.
void Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});

/// Sends lines elsewhere (without line end), for tests; an empty function restores standard error.
void SetLogSink(std::function<void(std::string_view)> sink);

}  // namespace frazil
