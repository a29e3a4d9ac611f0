#pragma once

// Java's regular expressions on PCRE2. Internal to engine/.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/result.h"

namespace frazil::engine {

/// The pattern in PCRE2's syntax. Nothing where it uses what cannot be said there (intersections of character classes).
std::optional<std::string> TranslateJavaPattern(std::string_view pattern);

/// A compiled pattern. Not for use by two threads at once.
class RegularExpression {
 public:
  /// Begin and end of a group in bytes; begin == npos: the group took no part.
  struct Span {
    size_t begin = std::string::npos, end = std::string::npos;
    bool matched() const { return begin != std::string::npos; }
  };

  ~RegularExpression();
  /// Nothing where the pattern is malformed.
  static std::unique_ptr<RegularExpression> Compile(std::string_view java_pattern, bool ignore_case = false);
  /// The thread's own copy; raises INVALID_PARAMETER_VALUE.PATTERN for `function` where the pattern is malformed.
  static const RegularExpression& Of(std::string_view java_pattern, const char* function);

  size_t group_count() const { return group_count_; }
  /// The number of a named group, or nothing.
  std::optional<size_t> GroupNamed(const std::string& name) const;
  /// Looks for the next match from a position on; `groups` gets the whole match and all groups.
  bool Find(std::string_view text, size_t from, std::vector<Span>* groups) const;
  bool Matches(std::string_view text) const;

 private:
  RegularExpression() = default;
  /// The number of groups up to the last that took part, the whole match counted; 0: no match.
  size_t Match(std::string_view text, size_t from) const;

  void* code_ = nullptr;
  void* data_ = nullptr;
  std::optional<std::string> literal_;  ///< All that the pattern matches, where that is one text.
  size_t group_count_ = 0;
};

/// Where to look on after a match: behind it, or one character further behind an empty one.
size_t AfterMatch(std::string_view text, const RegularExpression::Span& match);

}  // namespace frazil::engine
