#pragma once

#include <memory>
#include <utility>

#include "frazil/expressions/expression.h"
#include "frazil/plan/unresolved_expression.h"

namespace frazil::analysis {

/// An expression that is typed already, where an unresolved one is wanted: the columns that a star expands to, grouping
/// columns in front of aggregates. As an AttributeExpr it has the column's name.
struct TypedExpr : plan::AttributeExpr {
  ExpressionPtr typed;
  /// The column it stands for (id 0 where it is none): keeps qualifier and metadata.
  Attribute attribute;
};

inline plan::ExprPtr MakeTypedExpr(const Attribute& attribute, ExpressionPtr typed) {
  auto expression = std::make_shared<TypedExpr>();
  expression->name = {attribute.name};
  expression->attribute = attribute;
  expression->typed = std::move(typed);
  return expression;
}

inline plan::ExprPtr MakeTypedExpr(const Attribute& attribute) {
  return MakeTypedExpr(attribute, MakeColumn(attribute));
}

/// Null where it is none.
inline const TypedExpr* AsTypedExpr(const plan::Expr& expression) {
  return expression.kind == plan::ExprKind::kAttribute ? dynamic_cast<const TypedExpr*>(&expression) : nullptr;
}

}  // namespace frazil::analysis
