#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace frazil {

/// ASCII case folding: what keywords, function names and unquoted identifiers need. Other characters stay as they are.
std::string AsciiLower(std::string_view text);
std::string AsciiUpper(std::string_view text);
bool EqualsIgnoreCase(std::string_view left, std::string_view right);

/// For maps whose keys differ by more than ASCII case.
struct IgnoreCaseLess {
  using is_transparent = void;
  bool operator()(std::string_view left, std::string_view right) const;
};

/// Without the blanks (space, tab, line ends, form feed, vertical tab) at both ends.
std::string_view TrimBlanks(std::string_view text);
/// Without the characters up to U+0020 at both ends, as Java's String.trim and Spark's parsing of numbers, dates and
/// intervals do.
std::string_view TrimControls(std::string_view text);

/// "a,b,,c" at ',' gives four parts; an empty text gives one empty part.
std::vector<std::string> Split(std::string_view text, char separator);
std::string Join(const std::vector<std::string>& parts, std::string_view separator);
std::string ReplaceAll(std::string_view text, std::string_view from, std::string_view to);

/// SQL LIKE: '%' any text, '_' one character (UTF-8), `escape` before a character takes it as it is. A stray escape at
/// the end matches itself.
bool MatchesLike(std::string_view text, std::string_view pattern, char escape = '\\');
/// The pattern of SHOW ... LIKE: '*' any text, '|' between alternatives, case ignored. Other regular-expression signs
/// are not special.
bool MatchesShowPattern(std::string_view text, std::string_view pattern);

/// Edits (insert, delete, replace of one byte) between two texts.
size_t LevenshteinDistance(std::string_view left, std::string_view right);
/// At most `limit` candidates, the most similar to `wanted` first, as Spark orders its suggestions (case ignored; equal
/// distance keeps the given order).
std::vector<std::string> MostSimilar(std::string_view wanted, std::vector<std::string> candidates, size_t limit = 5);

/// Whether the bytes are well-formed UTF-8 (no surrogates, no overlong forms).
bool IsValidUtf8(std::string_view text);
/// Number of characters (code points) of a UTF-8 text; malformed bytes count one each.
size_t Utf8Length(std::string_view text);

}  // namespace frazil
