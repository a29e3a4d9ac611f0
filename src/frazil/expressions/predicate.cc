#include "frazil/expressions/predicate.h"

#include "frazil/base/error.h"

namespace frazil {
namespace {

PredicatePtr MakePredicate(PredicateOp op, std::vector<PredicatePtr> children) {
  auto predicate = std::make_shared<Predicate>();
  predicate->op = op;
  predicate->children = std::move(children);
  return predicate;
}

PredicatePtr Combine(PredicateOp op, std::vector<PredicatePtr> children) {
  const PredicateOp neutral = op == PredicateOp::kAnd ? PredicateOp::kTrue : PredicateOp::kFalse;
  const PredicateOp deciding = op == PredicateOp::kAnd ? PredicateOp::kFalse : PredicateOp::kTrue;
  std::vector<PredicatePtr> kept;
  for (auto& child : children) {
    if (child->op == deciding) return child;
    if (child->op == neutral) continue;
    if (child->op == op) {
      kept.insert(kept.end(), child->children.begin(), child->children.end());
    } else {
      kept.push_back(std::move(child));
    }
  }
  if (kept.empty()) return op == PredicateOp::kAnd ? Predicate::True() : Predicate::False();
  if (kept.size() == 1) return kept[0];
  return MakePredicate(op, std::move(kept));
}

PredicatePtr WithOp(const Predicate& predicate, PredicateOp op) {
  auto copy = std::make_shared<Predicate>(predicate);
  copy->op = op;
  return copy;
}

// The predicate, or where `negated` its negation, without kNot. Every test has its exact opposite: both are unknown for
// a NULL column, except the tests for NULL and NaN, which are never unknown. (NaN stands above all numbers in Spark's
// order, so comparisons hold no third case.)
PredicatePtr Push(const PredicatePtr& predicate, bool negated) {
  switch (predicate->op) {
    case PredicateOp::kTrue:
      return negated ? Predicate::False() : predicate;
    case PredicateOp::kFalse:
      return negated ? Predicate::True() : predicate;
    case PredicateOp::kNot:
      return Push(predicate->children[0], !negated);
    case PredicateOp::kAnd:
    case PredicateOp::kOr: {
      std::vector<PredicatePtr> children;
      for (const auto& child : predicate->children) children.push_back(Push(child, negated));
      return (predicate->op == PredicateOp::kAnd) != negated ? Predicate::And(std::move(children))
                                                             : Predicate::Or(std::move(children));
    }
    case PredicateOp::kIsNull:
      return negated ? WithOp(*predicate, PredicateOp::kNotNull) : predicate;
    case PredicateOp::kNotNull:
      return negated ? WithOp(*predicate, PredicateOp::kIsNull) : predicate;
    case PredicateOp::kIsNan:
      return negated ? WithOp(*predicate, PredicateOp::kNotNan) : predicate;
    case PredicateOp::kNotNan:
      return negated ? WithOp(*predicate, PredicateOp::kIsNan) : predicate;
    case PredicateOp::kLess:
      return negated ? WithOp(*predicate, PredicateOp::kGreaterOrEqual) : predicate;
    case PredicateOp::kLessOrEqual:
      return negated ? WithOp(*predicate, PredicateOp::kGreater) : predicate;
    case PredicateOp::kGreater:
      return negated ? WithOp(*predicate, PredicateOp::kLessOrEqual) : predicate;
    case PredicateOp::kGreaterOrEqual:
      return negated ? WithOp(*predicate, PredicateOp::kLess) : predicate;
    case PredicateOp::kEqual:
      return negated ? WithOp(*predicate, PredicateOp::kNotEqual) : predicate;
    case PredicateOp::kNotEqual:
      return negated ? WithOp(*predicate, PredicateOp::kEqual) : predicate;
    case PredicateOp::kIn:
      return negated ? WithOp(*predicate, PredicateOp::kNotIn) : predicate;
    case PredicateOp::kNotIn:
      return negated ? WithOp(*predicate, PredicateOp::kIn) : predicate;
    case PredicateOp::kStartsWith:
      return negated ? WithOp(*predicate, PredicateOp::kNotStartsWith) : predicate;
    case PredicateOp::kNotStartsWith:
      return negated ? WithOp(*predicate, PredicateOp::kStartsWith) : predicate;
  }
  return predicate;
}

std::string ColumnText(const std::vector<std::string>& column) {
  std::string text;
  for (const auto& part : column) {
    if (!text.empty()) text += '.';
    text += part;
  }
  return text;
}

std::string ValuesText(const Predicate& predicate) {
  std::string text;
  for (const auto& value : predicate.values) {
    if (!text.empty()) text += ", ";
    const std::string literal = LiteralSql(*predicate.type, value);
    text += predicate.type->IsString() ? "'" + literal + "'" : literal;
  }
  return text;
}

std::string JoinChildren(const Predicate& predicate, std::string_view separator) {
  std::string text = "(";
  for (size_t i = 0; i < predicate.children.size(); ++i) {
    if (i > 0) text += separator;
    text += predicate.children[i]->ToString();
  }
  return text + ")";
}

}  // namespace

PredicatePtr Predicate::True() {
  static const PredicatePtr predicate = MakePredicate(PredicateOp::kTrue, {});
  return predicate;
}

PredicatePtr Predicate::False() {
  static const PredicatePtr predicate = MakePredicate(PredicateOp::kFalse, {});
  return predicate;
}

PredicatePtr Predicate::And(std::vector<PredicatePtr> children) {
  return Combine(PredicateOp::kAnd, std::move(children));
}

PredicatePtr Predicate::Or(std::vector<PredicatePtr> children) {
  return Combine(PredicateOp::kOr, std::move(children));
}

PredicatePtr Predicate::Not(PredicatePtr child) {
  if (child->op == PredicateOp::kTrue) return False();
  if (child->op == PredicateOp::kFalse) return True();
  return MakePredicate(PredicateOp::kNot, {std::move(child)});
}

PredicatePtr Predicate::Test(PredicateOp op, std::vector<std::string> column, DataTypePtr type,
                             std::vector<Value> values) {
  auto predicate = std::make_shared<Predicate>();
  predicate->op = op;
  predicate->column = std::move(column);
  predicate->type = std::move(type);
  predicate->values = std::move(values);
  return predicate;
}

std::string Predicate::ToString() const {
  const auto compare = [&](std::string_view sign) {
    return ColumnText(column) + " " + std::string(sign) + " " + ValuesText(*this);
  };
  switch (op) {
    case PredicateOp::kTrue:
      return "true";
    case PredicateOp::kFalse:
      return "false";
    case PredicateOp::kAnd:
      return JoinChildren(*this, " AND ");
    case PredicateOp::kOr:
      return JoinChildren(*this, " OR ");
    case PredicateOp::kNot:
      return "NOT (" + children[0]->ToString() + ")";
    case PredicateOp::kIsNull:
      return ColumnText(column) + " IS NULL";
    case PredicateOp::kNotNull:
      return ColumnText(column) + " IS NOT NULL";
    case PredicateOp::kIsNan:
      return "isnan(" + ColumnText(column) + ")";
    case PredicateOp::kNotNan:
      return "NOT isnan(" + ColumnText(column) + ")";
    case PredicateOp::kLess:
      return compare("<");
    case PredicateOp::kLessOrEqual:
      return compare("<=");
    case PredicateOp::kGreater:
      return compare(">");
    case PredicateOp::kGreaterOrEqual:
      return compare(">=");
    case PredicateOp::kEqual:
      return compare("=");
    case PredicateOp::kNotEqual:
      return compare("<>");
    case PredicateOp::kIn:
      return ColumnText(column) + " IN (" + ValuesText(*this) + ")";
    case PredicateOp::kNotIn:
      return ColumnText(column) + " NOT IN (" + ValuesText(*this) + ")";
    case PredicateOp::kStartsWith:
      return compare("STARTS WITH");
    case PredicateOp::kNotStartsWith:
      return compare("NOT STARTS WITH");
  }
  return {};
}

PredicatePtr PushDownNot(const PredicatePtr& predicate) { return Push(predicate, false); }

}  // namespace frazil
