#include "frazil/base/logging.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace frazil {
namespace {

class LoggingTest : public testing::Test {
 protected:
  void SetUp() override {
    SetLogSink([this](std::string_view line) { lines_.emplace_back(line); });
    SetLogLevel(LogLevel::kInfo);
  }
  void TearDown() override {
    SetLogSink({});
    SetLogLevel(LogLevel::kWarn);
  }
  std::vector<std::string> lines_;
};

TEST_F(LoggingTest, WritesFieldsOnOneLine) {
  Log(LogLevel::kInfo, "opened\nnow", {{"path", "a b\"c"}, {"rows", 7}, {"ok", true}, {"empty", ""}, {"id", "x1"}});
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_TRUE(lines_[0].ends_with("Z INFO opened\\nnow path=\"a b\\\"c\" rows=7 ok=true empty=\"\" id=x1"))
      << lines_[0];
}

TEST_F(LoggingTest, DropsLowerLevels) {
  Log(LogLevel::kDebug, "no");
  SetLogLevel(LogLevel::kOff);
  Log(LogLevel::kError, "no");
  EXPECT_TRUE(lines_.empty());
  EXPECT_FALSE(IsLogged(LogLevel::kError));
}

TEST_F(LoggingTest, IsThreadSafe) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int j = 0; j < 100; ++j) Log(LogLevel::kWarn, "m");
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(lines_.size(), 400u);
}

TEST(LogLevelTest, Names) {
  EXPECT_EQ(LogLevelByName("warn"), LogLevel::kWarn);
  EXPECT_EQ(LogLevelByName("ALL"), LogLevel::kTrace);
  EXPECT_FALSE(LogLevelByName("loud").has_value());
  EXPECT_EQ(LogLevelName(LogLevel::kError), "ERROR");
}

}  // namespace
}  // namespace frazil
