#include "frazil/engine/functions/csv_line.h"

#include <gtest/gtest.h>

namespace frazil::engine {
namespace {

// The cells with '|' between them and NULL for nothing.
std::string Cells(std::string_view line, const std::map<std::string, std::string>& options = {}) {
  std::string text;
  for (const auto& cell : SplitCsvLine(line, CsvShape(options))) {
    if (!text.empty()) text += '|';
    text += cell.value_or("NULL");
  }
  return text;
}

TEST(CsvLineTest, EmptyCells) {
  EXPECT_EQ(Cells("1,\"\","), "1|NULL|NULL");
  EXPECT_EQ(Cells("1,\"\",", {{"nullvalue", "x"}}), "1||NULL");
  EXPECT_EQ(Cells("1,\"\",,x", {{"nullvalue", "x"}, {"emptyvalue", "EMPTY"}}), "1|EMPTY|NULL|NULL");
  EXPECT_EQ(Cells("\"x\",1", {{"nullvalue", "x"}}), "NULL|1");
}

TEST(CsvLineTest, QuotesThatNothingEscapes) {
  EXPECT_EQ(Cells("2,\"x \"\"q\"\" y\",3"), "2|\"x \"\"q\"\" y\"|3");
  EXPECT_EQ(Cells("2,\"x \"\"q\"\" y\",3", {{"escape", "\""}}), "2|x \"q\" y|3");
  EXPECT_EQ(Cells("\"a\"b,\"c\" d,\"e\"  ,f\"g"), "\"a\"b|\"c\" d|e|f\"g");
  EXPECT_EQ(Cells("\"a,\"\"b\",\"c"), "\"a,\"\"b\"|c");
}

TEST(CsvLineTest, Escapes) {
  EXPECT_EQ(Cells("\"a\\\"b\",\"c\\\\d\",\"e\\f\""), "a\"b|c\\d|e\\f");
  EXPECT_EQ(Cells("\"a\\\\b\"", {{"chartoescapequoteescaping", "!"}}), "a\\\\b");
}

TEST(CsvLineTest, BlanksAndSeparators) {
  EXPECT_EQ(Cells(" a , \"b\" , "), " a | \"b\" | ");
  const std::map<std::string, std::string> trims = {{"ignoreleadingwhitespace", "true"},
                                                    {"ignoretrailingwhitespace", "true"}};
  EXPECT_EQ(Cells(" a , \"b\" , ", trims), "a|b|NULL");
  EXPECT_EQ(Cells("a||b,c|", {{"sep", "||"}}), "a|b,c|");
  EXPECT_EQ(Cells("a\tb", {{"sep", "\\t"}}), "a|b");
}

}  // namespace
}  // namespace frazil::engine
