// df.na: fill, drop, replace. Source: Spark's DataFrameNaFunctions.

#include <algorithm>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/analysis/typed_expr_internal.h"
#include "frazil/base/text.h"
#include "frazil/plan/make_logical.h"

namespace frazil::analysis {

using plan::ExprPtr;

namespace {

// Columns of a value's family: numbers, text, booleans.
bool SameFamily(const DataType& column, const DataType& value) {
  if (value.IsNumeric()) return column.IsNumeric();
  if (value.IsString()) return column.IsString();
  return value.id() == TypeId::kBoolean && column.id() == TypeId::kBoolean;
}

bool IsFloating(const DataType& type) { return type.id() == TypeId::kFloat || type.id() == TypeId::kDouble; }

ExprPtr Call(std::string name, std::vector<ExprPtr> arguments) {
  return plan::MakeFunctionExpr(std::move(name), std::move(arguments), {}, true);
}

ExprPtr CastTo(ExprPtr child, const DataTypePtr& type) {
  auto cast = std::make_shared<plan::CastExpr>();
  cast->child = std::move(child);
  cast->type = type;
  return cast;
}

}  // namespace

Result<std::vector<Attribute>> Analyzer::FindColumns(const Relation& relation, const std::vector<std::string>& names) {
  std::vector<Attribute> found;
  for (const auto& name : names) {
    Scope scope;
    scope.input = &relation;
    FRAZIL_ASSIGN_OR_RETURN(auto parts, sql::ParseMultipartIdentifier(name, context_.parser_options()));
    FRAZIL_ASSIGN_OR_RETURN(auto typed, AnalyzeScalar(plan::MakeAttributeExpr(parts), scope));
    if (typed->kind != ExpressionKind::kColumn) return Error::Unsupported("NESTED COLUMNS IN na FUNCTIONS");
    for (const auto& column : relation.output) {
      if (column.id == typed->As<ColumnExpression>().id) {
        found.push_back(column);
        break;
      }
    }
  }
  return found;
}

Result<Relation> Analyzer::AnalyzeNaFill(const plan::NaFillPlan& fill) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(fill.child));
  FRAZIL_ASSIGN_OR_RETURN(auto columns, FindColumns(child, fill.columns));
  std::vector<ExprPtr> items;
  for (const auto& column : child.output) {
    ExprPtr value;
    if (fill.values.size() == 1) {
      const bool named =
          fill.columns.empty() ||
          std::any_of(columns.begin(), columns.end(), [&](const Attribute& other) { return other.id == column.id; });
      const auto& literal = fill.values[0]->As<plan::LiteralExpr>();
      if (named && SameFamily(*column.type, *literal.type)) value = fill.values[0];
    } else {
      for (size_t i = 0; i < columns.size() && i < fill.values.size(); ++i) {
        if (columns[i].id == column.id) value = fill.values[i];
      }
    }
    ExprPtr item = MakeTypedExpr(column);
    if (value != nullptr) {
      ExprPtr present = item;
      if (IsFloating(*column.type)) present = Call("nanvl", {item, plan::MakeLiteralExpr(column.type, Value())});
      item = plan::MakeAliasExpr(Call("coalesce", {present, CastTo(value, column.type)}), column.name);
    }
    items.push_back(std::move(item));
  }
  return AnalyzeSelect(child, SelectStage(child, &context_), items, false, nullptr, nullptr);
}

Result<Relation> Analyzer::AnalyzeNaDrop(const plan::NaDropPlan& drop) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(drop.child));
  FRAZIL_ASSIGN_OR_RETURN(auto columns, FindColumns(child, drop.columns));
  if (drop.columns.empty()) columns = child.output;
  const int wanted = drop.min_non_nulls.value_or(static_cast<int>(columns.size()));
  ExprPtr count;
  for (const auto& column : columns) {
    ExprPtr present = Call("isnotnull", {MakeTypedExpr(column)});
    if (IsFloating(*column.type))
      present = Call("and", {present, Call("not", {Call("isnan", {MakeTypedExpr(column)})})});
    ExprPtr one = Call("if", {present, plan::MakeLiteralExpr(DataType::Integer(), Value(1)),
                              plan::MakeLiteralExpr(DataType::Integer(), Value(0))});
    count = count == nullptr ? one : Call("+", {count, one});
  }
  if (count == nullptr) return child;
  Scope scope;
  scope.input = &child;
  FRAZIL_ASSIGN_OR_RETURN(
      auto condition,
      AnalyzeScalar(Call(">=", {count, plan::MakeLiteralExpr(DataType::Integer(), Value(wanted))}), scope));
  return OnTop(child, plan::MakeFilter(child.plan, std::move(condition)));
}

Result<Relation> Analyzer::AnalyzeNaReplace(const plan::NaReplacePlan& replace) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(replace.child));
  FRAZIL_ASSIGN_OR_RETURN(auto columns, FindColumns(child, replace.columns));
  std::vector<ExprPtr> items;
  for (const auto& column : child.output) {
    const bool named =
        replace.columns.empty() ||
        std::any_of(columns.begin(), columns.end(), [&](const Attribute& other) { return other.id == column.id; });
    ExprPtr item = MakeTypedExpr(column);
    std::vector<ExprPtr> branches;
    for (const auto& [from, to] : replace.replacements) {
      const auto& from_type = *from->As<plan::LiteralExpr>().type;
      // A replaced NULL (from has no type of its own) is not possible; the new value decides where the old one is void.
      if (!named || !SameFamily(*column.type, from_type)) continue;
      branches.push_back(Call("==", {item, from}));
      branches.push_back(CastTo(to, column.type));
    }
    if (!branches.empty()) {
      branches.push_back(item);
      item = plan::MakeAliasExpr(Call("when", std::move(branches)), column.name);
    }
    items.push_back(std::move(item));
  }
  return AnalyzeSelect(child, SelectStage(child, &context_), items, false, nullptr, nullptr);
}

}  // namespace frazil::analysis
