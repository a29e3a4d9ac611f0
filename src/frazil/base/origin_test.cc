#include "frazil/base/origin.h"

#include <gtest/gtest.h>

namespace frazil {
namespace {

Origin At(const std::string& text, int start, int stop, int line, int position) {
  Origin origin;
  origin.text = std::make_shared<const std::string>(text);
  origin.start = start;
  origin.stop = stop;
  origin.line = line;
  origin.position = position;
  return origin;
}

TEST(OriginTest, ContextHasTheFragmentAndItsPicture) {
  const auto context = ContextOf(At("SELECT 1/0 AS x", 7, 9, 1, 7));
  ASSERT_TRUE(context.has_value());
  EXPECT_EQ(context->fragment, "1/0");
  EXPECT_EQ(context->start_index, 7);
  EXPECT_EQ(context->stop_index, 9);
  EXPECT_EQ(context->summary, "== SQL (line 1, position 8) ==\nSELECT 1/0 AS x\n       ^^^\n");
}

TEST(OriginTest, PicturesShowEachLineOfThePart) {
  const auto context = ContextOf(At("SELECT\n  'x'\n  / 0\nFROM t", 9, 17, 2, 2));
  ASSERT_TRUE(context.has_value());
  EXPECT_EQ(context->fragment, "'x'\n  / 0");
  EXPECT_EQ(context->summary, "== SQL (line 2, position 3) ==\n  'x'\n  ^^^\n  / 0\n^^^^^\n");
}

TEST(OriginTest, PicturesLeaveOutWhatIsFarFromThePart) {
  const std::string filler(40, 'a');
  const auto context = ContextOf(At(filler + "1/0" + filler, 40, 42, 1, 40));
  ASSERT_TRUE(context.has_value());
  EXPECT_EQ(context->summary, "== SQL (line 1, position 41) ==\n..." + std::string(32, 'a') + "1/0" +
                                  std::string(32, 'a') + "...\n" + std::string(35, ' ') + "^^^\n");
}

TEST(OriginTest, PositionsCountCharactersNotBytes) {
  const auto context = ContextOf(At("SELECT '\u65e5\u672c' || 1/0", 7, 17, 1, 7));
  ASSERT_TRUE(context.has_value());
  EXPECT_EQ(context->fragment, "'\u65e5\u672c' || 1/0");
}

TEST(OriginTest, ViewsAreNamed) {
  auto origin = At("SELECT 1/0", 7, 9, 1, 7);
  origin.object = std::make_shared<const SourceObject>(SourceObject{"VIEW", "v"});
  const auto context = ContextOf(origin);
  ASSERT_TRUE(context.has_value());
  EXPECT_EQ(context->object_type, "VIEW");
  EXPECT_EQ(context->object_name, "v");
  EXPECT_TRUE(context->summary.starts_with("== SQL of VIEW v (line 1, position 8) ==\n")) << context->summary;
}

TEST(OriginTest, DataFramesHaveTheirCall) {
  Origin origin;
  origin.fragment = "__truediv__";
  origin.call_site = "script.py:3";
  const auto context = ContextOf(origin);
  ASSERT_TRUE(context.has_value());
  EXPECT_EQ(context->type, QueryContext::Type::kDataFrame);
  EXPECT_EQ(context->summary, "== DataFrame ==\n\"__truediv__\" was called from\nscript.py:3\n");
  EXPECT_FALSE(ContextOf(Origin()).has_value());
}

TEST(OriginTest, ErrorsGetTheContextOnce) {
  const auto origin = At("SELECT 1/0", 7, 9, 1, 7);
  auto error = AtOrigin(Error::Of("DIVIDE_BY_ZERO", {{"config", "c"}}), origin);
  ASSERT_EQ(error.query_contexts.size(), 1U);
  EXPECT_TRUE(error.message.ends_with("SQLSTATE: 22012\n" + error.query_contexts[0].summary)) << error.message;
  const std::string message = error.message;
  error = AtOrigin(std::move(error), At("SELECT 1/0", 0, 9, 1, 0));
  EXPECT_EQ(error.query_contexts.size(), 1U);
  EXPECT_EQ(error.message, message);
}

TEST(OriginTest, AnalysisErrorsNameTheLine) {
  const auto error = AtOrigin(Error::Of("UNRESOLVED_ROUTINE", {{"routineName", "`f`"}, {"searchPath", "[]"}}),
                              At("SELECT f()", 7, 9, 1, 7));
  EXPECT_TRUE(error.message.ends_with("; line 1 pos 7")) << error.message;
}

TEST(OriginTest, DefectsAndFailuresOfStoresHaveNoPlace) {
  const auto origin = At("SELECT 1/0", 7, 9, 1, 7);
  EXPECT_TRUE(AtOrigin(Error::Internal("x"), origin).query_contexts.empty());
  EXPECT_TRUE(AtOrigin(Error::Storage("x"), origin).query_contexts.empty());
  EXPECT_TRUE(AtOrigin(Error::Cancelled("x"), origin).query_contexts.empty());
}

}  // namespace
}  // namespace frazil
