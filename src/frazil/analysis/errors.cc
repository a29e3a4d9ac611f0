// Query contexts: where in the text an error arose.

#include <algorithm>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/base/text.h"

namespace frazil::analysis {
namespace {

// Byte offset of a character; the end of the text where it is beyond.
size_t ByteOffset(std::string_view text, int character) {
  size_t at = 0;
  for (int i = 0; i < character && at < text.size(); ++i) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  }
  return at;
}

// Spark's picture of the place: the lines concerned, each with carets below the part.
std::string Summary(const QueryContext& context, const std::string& text, const plan::Origin& origin) {
  std::string summary = "== SQL";
  if (!context.object_type.empty()) summary += " of " + context.object_type + " " + context.object_name;
  summary += " (line " + std::to_string(origin.line) + ", position " + std::to_string(origin.position + 1) + ") ==\n";
  int start = 0;
  for (const auto& line : Split(text, '\n')) {
    const int length = static_cast<int>(Utf8Length(line));
    const int stop = start + length - 1;
    if (stop >= context.start_index && start <= context.stop_index) {
      const int from = std::max(0, context.start_index - start);
      const int to = std::min(length - 1, context.stop_index - start);
      summary += line + "\n" + std::string(static_cast<size_t>(from), ' ') +
                 std::string(static_cast<size_t>(std::max(0, to - from + 1)), '^') + "\n";
    }
    start += length + 1;
  }
  return summary;
}

}  // namespace

Error Analyzer::At(Error error, const plan::Origin& origin) const {
  if (!error.query_contexts.empty() || error.condition.empty()) return error;
  if (error.kind == ErrorKind::kInternal || error.kind == ErrorKind::kStorage || error.kind == ErrorKind::kCancelled)
    return error;
  QueryContext context;
  if (origin.text != nullptr && origin.start >= 0) {
    context.type = QueryContext::Type::kSql;
    context.object_type = object_type_;
    context.object_name = object_name_;
    context.start_index = origin.start;
    context.stop_index = origin.stop;
    const size_t from = ByteOffset(*origin.text, origin.start);
    const size_t to = ByteOffset(*origin.text, origin.stop + 1);
    context.fragment = origin.text->substr(from, to > from ? to - from : 0);
    context.summary = Summary(context, *origin.text, origin);
    if (error.exception_class == ExceptionClass::kAnalysis && origin.line > 0) {
      error.message += "; line " + std::to_string(origin.line) + " pos " + std::to_string(origin.position);
    } else if (error.exception_class != ExceptionClass::kAnalysis) {
      error.message += "\n" + context.summary;
    }
  } else if (!origin.fragment.empty() || !origin.call_site.empty()) {
    context.type = QueryContext::Type::kDataFrame;
    context.fragment = origin.fragment;
    context.call_site = origin.call_site;
    context.summary = "== DataFrame ==\n\"" + origin.fragment + "\" was called from\n" + origin.call_site + "\n";
  } else {
    return error;
  }
  return std::move(error).With(std::move(context));
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
