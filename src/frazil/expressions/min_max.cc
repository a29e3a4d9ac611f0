#include "frazil/expressions/min_max.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace frazil {
namespace {

// Which of SQL's three truth values a predicate may have, over all rows.
struct Outcomes {
  bool may_be_true = false;
  bool may_be_false = false;
  bool may_be_unknown = false;

  void Add(const Outcomes& other) {
    may_be_true |= other.may_be_true;
    may_be_false |= other.may_be_false;
    may_be_unknown |= other.may_be_unknown;
  }
};

constexpr Outcomes kAnything = {true, true, true};

bool IsFloating(const DataType& type) { return type.id() == TypeId::kFloat || type.id() == TypeId::kDouble; }

// Which kinds of values a column may have.
struct Contents {
  bool may_have_null = true;
  bool may_have_nan = false;
  bool may_have_other = true;
};

Contents ContentsOf(const DataType& type, const ColumnBounds& bounds) {
  Contents contents;
  contents.may_have_null = !bounds.null_count || *bounds.null_count > 0;
  std::optional<int64_t> not_null;
  if (bounds.value_count && bounds.null_count) not_null = *bounds.value_count - *bounds.null_count;
  if (bounds.value_count && *bounds.value_count <= 0) {
    return {false, false, false};
  }
  contents.may_have_other = !not_null || *not_null > 0;
  if (IsFloating(type)) {
    contents.may_have_nan = contents.may_have_other && (!bounds.nan_count || *bounds.nan_count > 0);
    if (not_null && bounds.nan_count && *bounds.nan_count >= *not_null) contents.may_have_other = false;
  }
  return contents;
}

// A bound against a constant: unknown where there is no bound, or one of another representation.
std::optional<int> CompareBound(const DataType& type, const std::optional<Value>& bound, const Value& constant) {
  if (!bound || bound->is_null() || bound->storage().index() != constant.storage().index()) return std::nullopt;
  return CompareValues(type, *bound, constant);
}

// Where the range [lower, upper] lies about a constant. Unknown bounds reach to infinity.
struct Position {
  bool may_be_below = true;
  bool may_be_equal = true;
  bool may_be_above = true;
};

Position PositionOf(const DataType& type, const ColumnBounds& bounds, const Value& constant) {
  Position position;
  if (const auto lower = CompareBound(type, bounds.lower, constant)) {
    position.may_be_below = *lower < 0;
    if (*lower > 0) position.may_be_equal = false;
  }
  if (const auto upper = CompareBound(type, bounds.upper, constant)) {
    position.may_be_above = *upper > 0;
    if (*upper < 0) position.may_be_equal = false;
  }
  return position;
}

Position PositionOfNan(const Value& constant) {
  const auto is_nan = [](const Value& value) {
    if (const auto* number = std::get_if<double>(&value.storage())) return std::isnan(*number);
    if (const auto* number = std::get_if<float>(&value.storage())) return std::isnan(*number);
    return false;
  };
  return is_nan(constant) ? Position{false, true, false} : Position{false, false, true};
}

Outcomes CompareAt(PredicateOp op, const Position& position) {
  const auto [below, equal, above] = position;
  switch (op) {
    case PredicateOp::kLess:
      return {below, equal || above, false};
    case PredicateOp::kLessOrEqual:
      return {below || equal, above, false};
    case PredicateOp::kGreater:
      return {above, below || equal, false};
    case PredicateOp::kGreaterOrEqual:
      return {equal || above, below, false};
    case PredicateOp::kEqual:
      return {equal, below || above, false};
    case PredicateOp::kNotEqual:
      return {below || above, equal, false};
    case PredicateOp::kTrue:
    case PredicateOp::kFalse:
    case PredicateOp::kAnd:
    case PredicateOp::kOr:
    case PredicateOp::kNot:
    case PredicateOp::kIsNull:
    case PredicateOp::kNotNull:
    case PredicateOp::kIsNan:
    case PredicateOp::kNotNan:
    case PredicateOp::kIn:
    case PredicateOp::kNotIn:
    case PredicateOp::kStartsWith:
    case PredicateOp::kNotStartsWith:
      break;
  }
  return kAnything;
}

Outcomes Negated(const Outcomes& outcomes) {
  return {outcomes.may_be_false, outcomes.may_be_true, outcomes.may_be_unknown};
}

Outcomes MatchPrefix(const ColumnBounds& bounds, const Value& constant) {
  const auto* prefix = std::get_if<std::string>(&constant.storage());
  if (prefix == nullptr) return kAnything;
  const auto text_of = [](const std::optional<Value>& bound) {
    return bound ? std::get_if<std::string>(&bound->storage()) : nullptr;
  };
  const std::string* lower = text_of(bounds.lower);
  const std::string* upper = text_of(bounds.upper);
  Outcomes outcomes = {true, true, false};
  const auto head = [&](const std::string* text) { return std::string_view(*text).substr(0, prefix->size()); };
  if ((lower != nullptr && head(lower) > *prefix) || (upper != nullptr && head(upper) < *prefix)) {
    outcomes.may_be_true = false;
  }
  if (lower != nullptr && upper != nullptr && head(lower) == *prefix && head(upper) == *prefix) {
    outcomes.may_be_false = false;
  }
  return outcomes;
}

// The test over the values that are neither NULL nor NaN (position by bounds), or over NaN.
template <typename PositionOfConstant>
Outcomes TestValues(const Predicate& predicate, const ColumnBounds& bounds, PositionOfConstant position_of) {
  switch (predicate.op) {
    case PredicateOp::kIn:
    case PredicateOp::kNotIn: {
      Outcomes in = {false, true, false};
      for (const auto& constant : predicate.values) {
        const Outcomes equal = CompareAt(PredicateOp::kEqual, position_of(constant));
        in.may_be_true |= equal.may_be_true;
        in.may_be_false &= equal.may_be_false;
      }
      return predicate.op == PredicateOp::kIn ? in : Negated(in);
    }
    case PredicateOp::kStartsWith:
      return predicate.values.empty() ? kAnything : MatchPrefix(bounds, predicate.values[0]);
    case PredicateOp::kNotStartsWith:
      return predicate.values.empty() ? kAnything : Negated(MatchPrefix(bounds, predicate.values[0]));
    case PredicateOp::kLess:
    case PredicateOp::kLessOrEqual:
    case PredicateOp::kGreater:
    case PredicateOp::kGreaterOrEqual:
    case PredicateOp::kEqual:
    case PredicateOp::kNotEqual:
      return predicate.values.empty() ? kAnything : CompareAt(predicate.op, position_of(predicate.values[0]));
    case PredicateOp::kTrue:
    case PredicateOp::kFalse:
    case PredicateOp::kAnd:
    case PredicateOp::kOr:
    case PredicateOp::kNot:
    case PredicateOp::kIsNull:
    case PredicateOp::kNotNull:
    case PredicateOp::kIsNan:
    case PredicateOp::kNotNan:
      break;
  }
  return kAnything;
}

Outcomes TestColumn(const Predicate& predicate, const ColumnBoundsLookup& lookup) {
  const DataType& type = *predicate.type;
  const ColumnBounds bounds = lookup(predicate.column, type).value_or(ColumnBounds());
  const Contents contents = ContentsOf(type, bounds);
  const bool may_have_value = contents.may_have_nan || contents.may_have_other;
  switch (predicate.op) {
    case PredicateOp::kIsNull:
      return {contents.may_have_null, may_have_value, false};
    case PredicateOp::kNotNull:
      return {may_have_value, contents.may_have_null, false};
    case PredicateOp::kIsNan:
      return {contents.may_have_nan, contents.may_have_null || contents.may_have_other, false};
    case PredicateOp::kNotNan:
      return {contents.may_have_null || contents.may_have_other, contents.may_have_nan, false};
    case PredicateOp::kTrue:
    case PredicateOp::kFalse:
    case PredicateOp::kAnd:
    case PredicateOp::kOr:
    case PredicateOp::kNot:
    case PredicateOp::kLess:
    case PredicateOp::kLessOrEqual:
    case PredicateOp::kGreater:
    case PredicateOp::kGreaterOrEqual:
    case PredicateOp::kEqual:
    case PredicateOp::kNotEqual:
    case PredicateOp::kIn:
    case PredicateOp::kNotIn:
    case PredicateOp::kStartsWith:
    case PredicateOp::kNotStartsWith:
      break;
  }
  Outcomes outcomes;
  outcomes.may_be_unknown = contents.may_have_null;
  // Bounds are in the order of bytes, which says nothing about other collations.
  const bool comparable = type.collation().empty();
  if (contents.may_have_other) {
    outcomes.Add(comparable ? TestValues(predicate, bounds,
                                         [&](const Value& constant) { return PositionOf(type, bounds, constant); })
                            : Outcomes{true, true, false});
  }
  if (contents.may_have_nan) outcomes.Add(TestValues(predicate, bounds, PositionOfNan));
  return outcomes;
}

Outcomes Evaluate(const Predicate& predicate, const ColumnBoundsLookup& lookup) {
  switch (predicate.op) {
    case PredicateOp::kTrue:
      return {true, false, false};
    case PredicateOp::kFalse:
      return {false, true, false};
    case PredicateOp::kNot:
      return Negated(Evaluate(*predicate.children[0], lookup));
    case PredicateOp::kAnd: {
      Outcomes outcomes = {true, false, false};
      for (const auto& child : predicate.children) {
        const Outcomes part = Evaluate(*child, lookup);
        // One branch that is false for every row decides.
        if (part.may_be_false && !part.may_be_true && !part.may_be_unknown) return part;
        outcomes.may_be_true &= part.may_be_true;
        outcomes.may_be_false |= part.may_be_false;
        outcomes.may_be_unknown |= part.may_be_unknown;
      }
      return outcomes;
    }
    case PredicateOp::kOr: {
      Outcomes outcomes = {false, true, false};
      for (const auto& child : predicate.children) {
        const Outcomes part = Evaluate(*child, lookup);
        // One branch that is true for every row decides.
        if (part.may_be_true && !part.may_be_false && !part.may_be_unknown) return part;
        outcomes.may_be_true |= part.may_be_true;
        outcomes.may_be_false &= part.may_be_false;
        outcomes.may_be_unknown |= part.may_be_unknown;
      }
      return outcomes;
    }
    case PredicateOp::kIsNull:
    case PredicateOp::kNotNull:
    case PredicateOp::kIsNan:
    case PredicateOp::kNotNan:
    case PredicateOp::kLess:
    case PredicateOp::kLessOrEqual:
    case PredicateOp::kGreater:
    case PredicateOp::kGreaterOrEqual:
    case PredicateOp::kEqual:
    case PredicateOp::kNotEqual:
    case PredicateOp::kIn:
    case PredicateOp::kNotIn:
    case PredicateOp::kStartsWith:
    case PredicateOp::kNotStartsWith:
      break;
  }
  return TestColumn(predicate, lookup);
}

}  // namespace

bool MayMatch(const Predicate& predicate, const ColumnBoundsLookup& bounds) {
  return Evaluate(predicate, bounds).may_be_true;
}

bool MustMatch(const Predicate& predicate, const ColumnBoundsLookup& bounds) {
  const Outcomes outcomes = Evaluate(predicate, bounds);
  return !outcomes.may_be_false && !outcomes.may_be_unknown;
}

ColumnBounds ConstantBounds(const DataType& type, const Value& value) {
  ColumnBounds bounds;
  bounds.value_count = 1;
  bounds.null_count = value.is_null() ? 1 : 0;
  bounds.nan_count = 0;
  if (value.is_null()) return bounds;
  const bool is_nan = (type.id() == TypeId::kDouble && std::isnan(value.float64())) ||
                      (type.id() == TypeId::kFloat && std::isnan(value.float32()));
  if (is_nan) {
    bounds.nan_count = 1;
    return bounds;
  }
  bounds.lower = value;
  bounds.upper = value;
  return bounds;
}

}  // namespace frazil
