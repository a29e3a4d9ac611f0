#pragma once

// JSON documents as Spark's functions read them: more lenient than the standard where options say so. Internal to
// engine/.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace frazil::engine {

struct Json {
  enum class Kind : uint8_t { kNull, kBoolean, kInteger, kFraction, kString, kArray, kObject };
  Kind kind = Kind::kNull;
  bool boolean = false;
  std::string text;  ///< Numbers as written; strings without escapes.
  std::vector<Json> items;
  std::vector<std::pair<std::string, Json>> members;

  /// The first member of that name, or nullptr.
  const Json* Find(std::string_view name) const;
  /// Compact text.
  void Write(std::string* out) const;
  std::string ToText() const;
};

struct JsonOptions {
  bool single_quotes = true;
  bool unquoted_names = false;
  bool comments = false;
  bool leading_zeros = false;
  bool non_numeric_numbers = true;
  bool backslash_any = false;
  bool control_characters = false;
};

/// What of a document is kept: reading checks the rest as well, and leaves it out.
struct JsonSelection {
  bool all = true;                                            ///< All of it; else:
  std::vector<std::pair<std::string, JsonSelection>> fields;  ///< of an object the members of these names,
  std::vector<JsonSelection> items;                           ///< of an array's elements what the one in here says.

  /// Nullptr: nothing of it.
  const JsonSelection* Field(std::string_view name) const;
  const JsonSelection* Item() const { return all ? this : items.empty() ? nullptr : items.data(); }
};

/// The document at the beginning of the text; nothing where it is malformed. `whole`: nothing may follow it.
/// Elements of arrays that are not kept are null.
std::optional<Json> ReadJson(std::string_view text, const JsonOptions& options = {}, bool whole = false,
                             const JsonSelection& selection = {});
void AppendJsonText(std::string_view text, std::string* out);

}  // namespace frazil::engine
