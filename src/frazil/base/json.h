#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frazil/base/result.h"

namespace frazil {

/// One JSON value (RFC 8259), for the small documents that the lower folders read: schemas and column metadata. Keeps
/// the order of members and the text of numbers, so that what is read can be written again unchanged.
struct JsonValue {
  enum class Kind { kNull, kBoolean, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  bool boolean = false;
  std::string text;  ///< kNumber: as written. kString: UTF-8 without escapes.
  std::vector<JsonValue> items;
  std::vector<std::pair<std::string, JsonValue>> members;

  static JsonValue OfString(std::string text);
  static JsonValue OfBoolean(bool value);
  static JsonValue OfNumber(std::string text);

  /// The first member of that name, or nullptr.
  const JsonValue* Find(std::string_view name) const;

  /// Compact text, without blanks.
  std::string Write() const;
};

/// Parses one whole document. Refuses what follows it, nesting deeper than 512 and malformed escapes.
Result<JsonValue> ParseJson(std::string_view text);

/// Appends `text` in double quotes with JSON escapes.
void AppendJsonString(std::string_view text, std::string* out);
std::string JsonString(std::string_view text);

}  // namespace frazil
