#include "frazil/expressions/predicate.h"

#include <gtest/gtest.h>

namespace frazil {
namespace {

using enum PredicateOp;

PredicatePtr Leaf(PredicateOp op, std::vector<Value> values = {}) {
  return Predicate::Test(op, {"a", "b"}, DataType::String(), std::move(values));
}

TEST(PredicateTest, Text) {
  const auto predicate = Predicate::Or(
      {Predicate::And({Leaf(kEqual, {Value("x")}), Predicate::Not(Leaf(kIsNull))}), Leaf(kIn, {Value("p"), Value("q")}),
       Predicate::Test(kLess, {"n"}, DataType::Decimal(5, 2), {Value(Decimal128{150})})});
  EXPECT_EQ(predicate->ToString(), "((a.b = 'x' AND NOT (a.b IS NULL)) OR a.b IN ('p', 'q') OR n < 1.50)");
}

TEST(PredicateTest, ConstantsAreFolded) {
  const auto test = Leaf(kIsNull);
  EXPECT_EQ(Predicate::And({Predicate::True(), test}), test);
  EXPECT_EQ(Predicate::And({Predicate::False(), test})->op, kFalse);
  EXPECT_EQ(Predicate::Or({Predicate::True(), test})->op, kTrue);
  EXPECT_EQ(Predicate::Or({Predicate::False(), test}), test);
  EXPECT_EQ(Predicate::And({})->op, kTrue);
  EXPECT_EQ(Predicate::Or({})->op, kFalse);
  EXPECT_EQ(Predicate::Not(Predicate::True())->op, kFalse);
  EXPECT_EQ(Predicate::And({test, Predicate::And({test, test})})->children.size(), 3u);
}

TEST(PredicateTest, NotMovesIntoTheLeaves) {
  const auto text = [](const PredicatePtr& predicate) { return PushDownNot(predicate)->ToString(); };
  EXPECT_EQ(text(Predicate::Not(Leaf(kEqual, {Value("x")}))), "a.b <> 'x'");
  EXPECT_EQ(text(Predicate::Not(Predicate::Not(Leaf(kLess, {Value("x")})))), "a.b < 'x'");
  EXPECT_EQ(text(Predicate::Not(Predicate::And({Leaf(kLess, {Value("x")}), Leaf(kNotNull)}))),
            "(a.b >= 'x' OR a.b IS NULL)");
  EXPECT_EQ(text(Predicate::Not(Predicate::Or({Leaf(kIsNan), Leaf(kIn, {Value("x")})}))),
            "(NOT isnan(a.b) AND a.b NOT IN ('x'))");
  EXPECT_EQ(text(Predicate::Not(Leaf(kStartsWith, {Value("x")}))), "a.b NOT STARTS WITH 'x'");
  EXPECT_EQ(text(Predicate::Not(Leaf(kNotStartsWith, {Value("x")}))), "a.b STARTS WITH 'x'");
}

TEST(PredicateTest, EveryLeafHasAnOppositeThatComesBack) {
  for (const auto op : {kIsNull, kNotNull, kIsNan, kNotNan, kLess, kLessOrEqual, kGreater, kGreaterOrEqual, kEqual,
                        kNotEqual, kIn, kNotIn, kStartsWith, kNotStartsWith}) {
    const auto leaf = Leaf(op, {Value("x")});
    const auto opposite = PushDownNot(Predicate::Not(leaf));
    EXPECT_NE(opposite->op, op);
    EXPECT_EQ(PushDownNot(Predicate::Not(opposite))->op, op);
  }
}

}  // namespace
}  // namespace frazil
