#include "frazil/engine/scan_predicate.h"

#include <cmath>

#include <duckdb/planner/expression/bound_between_expression.hpp>
#include <duckdb/planner/expression/bound_columnref_expression.hpp>
#include <duckdb/planner/expression/bound_comparison_expression.hpp>
#include <duckdb/planner/expression/bound_conjunction_expression.hpp>
#include <duckdb/planner/expression/bound_constant_expression.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>
#include <duckdb/planner/expression/bound_operator_expression.hpp>

#include "frazil/engine/type_mapping.h"

namespace frazil::engine {
namespace {

using duckdb::Expression;
using duckdb::ExpressionType;

class Translator {
 public:
  Translator(const duckdb::MultiFilePushdownInfo& info, const std::vector<ScanSlot>& slots, const DataType& schema)
      : info_(info), slots_(slots), schema_(schema) {}

  /// Null where the expression says nothing that a table could use.
  PredicatePtr Translate(const Expression& expression) const {
    switch (expression.GetExpressionClass()) {
      case duckdb::ExpressionClass::BOUND_CONJUNCTION:
        return Conjunction(expression.Cast<duckdb::BoundConjunctionExpression>());
      case duckdb::ExpressionClass::BOUND_COMPARISON: {
        const auto& comparison = expression.Cast<duckdb::BoundComparisonExpression>();
        return Compare(comparison.GetExpressionType(), *comparison.left, *comparison.right);
      }
      case duckdb::ExpressionClass::BOUND_BETWEEN: {
        const auto& between = expression.Cast<duckdb::BoundBetweenExpression>();
        auto lower = Compare(between.LowerComparisonType(), *between.input, *between.lower);
        auto upper = Compare(between.UpperComparisonType(), *between.input, *between.upper);
        if (lower == nullptr) return upper;
        if (upper == nullptr) return lower;
        return Predicate::And({lower, upper});
      }
      case duckdb::ExpressionClass::BOUND_OPERATOR:
        return Operator(expression.Cast<duckdb::BoundOperatorExpression>());
      case duckdb::ExpressionClass::BOUND_FUNCTION:
        return Function(expression.Cast<duckdb::BoundFunctionExpression>());
      default:
        return nullptr;
    }
  }

 private:
  struct Column {
    std::vector<std::string> path;
    DataTypePtr type;
  };

  std::optional<Column> ColumnOf(const Expression& expression) const {
    if (expression.GetExpressionClass() == duckdb::ExpressionClass::BOUND_COLUMN_REF) {
      const auto& reference = expression.Cast<duckdb::BoundColumnRefExpression>();
      if (reference.depth > 0 || reference.binding.table_index != info_.table_index) return std::nullopt;
      if (reference.binding.column_index >= info_.column_ids.size()) return std::nullopt;
      const auto slot = info_.column_ids[reference.binding.column_index];
      if (slot >= slots_.size() || slots_[slot].kind != ScanSlot::Kind::kData) return std::nullopt;
      const auto& field = schema_.fields()[static_cast<size_t>(slots_[slot].index)];
      return Column{{field.name}, field.type};
    }
    if (expression.GetExpressionClass() == duckdb::ExpressionClass::BOUND_FUNCTION) {
      const auto& function = expression.Cast<duckdb::BoundFunctionExpression>();
      if (function.function.name != "struct_extract_at" || function.children.empty()) return std::nullopt;
      auto parent = ColumnOf(*function.children[0]);
      if (!parent.has_value() || parent->type->id() != TypeId::kStruct || function.children.size() < 2)
        return std::nullopt;
      if (function.children[1]->GetExpressionClass() != duckdb::ExpressionClass::BOUND_CONSTANT) return std::nullopt;
      const auto index = function.children[1]->Cast<duckdb::BoundConstantExpression>().value.GetValue<int64_t>() - 1;
      if (index < 0 || index >= static_cast<int64_t>(parent->type->fields().size())) return std::nullopt;
      const auto& field = parent->type->fields()[static_cast<size_t>(index)];
      parent->path.push_back(field.name);
      parent->type = field.type;
      return parent;
    }
    return std::nullopt;
  }

  // The constant as a value of the column's type; nothing where it is NULL, of another type, or has no place in
  // pruning.
  std::optional<Value> ConstantOf(const Expression& expression, const DataType& type) const {
    if (expression.GetExpressionClass() != duckdb::ExpressionClass::BOUND_CONSTANT) return std::nullopt;
    const auto& value = expression.Cast<duckdb::BoundConstantExpression>().value;
    if (value.IsNull()) return std::nullopt;
    const auto mapped = ToDuckDbType(type);
    if (!mapped.ok() || value.type() != *mapped) return std::nullopt;
    if (type.IsComplex() || type.id() == TypeId::kNull || type.id() == TypeId::kCalendarInterval) return std::nullopt;
    return FromDuckDbValue(type, value);
  }

  static bool IsNan(const Value& value) {
    if (std::holds_alternative<float>(value.storage())) return std::isnan(value.float32());
    if (std::holds_alternative<double>(value.storage())) return std::isnan(value.float64());
    return false;
  }

  PredicatePtr Conjunction(const duckdb::BoundConjunctionExpression& conjunction) const {
    const bool is_and = conjunction.GetExpressionType() == ExpressionType::CONJUNCTION_AND;
    std::vector<PredicatePtr> children;
    for (const auto& child : conjunction.children) {
      auto predicate = Translate(*child);
      if (predicate != nullptr) {
        children.push_back(std::move(predicate));
      } else if (!is_and) {
        return nullptr;  // An unknown alternative may be true for any row.
      }
    }
    if (children.empty()) return nullptr;
    return is_and ? Predicate::And(std::move(children)) : Predicate::Or(std::move(children));
  }

  PredicatePtr Compare(ExpressionType type, const Expression& left, const Expression& right) const {
    auto column = ColumnOf(left);
    const Expression* constant = &right;
    if (!column.has_value()) {
      column = ColumnOf(right);
      constant = &left;
      type = duckdb::FlipComparisonExpression(type);
    }
    if (!column.has_value()) return nullptr;
    auto value = ConstantOf(*constant, *column->type);
    if (!value.has_value() || IsNan(*value)) return nullptr;
    PredicateOp op;
    switch (type) {
      case ExpressionType::COMPARE_EQUAL:
      case ExpressionType::COMPARE_NOT_DISTINCT_FROM:
        op = PredicateOp::kEqual;
        break;
      case ExpressionType::COMPARE_NOTEQUAL:
        op = PredicateOp::kNotEqual;
        break;
      case ExpressionType::COMPARE_LESSTHAN:
        op = PredicateOp::kLess;
        break;
      case ExpressionType::COMPARE_LESSTHANOREQUALTO:
        op = PredicateOp::kLessOrEqual;
        break;
      case ExpressionType::COMPARE_GREATERTHAN:
        op = PredicateOp::kGreater;
        break;
      case ExpressionType::COMPARE_GREATERTHANOREQUALTO:
        op = PredicateOp::kGreaterOrEqual;
        break;
      case ExpressionType::COMPARE_DISTINCT_FROM:
        return Predicate::Or({Predicate::Test(PredicateOp::kNotEqual, column->path, column->type, {std::move(*value)}),
                              Predicate::Test(PredicateOp::kIsNull, column->path, column->type)});
      default:
        return nullptr;
    }
    return Predicate::Test(op, column->path, column->type, {std::move(*value)});
  }

  PredicatePtr Operator(const duckdb::BoundOperatorExpression& expression) const {
    switch (expression.GetExpressionType()) {
      case ExpressionType::OPERATOR_IS_NULL:
      case ExpressionType::OPERATOR_IS_NOT_NULL: {
        auto column = ColumnOf(*expression.children[0]);
        if (!column.has_value()) return nullptr;
        const bool is_null = expression.GetExpressionType() == ExpressionType::OPERATOR_IS_NULL;
        return Predicate::Test(is_null ? PredicateOp::kIsNull : PredicateOp::kNotNull, column->path, column->type);
      }
      case ExpressionType::OPERATOR_NOT: {
        // NOT turns "weaker" into "stronger": only what is translated exactly may stand below it, so leaves alone.
        const auto& child = *expression.children[0];
        if (child.GetExpressionClass() == duckdb::ExpressionClass::BOUND_CONJUNCTION ||
            child.GetExpressionClass() == duckdb::ExpressionClass::BOUND_BETWEEN) {
          return nullptr;
        }
        // Two of them are none. That matters: "NULL <=> 1" is false, kEqual for it unknown, and so are their negations.
        if (child.GetExpressionType() == ExpressionType::OPERATOR_NOT)
          return Translate(*child.Cast<duckdb::BoundOperatorExpression>().children[0]);
        if (child.GetExpressionType() == ExpressionType::COMPARE_NOT_DISTINCT_FROM ||
            child.GetExpressionType() == ExpressionType::COMPARE_DISTINCT_FROM) {
          const auto& comparison = child.Cast<duckdb::BoundComparisonExpression>();
          const bool is_distinct = comparison.GetExpressionType() == ExpressionType::COMPARE_DISTINCT_FROM;
          return Compare(
              is_distinct ? ExpressionType::COMPARE_NOT_DISTINCT_FROM : ExpressionType::COMPARE_DISTINCT_FROM,
              *comparison.left, *comparison.right);
        }
        auto predicate = Translate(child);
        return predicate == nullptr ? nullptr : Predicate::Not(std::move(predicate));
      }
      case ExpressionType::COMPARE_IN: {
        auto column = ColumnOf(*expression.children[0]);
        if (!column.has_value()) return nullptr;
        std::vector<Value> values;
        for (size_t i = 1; i < expression.children.size(); ++i) {
          auto value = ConstantOf(*expression.children[i], *column->type);
          if (!value.has_value() || IsNan(*value)) return nullptr;
          values.push_back(std::move(*value));
        }
        return Predicate::Test(PredicateOp::kIn, column->path, column->type, std::move(values));
      }
      default:
        return nullptr;
    }
  }

  PredicatePtr Function(const duckdb::BoundFunctionExpression& function) const {
    const auto& name = function.function.name;
    if ((name == "prefix" || name == "starts_with" || name == "^@") && function.children.size() == 2) {
      auto column = ColumnOf(*function.children[0]);
      if (!column.has_value() || !column->type->IsString()) return nullptr;
      auto value = ConstantOf(*function.children[1], *column->type);
      if (!value.has_value()) return nullptr;
      return Predicate::Test(PredicateOp::kStartsWith, column->path, column->type, {std::move(*value)});
    }
    return nullptr;
  }

  const duckdb::MultiFilePushdownInfo& info_;
  const std::vector<ScanSlot>& slots_;
  const DataType& schema_;
};

}  // namespace

PredicatePtr PredicateOf(const duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters,
                         const duckdb::MultiFilePushdownInfo& info, const std::vector<ScanSlot>& slots,
                         const DataType& schema) {
  const Translator translator(info, slots, schema);
  std::vector<PredicatePtr> parts;
  for (const auto& filter : filters) {
    auto predicate = translator.Translate(*filter);
    if (predicate != nullptr) parts.push_back(std::move(predicate));
  }
  if (parts.empty()) return Predicate::True();
  return parts.size() == 1 ? parts[0] : Predicate::And(std::move(parts));
}

}  // namespace frazil::engine
