#include "frazil/server/launch_options.h"

#include <charconv>
#include <fstream>
#include <sstream>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"

namespace frazil::server {
namespace {

// What tells an error about the arguments from others.
constexpr std::string_view kUsagePrefix = "frazil: ";

struct Unit {
  std::string_view name;
  int64_t factor;
};

// A number with a unit behind it. `units` hold the factors; the unit "" is what a bare number means.
Result<int64_t> ParseWithUnit(std::string_view text, const std::vector<Unit>& units, std::string_view what) {
  const std::string trimmed = AsciiLower(TrimBlanks(text));
  int64_t number = 0;
  const auto [end, code] = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), number);
  const std::string_view unit(end, trimmed.data() + trimmed.size() - end);
  if (code == std::errc() && number >= 0) {
    for (const auto& [name, factor] : units) {
      int64_t product = 0;
      if (unit == name && !__builtin_mul_overflow(number, factor, &product)) return product;
    }
  }
  return Error::Plain(ExceptionClass::kNumberFormat, "'" + std::string(text) + "' is no " + std::string(what) + ".");
}

Result<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return UsageError("cannot read " + path);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

bool IsBlank(char character) { return character == ' ' || character == '\t' || character == '\f'; }

// Joins lines that end with an odd number of backslashes with the next one.
std::vector<std::string> LogicalLines(std::string_view text) {
  std::vector<std::string> lines;
  bool continues = false;
  for (const auto& raw : Split(text, '\n')) {
    std::string_view line = raw;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    while (!line.empty() && IsBlank(line.front())) line.remove_prefix(1);
    if (continues) {
      lines.back() += line;
    } else {
      if (line.empty() || line.front() == '#' || line.front() == '!') continue;
      lines.emplace_back(line);
    }
    size_t backslashes = 0;
    while (backslashes < lines.back().size() && lines.back()[lines.back().size() - 1 - backslashes] == '\\')
      ++backslashes;
    continues = backslashes % 2 == 1;
    if (continues) lines.back().pop_back();
  }
  return lines;
}

// Takes the escapes of Java's properties away: "\:" is ':', "\n" a line end.
std::string Unescape(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain += text[i];
      continue;
    }
    switch (text[++i]) {
      case 't':
        plain += '\t';
        break;
      case 'n':
        plain += '\n';
        break;
      case 'r':
        plain += '\r';
        break;
      default:
        plain += text[i];
    }
  }
  return plain;
}

Status SetConf(std::string_view text, LaunchOptions* options) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return UsageError("--conf takes KEY=VALUE, not '" + std::string(text) + "'");
  }
  options->settings[std::string(TrimBlanks(text.substr(0, equals)))] = std::string(text.substr(equals + 1));
  return Status::Ok();
}

}  // namespace

Error UsageError(const std::string& message) {
  return Error::Plain(ExceptionClass::kIllegalArgument, std::string(kUsagePrefix) + message);
}

bool IsUsageError(const Error& error) { return error.message.starts_with(kUsagePrefix); }

bool IsOption(std::string_view argument, std::string_view name) {
  return argument == name || (argument.starts_with(name) && argument[name.size()] == '=' && name.starts_with("--"));
}

Result<std::string> TakeOptionValue(const std::vector<std::string>& arguments, size_t* at) {
  const std::string& argument = arguments[*at];
  const size_t equals = argument.find('=');
  if (argument.starts_with("--") && equals != std::string::npos) {
    ++*at;
    return argument.substr(equals + 1);
  }
  if (*at + 1 >= arguments.size()) return UsageError(argument + " needs a value");
  *at += 2;
  return arguments[*at - 1];
}

Result<bool> TakeLaunchOption(const std::vector<std::string>& arguments, size_t* at, LaunchOptions* options) {
  const std::string argument = arguments[*at];
  const auto is = [&](std::string_view name) { return IsOption(argument, name); };
  if (is("--host")) {
    FRAZIL_ASSIGN_OR_RETURN(options->host, TakeOptionValue(arguments, at));
  } else if (is("--port")) {
    FRAZIL_ASSIGN_OR_RETURN(const auto text, TakeOptionValue(arguments, at));
    const auto port = ParseInteger<int>(text);
    if (!port || *port < 0 || *port > 65535) return UsageError("'" + text + "' is no port");
    options->port = port;
  } else if (is("--warehouse")) {
    FRAZIL_ASSIGN_OR_RETURN(options->warehouse, TakeOptionValue(arguments, at));
  } else if (is("--token")) {
    FRAZIL_ASSIGN_OR_RETURN(options->token, TakeOptionValue(arguments, at));
    if (options->token.empty()) return UsageError("the token is empty");
  } else if (is("--token-file")) {
    FRAZIL_ASSIGN_OR_RETURN(const auto path, TakeOptionValue(arguments, at));
    FRAZIL_ASSIGN_OR_RETURN(const auto content, ReadFile(path));
    options->token = TrimBlanks(content);
    if (options->token.empty()) return UsageError("the token in " + path + " is empty");
  } else if (is("--log-level")) {
    FRAZIL_ASSIGN_OR_RETURN(options->log_level, TakeOptionValue(arguments, at));
  } else if (is("--conf") || is("-c")) {
    // Not TakeOptionValue alone: "--conf=K=V" and "--conf K=V" both hold an equals sign of their own.
    if (argument.starts_with("--conf=")) {
      ++*at;
      FRAZIL_RETURN_IF_ERROR(SetConf(std::string_view(argument).substr(7), options));
    } else {
      if (*at + 1 >= arguments.size()) return UsageError(argument + " needs KEY=VALUE");
      FRAZIL_RETURN_IF_ERROR(SetConf(arguments[*at + 1], options));
      *at += 2;
    }
  } else if (is("--properties-file")) {
    FRAZIL_ASSIGN_OR_RETURN(const auto path, TakeOptionValue(arguments, at));
    FRAZIL_ASSIGN_OR_RETURN(auto properties, ReadPropertiesFile(path));
    // What --conf says wins over the file, wherever it stands.
    options->settings.merge(properties);
  } else {
    return false;
  }
  return true;
}

std::map<std::string, std::string> ParseProperties(std::string_view text) {
  std::map<std::string, std::string> properties;
  for (const auto& line : LogicalLines(text)) {
    size_t end = 0;
    while (end < line.size() && !IsBlank(line[end]) && line[end] != '=' && line[end] != ':') {
      end += line[end] == '\\' ? 2 : 1;
    }
    end = std::min(end, line.size());
    size_t value = end;
    while (value < line.size() && IsBlank(line[value])) ++value;
    if (value < line.size() && (line[value] == '=' || line[value] == ':')) ++value;
    const std::string key = Unescape(std::string_view(line).substr(0, end));
    if (!key.starts_with("spark.")) continue;
    properties[key] = Unescape(TrimBlanks(std::string_view(line).substr(value)));
  }
  return properties;
}

Result<std::map<std::string, std::string>> ReadPropertiesFile(const std::string& path) {
  FRAZIL_ASSIGN_OR_RETURN(const auto content, ReadFile(path));
  return ParseProperties(content);
}

Result<int64_t> ParseByteSize(std::string_view text) {
  constexpr int64_t kKilo = 1024;
  static const std::vector<Unit> kUnits = {{"", 1},
                                           {"b", 1},
                                           {"k", kKilo},
                                           {"kb", kKilo},
                                           {"m", kKilo << 10},
                                           {"mb", kKilo << 10},
                                           {"g", kKilo << 20},
                                           {"gb", kKilo << 20},
                                           {"t", kKilo << 30},
                                           {"tb", kKilo << 30},
                                           {"p", kKilo << 40},
                                           {"pb", kKilo << 40}};
  return ParseWithUnit(text, kUnits, "size (like 512m or 2g)");
}

Result<int64_t> ParseSeconds(std::string_view text) {
  const std::string lower = AsciiLower(TrimBlanks(text));
  if (lower.ends_with("ms")) {
    FRAZIL_ASSIGN_OR_RETURN(const int64_t milliseconds,
                            ParseWithUnit(lower.substr(0, lower.size() - 2), {{"", 1}}, "duration (like 60s or 5min)"));
    return (milliseconds + 999) / 1000;
  }
  static const std::vector<Unit> kUnits = {{"", 1}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}};
  return ParseWithUnit(text, kUnits, "duration (like 60s or 5min)");
}

}  // namespace frazil::server
