#include <thread>

#include <gtest/gtest.h>

#include "frazil/connect/response_log_internal.h"

namespace frazil::connect {
namespace {

using State = ResponseLog::State;
using namespace std::chrono_literals;

spark::connect::ExecutePlanResponse ResponseOf(size_t bytes) {
  spark::connect::ExecutePlanResponse response;
  response.mutable_arrow_batch()->set_data(std::string(bytes, 'x'));
  return response;
}

TEST(ResponseLog, GivesResponsesInOrderAndThenTheEnd) {
  ResponseLog log("op", true);
  ASSERT_TRUE(log.Append(ResponseOf(1)));
  ASSERT_TRUE(log.Append(ResponseOf(2)));
  log.Finish();
  const auto reader = log.Attach();
  EXPECT_EQ(log.Read(reader, 0, 1s).response->arrow_batch().data().size(), 1);
  EXPECT_EQ(log.Read(reader, 1, 1s).response->arrow_batch().data().size(), 2);
  EXPECT_EQ(log.Read(reader, 2, 1s).state, State::kEnd);
}

TEST(ResponseLog, TimesOutWhileNothingComes) {
  ResponseLog log("op", true);
  EXPECT_EQ(log.Read(log.Attach(), 0, 10ms).state, State::kTimeout);
}

TEST(ResponseLog, TellsTheErrorAfterTheResponses) {
  ResponseLog log("op", true);
  ASSERT_TRUE(log.Append(ResponseOf(1)));
  log.Fail(std::make_shared<const Error>(Error::Of("DIVIDE_BY_ZERO", {{"config", "c"}})));
  const auto reader = log.Attach();
  EXPECT_EQ(log.Read(reader, 0, 1s).state, State::kResponse);
  const auto reading = log.Read(reader, 1, 1s);
  ASSERT_EQ(reading.state, State::kFailed);
  EXPECT_EQ(reading.error->condition, "DIVIDE_BY_ZERO");
}

TEST(ResponseLog, TellsACancelAtOnceAndTakesNothingMore) {
  ResponseLog log("op", true);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(log.Append(ResponseOf(8 << 20 >> 1)));
  const auto reader = log.Attach();
  EXPECT_EQ(log.Read(reader, 0, 1s).state, State::kResponse);
  std::thread producer([&] {
    while (log.Append(ResponseOf(8 << 20))) {
    }
  });
  log.Fail(std::make_shared<const Error>(Error::Cancelled("first")));
  producer.join();
  log.Fail(std::make_shared<const Error>(Error::Cancelled("second")));
  const auto reading = log.Read(reader, 1, 1s);
  EXPECT_EQ(reading.state, State::kFailed);
  EXPECT_NE(reading.error->message.find("first"), std::string::npos);
}

TEST(ResponseLog, ReaderThatComesBackContinuesBehindTheLastResponse) {
  ResponseLog log("op", true);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(log.Append(ResponseOf(i)));
  const auto first = log.Attach();
  const std::string last_id = log.Read(first, 0, 1s).response->response_id();
  const auto second = log.Attach();
  EXPECT_EQ(log.Read(first, 1, 1s).state, State::kPreempted);
  const auto position = log.PositionAfter(last_id);
  ASSERT_TRUE(position.ok());
  EXPECT_EQ(*position, 1);
  EXPECT_EQ(log.Read(second, *position, 1s).response->arrow_batch().data().size(), 1);
}

TEST(ResponseLog, RefusesPositionsThatAreUnknownOrReleased) {
  ResponseLog log("op", true);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(log.Append(ResponseOf(i)));
  const auto reader = log.Attach();
  const std::string first_id = log.Read(reader, 0, 1s).response->response_id();
  const std::string second_id = log.Read(reader, 1, 1s).response->response_id();
  EXPECT_EQ(log.PositionAfter("other_1").error().condition, "INVALID_CURSOR.POSITION_NOT_FOUND");
  EXPECT_EQ(log.PositionAfter("op_99").error().condition, "INVALID_CURSOR.POSITION_NOT_FOUND");
  log.ReleaseUntil(second_id);
  EXPECT_TRUE(log.PositionAfter(second_id).ok());
  EXPECT_EQ(log.PositionAfter(first_id).error().condition, "INVALID_CURSOR.POSITION_NOT_AVAILABLE");
  EXPECT_EQ(log.PositionAfter("").error().condition, "INVALID_CURSOR.POSITION_NOT_AVAILABLE");
}

TEST(ResponseLog, DoesNotReleaseWhatNobodyHasRead) {
  ResponseLog log("op", true);
  ASSERT_TRUE(log.Append(ResponseOf(7)));
  log.ReleaseUntil("op_0");
  EXPECT_EQ(log.Read(log.Attach(), 0, 1s).response->arrow_batch().data().size(), 7);
}

TEST(ResponseLog, ProducerWaitsForASlowReaderAndStopsWhenClosed) {
  ResponseLog log("op", true);
  std::atomic<int> appended{0};
  std::atomic<bool> refused{false};
  std::thread producer([&] {
    while (log.Append(ResponseOf(8 << 20))) ++appended;
    refused = true;
  });
  const auto wait_for = [&](int count) {
    for (int i = 0; i < 500 && appended < count; ++i) std::this_thread::sleep_for(10ms);
    std::this_thread::sleep_for(50ms);
  };
  wait_for(4);
  EXPECT_GE(appended, 4);
  EXPECT_LE(appended, 5);
  const auto reader = log.Attach();
  EXPECT_EQ(log.Read(reader, 0, 1s).state, State::kResponse);
  EXPECT_EQ(log.Read(reader, 1, 1s).state, State::kResponse);
  wait_for(6);
  EXPECT_GE(appended, 6);
  EXPECT_FALSE(refused);
  log.Close();
  producer.join();
  EXPECT_TRUE(refused);
}

TEST(ResponseLog, KeepsTenMegabytesOfWhatWasRead) {
  ResponseLog log("op", true);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(log.Append(ResponseOf(4 << 20)));
  const auto reader = log.Attach();
  for (int i = 0; i < 4; ++i) ASSERT_EQ(log.Read(reader, i, 1s).state, State::kResponse);
  EXPECT_FALSE(log.PositionAfter("op_0").ok());
  EXPECT_TRUE(log.PositionAfter("op_2").ok());
}

}  // namespace
}  // namespace frazil::connect
