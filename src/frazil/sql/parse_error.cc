#include "frazil/sql/parse_error.h"

#include <string>
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

}  // namespace frazil::sql
