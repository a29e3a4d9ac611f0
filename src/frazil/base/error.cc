#include "frazil/base/error.h"

#include <algorithm>

namespace frazil {
namespace {

// Puts parameters in the place of <name>. A name without a parameter stays as it is.
std::string FillMessage(std::string_view message, const Error::Parameters& parameters) {
  std::string text;
  text.reserve(message.size() + 64);
  for (size_t at = 0; at < message.size();) {
    if (message[at] == '<') {
      const size_t end = message.find('>', at);
      if (end != std::string_view::npos) {
        const auto name = message.substr(at + 1, end - at - 1);
        const auto found =
            std::find_if(parameters.begin(), parameters.end(), [&](const auto& entry) { return entry.first == name; });
        if (found != parameters.end()) {
          text += found->second;
          at = end + 1;
          continue;
        }
      }
    }
    text += message[at++];
  }
  return text;
}

ErrorKind KindOf(std::string_view condition) {
  if (condition.starts_with("INTERNAL_ERROR")) return ErrorKind::kInternal;
  if (condition == "OPERATION_CANCELED") return ErrorKind::kCancelled;
  return ErrorKind::kUser;
}

Error Build(const ErrorCondition& entry, ExceptionClass exception_class, Error::Parameters parameters) {
  Error error;
  error.kind = KindOf(entry.name);
  error.exception_class = exception_class;
  error.condition = entry.name;
  error.sql_state = entry.sql_state;
  // As Spark shows it: conditions that have no public name ("_LEGACY_ERROR_TEMP_1234") do not appear in the text.
  if (!entry.name.starts_with("_LEGACY_ERROR_")) error.message.append("[").append(entry.name).append("] ");
  error.message += FillMessage(entry.message, parameters);
  if (!entry.sql_state.empty()) error.message.append(" SQLSTATE: ").append(entry.sql_state);
  error.parameters = std::move(parameters);
  return error;
}

Error UnknownCondition(std::string_view condition) {
  return Error::Internal("There is no error condition \"" + std::string(condition) + "\".");
}

}  // namespace

Error Error::Of(std::string_view condition, Parameters parameters) {
  const ErrorCondition* entry = FindErrorCondition(condition);
  if (entry == nullptr) return UnknownCondition(condition);
  return Build(*entry, entry->exception_class, std::move(parameters));
}

Error Error::Of(ExceptionClass exception_class, std::string_view condition, Parameters parameters) {
  const ErrorCondition* entry = FindErrorCondition(condition);
  if (entry == nullptr) return UnknownCondition(condition);
  return Build(*entry, exception_class, std::move(parameters));
}

Error Error::Parse(std::string_view condition, Parameters parameters) {
  return Of(ExceptionClass::kParse, condition, std::move(parameters));
}

Error Error::Unsupported(std::string_view feature) {
  Error error = Of("UNSUPPORTED_FEATURE.NAMED", {{"feature", std::string(feature)}});
  error.kind = ErrorKind::kUnsupported;
  return error;
}

Error Error::Internal(std::string_view message) { return Of("INTERNAL_ERROR", {{"message", std::string(message)}}); }

Error Error::Storage(std::string_view message) {
  Error error = Plain(ExceptionClass::kSpark, message);
  error.kind = ErrorKind::kStorage;
  return error;
}

Error Error::Cancelled(std::string_view message) {
  Error error = Of(ExceptionClass::kSpark, "OPERATION_CANCELED");
  error.message.append(" ").append(message);
  return error;
}

Error Error::Plain(ExceptionClass exception_class, std::string_view message) {
  Error error;
  error.kind = ErrorKind::kUser;
  error.exception_class = exception_class;
  error.message = message;
  return error;
}

std::string QuoteIdentifier(std::string_view part) {
  std::string quoted = "`";
  for (const char character : part) {
    if (character == '`') quoted += '`';
    quoted += character;
  }
  quoted += '`';
  return quoted;
}

std::string QuoteIdentifier(const std::vector<std::string>& parts) {
  std::string quoted;
  for (const auto& part : parts) {
    if (!quoted.empty()) quoted += '.';
    quoted += QuoteIdentifier(part);
  }
  return quoted;
}

std::string QuoteIdentifierIfNeeded(std::string_view part) {
  bool plain = !part.empty() && !(part[0] >= '0' && part[0] <= '9');
  for (const char character : part) {
    plain = plain && ((character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
                      (character >= '0' && character <= '9') || character == '_');
  }
  return plain ? std::string(part) : QuoteIdentifier(part);
}

}  // namespace frazil
