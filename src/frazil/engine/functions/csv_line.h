#pragma once

// Lines of CSV cut into cells, and made of them, as Spark's parser and writer (univocity) do it. Internal to engine/.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frazil::engine {

/// What the options of a CSV source or function (keys in lower case) say about reading lines.
/// https://spark.apache.org/docs/latest/sql-data-sources-csv.html
struct CsvShape {
  /// Throws the errors of functions::CsvSeparator.
  explicit CsvShape(const std::map<std::string, std::string>& options);

  std::string separator = ",";
  char quote = '"', escape = '\\', escape_of_escape = '\\';  ///< '\0': none.
  bool trim_start = false, trim_end = false;
  std::string null_value, empty_value;
  /// Text tables of Hive: a cell without any text is that text, and outside of quotes `escape` takes the character
  /// behind it as it is.
  bool hive = false;
  size_t max_columns = 20480, max_cell_size = SIZE_MAX;
};

/// The cells of a line; throws MALFORMED_CSV_RECORD where it has more or longer ones than the shape allows. Nothing
/// stands for NULL: a cell without any text, or one that holds `null_value`; "" in quotes is `empty_value`. A quoted
/// cell with text behind its closing quote is taken as it stands, quotes included.
std::vector<std::optional<std::string>> SplitCsvLine(std::string_view line, const CsvShape& shape);

/// What the options say about writing lines.
struct CsvWriting {
  /// Throws as CsvShape does.
  explicit CsvWriting(const std::map<std::string, std::string>& options);

  CsvShape shape;
  bool trim_start = true, trim_end = true, quote_all = false, escape_quotes = true;
  std::string empty_value;
  char comment = '\0';  ///< '\0': none.
};

/// One cell, without a separator; names in a header are cells too. Nothing stands for NULL. A first cell that looks
/// like a comment is quoted.
void AppendCsvCell(const std::optional<std::string>& cell, bool is_first, const CsvWriting& writing, std::string* line);

}  // namespace frazil::engine
