#include "frazil/streaming/join_times.h"

#include <limits>

#include <gtest/gtest.h>

#include "frazil/plan/make_logical.h"
#include "frazil/plan/watermark.h"
#include "frazil/streaming/event_time.h"
#include "frazil/types/value.h"

namespace frazil::streaming {
namespace {

Attribute Column(const std::string& name, DataTypePtr type) {
  static AttributeId next = 1;
  Attribute column;
  column.id = next++;
  column.name = name;
  column.type = std::move(type);
  return column;
}

plan::LogicalPlanPtr Rows(std::vector<Attribute> columns) {
  auto rows = std::make_shared<RowSet>();
  std::vector<StructField> fields;
  for (const auto& column : columns) fields.emplace_back(column.name, column.type, true);
  rows->schema = DataType::Struct(std::move(fields));
  return plan::MakeRows(std::move(rows), std::move(columns));
}

/// withWatermark on the first column.
plan::LogicalPlanPtr Watermark(const plan::LogicalPlanPtr& child, int64_t delay_ms) {
  auto watermark = std::make_shared<plan::CollectMetricsNode>();
  watermark->child = child;
  watermark->output = child->output;
  watermark->name = std::string(plan::kWatermarkMetric) + ":" + std::to_string(delay_ms) + ":7:t";
  watermark->metrics = {MakeColumn(child->output[0])};
  watermark->metric_names = {"max"};
  return watermark;
}

ExpressionPtr Call(const std::string& name, std::vector<ExpressionPtr> arguments, const DataTypePtr& type) {
  return MakeCall(name, std::move(arguments), type, true);
}

ExpressionPtr Plus(ExpressionPtr time, int64_t micros) {
  const auto type = time->type;
  return Call("timestamp_add_interval", {std::move(time), MakeLiteral(DataType::DayTimeInterval(), Value(micros))},
              type);
}

ExpressionPtr Compare(const std::string& function, ExpressionPtr left, ExpressionPtr right) {
  return Call(function, {std::move(left), std::move(right)}, DataType::Boolean());
}

ExpressionPtr And(ExpressionPtr left, ExpressionPtr right) {
  return Call("and", {std::move(left), std::move(right)}, DataType::Boolean());
}

class JoinTimesTest : public testing::Test {
 protected:
  JoinTimes Times(ExpressionPtr condition) {
    const auto join = plan::MakeJoin(left_, right_, plan::JoinType::kInner, std::move(condition));
    return TimesOfJoin(join->As<plan::JoinNode>());
  }
  ExpressionPtr left_time() const { return MakeColumn(left_->output[0]); }
  ExpressionPtr right_time() const { return MakeColumn(right_->output[0]); }
  ExpressionPtr same_keys() const {
    return Compare("equal", MakeColumn(left_->output[1]), MakeColumn(right_->output[1]));
  }

  plan::LogicalPlanPtr left_ =
      Watermark(Rows({Column("t", DataType::Timestamp()), Column("k", DataType::Integer())}), 1000);
  plan::LogicalPlanPtr right_ =
      Watermark(Rows({Column("t", DataType::Timestamp()), Column("k", DataType::Integer())}), 2000);
};

TEST_F(JoinTimesTest, KeysWithoutATimeKeepRowsForEver) {
  const auto times = Times(same_keys());
  EXPECT_TRUE(times.has_equality);
  EXPECT_FALSE(times.watermark_in_keys);
  EXPECT_EQ(times.left.time, nullptr);
  EXPECT_EQ(times.right.time, nullptr);
  EXPECT_FALSE(Times(Compare("less", left_time(), right_time())).has_equality);
}

TEST_F(JoinTimesTest, AnEventTimeAmongTheKeysIsTheTimeOfBothSides) {
  // Written either way round.
  for (const auto& times : {Times(Compare("equal", left_time(), right_time())),
                            Times(And(same_keys(), Compare("equal", right_time(), left_time())))}) {
    EXPECT_TRUE(times.has_equality);
    EXPECT_TRUE(times.watermark_in_keys);
    ASSERT_NE(times.left.time, nullptr);
    EXPECT_EQ(times.left.time->As<ColumnExpression>().id, left_->output[0].id);
    EXPECT_EQ(times.right.time->As<ColumnExpression>().id, right_->output[0].id);
    EXPECT_EQ(times.left.behind_ms, 0);
  }
}

TEST_F(JoinTimesTest, ARangeSaysHowLongASideWaits) {
  // right between left - 5 seconds and left + 8 seconds.
  const auto times =
      Times(And(same_keys(), And(Compare("greater_or_equal", right_time(), Plus(left_time(), -5'000'000)),
                                 Compare("less_or_equal", right_time(), Plus(left_time(), 8'000'000)))));
  EXPECT_TRUE(times.left.has_range);
  EXPECT_TRUE(times.right.has_range);
  // The bounds themselves are within.
  EXPECT_EQ(times.left.behind_ms, -8001);
  EXPECT_EQ(times.right.behind_ms, -5001);
}

TEST_F(JoinTimesTest, ABoundIsRoundedToTheEarlierMillisecond) {
  const auto times = Times(And(same_keys(), Compare("less", right_time(), Plus(left_time(), 1'500))));
  EXPECT_TRUE(times.left.has_range);
  EXPECT_EQ(times.left.behind_ms, -2);
  EXPECT_FALSE(times.right.has_range);
}

TEST_F(JoinTimesTest, BoundsThatDoNotFitAreNone) {
  CalendarIntervalValue long_one;
  long_one.months = std::numeric_limits<int32_t>::max();
  auto moved = Call("timestamp_add_interval", {left_time(), MakeLiteral(DataType::CalendarInterval(), Value(long_one))},
                    DataType::Timestamp());
  EXPECT_FALSE(Times(And(same_keys(), Compare("less", right_time(), moved))).left.has_range);
  moved = Plus(Plus(left_time(), std::numeric_limits<int64_t>::max()), 1);
  EXPECT_FALSE(Times(And(same_keys(), Compare("less", right_time(), moved))).left.has_range);
}

TEST_F(JoinTimesTest, ConditionsOverOneSideAreItsOwn) {
  const auto own =
      Compare("greater", MakeColumn(right_->output[1]), MakeLiteral(DataType::Integer(), Value(int64_t{5})));
  const auto times = Times(And(same_keys(), own));
  EXPECT_TRUE(times.left.conditions.empty());
  ASSERT_EQ(times.right.conditions.size(), 1U);
  EXPECT_EQ(times.right.conditions[0], own);
}

TEST(EventTime, ColumnsKeepItUnderOtherNames) {
  const auto source = Watermark(Rows({Column("t", DataType::Timestamp()), Column("k", DataType::Integer())}), 1500);
  EXPECT_EQ(EventTimeColumns(*source), (std::map<AttributeId, int64_t>{{source->output[0].id, 1500}}));
  EXPECT_EQ(WatermarkNames(*source).size(), 1U);
  const auto renamed = Column("other", DataType::Timestamp());
  const auto moved = Column("moved", DataType::Timestamp());
  const auto time = MakeColumn(source->output[0]);
  const auto project = plan::MakeProject(source, {Plus(time, 5), time}, {moved, renamed});
  const auto times = EventTimeColumns(*project);
  EXPECT_EQ(times.count(renamed.id), 1U);
  EXPECT_EQ(times.count(moved.id), 0U);
  EXPECT_EQ(EventTimeColumn(*project, {MakeColumn(moved), MakeColumn(renamed)}), 1U);
  EXPECT_EQ(EventTimeColumn(*project, {MakeColumn(moved)}), std::nullopt);
}

TEST(EventTime, AWindowIsAsLateAsItsEnd) {
  const auto window = DataType::Struct(
      {StructField("start", DataType::Timestamp(), true), StructField("end", DataType::Timestamp(), true)});
  EXPECT_TRUE(IsWindow(*window));
  EXPECT_FALSE(IsWindow(*DataType::Timestamp()));
  EXPECT_EQ(EventMicros("w", *window), "unix_micros(to_timestamp_ltz(w.end))");
  EXPECT_EQ(EventMicros("t", *DataType::Timestamp()), "unix_micros(to_timestamp_ltz(t))");
  EXPECT_EQ(MicrosOf(12), "12000L");
}

}  // namespace
}  // namespace frazil::streaming
