#include "frazil/engine/functions/csv_line.h"

#include <algorithm>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/engine/functions/kernel_error.h"
#include "frazil/functions/text_options.h"

namespace frazil::engine {
namespace {

bool IsBlank(char c) { return static_cast<unsigned char>(c) <= ' '; }

class LineReader {
 public:
  LineReader(std::string_view line, const CsvShape& shape) : line_(line), shape_(shape) {}

  // One cell; stands at the separator behind it, or at the end.
  std::optional<std::string> Cell() {
    while (shape_.trim_start && at_ < line_.size() && IsBlank(line_[at_]) && !AtSeparator(at_)) ++at_;
    std::string text;
    if (at_ < line_.size() && shape_.quote != '\0' && line_[at_] == shape_.quote) {
      text = Quoted();
      if (text.empty()) text = shape_.empty_value;
    } else {
      const size_t first = at_;
      text = shape_.hive ? Escaped() : Rest();
      // Hive looks for what stands for NULL before it takes escapes off, and knows none where cells are quoted.
      const bool knows_null = shape_.hive && shape_.quote == '\0';
      if (knows_null && line_.substr(first, at_ - first) == shape_.null_value) return std::nullopt;
      if (shape_.hive) return text;
      if (text.empty()) return std::nullopt;
      Trim(&text);
      if (text.empty()) text = shape_.empty_value;
    }
    if (text == shape_.null_value && !shape_.hive) return std::nullopt;
    return text;
  }

  // Steps over a separator; false at the end.
  bool Next() {
    if (at_ >= line_.size()) return false;
    at_ += shape_.separator.size();
    return true;
  }

 private:
  bool AtSeparator(size_t at) const { return line_.substr(at, shape_.separator.size()) == shape_.separator; }
  bool EndsCell(size_t at) const { return at >= line_.size() || AtSeparator(at); }

  std::string Rest() {
    const size_t end = std::min(line_.find(shape_.separator, at_), line_.size());
    std::string text(line_.substr(at_, end - at_));
    at_ = end;
    return text;
  }

  std::string Escaped() {
    std::string text;
    while (!EndsCell(at_)) {
      if (line_[at_] == shape_.escape && shape_.escape != '\0' && at_ + 1 < line_.size()) ++at_;
      text += line_[at_++];
    }
    return text;
  }

  void Trim(std::string* text) const {
    while (shape_.trim_end && !text->empty() && IsBlank(text->back())) text->pop_back();
  }

  std::string Quoted() {
    std::string text;
    ++at_;
    while (at_ < line_.size()) {
      const char c = line_[at_];
      const char next = at_ + 1 < line_.size() ? line_[at_ + 1] : '\0';
      const bool escapes_quote = c == shape_.escape && next == shape_.quote;
      const bool escapes_escape = c == shape_.escape_of_escape && next == shape_.escape;
      if (c != '\0' && next != '\0' && (escapes_quote || escapes_escape)) {
        text += next;
        at_ += 2;
      } else if (c != shape_.quote) {
        text += c;
        ++at_;
      } else if (next == shape_.quote) {
        // A quote that nothing escapes; the second may close the cell.
        text += c;
        ++at_;
      } else {
        size_t end = at_ + 1;
        while (end < line_.size() && IsBlank(line_[end]) && !AtSeparator(end)) ++end;
        if (EndsCell(end)) {
          at_ = end;
          return text;
        }
        text = shape_.quote + text + Rest();
        Trim(&text);
        return text;
      }
    }
    return text;
  }

  std::string_view line_;
  const CsvShape& shape_;
  size_t at_ = 0;
};

}  // namespace

CsvShape::CsvShape(const std::map<std::string, std::string>& options) {
  const auto get = [&](const char* key, std::string fallback) {
    const auto found = options.find(key);
    return found == options.end() ? fallback : found->second;
  };
  const auto one = [&](const char* key, char fallback) {
    const std::string text = get(key, std::string(1, fallback));
    return text.empty() ? '\0' : text[0];
  };
  separator = ValueOrThrow(functions::CsvSeparator(options));
  quote = one("quote", '"');
  escape = one("escape", '\\');
  escape_of_escape = quote == escape ? '\0' : escape;
  if (options.contains("chartoescapequoteescaping")) escape_of_escape = one("chartoescapequoteescaping", '\0');
  trim_start = EqualsIgnoreCase(get("ignoreleadingwhitespace", "false"), "true");
  trim_end = EqualsIgnoreCase(get("ignoretrailingwhitespace", "false"), "true");
  // Less than one: as many as there are.
  const auto limit = [&](const char* key, size_t fallback) {
    const auto number = ParseInteger<int32_t>(get(key, ""));
    return !number.has_value() ? fallback : *number < 1 ? SIZE_MAX : static_cast<size_t>(*number);
  };
  max_columns = limit("maxcolumns", max_columns);
  max_cell_size = limit("maxcharspercolumn", max_cell_size);
  hive = EqualsIgnoreCase(get("hivetext", "false"), "true");
  null_value = get("nullvalue", "");
  empty_value = get("emptyvalue", "");
}

CsvWriting::CsvWriting(const std::map<std::string, std::string>& options) : shape(options) {
  const auto is_true = [&](const char* key, bool fallback) {
    const auto found = options.find(key);
    return found == options.end() ? fallback : EqualsIgnoreCase(found->second, "true");
  };
  const auto get = [&](const char* key, std::string fallback) {
    const auto found = options.find(key);
    return found == options.end() ? fallback : found->second;
  };
  // Writers leave blanks around a value out unless they are told not to.
  trim_start = is_true("ignoreleadingwhitespace", true);
  trim_end = is_true("ignoretrailingwhitespace", true);
  quote_all = is_true("quoteall", false);
  escape_quotes = is_true("escapequotes", true);
  empty_value = get("emptyvalue", "\"\"");
  const std::string comment_text = get("comment", "");
  comment = comment_text.empty() ? '\0' : comment_text[0];
  if (!shape.hive) return;
  trim_start = trim_end = false;
  empty_value = "";
}

namespace {

/// Without quotes, what would end the cell is escaped, where the table has an escape character.
void AppendHiveCell(const std::optional<std::string>& cell, const CsvShape& shape, std::string* line) {
  if (!cell.has_value()) {
    *line += shape.null_value;
    return;
  }
  for (const char c : *cell) {
    const bool ends = c == shape.separator[0] || c == shape.escape || c == '\n' || c == '\r';
    if (ends && shape.escape != '\0') *line += shape.escape;
    *line += c;
  }
}

}  // namespace

void AppendCsvCell(const std::optional<std::string>& cell, bool is_first, const CsvWriting& writing,
                   std::string* line) {
  const CsvShape& shape = writing.shape;
  if (shape.hive && shape.quote == '\0') return AppendHiveCell(cell, shape, line);
  const bool stands_in = !cell.has_value() || cell->empty();
  std::string_view text = !cell.has_value() ? shape.null_value : cell->empty() ? writing.empty_value : *cell;
  const bool is_comment = is_first && writing.comment != '\0' && text.starts_with(writing.comment);
  while (writing.trim_start && !text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (writing.trim_end && !text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  // What stands in for nothing may bring its own quotes.
  if (stands_in && text.size() >= 2 && text.front() == shape.quote && text.back() == shape.quote) {
    *line += text;
    return;
  }
  const bool has_quote = text.find(shape.quote) != std::string_view::npos;
  const bool needs_quotes =
      writing.quote_all || is_comment || text.starts_with(shape.quote) || (has_quote && writing.escape_quotes) ||
      text.find(shape.separator) != std::string_view::npos || text.find_first_of("\n\r") != std::string_view::npos;
  if (!needs_quotes) {
    *line += text;
    return;
  }
  *line += shape.quote;
  for (const char c : text) {
    if (c == shape.quote) {
      *line += shape.escape;
    } else if (c == shape.escape && shape.escape_of_escape != '\0') {
      *line += shape.escape_of_escape;
    }
    *line += c;
  }
  *line += shape.quote;
}

std::vector<std::optional<std::string>> SplitCsvLine(std::string_view line, const CsvShape& shape) {
  std::vector<std::optional<std::string>> cells;
  LineReader reader(line, shape);
  do {
    cells.push_back(reader.Cell());
    const auto& cell = cells.back();
    if (cells.size() > shape.max_columns ||
        (cell.has_value() && cell->size() > shape.max_cell_size && Utf8Length(*cell) > shape.max_cell_size)) {
      ThrowSparkError("MALFORMED_CSV_RECORD", {{"badRecord", std::string(line)}});
    }
  } while (reader.Next());
  return cells;
}

}  // namespace frazil::engine
