// Query contexts: where in the text an error arose.

#include <algorithm>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/base/text.h"

namespace frazil::analysis {

Error Analyzer::At(Error error, const plan::Origin& origin) const {
  return AtOrigin(std::move(error), object_ == nullptr ? origin : *InObject(origin));
}

std::shared_ptr<const plan::Origin> Analyzer::InObject(plan::Origin origin) const {
  origin.object = object_;
  return std::make_shared<const plan::Origin>(std::move(origin));
}

Error Analyzer::UnresolvedColumn(const std::vector<std::string>& name, const plan::Origin& origin) const {
  const std::string wanted = QuoteIdentifier(name);
  // Candidates keep as many name parts as are needed to tell them apart: Spark drops the qualifier that all have in
  // common.
  std::vector<std::vector<std::string>> candidates;
  const Scope* scope = scopes_.empty() ? nullptr : scopes_.back();
  const auto add = [&](const Relation* relation) {
    if (relation == nullptr) return;
    for (const auto& attribute : relation->output) {
      auto parts = attribute.qualifier;
      parts.push_back(attribute.name);
      candidates.push_back(std::move(parts));
    }
  };
  if (scope != nullptr) add(scope->input);
  if (candidates.empty() && scope != nullptr) add(scope->fallback);
  if (candidates.empty())
    return At(Error::Of("UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", {{"objectName", wanted}}), origin);

  // Spark has them as a set, in the order of their names.
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& left, const auto& right) { return left.back() < right.back(); });

  // As Spark's StringUtils.orderSuggestedIdentifiersBySimilarity: what all have in common in front is left out.
  const auto same_without_last = [&](size_t count) {
    const auto prefix = [&](const std::vector<std::string>& parts) {
      return std::vector<std::string>(
          parts.begin(), parts.size() > count ? parts.end() - static_cast<std::ptrdiff_t>(count) : parts.begin());
    };
    const auto first = prefix(candidates.front());
    return std::all_of(candidates.begin(), candidates.end(), [&](const auto& parts) { return prefix(parts) == first; });
  };
  size_t shown_parts = 0;
  if (name.size() == 1 && same_without_last(1)) {
    shown_parts = 1;
  } else if (name.size() <= 2 && same_without_last(2)) {
    shown_parts = 2;
  }
  std::vector<std::pair<size_t, std::string>> ranked;
  const std::string plain_wanted = Join(name, ".");
  for (const auto& parts : candidates) {
    std::vector<std::string> shown = parts;
    if (shown_parts > 0 && parts.size() > shown_parts)
      shown.assign(parts.end() - static_cast<std::ptrdiff_t>(shown_parts), parts.end());
    const auto text = QuoteIdentifier(shown);
    ranked.emplace_back(LevenshteinDistance(text, plain_wanted), text);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& left, const auto& right) { return left.first < right.first; });
  std::string proposal;
  for (size_t i = 0; i < ranked.size() && i < 5; ++i) proposal += (i > 0 ? ", " : "") + ranked[i].second;
  return At(Error::Of("UNRESOLVED_COLUMN.WITH_SUGGESTION", {{"objectName", wanted}, {"proposal", proposal}}), origin);
}

}  // namespace frazil::analysis
