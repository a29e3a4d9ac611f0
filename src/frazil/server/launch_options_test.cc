#include "frazil/server/launch_options.h"

#include <cstdio>
#include <fstream>

#include <gtest/gtest.h>

namespace frazil::server {
namespace {

using Settings = std::map<std::string, std::string>;

Result<LaunchOptions> Take(const std::vector<std::string>& arguments) {
  LaunchOptions options;
  for (size_t at = 0; at < arguments.size();) {
    FRAZIL_ASSIGN_OR_RETURN(const bool taken, TakeLaunchOption(arguments, &at, &options));
    if (!taken) return UsageError("not taken: " + arguments[at]);
  }
  return options;
}

TEST(LaunchOptions, TakesValuesBehindAnEqualsSignOrAsTheNextArgument) {
  const auto options =
      Take({"--host", "0.0.0.0", "--port=0", "--conf", "spark.a=b=c", "--conf=spark.d=", "--warehouse=/w"});
  ASSERT_TRUE(options.ok()) << options.error().message;
  EXPECT_EQ(options->host, "0.0.0.0");
  EXPECT_EQ(options->port, 0);
  EXPECT_EQ(options->warehouse, "/w");
  EXPECT_EQ(options->settings, (Settings{{"spark.a", "b=c"}, {"spark.d", ""}}));
}

TEST(LaunchOptions, RefusesWhatIsWrong) {
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--port"},
                                             {"--port", "x"},
                                             {"--port", "65536"},
                                             {"--conf", "novalue"},
                                             {"--conf"},
                                             {"--portx", "1"},
                                             {"--properties-file", "/no/such/file"},
                                             {"--token", ""}}) {
    const auto options = Take(wrong);
    ASSERT_FALSE(options.ok()) << wrong.front();
    EXPECT_TRUE(IsUsageError(options.error())) << options.error().message;
  }
}

TEST(LaunchOptions, ConfWinsOverThePropertiesFile) {
  const std::string path = ::testing::TempDir() + "/launch_options_test.conf";
  std::ofstream(path) << "spark.a file\nspark.b file\n";
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{"--conf", "spark.a=told", "--properties-file", path},
                                             {"--properties-file", path, "--conf", "spark.a=told"}}) {
    const auto options = Take(arguments);
    ASSERT_TRUE(options.ok());
    EXPECT_EQ(options->settings, (Settings{{"spark.a", "told"}, {"spark.b", "file"}}));
  }
  std::remove(path.c_str());
}

TEST(Properties, ReadsTheSyntaxOfSparkDefaults) {
  const auto properties = ParseProperties(
      "# comment\n"
      "! comment too\n"
      "spark.blank   value with blanks  \n"
      "spark.equals=1\n"
      "  spark.colon : 2\r\n"
      "spark.long=a,\\\n"
      "   b\n"
      "spark.escaped\\:key=C:\\\\x\n"
      "spark.empty\n"
      "other.key=left out\n");
  EXPECT_EQ(properties, (Settings{{"spark.blank", "value with blanks"},
                                  {"spark.equals", "1"},
                                  {"spark.colon", "2"},
                                  {"spark.long", "a,b"},
                                  {"spark.escaped:key", "C:\\x"},
                                  {"spark.empty", ""}}));
}

TEST(Sizes, AreReadAsSparkWritesThem) {
  EXPECT_EQ(*ParseByteSize("2g"), 2147483648);
  EXPECT_EQ(*ParseByteSize("512MB"), 536870912);
  EXPECT_EQ(*ParseByteSize(" 7 "), 7);
  for (const char* wrong : {"", "g", "-1", "1.5g", "1x", "99999999999p"})
    EXPECT_FALSE(ParseByteSize(wrong).ok()) << wrong;
  EXPECT_EQ(*ParseSeconds("60m"), 3600);
  EXPECT_EQ(*ParseSeconds("1h"), 3600);
  EXPECT_EQ(*ParseSeconds("1500ms"), 2);
  EXPECT_EQ(*ParseSeconds("30"), 30);
  EXPECT_FALSE(ParseSeconds("soon").ok());
}

}  // namespace
}  // namespace frazil::server
