#include "frazil/functions/text_options.h"

#include <gtest/gtest.h>

namespace frazil::functions {
namespace {

using Options = std::map<std::string, std::string>;

std::string MessageOf(const Status& status) { return status.ok() ? "" : status.error().message; }
std::string ConditionOf(const Status& status) { return status.ok() ? "" : status.error().condition; }

TEST(TextOptionsTest, Separators) {
  const auto separator = [](const Options& options) { return CsvSeparator(options); };
  EXPECT_EQ(*separator({}), ",");
  EXPECT_EQ(*separator({{"delimiter", ";"}}), ";");
  EXPECT_EQ(*separator({{"delimiter", ";"}, {"sep", "||"}}), "||");
  EXPECT_EQ(*separator({{"sep", "\\t"}}), "\t");
  EXPECT_EQ(*separator({{"sep", "a\\\\b\\t"}}), "a\\b\t");
  EXPECT_EQ(MessageOf(separator({{"sep", ""}}).status()), "Delimiter cannot be empty");
  EXPECT_EQ(separator({{"delimiter", ""}}).error().exception_class, ExceptionClass::kIllegalArgument);
  EXPECT_EQ(ConditionOf(separator({{"sep", "\\"}}).status()), "INVALID_DELIMITER_VALUE.SINGLE_BACKSLASH");
  EXPECT_EQ(ConditionOf(separator({{"sep", "\\q"}}).status()), "INVALID_DELIMITER_VALUE.UNSUPPORTED_SPECIAL_CHARACTER");
}

TEST(TextOptionsTest, Csv) {
  EXPECT_TRUE(CheckCsvOptions({}).ok());
  EXPECT_TRUE(CheckCsvOptions({{"quote", ""}, {"escape", ""}, {"comment", ""}, {"linesep", "\r\n"}}).ok());
  for (const char* key : {"quote", "escape", "comment", "chartoescapequoteescaping"})
    EXPECT_EQ(ConditionOf(CheckCsvOptions({{key, "ab"}})), "_LEGACY_ERROR_TEMP_2145") << key;
  for (const char* key : {"maxcolumns", "maxcharspercolumn"})
    EXPECT_EQ(ConditionOf(CheckCsvOptions({{key, "x"}})), "_LEGACY_ERROR_TEMP_2146") << key;
  for (const char* key : {"header", "inferschema", "quoteall", "escapequotes", "preferdate", "enforceschema"}) {
    EXPECT_EQ(ConditionOf(CheckCsvOptions({{key, "maybe"}})), "_LEGACY_ERROR_TEMP_2147") << key;
    EXPECT_TRUE(CheckCsvOptions({{key, "TRUE"}}).ok()) << key;
  }
  EXPECT_EQ(MessageOf(CheckCsvOptions({{"multiline", "zz"}})), "For input string: \"zz\"");
  EXPECT_EQ(MessageOf(CheckCsvOptions({{"linesep", ""}})), "requirement failed: 'lineSep' cannot be an empty string.");
  EXPECT_EQ(MessageOf(CheckCsvOptions({{"linesep", "abc"}})),
            "requirement failed: 'lineSep' can contain only 1 character.");
}

TEST(TextOptionsTest, JsonTextAndFiles) {
  EXPECT_TRUE(CheckJsonOptions({{"linesep", "abc"}, {"pretty", "false"}}).ok());
  EXPECT_EQ(CheckJsonOptions({{"pretty", "true"}}).error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(CheckCsvOptions({{"singlevariantcolumn", "v"}}).error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(MessageOf(CheckJsonOptions({{"multiline", "x"}})), "For input string: \"x\"");
  EXPECT_FALSE(CheckJsonOptions({{"linesep", ""}}).ok());
  EXPECT_FALSE(CheckTextOptions({{"linesep", ""}}).ok());
  EXPECT_EQ(MessageOf(CheckFileSourceOptions({{"recursivefilelookup", "x"}})), "For input string: \"x\"");
  EXPECT_EQ(MessageOf(CheckFileSourceOptions({{"ignorecorruptfiles", "1"}})), "For input string: \"1\"");
  EXPECT_TRUE(CheckFileSourceOptions({{"ignorecorruptfiles", "true"}}).ok());
}

}  // namespace
}  // namespace frazil::functions
