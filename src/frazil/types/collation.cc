#include "frazil/types/collation.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "frazil/base/text.h"

namespace frazil {
namespace {

constexpr std::string_view kLocales[] = {
    "af",          "am",      "ar",          "ar_SAU",      "as",          "az",          "be",      "bg",
    "bn",          "bo",      "br",          "bs",          "bs_Cyrl",     "ca",          "ceb",     "chr",
    "cs",          "cy",      "da",          "de",          "de_AUT",      "dsb",         "dz",      "ee",
    "el",          "en",      "en_USA",      "eo",          "es",          "et",          "fa",      "fa_AFG",
    "ff",          "ff_Adlm", "fi",          "fil",         "fo",          "fr",          "fr_CAN",  "fy",
    "ga",          "gl",      "gu",          "ha",          "haw",         "he",          "he_ISR",  "hi",
    "hr",          "hsb",     "hu",          "hy",          "id",          "id_IDN",      "ig",      "is",
    "it",          "ja",      "ka",          "kk",          "kl",          "km",          "kn",      "ko",
    "kok",         "ku",      "ky",          "lb",          "lij",         "lkt",         "ln",      "lo",
    "lt",          "lv",      "mk",          "ml",          "mn",          "mr",          "ms",      "mt",
    "my",          "nb",      "nb_NOR",      "ne",          "nl",          "nn",          "no",      "nso",
    "om",          "or",      "pa",          "pa_Guru",     "pa_Guru_IND", "pl",          "ps",      "pt",
    "ro",          "ru",      "sa",          "se",          "si",          "sk",          "sl",      "smn",
    "sq",          "sr",      "sr_Cyrl",     "sr_Cyrl_BIH", "sr_Cyrl_MNE", "sr_Cyrl_SRB", "sr_Latn", "sr_Latn_BIH",
    "sr_Latn_SRB", "st",      "sv",          "sw",          "ta",          "te",          "th",      "tk",
    "tn",          "to",      "tr",          "ug",          "uk",          "ur",          "uz",      "vi",
    "wae",         "wo",      "xh",          "yi",          "yo",          "zh",          "zh_Hans", "zh_Hans_CHN",
    "zh_Hans_SGP", "zh_Hant", "zh_Hant_HKG", "zh_Hant_MAC", "zh_Hant_TWN", "zu",          "UNICODE",
};
constexpr std::string_view kBinaryNames[] = {"UTF8_BINARY", "UTF8_LCASE"};

constexpr size_t kMostSuggestions = 3;
// Suggestions but the first are no further off than this.
constexpr size_t kFurthest = 2;

struct NameParts {
  std::string root;                    ///< In capitals.
  std::vector<std::string> modifiers;  ///< In the order written.
};

NameParts SplitName(std::string_view name, bool is_binary) {
  const std::vector<std::string> all =
      is_binary ? std::vector<std::string>{"_RTRIM"} : std::vector<std::string>{"_CI", "_AI", "_CS", "_AS", "_RTRIM"};
  NameParts split;
  split.root = AsciiUpper(name);
  for (bool found = true; found;) {
    found = false;
    for (const auto& modifier : all) {
      if (!split.root.ends_with(modifier)) continue;
      split.modifiers.insert(split.modifiers.begin(), modifier);
      split.root.resize(split.root.size() - modifier.size());
      found = true;
      break;
    }
  }
  return split;
}

// Each kind of modifier once at most.
bool AreValid(const std::vector<std::string>& modifiers) {
  int cases = 0, accents = 0, trims = 0;
  for (const auto& modifier : modifiers) {
    cases += modifier == "_CI" || modifier == "_CS" ? 1 : 0;
    accents += modifier == "_AI" || modifier == "_AS" ? 1 : 0;
    trims += modifier == "_RTRIM" ? 1 : 0;
  }
  return cases <= 1 && accents <= 1 && trims <= 1;
}

std::string Nearest(std::string_view name, NameParts split, std::vector<std::string> roots) {
  std::vector<std::string> modifiers;
  const auto has = [](const std::vector<std::string>& list, const char* modifier) {
    return std::find(list.begin(), list.end(), modifier) != list.end();
  };
  for (const auto& modifier : split.modifiers) {
    const bool is_overruled =
        (modifier == "_CI" && has(split.modifiers, "_CS")) || (modifier == "_AI" && has(split.modifiers, "_AS"));
    if (!is_overruled && !has(modifiers, modifier.c_str())) modifiers.push_back(modifier);
  }
  std::stable_sort(roots.begin(), roots.end(), [&](const std::string& a, const std::string& b) {
    return LevenshteinDistance(AsciiUpper(a), split.root) < LevenshteinDistance(AsciiUpper(b), split.root);
  });
  std::string suggestions;
  for (size_t i = 0; i < roots.size() && i < kMostSuggestions; ++i) {
    const std::string suggestion = roots[i] + Join(modifiers, "");
    if (i > 0 && LevenshteinDistance(AsciiUpper(suggestion), AsciiUpper(name)) > kFurthest) break;
    suggestions += (i > 0 ? ", " : "") + suggestion;
  }
  return suggestions;
}

}  // namespace

Status CheckCollationName(std::string_view name) {
  const bool is_binary = AsciiUpper(name).starts_with("UTF8_");
  std::vector<std::string> roots;
  if (is_binary) {
    roots.assign(std::begin(kBinaryNames), std::end(kBinaryNames));
  } else {
    roots.assign(std::begin(kLocales), std::end(kLocales));
  }
  NameParts split = SplitName(name, is_binary);
  const bool is_known =
      std::any_of(roots.begin(), roots.end(), [&](const std::string& root) { return AsciiUpper(root) == split.root; });
  if (is_known && AreValid(split.modifiers)) return {};
  return Error::Of("COLLATION_INVALID_NAME", {{"collationName", std::string(name)},
                                              {"proposals", Nearest(name, std::move(split), std::move(roots))}});
}

}  // namespace frazil
