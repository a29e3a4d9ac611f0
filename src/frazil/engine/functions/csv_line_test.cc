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

// A line of cells; "NULL" stands for nothing.
std::string Line(const std::vector<std::string>& cells, const std::map<std::string, std::string>& options = {}) {
  const CsvWriting writing(options);
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += writing.shape.separator;
    const auto cell = cells[i] == "NULL" ? std::nullopt : std::optional<std::string>(cells[i]);
    AppendCsvCell(cell, i == 0, writing, &line);
  }
  return line;
}

// As Spark 4.1.4 writes them.
TEST(CsvLineTest, Writes) {
  const std::vector<std::string> cells = {"1", "x,y", "NULL", "", "q\"q", " sp ", "#c", "a\\\"b", "u|v", "l\nm", "c\\"};
  EXPECT_EQ(Line(cells), "1,\"x,y\",,\"\",\"q\\\"q\",sp,#c,\"a\\\\\\\"b\",u|v,\"l\nm\",c\\");
  EXPECT_EQ(Line(cells, {{"quoteall", "true"}, {"nullvalue", "NULL"}}),
            "\"1\",\"x,y\",\"NULL\",\"\",\"q\\\"q\",\"sp\",\"#c\",\"a\\\\\\\"b\",\"u|v\",\"l\nm\",\"c\\\\\"");
  EXPECT_EQ(Line({"NULL", "", "x"}, {{"quoteall", "true"}, {"emptyvalue", "EE"}}), "\"\",\"EE\",\"x\"");
  EXPECT_EQ(Line({"NULL", "x"}, {{"nullvalue", "N,L"}}), "\"N,L\",x");
  EXPECT_EQ(Line({"", "x"}, {{"emptyvalue", ""}}), ",x");
  EXPECT_EQ(Line({"a\\\"b"}, {{"escape", "\""}}), "\"a\\\"\"b\"");
  EXPECT_EQ(Line({"a\\\"b"}, {{"chartoescapequoteescaping", "!"}}), "\"a!\\\\\"b\"");
  EXPECT_EQ(Line({"q\"q", "x,y"}, {{"escapequotes", "false"}}), "q\"q,\"x,y\"");
  EXPECT_EQ(Line({"x|y", "it's", ""}, {{"sep", "|"}, {"quote", "'"}}), "'x|y'|'it\\'s'|\"\"");
  EXPECT_EQ(Line({"#a", "#b"}, {{"comment", "#"}}), "\"#a\",#b");
}

TEST(CsvLineTest, TextTablesOfHive) {
  const std::map<std::string, std::string> options = {
      {"hivetext", "true"}, {"sep", "\x01"}, {"quote", ""}, {"escape", ""}, {"nullvalue", "\\N"}};
  EXPECT_EQ(Cells("a\x01\x01\\N\x01\"b\" ", options), "a||NULL|\"b\" ");
  EXPECT_EQ(Line({" a", "", "NULL", "\"q\""}, options), " a\x01\x01\\N\x01\"q\"");
  std::map<std::string, std::string> escaped = options;
  escaped["sep"] = ",";
  escaped["escape"] = "\\";
  EXPECT_EQ(Cells("a\\,b,\\N,c\\\\", escaped), "a,b|NULL|c\\");
  EXPECT_EQ(Line({"a,b", "NULL", "c\\"}, escaped), "a\\,b,\\N,c\\\\");
}

}  // namespace
}  // namespace frazil::engine
