#include "frazil/streaming/stream_write.h"

#include "frazil/base/text.h"
#include "frazil/types/interval.h"

namespace frazil::streaming {

std::string OutputModeName(OutputMode mode) {
  switch (mode) {
    case OutputMode::kAppend:
      return "Append";
    case OutputMode::kUpdate:
      return "Update";
    case OutputMode::kComplete:
      return "Complete";
  }
  return "";
}

Result<OutputMode> ParseOutputMode(const std::string& text) {
  if (text.empty()) return OutputMode::kAppend;
  for (const OutputMode mode : {OutputMode::kAppend, OutputMode::kUpdate, OutputMode::kComplete}) {
    if (EqualsIgnoreCase(text, OutputModeName(mode))) return mode;
  }
  return Error::Of(ExceptionClass::kIllegalArgument, "STREAMING_OUTPUT_MODE.INVALID", {{"outputMode", text}});
}

Result<int64_t> ParseTriggerInterval(const std::string& text) {
  FRAZIL_ASSIGN_OR_RETURN(const auto interval, ParseCalendarInterval(text));
  if (interval.months != 0) {
    return Error::Of("_LEGACY_ERROR_TEMP_3262", {{"interval", text}});
  }
  constexpr int64_t kDayMillis = 24LL * 3600 * 1000;
  const int64_t millis = interval.days * kDayMillis + interval.micros / 1000;
  if (millis < 0) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "requirement failed: the interval of trigger should not be negative");
  }
  return millis;
}

}  // namespace frazil::streaming
