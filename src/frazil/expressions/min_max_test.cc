#include "frazil/expressions/min_max.h"

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>

#include <gtest/gtest.h>

namespace frazil {
namespace {

using enum PredicateOp;

PredicatePtr Leaf(PredicateOp op, std::vector<Value> values = {}, DataTypePtr type = DataType::Long(),
                  std::string column = "a") {
  return Predicate::Test(op, {std::move(column)}, std::move(type), std::move(values));
}

ColumnBoundsLookup Always(ColumnBounds bounds) {
  return [bounds](const std::vector<std::string>&, const DataType&) { return std::optional<ColumnBounds>(bounds); };
}

ColumnBounds Range(int64_t lower, int64_t upper, int64_t nulls = 0, int64_t values = 100) {
  ColumnBounds bounds;
  bounds.lower = Value(lower);
  bounds.upper = Value(upper);
  bounds.null_count = nulls;
  bounds.value_count = values;
  return bounds;
}

bool May(const PredicatePtr& predicate, const ColumnBounds& bounds) { return MayMatch(*predicate, Always(bounds)); }
bool Must(const PredicatePtr& predicate, const ColumnBounds& bounds) { return MustMatch(*predicate, Always(bounds)); }

TEST(MinMaxTest, Comparisons) {
  const auto bounds = Range(10, 20);
  EXPECT_FALSE(May(Leaf(kLess, {Value(10)}), bounds));
  EXPECT_TRUE(May(Leaf(kLess, {Value(11)}), bounds));
  EXPECT_TRUE(Must(Leaf(kLess, {Value(21)}), bounds));
  EXPECT_FALSE(Must(Leaf(kLess, {Value(20)}), bounds));
  EXPECT_TRUE(May(Leaf(kLessOrEqual, {Value(10)}), bounds));
  EXPECT_TRUE(Must(Leaf(kLessOrEqual, {Value(20)}), bounds));
  EXPECT_FALSE(May(Leaf(kGreater, {Value(20)}), bounds));
  EXPECT_TRUE(Must(Leaf(kGreaterOrEqual, {Value(10)}), bounds));
  EXPECT_FALSE(May(Leaf(kEqual, {Value(9)}), bounds));
  EXPECT_TRUE(May(Leaf(kEqual, {Value(15)}), bounds));
  EXPECT_FALSE(Must(Leaf(kEqual, {Value(15)}), bounds));
  EXPECT_TRUE(Must(Leaf(kEqual, {Value(10)}), Range(10, 10)));
  EXPECT_FALSE(May(Leaf(kNotEqual, {Value(10)}), Range(10, 10)));
  EXPECT_TRUE(Must(Leaf(kNotEqual, {Value(9)}), bounds));
  EXPECT_FALSE(May(Leaf(kIn, {Value(1), Value(25)}), bounds));
  EXPECT_TRUE(May(Leaf(kIn, {Value(1), Value(12)}), bounds));
  EXPECT_TRUE(Must(Leaf(kIn, {Value(1), Value(10)}), Range(10, 10)));
  EXPECT_FALSE(May(Leaf(kNotIn, {Value(1), Value(10)}), Range(10, 10)));
  EXPECT_TRUE(Must(Leaf(kNotIn, {Value(1), Value(25)}), bounds));
  EXPECT_FALSE(May(Leaf(kIn, {}), bounds));
}

TEST(MinMaxTest, NullsAreNeverTrueForComparisons) {
  EXPECT_FALSE(Must(Leaf(kLess, {Value(21)}), Range(10, 20, 1)));
  EXPECT_TRUE(May(Leaf(kLess, {Value(21)}), Range(10, 20, 1)));
  ColumnBounds only_nulls;
  only_nulls.null_count = 5;
  only_nulls.value_count = 5;
  EXPECT_FALSE(May(Leaf(kNotEqual, {Value(1)}), only_nulls));
  EXPECT_FALSE(May(Predicate::Not(Leaf(kEqual, {Value(1)})), only_nulls));
  EXPECT_FALSE(May(Leaf(kNotNull), only_nulls));
  EXPECT_TRUE(Must(Leaf(kIsNull), only_nulls));
  EXPECT_FALSE(May(Leaf(kIsNull), Range(1, 2, 0)));
  EXPECT_TRUE(Must(Leaf(kNotNull), Range(1, 2, 0)));
  EXPECT_TRUE(May(Leaf(kIsNull), Range(1, 2, 1)));
}

TEST(MinMaxTest, UnknownBoundsDecideNothing) {
  const ColumnBounds nothing;
  const auto no_column = [](const std::vector<std::string>&, const DataType&) { return std::nullopt; };
  for (const auto op : {kLess, kLessOrEqual, kGreater, kGreaterOrEqual, kEqual, kNotEqual, kIn, kNotIn}) {
    EXPECT_TRUE(May(Leaf(op, {Value(1)}), nothing));
    EXPECT_FALSE(Must(Leaf(op, {Value(1)}), nothing));
    EXPECT_TRUE(MayMatch(*Leaf(op, {Value(1)}), no_column));
    EXPECT_FALSE(MustMatch(*Leaf(op, {Value(1)}), no_column));
  }
  ColumnBounds other_representation = Range(10, 20);
  EXPECT_TRUE(May(Leaf(kEqual, {Value("x")}, DataType::String()), other_representation));
  ColumnBounds one_sided;
  one_sided.lower = Value(10);
  EXPECT_FALSE(May(Leaf(kLess, {Value(10)}), one_sided));
  EXPECT_TRUE(May(Leaf(kGreater, {Value(10)}), one_sided));
}

TEST(MinMaxTest, NanIsAboveAllNumbers) {
  const auto type = DataType::Double();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ColumnBounds bounds;
  bounds.lower = Value(1.0);
  bounds.upper = Value(2.0);
  bounds.null_count = 0;
  bounds.value_count = 10;
  EXPECT_TRUE(May(Leaf(kGreater, {Value(5.0)}, type), bounds));  // NaN may be there
  EXPECT_FALSE(Must(Leaf(kLess, {Value(5.0)}, type), bounds));
  EXPECT_TRUE(May(Leaf(kIsNan, {}, type), bounds));
  bounds.nan_count = 0;
  EXPECT_FALSE(May(Leaf(kGreater, {Value(5.0)}, type), bounds));
  EXPECT_TRUE(Must(Leaf(kLess, {Value(5.0)}, type), bounds));
  EXPECT_TRUE(Must(Leaf(kLess, {Value(nan)}, type), bounds));
  EXPECT_FALSE(May(Leaf(kEqual, {Value(nan)}, type), bounds));
  EXPECT_FALSE(May(Leaf(kIsNan, {}, type), bounds));
  EXPECT_TRUE(Must(Leaf(kNotNan, {}, type), bounds));
  bounds.nan_count = 10;
  EXPECT_TRUE(Must(Leaf(kIsNan, {}, type), bounds));
  EXPECT_TRUE(Must(Leaf(kGreater, {Value(5.0)}, type), bounds));
  EXPECT_TRUE(Must(Leaf(kEqual, {Value(nan)}, type), bounds));
  EXPECT_FALSE(May(Leaf(kLess, {Value(5.0)}, type), bounds));
  bounds.null_count = 3;
  bounds.nan_count = 0;
  EXPECT_TRUE(Must(Leaf(kNotNan, {}, type), bounds));  // NULL is not NaN
  EXPECT_FALSE(May(Leaf(kIsNan, {}, DataType::Long()), Range(1, 2)));
}

TEST(MinMaxTest, Prefixes) {
  const auto type = DataType::String();
  ColumnBounds bounds;
  bounds.lower = Value("abc");
  bounds.upper = Value("abf");
  bounds.null_count = 0;
  EXPECT_TRUE(Must(Leaf(kStartsWith, {Value("ab")}, type), bounds));
  EXPECT_FALSE(May(Leaf(kNotStartsWith, {Value("ab")}, type), bounds));
  EXPECT_TRUE(May(Leaf(kStartsWith, {Value("abd")}, type), bounds));
  EXPECT_FALSE(Must(Leaf(kStartsWith, {Value("abd")}, type), bounds));
  EXPECT_FALSE(May(Leaf(kStartsWith, {Value("b")}, type), bounds));
  EXPECT_FALSE(May(Leaf(kStartsWith, {Value("aa")}, type), bounds));
  EXPECT_TRUE(Must(Leaf(kNotStartsWith, {Value("aa")}, type), bounds));
  // A cut-off bound is shorter than the prefix.
  bounds.lower = Value("a");
  bounds.upper = Value("b");
  EXPECT_TRUE(May(Leaf(kStartsWith, {Value("abcd")}, type), bounds));
  EXPECT_FALSE(Must(Leaf(kStartsWith, {Value("")}, type), ColumnBounds()));
  EXPECT_TRUE(Must(Leaf(kStartsWith, {Value("")}, type), bounds));
}

TEST(MinMaxTest, CollationsAreNotPruned) {
  const auto type = DataType::StringWithCollation("UTF8_LCASE");
  ColumnBounds bounds;
  bounds.lower = Value("a");
  bounds.upper = Value("b");
  bounds.null_count = 0;
  EXPECT_TRUE(May(Leaf(kEqual, {Value("A")}, type), bounds));
  EXPECT_FALSE(Must(Leaf(kNotEqual, {Value("A")}, type), bounds));
}

TEST(MinMaxTest, Combinations) {
  const auto lookup = [](const std::vector<std::string>& column, const DataType&) -> std::optional<ColumnBounds> {
    if (column[0] == "a") return Range(10, 20);
    if (column[0] == "b") return Range(1, 5, 2);
    return std::nullopt;
  };
  const auto a_true = Leaf(kLess, {Value(30)}, DataType::Long(), "a");
  const auto a_false = Leaf(kGreater, {Value(30)}, DataType::Long(), "a");
  const auto b_true_or_null = Leaf(kLess, {Value(30)}, DataType::Long(), "b");
  const auto unknown = Leaf(kLess, {Value(30)}, DataType::Long(), "c");
  EXPECT_FALSE(MayMatch(*Predicate::And({unknown, a_false}), lookup));
  EXPECT_TRUE(MayMatch(*Predicate::Or({unknown, a_false}), lookup));
  EXPECT_TRUE(MustMatch(*Predicate::Or({unknown, a_true}), lookup));
  EXPECT_FALSE(MustMatch(*Predicate::And({unknown, a_true}), lookup));
  EXPECT_FALSE(MustMatch(*Predicate::And({b_true_or_null, a_true}), lookup));
  EXPECT_TRUE(MustMatch(*Predicate::Not(Predicate::And({b_true_or_null, a_false})), lookup));
  EXPECT_FALSE(MayMatch(*Predicate::Not(b_true_or_null), lookup));
  EXPECT_FALSE(MustMatch(*Predicate::Not(a_true), lookup));
  EXPECT_TRUE(MustMatch(*Predicate::True(), lookup));
  EXPECT_FALSE(MayMatch(*Predicate::False(), lookup));
}

TEST(MinMaxTest, NoRows) {
  ColumnBounds empty;
  empty.value_count = 0;
  empty.null_count = 0;
  EXPECT_FALSE(May(Leaf(kEqual, {Value(1)}), empty));
  EXPECT_FALSE(May(Leaf(kIsNull), empty));
}

TEST(MinMaxTest, ConstantColumns) {
  const auto one = ConstantBounds(*DataType::Long(), Value(1));
  EXPECT_TRUE(Must(Leaf(kEqual, {Value(1)}), one));
  EXPECT_FALSE(May(Leaf(kEqual, {Value(2)}), one));
  const auto null = ConstantBounds(*DataType::Long(), Value());
  EXPECT_TRUE(Must(Leaf(kIsNull), null));
  EXPECT_FALSE(May(Leaf(kEqual, {Value(2)}), null));
  const auto nan = ConstantBounds(*DataType::Double(), Value(std::nan("")));
  EXPECT_TRUE(Must(Leaf(kIsNan, {}, DataType::Double()), nan));
}

// Rows, the predicate evaluated on each, and the bounds made of them: pruning must never contradict the rows.
std::optional<bool> Evaluate(const Predicate& predicate, const Value& row) {
  const auto flip = [](std::optional<bool> value) { return value ? std::optional<bool>(!*value) : value; };
  switch (predicate.op) {
    case kTrue:
      return true;
    case kFalse:
      return false;
    case kNot:
      return flip(Evaluate(*predicate.children[0], row));
    case kAnd:
    case kOr: {
      const bool deciding = predicate.op == kOr;
      bool unknown = false;
      for (const auto& child : predicate.children) {
        const auto value = Evaluate(*child, row);
        if (value == deciding) return deciding;
        unknown |= !value;
      }
      return unknown ? std::nullopt : std::optional<bool>(!deciding);
    }
    case kIsNull:
      return row.is_null();
    case kNotNull:
      return !row.is_null();
    case kIsNan:
      return !row.is_null() && std::isnan(row.float64());
    case kNotNan:
      return row.is_null() || !std::isnan(row.float64());
    default:
      break;
  }
  if (row.is_null()) return std::nullopt;
  const auto order = [&](const Value& constant) { return CompareValues(*predicate.type, row, constant); };
  const auto is_in = [&] {
    for (const auto& constant : predicate.values) {
      if (order(constant) == 0) return true;
    }
    return false;
  };
  switch (predicate.op) {
    case kLess:
      return order(predicate.values[0]) < 0;
    case kLessOrEqual:
      return order(predicate.values[0]) <= 0;
    case kGreater:
      return order(predicate.values[0]) > 0;
    case kGreaterOrEqual:
      return order(predicate.values[0]) >= 0;
    case kEqual:
      return order(predicate.values[0]) == 0;
    case kNotEqual:
      return order(predicate.values[0]) != 0;
    case kIn:
      return is_in();
    default:
      return !is_in();  // kNotIn
  }
}

PredicatePtr RandomPredicate(std::mt19937& random, int depth) {
  const auto number = [&] { return Value(random() % 8 == 0 ? std::nan("") : static_cast<double>(random() % 7)); };
  if (depth > 0 && random() % 2 == 0) {
    std::vector<PredicatePtr> children = {RandomPredicate(random, depth - 1), RandomPredicate(random, depth - 1)};
    switch (random() % 3) {
      case 0:
        return Predicate::And(std::move(children));
      case 1:
        return Predicate::Or(std::move(children));
      default:
        return Predicate::Not(children[0]);
    }
  }
  static constexpr PredicateOp kOps[] = {kIsNull,  kNotNull,        kIsNan, kNotNan,   kLess, kLessOrEqual,
                                         kGreater, kGreaterOrEqual, kEqual, kNotEqual, kIn,   kNotIn};
  const auto op = kOps[random() % std::size(kOps)];
  std::vector<Value> values = {number()};
  if (op == kIn || op == kNotIn) values.push_back(number());
  return Leaf(op, std::move(values), DataType::Double());
}

ColumnBounds BoundsOf(const std::vector<Value>& rows, std::mt19937& random) {
  ColumnBounds bounds;
  int64_t nulls = 0;
  int64_t nans = 0;
  for (const auto& row : rows) {
    if (row.is_null()) {
      ++nulls;
    } else if (std::isnan(row.float64())) {
      ++nans;
    } else {
      if (!bounds.lower || row.float64() < bounds.lower->float64()) bounds.lower = row;
      if (!bounds.upper || row.float64() > bounds.upper->float64()) bounds.upper = row;
    }
  }
  if (random() % 4 != 0) bounds.null_count = nulls;
  if (random() % 4 != 0) bounds.nan_count = nans;
  if (random() % 4 != 0) bounds.value_count = static_cast<int64_t>(rows.size());
  if (random() % 5 == 0) bounds.lower.reset();
  if (random() % 5 == 0) bounds.upper.reset();
  if (bounds.lower && random() % 3 == 0) bounds.lower = Value(bounds.lower->float64() - 1);
  return bounds;
}

TEST(MinMaxTest, NeverContradictsTheRows) {
  std::mt19937 random(3);
  int pruned = 0;
  int sure = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<Value> rows;
    for (size_t i = 0, count = 1 + random() % 4; i < count; ++i) {
      const auto kind = random() % 8;
      if (kind == 0) {
        rows.emplace_back();
      } else {
        rows.emplace_back(kind == 1 ? std::nan("") : static_cast<double>(random() % 7));
      }
    }
    const auto predicate = RandomPredicate(random, 3);
    const auto pushed = PushDownNot(predicate);
    const auto bounds = BoundsOf(rows, random);
    const bool may = May(predicate, bounds);
    const bool must = Must(predicate, bounds);
    pruned += !may;
    sure += must;
    for (const auto& row : rows) {
      const auto value = Evaluate(*predicate, row);
      ASSERT_EQ(value, Evaluate(*pushed, row)) << predicate->ToString() << " / " << pushed->ToString();
      if (value == true) {
        ASSERT_TRUE(may) << predicate->ToString();
      } else {
        ASSERT_FALSE(must) << predicate->ToString();
      }
    }
    EXPECT_EQ(may, May(pushed, bounds)) << predicate->ToString();
  }
  EXPECT_GT(pruned, 1000);
  EXPECT_GT(sure, 500);
}

}  // namespace
}  // namespace frazil
