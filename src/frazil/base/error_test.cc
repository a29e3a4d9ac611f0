#include "frazil/base/error.h"

#include <set>

#include <gtest/gtest.h>

#include "frazil/base/error_conditions_internal.h"
#include "frazil/base/result.h"

namespace frazil {
namespace {

TEST(ErrorTest, OfFillsMessageStateAndClass) {
  const Error error = Error::Of("TABLE_OR_VIEW_NOT_FOUND", {{"relationName", "`a`.`b`"}});
  EXPECT_EQ(error.condition, "TABLE_OR_VIEW_NOT_FOUND");
  EXPECT_EQ(error.sql_state, "42P01");
  EXPECT_EQ(error.exception_class, ExceptionClass::kAnalysis);
  EXPECT_EQ(error.kind, ErrorKind::kUser);
  EXPECT_TRUE(error.message.starts_with("[TABLE_OR_VIEW_NOT_FOUND] The table or view `a`.`b` cannot be found."))
      << error.message;
  EXPECT_TRUE(error.message.ends_with(" SQLSTATE: 42P01")) << error.message;
  ASSERT_EQ(error.parameters.size(), 1u);
  EXPECT_EQ(error.parameters[0].second, "`a`.`b`");
}

TEST(ErrorTest, SubConditionsCarryTheMainText) {
  const Error error = Error::Of("UNRESOLVED_COLUMN.WITH_SUGGESTION", {{"objectName", "`x`"}, {"proposal", "`y`"}});
  EXPECT_EQ(error.message,
            "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `x` cannot be "
            "resolved. Did you mean one of the following? [`y`]. SQLSTATE: 42703");
}

TEST(ErrorTest, ParameterValuesAreNotFilledAgain) {
  const Error error = Error::Of("TABLE_OR_VIEW_NOT_FOUND", {{"relationName", "<relationName>"}});
  EXPECT_NE(error.message.find("view <relationName> cannot"), std::string::npos);
}

TEST(ErrorTest, ConditionsWithoutPublicNameAreNotShown) {
  const Error error = Error::Of("_LEGACY_ERROR_TEMP_0035", {{"message", "tables"}});
  EXPECT_EQ(error.condition, "_LEGACY_ERROR_TEMP_0035");
  EXPECT_FALSE(error.message.starts_with("["));
}

TEST(ErrorTest, UnknownConditionIsAnInternalErrorThatNamesIt) {
  const Error error = Error::Of("NO_SUCH_CONDITION_AT_ALL");
  EXPECT_EQ(error.kind, ErrorKind::kInternal);
  EXPECT_EQ(error.condition, "INTERNAL_ERROR");
  EXPECT_EQ(error.sql_state, "XX000");
  EXPECT_NE(error.message.find("NO_SUCH_CONDITION_AT_ALL"), std::string::npos);
}

TEST(ErrorTest, ExceptionClassCanBeNamed) {
  EXPECT_EQ(Error::Parse("PARSE_SYNTAX_ERROR", {{"error", "'x'"}, {"hint", ""}}).exception_class,
            ExceptionClass::kParse);
  EXPECT_EQ(Error::Of(ExceptionClass::kDateTime, "CAST_INVALID_INPUT").exception_class, ExceptionClass::kDateTime);
  EXPECT_EQ(Error::Of("DIVIDE_BY_ZERO", {{"config", "x"}}).exception_class, ExceptionClass::kArithmetic);
  EXPECT_EQ(Error::Of("INVALID_ARRAY_INDEX").exception_class, ExceptionClass::kArrayIndexOutOfBounds);
}

TEST(ErrorTest, UnsupportedNamesTheFeature) {
  const Error error = Error::Unsupported("LATERAL VIEW of a stream");
  EXPECT_EQ(error.kind, ErrorKind::kUnsupported);
  EXPECT_EQ(error.sql_state, "0A000");
  EXPECT_EQ(error.exception_class, ExceptionClass::kUnsupportedOperation);
  EXPECT_NE(error.message.find("LATERAL VIEW of a stream"), std::string::npos);
}

TEST(ErrorTest, ContextAndCauseAreKept) {
  QueryContext context;
  context.start_index = 7;
  const Error error = Error::Internal("a").With(context).CausedBy(Error::Storage("disk"));
  ASSERT_EQ(error.query_contexts.size(), 1u);
  EXPECT_EQ(error.query_contexts[0].start_index, 7);
  ASSERT_NE(error.cause, nullptr);
  EXPECT_EQ(error.cause->kind, ErrorKind::kStorage);
}

TEST(ErrorTest, EveryConditionIsFoundAndWellFormed) {
  std::set<std::string_view> names;
  for (const auto part :
       {error_conditions::AToB(), error_conditions::C(), error_conditions::DToF(), error_conditions::GToL(),
        error_conditions::Invalid(), error_conditions::LegacyParse(), error_conditions::LegacyAnalysis(),
        error_conditions::MToO(), error_conditions::PToR(), error_conditions::SToT(), error_conditions::UToZ()}) {
    for (const auto& condition : part) {
      EXPECT_TRUE(names.insert(condition.name).second) << condition.name;
      EXPECT_EQ(FindErrorCondition(condition.name), &condition) << condition.name;
      EXPECT_FALSE(condition.message.empty()) << condition.name;
      EXPECT_TRUE(condition.sql_state.size() == 5 || condition.name.starts_with("_LEGACY_")) << condition.name;
    }
  }
  EXPECT_GT(names.size(), 900u);
  for (const auto& condition : error_conditions::Kafka()) {
    EXPECT_TRUE(names.insert(condition.name).second) << condition.name;
    EXPECT_EQ(FindErrorCondition(condition.name), &condition) << condition.name;
    EXPECT_EQ(condition.sql_state.empty(), !condition.name.starts_with("KAFKA_DATA_LOSS.")) << condition.name;
  }
  EXPECT_EQ(FindErrorCondition(""), nullptr);
  EXPECT_EQ(FindErrorCondition("zzz"), nullptr);
  EXPECT_EQ(FindErrorCondition("TABLE_OR_VIEW_NOT_FOUND "), nullptr);
}

TEST(ErrorTest, QuoteIdentifier) {
  EXPECT_EQ(QuoteIdentifier("a`b"), "`a``b`");
  EXPECT_EQ(QuoteIdentifier(std::vector<std::string>{"c", "d.e"}), "`c`.`d.e`");
  EXPECT_EQ(QuoteIdentifier(std::vector<std::string>{}), "");
  EXPECT_EQ(QuoteIdentifierIfNeeded("_a1"), "_a1");
  EXPECT_EQ(QuoteIdentifierIfNeeded("1a"), "`1a`");
  EXPECT_EQ(QuoteIdentifierIfNeeded("a b"), "`a b`");
  EXPECT_EQ(QuoteIdentifierIfNeeded(""), "``");
}

Result<int> Half(int number) {
  if (number % 2 != 0) return Error::Internal("odd");
  return number / 2;
}

Result<int> Quarter(int number) {
  FRAZIL_ASSIGN_OR_RETURN(const int half, Half(number));
  FRAZIL_ASSIGN_OR_RETURN(const int quarter, Half(half));
  return quarter;
}

Status CheckQuarter(int number) {
  FRAZIL_RETURN_IF_ERROR(Quarter(number));
  return {};
}

TEST(ResultTest, MacrosPassErrorsOn) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_FALSE(Quarter(6).ok());
  EXPECT_TRUE(CheckQuarter(4).ok());
  const Status status = CheckQuarter(2);
  ASSERT_FALSE(status.ok());
  const Status copy = status;
  EXPECT_NE(copy.error().message.find("odd"), std::string::npos);
  EXPECT_FALSE(Result<int>(copy).ok());
  EXPECT_TRUE(Quarter(8).status().ok());
}

}  // namespace
}  // namespace frazil
