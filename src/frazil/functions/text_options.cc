#include "frazil/functions/text_options.h"

#include <initializer_list>

#include "frazil/base/integer_text.h"
#include "frazil/base/json.h"
#include "frazil/base/text.h"

namespace frazil::functions {
namespace {

using Options = std::map<std::string, std::string>;

// What a key is in the options is its name in lower case.
const std::string* Find(const Options& options, const char* name) {
  const auto found = options.find(AsciiLower(name));
  return found == options.end() ? nullptr : &found->second;
}

Error Refused(const std::string& message) { return Error::Plain(ExceptionClass::kIllegalArgument, message); }

bool IsFlag(const std::string& value) { return EqualsIgnoreCase(value, "true") || EqualsIgnoreCase(value, "false"); }

// Flags as Scala's toBoolean reads them.
Status CheckFlags(const Options& options, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto* value = Find(options, name);
    if (value != nullptr && !IsFlag(*value)) return Refused("For input string: \"" + *value + "\"");
  }
  return {};
}

Status CheckNotGiven(const Options& options, const char* name) {
  const auto* value = Find(options, name);
  return value == nullptr || value->empty() ? Status() : Error::Unsupported(std::string("the option ") + name);
}

Status CheckLineSeparator(const Options& options) {
  const auto* separator = Find(options, "lineSep");
  if (separator != nullptr && separator->empty())
    return Refused("requirement failed: 'lineSep' cannot be an empty string.");
  return {};
}

}  // namespace

Result<std::string> CsvSeparator(const Options& options) {
  const auto* given = Find(options, "sep");
  if (given == nullptr) given = Find(options, "delimiter");
  if (given == nullptr) return std::string(",");
  std::string separator;
  for (size_t i = 0; i < given->size(); ++i) {
    const char c = (*given)[i];
    if (c != '\\') {
      separator += c;
      continue;
    }
    if (++i == given->size()) return Error::Of("INVALID_DELIMITER_VALUE.SINGLE_BACKSLASH");
    switch ((*given)[i]) {
      case 't':
        separator += '\t';
        break;
      case 'r':
        separator += '\r';
        break;
      case 'b':
        separator += '\b';
        break;
      case 'f':
        separator += '\f';
        break;
      case '"':
      case '\'':
      case '\\':
        separator += (*given)[i];
        break;
      default:
        return Error::Of("INVALID_DELIMITER_VALUE.UNSUPPORTED_SPECIAL_CHARACTER", {{"str", given->substr(i - 1, 2)}});
    }
  }
  if (separator.empty()) return Refused("Delimiter cannot be empty");
  return separator;
}

Status CheckCsvOptions(const Options& options) {
  FRAZIL_RETURN_IF_ERROR(CsvSeparator(options).status());
  for (const char* name : {"quote", "escape", "comment", "charToEscapeQuoteEscaping"}) {
    const auto* value = Find(options, name);
    if (value == nullptr) continue;
    if (Utf8Length(*value) > 1) return Error::Of("_LEGACY_ERROR_TEMP_2145", {{"paramName", name}});
    if (value->size() > 1) return Error::Unsupported(std::string("the option ") + name + " with " + *value + " of CSV");
  }
  for (const char* name : {"maxColumns", "maxCharsPerColumn"}) {
    const auto* value = Find(options, name);
    if (value != nullptr && !ParseInteger<int32_t>(*value).has_value())
      return Error::Of("_LEGACY_ERROR_TEMP_2146", {{"paramName", name}, {"value", *value}});
  }
  for (const char* name : {"header", "inferSchema", "ignoreLeadingWhiteSpace", "ignoreTrailingWhiteSpace",
                           "enforceSchema", "preferDate", "quoteAll", "escapeQuotes", "columnPruning"}) {
    const auto* value = Find(options, name);
    if (value != nullptr && !IsFlag(*value)) return Error::Of("_LEGACY_ERROR_TEMP_2147", {{"paramName", name}});
  }
  FRAZIL_RETURN_IF_ERROR(CheckFlags(options, {"multiLine"}));
  FRAZIL_RETURN_IF_ERROR(CheckLineSeparator(options));
  if (const auto* separator = Find(options, "lineSep"); separator != nullptr && Utf8Length(*separator) > 2)
    return Refused("requirement failed: 'lineSep' can contain only 1 character.");
  const auto* handling = Find(options, "unescapedQuoteHandling");
  if (handling != nullptr && !EqualsIgnoreCase(*handling, "STOP_AT_DELIMITER"))
    return Error::Unsupported("the option unescapedQuoteHandling with " + *handling);
  FRAZIL_RETURN_IF_ERROR(CheckNotGiven(options, "singleVariantColumn"));
  return {};
}

Status CheckJsonOptions(const Options& options) {
  FRAZIL_RETURN_IF_ERROR(CheckFlags(
      options, {"primitivesAsString", "prefersDecimal", "allowComments", "allowUnquotedFieldNames", "allowSingleQuotes",
                "allowNumericLeadingZeros", "allowNonNumericNumbers", "allowBackslashEscapingAnyCharacter",
                "allowUnquotedControlChars", "dropFieldIfAllNull", "ignoreNullFields", "multiLine", "pretty",
                "inferTimestamp", "writeNonAsciiCharacterAsCodePoint"}));
  for (const char* name : {"pretty", "writeNonAsciiCharacterAsCodePoint"}) {
    const auto* value = Find(options, name);
    if (value != nullptr && EqualsIgnoreCase(*value, "true"))
      return Error::Unsupported(std::string("the option ") + name + " of JSON");
  }
  FRAZIL_RETURN_IF_ERROR(CheckNotGiven(options, "singleVariantColumn"));
  return CheckLineSeparator(options);
}

Status CheckTextOptions(const Options& options) {
  FRAZIL_RETURN_IF_ERROR(CheckFlags(options, {"wholetext"}));
  return CheckLineSeparator(options);
}

Status CheckFileSourceOptions(const Options& options) {
  FRAZIL_RETURN_IF_ERROR(CheckFlags(options, {"recursiveFileLookup", "ignoreCorruptFiles", "ignoreMissingFiles"}));
  return {};
}

std::string OptionsJson(const std::map<std::string, std::string>& options) {
  std::string text = "{";
  for (const auto& [key, value] : options) {
    if (text.size() > 1) text += ",";
    AppendJsonString(key, &text);
    text += ":";
    AppendJsonString(value, &text);
  }
  return text + "}";
}

}  // namespace frazil::functions
