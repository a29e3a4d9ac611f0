#include "frazil/analysis/predicate_extraction.h"

#include <optional>

#include "frazil/functions/constant.h"

namespace frazil::analysis {

namespace {

using Columns = std::map<AttributeId, std::vector<std::string>>;

struct ColumnTerm {
  std::vector<std::string> path;
  DataTypePtr type;
};

/// A column, or a field of a struct column.
std::optional<ColumnTerm> AsColumn(const Expression& expression, const Columns& columns) {
  if (expression.kind == ExpressionKind::kColumn) {
    auto found = columns.find(expression.As<ColumnExpression>().id);
    if (found == columns.end()) return std::nullopt;
    return ColumnTerm{found->second, expression.type};
  }
  if (expression.kind != ExpressionKind::kCall) return std::nullopt;
  const auto& call = expression.As<CallExpression>();
  if (call.function != "get_field" || call.arguments.size() != 2 || call.arguments[1]->kind != ExpressionKind::kLiteral)
    return std::nullopt;
  auto parent = AsColumn(*call.arguments[0], columns);
  const auto& key = call.arguments[1]->As<LiteralExpression>().value;
  if (!parent.has_value() || parent->type->id() != TypeId::kStruct ||
      !std::holds_alternative<std::string>(key.storage()))
    return std::nullopt;
  parent->path.push_back(key.string());
  parent->type = expression.type;
  return parent;
}

/// The child of a cast to a wider whole number, which keeps every value; else the expression itself.
const Expression& WithoutWidening(const Expression& expression) {
  if (expression.kind != ExpressionKind::kCast || !expression.type->IsIntegral()) return expression;
  const auto& child = *expression.As<CastExpression>().child;
  return child.type->IsIntegral() && child.type->id() <= expression.type->id() ? child : expression;
}

bool IsInRange(const DataType& type, int64_t number) {
  const int bits = 8 << (static_cast<int>(type.id()) - static_cast<int>(TypeId::kByte));
  return bits == 64 || (number >= -(int64_t{1} << (bits - 1)) && number < int64_t{1} << (bits - 1));
}

std::optional<PredicateOp> ComparisonOf(const std::string& function) {
  if (function == "equal") return PredicateOp::kEqual;
  if (function == "less") return PredicateOp::kLess;
  if (function == "less_or_equal") return PredicateOp::kLessOrEqual;
  if (function == "greater") return PredicateOp::kGreater;
  if (function == "greater_or_equal") return PredicateOp::kGreaterOrEqual;
  if (function == "not_equal") return PredicateOp::kNotEqual;
  return std::nullopt;
}

PredicateOp Mirrored(PredicateOp op) {
  switch (op) {
    case PredicateOp::kLess:
      return PredicateOp::kGreater;
    case PredicateOp::kLessOrEqual:
      return PredicateOp::kGreaterOrEqual;
    case PredicateOp::kGreater:
      return PredicateOp::kLess;
    case PredicateOp::kGreaterOrEqual:
      return PredicateOp::kLessOrEqual;
    default:
      return op;
  }
}

PredicateOp Opposite(PredicateOp op) {
  switch (op) {
    case PredicateOp::kLess:
      return PredicateOp::kGreaterOrEqual;
    case PredicateOp::kLessOrEqual:
      return PredicateOp::kGreater;
    case PredicateOp::kGreater:
      return PredicateOp::kLessOrEqual;
    case PredicateOp::kGreaterOrEqual:
      return PredicateOp::kLess;
    case PredicateOp::kEqual:
      return PredicateOp::kNotEqual;
    default:
      return PredicateOp::kEqual;
  }
}

ExtractedPredicate Unknown() { return {Predicate::True(), false}; }

class Extractor {
 public:
  Extractor(const Columns& columns, AnalysisContext& context) : columns_(columns), context_(context) {}

  /// Of the condition, or of NOT condition where `negated`. The negation is taken down to the leaves instead of being
  /// made of a finished predicate: one that is true for the same rows as the condition may still be false where the
  /// condition is unknown, and its negation true there.
  ExtractedPredicate Extract(const ExpressionPtr& condition, bool negated) const {
    const Expression& expression = *condition;
    if (expression.type->id() == TypeId::kBoolean) {
      // A NULL condition keeps no row, and neither does its negation.
      if (auto constant = AsConstant(condition)) {
        const bool keeps = !constant->is_null() && constant->boolean() != negated;
        return {keeps ? Predicate::True() : Predicate::False(), true};
      }
    }
    if (expression.kind == ExpressionKind::kColumn && expression.type->id() == TypeId::kBoolean) {
      if (auto column = AsColumn(expression, columns_)) {
        return {Predicate::Test(PredicateOp::kEqual, column->path, column->type, {Value(!negated)}), true};
      }
    }
    if (expression.kind != ExpressionKind::kCall) return Unknown();
    const auto& call = expression.As<CallExpression>();
    if (call.function == "and" || call.function == "or") return Combine(call, negated);
    if (call.function == "not") return Extract(call.arguments[0], !negated);
    if (call.function == "is_null" || call.function == "is_not_null") {
      auto column = AsColumn(*call.arguments[0], columns_);
      if (!column.has_value()) return Unknown();
      const bool is_null = (call.function == "is_null") != negated;
      return {Predicate::Test(is_null ? PredicateOp::kIsNull : PredicateOp::kNotNull, column->path, column->type),
              true};
    }
    if (call.function == "in") return In(call, negated);
    if (auto op = ComparisonOf(call.function)) return Compare(call, negated ? Opposite(*op) : *op);
    return Unknown();
  }

 private:
  ExtractedPredicate Combine(const CallExpression& call, bool negated) const {
    std::vector<PredicatePtr> parts;
    bool exact = true;
    for (const auto& argument : call.arguments) {
      auto part = Extract(argument, negated);
      exact = exact && part.exact;
      parts.push_back(part.predicate);
    }
    const bool all = (call.function == "and") != negated;
    return {all ? Predicate::And(std::move(parts)) : Predicate::Or(std::move(parts)), exact};
  }

  ExtractedPredicate In(const CallExpression& call, bool negated) const {
    auto column = AsColumn(WithoutWidening(*call.arguments[0]), columns_);
    if (!column.has_value()) return Unknown();
    std::vector<Value> values;
    for (size_t i = 1; i < call.arguments.size(); ++i) {
      auto value = AsConstant(call.arguments[i]);
      if (!value.has_value()) return Unknown();
      if (value->is_null()) {
        // x NOT IN (..., NULL) is never true; x IN (..., NULL) is true for the other values.
        if (negated) return {Predicate::False(), true};
        continue;
      }
      // The column cannot have a value that its type does not hold.
      if (column->type->IsIntegral() && !IsInRange(*column->type, value->integer())) continue;
      values.push_back(*std::move(value));
    }
    if (values.empty()) {
      if (!negated) return {Predicate::False(), true};
      return {Predicate::Test(PredicateOp::kNotNull, column->path, column->type), true};
    }
    return {Predicate::Test(negated ? PredicateOp::kNotIn : PredicateOp::kIn, column->path, column->type,
                            std::move(values)),
            true};
  }

  ExtractedPredicate Compare(const CallExpression& call, PredicateOp op) const {
    size_t at = 0;
    auto column = AsColumn(WithoutWidening(*call.arguments[0]), columns_);
    if (!column.has_value()) {
      at = 1;
      column = AsColumn(WithoutWidening(*call.arguments[1]), columns_);
      op = Mirrored(op);
    }
    if (!column.has_value()) return Unknown();
    auto value = AsConstant(call.arguments[1 - at]);
    if (!value.has_value()) return Unknown();
    if (value->is_null()) return {Predicate::False(), true};
    if (column->type->IsIntegral() && !IsInRange(*column->type, value->integer())) return Unknown();
    return {Predicate::Test(op, column->path, column->type, {*std::move(value)}), true};
  }

  /// The value of an expression without columns. One that fails has none: where a row is asked for it, the engine tells
  /// why.
  std::optional<Value> AsConstant(const ExpressionPtr& expression) const {
    if (expression->kind == ExpressionKind::kLiteral) return expression->As<LiteralExpression>().value;
    if (!functions::IsFoldable(*expression)) return std::nullopt;
    auto value = context_.EvaluateConstant(expression);
    return value.ok() ? std::optional<Value>(*std::move(value)) : std::nullopt;
  }

  const Columns& columns_;
  AnalysisContext& context_;
};

}  // namespace

ExtractedPredicate ExtractPredicate(const ExpressionPtr& condition,
                                    const std::map<AttributeId, std::vector<std::string>>& columns,
                                    AnalysisContext& context) {
  auto extracted = Extractor(columns, context).Extract(condition, /*negated=*/false);
  extracted.text = condition->sql;
  return extracted;
}

}  // namespace frazil::analysis
