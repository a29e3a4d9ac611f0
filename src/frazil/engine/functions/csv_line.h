#pragma once

// Lines of CSV cut into cells, as Spark's parser (univocity) cuts them. Internal to engine/.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frazil::engine {

/// What the options of a CSV source or function (keys in lower case) say about reading lines.
/// https://spark.apache.org/docs/latest/sql-data-sources-csv.html
struct CsvShape {
  explicit CsvShape(const std::map<std::string, std::string>& options);

  std::string separator = ",";
  char quote = '"', escape = '\\', escape_of_escape = '\\';  ///< '\0': none.
  bool trim_start = false, trim_end = false;
  std::string null_value, empty_value;
};

/// The cells of a line. Nothing stands for NULL: a cell without any text, or one that holds `null_value`; "" in quotes
/// is `empty_value`. A quoted cell with text behind its closing quote is taken as it stands, quotes included.
std::vector<std::optional<std::string>> SplitCsvLine(std::string_view line, const CsvShape& shape);

}  // namespace frazil::engine
