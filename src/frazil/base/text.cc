#include "frazil/base/text.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace frazil {
namespace {

char Lower(char character) {
  return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a') : character;
}
char Upper(char character) {
  return character >= 'a' && character <= 'z' ? static_cast<char>(character - 'a' + 'A') : character;
}
bool IsBlank(char character) { return character == ' ' || (character >= '\t' && character <= '\r'); }

template <typename IsTrimmed>
std::string_view Trim(std::string_view text, IsTrimmed is_trimmed) {
  while (!text.empty() && is_trimmed(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_trimmed(text.back())) text.remove_suffix(1);
  return text;
}

// Bytes of the character that begins at `at`: 1 for malformed ones.
size_t CharacterSize(std::string_view text, size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  size_t size = 1;
  if (lead >= 0xF0 && lead <= 0xF4) {
    size = 4;
  } else if (lead >= 0xE0 && lead < 0xF0) {
    size = 3;
  } else if (lead >= 0xC2 && lead < 0xE0) {
    size = 2;
  }
  if (at + size > text.size()) return 1;
  for (size_t i = 1; i < size; ++i) {
    if ((static_cast<unsigned char>(text[at + i]) & 0xC0) != 0x80) return 1;
  }
  return size;
}

// Wildcard match with one remembered position, so that the time is at most |text| * |pattern|.
// `step` matches one pattern element at `pattern_at` against the text at `text_at` and moves both on, or returns false.
template <typename IsAny, typename Step>
bool MatchesWildcard(std::string_view text, std::string_view pattern, IsAny is_any, Step step) {
  size_t text_at = 0;
  size_t pattern_at = 0;
  size_t retry_pattern = std::string_view::npos;
  size_t retry_text = 0;
  while (text_at < text.size()) {
    if (pattern_at < pattern.size() && is_any(pattern[pattern_at])) {
      retry_pattern = ++pattern_at;
      retry_text = text_at;
    } else if (pattern_at < pattern.size() && step(&text_at, &pattern_at)) {
      continue;
    } else if (retry_pattern != std::string_view::npos) {
      retry_text += CharacterSize(text, retry_text);
      text_at = retry_text;
      pattern_at = retry_pattern;
    } else {
      return false;
    }
  }
  while (pattern_at < pattern.size() && is_any(pattern[pattern_at])) ++pattern_at;
  return pattern_at == pattern.size();
}

}  // namespace

std::string AsciiLower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  return lower;
}

std::string AsciiUpper(std::string_view text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(), Upper);
  return upper;
}

bool EqualsIgnoreCase(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return Lower(a) == Lower(b); });
}

bool IgnoreCaseLess::operator()(std::string_view left, std::string_view right) const {
  return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end(),
                                      [](char a, char b) { return Lower(a) < Lower(b); });
}

std::string_view TrimBlanks(std::string_view text) { return Trim(text, IsBlank); }

std::string_view TrimControls(std::string_view text) {
  return Trim(text, [](char character) { return static_cast<unsigned char>(character) <= 0x20; });
}

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string joined;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) joined += separator;
    joined += parts[i];
  }
  return joined;
}

std::string ReplaceAll(std::string_view text, std::string_view from, std::string_view to) {
  if (from.empty()) return std::string(text);
  std::string replaced;
  while (true) {
    const size_t found = text.find(from);
    replaced += text.substr(0, found);
    if (found == std::string_view::npos) return replaced;
    replaced += to;
    text.remove_prefix(found + from.size());
  }
}

bool MatchesLike(std::string_view text, std::string_view pattern, char escape) {
  const auto step = [&](size_t* text_at, size_t* pattern_at) {
    const char element = pattern[*pattern_at];
    size_t literal_at = *pattern_at;
    if (element == escape && literal_at + 1 < pattern.size()) {
      ++literal_at;
    } else if (element == '_') {
      *text_at += CharacterSize(text, *text_at);
      ++*pattern_at;
      return true;
    }
    if (text[*text_at] != pattern[literal_at]) return false;
    ++*text_at;
    *pattern_at = literal_at + 1;
    return true;
  };
  return MatchesWildcard(
      text, pattern, [&](char element) { return element == '%' && element != escape; }, step);
}

bool MatchesShowPattern(std::string_view text, std::string_view pattern) {
  while (true) {
    const size_t end = pattern.find('|');
    const auto alternative = TrimBlanks(pattern.substr(0, end));
    const auto step = [&](size_t* text_at, size_t* pattern_at) {
      if (Lower(text[*text_at]) != Lower(alternative[*pattern_at])) return false;
      ++*text_at;
      ++*pattern_at;
      return true;
    };
    if (MatchesWildcard(
            text, alternative, [](char element) { return element == '*'; }, step))
      return true;
    if (end == std::string_view::npos) return false;
    pattern.remove_prefix(end + 1);
  }
}

size_t LevenshteinDistance(std::string_view left, std::string_view right) {
  std::vector<size_t> previous(right.size() + 1);
  std::iota(previous.begin(), previous.end(), size_t{0});
  std::vector<size_t> current(right.size() + 1);
  for (size_t i = 1; i <= left.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= right.size(); ++j) {
      const size_t replace = previous[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replace});
    }
    std::swap(previous, current);
  }
  return previous[right.size()];
}

std::vector<std::string> MostSimilar(std::string_view wanted, std::vector<std::string> candidates, size_t limit) {
  const std::string folded = AsciiLower(wanted);
  std::vector<std::pair<size_t, size_t>> order;
  order.reserve(candidates.size());
  for (size_t i = 0; i < candidates.size(); ++i) {
    order.emplace_back(LevenshteinDistance(AsciiLower(candidates[i]), folded), i);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::string> similar;
  for (size_t i = 0; i < order.size() && i < limit; ++i) similar.push_back(std::move(candidates[order[i].second]));
  return similar;
}

bool IsValidUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const size_t size = CharacterSize(text, at);
    if (size == 1) {
      if (lead >= 0x80) return false;
    } else {
      const auto second = static_cast<unsigned char>(text[at + 1]);
      if (lead == 0xE0 && second < 0xA0) return false;  // overlong
      if (lead == 0xED && second > 0x9F) return false;  // surrogates
      if (lead == 0xF0 && second < 0x90) return false;  // overlong
      if (lead == 0xF4 && second > 0x8F) return false;  // above U+10FFFF
    }
    at += size;
  }
  return true;
}

size_t Utf8Length(std::string_view text) {
  size_t length = 0;
  for (size_t at = 0; at < text.size(); at += CharacterSize(text, at)) ++length;
  return length;
}

}  // namespace frazil
