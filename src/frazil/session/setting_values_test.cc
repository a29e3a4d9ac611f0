#include <gtest/gtest.h>

#include "frazil/session/settings.h"

namespace frazil::session {
namespace {

std::string ConditionOf(const std::string& key, const std::string& value) {
  const Status checked = CheckSettingValue(key, value);
  return checked.ok() ? "" : checked.error().condition;
}

TEST(SettingValues, NumbersHaveTheirTypeAndRange) {
  const std::string partitions = "spark.sql.shuffle.partitions";
  for (const char* good : {"1", " 7 ", "+3", "2147483647"}) EXPECT_EQ(ConditionOf(partitions, good), "") << good;
  for (const char* bad : {"x", "", "7.5", "2147483648", "+-3", "10k"}) {
    EXPECT_EQ(ConditionOf(partitions, bad), "INVALID_CONF_VALUE.TYPE_MISMATCH") << bad;
  }
  EXPECT_EQ(ConditionOf(partitions, "0"), "INVALID_CONF_VALUE.REQUIREMENT");
  EXPECT_EQ(ConditionOf("spark.sql.execution.arrow.maxRecordsPerBatch", "-1"), "");
}

TEST(SettingValues, SizesHaveUnits) {
  const std::string threshold = "spark.sql.autoBroadcastJoinThreshold";
  for (const char* good : {"-1", "10", "10b", "10M", "2gb", "1pb"}) EXPECT_EQ(ConditionOf(threshold, good), "") << good;
  for (const char* bad : {"zz", "10q", "", "1.5m", "9999999999999p"}) {
    EXPECT_EQ(ConditionOf(threshold, bad), "INVALID_CONF_VALUE.TYPE_MISMATCH") << bad;
  }
  const Status negative = CheckSettingValue("spark.sql.maxPlanStringLength", "-1");
  ASSERT_FALSE(negative.ok());
  EXPECT_NE(negative.error().message.find("The value '-1b'"), std::string::npos) << negative.error().message;
}

TEST(SettingValues, ChoicesAndBooleans) {
  EXPECT_EQ(ConditionOf("spark.sql.execution.arrow.compression.codec", "LZ4"), "");
  EXPECT_EQ(ConditionOf("spark.sql.execution.arrow.compression.codec", "bogus"),
            "INVALID_CONF_VALUE.OUT_OF_RANGE_OF_OPTIONS");
  EXPECT_EQ(ConditionOf("spark.sql.ansi.enabled", " TRUE "), "");
  EXPECT_EQ(ConditionOf("spark.sql.ansi.enabled", "1"), "INVALID_CONF_VALUE.TYPE_MISMATCH");
  EXPECT_EQ(ConditionOf("spark.sql.streaming.multipleWatermarkPolicy", "MAX"), "");
  EXPECT_EQ(ConditionOf("spark.sql.streaming.multipleWatermarkPolicy", "mean"), "INVALID_CONF_VALUE.REQUIREMENT");
  EXPECT_EQ(ConditionOf("my.own.key", "anything"), "");
}

TEST(SettingValues, DefaultsAreAllowed) {
  for (const auto& setting : KnownSettings()) {
    EXPECT_EQ(ConditionOf(std::string(setting.key), std::string(setting.default_value)), "") << setting.key;
  }
}

TEST(SettingValues, StaticSettingsAndThoseOfTheCore) {
  for (const char* key : {"spark.sql.warehouse.dir", "spark.sql.extensions", "spark.connect.grpc.arrow.maxBatchSize"}) {
    EXPECT_EQ(ChangeableOf(key), Changeable::kStatic) << key;
  }
  for (const char* key : {"spark.driver.memory", "spark.serializer", "spark.ui.enabled"}) {
    EXPECT_EQ(ChangeableOf(key), Changeable::kNotInSession) << key;
  }
  for (const char* key : {"spark.sql.ansi.enabled", "spark.app.name", "spark.master", "my.own.key",
                          "spark.hadoop.fs.s3a.access.key", "spark.connect.session.planCompression.threshold"}) {
    EXPECT_EQ(ChangeableOf(key), Changeable::kYes) << key;
  }
}

}  // namespace
}  // namespace frazil::session
