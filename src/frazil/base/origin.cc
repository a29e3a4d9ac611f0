#include "frazil/base/origin.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace frazil {
namespace {

// Characters of a line that are shown beside the part concerned.
constexpr int kMostBeside = 32;
constexpr std::string_view kLeftOut = "...";

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Byte offset of a character (code point); the end of the text where it is beyond.
size_t ByteOffset(std::string_view text, int character) {
  size_t at = 0;
  for (int i = 0; i < character && at < text.size(); ++i) {
    ++at;
    while (at < text.size() && IsContinuation(text[at])) ++at;
  }
  return at;
}

// The beginning of the character before `at`.
size_t Before(std::string_view text, size_t at) {
  --at;
  while (at > 0 && IsContinuation(text[at])) --at;
  return at;
}

size_t After(std::string_view text, size_t at) {
  ++at;
  while (at < text.size() && IsContinuation(text[at])) ++at;
  return at;
}

// The lines from `begin` to `end`, a few characters around them, each with carets below the part.
std::string Picture(std::string_view text, size_t begin, size_t end) {
  size_t from = begin;
  int beside = 0;
  while (from > 0 && beside < kMostBeside && text[Before(text, from)] != '\n') {
    from = Before(text, from);
    ++beside;
  }
  const bool cut_before = beside == kMostBeside;
  size_t to = end;
  beside = 0;
  while (to < text.size() && beside < kMostBeside && text[to] != '\n') {
    to = After(text, to);
    ++beside;
  }
  const bool cut_after = beside == kMostBeside;

  std::string lines, carets, picture;
  const auto end_line = [&] {
    picture += lines + "\n" + carets + "\n";
    lines.clear();
    carets.clear();
  };
  if (cut_before) {
    lines = kLeftOut;
    carets.assign(kLeftOut.size(), ' ');
  }
  for (size_t at = from; at < to; at = After(text, at)) {
    if (text[at] == '\n') {
      end_line();
      continue;
    }
    lines += text.substr(at, After(text, at) - at);
    if (at < end) carets += at < begin ? ' ' : '^';
  }
  if (cut_after) lines += kLeftOut;
  end_line();
  return picture;
}

// Conditions that Spark raises without a place, wherever they arise.
bool IsWithoutPlace(std::string_view condition) {
  static const std::set<std::string_view> kConditions = {
      "AMBIGUOUS_LATERAL_COLUMN_ALIAS", "COLLATION_INVALID_NAME",           "GROUPING_COLUMN_MISMATCH",
      "GROUPING_ID_COLUMN_MISMATCH",    "MISSING_WINDOW_SPECIFICATION",     "NON_LITERAL_PIVOT_VALUES",
      "REQUIRES_SINGLE_PART_NAMESPACE", "UNPIVOT_VALUE_DATA_TYPE_MISMATCH", "UNRESOLVED_USING_COLUMN_FOR_JOIN",
      "_LEGACY_ERROR_TEMP_1006",        "_LEGACY_ERROR_TEMP_1034",          "_LEGACY_ERROR_TEMP_1035",
      "_LEGACY_ERROR_TEMP_1036",        "_LEGACY_ERROR_TEMP_1037",          "_LEGACY_ERROR_TEMP_1046",
      "_LEGACY_ERROR_TEMP_1047",        "_LEGACY_ERROR_TEMP_1048"};
  return kConditions.count(condition) != 0 || condition.starts_with("UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_IN_") ||
         condition == "UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS" ||
         condition == "UNSUPPORTED_GENERATOR.OUTSIDE_SELECT";
}

}  // namespace

std::optional<QueryContext> ContextOf(const Origin& origin) {
  QueryContext context;
  if (origin.text != nullptr && origin.start >= 0) {
    context.type = QueryContext::Type::kSql;
    std::string of;
    if (origin.object != nullptr) {
      context.object_type = origin.object->type;
      context.object_name = origin.object->name;
      of = " of " + context.object_type + " " + context.object_name;
    }
    context.start_index = origin.start;
    context.stop_index = origin.stop;
    const std::string_view text = *origin.text;
    const size_t begin = ByteOffset(text, origin.start);
    const size_t end = std::max(begin, ByteOffset(text, origin.stop + 1));
    context.fragment = std::string(text.substr(begin, end - begin));
    context.summary = "== SQL" + of + " (line " + std::to_string(origin.line) + ", position " +
                      std::to_string(origin.position + 1) + ") ==\n" + Picture(text, begin, end);
    return context;
  }
  if (origin.fragment.empty() && origin.call_site.empty()) return std::nullopt;
  context.type = QueryContext::Type::kDataFrame;
  context.fragment = origin.fragment;
  context.call_site = origin.call_site;
  context.summary = "== DataFrame ==\n\"" + origin.fragment + "\" was called from\n" + origin.call_site + "\n";
  return context;
}

Error AtOrigin(Error error, const Origin& origin) {
  if (!error.query_contexts.empty() || error.condition.empty() || IsWithoutPlace(error.condition)) return error;
  if (error.kind == ErrorKind::kInternal || error.kind == ErrorKind::kStorage || error.kind == ErrorKind::kCancelled)
    return error;
  auto context = ContextOf(origin);
  if (!context) return error;
  if (error.exception_class != ExceptionClass::kAnalysis) {
    error.message += "\n" + context->summary;
  } else if (context->type == QueryContext::Type::kSql && origin.line > 0) {
    error.message += "; line " + std::to_string(origin.line) + " pos " + std::to_string(origin.position);
  }
  return std::move(error).With(*std::move(context));
}

}  // namespace frazil
