#include "frazil/sql/keywords.h"

#include <array>
#include <string>
#include <unordered_map>

namespace frazil::sql {
namespace {

constexpr std::array kKeywords = {
#define FRAZIL_SQL_KEYWORD_INFO(name, text, reserved, strict) KeywordInfo{text, reserved, strict},
    FRAZIL_SQL_KEYWORDS(FRAZIL_SQL_KEYWORD_INFO)
#undef FRAZIL_SQL_KEYWORD_INFO
        KeywordInfo{"RLIKE", false, false},
    KeywordInfo{"TEMPORARY", false, false},
};
constexpr size_t kUnlistedKeywords = 2;

constexpr size_t kLongestKeyword = 32;

const std::unordered_map<std::string_view, Keyword>& KeywordsByText() {
  static const auto* const kByText = [] {
    auto* by_text = new std::unordered_map<std::string_view, Keyword>();
    for (size_t i = 0; i < kKeywords.size(); ++i) by_text->emplace(kKeywords[i].text, static_cast<Keyword>(i + 1));
    by_text->emplace("REGEXP", Keyword::kRlike);
    by_text->emplace("TEMP", Keyword::kTemporary);
    return by_text;
  }();
  return *kByText;
}

}  // namespace

std::span<const KeywordInfo> AllKeywords() {
  return std::span<const KeywordInfo>(kKeywords).first(kKeywords.size() - kUnlistedKeywords);
}

const KeywordInfo& GetKeywordInfo(Keyword keyword) { return kKeywords[static_cast<size_t>(keyword) - 1]; }

Keyword FindKeyword(std::string_view word) {
  if (word.size() > kLongestKeyword) return Keyword::kNotKeyword;
  std::array<char, kLongestKeyword> upper;
  for (size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    upper[i] = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  const auto found = KeywordsByText().find(std::string_view(upper.data(), word.size()));
  return found == KeywordsByText().end() ? Keyword::kNotKeyword : found->second;
}

}  // namespace frazil::sql
