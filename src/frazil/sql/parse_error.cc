#include "frazil/sql/parse_error.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace frazil::sql {
namespace {

std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  size_t from = 0;
  while (true) {
    const size_t end = text.find('\n', from);
    if (end == std::string_view::npos) break;
    lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  lines.push_back(text.substr(from));
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

/// Byte offset of the character `index` (code points) of UTF-8 text.
size_t ByteOffset(std::string_view text, int index) {
  size_t i = 0;
  while (i < text.size() && index > 0) {
    ++i;
    while (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) ++i;
    --index;
  }
  return i;
}

int CountCharacters(std::string_view text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// "== SQL (line 1, position 8) ==", the lines of the fragment, and carets below them.
std::string Summary(const plan::Origin& origin, std::string_view fragment) {
  const std::string& text = *origin.text;
  std::string out =
      "== SQL (line " + std::to_string(origin.line) + ", position " + std::to_string(origin.position + 1) + ") ==\n";
  const size_t begin = ByteOffset(text, origin.start);
  size_t line_start = text.rfind('\n', begin == 0 ? 0 : begin - 1);
  line_start = line_start == std::string::npos || begin == 0 ? 0 : line_start + 1;
  size_t line_end = text.find('\n', begin + fragment.size());
  if (line_end == std::string::npos) line_end = text.size();
  int start = origin.position;
  int remaining = CountCharacters(fragment);
  for (std::string_view line : SplitLines(std::string_view(text).substr(line_start, line_end - line_start))) {
    out.append(line).push_back('\n');
    const int length = std::max(std::min(remaining, CountCharacters(line) - start), 0);
    out.append(static_cast<size_t>(std::max(start, 0)), ' ').append(static_cast<size_t>(length), '^').push_back('\n');
    remaining -= length + 1;
    start = 0;
    if (remaining <= 0) break;
  }
  return out;
}

}  // namespace

Error WithPosition(Error error, std::string_view statement, int line, int position) {
  std::string& message = error.message;
  message += " (line " + std::to_string(line) + ", pos " + std::to_string(position) + ")\n\n== SQL ==\n";
  const std::vector<std::string_view> lines = SplitLines(statement);
  for (size_t i = 0; i < lines.size(); ++i) {
    message.append(lines[i]).push_back('\n');
    if (static_cast<int>(i) + 1 == line) message.append(static_cast<size_t>(position), '-').append("^^^\n");
  }
  if (static_cast<int>(lines.size()) < line) message.append(static_cast<size_t>(position), '-').append("^^^\n");
  return error;
}

Error WithOrigin(Error error, const plan::Origin& origin) {
  if (origin.text == nullptr || origin.start < 0) return error;
  const size_t begin = ByteOffset(*origin.text, origin.start);
  const size_t end = ByteOffset(*origin.text, origin.stop + 1);
  QueryContext context;
  context.start_index = origin.start;
  context.stop_index = origin.stop;
  context.fragment = origin.text->substr(begin, end > begin ? end - begin : 0);
  context.summary = Summary(origin, context.fragment);
  error.message += "\n" + context.summary;
  error.query_contexts.push_back(std::move(context));
  return error;
}

}  // namespace frazil::sql
